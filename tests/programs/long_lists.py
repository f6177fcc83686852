"""Arguments that are long lists of numbers, which are one array each: nobody may tell."""

import bisect
import functools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from tests.programs import program


def _floats():
    return [float(v) for v in np.random.default_rng(0).normal(size=100)]


def _ints():
    return [int(v) for v in np.random.default_rng(0).integers(0, 50, 100)]


def _shared():
    x = _ints()
    return x, x


F = lambda: (_floats(),)
I = lambda: (_ints(),)


@program("reads", F, I, lambda: ([1.0, 2] * 50,), lambda: ([1j] * 100,), lambda: ([True] * 90,))
def read(x):
    ordered = isinstance(x[0], complex) or (max(x), min(x))
    return sum(x), ordered, len(x), x[0], x[-1], x[3:5], x[::-1][0], x.index(x[5]), x[7] in x, x


@program("writes", F, I)
def written(x):
    x[3] = 7.0
    x[-1] += 1.0
    y = x
    y[5] = x[4]
    z = x[:]
    z[6] = x[0]
    return x is y, z


@program("an int among floats, a float among ints", F, I)
def widened(x):
    x[3] = 7
    x[4] = 2.5
    return x[3], x[4], isinstance(x[3], int), x[5]


@program("lists that only get shorter", F, I, lambda: ([True, False] * 50,))
def shortened(x):
    y = x
    last = y.pop()
    if last == x[0]:
        x.pop()
    return last, y is x, len(x), y


@program("lists of which a part is deleted", lambda: (_floats(), 5), lambda: (_ints(), 0))
def cut(x, n):
    del x[n:]


@program("lists that are emptied", F, I)
def emptied(x):
    x.clear()


@program("methods", F, I)
def changed(x):
    x.append(1)
    first = x.pop(0)
    x.insert(3, 2)
    x.extend([1, 2])
    x += [3]
    del x[0]
    x.remove(x[10])
    return first, len(x)


@program("order", F, I)
def ordered(x):
    for i in range(len(x)):
        for j in range(len(x) - i - 1):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    y = list(x)
    x.reverse()
    x[:3] = sorted(y)[:3]
    return bisect.bisect_left(y, 20), math.fsum(y), np.dot(x, y)


@program("tallies", I)
def counted(x):
    found = {}
    for v in x:
        found[v] = found.get(v, 0) + 1
    return found, len(set(x)), Counter(x).most_common(1), [v for v in x if v > 25]


@program("two of them", lambda: (_ints(), _ints()[::-1]), _shared)
def exchanged(x, y):
    same = x is y, x == y
    x[:] = y
    y[0] = 5
    return same, x + y, [a + b for a, b in zip(x, y)][:3]


@program("values that must be known", I, lambda: (_ints()[::-1],))
def known(x):
    x[0] += 1
    return np.zeros(x[3] % 5), [0] * (x[4] % 3)


@dataclass
class State:
    weights: list
    at: int


@program("inside others", lambda: ([_ints(), _ints()], {"a": _floats()}, State(_floats(), 3)))
def nested(xs, d, state):
    xs[1][2] = 5
    d["a"][0] = 2.0
    xs[0], xs[1] = xs[1], xs[0]
    state.weights[state.at] = 1.5
    state.weights = [v * 2 for v in state.weights]
    return sum(xs[0]) + sum(d["a"])


@program("out of range", F)
def out_of_range(x):
    try:
        return x[200]
    except IndexError as error:
        return str(error)


TABLE = list(range(200))


@program("global", lambda: (np.array([3, 5]),))
def captured(i):
    return TABLE[i[0]] + TABLE[i[1]], sum(TABLE)


@program("changed on a path", I)
def changed_perhaps(x):
    if x[0] > 3:
        x.append(3)
    for v in list(x):
        if v % 2 == 0:
            x.remove(v)
    return len(x)


