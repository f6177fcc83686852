"""What programs written for NumPy alone were found to use."""

from __future__ import annotations

import copy
import functools
import itertools
from dataclasses import asdict, astuple, dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial, polynomial

from tests.programs import program


def drawn(*shape):
    return np.random.default_rng(0).normal(size=shape)


class Point(NamedTuple):
    n: int
    x: float


@dataclass
class Square:
    side: float

    def area(self):
        return self.side**2


@dataclass(frozen=True)
class Drawing:
    square: Square
    parts: list
    at: Point
    named: dict
    text: str = "x"


@program("a tuple of a list, where data decides which", lambda: (5, 20), lambda: (7, 60))
def langtons_ant(n, steps):
    grid = np.zeros((n, n), dtype=bool)
    ways = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    d, y, x = 0, n // 2, n // 2
    for _ in range(steps):
        d = (d + (1 if not grid[y, x] else -1)) % 4
        grid[y, x] ^= True
        dy, dx = ways[d]
        y, x = (y + dy) % n, (x + dx) % n
    return grid, y, x


@program("anything of a list", lambda: (np.array([1.0, 0.5]),), lambda: (np.array([0.0, 1.5]),))
def chosen_items(x):
    i = int(x[0])
    names = [("a", 1, x), ("b", 2.5, x + 1), ("c", 3, x * 2)]
    rows = [[(1, 2), (3, 4)], [(3, 4), (5, 6)]]
    points = [Point(1, 2.0), Point(3, x[1])]
    return names[i], rows[i][int(x[1])], points[i], points[-1 - i].x, [x, x + 1][i].sum()


@program("max and min of anything", lambda: (np.array([3.0, 7, 1]),), lambda: (np.ones(3),))
def extremes(a):
    larger = max(a, a + 1, a * 2, key=lambda x: x.sum())
    larger += 1
    named = {"u": a[0], "v": a[1]}
    return (
        *(larger, a, max(named, key=named.get), min(named.items(), key=lambda kv: kv[1])),
        *(max([Square(x) for x in a], key=lambda s: s.area()), max(zip(a, [3, 4, 5], strict=True))),
        *(min((a[0], 1), (a[1], 2), key=lambda t: t[0]), max(enumerate(a), key=lambda t: t[1])),
        *(max([(x, i) for i, x in enumerate(a)]), max(int(a[0]), 5, key=lambda v: v % 3)),
    )


@program("a path by its smallest neighbours", lambda: (drawn(6, 7) ** 2,))
def path_of_least(cost):
    i, j = cost.shape[0] - 1, cost.shape[1] - 1
    path = [(i, j)]
    while (i, j) != (0, 0):
        moves = [(max(i - 1, 0), max(j - 1, 0)), (max(i - 1, 0), j), (i, max(j - 1, 0))]
        i, j = min(moves, key=lambda ij: cost[ij] + 3 * (ij == (i, j)) + 0.1 * (ij[0] + ij[1]))
        path.append((i, j))
        if len(path) > 20:
            break
    return path


@program("keywords of any name", lambda: (2.0,))
def keywords(x):
    d = dict(x=x, engine=1, other=2)
    d.update(name=x, other=3, x=x + 1, function=2)
    total = functools.partial(lambda **k: k["function"] + k["engine"], function=x, engine=2)
    text = "{x} {engine} {template}"
    return d, total(), text.format(x=1, engine=2, template=x), dict(self=1)


@program("instances as dicts and tuples", lambda: (drawn(3),))
def as_records(a):
    made = Drawing(Square(a), [Square(a * 2), 3], Point(1, a[0]), {"k": Square(a + 1)})
    record = asdict(made)
    record["square"]["side"][0] = 99
    names = asdict(made, dict_factory=lambda pairs: [name for name, _ in pairs])
    return record, astuple(made), made, names, made.at._asdict()


@program(
    "reduceat",
    lambda: (np.array([3, -1, 4, 1, -5, 9]), np.array([0, 2, 1, 3])),
    lambda: (np.array([3, 1, 4, 1, 5, 250], np.uint8), np.array([5, 0])),
    lambda: (drawn(6), np.array([0, 3, 5])),
)
def sums_of_spans(a, i):
    ordered = np.sort(a)
    starts = np.r_[0, np.flatnonzero(np.diff(ordered)) + 1]
    big, square = a[a > 0], np.outer(a, a)
    return (
        *(
            np.add.reduceat(a, i),
            np.maximum.reduceat(a, i),
            np.multiply.reduceat(a, i, dtype=float),
        ),
        *(np.add.reduceat(ordered, starts), np.minimum.reduceat(big, np.flatnonzero(big > 0))),
        *(np.add.reduceat(square, i, axis=1), np.logical_or.reduceat(square > 0, i)),
        *(np.add.reduceat(square, np.arange(0, 4, 2), axis=0), np.add.reduceat(big, [0, 1])),
    )


