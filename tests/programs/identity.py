"""Objects: which is which, slots, and abstract classes."""

import abc
from dataclasses import dataclass

import numpy as np

from tests.programs import program


def same_twice():
    x = np.arange(3.0)
    return x, x


@program("identity", same_twice, lambda: (np.arange(3.0), np.arange(3.0)))
def one_array_given_twice(a, b):
    if a is b:
        return 2 * a.sum()
    return a @ b, a is not b


class Point:
    __slots__ = ("__hidden", "x")

    def __init__(self, x):
        self.x = x
        self.__hidden = 2 * x

    def hidden(self):
        return self.__hidden


class Named(Point):
    def __init__(self, x, label):
        super().__init__(x)
        self.label = label


@program("slots mutation", lambda: (Named(1, 5),), lambda: (Point(2),))
def slots_below_a_dict(p):
    p.x += p.hidden()
    if isinstance(p, Named):
        p.label *= 2
        return p.x + p.label
    return p.x


@dataclass(slots=True)
class Slotted:
    count: int
    values: np.ndarray


@program("slots mutation", lambda: (Slotted(1, np.zeros(3)),))
def slotted_dataclass(s):
    s.count += 1
    s.values[0] = s.count
    return s


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self):
        """How large it is."""


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


@program("classes raise", lambda: (3, 2.0), lambda: (0, 2.0))
def abstract_class(n, side):
    if n > 1:
        return Square(side).area() * n
    return Shape()


@dataclass
class Measured:
    value: float
    others: np.ndarray


@program("an instance equals itself", lambda: (np.nan, np.arange(3.0)), lambda: (1.0, np.ones(2)))
def equal_to_itself(value, x):
    one, many = Measured(value, x), [Measured(value, x), Measured(value + 1, x * 2)]
    return one == one, one != one, many[0] == many[0], [m == m for m in many]