@program("long lists", lambda: ([float(i % 17) for i in range(200)],))
def made_when_asked_for(x):
    def squared(v):
        return v * v + 1

    total = sum(map(squared, x)) + functools.reduce(lambda a, b: a - b, map(squared, x))
    tests = any(v > 200 for v in map(squared, x)), all(map(lambda v: v >= 0, x))
    ends = (
        max(map(squared, x)),
        min(zip(x, map(squared, x))),
        max(enumerate(x), key=lambda p: -p[1]),
    )
    pairs = list(map(list, zip(x, enumerate(x))))
    first = next(map(squared, x))
    return total, tests, ends, pairs[7], first, sorted(map(squared, x))[3], len(set(map(int, x)))


@program("loops over long lists", lambda: (_ints(),))
def read_in_order(x):
    low = high = 0
    for i, v in enumerate(x):
        low ^= v + i
    for v, w in zip(x, x[1:]):
        high += abs(v - w)
    for v in reversed(x):
        low = (low * 3 + v) % 1009
    kept = [v * v % 7 for v in x if v % 2]
    return low, high, len(kept), sum(v % 3 for v in x), max(v % 5 for v in x), not x, bool(x)


@program("loops over long lists", lambda: (_ints(),), lambda: (list(range(70)),))
def asked_of_all_items(x):
    first, *rest = x
    whole = tuple(x)
    found = 7 in x, x.index(max(x)), x.count(3)
    pairs = [v + w for v, w in zip(x, x[1:])]
    order = x[::-1] == x, x < x[1:], sorted(x, key=lambda v: (v % 7, -v))[:3]
    best = min(x, key=lambda v: (v - 17) ** 2), max(range(len(x)), key=x.__getitem__)
    folded = functools.reduce(lambda a, b: (a * 31 + b) % 1000003, x)
    return first, len(rest), whole[3], found, pairs[-1], order, best, folded, len(set(x))


@program("loops over long lists", lambda: (_ints(), 5), lambda: (_floats(), 8))
def parts_and_changes(x, k):
    blocks = [x[i : i + k] for i in range(0, len(x), k)]
    sums = [sum(block) for block in blocks]
    y = x.copy()
    y.sort()
    x.clear()
    x.append(y[0])
    del y[k]
    y.remove(y[3])
    return sums, bisect.bisect(y, 5), len(y), y[-1]


@program("many equal numbers", lambda: (30000,), lambda: (7,))
def multiples(n):
    known = [True, False] * 3000
    known[1] = known[5999] = True
    kept = known
    kept[5] = n > 100
    sieve = [True] * (20000 + 1)
    sieve[0] = sieve[1] = False
    for i in range(2, 142):
        if sieve[i]:
            for j in range(i * i, len(sieve), i):
                sieve[j] = False
    counts = [0] * 5000
    for i in range(n):
        counts[i * 7 % 5000] += 1
    counts[3] = 0.5
    more = [counts[1], *counts[:3], None] * 2
    primes = [i for i, is_prime in enumerate(sieve) if is_prime]
    return sum(primes), counts[:8], known.count(True), known is kept, len(counts * 2), more


def _flags(n=200):
    return [k % 3 != 1 for k in range(n)]


@program("long lists", lambda: (_flags(), 4), lambda: ([False] * 65, 0))
def bools(flags, k):
    """They are data, as numbers are, and not what the program is compiled for."""
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    first = "yes" if flags[k] else "no"
    flags[k] = not flags[k]
    flags.append(flags[k] and k > 2)
    found = [i for i, flag in enumerate(flags) if flag][:5]
    return longest, first, sum(flags), flags.count(True), found, all(flags), flags[-1], flags


@program("long lists", lambda: ([_flags(40) for _ in range(4)],))
def tables_of_bools(rows):
    rows[1][2] = rows[0][1] is True
    return sum(map(sum, rows)), [row.index(False) for row in rows], np.array(rows), rows


FLAGS = _flags(1000)


@program("long lists", lambda: (17,), lambda: (400,))
def captured_bools(n):
    return FLAGS[n], sum(FLAGS[:n]), [k for k in range(n, n + 6) if FLAGS[k]]
