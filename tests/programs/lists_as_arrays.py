"""NumPy's functions on lists whose lengths are known at run time only."""

import numpy as np

from tests.programs import program

X = lambda: (np.round(np.random.default_rng(0).normal(size=20), 2),)
NONE = lambda: (-np.ones(3),)


@program("lists", X)
def numpy_of_grown_list(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return (
        *(
            np.argmax(out),
            np.max(out),
            np.sum(out),
            np.median(out),
            np.std(out),
            np.var(out, ddof=1),
        ),
        *(np.cov(out), np.ones_like(out), np.zeros_like(out), np.sqrt(out), np.sort(out)),
        *(np.cumsum(out), np.diff(out), np.minimum(out, 0.5), np.clip(out, 0, 0.5)),
        *(np.dot(out, out), np.linalg.norm(out), np.percentile(out, [25, 50]), np.isin(x, out)),
        *(np.array(out, dtype=np.float32), np.array(out)[:, None] - np.array(out), np.any(out)),
        *(np.add.reduce(out), np.array(out).reshape(-1, 1), np.append(out, 3.0), len(out)),
    )


@program("lists", X, NONE)
def joined_grown_lists(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return (
        *(np.concatenate([out, [1.0]]), np.array([out, out]), np.column_stack([out, out])),
        *(np.r_[out, 1], np.r_[out, out], np.c_[out, out]),
        np.append(out, out),
    )


@program("lists", X)
def joined_grown_rows(x):
    rows = []
    for i, v in enumerate(x):
        if v > 0:
            rows.append(x[:3] * i)
    return (
        *(np.vstack(rows), np.stack(rows), np.stack(rows, axis=1), np.hstack(rows)),
        *(np.concatenate(rows), np.column_stack(rows), np.concatenate(rows, axis=None)),
        *(np.mean(rows, axis=0), np.sum(rows), np.transpose(rows)),
    )


@program("lists", X)
def indexed_by_grown_list(x):
    hull = []
    p = np.argmin(x)
    while len(hull) < 100:
        hull.append(p)
        p = (p + 3) % len(x)
        if p == hull[0]:
            break
    y = np.zeros((20, 2))
    y[hull, 1] = 1.0
    y[hull] += x[hull][:, None]
    return x[hull], y, x[[i for i in range(len(x)) if x[i] > 0]]


@program(
    "lists of arrays that are blocks",
    lambda: (np.array([[1.0, 2.0], [3.0, 4.0]]), 2),
    lambda: (np.ones((3, 3), np.float32), 3),
)
def blocks(a, n):
    columns = []
    for i in range(n):
        columns.append(a * i)
    square = np.block([[a + i * j for j in range(n)] for i in range(n)])
    numbers = np.block([float(v) for v in a[0] if v > 1])
    return (
        np.block(columns),
        square,
        np.block([columns]),
        np.block([[a[i]] for i in range(n)]),
        numbers,
    )


@program("lists", lambda: (1.0, 5), lambda: (2.0, 1))
def rows_of_numbers_of_two_kinds(y, n):
    """A float of Python's is the first number, one of NumPy's each other."""
    t, rows = 0.0, []
    for i in range(n):
        y = y if i % 2 else np.cos(y)
        rows.append((t, y))
        t += 0.5
    return np.array(rows), np.array(rows).T[1]


GRID = np.linspace(-2, 2, 70)


@program("lists", lambda: (GRID, 2**60 + 1), lambda: (GRID, 5), lambda: ([1.5, -2.0, 3.0], 7))
def ints_among_floats_of_grown_list(x, whole):
    out, rows = [], []
    for i in range(len(x)):
        if x[i] > 0.5:
            out.append(whole)
            rows.append((i, whole))
        elif x[i] > -3:
            out.append(x[i])
            rows.append((x[i], i))
    dtypes = int, float, bool, np.float32
    return [np.array(out, dtype) for dtype in dtypes], np.array(rows, dtype=int), np.array(rows)


@program("lists", lambda: (np.array([1.5, -2.0, 3.7, -1.0]), 2**60 + 1))
def ints_among_floats_of_known_list(x, whole):
    out = []
    for v in x:
        out.append(v if v > 0 else whole)
    return np.array(out, dtype=int), np.array([out, [1] * 4], int), np.asarray(out, np.float32)


@program(
    "lists checks",
    lambda: ([1.0, 300.0, -1.0],),
    lambda: ([1.0, 3.0, 1.0],),
    lambda: ([np.inf, 3.0, np.nan],),
    lambda: ([1.0, np.nan, 1e19],),
)
def floats_are_ints_of_the_dtype(x):
    return np.array(x, dtype=np.uint8)


@program("lists checks", lambda: ([[1, 2], [-1, 300]],), lambda: ([[1, 2], [-1, 30]],))
def ints_are_those_of_the_dtype(x):
    return np.array(x, dtype=np.int8)


@program(
    "lists checks",
    lambda: (np.array([1.0, -7.0, 3.5]),),
    lambda: (np.array([-1.0, 1e300]),),
)
def grown_floats_are_ints_of_the_dtype(x):
    kept, plain = [], []
    for v in x:
        if v > 0:
            kept.append(v)
            plain.append(float(v) / 4)
    return np.array(plain, dtype=np.uint8), np.array(kept, dtype=int)


@program(
    "lists checks",
    lambda: (2.0, np.array([300, 4])),
    lambda: (1e10, np.array([3, 4])),
    lambda: (2.0, np.array([40000, 4])),
    lambda: (2.0, np.array([4, 300])),
)
def numbers_that_are_stored_are_of_the_dtype(y, n):
    a = np.array([y, 1.0], dtype=np.int32)
    b = np.zeros((2, 2), np.int16)
    b[:] = [[n[0], y], [1, 2]]
    c = np.zeros(3, np.uint8)
    c[:2] = [n[1], 7]  # of NumPy's ints, those without a sign take the last bits
    d = np.zeros(2, np.int8)
    d[0] = n[1]
    return a, b, c, d


def _rows(n, m):
    return [[i * m + j for j in range(m)] for i in range(n)]


class Board:
    def __init__(self, n):
        self.rows = _rows(n, n + 1)

    def scaled(self, *, by):
        return np.array(self.rows) * by


@program("lists of lists that functions make", lambda: (4, 0.5), lambda: (1, 2.0))
def of_lists_made_by_functions(n, x):
    matrix = np.array(_rows(n, n)) + np.eye(n) * 20
    solved = np.linalg.solve(matrix, np.array([x for _ in range(n)]))
    return solved, Board(n).scaled(by=x), np.max(_rows(n, 3), axis=1), np.mean(_rows(2, n))


def _table():
    return [[float((i * 7 + j * 3) % 11) for j in range(4)] for i in range(9)]


@program("lists that data chooses", lambda: (_table(), 3.0), lambda: (_table(), 9.5))
def of_rows_that_are_chosen(rows, least):
    best = sorted([r for r in rows if r[0] > least], key=lambda r: r[1])
    kept, others = [], []
    for r in rows:
        (kept if r[0] > least else others).append(r)
    kept[0][0] = 99.0
    whole = np.vstack([np.array(kept), np.array(others)])
    return np.array(best), np.mean(best), whole, np.array(kept, dtype=int), rows


@program(
    "lists of several lengths",
    lambda: ([[1, 2], [3], [4, 5, 6], [7, 8]], 2),
    lambda: ([[1, 2], [3], [4, 5, 6], [7, 8]], 1),
)
def of_rows_of_one_length(rows, n):
    try:
        unlike = np.array([r for r in rows if r[0] < 5])
    except ValueError:
        unlike = None
    return np.array([r for r in rows if len(r) == n]), unlike


@program("lists of a length that data decides", lambda: (np.array([3.0, 4.0, 5.0]),))
def of_rows_as_long_as_data_says(x):
    k = int(x[0])
    m = np.array([[x[j] * i for j in range(k)] for i in range(4)])
    return m, m.T @ m, m.sum(axis=1), np.linalg.norm(m)


@program(
    "lists in tuples and dicts",
    lambda: ([(1.0, [2, 3]), (4.0, [5, 6])], {"a": [1, 2], "b": [3, 4]}, 2.0),
)
def of_rows_in_other_things(pairs, named, least):
    chosen = np.array([v for w, v in pairs if w > least])
    return chosen, np.array([v for v in named.values() if v[0] > least]), [*named.values()]


class Log:
    def __init__(self):
        self.rows = []

    def add(self, *row):
        self.rows.append(list(row))


@program("rows of several kinds of numbers", lambda: (np.array([1.0, 5.0, 2.0, 8.0]), 1.5))
def of_rows_of_several_kinds(x, least):
    log, pairs, nested, k = Log(), [], [], 0
    for i, v in enumerate(x):
        if v > least:
            log.add(i, float(v), v * 2)
            pairs.append([v, v * 1j])
            nested.append([[i, v], [v, True]])
    table = []
    while k < len(x) and x[k] < 7:
        table.append([k, x[k], k % 2 == 0])
        k += 1
    return np.array(log.rows), np.array(pairs), np.array(nested), np.array(table)[:, 1].mean()


@program(
    "rows of ints, or floats, that data chooses",
    lambda: ([[1, 2], [3.5, 4], [5, 6]], 2),
    lambda: ([[1, 2], [3.5, 4], [5, 6]], 3),
)
def of_rows_of_ints_or_floats(rows, least):
    kept = [r for r in rows if r[0] > least]
    return np.array(kept), np.array(kept, int), len(np.array([r for r in kept if r[0] > 9]))
