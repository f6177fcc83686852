"""Methods of built-in types that operators call, named by the program itself."""

from __future__ import annotations

import functools
import math
import operator
import types
from typing import Any, NamedTuple

import numpy as np

from tests.programs import program


@program("functions", lambda: ([3, 1, 2], {"a": 2, "b": 1}))
def methods_as_functions(xs, d):
    by_value = sorted(range(len(xs)), key=xs.__getitem__), max(d, key=d.__getitem__)
    kept = list(filter({1, 2}.__contains__, xs)), list(map(d.__contains__, "abc"))
    folded = functools.reduce(int.__add__, xs), list(map(int.__neg__, xs))
    return by_value, kept, folded, list(map(str.__len__, ["a", "bc"])), sorted(map(abs, xs))


@program("functions", lambda: ([3, 1, 2], 5, 2.5))
def called_by_name(xs, n, v):
    lengths = xs.__len__(), "abc".__len__(), (1, 2).__len__(), np.ones(n).__len__()
    numbers = n.__pow__(2), v.__neg__(), n.__mod__(2), v.__abs__(), v.__int__(), v.__round__()
    mixed = n.__add__(2.5) is NotImplemented, n.__eq__(5), [1].__eq__((1,)), v.__add__(n)
    texts = "a".__add__("b"), n.__str__(), xs.__eq__([3, 1, 2]), (1).__add__(n)
    following = iter([1, n]).__next__
    return lengths, numbers, mixed, texts, following(), following(), xs.__iter__().__next__()


@program("functions", lambda: ([3, 1, 2], {"a": 1}))
def items_set_by_name(xs, d):
    xs.__setitem__(0, 9)
    xs.__delitem__(1)
    xs.__iadd__([4])
    d.__setitem__("b", 2)
    operator.delitem(d, "a")
    operator.setitem(d, "c", 5)
    return xs, d, d.__len__(), list(d.__iter__())


class Ring(list):
    def __getitem__(self, i: Any) -> Any:
        return list.__getitem__(self, i % list.__len__(self))

    def __add__(self, other: Any) -> Any:
        return Ring(list.__add__(self, other))


class Doubled(dict):
    def __setitem__(self, key: Any, x: Any) -> None:
        dict.__setitem__(self, key, x * 2)

    def __contains__(self, key: object) -> bool:
        return not dict.__contains__(self, key)


@program("classes", lambda: ([1, 2],))
def methods_of_the_base(xs):
    ring, doubled = Ring(xs), Doubled()
    doubled["a"] = 3
    space = types.SimpleNamespace(a=1, b=xs[1])
    same = space == types.SimpleNamespace(a=1, b=2), space != types.SimpleNamespace(a=1)
    return ring[5], ring + [3], doubled, "a" in doubled, same


@program("functions", lambda: ([3, 1, 3], 3), lambda: ([], 1))
def functions_of_operator(xs, n):
    found = operator.countOf(xs, n), operator.concat(xs, [n]), operator.iconcat(xs, [7]), xs
    try:
        at = operator.indexOf(xs, 1)
    except ValueError as e:
        at = str(e)
    return (
        found,
        at,
        operator.inv(n),
        operator.call(max, n, 2),
        operator.countOf((v for v in xs), n),
    )


@program("numbers", lambda: (5,))
def methods_named_by_their_class(n):
    known = int.bit_length(5), int.bit_count(7), complex.conjugate(1j), float.is_integer(2.0)
    return known, int.bit_length(n), int.bit_count(n), int.__add__(n, 1), float.hex(0.5)


class Ticket(NamedTuple):
    """A tuple with an order of its own, of which `>` knows nothing."""

    label: float
    urgency: float

    def __lt__(self, other):
        return self.urgency < other.urgency


@program("tuples with an order of their own", lambda: (DUE, 3), lambda: (DUE, 0))
def tickets_in_order(x, n):
    known = [Ticket(x[0], x[1]), Ticket(x[1], x[0]), Ticket(0.0, 1.5)]
    grown = []
    for i in range(n):
        grown.append(Ticket(x[i], x[n - i]))
    pairs = sorted([(1, t) for t in known])
    return sorted(known), max(known), min(known), pairs, sorted(grown), sorted(grown, reverse=True)


class Purse(tuple):
    """A tuple that is equal to another one where their sums are."""

    def __new__(cls, *coins):
        return super().__new__(cls, coins)

    def __abs__(self):
        return sum(self)

    def __eq__(self, other):
        return abs(self) == abs(other)

    def __hash__(self):
        return hash(abs(self))


@program("tuples with an equality of their own", lambda: (DUE, 3), lambda: (DUE, 0))
def purses_of_equal_worth(x, n):
    last, other = {}, Purse(x[n], x[0])
    for i in range(n):
        last[Purse(x[i], x[n - i])] = i
    worth = {Purse(x[1], x[0]), Purse(x[0], x[1])}
    same = Purse(x[0], x[1]) == Purse(x[1], x[0]), Purse(x[0], x[1]) != Purse(x[1], x[0])
    purses = list(last)
    found = other in purses, purses.count(other), purses.count(Purse(9))
    return list(last.values()), other in last, len(worth), same, found


DUE = np.array([3.0, 1.0, 2.0, 5.0, -1.0, 0.5])


class Gears:
    ratio = 3.0

    def up(self, x):
        return x * self.ratio

    def down(self, x):
        return x / self.ratio

    def neutral(self, x):
        return x


@program("attributes whose names data decides", lambda: (DUE, 3), lambda: (DUE[::2], 1))
def shifted(x, n):
    gears, names = Gears(), ["up", "down", "neutral", "reverse"]
    total = 1.0
    for i, v in enumerate(x):
        shift = getattr(gears, names[int(abs(v)) % 4], None)
        total = -total if shift is None else shift(total)
        total += getattr(math, ["sin", "cos"][i % 2])(v * n)
    return total


class Offset:
    def __init__(self, x):
        self.x = x

    def __neg__(self):
        return Offset(-self.x)

    def __add__(self, other):
        return Offset(self.x + other.x)


@program("operator's functions of instances", lambda: ([1, 2, 3],), lambda: ([4, -5],))
def combined_offsets(xs):
    offsets = [Offset(x) for x in xs]
    total = functools.reduce(operator.add, map(operator.neg, offsets))
    return total.x, operator.neg(total).x, operator.neg(True)
