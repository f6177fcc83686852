"""Lists that are in several lists, dicts and names at once: what is written in one is in all."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from tests.drawn import R
from tests.programs import program

SHARED = "lists in several places"


def X():
    return np.array([3, 1, 2, 3, 1, 5, 2, 2])


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def regroup(x):
    d = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        d[v].append(i)
    return {k: v for k, v in d.items() if len(v) > 1}


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def sorted_items(x):
    d = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        d[v].append(i)
    return sorted(d.items())


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def sorted_items_by_key(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return sorted(d.items(), key=lambda kv: -len(kv[1]))


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def greatest_item(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return max(d.items(), key=lambda kv: len(kv[1]))


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def greatest_value(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return max(d.values(), key=len)


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def values_listed(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return list(d.values())


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def values_sorted(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return sorted(d.values(), key=len, reverse=True)


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def action_values(x):
    Q = defaultdict(lambda: [0.0, 0.0])
    for i in range(len(x) - 1):
        s = int(x[i])
        s2 = int(x[i + 1])
        a = i % 2
        Q[s][a] += 0.5 * (1.0 + 0.9 * max(Q[s2]) - Q[s][a])
    return {s: v for s, v in Q.items()}


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def reversed_in_place(x):
    rows = []
    for v in x:
        if v > 1:
            rows.append([int(v), int(v) ** 2])
    i, j = 0, len(rows) - 1
    while i < j:
        rows[i], rows[j] = rows[j], rows[i]
        i += 1
        j -= 1
    rows[0][0] = 100
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def bucket(x):
    buckets = [[] for _ in range(4)]
    for v in x:
        buckets[int(v) % 4].append(int(v))
    big = [b for b in buckets if len(b) > 1]
    return big


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def paths_found(x):
    frontier = [[0]]
    done = []
    while frontier:
        p = frontier.pop()
        if len(p) == 3:
            done.append(p)
            continue
        for k in range(len(x)):
            if x[k] > x[p[-1]]:
                frontier.append(p + [k])
    return done


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def best_of(x):
    groups = {}
    for v in x.tolist():
        g = groups.get(v % 3)
        if g is None:
            g = groups[v % 3] = []
        g.append(v)
    best = None
    for k, g in groups.items():
        if best is None or len(g) > len(best):
            best = g
    return best


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def merge(x):
    iv = []
    for i in range(len(x) - 1):
        iv.append([int(min(x[i], x[i + 1])), int(max(x[i], x[i + 1]))])
    iv.sort()
    out = [iv[0]]
    for cur in iv[1:]:
        last = out[-1]
        if cur[0] <= last[1]:
            last[1] = max(last[1], cur[1])
        else:
            out.append(cur)
    return out


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(p, q) for p, q in zip(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b)
    return a == b or abs(a - b) < 1e-12


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def two_places(x):
    a = {}
    b = []
    for v in x.tolist():
        if v not in a:
            g = []
            a[v] = g
            b.append(g)
        a[v].append(v * 2)
    b[0].append(99)
    return a, b


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def shared_identity(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = sorted(rows, key=lambda r: r[0])
    s[0].append(7)
    return rows, s, s[0] is rows[1], s[0] is rows[0]


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def subsets(x):
    res = [[]]
    for v in x[:4].tolist():
        res += [s + [v] for s in res]
    return res


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def heap_paths(x):
    h = [(0, [0])]
    n = len(x)
    while h:
        c, p = heapq.heappop(h)
        u = p[-1]
        if u == n - 1:
            return c, p
        for v in (u + 1, u + 2):
            if v < n:
                heapq.heappush(h, (c + int(x[v]), p + [v]))
    return -1, []


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def getplus(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d[v] = d.get(v, []) + [i]
    return d


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def dictsorted(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append(i)
    return dict(sorted(d.items(), key=lambda kv: kv[0]))


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def swap_values(x):
    d = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        d[v].append(i)
    d[1], d[2] = d[2], d[1]
    d[1].append(50)
    return dict(d)


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def gauss(x):
    n = 3
    A = []
    for i in range(n):
        A.append(
            [float(x[(i * 3 + j) % len(x)]) + (5.0 if j == i else 0.0) for j in range(n)]
            + [float(i + 1)]
        )
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i][k]) > abs(A[p][k]):
                p = i
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= f * A[k][j]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        s[i] = (A[i][n] - sum(A[i][j] * s[j] for j in range(i + 1, n))) / A[i][i]
    return s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def member(x):
    rows = []
    for v in x.tolist():
        r = [v, v % 2]
        if r not in rows:
            rows.append(r)
    return rows, [3, 1] in rows, rows.index([2, 0])


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def alias_rows(x):
    rows = []
    row = [0]
    for v in x.tolist():
        if v > 1:
            rows.append(row)
        row.append(v)
        if v == 3:
            row = [v]
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def nested3(x):
    out = []
    for v in x.tolist():
        if v % 2:
            out.append([])
        if out:
            out[-1].append([v, v])
    out[0][0][0] = -1
    return out


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def to_array(x):
    rows = []
    for v in x:
        if v > 1:
            rows.append([float(v), float(v) ** 2])
    rows.sort(key=lambda r: -r[1])
    return np.array(rows)


@program(SHARED, lambda: (X(),), lambda: (R(10, 6, 1),))
def topo(x):
    n = len(x)
    g = defaultdict(list)
    deg = [0] * n
    for i in range(n):
        for j in range(i + 1, n):
            if x[j] > x[i]:
                g[i].append(j)
                deg[j] += 1
    q = deque(i for i in range(n) if deg[i] == 0)
    levels = []
    while q:
        level = []
        for _ in range(len(q)):
            u = q.popleft()
            level.append(u)
            for v in g[u]:
                deg[v] -= 1
                if deg[v] == 0:
                    q.append(v)
        levels.append(level)
    return levels


@dataclass
class Cluster:
    center: float
    members: list = field(default_factory=list)


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def clusters(x):
    cs = []
    for v in x:
        best = None
        for c in cs:
            if abs(c.center - v) <= 1 and (
                best is None or abs(c.center - v) < abs(best.center - v)
            ):
                best = c
        if best is None:
            best = Cluster(float(v))
            cs.append(best)
        best.members.append(float(v))
        best.center = sum(best.members) / len(best.members)
    return [(c.center, c.members) for c in cs]


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def anagrams(x):
    d = defaultdict(list)
    for v in x.tolist():
        d[tuple(sorted([v, 3]))].append(v)
    return sorted(d.values())


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def stack_lists(x):
    st = [[]]
    for v in x.tolist():
        if v == 1:
            st.append([])
        elif v == 5 and len(st) > 1:
            top = st.pop()
            st[-1].append(sum(top))
        else:
            st[-1].append(v)
    return st


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def rows_swapped_by_data(x):
    m = [[int(x[(i * 3 + j) % 8]) for j in range(3)] for i in range(3)]
    i, j = int(x[0]) % 3, int(x[1]) % 3
    m[i], m[j] = m[j], m[i]
    m[i][0] += 100
    return m


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def dict_of_lists_of_lists(x):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v, []).append([i, i * i])
    for k in d:
        d[k].sort(key=lambda p: -p[1])
    return d


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def maybe(x):
    best = []
    rows = []
    for v in x.tolist():
        rows.append([v])
        for r in rows:
            r.append(v)
        best = rows[len(rows) // 2]
    best.append(1000)
    return best, rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def sorted_then_longer(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = sorted(rows, key=lambda r: r[0])
    s[0].append(7)
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def sorted_then_written(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = sorted(rows, key=lambda r: r[0])
    s[0][0] = 7
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def copied_then_longer(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = list(rows)
    s[0].append(7)
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def slice_then_longer(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows[1:]
    s[0].append(7)
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def copy_then_shorter(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows.copy()
    rows[0].pop()
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def sum_of_two(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows + rows
    rows[0].pop()
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def comprehension_of_rows(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = [r for r in rows]
    rows[0].pop()
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def backwards(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows[::-1]
    rows[0].pop()
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def as_tuple(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    t = tuple(rows)
    rows[0].pop()
    return rows, t


@program(SHARED, lambda: (np.array([-4, -7, 3]),), lambda: (np.array([-4, 7]),))
def cleared_in_two(x):
    one, row = [1], [2, 3]
    rows = [one if v > -1 else row for v in x]
    also = rows + rows
    rows.sort(key=len)
    rows[0].clear()
    return rows, also


@program(SHARED, lambda: (np.array([-6, 7, 0, -7]),), lambda: (np.array([-6]),))
def cleared_many_times_in_one(x):
    row = [0, 1]
    rows = [row]
    for v in x:
        if v > 0:
            row = [int(v)]
        rows.append(row)
    rows[0].clear()
    return rows


@program(SHARED, lambda: (5,))
def row_of_a_row(n):
    made = []
    for i in range(n):
        inner = [i]
        outer, pair = [inner], [(inner, 1)]
        made.append([outer, [[i], [i]]])
        made.append([[[0]], [inner]])
        inner[0] += 5
        outer[0][0] += 1
    return made, pair


@program(SHARED, lambda: (5,))
def row_that_is_kept(n):
    made = []
    for i in range(n):
        inner = [i]
        outer = [[inner]]
        made.insert(0, outer)
        inner[0] += 5
        outer[0][0][0] += 1
    return made


@program(SHARED, lambda: (4, [3]))
def given_inside(n, given):
    made = []
    for i in range(n):
        made.append([[i]])
    made.append([given])
    given[0] = 9
    return made


@program("identity", lambda: (5,))
def rows_of_rows(n):
    made = []
    for i in range(n):
        made.append([[i], [i]])
    same = 0
    for i in range(n):
        for j in range(2):
            if made[i][j] is made[n - 1 - i][j]:
                same += 1
            if made[i][j] is made[i][1 - j]:
                same += 100
    return same, made[0][0] is made[0][0]


AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0))


def turned(board, x, y, mark):
    """How far a line of others' marks reaches in each direction, up to one of these marks."""
    found = []
    for dx, dy in AROUND:
        n = 1
        while 0 <= x + n * dx < 6 and 0 <= y + n * dy < 6:
            here = board[x + n * dx][y + n * dy]
            if here != -mark:
                break
            n += 1
        else:
            here = 0
        found.append(n - 1 if here == mark else 0)
    return found


