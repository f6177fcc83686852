"""Arguments that are lists, instances or dicts, which data chooses among or which are moved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.programs import program

GIVEN = "lists as arguments"


def _twice():
    row = [1, 2]
    return [row, [3], row]


def _nodes():
    return Node(1, Node(2, Node(3)))


@program(GIVEN, lambda: ([[3, 1], [0, 5], [2, 2]],))
def best_row(rows):
    best = rows[0]
    for r in rows:
        if r[0] > best[0]:
            best = r
    best[0] = 100
    return best


@program(GIVEN, lambda: ([[1, 3], [2, 6], [8, 10], [15, 18]],))
def merge(intervals):
    intervals.sort(key=lambda x: x[0])
    out = [intervals[0]]
    for cur in intervals[1:]:
        last = out[-1]
        if cur[0] <= last[1]:
            last[1] = max(last[1], cur[1])
        else:
            out.append(cur)
    return out


@program(GIVEN, lambda: ([[2, 1], [1, 2], [0, 5]],))
def sorted_rows(rows):
    s = sorted(rows, key=lambda r: (r[1], r[0]))
    s[0][0] = 99
    return s


@program(
    GIVEN,
    lambda: (
        {"a": [1, 2], "b": [3]},
        [1, 2, 3],
    ),
)
def dict_lists(d, xs):
    for x in xs:
        k = "a" if x % 2 else "b"
        d[k].append(x)
    return d


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3, 4]],
        [[5, 6], [7, 8]],
        1,
    ),
)
def pick(a, b, t):
    m = a if t > 0 else b
    m[0][1] = 50
    return m


@program(
    GIVEN,
    lambda: (
        [[3, 1], [0, 5], [2, 2]],
        1,
    ),
    lambda: (
        [[3, 1], [0, 5], [2, 2]],
        -1,
    ),
)
def swap_some(rows, t):
    if t > 0:
        rows[0], rows[2] = rows[2], rows[0]
    rows[0].append(9)
    return rows, rows[0], rows[2]


@program(
    GIVEN,
    lambda: (
        _twice(),
        np.array([1, 0, 2, 5]),
    ),
)
def aliased(rows, x):
    for v in x.tolist():
        rows[v % 3].append(v)
    return rows


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3]],
        [[4], [5, 6]],
        np.array([3, 1, 0, 2]),
    ),
)
def two(a, b, x):
    for v in x.tolist():
        c = a if v > 1 else b
        c[v % 2].append(v)
    return a, b


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3], []],
        np.array([2, 0, 1]),
    ),
)
def permuted(rows, x):
    new = [rows[i] for i in x.tolist()]
    new[0].append(5)
    rows[:] = new
    rows[0].append(6)
    return new


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3], []],
        np.array([2, 0, 1]),
    ),
)
def removed(rows, x):
    k = int(x[0])
    r = rows.pop(k)
    r.append(7)
    rows.append(r)
    rows[0].append(1)
    return r


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3], [4]],
        np.array([2, 0, 1]),
    ),
)
def dropped(rows, x):
    while rows and rows[-1][0] > x[1]:
        q = rows.pop()
        q.append(0)
    return q


@program(
    GIVEN,
    lambda: (
        [[1.5, 2], [3]],
        np.array([1, 0]),
    ),
)
def mixed(rows, x):
    for v in x.tolist():
        rows[v].append(v)
        rows[v][0] += 0.5
    return rows


@program(
    GIVEN,
    lambda: (
        {"a": [[1], [2]], "b": [[3]]},
        np.array([1, 0, 1]),
    ),
)
def deep(d, x):
    for v in x.tolist():
        k = "a" if v else "b"
        d[k][0].append(v)
        d[k].append([v])
    return d


@dataclass
class P:
    items: list
    tags: list = field(default_factory=list)


@program(
    GIVEN,
    lambda: (
        [P([1]), P([2, 3])],
        np.array([1, 0, 1, 1]),
    ),
)
def objs(ps, x):
    for v in x.tolist():
        best = max(ps, key=lambda p: len(p.items))
        best.items.append(v)
        if v:
            best = ps[0]
        best.tags.append(v)
    return ps


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3], [4]],
        5,
    ),
    lambda: (
        [[1, 2], [3], [4]],
        1,
    ),
)
def raises(rows, k):
    best = rows[0]
    for r in rows:
        if r[0] > best[0]:
            best = r
    best.append(3)
    if k > 3:
        raise ValueError("no")
    best.append(4)
    return best


@program(
    GIVEN,
    lambda: (
        [[[1, 2], [3]], [[4]]],
        np.array([0, 1, 1]),
    ),
)
def three(rows, x):
    for v in x.tolist():
        m = rows[v]
        n = m[0]
        n.append(v)
        m.append(n)
    return rows


@program(
    GIVEN,
    lambda: (
        [[5, 5], [1, 1]],
        np.array([0, 1, 1, 0, 0, 1]),
    ),
)
def counts(rows, x):
    a, b = rows
    for v in x.tolist():
        a, b = b, a
        if v:
            a.append(v)
        else:
            b[0] -= 1
    return rows, a, b


@program(
    GIVEN,
    lambda: (
        [],
        np.array([0, 1]),
    ),
    lambda: (
        [[]],
        np.array([0, 1]),
    ),
)
def empty(rows, x):
    for v in x.tolist():
        if rows:
            r = rows[-1] if v else rows[0]
            r.append(v)
        else:
            rows.append([v])
    return rows


@program(
    GIVEN,
    lambda: (
        [[0] * 4 for _ in range(3)],
        [(0, 1), (2, 3), (1, 1)],
    ),
)
def stamp(grid, pts):
    for y, x in pts:
        row = grid[y]
        row[x] = 1
    return [sum(r) for r in grid]


@program(
    GIVEN,
    lambda: (
        [[1, 2], [3, 4]],
        np.array([1]),
    ),
)
def jagged_swap(m, x):
    i = int(x[0])
    m[0], m[i] = m[i], m[0]
    m[0][0] = 10
    m[1].append(20)
    return m


@program(
    GIVEN,
    lambda: (
        [[9, 1], [2, 3], [4, 0]],
        2,
    ),
)
def selection_sort_rows(rows, n):
    for i in range(len(rows)):
        k = i
        for j in range(i + 1, len(rows)):
            if rows[j][0] < rows[k][0]:
                k = j
        rows[i], rows[k] = rows[k], rows[i]
    rows[0].append(100)
    return rows


@program(GIVEN, lambda: ([[1, 2, 3], [4, 5, 6]],))
def zipped(rows):
    t = [list(c) for c in zip(*rows)]
    t[0][0] = 9
    return t


@program(
    GIVEN,
    lambda: (
        [1, 2, 3],
        [4, 5],
        1,
    ),
)
def which(a, b, t):
    s, l = (a, b) if t > 0 else (b, a)
    s.append(l.pop())
    l += s
    return s, l


@program(
    GIVEN,
    lambda: (
        [3, 1, 2],
        [5, 4],
        np.array([1.0, -1.0]),
    ),
)
def whichl(a, b, x):
    out = []
    for v in x:
        c = a if v > 0 else b
        c.sort()
        c.append(0)
        out.append(c)
    return out


@program(
    GIVEN,
    lambda: (
        {1: [2], 3: [4]},
        np.array([1, 3, 3]),
    ),
)
def intkeys(d, x):
    for v in x.tolist():
        d[v].append(v)
    return d


@program(
    GIVEN,
    lambda: (
        {"x": 1, "l": [1, 2]},
        {"x": 2, "l": [3]},
        1,
    ),
)
def dicts(a, b, t):
    c = a if t > 0 else b
    c["l"].append(5)
    c["x"] += 1
    return c


@program(
    GIVEN,
    lambda: (
        [{"n": 1, "l": [1, 2]}, {"n": 2, "l": [3]}],
        np.array([1, 1, 0]),
    ),
)
def recs(rs, x):
    for v in x.tolist():
        rs[v]["l"].append(v)
        rs[v]["n"] += 1
    return rs


@dataclass
class Acc:
    x: float
    n: int = 0
    hist: list = field(default_factory=list)


@program(
    GIVEN,
    lambda: (
        [Acc(1.0), Acc(2.0), Acc(3.0, 4)],
        np.array([1, 0, 1, 2]),
    ),
)
def accs(ps, x):
    for v in x.tolist():
        ps[v].x += 1.5
        ps[v].n += 1
        ps[v].hist.append(v)
    best = max(ps, key=lambda p: p.x)
    best.n = 100
    return best


@program(
    GIVEN,
    lambda: (
        [Acc(1.0), Acc(2.0)],
        np.array([1, 0, 1, 2]),
    ),
)
def acc_new(ps, x):
    for v in x.tolist():
        if v > 1:
            ps.append(Acc(float(v)))
        else:
            ps[v].x -= 1
    ps.sort(key=lambda p: -p.x)
    return ps


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


@program(GIVEN, lambda: (_nodes(),))
def linked_reverse(head):
    prev = None
    while head is not None:
        head.next, prev, head = prev, head, head.next
    return prev


class Account:
    def __init__(self, b):
        self.b = b

    def pay(self, other, amt):
        if amt > self.b:
            raise ValueError("poor")
        self.b -= amt
        other.b += amt


@program(
    GIVEN,
    lambda: (
        [Account(10.0), Account(5.0)],
        np.array([[0, 1], [1, 0], [0, 1]]),
        np.array([3.0, 1.0, 2.0]),
    ),
    lambda: (
        [Account(10.0), Account(5.0)],
        np.array([[0, 1], [1, 0], [0, 1]]),
        np.array([3.0, 100.0, 2.0]),
    ),
)
def bank(accs, pairs, amts):
    for (i, j), a in zip(pairs.tolist(), amts.tolist()):
        accs[i].pay(accs[j], a)
    return [a.b for a in accs]


@program(GIVEN, lambda: (np.array([1.0, -2.0, 3.0]), [4, 5]), lambda: (np.array([-1.0]), [4]))
def in_a_growing_list(x, row):
    out = []
    for v in x:
        if v > 0:
            out.append(row)
    if out:
        out[-1].append(6)
    return out


@program(GIVEN, lambda: (np.array([2.0, 1.0]), {"a": 5}), lambda: (np.array([2.0, -1.0]), {"a": 5}))
def among_several_dicts(x, d):
    rows = []
    for i in range(int(x[0])):
        rows.append({"a": i})
    rows.append(d)
    rows[int(x[1])]["a"] = 7
    return rows


BOARD = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]


def free(board):
    for i in range(4):
        for j in range(4):
            if board[i][j] == 0:
                return i, j
    return None


def fits(board, value, place):
    row, column = place
    for k in range(4):
        if board[row][k] == value or board[k][column] == value:
            return False
    for i in range(row // 2 * 2, row // 2 * 2 + 2):
        for j in range(column // 2 * 2, column // 2 * 2 + 2):
            if board[i][j] == value:
                return False
    return True


@program(GIVEN, lambda: ([row[:] for row in BOARD],), lambda: ([[1, 1, 0, 0], *BOARD[1:]],))
def filled(board):
    place = free(board)
    if place is None:
        return True
    row, column = place
    for value in range(1, 5):
        if fits(board, value, place):
            board[row][column] = value
            if filled(board):
                return True
            board[row][column] = 0
    return False


@program(
    GIVEN,
    lambda: ([[1, 2, 3], [3, 4, 5], [5, 6, 7]], np.array([2, 1])),
    lambda: ([[1, 2, 3], [3, 4, 5], [5, 6, 7]], np.array([0, 0])),
)
def rows_that_change(rows, x):
    i = int(x[0])
    rows[i][i] = -4
    for row in rows:
        row.sort()
    rows[int(x[1])][0] += 1
    rows.append(rows[0])
    return rows[1], rows[i] is rows[0], rows


@program(GIVEN, lambda: ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], np.array([1])))
def one_of_a_block(block, x):
    i = int(x[0])
    block[i][0][i] = 5
    if block[0][i][1] > 3:
        raise ValueError(block[i][0][i])


@program(GIVEN, lambda: (np.array([2, 1]),), lambda: (np.array([0, 2]),))
def row_of_one_of_two(x):
    one, other = [[0] * 3 for _ in range(3)], [[0] * 3 for _ in range(3)]
    chosen = one if x[0] > 1 else other
    row = chosen[int(x[1])]
    row[0] = 9
    return one, other


def _degree(polynomial):
    while polynomial and polynomial[-1] == 0:
        polynomial.pop()
    return len(polynomial) - 1


@program(
    "lists",
    lambda: ([-42, 0, -12, 1], [-3, 1, 0, 0]),
    lambda: ([1, 2], [1, 1, 1]),
    lambda: ([1, 2], [0, 0]),
)
def divided_polynomials(n, d):
    """The name of a list that was given and written is bound to another one; a path raises."""
    dd, dn = _degree(d), _degree(n)
    if dd < 0:
        raise ZeroDivisionError(n[0])
    quotient = [0] * (dn + 1)
    while dn >= dd:
        shifted = [0] * (dn - dd) + d
        quotient[dn - dd] = factor = n[-1] / float(shifted[-1])
        n = [a - b * factor for a, b in zip(n, shifted)]
        n.pop()
        dn = _degree(n)
    return quotient, n
