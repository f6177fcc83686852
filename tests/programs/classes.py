"""Classes as libraries have them: what `@dataclass` generates and others override, `__setattr__`,
descriptors and properties in one class, and instances that are read together."""

from __future__ import annotations

import dataclasses
import math
import operator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tests.programs import program


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y


class Series:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        yield from self.items


@program("generators zip", lambda: (1.0, 2.0), lambda: (3, -1))
def generators_side_by_side(a, b):
    v, w = Pair(a, b), Pair(b, a)
    products = Pair(*(p * q for p, q in zip(v, w, strict=True)))
    return sum(p * q for p, q in zip(v, v, strict=False)), [*products], dict(zip(v, w, strict=True))


@program("generators zip", lambda: ([1.0, 2.0], [3.0, 4.0]), lambda: ([1.0, 2.0], [3.0]))
def series_side_by_side(a, b):
    shortest = list(zip(Series(a), b, Series(a), strict=False))
    return shortest, [p - q for p, q in zip(Series(a), Series(b), strict=True)]


@program("generators zip", lambda: ([1.0], [3.0, 4.0]), lambda: ([1.0], [3.0]))
def series_of_one_length(a, b):
    total = 0.0
    for p, q in zip(Series(a), Series(b), strict=True):
        total += p * q
    return total


@program("protocols", lambda: ([1.0, 2.0, 5.0],), lambda: ([0.1] * 9,))
def series_as_numbers(items):
    return math.fsum(Series(items)), np.fromiter(Series(items), float)


class Step(NamedTuple):
    n: int = 0
    x: float = 0.0

    def __add__(self, other):
        return self.__class__(*map(operator.add, self, other))


class Chain(Pair):
    def longer(self):
        return self.__class__(self.x + 1, self)


@program("classes", lambda: (1, 2.0), lambda: (2, 3.0))
def classes_by_attribute(n, x):
    step, either = Step(n, x), n if n > 1 else x
    try:
        n // (n - n)
    except ArithmeticError as error:
        raised = error.__class__.__name__
    shown = f"{step}", repr(step + step), str(Step())
    known = step.__class__ is Step, [n].__class__ is list, n.__class__ is int, x.__class__.__name__
    return shown, known, raised, either.__class__ is int, Chain(n, x).longer()


@dataclass
class Box:
    width: float
    height: float = 1.0
    made: list = field(default_factory=list)

    def __post_init__(self):
        self.made.append(type(self).__name__)


@dataclass
class Cube(Box):
    def __init__(self, side):
        super().__init__(side, height=side)


class Labelled(Box):
    def __init__(self, side):
        self.early = side
        Box.__init__(self, side)

    def __repr__(self):
        return "labelled " + super().__repr__()

    def __eq__(self, other):
        return super().__eq__(other)


@program("dataclass super", lambda: (1.5,), lambda: (2,))
def generated_and_derived(side):
    x = Labelled(side)
    return Cube(side), x, repr(x), x == Labelled(side), x == Box(side), Box(side) == Box(side)


@dataclass(frozen=True)
class Point:
    x: float


class Cached(Point):
    def __init__(self, x):
        super().__init__(x)
        self.norm = abs(x)


@program("dataclass frozen", lambda: (-1.5,), lambda: (2,))
def derived_from_frozen(x):
    point, errors = Cached(x), []
    try:
        point.x = 1.0
    except dataclasses.FrozenInstanceError as error:
        errors.append(str(error))
    try:
        Point(x).norm = 1.0
    except AttributeError as error:
        errors.append(str(error))
    return point, point.norm, errors


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name)

    def __set__(self, instance, value):
        if value < 0:
            raise ValueError(f"{self.name} is {value}")
        setattr(instance, self.name, value)


@dataclass
class Journal:
    written: list
    mass: float = Positive()
    size: float = 2.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name != "written":
            self.written.append(name)

    @property
    def half(self):
        return self.size / 2

    @half.setter
    def half(self, value):
        self.size = 2 * value


@program("dataclass descriptor setattr", lambda: (1.5, 2.0), lambda: (3, 1), lambda: (-1, 2.0))
def attributes_set_in_ones_own_way(mass, half):
    journal = Journal([], mass)
    journal.half = half
    return journal, journal.mass, journal.half


class Estimator:
    def __init__(self, scale):
        self.scale = scale

    def fit(self, x):
        self.fitted = x * self.scale
        return self

    @property
    def coefficient(self):
        if not hasattr(self, "fitted"):
            raise AttributeError("not fitted")
        return self.fitted + 1

    @property
    def misspelt(self):
        return self.fited

    def __reversed__(self):
        return iter([self.scale, 0])


@program("hasattr properties", lambda: (1.0,), lambda: (-2,))
def attributes_that_properties_deny(x):
    model = Estimator(2)
    before = hasattr(model, "coefficient"), getattr(model, "coefficient", None)
    model.fit(x)
    after = hasattr(model, "coefficient"), getattr(model, "coefficient", None)
    return before, after, hasattr(model, "misspelt"), list(reversed(model))


@program("hasattr properties", lambda: (1.0,), lambda: (-2.0,))
def attributes_that_data_denies(x):
    model = Estimator(2)
    if x > 0:
        model.fit(x)
    return hasattr(model, "coefficient"), getattr(model, "coefficient", 0.0)


class Fallback:
    def __init__(self, x):
        if x > 0:
            self.a = x

    def __getattr__(self, name):
        if name in ("a", "b"):
            return -1.0
        raise AttributeError(f"no {name}")


@program("getattr", lambda: (1.0,), lambda: (-2.0,))
def attributes_made_up(x):
    it = Fallback(x)
    asked = getattr(it, "b", 0.0), getattr(it, "c", 5.0), hasattr(it, "b"), hasattr(it, "c")
    try:
        asked += (it.c,)
    except AttributeError as error:
        return it.a, asked, str(error)


T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self):
        self.held: list[T] = []

    def push(self, x: T) -> Stack[T]:
        self.held.append(x)
        return self

    def pop(self) -> T:
        return self.held.pop()


class Slotted(Generic[T]):
    __slots__ = ("x",)

    def __init__(self, x: T):
        self.x = x


@dataclass(frozen=True)
class Node(Generic[T]):
    x: T
    rest: Node[T] | None = None


FloatStack = Stack[float]


@program("generic", lambda: (2.0,))
def classes_with_parameters(x):
    stack = Stack[float]().push(x).push(x + 1)
    outside = FloatStack()
    outside.push(stack.pop())
    node = Node[float](x, Node(x + 1))
    kind = stack.__orig_class__ is Stack[float], isinstance(stack, Stack), vars(Stack[int]())
    return stack, outside, node, Slotted[float](x).x, kind


class Counted(type):
    """A metaclass that has a part in making instances."""

    made = 0

    def __call__(cls, *args, **kwargs):
        Counted.made += 1
        x = super().__call__(*args, **kwargs)
        x.serial = cls.made
        return x


class Spring(metaclass=Counted):
    def __init__(self, k, rest=1.0):
        self.k, self.rest = k, rest

    def force(self, x):
        return -self.k * (x - self.rest)


class Stiff(Spring):
    def force(self, x):
        return 10 * super().force(x) + self.serial


@program("metaclasses with __call__", lambda: (0.5,), lambda: (-2.0,))
def springs(x):
    Counted.made = 0
    found = [Spring(2.0), Stiff(k=1.0, rest=x), Stiff(3.0)]
    return [s.force(x) for s in found], Counted.made