def moves(board, mark):
    free = [(x, y) for x in range(6) for y in range(6) if board[x][y] == 0]
    return [(x, y) for x, y in free if any(turned(board, x, y, mark))]


def place(board, move, mark):
    x, y = move
    for (dx, dy), n in zip(AROUND, turned(board, x, y, mark)):
        for k in range(n + 1):
            board[x + k * dx][y + k * dy] = mark


def best_move(board, mark, depth=1):
    best, most = None, -100
    for move in moves(board, mark):
        after = [row[:] for row in board]
        place(after, move, mark)
        value = -best_move(after, -mark, depth + 1)[1] if depth < 2 else len(moves(after, mark))
        if value >= most:
            best, most = move, value
    return best, most


def game(*marks):
    board = [[0] * 6 for _ in range(6)]
    board[2][2] = board[3][3] = -1
    board[2][3] = board[3][2] = 1
    for x, y, mark in marks:
        board[x][y] = mark
    return board


@program("a board in a stack", lambda: (game(), 1), lambda: (game((1, 2, -1)), -1))
def boards_in_a_search(board, mark):
    move, value = best_move(board, mark)
    place(board, move, mark)
    return move, value


def system(n=20):
    a = [[float((7 * i + 3 * j) % 11) + 20 * (i == j) for j in range(n)] for i in range(n)]
    return a[3:] + a[:3], [float(i) for i in range(n)]


@program("rows of a known length get one item more, and change places", system)
def eliminated(a, b):
    n = len(a)
    m = [row[:] + [b[i]] for i, row in enumerate(a)]
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(m[r][c]))
        m[c], m[p] = m[p], m[c]
        for r in range(c + 1, n):
            f = m[r][c] / m[c][c]
            for k in range(c, n + 1):
                m[r][k] -= f * m[c][k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return x
