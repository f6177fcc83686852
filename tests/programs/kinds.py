"""Numbers whose type depends on the path: int or float, Python's or NumPy's."""

import cmath
import math

import numpy as np

from tests.programs import program


def arrays(*ns):
    """Arrays of several dtypes, and a number."""
    dtypes = (float, np.float32, int)
    return [lambda n=n, d=d: (np.arange(3).astype(d), n) for n in ns for d in dtypes]


@program("zero-trip", *arrays(0, 2))
def sum_from_int(x, n):
    s = 0
    for i in range(n):
        s += x[i]
    return s


@program("zero-trip attributes", *arrays(0, 2))
def parts(x, n):
    s = 0.0
    for i in range(n):
        s = x[i]
    return s.real, s.imag, s.conjugate(), s.real + 1, -s.conjugate()


@program("zero-trip negative-zero", *arrays(0, 2))
def from_negative_zero(x, n):
    s = -0.0
    for i in range(n):
        s = x[i]
    return s, +s, s + s, float(s)


@program("zero-trip operators", *arrays(0, 2))
def python_numbers(x, n):
    s = 0
    for i in range(n):
        s += float(x[i])
    return s, s * 2, s + 1.5, s / 2, s // 2, -s, s > 0, abs(s), s + n, s**2


@program("zero-trip containers", *arrays(0, 2))
def in_containers(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * i
    return [s, {"a": s * 2}], s + 1, s + x[0], abs(s), float(s), np.float64(s), np.sqrt(s)


@program("branch isinstance f-string", *arrays(0, 1, 2))
def of_three_kinds(x, n):
    y = 1 if n > 1 else 2.5
    z = y if n else True
    return y, z, y * y, y + 1, isinstance(y, int), isinstance(z, float), f"{y} {z}"


@program("static-trip", *arrays(1))
def entered_for_certain(x, n):
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


@program("bool", *arrays(0, 1, 3))
def python_or_numpy_bool(x, n):
    b = False
    for i in range(n):
        b = x[i] > 1
    return b, not b, b & True


@program("while", *arrays(0, 1, 3))
def int_again(x, n):
    s = 0
    while s < n:
        s += 0.5
        if s > 2:
            s = 7
    return s


@program("branch array", *arrays(0, 1))
def times_array(x, n):
    m = x[0] if n else 0
    return x * m, m


@program("early-return nested", *arrays(0, 1, 3))
def returned_early(x, n):
    s = 0.0
    for v in x[:n]:
        for _ in range(n):
            s = s + v
        if s > 4:
            return s
    return s


@program("raise", *arrays(0, 3))
def raised_with_it(x, n):
    t = 0
    for i in range(n):
        for j in range(i):
            t += x[j]
    if t >= 0:
        raise ValueError("t", t)
    return t


@program("max min", *arrays(-1, 0, 2))
def largest_of_kinds(x, n):
    y = float(x[1]) * n
    s = 0
    for i in range(n):
        s += x[i]
    return max(0, y), min(y, 1), max(s, 0), max(n, y, 1), max(0.5, n)


@program("float int round", *arrays(-1, 0, 2))
def converted_kinds(x, n):
    t = 0
    if n > 0:
        t = float(x[1])
    u = True
    if n > 0:
        u = 2.5
    return float(t), int(t), round(t, 1), +t, t, float(u), round(u), complex(u), u.real


@program("sum list", *arrays(-1, 0, 2))
def sums_of_no_floats(x, n):
    listed = [float(x[0]) * i for i in range(n)]
    return sum(listed), float(sum(listed)), sum(listed) + 1, sum(v * 0.5 for v in listed)


# --- Attributes that are there on some paths -----------------------------------------------------


class Lazy:
    def __init__(self, v):
        self.v = v


@program("hasattr loop", *arrays(0, 1, 3))
def cached_in_the_first_turn(x, n):
    o = Lazy(x)
    for _ in range(n):
        if not hasattr(o, "cache"):
            o.cache = x.sum()
        o.v = o.v + o.cache
    return o.v


@program("getattr default", *arrays(0, 1))
def cached_or_none(x, c):
    o = Lazy(x)
    if c:
        o.cache = x * 2
    k = getattr(o, "cache", None)
    if k is None:
        k = x
    return k, hasattr(o, "cache"), hasattr(o, "v")


@program("kinds", lambda: (np.array([[3, 1, 2], [5, 4, 9]]),), lambda: (np.array([[7]], np.int8),))
def smallest_from_infinity(w):
    """What begins as an infinite float is an int from the first comparison on."""
    low, high, best, at = float("inf"), -np.inf, np.inf, None
    for i, v in enumerate(w.ravel()):
        low = min(low, v)
        high = max(high, v)
        if v < best:
            best, at = v, i
    return low, high, best, at, v < math.inf, v == math.inf, math.inf <= v


# --- 0-d arrays where they meet numbers ----------------------------------------------------------


@program("kinds", *[lambda n=n: (np.array([3.0, 1.0, 2.0]), n) for n in (0, 1, 3)])
def total_from_a_zero_d_array(x, n):
    """What NumPy computes of 0-d arrays are scalars: an array is left where no turn was taken."""
    s, size = np.zeros(()), np.array(1.0)
    for i in range(n):
        s = s + x[i]
    while size < n * 10.0:
        size = size * 2
    shown = s.shape, s.item(), s.sum(), isinstance(s, np.ndarray), isinstance(s, float), s is None
    made = np.sqrt(s), np.array([s, s]), s + x, s > 1, np.where(s > 2, s, 1.0), f"{s:.2f} {s!r}"
    kept = [s, hasattr(s, "shape"), max(s, 1.0), sum([s, s])]
    return s, float(size), {"size": size}, shown, made, kept, s if n > 1 else 2.0


@program("kinds", lambda: (np.array([3.0, 1.0, 2.0]),), lambda: (np.array([np.inf]),))
def best_from_an_infinite_zero_d_array(x):
    best, at = np.array(np.inf), -1
    for i, d in enumerate(x):
        if d < best:
            best, at = d, i
    chosen = np.array(1.0) if x[0] > 5 else x[0]
    place = np.array(0)
    while place < len(x) - 1 and x[place] < 2:
        place = place + 1
    return best, at, chosen, chosen * 2, x[place], x[place:], np.zeros((2, 2))[0, place]


class Tally:
    def __init__(self, s):
        self.s = s


@program("kinds", *[lambda n=n: (np.array([3.0, 1.0, 2.0]), n) for n in (0, 2)])
def zero_d_arrays_in_objects(x, n):
    a, pair, d, counted = Tally(np.array(0.0)), (np.array(0.0), 1), {"s": np.zeros(())}, np.array(0)

    def lesser(s, v):
        return v if v < s else s

    def add(v):
        nonlocal counted
        counted = counted + v

    low = np.array(np.inf)
    for i in range(n):
        a.s = a.s + x[i]
        pair = (pair[0] + x[i], pair[1] + 1)
        d["s"] = d["s"] - x[i]
        add(1)
        low = lesser(low, x[i])
    return a.s, pair, d, counted, low


@program("kinds", lambda: (np.array([3.0, 1.0]), np.array(2.0)))
def zero_d_array_that_others_have(x, given):
    """The caller's array stays the caller's."""
    s = given
    for v in x:
        s = s + v
    return s, given


@program("kinds", *[lambda c=c: (np.array([c, 0.0]),) for c in (1.0, -1.0)])
def item_of_several_kinds(x):
    v, w = 1 if x[0] > 0 else 2.5, 1 if x[0] > 0 else np.float64(2.5)
    at = int(x[1])
    return [v, 2.0][at], (w, w)[at], hasattr(w, "real"), hasattr(x[0], "is_integer")


@program("list complex", lambda: (np.array([1.0, -3, 2]),), lambda: (np.array([1.0, 0, 1]),))
def real_or_complex_roots(p):
    a, b, c = p
    d = b * b - 4 * a * c
    if d >= 0:
        return sorted([(-b + math.sqrt(d)) / (2 * a), (-b - math.sqrt(d)) / (2 * a)])
    return [cmath.sqrt(d) / (2 * a) - b / (2 * a)]


@program("print complex", *arrays(0, 2))
def printed_parts(x, n):
    y = 1 if x.sum() > n else 2j
    z = 2 if x.sum() > n + 2 else y
    print(y, z)
    return [z] * n


@program("branch converted", *[lambda n=n: (np.array([n]), 2.5) for n in (0, 1, 2)])
def converted_or_not(x, y):
    a = np.float64(-8.25)
    if x[0] > 0:
        a = -y
    b = a * 2
    c = b
    if x[0] > 1:
        c = np.float64(b)
    return b, c


@program("kinds", lambda: (np.array([1.5, -1.0]),), lambda: (np.array([-1.0, -2.0]),))
def of_a_dtype_that_is_said(x):
    kept = [v if v > 0 else 0 for v in x]
    total = np.sum(kept, dtype=np.float64)
    return np.array(kept, dtype=float), np.asarray(kept, dtype=np.float32), total


@program("kinds", lambda: (np.array([0.5, 3.0]), 0), lambda: (np.array([2.0, -0.0]), 4))
def negated_ints_among_floats(x, n):
    u = 0
    if x[0] > 1:
        u = x[1]
    v = n if x[0] < 1 else 0.0
    return float(-u), float(-(u + 0)), float(-v), math.copysign(1.0, -v), float(-u * -2)


@program("is none", lambda: (2.5,), lambda: (0.5,))
def number_of_several_kinds_is_none(x):
    best = least = None
    for v in [1, x]:
        if least is None or -v > least:
            best, least = v, -v
    if best is None or best is False:
        raise ValueError("no items")
    return best, max([1, x], key=lambda v: -v), best is None


@program("default", lambda: (np.array([1.0, -2.0, 3.0]), 0), lambda: (np.array([1.0, 2.0]), 5))
def default_of_another_kind(x, least):
    chosen = x[x > least]
    return max(chosen, default=0), min(chosen, default=None), max(chosen, key=abs, default="none")


class Board:
    def __init__(self, marks):
        self.moves = [
            [1, 0, 1],
            [0, 1, 1],
            [-1, 0, 1],
            [0, -1, 1],
            [1, 1, math.sqrt(2)],
            [-1, -1, math.sqrt(2)],
        ]
        self.side = round(max(marks)) + 1
        self.taken = [[False for _ in range(self.side)] for _ in range(self.side)]
        for mark in marks:
            self.taken[int(mark)][1] = True

    def free(self, i, j):
        found, length = [], 0.0
        for k, _ in enumerate(self.moves):
            row, column = i + self.moves[k][0], j + self.moves[k][1]
            if not self.taken[row][column]:
                found.append((row, column))
                length += self.moves[k][2]
        return found, length


@program(
    "lists columns index",
    lambda: ([4.0, 1.0, 2.0, 3.0, 1.0], 2, 1),
    lambda: ([5.0, 1.0, 1.0, 1.0, 1.0], 3, 2),
)
def moves_with_lengths(marks, i, j):
    return Board(marks).free(i, j)


@program(
    "lists index raises",
    *[
        lambda i=i: ([3, 4, 5], [[1, 0], [2, 1], [0.5, 2], [1, 1], [0, 0]], np.array([i]))
        for i in (0, 2)
    ],
)
def index_that_may_be_a_float(items, rows, at):
    try:
        found = items[rows[at[0]][0]]
    except TypeError as error:
        found = str(error)
    return found, (7, 8, 9)[rows[at[0]][0]]


@program("sums", *[lambda v=v: (np.array(v),) for v in ([1.0, 2.0, 4.0], [-1.0], [0.5])])
def arrays_of_sums_of_what_may_be_nothing(x):
    """A sum of nothing is an int; one float makes floats of all."""
    low, high = sum([v for v in x if v > 0]), sum([v for v in x if v > 1])
    normal = np.array([[low, high], [high, len(x)]])
    return (
        normal,
        normal / 2,
        np.array([low, 1.5, high]),
        np.stack([low, high]),
        np.mean([low, 1.0]),
    )


@program("a number among arrays", lambda: (2.0, np.arange(3.0)), lambda: (-2.0, np.arange(3.0)))
def put_beside_an_array(v, x):
    """What NumPy gives is of the array's dtype, whichever kind the number is of."""
    w = np.sqrt(v) if v > 0 else 0
    n = 0 if v < 0 else v
    joined = np.append(x[None], [[n, w, 1]], 0), np.hstack((w, x))
    rows = np.vstack([x, [w, 1, 2]]), np.concatenate(([n], x)), np.r_[w, x, n]
    return joined, rows, np.insert(x, 1, n), np.full_like(x, w), np.linspace(n, 3.0, 4)


@program("a number of a list", lambda: (2, np.arange(3)), lambda: (-2, np.arange(3)))
def put_beside_ints(v, x):
    w = 0.5 if v > 0 else 1
    return np.full_like(x, w), np.insert(x, 0, w), np.hstack((x / 2, w)), np.append(x, [w, 2.5])


def _halved(x):
    y = x / 2 if x > 1 else x * 2
    for _ in range(2):
        y = y - 1 if y > 0.25 else -y
    return y + x


@program("a function is visited once for numbers that are an int or a float", *arrays(1))
def called_with_either(x, n):
    k = 3 if x[n] > 0 else 0.5
    a, b = _halved(k), _halved(k + 1)
    c, d = _halved(k - 1), _halved(k * 2)
    return a, b, c, d, _halved(a), _halved(b)


def _bounds(places, kept):
    low, high = float("inf"), -float("inf")
    for place, is_kept in zip(places, kept, strict=True):
        if is_kept:
            low = min(low, place)
            high = max(high, place)
    return low, high


@program("an int, if there is one at all", lambda: ([4, 2], [1, 1]), lambda: ([3], [1]))
def counted_between(places, kept):
    low, high = _bounds(places, kept)
    rows = ["#" * low + "." for _ in reversed(range(low, high + 1))]
    return list(range(low, high)), rows, [0, 1] * low, (1,) * high, places[:low], "abcd"[low:]


@program("as above, or there is none", lambda: ([4, 2], [0, 1]), lambda: ([3], [0]))
def told_that_there_is_none(places, kept):
    low, high = _bounds(places, kept)
    found = []
    try:
        found.append(list(range(low)))
    except TypeError as error:
        found.append(str(error))
    try:
        found.append([1] * low)
    except TypeError as error:
        found.append(str(error))
    try:
        found.append("abc"[:high])
    except TypeError as error:
        found.append(str(error))
    return found
