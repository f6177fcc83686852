# ruff: noqa: E741
"""Dicts and sets whose keys the data decide: counting, grouping, looking up."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from tests.drawn import L, R
from tests.programs import program


@program("data", lambda: (R(),))
def count_int(x):
    counts = {}
    for v in x:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return counts


@program("data", lambda: (R(),))
def count_if(x):
    counts = {}
    for v in x:
        v = int(v)
        if v in counts:
            counts[v] += 1
        else:
            counts[v] = 1
    return counts, len(counts)


@program("data", lambda: (R(),))
def count_np(x):
    counts = defaultdict(int)
    for v in x:
        counts[v] += 1
    return dict(counts)


@program("data", lambda: (L(),))
def counter_list(x):
    c = Counter(x)
    return c, c.most_common(2), max(c, key=c.get)


@program("data", lambda: (R(),))
def counter_arr(x):
    c = Counter(x.tolist())
    return sorted(c.items()), sum(c.values())


@program("data", lambda: (R(),))
def seen_dups(x):
    seen = set()
    dups = 0
    for v in x:
        v = int(v)
        if v in seen:
            dups += 1
        seen.add(v)
    return dups, len(seen), sorted(seen)


@program(
    "data",
    lambda: (
        L(12, 40),
        41,
    ),
)
def two_sum(nums, target):
    d = {}
    for i, v in enumerate(nums):
        if target - v in d:
            return d[target - v], i
        d[v] = i
    return -1, -1


@program("data", lambda: (R(40),))
def dict_iter(x):
    d = {}
    for i in range(len(x)):
        d[int(x[i])] = i
    s = 0
    for k in d:
        s += k * d[k]
    for k, v in d.items():
        s += k - v
    for v in d.values():
        s += v
    return s


@program("data", lambda: (R(40),))
def dict_del(x):
    d = {}
    for v in x:
        v = int(v)
        if v in d:
            del d[v]
        else:
            d[v] = v * v
    return d


@program("data", lambda: (R(40),))
def dict_pop(x):
    d = {}
    t = 0
    for i, v in enumerate(x):
        v = int(v)
        t += d.pop(v, -1)
        d[v] = i
    return d, t


@program("data", lambda: (R(20, 50),))
def last_index(x):
    last = {}
    best = 0
    start = 0
    for i in range(len(x)):
        c = int(x[i]) % 7
        if c in last and last[c] >= start:
            start = last[c] + 1
        last[c] = i
        best = max(best, i - start + 1)
    return best


@program(
    "data",
    lambda: (
        R(25, 5),
        7,
    ),
)
def subarray_sum(x, k):
    pre = {0: 1}
    s = 0
    res = 0
    for v in x:
        s += int(v)
        res += pre.get(s - k, 0)
        pre[s] = pre.get(s, 0) + 1
    return res


@program("data", lambda: (R(30),))
def groups(x):
    g = defaultdict(list)
    for i, v in enumerate(x):
        g[int(v)].append(i)
    return g


@program(
    "data",
    lambda: (
        R(20, 10),
        R(
            20,
            10,
            0,
        ),
    ),
)
def lookup_table(x, y):
    d = {0: 1.5, 1: 2.5, 2: 0.5}
    t = 0.0
    for v in x:
        if int(v) in d:
            t += d[int(v)]
    return t


@program("data", lambda: (R(30, 6),))
def mode(x):
    c = {}
    for v in x.tolist():
        c[v] = c.get(v, 0) + 1
    best = max(c.values())
    return [k for k, v in c.items() if v == best]


@program("data", lambda: (R(30, 6),))
def counter_sub(x):
    need = Counter(x[:10].tolist())
    have = Counter(x[10:].tolist())
    ok = all(have[k] >= v for k, v in need.items())
    return ok, need - have if False else None


@program("data", lambda: (R(30, 6),))
def hist_float(x):
    h = {}
    for v in x:
        b = round(v * 0.5, 1)
        h[b] = h.get(b, 0.0) + 0.5
    return h


@program("data", lambda: (R(16, 4),))
def dict_arg_sum(x):
    d = {}
    for v in x.tolist():
        d.setdefault(v, []).append(v * v)
    return {k: sum(v) for k, v in d.items()}


@program("closure dict set unrolled", *[lambda x=x: (np.array(x),) for x in ([1, 2, 3], [0, 1, 1])])
def kept_between_few_calls(x):
    memo, seen = {}, set()

    def remembered(n, k):
        if n <= 0:
            return k
        for _ in x:
            k += 1
        if n in memo:
            return memo[n]
        memo[n] = k
        return k

    def first(n):
        if n <= 0:
            return 0
        for _ in x:
            pass
        if n in seen:
            return 5
        seen.add(n)
        return len(seen)

    total = sum(remembered(x[v], v) for v in range(2))
    return total, len(memo), memo.get(x[1], 4), sum(first(x[1]) for _ in range(3))


@program("a count in a nest of small loops", lambda: ([[1, 1, 0], [0, 1, 0], [0, 1, 0]],))
def overlaps_of_images(image):
    """Four loops of few iterations each are much code in each other."""
    n, shifts = len(image), Counter()
    for i in range(n):
        for j in range(n):
            if image[i][j]:
                for h in range(n):
                    for k in range(n):
                        if image[k][h]:
                            shifts[(i - h, j - k)] += 1
    return max(shifts.values()) if shifts else 0