@program("draws into rows", lambda: (7,))
def crossed(n):
    rng = np.random.default_rng(n)
    parents = rng.integers(0, 2, (4, n))
    children = np.empty_like(parents)
    for i in range(0, 4, 2):
        c = rng.integers(1, n)
        children[i] = np.r_[parents[i, :c], parents[i + 1, c:]]
        children[i + 1] = np.r_[parents[i + 1, :c], parents[i, c:]]
    children[0] = parents[1]
    return children


@program("a range as an index", lambda: (drawn(4, 4),))
def ranges_as_indices(a):
    n = len(a)
    picked = a[np.argmax(a, axis=0), range(n)], a[range(0, n, 2)], a[range(2), 1:]
    a[range(2), range(2)] = 5
    a[:, range(1, 3)] += 1
    return picked


@program(
    "an empty list or one that grew, in a tuple",
    lambda: (np.array([2, 3, 1, 0]), 0, 1),
    lambda: (np.array([2, -1, 1, 0]), 1, 3),
)
def early_empty_list(after, u, v):
    if after[u] == -1:
        return after, [], Square([])
    path = [u]
    while u != v:
        u = int(after[u])
        path.append(u)
    return after, path, Square(path)


@program("a number of two kinds, compared", lambda: (drawn(3) ** 2,))
def close_to_what_it_was(x):
    last = 0
    for steps in range(50):
        new = x.sum() / (steps + 1)
        if np.isclose(last, new, rtol=1e-3) or np.allclose([last, 1], [new, 2]):
            break
        last = new
    return last, steps, np.argmax([last, 3])


@program(
    "objects in an order that data decides",
    lambda: (np.array([2.0, 5, 1, 3]),),
    lambda: (np.array([0.0, 3, 3, 7]),),
)
def sorted_objects(x):
    pairs = [(x[0], 1), (x[1], 2), (x[2], 3), (x[0], 4)]
    named = {"a": x[0], "b": x[1], "c": x[2]}
    squares = [Square(v) for v in x]
    squares.sort(key=lambda s: s.side)
    small = x.astype(np.uint8)
    return (
        *(sorted(pairs, reverse=True), sorted(pairs, key=lambda t: (-t[0], t[1])), squares),
        *(sorted(named, key=lambda k: named[k]), sorted([x, x + 1], key=lambda a: -a.sum())),
        *(sorted(small, reverse=True), sorted([small[0], small[1]], reverse=True)),
        *(sorted([v > 1 for v in x], reverse=True), sorted(x.tolist(), reverse=True)),
    )


@program(
    "numbers of a part that data decides",
    lambda: (np.array([3.0, 1, 2, 5, 4]),),
    lambda: (np.array([3.0, 2, 1]),),
    lambda: (np.eye(3)[1],),
)
def vertex_of_a_parabola(x):
    at = np.argmin(x[1:]) + 1
    a, b, *_ = x[at - 1 : at + 2]
    try:
        a, b, c = x[at - 1 : at + 2]
    except ValueError:
        return -2.0, a, b
    rows = np.outer(x, x)[x > 1]
    try:
        first, second = rows
    except ValueError:
        return -1.0, a, b
    return 0.5 * (a - c) / (a - 2 * b + c), first[1], second[0]


@program("sums over arrangements", lambda: (drawn(4, 2),))
def sums_over_arrangements(p):
    pairs = dict((i, j) for i, j in itertools.combinations(range(3), 2))  # noqa: C402
    return (
        *(sum(np.linalg.norm(a - b) for a, b in itertools.combinations(p, 2)), pairs),
        *(sum(a[0] * b for a, b in itertools.product(p, (1, 2))), dict(itertools.pairwise("abc"))),
    )


@program(
    "poly1d", lambda: (np.arange(6.0), [1.0, -3.0, 2.0]), lambda: (np.arange(4.0), [0.0, 0.0, 2.0])
)
def polynomials(x, coefficients):
    fitted = np.poly1d(np.polyfit(x, x * x + 1, 2))
    p = np.poly1d(coefficients)
    product = 2 * p * p - p / 2 + 1
    at = 0.2
    for _ in range(4):
        at = at - (p(at) - 1) / (p.deriv()(at) + 5)
    known = p.order, len(product), p[0], p[7], p == p, p != product
    return fitted(x), product.coeffs, p.integ()(x), (p**2)(1.0), known, at, -p


