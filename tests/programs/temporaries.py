"""Instances that are gone soon after they are made, and those of them that are kept in lists."""

import copy
import math
from dataclasses import dataclass

import numpy as np

from tests.programs import program

DATA = np.array([0.5, 1.5, 0.25, 2.5, 1.0, 0.75])


def samples(*ns):
    return [lambda n=n: (DATA.copy(), n) for n in ns]


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def norm(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def scale(self, factor):
        self.x *= factor
        self.y *= factor
        return self


class Body:
    def __init__(self, place, speed):
        self.place, self.speed = place, speed
        self.before = None


@program("instances methods", *samples(0, 1, 6))
def bodies_that_attract(x, steps):
    bodies = []
    for i, v in enumerate(x):
        if v > 0.3:
            bodies.append(Body(Vector(v, float(i)), Vector(0.0, v)))
    for _ in range(steps):
        for a in bodies:
            force = Vector(0.0, 0.0)
            for b in bodies:
                if a is not b:
                    way = b.place - a.place
                    force = force + way * (1.0 / (1.0 + way.norm() ** 3))
            a.speed = a.speed + force * 0.1
        for a in bodies:
            a.place = a.place + a.speed * 0.1
    return [(b.place.x, b.place.y) for b in bodies], sum(b.speed.norm() for b in bodies)


@program("instances mutation", *samples(0, 1, 5))
def changed_after_it_was_put_in_a_list(x, n):
    current, kept = Vector(1.0, 2.0), []
    for i in range(n):
        if x[i] > 0.4:
            kept.append(current)
        current.x += x[i]
        if i % 2 == 0:
            current = Vector(current.x, x[i])
    if len(kept) > 0:
        kept[0].y = 9.0
    return [(v.x, v.y) for v in kept], [v is current for v in kept], current.x


@program("instances mutation", *samples(0, 1, 5))
def names_that_change_places(x, n):
    a, b = Vector(1.0, 1.0), Vector(2.0, 2.0)
    bodies = []
    for i in range(n):
        a, b = b, a
        a.x += x[i]
        if x[i] > 0.4:
            bodies.append(Body(a, b))
    b.y = 7.0
    return [(c.place.x, c.place.y, c.place is a) for c in bodies], a is b


@program("instances mutation", *samples(1, 3, 5))
def fields_that_get_another(x, n):
    bodies = [Body(Vector(v, 0.0), None) for v in x if v > 0.3]
    for i in range(1, n):
        made = Vector(x[i], 1.0)
        bodies[i % len(bodies)].before = bodies[i - 1].place
        bodies[i % len(bodies)].place = made
        made.y += 5.0
        if i % 3 == 0:
            bodies[i - 1].place = made
    bodies[-1].place.x = -1.0
    return [(b.place.x, b.place.y, b.before.x if b.before is not None else None) for b in bodies]


@program("instances mutation", *samples(-1, 2, 4))
def new_ones_where_there_is_none(x, k):
    vectors = [Vector(v, 1.0) for v in x if v > 0.3]
    best = Vector(100.0, 0.0)
    for i, v in enumerate(vectors):
        if i == k:
            best = v
    best.x += 0.5
    last = best if best.x < 50 else Vector(0.0, 0.0)
    last.y = 4.0
    return [(v.x, v.y) for v in vectors], best.x, best.y, last is best


class Ring:
    def __init__(self, value):
        self.value = value
        self.next = self


@program("instances", *samples(1, 2, 5))
def rings_of_instances(x, n):
    """Who leaves last of those who stand in a ring; one alone is next to itself."""
    first = last = Ring(x[0])
    for i in range(1, n):
        one = Ring(x[i])
        one.next, last.next = first, one
        last = one
    left, at = [], last
    while at.next is not at:
        at = at.next
        left.append(at.next.value)
        at.next = at.next.next
    return left, at.value


class Key:
    def __init__(self, key, above=None):
        self.key, self.above = key, above
        self.left = self.right = None


@program("instances", lambda: (DATA,), lambda: (-DATA,), lambda: (DATA[:1],))
def keys_that_know_what_is_above(x):
    root = None
    for key in x:
        made = Key(key)
        if root is None:
            root = made
            continue
        at = root
        while made.above is None:
            side = at.left if key < at.key else at.right
            if side is not None:
                at = side
                continue
            made.above = at
            if key < at.key:
                at.left = made
            else:
                at.right = made
    at = root
    while at.left is not None:
        at = at.left
    found = []
    while at is not None:
        found.append(at.key)
        at = at.above
    return found


@dataclass
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


@program("instances", *samples(0, 2, 6))
def sums_that_are_kept_now_and_then(x, n):
    kept, total = [], Point(0.0, 0.0)
    for i in range(n):
        total = total + Point(x[i], float(i))
        if x[i] > 0.6:
            kept.append(total)
            total.y += 0.5
    return kept, total, [p == total for p in kept], [p is total for p in kept]


@program("instances tuples", *samples(0, 2, 6))
def instances_in_tuples(x, n):
    table = {}
    for i in range(n):
        v = Vector(x[i], 1.0)
        table[int(x[i] * 4) % 3] = (v, i)
        v.x += 10
    for v, i in list(table.values()):
        v.y += i
    return sorted([(v.x, v.y, i) for v, i in table.values()])


@program("instances closures", *samples(0, 2, 6))
def methods_in_lists(x, n):
    scales = []
    for i in range(n):
        v = Vector(x[i], 1.0)
        if x[i] > 0.4:
            scales.append(v.scale)
        v.y = 3.0
    total = 0.0
    for scale in scales:
        w = scale(2.0)
        total += w.x + w.y
    return total


@program("instances exceptions", *samples(0, 2, 6))
def put_in_a_list_in_a_try(x, n):
    kept, last = [], Vector(0.0, 0.0)
    for i in range(n):
        try:
            v = Vector(x[i], 0.0)
            last = v
            if x[i] > 2:
                raise ValueError(i)
            kept.append(v)
            v.y = 1.0
        except ValueError:
            v.y = 2.0
        last.x += 0.5
    return [(v.x, v.y) for v in kept], (last.x, last.y)


def each(x):
    for value in x:
        v = Vector(value, 0.0)
        yield v
        v.y = 5.0


@program("instances generators", lambda: (DATA,), lambda: (DATA[:1],))
def yielded_and_changed(x):
    kept = []
    for v in each(x):
        if v.x > 0.4:
            kept.append(v)
        v.x += 0.25
    return [(v.x, v.y) for v in kept]


@program("instances copies", lambda: (DATA,), lambda: (DATA[:2],))
def copies_of_bodies(x):
    bodies = [Body(Vector(v, 1.0), None) for v in x if v > 0.4]
    copies = [copy.copy(b) for b in bodies]
    for b in bodies:
        b.place.x += 1
        b.place = Vector(0.0, b.place.x)
    return [[(b.place.x, b.place.y) for b in many] for many in (bodies, copies)]


@program("instances mutation", *samples(0, 2, 4))
def one_of_two_is_put_in_a_list(x, n):
    a, b, kept = Vector(1.0, 1.0), Vector(2.0, 2.0), []
    for i in range(n):
        if x[i] > 0.4:
            one = a if x[i] > 1 else b
            kept.append(one)
            one.x += 1
    a.y, b.y = 5.0, 6.0
    return [(v.x, v.y, v is a, v is b) for v in kept]


@program("instances mutation", *samples(0, 2, 4))
def put_in_a_list_behind_a_choice(x, n):
    a, b = Vector(1.0, 1.0), Vector(2.0, 2.0)
    one = a if x[n] > 1 else b
    kept = [a for v in x if v > 0.6]
    one.x += 7
    kept += [one for v in x if v > 0.6]
    b.y = 8.0
    return [(v.x, v.y, v is a, v is b) for v in kept]


@dataclass
class Priced:
    price: float
    name: object = None


@program("instances", *samples(2, 4, 6))
def counted_and_looked_for(x, n):
    """By `==`, and by identity where there is none."""
    priced = [Priced(v) for v in x[:n] if v > 0.3]
    vectors = [Vector(v, 0.0) for v in x[:n] if v > 0.3]
    sought, own = Priced(1.5), vectors[-1]
    found = priced.index(sought), priced.count(sought), priced.count(priced[0])
    vectors.append(own)
    return found, vectors.count(own), vectors.index(own), vectors.count(Vector(1.5, 0.0))
