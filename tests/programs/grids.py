"""Arguments that are lists of lists of numbers, which are one array each: nobody may tell."""

import copy
import heapq
import itertools

import numpy as np

from tests.programs import program


def _of(n, m, kind=int):
    return [[kind(i * j % 7 + i % 3 + 1) for j in range(m)] for i in range(n)]


def _row_twice():
    m = _of(10, 8)
    return m, m[3]


def _block():
    return ([[[i + j * k for k in range(4)] for j in range(5)] for i in range(6)],)


G = lambda: (_of(12, 8),)
F = lambda: (_of(12, 8, float),)
TALL = lambda: (_of(70, 2),)


@program("reads", G, F, TALL, lambda: (_of(9, 9, complex),), lambda: (_of(9, 8, bool),))
def read(m):
    total = 0
    for i, row in enumerate(m):
        for j, v in enumerate(row):
            total += v * i - j
    return total, sum(map(sum, m)), len(m), len(m[0]), m[3][1], m[-1][-1], [r[:2] for r in m[1:4]]


@program("ragged, of several types, of one row twice", G, lambda: ([[1] * 40, [2] * 41],))
def not_a_grid(m):
    m[0][1] = 9
    return sum(map(sum, m)), m[1][1]


@program("row twice", _row_twice, lambda: _row_twice()[::-1])
def other_name(a, b):
    if isinstance(b[0], list):
        a, b = b, a
    b[0] = 50
    a[3][1] += 7
    return a[3], b, a[3] is b


@program("row twice in itself", lambda: ([[1, 2] * 5] * 10,))
def repeated(m):
    m[0][1] = 5
    return m[9][1], sum(map(sum, m))


@program("writes", G, F, TALL)
def written(m):
    for i in range(len(m)):
        for j in range(len(m[0])):
            m[i][j] = m[i][j] * 2 + i
    for row in m:
        row[0] = row[1]
    return m[2]


@program("widens", G)
def widened(m):
    m[0][0] = 0.5
    return m[0], m[1]


@program("rows change in length", G, TALL)
def lengthened(m):
    m[1].append(5)
    m[2].extend(m[3])
    m[4].pop()
    m[5][:] = [1]
    return [len(row) for row in m], m[1]


@program("rows come and go", G, TALL)
def reordered(m):
    m[0], m[1] = m[1], m[0]
    m[0][0] = 100
    last = m.pop()
    last[0] = -5
    m.append([4, 4])
    m.insert(1, [3])
    del m[2]
    m[4] = m[5]
    m[4][0] = 77
    m.reverse()
    return last, m[0], m[3] is m[4]


@program("sorts", G, TALL)
def put_in_order(m):
    found = sorted(m, key=lambda row: (row[1], -row[0]))
    m.sort(reverse=True)
    m[0][0] = 99
    for row in m:
        row.sort()
    return found


@program("best", G, TALL)
def best_row(m):
    found = None
    for row in m:
        if found is None or sum(row) > sum(found):
            found = row
    found[0] = 1000
    return found, max(m), min(m, key=lambda row: row[1])


@program("result", G, TALL)
def chosen_row(m):
    i = 0
    while m[i][1] != 4:
        i += 1
    m[i][0] = -3
    return m[i], m[-1 - i], {"row": m[i]}


@program("collected", G)
def collected(m):
    found = []
    for row in m:
        if row[1] > 2:
            found.append(row)
    found[0][0] = 99
    return found, m.index(found[1]), [1] * 8 in m


@program("copies", G, F)
def copied(m):
    shallow, rows, deep = list(m), [row[:] for row in m], copy.deepcopy([m[1], m])
    shallow[0][0], rows[0][0], deep[0][1] = 60, 61, 62
    return m[0], rows[0], deep[0], deep[1][1], shallow == m, deep[1] != m


@program("turned", G, F)
def turned(m):
    return [list(column) for column in zip(*m)], list(zip(*m[::-1]))[1], tuple(map(tuple, m))


@program("neighbours", G)
def counted_around(m):
    n, k = len(m), len(m[0])
    made = [[0] * k for _ in range(n)]
    for i in range(n):
        for j in range(k):
            for a, b in itertools.product((-1, 0, 1), repeat=2):
                if (a or b) and 0 <= i + a < n and 0 <= j + b < k:
                    made[i][j] += m[i + a][j + b]
    return made


@program("searched", G)
def filled(m):
    heap, seen, cost = [(m[0][0], 0, 0)], set(), 0
    while heap:
        cost, x, y = heapq.heappop(heap)
        if (x, y) in seen:
            continue
        seen.add((x, y))
        if (x, y) == (len(m) - 1, len(m[0]) - 1):
            break
        for dx, dy in ((1, 0), (0, 1)):
            if x + dx < len(m) and y + dy < len(m[0]):
                heapq.heappush(heap, (cost + m[x + dx][y + dy], x + dx, y + dy))
    return cost, len(seen)


@program("three levels", _block)
def block(c):
    c[1][2][0] = 9
    c[2][1].append(3)
    return sum(v for plane in c for row in plane for v in row), c[0][1], len(c[2][1])


@program("out of range", G)
def out_of_range(m):
    m[0][0] = 9
    return m[1][20]


@program("arrays", G, F)
def as_arrays(m):
    return np.array(m).sum(axis=0), np.asarray(m[1]), np.dot(m, m[0])


SHORT = lambda: ([[k, k + 1] for k in range(6)], 1)
DEEP = lambda: ([[[i * 100 + j * 10 + k for k in range(3)] for j in range(3)] for i in range(6)], 1)
LONG = lambda: ([[[i * 100 + j * 10 + k for k in range(5)] for j in range(4)] for i in range(6)], 1)


@program("which row", SHORT, DEEP, LONG)
def which_row(m, i):
    return m[i], m[i] is m[1], m[i] is m[0], m[i] is m[i]


@program("which row", DEEP, LONG)
def which_row_of_a_row(m, i):
    found = m[i][i + 1]
    return found is m[1][2], found is m[i][i], m[i][i] is m[i][i], m[i] is m[1], m[i][i]


@program("which row", LONG, lambda: ([[k * 10 + j for j in range(10)] for k in range(12)], 3))
def copied_with_a_row(m, i):
    whole, row = copy.deepcopy((m, m[i]))
    row[0] = row[1]
    return whole[i][0] == row[0], whole[i] is row, m[i][0] == row[0]