@program("poly1d mutation", lambda: (np.arange(1.0, 4.0),))
def polynomials_share_coefficients(a):
    p = np.poly1d(a)
    q = np.poly1d(p)
    a[0] = 5.0
    return p(2.0), q[2], np.poly1d([1, 2])(q).coeffs, np.poly1d([2.0, 1.0], True).c


@program("text of what is written to afterwards", lambda: (np.arange(4.0),))
def text_before_a_change(x):
    items, named = [x[0], x[1:]], {"a": x[2]}
    text = f"{x} {items} {x[1:3]}", str(named), format(items), f"{(x, items)!r}"
    x[:] = 7.0
    items[0], named["a"] = 9.0, 5.0
    return text


@program("prints lists whose length data decides", lambda: (drawn(9),), lambda: (np.zeros(3),))
def shown_lists(x):
    found, tallies, names = [], {}, []
    for i, v in enumerate(x):
        k = int(v * 2)
        tallies[k] = tallies.get(k, 0) + 1
        if v > 0:
            found.append((i, float(round(v, 3))))
            names.append("up" if v > 0.5 else "low")
    text = f"{found} {tallies} {len(names)}"
    print(found, {"names": names}, tuple(found), tallies)
    found.append((-1, 0.0))
    print(text, "-".join(names), [[n] for n in found[:0]])
    return text, names, found


@program("texts joined", lambda: (drawn(9),), lambda: (np.zeros(3),))
def joined_texts(x):
    letters = []
    for v in x:
        if v > 0:
            letters.append("ab"[int(v > 0.5)])
    joined = "".join(letters)
    letters.append("z")
    numbers = [i for i, v in enumerate(x) if v > 0]
    try:
        failed = len(", ".join(numbers))
    except TypeError:
        failed = -1
    backwards = "".join(reversed(letters)), ",".join(letters[::-1]), "|".join(letters[:1])
    return joined, backwards, "".join("x" if v > 0 else "." for v in x), failed


@program("deepcopy keeps what is one object one", lambda: (np.arange(3.0),))
def copied_deeply(x):
    row = [1.0, x]
    rows = [row, row, (row, x), {"row": row}]
    made = copy.deepcopy(rows)
    made[0][0] = 9.0
    made[1][1][0] = 5.0
    same = made[0] is made[1], made[2][0] is made[0], made[3]["row"] is made[1], made[0] is row
    return made, rows, same


def _pairs(iterable):
    first, second = itertools.tee(iterable)
    next(second, None)
    return zip(first, second, strict=False)


@program("tee", lambda: (np.array([1.0, 3.0, 2.0]),), lambda: (np.zeros(1),))
def neighbours(x):
    steps = [b - a for a, b in _pairs(x)]
    rises = sum(1 for a, b in _pairs(x) if b > a)
    return steps, rises, list(_pairs("abc")), list(_pairs(v * 2 for v in (1, 2, 3)))


@program(
    "unpacks one of two", lambda: (drawn(6), drawn(6)[::-1]), lambda: (np.zeros(2), np.ones(2))
)
def line_or_level(x, y):
    slope, level = np.polyfit(x, y, 1) if np.ptp(x) > 0 else (0.0, y.mean())
    first, (*others, last) = (x[0], y) if x[0] > y[0] else [1, [y[0], 2.0, x[1]]]
    return slope, level, first, others[0], last


PQ = lambda: (np.array([3.0, -2.0, 1.0]), np.array([1.0, 1.0]))


OTHERS = (lambda: (np.array([1, 1]), np.array([-0.5, -0.5])), lambda: PQ()[::-1])


@program("polynomials", PQ, *OTHERS)
def polynomials_as_objects(p, q):
    P, Q = Polynomial(p), Polynomial(q)
    total = P + 2 * Q
    return total, total(1.5), P == Q, -P, len(total), total.degree()


@program("polynomials", PQ, *OTHERS)
def products_of_polynomials(p, q):
    product = (Polynomial(p) * Polynomial(q) - 1) ** 2
    return product.coef, product(np.arange(3.0))


@program("polynomials", PQ, *OTHERS)
def slopes_of_polynomials(p, q):
    P = Polynomial(p)
    return P.deriv()(2.0), P.integ(1, k=2)(0.5), Chebyshev(q)(0.3)


