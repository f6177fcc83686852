"""Tuples, comparisons, sums and the like of lists whose length the data decides."""

import bisect
import functools
import itertools
import math
import operator

import numpy as np

from tests.programs import program

X = lambda: (np.random.default_rng(0).normal(size=10),)
NONE = lambda: (np.full(10, -1.0),)
XY = lambda: (np.random.default_rng(0).normal(size=10), np.random.default_rng(1).normal(size=10))


@program("tuple of a growing list", X, NONE)
def frozen(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    t = tuple(out)
    u = t + (1.0,)
    kinds = isinstance(t, tuple), isinstance(t, list), type(t) is tuple
    return t, u, len(t), t[1:], kinds, t * 2, sum(t), t.count(1.0), t == tuple(out), t == out


@program("tuple of pairs, and of what is filtered", X)
def frozen_pairs(x):
    t = tuple((i, float(v)) for i, v in enumerate(x) if v > 0)
    total = 0.0
    for i, v in t:
        total += i * v
    u = t
    t += ((0, 1.0),)
    return t, u, total, t[0], t[-1], tuple(reversed(t)), tuple(sorted(t))


@program("writing to a tuple", X)
def frozen_stays(x):
    t = tuple(v for v in x if v > 0)
    try:
        t[0] = 1.0
    except TypeError as error:
        return t, str(error)


@program("== + * of growing lists", XY, lambda: (NONE()[0], NONE()[0]))
def compared(x, y):
    a = [v for v in x if v > 0]
    b = [v for v in y if v > 0]
    equal = a == b, a != b, a == a.copy(), a == [], a == [1.0], [] == b, a == (), a < b, a >= b
    return equal, a * 3, 2 * b, a + b, [1.0, 2.0] + a


@program("fsum and prod of growing lists", X, NONE)
def summed(x):
    a = [v for v in x if v > 0]
    n = [int(v * 10) for v in x if v > 0.5]
    return math.fsum(a), math.prod(n, start=2), math.fsum(n), math.fsum(v for v in x if v > 0)


@program("max and min with a default", X, NONE)
def defaults(x):
    a = [v for v in x if v > 0]
    key = max(a, key=lambda v: -v, default=0.5)
    return max(a, default=0.0), min(a, default=None), key, min((v for v in x if v > 2), default=3)


@program("longest increasing subsequence", lambda: (np.array([3, 1, 2, 0, 3, 1]),))
def increasing(x):
    tails = []
    for v in x.tolist():
        i = bisect.bisect_left(tails, v)
        if i == len(tails):
            tails.append(v)
        else:
            tails[i] = v
    return tails, tails < [5, 1], tails == sorted(tails)


def _parts(x):
    a, b, *rest = [v for v in x if v > 0]
    return a, b, rest


@program("unpacking what grew", X)
def unpacked(x):
    out = [v for v in x if v > 0]
    first, *middle, last = out
    return first, middle, last, _parts(x)


@program("unpacking too few", lambda: (NONE()[0],))
def unpacked_short(x):
    first, second = [v for v in x if v > 0]
    return first + second


@program("linear algebra of what a mask chooses", lambda: (0.3,), lambda: (-1.0,), lambda: (0.95,))
def algebra_of_chosen(t):
    rng = np.random.default_rng(0)
    x, y = rng.random((9, 2)), np.linspace(0.0, 1.0, 9)
    m = y >= t
    solution, residuals, rank, s = np.linalg.lstsq(x[m], y[m], rcond=None)
    many = np.linalg.lstsq(x[m], np.stack([y[m], 2 * y[m]], 1), rcond=-1)[0]
    columns = rng.random((3, 9))[:, m]
    wide = np.linalg.lstsq(columns, np.arange(3.0), rcond=None)[0]
    for k in range(4):
        if y[2 * k] > t:
            break
    z = rng.random((4, 4))[: k + 1, : k + 1]
    a = z @ z.T + np.eye(4)[: k + 1, : k + 1]
    solved = np.linalg.solve(a, y[: k + 1]), np.linalg.solve(a, z)
    of_matrix = np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(a), np.linalg.slogdet(a)
    b = rng.random((5, 4))[: k + 2, : k + 1]
    tall = np.linalg.lstsq(b, np.ones(k + 2), rcond=None)
    return solution, residuals, rank, s, many, solved, of_matrix, wide, tall


@program("polynomials fitted to what a mask chooses", lambda: (-0.5,), lambda: (-9.0,))
def fitted_to_chosen(t):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=12), rng.normal(size=12)
    m = x > t
    many = np.polyfit(x[m], np.stack([y[m], x[m] ** 3], 1), 2)
    a = np.polyfit(x[m], y[m], 2), np.polyfit(x[m], y[m], 1, w=np.abs(x[m])), many
    return a, np.polyfit(x[m], y[m], 1, full=True), np.polyfit(x[m], y[m], 1, cov=True)


