"""Instances that say how they are read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, zip_longest

import numpy as np

from tests.programs import program


class Squares:
    def __init__(self, n):
        self.n, self.at = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        return self.at**2


@program("extend", lambda: (5,), lambda: (0,))
def extended_by_instances(n):
    items = [1]
    items += Squares(n)
    items.extend(Squares(2))
    return items, [*Squares(n)], (*Squares(n), 7), sorted({*Squares(n), 4})


class Failing:
    """Raises after some items, each of which says how long a list is by then."""

    def __init__(self, n, seen):
        self.left, self.seen = n, seen

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise ValueError("no more")
        self.left -= 1
        return len(self.seen)


@program("extend", lambda: (3,), lambda: (0,))
def extended_until_it_fails(n):
    items = [7, 7]
    try:
        items.extend(Failing(n, items))
    except ValueError as error:
        return items, str(error)


class Resuming:
    """Ends, and would go on."""

    def __init__(self, n):
        self.n, self.asked = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        if self.asked % self.n == 0:
            raise StopIteration
        return self.asked


@program("iterators", lambda: (3,), lambda: (1,))
def what_ended_is_not_asked_again(n):
    first = Resuming(n)
    return list(zip_longest(first, [1, 2, 3, 4])), first.asked


class Ray3:
    """A vector whose operations read it, and the other one, item by item."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z

    def __sub__(self, other):
        return Ray3(*(a - b for a, b in zip(self, other)))

    def __mul__(self, factor):
        return Ray3(*(a * factor for a in self))

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))

    def unit(self):
        return self * (1 / math.sqrt(self.dot(self)))


@dataclass(frozen=True)
class Ball:
    center: Ray3
    radius: float

    def reached(self, start, way):
        to = start - self.center
        along = to.dot(way)
        left = along * along - to.dot(to) + self.radius**2
        if left < 0:
            return None
        at = -along - math.sqrt(left)
        return at if at > 1e-4 else None


@program("nested loops", lambda: (6, 4))
def depths_of_balls(width, height):
    """The loops over pixels make each vector anew, and need not be unrolled for its length."""
    balls = [Ball(Ray3(0.0, 0.0, 5.0), 1.0), Ball(Ray3(1.5, 0.0, 4.0), 0.7)]
    picture = np.zeros((height, width))

    def nearest(start, way):
        best = None
        for ball in balls:
            at = ball.reached(start, way)
            if at is not None and (best is None or at < best):
                best = at
        return best or 0.0

    for j in range(height):
        for i in range(width):
            way = Ray3((i - width / 2) / width, (height / 2 - j) / height, 1).unit()
            picture[j, i] = nearest(Ray3(), way)
    return picture


class Corner:
    def __init__(self, row, column):
        self.row, self.column = row, column


def is_rectangle(four):
    row = sum(corner.row for corner in four)
    column = sum(corner.column for corner in four)
    across = abs(4 * four[0].row - row), abs(4 * four[0].column - column)
    for corner in four[1:]:
        if (abs(4 * corner.row - row), abs(4 * corner.column - column)) != across:
            return False
    return True


@program("instances", lambda: (["+-++", "| ||", "+-++", "+--+"],))
def rectangles_among_corners(lines):
    """Tuples of instances: many, which are not visited one by one."""
    corners = [Corner(i, j) for i, s in enumerate(lines) for j, c in enumerate(s) if c == "+"]
    quartets = list(combinations(corners, 4))
    count = 0
    for four in (quartet for quartet in quartets if is_rectangle(quartet)):
        if four[0].row < four[-1].row:
            count += 1
    return count
