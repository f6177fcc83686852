"""Instances in lists that are given fields after they are made, all of them or some."""

from __future__ import annotations

import numpy as np

from tests.programs import program

DATA = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5])


class Node:
    def __init__(self, k):
        self.k = k


class Kind:
    kind = "plain"
    weight = 0

    def __init__(self, k):
        self.k = k


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Tree:
    def __init__(self, v):
        self.v = v
        self.children = []


class Lazy:
    def __init__(self, k):
        self.k = k

    @property
    def square(self):
        try:
            return self._square
        except AttributeError:
            self._square = self.k**2
            return self._square


class Asking:
    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        return name + "!"


@program(
    "instances", lambda: (DATA, 3), lambda: (DATA[:0], 3), lambda: (DATA, 100), lambda: (DATA, 0)
)
def fields_of_some(a, k):
    xs = []
    for v in a:
        xs.append(Node(int(v)))
    for x in xs:
        if x.k > k:
            x.big = x.k * 2
    there = [hasattr(x, "big") for x in xs]
    return there, sum(x.big for x in xs if hasattr(x, "big")), [getattr(x, "big", -1) for x in xs]


@program("instances", lambda: (DATA, 2), lambda: (DATA, 3))
def field_that_is_missing(a, k):
    xs = [Node(int(v)) for v in a if v > 0]
    for x in xs:
        if x.k % 2 == 0:
            x.half = x.k / 2
    return xs[k].half + 1


@program("instances", lambda: (DATA, 2), lambda: (DATA, 3))
def field_that_may_be_missing(a, k):
    xs = [Node(int(v)) for v in a if v > 0]
    for x in xs:
        if x.k % 2 == 0:
            x.half = x.k // 2
    try:
        return xs[k].half, "there"
    except AttributeError as e:
        return str(e), "not there"


@program("instances", lambda: (DATA, 2))
def fields_over_those_of_the_class(a, k):
    xs = [Kind(int(v)) for v in a if v > 0]
    for x in xs:
        if x.k > k:
            x.kind = "big"
            x.weight += x.k
    return [(x.kind, x.weight) for x in xs], xs[0].kind


@program("instances", lambda: (DATA,))
def linked_later(a):
    xs = [Node(int(v)) for v in a if v > 0]
    for i, x in enumerate(xs):
        x.next = xs[i + 1] if i + 1 < len(xs) else None
    x, total = xs[0], 0
    while x is not None:
        total, x = total * 3 + x.k, x.next
    return total


@program("instances", lambda: (DATA,))
def lists_given_later(a):
    xs = [Node(int(v)) for v in a if v > 0]
    for x in xs:
        x.seen = []
    for i, x in enumerate(xs):
        xs[(i * 7) % len(xs)].seen.append(x.k)
    return [x.seen for x in xs]


@program("instances", lambda: (DATA, 4))
def slots_filled_later(a, k):
    xs = [Slots(int(v)) for v in a if v > 0]
    for x in xs:
        if x.a > k:
            x.b = x.a * 0.5
    try:
        return xs[0].b
    except AttributeError as e:
        told = str(e)
    return sum(x.b for x in xs if hasattr(x, "b")), xs[0].a, told


@program("instances", lambda: (5,), lambda: (1,))
def slot_without_a_value(n):
    s = Slots(n)
    before = hasattr(s, "b"), getattr(s, "b", 7)
    try:
        told = s.b
    except AttributeError as e:
        told = str(e)
    if n > 3:
        s.b = 1
    return before, told, hasattr(s, "b"), getattr(s, "b", 8), hasattr(s, "a")


@program("instances", lambda: (DATA, 4))
def kept_in_a_field(a, k):
    def kept(function, slot):
        def once(x):
            if hasattr(x, slot):
                return getattr(x, slot)
            value = function(x)
            setattr(x, slot, value)
            return value

        return once

    f = kept(lambda x: x.k * 3 + k, "f")
    xs = [Node(int(v)) for v in a if v > 0]
    lazy = [Lazy(int(v)) for v in a if v > 0]
    return [f(x) for x in xs] + [f(x) for x in xs[::2]], sum(x.square for x in lazy), lazy[2].square


