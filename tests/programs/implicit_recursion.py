"""Special methods that call themselves by operations, as deep as data says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.programs import program

KEYS = [5, 2, 8, 1, 9, 3]


class Leaf:
    def __init__(self, key):
        self.key = key

    def walk(self):
        yield self.key
        yield -self.key

    def __iter__(self):
        yield 10 * self.key


class Node:
    def __init__(self, key):
        self.key, self.leaf = key, Leaf(key)
        self.left = self.right = None

    def insert(self, key):
        child = self.left if key < self.key else self.right
        if child is not None:
            child.insert(key)
        elif key < self.key:
            self.left = Node(key)
        else:
            self.right = Node(key)

    def walk(self):
        if self.left is not None:
            yield from self.left.walk()
        yield from self.leaf.walk()
        if self.right is not None:
            yield from self.right.walk()

    def __iter__(self):
        if self.left:
            yield from self.left
        yield from self.leaf
        if self.right:
            yield from self.right

    def __len__(self):
        left = len(self.left) if self.left is not None else 0
        return left + 1 + (len(self.right) if self.right is not None else 0)

    def __contains__(self, key):
        if key == self.key:
            return True
        child = self.left if key < self.key else self.right
        return child is not None and key in child

    def __getitem__(self, place):
        before = len(self.left) if self.left is not None else 0
        if place < before:
            return self.left[place]
        return self.key if place == before else self.right[place - before - 1]


class Link:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest

    def __iter__(self):
        yield self.value
        if self.rest:
            yield from self.rest

    def __str__(self):
        return f"{self.value} -> {self.rest}"


def tree(keys):
    root = Node(keys[0])
    for key in keys[1:]:
        root.insert(key)
    return root


def links(keys, least):
    link = None
    for key in keys:
        if key > least:
            link = Link(key, link)
    return link


@program("items of another class among those handed on", lambda: (KEYS,), lambda: ([4],))
def of_another_class(keys):
    return list(tree(keys).walk())


@program("__iter__ that yields from its children", lambda: (KEYS,), lambda: ([4, 6],))
def iterated(keys):
    total = 0
    for key in tree(keys):
        total = 3 * total + key
    return total, [key for key in tree(keys) if key > 20]


@program("len() of children", lambda: (KEYS,))
def counted(keys):
    return len(tree(keys))


@program("`in` of children", lambda: (KEYS, 3), lambda: (KEYS, 4))
def looked_for(keys, key):
    return key in tree(keys), key not in tree(keys)


@program("an item of a child", lambda: (KEYS, 3), lambda: (KEYS, 0))
def at_place(keys, place):
    return tree(keys)[place]


@program("links until None", lambda: (KEYS, 1), lambda: (KEYS, 8))
def linked(keys, least):
    found = links(keys, least)
    return list(found), str(found)


class Twig:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def __eq__(self, other):
        if not isinstance(other, Twig):
            return NotImplemented
        return self.key == other.key and self.left == other.left and self.right == other.right


@dataclass
class Stem:
    key: int
    left: Stem | None = None
    right: Stem | None = None


def grown(cls, keys):
    root = None
    for key in keys:
        made, place = cls(int(key)), root
        if root is None:
            root = made
        while place is not None:
            if made.key < place.key:
                child, place.left = place.left, place.left or made
            else:
                child, place.right = place.right, place.right or made
            place = child
    return root


ALIKE = np.array([3, 8, 1, 5]), np.array([3, 1, 8, 5])
OTHER = np.array([3, 8, 1]), np.array([3, 8, 5])


@program("equal trees", lambda: ALIKE, lambda: OTHER, lambda: (OTHER[0], ALIKE[0]))
def equal_trees(x, y):
    first, second = grown(Twig, x), grown(Twig, y)
    return first == second, second == first, first != second, first == x[0], first == first


@program("equal trees of a dataclass", lambda: ALIKE, lambda: OTHER)
def equal_stems(x, y):
    first, second = grown(Stem, x), grown(Stem, y)
    return first == second, first != second, first.left == second.left, first == None  # noqa: E711


@dataclass
class Seat:
    number: int
    following: Seat | None = None


@program("around a ring of a dataclass", lambda: (np.array([3, 8, 9]),), lambda: (np.array([4]),))
def around(x):
    seats = [Seat(int(number)) for number in x]
    for i, seat in enumerate(seats):
        seat.following = seats[(i + 1) % len(seats)]
    seat, numbers = seats[0].following, [seats[0].number]
    while seat != seats[0]:
        numbers.append(seat.number)
        seat = seat.following
    return numbers