@program("covariances of each class", lambda: (np.arange(12) % 3,))
def covariances_of_classes(labels):
    x = np.random.default_rng(1).random((12, 3))
    found = []
    for k in range(3):
        z = x[labels == k]
        found.append((np.cov(z, rowvar=False), np.cov(z.T, ddof=0), np.cov(z.T, bias=True)))
        found.append((np.corrcoef(z.T), np.cov(z[:, :1].T)))
    return found


@program("tolist of what was found", lambda: (np.array([[1.0, -2.0, 3.0], [0.0, 2.0, -1.0]]),))
def found_as_lists(x):
    per_row = [np.where(r > 0)[0].tolist() for r in x]
    total = 0
    for i in np.flatnonzero(x[0]).tolist():
        total += i
    places = np.argwhere(x > 0).tolist()
    places.append([7, 7])
    lowest = sorted(x[x > 0].astype(np.float32).tolist())[:2]
    return per_row, total, places, lowest, len(x[x > 9].tolist()), {0: np.unique(x).tolist()}


@program("tolist of many", lambda: (np.arange(2000.0),), lambda: (np.arange(70, dtype=np.uint8),))
def many_as_list(x):
    l = x.tolist()
    total = 0
    for v in l:
        total += v
    l.append(3)
    l[2] = x[7].item()
    rows = x.reshape(-1, 2).tolist()
    rows[1][1] = x[-1].item()
    signs = (x > 3).tolist()
    return total, len(l), l[-3:], sorted(l)[:3], l.count(7), rows, signs, (x + 1j).tolist()[-1]


@program("tolist, then other items", lambda: (np.arange(100.0),))
def many_as_list_of_anything(x):
    l = x.tolist()
    l[3] = None
    return l, [str(v) for v in x.tolist()][:2]


@program("an int among many floats", lambda: (np.arange(100.0),))
def int_among_floats(x):
    l = x.tolist()
    l.append(3)
    l.insert(1, True)
    doubled = [v * 2 for v in l]
    positions = l.index(7), l.index(True), 3 in l, -3 in l, l.count(3)
    back = l[::-1][:3], list(reversed(l))[:2], sorted(l, reverse=True)[:2], min(l), max(l)
    gone = l.pop(), l.pop(0), l.pop(5)
    l.remove(9)
    del l[3:7], l[-1]
    l += [2, 2.5]
    l.extend(range(3))
    return l, doubled, positions, back, gone, sum(l), len(l), l == l[:], l < [5] + l, 2 * l[-2:]


@program("a bool, a complex number, None and a text among many numbers", lambda: (np.arange(80),))
def others_among_many(x):
    ints, some, texts, waves = x.tolist(), x.tolist(), x.tolist(), (x / 2).tolist()
    ints.append(True)
    ints.reverse()
    some[3] = None
    some += [None, 2**60 + 1]
    texts.insert(2, "a")
    waves.append(1j)
    found = some.index(None), some.count(None), None in some, 7 in some, some[3] is None
    ones = ints.count(1), ints[0] is True, ints[1] is True, isinstance(ints[0], bool)
    return ints, sorted(ints)[:3], some, found, ones, texts[:4], texts.index("a"), waves, sum(waves)


@program("steps of many numbers", lambda: (np.arange(100.0),))
def many_in_steps(x):
    l, m = x.tolist(), x.tolist()
    l.append(2)
    del l[::2]
    m[:4:2] = [7, 8.5]
    l.reverse()
    return l, m, np.diff(l), np.ediff1d(l), np.array(l).reshape(2, -1)


@program("differences of a list that was put in order", lambda: (np.arange(6.0) ** 2,))
def differences_in_order(x):
    l = []
    for v in x:
        l.append(float(v))
    l.reverse()
    differences = np.diff(l), np.diff(l, 2), np.diff(sorted(l)), np.diff(l, 9)
    l[:3] = sorted(l)[:3]
    return differences, l


@program("slices of a short list that data decides", lambda: (np.array([1.0, 5.0, 2.0]),))
def slices_by_data(x):
    l = [1.0, 2.0, 3.0, 4.0]
    k = int(np.argmax(x))
    l[k:] = [x[0], 7.0]
    m = [x[1], x[2]]
    m[:k] = []
    return l, m