@program("instances", lambda: (DATA,))
def tree_by_parents(a):
    root = Tree(0)
    root.depth, root.parent = 0, None
    nodes = [root]
    for v in a:
        parent = nodes[v % len(nodes)]
        child = Tree(int(v))
        child.parent = parent
        child.depth = parent.depth + 1
        parent.children.append(child)
        nodes.append(child)
    up, x = 0, nodes[-1]
    while x.parent is not None:
        up, x = up + x.v, x.parent
    return [x.depth for x in nodes], sum(len(x.children) for x in nodes), up


@program("instances", lambda: (DATA,))
def fields_that_go(a):
    xs = [Node(int(v)) for v in a if v > 0]
    for x in xs:
        x.next = x.k + 1
    for x in xs:
        if x.k > 3:
            del x.next
    return [hasattr(x, "next") for x in xs], sum(getattr(x, "next", 0) for x in xs)


@program("instances", lambda: (1,), lambda: (3,))
def deleted_on_a_path(k):
    x = Node(k)
    x.next = 1
    if k > 2:
        del x.next
    try:
        del x.next
    except AttributeError as e:
        return str(e)
    return "gone", hasattr(x, "next")


@program("instances", lambda: ([Node(1), Node(2), Node(3)],))
def fields_of_arguments(xs):
    for x in xs:
        x.extra = x.k * 2.0
    return sum(x.extra for x in xs)


@program("instances", lambda: (DATA,))
def counted_in_instances(a):
    d = {}
    for v in a:
        v = int(v)
        if v not in d:
            d[v] = Node(v)
            d[v].count = 0
        d[v].count += 1
    return sorted((k, x.count) for k, x in d.items())


@program("instances", lambda: (DATA, 3))
def asked_for_where_missing(a, k):
    xs = [Asking(int(v)) for v in a if v > 0]
    for x in xs:
        if x.k == k:
            x.m = "set"
    return [x.m for x in xs]


@program("instances", lambda: (DATA, 2), lambda: (DATA, 0), lambda: (DATA[:0], 3))
def none_where_missing(a, n):
    xs = [Node(int(v)) for v in a if v > 0]
    for i in range(n):
        for x in xs:
            if x.k > i:
                x.last = np.float32(i)
                x.count = i
    return [getattr(x, "last", None) for x in xs], [getattr(x, "count", None) for x in xs]


class Square:
    def __init__(self, board, place):
        self.board = board
        self.place = place
        board.count += 1
        self.colour = 0
        self.itself = self
        self.used = False

    def look(self):
        size = len(self.board.squares)
        self.near = [k for k in (self.place - 1, self.place + 1) if 0 <= k < size]


class Board:
    def __init__(self, n):
        self.count = 0
        self.squares = [Square(self, i) for i in range(n)]
        for square in self.squares:
            square.look()
        self.reset(n)

    def reset(self, n):
        self.empty = list(range(n))
        self.colour = 1
        self.last = -2
        self.history = []

    def move(self, place):
        square = self.squares[place]
        square.colour, square.used = self.colour, True
        self.last = place
        self.history.append(place)
        self.colour = -self.colour
        return sum(self.squares[k].colour for k in square.near)


@program("instances", lambda: (np.array([0.5, 1.5, 0.25, 2.5, 1.0, 0.75, 3.0]), 5))
def board_of_squares(x, n):
    """What `__init__` puts in lists before all fields are there: they are asked for at once."""
    board, found = Board(n), []
    for v in x:
        if v > 0.6:
            found.append(board.move(int(v * 10) % n))
    colours = [square.colour for square in board.squares]
    return found, colours, board.last, board.history, board.count
