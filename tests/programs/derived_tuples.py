"""Classes that derive from tuple, with a `__new__` of their own or without."""

from __future__ import annotations

import math
import sys
import time
from collections import namedtuple
from typing import Any

import numpy as np

from tests.programs import program


class Point(tuple):
    __slots__ = ()

    def __new__(cls, x: float, y: float) -> Point:
        return tuple.__new__(cls, (x, y))

    @property
    def x(self) -> Any:
        return self[0]

    @property
    def y(self) -> Any:
        return self[1]

    def __add__(self, other: Any) -> Any:
        return Point(self.x + other.x, self.y + other.y)

    def norm(self) -> float:
        return math.hypot(*self)


ORIGIN = Point(3.0, 4.0)


@program("classes", lambda: (1.5, 2.0))
def points(a, b):
    p = Point(a, b)
    q = p + Point(1, 2)
    x, y = q
    plain = q[:1], q * 2, (1,) + p, tuple(q), list(q), np.array(q), str(q), len(p)
    kinds = isinstance(p, tuple), type(q[:1]) is tuple, type(q).__name__
    ordered = p < q, q == (a + 1, b + 2), max([p, q]), sorted([q, p])
    return q, q.norm(), x, y, plain, kinds, ordered, {Point(1, 2): 3}[1, 2], ORIGIN + p, ORIGIN


@program("classes", lambda: (4,), lambda: (0,))
def points_in_lists(n):
    made = [Point(i, i * i) for i in range(n)]
    return made, sum(p.x for p in made), sorted(made, key=lambda p: -p.y)


@program("classes", lambda: (Point(1.0, 2.0),))
def a_point_of_the_caller(p):
    return p.norm(), p + p


class Vector(tuple):
    def __new__(cls, *xs: float) -> Vector:
        return super().__new__(cls, xs)

    def __add__(self, other: Any) -> Any:
        return Vector(*(a + b for a, b in zip(self, other)))

    def __mul__(self, k: Any) -> Any:
        return Vector(*[a * k for a in self])


@program("classes", lambda: (3,), lambda: (0,))
def vectors_in_loops(n):
    v = Vector(0.0, 0.0)
    for i in range(n):
        v = v + Vector(i, 1.0) * 2
    return v


class Plain(tuple):
    pass


class Pair(namedtuple("Pair", "first second")):
    def __new__(cls, first: Any, second: Any = 0) -> Pair:
        return super().__new__(cls, first, second)

    def __add__(self, other: Any) -> Any:
        return Pair(self.first + other.first, self.second + other.second)


@program("classes", lambda: (3, (1, 2)), lambda: (4, []))
def named_and_plain(n, xs):
    plain = Plain(xs)
    pairs = Pair(n), Pair(n, 4) + Pair(1), Pair(n)._replace(first=5), Pair._make([1, n])
    return pairs, Pair(n)._asdict(), plain, plain + (1,), plain == tuple(xs), Plain()


class Tenfold(tuple):
    def __getitem__(self, i: Any) -> Any:
        return tuple.__getitem__(self, i) * 10

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 5

    def __add__(self, other: Any) -> Any:
        return Tenfold(tuple.__add__(self, other))


class Inherited(Tenfold):
    pass


@program("classes", lambda: (2.0,))
def methods_of_a_base_and_its_own(x):
    """Iteration looks at the items, an index calls the method, which may be inherited."""
    t = Inherited((x, 3))
    read = t[0], t[-1], [v for v in t], sum(t), max(*t), list(reversed(t))
    named = tuple.__len__(t), tuple.__getitem__(t, 1), (x, 1).__mul__(2), (x, 1).__contains__(1)
    return read, named, t == (1,), t + (1,), (x,).__add__((2,))


@program("classes", lambda: ([2.5, -1.0, 4.0],), lambda: ([],))
def limits_of_floats(x):
    """What `sys` says in structs of C: by name, by position, whole."""
    low, high = sys.float_info.max, -sys.float_info.max
    for v in x:
        low, high = min(low, v), max(high, v)
    major, *rest = sys.version_info
    log = math.log(sys.float_info.min) + sys.float_info.epsilon
    return low, high, log, major == sys.version_info[0], len(rest), sys.float_info, sys.int_info


@program("classes", lambda: (time.gmtime(0), 3))
def a_struct_of_the_caller(t, n):
    return t.tm_year + n, t[0] - t.tm_yday, len(t), sys.hash_info.width, sys.version_info > (2, 7)
