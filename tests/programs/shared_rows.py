"""Lists that are in several places: copies and choices of them, and programs that use these."""

from __future__ import annotations

import copy
from collections import defaultdict, deque

import numpy as np

from tests.drawn import R
from tests.programs import program

SHARED = "lists in several places"


def X():
    return np.array([3, 1, 2, 3, 1, 5, 2, 2])


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def popped_and_last(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    p = rows.pop()
    q = rows[-1]
    p.append(3)
    q.append(4)
    return rows, p, q


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def unpacked(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    first, *rest = rows
    first.append(3)
    return rows, first, rest


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def repeated_rows(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows * 2
    s[0].append(4)
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def loops_over_sorted(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    for r in reversed(rows):
        r.append(0)
    for r in sorted(rows):
        r.append(1)
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def filtered_and_extreme(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = list(filter(lambda r: r[0] > 2, rows))
    s[0].append(4)
    m = max(rows)
    m.append(8)
    m = min(rows, key=lambda r: r[1])
    m[0] = 77
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def zipped_and_enumerated(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    z = list(zip(rows, range(10)))
    z[0][0].append(5)
    e = list(enumerate(rows))
    e[1][1].append(6)
    return rows, z, e


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def dict_of_rows(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    d = {i: r for i, r in enumerate(rows)}
    d[0].append(5)
    return rows, d


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def extended_twice(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    more = []
    more.extend(rows)
    more += rows
    more[0].append(5)
    more[-1].append(6)
    return rows, more


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def slice_replaced(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    rows[1:3] = [rows[0]]
    rows[0].append(5)
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def dicts_of_the_same_lists(x):
    d = {}
    for v in x.tolist():
        if v > 1:
            d[v] = [v, -v]
    e = d.copy()
    f = dict(d)
    g = list(d.values())
    h = list(d.items())
    d[3].append(1)
    e[2].append(2)
    g[-1].append(3)
    h[0][1].append(4)
    f.pop(3).append(6)
    return d, e, f, g, h


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def merged_dicts(x):
    d = {}
    for v in x.tolist():
        if v > 1:
            d[v] = [v, -v]
    e = {**d}
    e[3].append(9)
    k = d.pop(2)
    k.append(1)
    d.setdefault(2, k)
    k.append(4)
    e.update(d)
    e[2].append(8)
    return d, e, k


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def popped_from_a_copy(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = list(rows)
    p = s.pop()
    p.append(9)
    return rows, s, p


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def copied_in_a_loop(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = []
    for v in x.tolist():
        rows[0].append(v)
        if v == 5:
            s = list(rows)
    return rows, s


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def names_rebound(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    rows = sorted(rows)
    rows[0].append(4)
    rows = rows[1:]
    rows[0].append(5)
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def slices_and_pops(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    s = rows[1:3]
    s.append([100])
    rows.append([200])
    t = s.pop(0)
    t.append(1)
    return rows, s, t


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def rows_swapped(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    rows[0], rows[1] = rows[1], rows[0]
    for r in rows[1:]:
        r.append(4)
    rows[2] = rows[0]
    rows[2][0] = -5
    return rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def dict_in_order(x):
    g = {}
    for v in x.tolist():
        g.setdefault(v, []).append(v)
    h = {k: g[k] for k in sorted(g)}
    for k in h:
        h[k].append(0)
    return g, h


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def row_of_numbers_kept(x):
    iv = [[int(x[0]), 1], [int(x[1]), 2]]
    merged = []
    for s in iv:
        if merged and merged[-1][0] >= s[0]:
            merged[-1][1] = 77
        else:
            merged.append(s)
    return merged, iv


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def appended_on_a_path(x):
    a = [int(x[0]), 1]
    b = [int(x[1]), 2]
    merged = [a]
    if x[2] > 4:
        merged.append(b)
    merged[-1][1] = 77
    return merged, a, b


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def read_from_the_list(x):
    a = [int(x[0]), 1]
    b = [int(x[1]), 2]
    merged = [a]
    if x[2] > 1:
        merged.append(b)
    m = merged[0]
    m[1] = 77
    return merged, a, b


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def chosen_by_data(x):
    a = [int(x[0]), 1]
    b = [int(x[1]), 2]
    merged = [a, b]
    k = int(x[2]) % 2
    merged[k][1] = 77
    return merged, a, b


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def list_of_two(x):
    a = [int(x[0]), 1]
    b = [int(x[1]), 2]
    merged = [a, b]
    if x[0] > 1:
        c = merged
    else:
        c = [b]
    c[0][0] = 99
    return merged, a, b, c


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def put_in_a_dict(x):
    a = [int(x[0]), 1]
    d = {}
    d[int(x[1])] = a
    d[int(x[2])] = [5, 5]
    d[int(x[1])][1] = 44
    return a, d


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def one_of_two_kept(x):
    a = [int(x[0]), 1]
    b = [0, 0]
    c = a if x[1] > 1 else b
    m = []
    if x[2] > 1:
        m.append(c)
    m.append(a)
    for p in m:
        p[0] += 10
    return a, b, m


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def deep(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    keep = {0: rows[0]}
    s = copy.deepcopy(rows)
    s[0].append(1)
    keep[0].append(2)
    return rows, s, keep


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def shallow_each(x):
    rows = []
    for v in x.tolist():
        if v > 1:
            rows.append([v, -v])
    keep = {0: rows[0]}
    s = [r[:] for r in rows]
    t = [list(r) for r in rows]
    u = [r.copy() for r in rows]
    s[0].append(1)
    t[0][0] = 5
    u[0].pop()
    keep[0].append(2)
    return rows, s, t, u


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def texts(x):
    names = ["a", "b", "c"]
    d = {}
    for v in x.tolist():
        d.setdefault(names[v % 3], []).append(v)
    return sorted(d.items(), key=lambda kv: -len(kv[1])), {k: v for k, v in d.items()}


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def list_of_texts(x):
    names = ["a", "b", "c"]
    d = {}
    for v in x.tolist():
        d.setdefault(v, []).append(names[v % 3])
    out = []
    for k in sorted(d):
        out.append((k, d[k]))
    d[3].append("z")
    return out


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def two_types(x):
    adj = defaultdict(list)
    names = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        adj[v].append((i, float(v)))
        names[i % 3].append(i)
    a = sorted(adj.items(), key=lambda kv: kv[0])
    b = sorted(names.items(), key=lambda kv: -kv[0])
    a[0][1].append((9, 9.0))
    b[0][1].append(8)
    return a, b, adj, names


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def matrix_of_floats(x):
    grid = [[0.0] * 3 for _ in range(3)]
    for i, v in enumerate(x):
        grid[i % 3][int(v) % 3] += float(v)
    rows = sorted(grid, key=lambda r: -sum(r))
    rows[0][0] = -1.0
    return grid, rows


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def union_find_groups(x):
    n = len(x)
    parent = list(range(n))

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i in range(n):
        for j in range(i):
            if x[i] == x[j]:
                parent[find(i)] = find(j)
    groups = defaultdict(list)
    for i in range(n):
        groups[find(i)].append(i)
    return sorted(groups.values(), key=lambda g: (-len(g), g[0]))


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def stacks(x):
    ss = [Stack() for _ in range(3)]
    for v in x.tolist():
        ss[v % 3].push(v)
    ss[0].items, ss[1].items = ss[1].items, ss[0].items
    big = max(ss, key=lambda s: len(s.items))
    big.push(100)
    return [s.items for s in ss]


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def lru(x):
    cache = {}
    order = []
    hits = 0
    for v in x.tolist():
        if v in cache:
            hits += 1
            order.remove(v)
        elif len(cache) == 2:
            del cache[order.pop(0)]
        cache[v] = [v, hits]
        order.append(v)
    return hits, cache, order


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def ternary_list(x):
    lo, hi = [], []
    for v in x.tolist():
        t = lo if v < 3 else hi
        t.append(v)
    longer = lo if len(lo) > len(hi) else hi
    longer.append(0)
    return lo, hi


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def none_then_list(x):
    last = None
    out = {}
    for i, v in enumerate(x.tolist()):
        if last is not None and v > last[-1]:
            last.append(v)
        else:
            last = [v]
            out[i] = last
    return out


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def knights(x):
    best = {}
    for i, v in enumerate(x.tolist()):
        for k in (v, v + 1):
            cand = best.get(k, []) + [i]
            if k not in best or len(cand) > len(best[k]):
                best[k] = cand
    return best


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def lis(x):
    seqs = []
    for v in x.tolist():
        b = []
        for s in seqs:
            if s[-1] < v and len(s) > len(b):
                b = s
        seqs.append(b + [v])
    return max(seqs, key=len)


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def generations(x):
    pop = [[int(v), int(v) % 2, i] for i, v in enumerate(x)]
    for g in range(3):
        pop.sort(key=lambda p: (p[0], p[2]))
        for p in pop[:4]:
            p[0] += g + 1
        pop[-1], pop[0] = pop[0], pop[-1]
    return pop


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def interval_args(x):
    iv = [[int(a), int(a + b)] for a, b in zip(x[:-1], x[1:])]
    iv.sort(key=lambda t: t[0])
    merged = []
    for s in iv:
        if merged and merged[-1][1] >= s[0]:
            merged[-1][1] = max(merged[-1][1], s[1])
        else:
            merged.append(s)
    return merged, iv


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def opt_list(x):
    d = {}
    for v in x.tolist():
        d.setdefault(v, []).append(v)
    total = 0
    for v in range(7):
        g = d.get(v)
        if g is not None:
            total += len(g)
            g.clear()
    return total, d


@program(SHARED, lambda: (X(),), lambda: (R(12, 6, 1),))
def while_dict(x):
    d = {}
    for v in x.tolist():
        d.setdefault(v, []).append(v)
    while len(d) > 1:
        k = min(d)
        g = d.pop(k)
        k2 = min(d)
        d[k2] = g + d[k2]
    return d


class Held:
    def __init__(self, items):
        self.items = items
        self.uses = 0


@program(SHARED, lambda: (np.array([2, 1]),), lambda: (np.array([0, 0]),))
def of_two_instances(x):
    first = [Held([i]) for i in range(3)]
    second = [Held(held.items) for held in first]
    first[int(x[0])].items.append(5)
    second[int(x[1])].uses += 1
    return [len(held.items) for held in second], [held.uses for held in second]


@program(SHARED, lambda: (X(), 5), lambda: (X(), 2))
def twice_in_a_list(x, n):
    row = [1]
    out = [row, row]
    for i in range(n):
        out.append([i])
    out[n - 2].append(5)
    return out


@program(SHARED, lambda: (X(), 2), lambda: (X(), 0), lambda: (X(), -1))
def with_itself(x, n):
    a = [v for v in x.tolist() if v > 1]
    b = a[1:]
    a.extend(a)
    b += b
    c = sorted(b)
    c *= n
    a[1:3] = a
    a.extend(reversed(a))
    for v in reversed(b):
        if v > 2:
            b.append(v)
    d = deque(b)
    d.extend(d)
    d.extendleft(d)
    return a, b, c, list(d)