@program("sizes that cancel where arrays are joined", lambda: (np.arange(1.0, 8.0),))
def all_but_one(x):
    n = len(x)
    sums = np.zeros((n, 5))
    for i in range(n):
        others = x[np.concatenate((np.arange(i), np.arange(i + 1, n)))]
        picked = x[np.r_[0:i, i + 1 : n]]
        turned = np.append(x[i:], x[:i])
        product = np.convolve(x[: i + 1], x[i:])
        sums[i] = others.sum(), len(picked), picked @ others, turned @ x, len(product)
    return sums


@program("r_ of ranges of unknown length", lambda: (6,), lambda: (1,))
def joined_ranges(n):
    total = 0.0
    for i in range(n):
        total += (
            np.r_[0:i].sum() + np.r_[0.5, 0:i, i].mean() + len(np.c_[np.arange(i), np.arange(i)])
        )
    return total


@program(
    "diagonals of unknown length", lambda: (np.arange(7) % 4.0, 2.5), lambda: (np.arange(6.0), 9.0)
)
def band_matrix(x, limit):
    n = 1
    while n < len(x) - 1 and x[n] < limit:
        n += 1
    band = np.diag(x[:n]) + np.diag(x[1:n], 1) + np.diag(x[1:n], -1)
    diagonals = np.diag(x[:n], -2), np.diag(band), np.diag(band[:, :-1], 1), np.diag(band, -3)
    np.fill_diagonal(band[1:], 9.0)
    return band, diagonals


@program("functools and itertools of filtered arrays", X, NONE)
def tools_of_what_is_left(x):
    y = x[x > 0]
    listed = [v for v in x if v > 0]
    horner = functools.reduce(lambda total, v: total * 2 + v, y[::-1], 0.0)
    counted = functools.reduce(lambda found, v: (found[0] + v, found[1] + 1), listed, (0.0, 0))
    sums = list(itertools.accumulate(y)), list(itertools.accumulate(y, max, initial=1.0))
    joined = list(itertools.chain(y, x)), list(itertools.chain.from_iterable([y, listed]))
    steps = [b - a for a, b in itertools.pairwise(y)], list(itertools.islice(y, 1, None, 2))
    return horner, counted, sums, joined, steps, list(itertools.starmap(divmod, zip(y, y)))


@program("reduce of an empty array", X, NONE)
def product_of_what_is_left(x):
    return functools.reduce(operator.mul, x[x > 0]), functools.reduce(np.maximum, x[x > 0])


@program("functools and itertools of rows", X, NONE)
def rows_that_are_left(x):
    rows = x.reshape(5, 2)
    rows = rows[rows[:, 0] > 0]
    total = functools.reduce(lambda a, b: a + b, rows, np.zeros(2))
    return total, list(itertools.starmap(max, rows)), [r.sum() for r in itertools.islice(rows, 2)]


@program("zip of rows", lambda: ([1.5, 2.0, -1.0, 4.0, 3.0],), lambda: ([-1.0],))
def columns_of_pairs(x):
    pairs = [(i, v) for i, v in enumerate(x) if v > 0]
    places, values = zip(*pairs)
    squares = [(i, i * i) for i in places]
    return sum(places), values, len(values), [max(c) for c in zip(*squares)]


@program("zip of rows", lambda: ([[1, 2, 3], [4, 5], [0, 1, 1]],))
def columns_of_lists(rows):
    kept = [[v * 2 for v in row] for row in rows if row[0] > 0]
    lists, totals = [list(c) for c in zip(*kept)], list(map(sum, zip(*kept)))
    return lists, totals, len(kept)


@program("zip of rows", lambda: ([[1, 2, 3], [4, 5, 6], [0, 1, 1]],), lambda: ([[-1, 0]],))
def columns_of_rows_that_change(rows):
    kept = [row for row in rows if row[0] > 0]
    columns = zip(*kept)
    kept.append([7, 8, 9])
    totals = []
    for column in columns:
        kept[0][-1] += 1
        totals.append(sum(column))
    return totals, rows


def _weighted(first, *rest, weight=2):
    total = first
    for x in rest:
        total += x * weight
    return total, len(rest), rest


