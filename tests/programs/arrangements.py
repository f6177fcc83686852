"""`itertools.combinations` and the like, iterators read twice, extreme items, chosen texts."""

import operator
from dataclasses import dataclass
from itertools import (
    accumulate,
    chain,
    combinations,
    combinations_with_replacement,
    count,
    pairwise,
    permutations,
    product,
    starmap,
)

import numpy as np

from tests.programs import program

X = lambda: (np.random.default_rng(0).normal(size=12),)
POINTS = [(0.0, 0.0), (3.0, 4.0), (1.0, 1.0), (2.0, 5.0), (6.0, 1.0), (2.0, 2.0), (7.0, 1.0)]


@program("combinations of rows", lambda: (np.random.default_rng(0).normal(size=(12, 2)),))
def closest(points):
    best, at = np.inf, None
    for (i, p), (j, q) in combinations(enumerate(points), 2):
        d = np.hypot(p[0] - q[0], p[1] - q[1])
        if d < best:
            best, at = d, (i, j)
    return best, at, max(abs(p[0]) for p, q in permutations(points, 2))


@program("combinations of tuples", lambda: (POINTS,))
def spread(points):
    best = None
    for p, q in combinations(points, 2):
        d = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
        if best is None or d < best[0]:
            best = d, p, q
    return best


@program("all tours", lambda: (np.random.default_rng(0).random((6, 6)), list("abcdef")))
def tour(d, names):
    best, way = np.inf, None
    for p in permutations(range(1, len(d))):
        cost = d[0, p[0]] + d[p[-1], 0] + sum(d[a, b] for a, b in zip(p, p[1:]))
        if cost < best:
            best, way = cost, p
    return best, way, [names[0]] + [names[i] for i in way]


@program("subsets by product", lambda: ([3, 34, 4, 12, 5, 2, 7, 8], 9))
def subsets(numbers, target):
    n = 0
    for bits in product([0, 1], repeat=len(numbers)):
        if sum(b * v for b, v in zip(bits, numbers)) == target:
            n += 1
    triples = [
        t
        for t in product(range(1, 14), repeat=3)
        if t[0] < t[1] and t[0] ** 2 + t[1] ** 2 == t[2] ** 2
    ]
    return n, triples


@program("what is combined is what it was", lambda: ([3, 1, 2, 5, 4, 9, 0], [1.0, 2]), X)
def combined(x, y=(1.0, 2)):
    total = 0
    for a, b in combinations_with_replacement(x, 2):
        x[0] += a * b
        total += a - b
    mixed = [a * b for a, b in product(y, y)]
    return total, mixed, list(permutations("abc", 2)), list(combinations([], 0))


@program("iterators are read once", lambda: ([5, 8, 3], [1, 2]))
def once(x, y):
    c, it, f = combinations(x, 2), chain(x, y), filter(None, y)
    first, second = next(it), next(it)
    return list(c), list(c), first, second, list(it), list(it), list(f), list(f)


@program("readers of iterators", lambda: ([5, 8, 3], [1, 2]))
def readers(x, y):
    sums = list(accumulate(x)), list(accumulate(x, initial=10)), list(accumulate(x, operator.mul))
    both = sorted(chain(x, y)), sum(chain(x, y)), max(chain(x, y)), 3 in chain(x, y)
    return (
        sums,
        both,
        dict(zip(chain(x, y), count())),
        list(pairwise(x)),
        list(starmap(pow, [x[:2]])),
    )


@program("next with a default", X)
def nexts(x):
    it = (float(v) for v in x if v > 0)
    a, b = next(it, 0.0), next(it, 1.0)
    return (
        a,
        b,
        list(it),
        next((i for i, v in enumerate(x) if v > 0.5), -1),
        next((v for v in x if v > 9), None),
    )


@dataclass
class Body:
    mass: float
    force: float = 0.0


@program(
    "extreme tuples and objects",
    lambda: ([(1, 5.0), (3, 2.0), (2, 9.0)], [Body(1.0), Body(3.0)]),
    X,
)
def extremes(x, bodies=(Body(2.0),)):
    if len(x) == 12:
        return (
            max(range(12), key=lambda i: x[i]),
            min(x, key=lambda v: (v > 0, -v)),
            max(x, key=abs),
        )
    for a, b in combinations(bodies, 2):
        a.force += a.mass * b.mass
    heaviest = max(bodies, key=lambda b: b.mass).mass
    return max(x), min(x), max(x, key=lambda t: t[1]), min(x, key=lambda t: (-t[1], t[0])), heaviest


@program("texts by computed indices", lambda: (np.array([2, 0, 1, 1]), ["lo", "mid", "hi"]))
def texts(x, names):
    out = []
    for v in x:
        out.append(names[v])
    a, grades = names[int(x[0])], ["F", "D", "C"]
    return (
        out,
        a == "hi",
        f"{a}!",
        names[x[1] - 1],
        ("a", "b")[x[2]],
        grades[x.argmax()],
        "FDC"[x[3]],
    )


SOME = lambda: (np.array([3.0, 1.0, 2.0, 0.5]),)
ONE = lambda: (np.array([2.5]),)
NO = lambda: (np.zeros(0),)
MANY = lambda: (np.random.default_rng(1).normal(size=40),)


@program("of as many items as data says", SOME, ONE, NO, MANY)
def of_unknown_size(x):
    kept, total = [v for v in x if v > 0.7], 0.0
    for a, b, c in combinations(x[x > 0.7], 3):
        total += abs(a - b) * c
    for a, b in permutations(kept, 2):
        total = 0.5 * total + a - 2 * b
    for a in combinations_with_replacement(kept, 2):
        total = 0.5 * total + a[0] - 2 * a[1]
    return total, [a * b for a, b in product(kept, x)]


@program("as above, appended to meanwhile", SOME, ONE, NO, MANY)
def taken_as_they_are(x):
    places = [i for i in range(len(x)) if x[i] > 0.7]
    best = None
    for i, j in combinations(places, 2):
        distance = abs(x[i] - x[j])
        if best is None or distance < best[0]:
            best = distance, i, j
            places.append(i)
    return best, list(combinations(places[:4], 2)), places


@program(
    "as many at a time as data says",
    lambda: ([3, 1, 2, 5], 7),
    lambda: ([1], 1),
    lambda: ([], 0),
    lambda: ([9, 9, 8], 17),
)
def as_many_as_data_says(x, target):
    large = [v for v in x if v > 1]
    found = [
        taken
        for n in range(len(large), 0, -1)
        for taken in combinations(large, n)
        if sum(taken) == target
    ]
    at_a_time = sum(v > 2 for v in x)
    repeated = [sum(taken) for taken in combinations_with_replacement(x, at_a_time)]
    ordered = list(permutations(x, at_a_time))
    return found, repeated, ordered, len(ordered)


@program("fewer than none at a time", lambda: ([2.5, 1.0], -1.5))
def fewer_than_none(x, by):
    return list(combinations(x, int(by)))
