"""Arguments that are lists of lists of several lengths, which are two arrays each: nobody may
tell."""

import copy
import functools
import heapq
import itertools
from collections import deque

import numpy as np

from tests.programs import program


def _graph(n, m):
    rows = [[] for _ in range(n)]
    for k in range(m):
        u, v = k * 7 % n, (k * k * 3 + 5 * k + 1) % n
        rows[u].append(v)
        rows[v].append(u)
    return rows


def _of(n, kind=int):
    return [[kind((i * 5 + j * 3) % 11) for j in range(i * i % 6)] for i in range(n)]


def _triangle(n):
    return [[(i * 7 + j * 5) % 13 for j in range(i + 1)] for i in range(n)]


def _row_beside():
    rows = _of(12)
    return rows, rows[3]


GRAPH = lambda: (_graph(25, 40),)
INTS = lambda: (_of(20),)
FLOATS = lambda: (_of(20, float),)
PLACE = lambda: (_of(20), 5)
LAST = lambda: (_of(20), -2)


@program("reads", INTS, FLOATS, GRAPH, lambda: (_of(14, complex),), lambda: (_of(14, bool),))
def read(rows):
    total = 0
    for i, row in enumerate(rows):
        for v in row:
            total += v * i
    return total, len(rows), list(map(len, rows)), rows[-1], rows[2][1:], sum(map(len, rows[3:9]))


@program("breadth first", lambda: (_graph(25, 40), 3), lambda: (_graph(40, 30), 0))
def distances(graph, start):
    found = [-1] * len(graph)
    found[start], queue = 0, deque([start])
    while queue:
        u = queue.popleft()
        for v in graph[u]:
            if found[v] < 0:
                found[v] = found[u] + 1
                queue.append(v)
    return found


@program("depth first, called again", GRAPH)
def finished(graph):
    seen, order = set(), []

    def visit(u):
        seen.add(u)
        for v in graph[u]:
            if v not in seen:
                visit(v)
        order.append(u)

    visit(0)
    return order


@program("two of them", lambda: (_graph(20, 30), [[1.0 + v for v in r] for r in _graph(20, 30)]))
def cheapest(graph, costs):
    found = [float("inf")] * len(graph)
    found[0], heap = 0.0, [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        for k, v in enumerate(graph[u]):
            if d + costs[u][k] < found[v]:
                found[v] = d + costs[u][k]
                heapq.heappush(heap, (found[v], v))
    return found


@program("in place", lambda: (_triangle(9),))
def smallest_path(rows):
    for i in range(len(rows) - 2, -1, -1):
        for j in range(i + 1):
            rows[i][j] += min(rows[i + 1][j], rows[i + 1][j + 1])
    return rows[0][0]


@program("kept", lambda: (_triangle(6),))
def smallest_path_kept(rows):
    @functools.cache
    def best(i, j):
        if i == len(rows) - 1:
            return rows[i][j]
        return rows[i][j] + min(best(i + 1, j), best(i + 1, j + 1))

    return best(0, 0)


@program("grows", PLACE, LAST, lambda: (_of(20, float), 3))
def edge_added(rows, u):
    rows[u].append(7)
    rows[3].append(u)
    rows[u] += [1, 2]
    return rows[u], rows[3], sum(map(len, rows))


@program("shrinks", INTS, GRAPH)
def emptied(rows):
    total = 0
    for row in rows[::2]:
        while row:
            total += row.pop()
    return total, rows


@program("other types", PLACE)
def widened(rows, u):
    rows[u][0] = 0.5
    rows[4].append(None)
    return rows[u], rows[4], rows


@program("rows are the caller's", PLACE, LAST)
def chosen(rows, u):
    longest = rows[0]
    for row in rows:
        if len(row) > len(longest):
            longest = row
    longest.append(-1)
    return rows[u], longest, rows[1:4], rows[u] is rows[-2], min(rows), sorted(rows, key=len)[-1]


@program("has a name beside", _row_beside, lambda: _row_beside()[::-1])
def other_name(a, b):
    rows, row = (a, b) if isinstance(a[0], list) else (b, a)
    row.append(50)
    rows[3][0] += 7
    return rows[3], row, rows[3] is row


@program("rows move", PLACE, LAST)
def moved(rows, u):
    rows.sort(key=len)
    rows.reverse()
    rows[0], rows[u] = rows[u], rows[0]
    first = rows.pop(2)
    rows.append([1, 2])
    rows.insert(1, first)
    del rows[4]
    rows[3] = [u]
    return rows[0], first


@program("rows are added where data decides", INTS)
def extended(rows):
    k = 0
    while k * k < len(rows[1]) + 20:
        rows.append([k] * 2)
        k += 1
    return len(rows)


@program("copies", INTS, FLOATS)
def copied(rows):
    flat, deep, plain = rows[:], copy.deepcopy(rows), [list(row) for row in rows]
    flat[1].append(8)
    deep[1].append(9)
    plain[2].append(10)
    return flat[1] is rows[1], deep, plain, rows == plain, list(itertools.chain(*rows))


@program("fails checks", PLACE, lambda: (_of(20), 100))
def failing(rows, u):
    rows[1].append(5)
    rows[u].append(6)
    return rows[u].index(77)


@program("caught checks", lambda: (_of(20), 100), LAST)
def failing_caught(rows, u):
    try:
        return rows[u][0]
    except IndexError as error:
        return str(error)


@program("as arrays", INTS, FLOATS)
def as_arrays(rows):
    means = np.array([sum(row) / len(row) if row else 0.0 for row in rows])
    return means, np.array(rows[2]).sum(), [np.array(row + row).shape for row in rows[:3]]
