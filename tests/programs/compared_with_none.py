"""Instances that compare themselves, where they may be None."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.programs import program


class Rank:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        if other is None:
            return self.value == 0
        return self.value == other.value

    def __lt__(self, other):
        return self.value < (0 if other is None else other.value)


@dataclass
class Node:
    data: Any
    rest: Node | None = None


@program("optional", lambda: (5, 0), lambda: (3, 1), lambda: (0, 0), lambda: (5, 2))
def own_equality(n, k):
    p = Rank(k) if n > 3 else None
    q = Rank(0) if n > 4 else None
    same = [p == q, p != q, q == p, p == None, None == p, p != None]  # noqa: E711 - the subject
    return same, Rank(0) == p, p == Rank(1)


@program("optional", lambda: (5, 0), lambda: (3, 1), lambda: (4, 0), lambda: (4, -1))
def own_order(n, k):
    p = Rank(k)
    q = Rank(1) if n > 4 else None
    return p < q, q > p, [p] == [q], (p, 1) == (q, 1)


@program("optional", lambda: (5,), lambda: (1,), lambda: (0,))
def best_so_far(n):
    best, changes = None, 0
    for i in range(n):
        if best is None or best != Rank(i):
            best, changes = Rank(i + 1 - i % 2), changes + 1
    return best and best.value, changes


@program("optional", lambda: (5, 3), lambda: (5, 7), lambda: (1, 0))
def nodes_like_the_second(n, k):
    head = None
    for i in range(n):
        head = Node(i % 3, head)
    node, count = head, 0
    while node is not None:
        if node == head.rest:
            count += 1
        node = node.rest
    return count, k
