"""Tuples whose length data decides: in lists, on stacks and heaps, as keys, in fields."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from tests.programs import program


def ints(*values):
    return lambda: (np.array(values, int),)


def _runs(x, k):
    """What is between the multiples of k."""
    out, run = [], []
    for v in x.tolist():
        if v % k:
            run.append(v)
        else:
            out.append(tuple(run))
            run = []
    out.append(tuple(run))
    return out


@program("tuples", ints(1, 2, 3, 4, 5, 6, 7, 8), ints(3, 6), ints())
def runs(x):
    found = _runs(x, 3)
    return found, [len(t) for t in found], [t[::-1] for t in found], sum(map(sum, found))


@program("tuples", ints(1, 2, 3, 4, 5, 6, 7, 8), ints(3, 6))
def ordered_runs(x):
    found = _runs(x, 3)
    return sorted(found), max(found), min(found, key=lambda t: (len(t), t)), found[0] < found[1]


@program("tuples", ints(1, 2, 3, 4, 5, 6, 7, 8), ints(3, 6))
def looked_for(x):
    found = _runs(x, 3)
    return (1, 2) in found, found.count(()), found[-1] == (), found.index(found[-1])


@program("tuples", ints(1, 2, 3, 1, 2, 6, 1), ints(2))
def set_of_runs(x):
    found = set(_runs(x, 3))
    more = found | {(1, 2), (9,)}
    return sorted(found), len(found), (1, 2) in found, sorted(more - found), found <= more


@program("tuples", ints(1, 2, 3, 4, 5, 6, 7, 8), ints(3, 6), ints())
def in_the_order_of_a_set(x):
    return list(set(_runs(x % 7, 4))), list({(len(t), t) for t in _runs(x, 3)})


@program("tuples", ints(1, 2, 3, 1, 2, 6, 1), ints(2))
def keys(x):
    times, where = {}, defaultdict(list)
    for i, t in enumerate(_runs(x, 3)):
        times[t] = times.get(t, 0) + 1
        where[len(t)].append((i, t))
    times.pop((9,), None)
    return times, dict(where), Counter(_runs(x, 3)).most_common(1)


@program("tuples", lambda: (["a", "b", "a", "c", "a", "b"],), lambda: (["c"],))
def words(texts):
    out, run = [], []
    for word in texts:
        if word == "a":
            out.append(tuple(run))
            run = []
        run.append(word)
    out.append(tuple(run))
    return out, ("a", "b") in out, out.count(("a", "b")), sorted(set(out)), {t: len(t) for t in out}


@program("tuples", ints(3), ints(1), ints(0))
def paths_on_a_stack(x):
    todo, done = [((), int(x[0]))], []
    while todo:
        path, rest = todo.pop()
        if rest == 0:
            done.append(path)
        for k in range(1, rest + 1):
            todo.append((path + (k,), rest - k))
    return done, len(set(done))


@program("tuples", lambda: (np.array([[0, 3, 1, 9], [9, 0, 9, 1], [9, 1, 0, 5], [9, 9, 9, 0]]),))
def paths_on_a_heap(cost):
    heap = [(0, (0,))]
    while heap:
        length, path = heapq.heappop(heap)
        if path[-1] == len(cost) - 1:
            return length, path
        for k in range(len(cost)):
            if k not in path and cost[path[-1], k] < 9:
                heapq.heappush(heap, (length + int(cost[path[-1], k]), path + (k,)))
    return None


@dataclass
class _State:
    cost: int
    path: tuple

    def __lt__(self, other):
        return self.cost < other.cost


@program("tuples", lambda: (np.array([[0, 3, 1, 9], [9, 0, 9, 1], [9, 1, 0, 5], [9, 9, 9, 0]]),))
def paths_in_fields(cost):
    heap, best = [_State(0, (0,))], None
    while heap:
        state = heapq.heappop(heap)
        if state.path[-1] == len(cost) - 1:
            if best is None or state.cost < best.cost:
                best = state
            continue
        for k in range(len(cost)):
            if k not in state.path and cost[state.path[-1], k] < 9:
                more = int(cost[state.path[-1], k])
                heapq.heappush(heap, _State(state.cost + more, state.path + (k,)))
    return best.cost, best.path


@program("tuples", ints(1, 2, 3, 4, 5), ints(7, 1), ints(2))
def of_two_lengths(x):
    steps = []
    for v in x.tolist():
        steps.append((v, v * 2) if v % 2 else (v,))
    total = 0
    for step in steps:
        match step:
            case (a, b):
                total += a * b
            case (a,):
                total -= a
    first, *rest = steps[0]
    return steps, total, first, rest


@program("tuples", ints(1, 3), ints(1, 2))
def taken_apart(x):
    pairs = [(1, 2)]
    for v in x.tolist():
        if v == 2:
            pairs.append((v,))
    a, b = pairs[-1]
    return a, b


@program("tuples", ints(1, 2, 3, 4, 6, 7, 9), ints(3, 4))
def tuples_of_tuples(x):
    rows, row = [], []
    for t in _runs(x, 3):
        row.append(t)
        if len(t) < 2:
            rows.append(tuple(row))
            row = []
    return rows, [len(r) for r in rows], tuple(rows), len(set(rows))


@program("tuples", ints(1, 2, 3, 4, 5, 6))
def yielded(x):
    def pieces(items, n):
        piece = []
        for v in items:
            if v % 2 == 0:
                piece.append(v)
            if len(piece) == n:
                yield tuple(piece)
                piece = []
        if piece:
            yield tuple(piece)

    return list(pieces(x.tolist(), 2)), [sum(t) for t in pieces(x.tolist(), 1)]


@program("tuples", lambda: (np.array([1.5, 2.5, -1.0, 3.0]),), lambda: (np.array([-1.0]),))
def of_floats(x):
    out, run = [], ()
    for v in x.tolist():
        if v < 0:
            out.append(run)
            run = ()
        else:
            run += (v,)
    out.append(run)
    return out, (1.5, 2.5) in out, {t: len(t) for t in out}


@program("tuples", lambda: (np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]]),))
def states_seen_before(grid):
    seen, step = {}, 0
    while True:
        state = tuple(sorted(int(v) for v in grid.sum(1) if v > step))
        if state in seen:
            return step, seen[state]
        seen[state] = step
        grid, step = grid.T, step + 1


@program("tuples", lambda: (["a", "b", "c", "d", "e", "f", "g", "h"], 3), lambda: (["a"], 0))
def trails_of_words(texts, n):
    todo, done = [(texts[0],)], []
    while todo:
        trail = todo.pop()
        done.append(trail)
        for word in texts[len(trail) : len(trail) + n]:
            if len(trail) < 4:
                todo.append(trail + (word,))
    return done[-3:], len(done), len({t[-1] for t in done})


@program("tuples", ints(1, 2, 3, 4), ints(3, 4, 1, 2), ints(0, 7), ints(3, 1, 4, 1, 5))
def among_pairs(x):
    pairs = [(a, b) for a, b in zip(x.tolist(), x[1:].tolist()) if a < 5]
    found = tuple([v for v in x.tolist() if v > 2])
    place = pairs.index(found) if found in pairs else -1
    return found, pairs.count(found), place, found in set(pairs), (0.5, 1) == found


class _Place:
    def __init__(self, at):
        self.at = at


@program("tuples", lambda: ([2, 3], 2), lambda: ([2, 4, 5], 3))
def rules_by_what_is_near(places, n):
    now = set(places)
    for _ in range(n):
        left = set()
        for at in sorted(now):
            place = _Place(at)
            near = [i in now for i in range(place.at - 1, place.at + 1)]
            if {(False, True): 1, (True, True): 1}.get(tuple(near), 0):
                left.add(at)
        now = left
    return len(now)


@program("tuples", ints(2, 3, 5, 7, 4), ints(2))
def longer_in_loops(x):
    odd, pairs, front, n = (), ((0, 1),), ("a",), int(x[0])
    for v in x:
        if v % 2:
            odd += (v * 0.5,)
    while n > 0:
        pairs = pairs + ((n, n + 1),)
        front = ("b", *front)
        n -= 1
    total = sum(a * b for a, b in pairs)
    return odd, pairs, front, total, pairs[-1][0], (2, 3) in pairs, pairs[1:], max(pairs), len(odd)


@program("tuples", ints(5, 3))
def begun_again(x):
    run, best = (), None
    for n in range(int(x[0]), 0, -1):
        if n % 3 == 2:
            run = ()
        run += (n,)
        if best is None or len(run) > len(best):
            best = run
    return run, best


class Path:
    def __init__(self):
        self.steps, self.marks = (), []

    def add(self, step):
        self.steps = self.steps + (step,)
        self.marks = [step, *self.marks]


@program("tuples lists instances dicts", ints(4, 0))
def longer_in_fields(x):
    path, held = Path(), {"k": (), "l": []}
    for i in range(int(x[0])):
        path.add(i * 2)
        held["k"] += (i,)
        held["l"] = held["l"] + [i]
    return path.steps, path.marks, held, path.steps < (1,), hash(path.steps) == hash((0, 2, 4, 6))


@program("tuples recursion", lambda: ([2, 3, 5, 7], 12))
def handed_on_longer(prices, total):
    found = []

    def choose(left, chosen):
        if left == 0:
            found.append(chosen)
            return
        for i, price in enumerate(prices):
            if price <= left and (not chosen or chosen[-1] <= i):
                choose(left - price, chosen + (i,))

    choose(total, ())
    return found, max(found, key=len)


def _route(graph, here, there, seen):
    if here == there:
        return seen + (here,)
    for after in graph[here]:
        if after not in seen:
            found = _route(graph, after, there, seen + (here,))
            if found is not None:
                return found
    return None


@program("tuples recursion dicts", lambda: ({0: [1, 2], 1: [3], 2: [3, 4], 3: [5], 4: [5], 5: []},))
def routes_by_recursion(graph):
    return _route(graph, 0, 5, ()), _route(graph, 5, 0, ())
