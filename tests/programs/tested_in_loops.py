"""What a branch in a loop proves of what was before it does not hold where the loop begins."""

from __future__ import annotations

from typing import Any

from tests.programs import program


@program("control flow", lambda: (3, -1), lambda: (3, 2), lambda: (0, -1))
def may_be_none(n, k):
    scale = None if k < 0 else k * 1.5
    total, last = 0, None
    for i in range(n):
        total = total + (1 if scale is None else 2)
        if scale is not None:
            last = total
        else:
            return -1, (total, i)
    return total, last


@program("control flow checks", lambda: (3, 2**63 - 1), lambda: (3, 2))
def next_int(n, k):
    total, last = 0, None
    i = 0
    while i < n:
        total = total + ((k + 1) % 3)
        if k >= 10:
            return -1, total
        last = total
        i += 1
    return total, last


class Node:
    def __init__(self, key: Any, following: Any = None) -> None:
        self.key = key
        self.following = following


class Chains:
    def __init__(self) -> None:
        self.chains: list[Any] = [None] * 3
        self.size = 1


@program("classes", lambda: ())
def deleted_of_a_chain():
    """The values of one pass over the loop are not those of the next."""
    held = Chains()
    held.chains[1] = Node(5)
    node, before = held.chains[1], None
    while node is not None:
        if node.key == 5:
            if before is None:
                held.chains[1] = node.following
            else:
                before.following = node.following
            held.size -= 1
        before = node
        node = node.following
    return held.chains[1] is None, held.size
