"""Sets of constants, whose order is CPython's; instances as keys; views of dicts."""

import math
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np

from tests.programs import program


def flags():
    """Conditions that only the program's run decides."""
    return [lambda: (np.array([True]),), lambda: (np.array([False]),)]


@program("set order", lambda: ())
def orders():
    displayed, grown, changed = {30, 2, 17, 8}, set(), {5, 100, 7}
    for v in (9, 8, 1, 40, 33):
        grown.add(v)
    changed.discard(5)
    changed.add(12)
    changed |= {64}
    weighed = [k * v for k, v in enumerate(changed)]
    at_once = [v for v in {11, 3, 27, 40, 16, 8}]
    of_dict = set({k: 0 for k in (24, 8, 16, 1)})
    pairs = [*{(1, 2), (0, 5), (3, 3)}, *{2.5, -1.0, 100.125}, *frozenset((32, 3, 0, 64))]
    return list(displayed), list(grown), weighed, at_once, list(of_dict), pairs, list({1, 8} | {16})


@program("set order", *flags())
def order_on_a_path(c):
    s = {8, 1}
    if c:
        s.add(1)
    return sum(s), len(s), [v for v in s], next(iter(s))


@program("set order", lambda: ())
def orders_in_functions():
    def inner():
        return list({33, 1, 65, 17, 5})

    return inner(), (lambda: [*{9, 1, 17, 33, 2}])(), [v for v in {40, 8, 16, 72, 3}]


@program("set methods", lambda: ())
def methods():
    s, same = {8, 1, 16}, {3}
    alias = s
    popped = s.pop()
    s.update({9}, [10])
    s -= {9}
    made = s.union((4,)), s.intersection({8, 10}), s.difference([8]), s.symmetric_difference({8, 2})
    same.clear()
    s.intersection_update({10, 1, 8})
    s.difference_update([8])
    other = s.copy()
    other.symmetric_difference_update({1, 2})
    tests = s.issubset({1, 10, 4}), s.issuperset([1]), s.isdisjoint([5]), s <= alias
    return popped, s, made, same, other, tests, alias is s, frozenset(s) | {3}, hash(frozenset(s))


@program("set methods", lambda: (8,), lambda: (7,))
def missing(n):
    s = {8, 1}
    s.remove(8 if n == 8 else 77)
    return s


@program("set methods", lambda: (np.array([3, 1, 3]),), lambda: (np.array([2, 5]),))
def decided(x):
    s = set(x.tolist())
    alias = s
    s &= {1, 2, 3}
    s ^= {3, 7}
    t = {1, 2}
    t.update(x.tolist())
    t.difference_update([1])
    u = t.symmetric_difference([2, 9])
    return sorted(s), alias is s, sorted(alias), sorted(t), sorted(u)


@program("dict views", lambda: (5,), lambda: (2,))
def views(w):
    d, e = {"a": 1, "b": 2}, {"b": w, "c": 3}
    both = {k: d[k] + e[k] for k in d.keys() & e.keys()}
    tests = d.keys() == {"a", "b"}, d.items() == {("a", 1), ("b", 2)}, d.keys() <= {"a", "b", "c"}
    alias = d
    d |= {"z": w}
    last = d.popitem()
    return both, sorted(d.keys() | e.keys()), sorted(d.keys() - e.keys()), tests, alias, last, d


@program("deque methods", lambda: (4,), lambda: (2,))
def deques(n):
    q = deque([3, 1, 2], maxlen=n)
    at = q.index(2) if 2 in q else -1
    if len(q) < n:
        q.insert(1, 9)
    q.remove(1)
    return at, list(q), list(q + deque([7])), list(reversed(q)), [3, 1, 3].index(3, 1)


@program("deque methods", lambda: (4,), lambda: (1,))
def not_there(n):
    if n == 4:
        return deque([1]).remove(n)
    return [3, 4].index(n)


class Node:
    def __init__(self, weight, parents=()):
        self.weight = weight
        self.slope = 0.0
        self.parents = parents
        self.back = lambda: None

    def __add__(self, other):
        out = Node(self.weight + other.weight, (self, other))

        def back():
            self.slope += out.slope
            other.slope += out.slope

        out.back = back
        return out

    def __mul__(self, other):
        out = Node(self.weight * other.weight, (self, other))

        def back():
            self.slope += other.weight * out.slope
            other.slope += self.weight * out.slope

        out.back = back
        return out

    def tanh(self):
        out = Node(math.tanh(self.weight), (self,))

        def back():
            self.slope += (1 - out.weight**2) * out.slope

        out.back = back
        return out


