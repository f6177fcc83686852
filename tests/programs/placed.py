"""Instances that are put into lists at places that data decides: children of tries, buckets of
hash tables, slots."""

from __future__ import annotations

import numpy as np

from tests.programs import program


class Bits:
    __slots__ = ["children"]

    def __init__(self):
        self.children = [None] * 2

    def insert(self, x):
        node = self
        for i in range(7, -1, -1):
            v = x >> i & 1
            if node.children[v] is None:
                node.children[v] = Bits()
            node = node.children[v]

    def farthest(self, x):
        """The largest `x ^ y` of those inserted."""
        node, found = self, 0
        for i in range(7, -1, -1):
            v = x >> i & 1
            if node.children[v ^ 1]:
                found |= 1 << i
                node = node.children[v ^ 1]
            else:
                node = node.children[v]
        return found


@program("instances in lists", lambda: (np.array([3, 10, 5, 25, 2, 8]),))
def largest_xor(numbers):
    trie = Bits()
    for x in numbers:
        trie.insert(int(x))
    return max(trie.farthest(int(x)) for x in numbers)


class Entry:
    def __init__(self, key, value, after):
        self.key, self.value, self.after = key, value, after


class Buckets:
    def __init__(self, size=8):
        self.heads = [None] * size
        self.count = 0

    def put(self, key, value):
        place = key % len(self.heads)
        entry = self.heads[place]
        while entry is not None:
            if entry.key == key:
                entry.value = value
                return
            entry = entry.after
        self.heads[place] = Entry(key, value, self.heads[place])
        self.count += 1

    def get(self, key, default=None):
        entry = self.heads[key % len(self.heads)]
        while entry is not None:
            if entry.key == key:
                return entry.value
            entry = entry.after
        return default


@program("instances in lists", lambda: (np.array([3, 11, 5, 25, 3, 8, 19]),))
def buckets(keys):
    table = Buckets()
    for i, key in enumerate(keys):
        table.put(int(key), i)
    return table.count, [table.get(k, -1) for k in range(12)]


class Point:
    def __init__(self, x):
        self.x = x


@program("instances in lists", lambda: (np.array([3, 1, 0, 2]),))
def in_tuples_and_at_places(order):
    pairs, points = [(0, None)] * 4, [Point(-1)]
    for i, x in enumerate(order):
        pairs[int(x)] = (i, Point(int(x)))
        points.insert(int(x) // 2, Point(i))
    return [(i, p.x) for i, p in pairs], [p.x for p in points]


@program("instances in lists", lambda: (np.array([3, 1, 0, 2]),))
def one_at_several_places(order):
    slots, point = [None] * 4, Point(5)
    for x in order:
        if x > 1:
            slots[int(x)] = point
    point.x = 7
    return [p.x if p is not None else 0 for p in slots], slots[3] is point


@program("instances in lists", lambda: (np.array([1, 0]),))
def outside_of_loops(order):
    slots = [None] * 2
    slots[int(order[0])] = Point(4)
    return slots[1].x, slots[0]