class Polynomial:
    def __init__(self, *coefficients):
        coefficients = list(coefficients)
        while len(coefficients) > 1 and coefficients[-1] == 0:
            coefficients.pop()
        self.coefficients = coefficients

    def times(self, other):
        product = [0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Polynomial(*product)

    def followed_by(self, *more):
        return Polynomial(*self.coefficients, *more, 1)


@program("star", lambda: ([1, 2, 3, 4, -1, 5],), lambda: ([-1, -1, -1, -1, 1],))
def arguments_of_unknown_number(xs):
    kept = [x for x in xs if x > 0]
    inner = lambda a, *b: a + sum(b)  # noqa: E731
    return _weighted(0, *kept), _weighted(1, 2, *kept, weight=3), inner(1, *kept)


@program("star classes", lambda: ([1, 2, 3, 0, 0], [0, 1, 0]), lambda: ([4, 0, 0, 5, 6], [1, 1]))
def polynomials(a, b):
    p = Polynomial(*a).times(Polynomial(*b))
    return p.coefficients, p.followed_by(7, 8).coefficients


W = lambda: (*XY(), np.random.default_rng(2).normal(size=(10, 3)))


@program("averages of what a mask keeps", W)
def weighted(x, y, z):
    m, w = x > 0, np.abs(y)
    rows = z[m]
    lines = np.average(x[m], weights=w[m]), np.average(x[m].astype(int), weights=m[m])
    by_row = [np.average(rows, axis=0, weights=w[m]), np.average(rows.T, axis=1, weights=w[m])]
    both = np.average(rows, axis=0, weights=w[m], returned=True), np.average(rows, weights=rows)
    kept = np.average(rows, axis=0, weights=w[m], keepdims=True)
    return lines, by_row, both, kept, np.average(rows, axis=1, weights=np.arange(3))


@program(
    "averages of what a mask keeps, checks",
    XY,
    lambda: (np.ones(4), np.zeros(4)),
    lambda: (np.full(4, -1.0), np.ones(4)),
)
def weights_that_do_not_fit(x, w):
    m = x > 0
    found = []
    for weights in (w[m], w[~m], w[~m][:2]):
        try:
            found.append(np.average(x[m], weights=weights))
        except (ZeroDivisionError, TypeError) as error:
            found.append(str(error))
    return found


SIGNS = lambda: ([5, -3, 7],)
ONE, ABSENT, MANY = lambda: ([5],), lambda: ([-1, -2],), lambda: ([1, 2, 3, 4],)


@program("as many arguments as there are positive numbers", SIGNS, ONE, ABSENT, MANY)
def given_to_two(xs):
    positive = [x for x in xs if x > 0]
    ratio = lambda x, y: x / y
    return ratio(*positive), ratio(1, *positive[:1]), ratio(*(x + 1 for x in positive))


def _first(a, *others, scale=1):
    return a * scale, len(others), sum(others)


@program("the first parameter and those that take the others", SIGNS, ONE, ABSENT, MANY)
def given_to_first(xs):
    positive = [x for x in xs if x > 0]
    return _first(1, *positive), _first(*positive, scale=2), _first(*positive, 8)


@program("max, min, gcd, lcm and chain of as many arguments", SIGNS, ONE, ABSENT, MANY)
def given_to_library(xs):
    positive = [x for x in xs if x > 0]
    found = math.gcd(*positive), math.lcm(2, *positive), max(0, *positive, 1)
    rows = list(itertools.chain([0], *[[x] * x for x in positive]))
    try:
        found += max(*positive), min(*positive, key=lambda x: -x)
    except TypeError as error:
        return found, rows, str(error)
    return found, rows


@program("prints as many arguments", SIGNS, ABSENT)
def given_to_print(xs):
    positive = [x for x in xs if x > 0]
    print(*positive)
    print(len(positive), *[x / 2 for x in positive], sep=", ", end=".\n")


class Coefficients:
    def __init__(self, *c):
        c = list(c)
        while len(c) > 1 and c[-1] == 0:
            c.pop()
        self.c = tuple(c)

    def __add__(self, other):
        pairs = itertools.zip_longest(self.c, other.c, fillvalue=0)
        return Coefficients(*(a + b for a, b in pairs))


@program("a generator as arguments", lambda: ([1, 2], [3, -2, 0]), lambda: ([1, 2, 3], [4, -2, -3]))
def given_generator(a, b):
    return (Coefficients(*a) + Coefficients(*b)).c


@program("as many arguments default", lambda: (3,), lambda: (1,), lambda: (7,))
def default_beside_arguments(n):
    xs = []
    for i in range(n):
        if i % 3 != 1:
            xs.append(i * 2 - 3)
    try:
        return min(*xs, default=4)
    except TypeError as error:
        return str(error)