def in_a_set(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in node.parents:
                visit(parent)
            order.append(node)

    visit(root)
    return order


def in_a_list(root):
    order, seen = [], []

    def visit(node):
        if not any(node is other for other in seen):
            seen.append(node)
            for parent in node.parents:
                visit(parent)
            order.append(node)

    visit(root)
    return order


def in_a_dict(root):
    order = {}

    def visit(node):
        if node in order:
            return
        for parent in node.parents:
            visit(parent)
        order[node] = len(order)

    visit(root)
    return list(order)


@program(
    "instances as keys",
    *[lambda v=v: (v, 1.5, -0.7) for v in (in_a_set, in_a_list, in_a_dict)],
)
def tape(ordered, a, b):
    x, y = Node(a), Node(b)
    z = (x * y + x).tanh() + y
    z.slope = 1.0
    for node in reversed(ordered(z)):
        node.back()
    return z.weight, x.slope, y.slope


@program("instances as keys", lambda: (0.5,), lambda: (2.5,))
def maybe(x):
    a, b = Node(x), Node(2 * x)
    s, d = set(), defaultdict(list)
    if x > 1:
        s.add(a)
        d[a].append(x)
    s.add(b)
    d[b].append(2 * x)
    edges = {(a, b): 1.0, (b, a): x}
    return len(s), a in s, b in s, edges[b, a], edges.get((a, a), -1.0), len(d)


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclass
class Loose:
    x: int


@program("instances as keys", lambda: (np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]),))
def flood(grid):
    height, width = grid.shape
    queue, seen, visited = deque([Point(0, 0)]), {Point(0, 0)}, 0
    while queue:
        p = queue.popleft()
        visited += 1
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            n = Point(p.x + dx, p.y + dy)
            if 0 <= n.x < height and 0 <= n.y < width and grid[n.x, n.y] == 0 and n not in seen:
                seen.add(n)
                queue.append(n)
    return visited, len(seen)


@program("instances as keys", lambda: (99.5,))
def counted(limit):
    seen, i = {}, 0
    while i * i < limit:
        i += 1
        p = Point(i % 3, i // 2)
        seen[p] = seen.get(p, 0) + 1
    return len(seen), seen[Point(1, 0)]


@program("instances as keys", lambda: (2,))
def unhashable(x):
    return {Loose(x): 1}


@program("one turn", lambda: (np.array([2.0]),), lambda: (np.array([-2.0]),))
def one_item(x):
    nodes = [Node(x[0])]
    found = any(node.weight is x for node in nodes)
    best = None
    for node in nodes:
        if node.weight > 0:
            best = node
            break
    else:
        nodes.append(Node(0.0))
    return found, best is None, len(nodes), [v for _ in range(1) for v in x]


def INTS():
    return np.array([100, 4, 200, 1, 3, 2, 101, 4, 4, -1])


@program("set order", lambda: (INTS(),), lambda: (np.array([7]),))
def popped_to_the_last(x):
    s = set()
    for v in x.tolist():
        s.add(v)
    out = []
    while s:
        out.append(s.pop())
    return out


@program("set order", lambda: (INTS(),))
def popped_twice(x):
    s = {int(v) for v in x if v > 3}
    a = s.pop()
    return a, s.pop(), len(s), a in s


@program("set order", lambda: (INTS(),), lambda: (INTS() + 1000,))
def popped_from_an_empty_one(x):
    s = {int(v) for v in x if v > 900}
    try:
        return s.pop()
    except KeyError as error:
        return str(error)


@program(
    "set remove checks raise",
    lambda: (4, np.array([1.0, 1.0, 1.0, np.inf])),
    lambda: (3, np.array([1.0, 1.0, 1.0, 2.0])),
    lambda: (1, np.array([1.0, 5.0, 7.0, 1.0])),
)
def known_where_one_path_ends(n, x):
    w = set(range((12 + n) % 4))
    w.remove(int(x[n % 5 - 5]) % 4)
    return len(w)


@program(
    "set raise try checks", *[lambda x=x: (x,) for x in (np.ones(1), np.zeros(1), np.full(1, 3.0))]
)
def known_where_one_path_is_caught(x):
    w = {1, 2}
    try:
        math.log(x[0])
        w.remove(int(x[0]))
    except ValueError:
        w.add(7)
    return sorted(w)


def squares():
    """A square without a number twice, and one with."""
    rows = np.arange(9)[:, None]
    yield lambda: ((np.arange(9) * 2 + rows * 5) % 9 + 1,)
    yield lambda: ((np.arange(9) * 3 + rows) % 9 + 1,)


@program("sets by position", *squares())
def set_of_each_row_and_column(board):
    rows = [set() for _ in range(9)]
    columns = [set() for _ in range(9)]
    for i in range(9):
        for j in range(9):
            number = board[i, j]
            if number in rows[i] or number in columns[j]:
                return i, j
            rows[i].add(number)
            columns[j].add(number)
    return sorted(rows[8])


@program("sets by position", *squares())
def dict_of_each_row(board):
    rows = [{} for _ in range(9)]
    for i in range(9):
        for j in range(9):
            number = board[i, j]
            rows[i][number] = rows[i].get(number, 0) + 1
    return rows, [max(row.values()) for row in rows]


@program("sets", lambda: (1,), lambda: (-1,))
def sorted_after_paths_that_order_them_otherwise(x):
    s = {1, 9, 17}
    s.discard(9)
    if x > 0:
        s.add(33)
        s.discard(33)
    return sorted(s), sorted(s, reverse=True), sum(sorted(s))


@program("sets", lambda: ([5, 17, 3], 3), lambda: ([1], 2))
def made_again_of_itself(x, n):
    now = set(x)
    for _ in range(n):
        now = {v + 1 for v in now}
    return now, list(now)


@program("sets", lambda: (np.array([8, 16, 3, 24, 1]),), lambda: (np.array([1]),))
def known_items_and_others(x):
    known, pairs = set([33, 1, 9, 17]), {(0, 0), (1, 2)}
    known.update([40, 8])
    for i, v in enumerate(x.tolist()):
        known.add(v)
        pairs.add((i, v))
    return list(known), list(pairs), [v for v in known if v > 8]


@program("sets", lambda: (np.array([1, 2, 1, 3, 9] * 3),))
def made_of_itself_in_a_loop(steps):
    sums = {0}
    for step in steps.tolist():
        sums = sums | {x + step for x in sums}
    return sorted(sums)
