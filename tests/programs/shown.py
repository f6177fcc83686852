"""Texts of containers whose length is known at run time only: of instances, and of tuples."""

from __future__ import annotations

import copy
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass

from tests.programs import program

PAIRS = [(1, 3), (2, 6), (8, 10), (15, 18)]
Group = namedtuple("Group", "members size")


@dataclass
class Span:
    low: float
    high: int


class Node:
    def __init__(self, name):
        self.name = name
        self.children = []

    def __repr__(self):
        return f"<{self.name}: {len(self.children)}>"


@program("prints", lambda: (PAIRS, 1), lambda: (PAIRS, 8), lambda: (PAIRS, 20))
def spans_shown(pairs, least):
    spans = [Span(a + 0.5, b) for a, b in pairs if a > least]
    print(spans, [spans, 1], tuple(spans))
    before = str(spans)
    for span in spans:
        span.high += 1
    held = {"spans": spans, "more": [Span(0.0, least)]}
    return (
        before,
        f"{spans}",
        repr(tuple(spans)),
        str(held),
        str(Group(spans, 1)),
        f"{[(0, spans)]}",
    )


@program("dict and deque of instances", lambda: (PAIRS, 2), lambda: (PAIRS, 3))
def groups_shown(pairs, modulus):
    groups, recent, plain = defaultdict(list), deque(maxlen=2), {}
    for a, b in pairs:
        groups[a % modulus].append(Span(a, b))
        recent.append(Span(b, a))
        plain[a % modulus] = Span(a, b)
    return str(groups), str(recent), f"{plain}"


@program("list of instances", lambda: (5,), lambda: (1,))
def tree_shown(n):
    nodes = [Node(f"n{i}") for i in range(n)]
    for i in range(1, n):
        nodes[(i - 1) // 2].children.append(nodes[i])
    try:
        raise ValueError(f"not in {nodes}")
    except ValueError as error:
        return str(error), str(nodes[0].children)


@program(
    "tuple of unknown length", lambda: ([1, 2, 3], 2), lambda: ([1, 2, 3], 1), lambda: ([1], 1)
)
def tuples_as_values_of_templates(xs, least):
    made = tuple(x for x in xs if x > least)
    shown = []
    for template in ("<%s>", "%d-%d", "plain", "%%"):
        try:
            shown.append(template % made)
        except TypeError as error:
            shown.append(str(error))
    return shown, "%s" % (made,), "%s" % [made]  # noqa: UP031


@program("tuple of unknown length", lambda: ([1, 2, 3], 2), lambda: ([1, 2, 3], 5))
def copied_tuples_are_tuples(xs, least):
    made = tuple(x for x in xs if x > least)
    copies = copy.copy(made), copy.deepcopy(made)
    return copies, copies[0] is made, isinstance(copies[1], tuple), f"{made}", str(made)


class Odd:
    """It shows what it is given, text or not."""

    def __init__(self, shown):
        self.shown = shown

    def __repr__(self):
        return self.shown


@program("prints", lambda: (3,), lambda: ("three",))
def shown_as_no_text(x):
    found = []
    for shown in (lambda: print(Odd(x)), lambda: print([Odd(x), 1]), lambda: print((1, Odd(x)))):
        try:
            shown()
        except TypeError as error:
            found.append(str(error))
    return found
