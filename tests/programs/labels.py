"""Texts and members of enums that data chooses, as keys of dicts and items of lists; functions and
attributes that classes and decorators stand in for."""

from __future__ import annotations

import enum
import functools
from collections import Counter, defaultdict
from typing import Any, TypedDict

import numpy as np

from tests.programs import program


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def _signs() -> tuple[Any, ...]:
    return (np.array([1.0, -2.0, 0.5, 0.0]),)


@program("dict text", _signs)
def tallies_by_name(x):
    counts = Counter()
    sums = {"up": 0.0, "down": 0.0}
    groups = defaultdict(list)
    later = {}
    for v in x:
        name = "up" if v > 0 else "down"
        counts[name] += 1
        sums[name] += v
        groups[name].append(v)
        if v > 0:
            later["first"] = later.get("first", 0) + 1
        else:
            later["second"] = v
    best = max(counts, key=counts.get)
    weight = {"up": 1.5, "down": 2}[best]
    return counts, sums, groups, later, best, weight, sorted(sums.items()), "none" in counts


@program("dict text exception", _signs)
def missing_name(x):
    table = {"w": 1}
    found = 0
    try:
        found = table["w" if x[0] > 5 else "b"]
    except KeyError:
        found = -1
    return found, table.get("w" if x[0] > 0 else "b", 7)


@program("list text enum", _signs)
def names_in_lists(x):
    names = []
    state = Side.LEFT
    log = [state]
    for v in x:
        names.append("pos" if v > 0 else "neg")
        if v > 0:
            state = Side.RIGHT if state is Side.LEFT else Side.LEFT
            log.append(state)
    pairs = [("up", v) if v > 0 else ("down", -v) for v in x if v != 0]
    names[0] = "first"
    found = names.index("neg"), names.count("pos"), "zero" in names, names[::-1]
    return names, found, log, log.count(Side.RIGHT), log[-1] is state, pairs


@program("dict exception", _signs, lambda: (np.array([-1.0, 2.0]),))
def dict_filled_before_raise(x):
    def root(v):
        if v < 0 and x[0] < 0:
            raise ValueError("negative")
        return abs(v) ** 0.5

    ordered = sorted(x.tolist())
    return {k: root(x[i]) for i, k in enumerate("ab")}, {k: ordered.index(x[0]) for k in "pq"}


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, got {value}")
        setattr(obj, self.name, value)


class Lazy:
    def __init__(self, function):
        self.function = function
        self.name = function.__name__

    def __get__(self, obj, owner=None):
        value = self.function(obj)
        setattr(obj, self.name, value)
        return value


class Rod:
    length = Positive()

    def __init__(self, length):
        self.length = length
        self.asked = 0

    @Lazy
    def twice(self):
        self.asked += 1
        return self.length * 2


@program("class descriptor", lambda: (2.0,), lambda: (-2.0,))
def descriptors(v):
    rod = Rod(v)
    total = rod.twice + rod.twice
    rod.length += 1
    try:
        rod.length = -v
    except ValueError as error:
        return total, rod.asked, rod.length, str(error)
    return total


class Scaled:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return Scaled(self.v * other)

    def __gt__(self, other):
        return self.v > other


class Deferred(Scaled):
    __array_ufunc__ = None


class First(Scaled):
    __array_priority__ = 10


@program("class operator", lambda: (np.array([1.5, 2.5]), 2.0))
def operators_of_numpy_with_instances(x, a):
    left = (x[0] * Scaled(a)).v, x[0] < Scaled(a), (np.float32(x[1]) * Scaled(a)).v
    return left, (x * Deferred(a)).v, (x * First(a)).v, (x[0] * First(a)).v


@program("method operator", lambda: (np.eye(2) * 3,))
def operators_by_name(a):
    apply = a.__matmul__
    return apply(a), a.__add__(1), a.__rsub__(1), a.__neg__(), a.__lt__(1), a.__len__()


@functools.singledispatch
def summary(x):
    raise TypeError("unsupported")


@summary.register
def _(x: int):
    return "int", x * 2


@summary.register(list)
def _(x):
    return "list", sum(v for _, v in map(summary, x))


@summary.register
def _(x: np.ndarray):
    return "array", x.mean()


class Norm:
    @functools.singledispatchmethod
    def of(self, x):
        return 0.0

    @of.register
    def _(self, x: np.ndarray):
        return np.sqrt(x @ x)


@program("standard decorator", lambda: (np.arange(3.0), 2))
def dispatched(x, n):
    try:
        summary("text")
    except TypeError as error:
        message = str(error)
    return summary(x), summary(n), summary([n, 3]), Norm().of(x), Norm().of(n), message


class Counted:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.calls = function, 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


class Report(TypedDict):
    mean: float
    data: Any


@program("standard decorator", lambda: (2.0, np.ones(3)))
def wrapped(x, data):
    def scaled(by=2, *, plus=1):
        def wrap(function):
            @functools.wraps(function)
            def inner(*args, **kwargs):
                return function(*args, **kwargs) * by + plus

            return inner

        return wrap

    @Counted
    @scaled(3)
    @scaled(plus=5)
    def double(v):
        return v * 2

    while x < 100:
        x = double(x)
    report = Report(mean=data.mean(), data=data)
    return x, double.calls, double.__name__, double.function.__wrapped__.__name__, report
