"""Sets whose items data decides, read in CPython's order whatever was done to them; `hash`."""

from dataclasses import dataclass

import numpy as np

from tests.programs import program


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclass(frozen=True, order=True)
class Weighed:
    weight: float
    place: Point


class Cell:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return 31 * self.x - self.y


def few():
    return np.array([5, 16, 1, 33, 2, 0])


def clash():
    return np.array([13, 5, 21, 29])


@program("set order", lambda: (few(),), lambda: (np.array([0, 16, 1, 32, 17]),))
def of_a_dict(x):
    d = {}
    for v in x.tolist():
        d[v] = 1
    return list(set(d))


@program("set order", lambda: (few(),), lambda: (clash(),))
def added_to_a_literal(x):
    s, t = {1, 9, 17}, {40, 3}
    for v in x.tolist():
        s.add(v)
        t.add(v)
    return list(s), list(t)


@program("set order", lambda: (few(),), lambda: (clash(),))
def added_after_it_was_popped(x):
    s, out = set(x.tolist()), []
    while s:
        v = s.pop()
        out.append(v)
        if v > 3 and v % 2 == 0:
            s.add(v // 2)
    return out


@program("set order", lambda: (few(), clash()), lambda: (clash(), few()))
def of_operators(x, y):
    s = set(x.tolist())
    t = s | {3, 40} | set(y.tolist())
    out = list(t), list(t - s)
    t &= s
    return out, list(t)


@program("set order", lambda: (few(), clash()))
def added_where_others_were_taken_out(x, y):
    s = {(v, v % 3) for v in x.tolist()}
    for v in x.tolist():
        if v % 2:
            s.discard((v, v % 3))
    for v in y.tolist():
        s.add((v + 1, v % 2))
    return [v for v, _ in s], list(frozenset(s))


@program("set order", lambda: (few(),), lambda: (clash(),))
def of_instances(x):
    s, t, u = set(), set(), set()
    for v in x.tolist():
        s.add(Point(v, v % 3))
        t.add(Cell(v, v // 2))
        u.add(Weighed(v / 4, Point(v, 1)))
    return [p.x for p in s], [c.x for c in t], [w.place.x for w in u]


@program("set order", lambda: (few() * 0.75,), lambda: (np.array([1e300, -0.5, 3e-9, 0.0]),))
def of_floats(x):
    s = set()
    for v in x.tolist():
        s.add(v)
    return list(s)


@program("hash", lambda: (-1, 2.5), lambda: (7, -1e40), lambda: (2**55, float("inf")))
def hashes(n, x):
    return hash(n), hash(x), hash((n, x, (n, 3))), hash(Point(n, 2)), hash(Cell(n, n + 1)), hash(())


class Arc:
    def __init__(self, start, end):
        self.start, self.end = start, end


@program("set order", lambda: ())
def of_one_of_several():
    graph = {i: set() for i in range(4)}
    for arc in [Arc(0, 1), Arc(1, 2), Arc(0, 3), Arc(3, 2)]:
        graph[arc.start].add(arc)
    queue = [(0, [0])]
    while len(queue):
        node, path = queue.pop(0)
        ends = [arc.end for arc in graph[node]]
        for end in set(ends) - set(path):
            queue.append((end, [*path, end]))
            if end == 2:
                return True
    return False


@program("set order", lambda: (few(),))
def popped_after_it_grew_again(x):
    s = {int(v) for v in x}
    total = s.pop()
    s.add(7)
    return total + s.pop()