@program("polynomials", PQ, lambda: (np.array([3.0, -2.0, 0.0]), np.array([2.0])))
def quotients_and_fits(p, q):
    whole, rest = divmod(Polynomial(p), Polynomial(q))
    fit = Polynomial.fit(np.arange(3.0), p, 2)
    return whole.coef, rest.coef, fit(0.5), fit.domain


@program(
    "polynomials, checks",
    lambda: (np.array([3.0, -2.0, 1.0]), 0.0),
    lambda: (np.array([3.0, -2.0, 1.0]), 9.0),
    lambda: (np.zeros(0), 1.0),
    lambda: (np.ones((2, 2)), 1.0),
)
def coefficients_that_are_none(p, limit):
    try:
        return Polynomial(p)(2.0), polynomial.polyadd(p[p > limit], p), polynomial.polymul(p, 2.0)
    except ValueError as error:
        return str(error)


@program("polynomials", lambda: (np.array([3.0, -2.0, 1.0]),))
def known_coefficients(x):
    p = Polynomial([1.0, 2.0, 3.0])
    for k in range(3):
        p.coef[k] += x[k]
    return (
        p,
        p(x),
        (Polynomial([1, 2]) * x[0]).coef,
        np.iinfo(np.uint64).max > x,
        np.finfo(float).eps,
    )


@program("numpy sizes", lambda: (np.array([3.0, 1.0, 3.0, -2.0]),), lambda: (-np.ones(2),))
def tables_of_what_was_found(x):
    levels, high = np.unique(x), x[x > 0]
    rows = np.multiply.outer(levels, x)
    apart = np.subtract.outer(rows, high)
    return rows, apart.sum(), np.add.outer(2, high), np.maximum.outer(high, [[1.0, 2.0]])


@program("indices", lambda: (np.array([[1.0, -2.0], [-3.0, 4.0], [5.0, -6.0]]),))
def reflected_where_outside(p):
    for d in range(2):
        outside = np.where(p[:, d] < 0)
        p[outside, d] *= -1
    w = np.nonzero(p[:, 0] > 2)
    return p, p[w, 1], p[w, :], p[[w[0]]], p[:, 0][list(w)]


@program(
    "indices",
    lambda: (np.array([1.0, -2.0, -3.0]), np.array([-4.0, 5.0, -6.0])),
    lambda: (np.array([1.0, -2.0]), np.array([-4.0, -6.0])),
)
def rows_of_indices(a, b):
    i, j = np.where(a < 0)[0], np.where(b < 0)[0]
    x = np.arange(10.0)
    y = x[[i, j]]
    x[[i, j]] += 1
    return y, x, x[[i]], x[[i], None]


def central_differences(f, x):
    """The gradient of `f` by the elements of an array of any shape, which it changes meanwhile."""
    slopes, h = np.zeros_like(x), 1e-4
    walk = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not walk.finished:
        at = walk.multi_index
        kept = x[at]
        x[at] = kept + h
        above = f(x)
        x[at] = kept - h
        slopes[at] = (above - f(x)) / (2 * h)
        x[at] = kept
        walk.iternext()
    return slopes


@program("nditer", lambda: (drawn(2, 3), drawn(3)), lambda: (drawn(1, 2), drawn(2)))
def slopes_by_differences(w, x):
    def loss(_):
        return np.sum(np.tanh(w @ x) ** 2)

    return central_differences(loss, w), central_differences(loss, x)


@program("nditer", lambda: (drawn(2, 3),), lambda: (drawn(4),), lambda: (np.array(2.0),))
def walks_over_elements(x):
    total, seen = 0.0, []
    for v in np.nditer(x):
        total += v
    walk = np.nditer(x, ["multi_index"])
    for v in walk:
        if v > 0:
            seen.append((walk.multi_index, float(v)))
    with np.nditer([x, x > total], ["c_index"], [["readwrite"], ["readonly"]]) as both:
        for v, above in both:
            if above:
                v[...] = both.index
            else:
                both[0] = -v
    return total, seen, x, [float(a * b) for a, b in np.nditer([x, x + 1])]


@program("nditer", lambda: (np.arange(3.0),), lambda: (np.zeros(0),))
def ends_of_walks(x):
    said = []
    try:
        walk = np.nditer(x)
        while walk.iternext():
            pass
        said.append((walk.finished, walk.iterindex, walk.itersize))
        said.append(walk.value)
    except ValueError as error:
        said.append(str(error))
    try:
        said.append(np.nditer(x, ["zerosize_ok"]).multi_index)
    except ValueError as error:
        said.append(str(error))
    return said
