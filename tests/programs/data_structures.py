# ruff: noqa: E741
"""Dicts, sets and lists that data decides: names of one object, None, order, kinds of numbers."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

import numpy as np

from tests.programs import program


def R(n=30, m=8, s=0):
    return np.random.default_rng(s).integers(0, m, n)


def L(n=30, m=8, s=0):
    return R(n, m, s).tolist()


def E(n=10, m=20, s=3):
    return np.random.default_rng(s).integers(0, n, (m, 2))


@program("data", lambda: (R(12, 6),))
def alias_row(x):
    adj = [[] for _ in range(6)]
    row = adj[2]
    for v in x:
        adj[v].append(int(v))
    row.append(99)
    return adj, len(row)


@program("data", lambda: (R(12, 6),))
def alias_appended(x):
    out = []
    for v in x:
        r = [int(v)]
        out.append(r)
        r.append(7)
        if v > 3:
            r.append(8)
    return out


@program("data", lambda: (R(12, 6),))
def alias_dict_list(x):
    d = {}
    for v in x:
        r = d.setdefault(int(v), [])
        r.append(1)
        r.append(int(v))
    return d


@program("data", lambda: (R(12, 6),))
def none_values(x):
    came = {0: None}
    last = 0
    for v in x:
        v = int(v)
        if v not in came:
            came[v] = last
            last = v
    path = []
    n = last
    while n is not None:
        path.append(n)
        n = came[n]
    return path[::-1], came


@program(
    "data",
    lambda: (
        {1: 10, 2: 20, 3: 30},
        R(5, 3),
    ),
)
def dict_arg_write(d, x):
    for v in x:
        d[int(v) + 2] = int(v)
    return len(d)


@program(
    "data",
    lambda: (
        {1: 10, 2: 20, 3: 30},
        R(5, 3),
    ),
)
def dict_arg_read(d, x):
    t = 0
    for v in x:
        t += d.get(int(v), -1)
    return t


@program("data", lambda: (R(20, 9),))
def set_iter(x):
    s = set()
    for v in x:
        s.add(int(v) * 37)
    out = []
    for v in s:
        out.append(v)
    return out


@program("data", lambda: (R(20, 9),))
def list_of_set(x):
    return list(set(x.tolist())), [v for v in set((x * 1000).tolist())]


@program("data", lambda: (R(20, 9),))
def set_sum(x):
    s = set(x.tolist())
    t = 0
    for v in s:
        t += v
    return t, min(s), max(s), sum(s), {v % 4 for v in s}


@program("data checks", lambda: (R(20, 9),))
def key_error(x):
    d = {}
    for v in x:
        d[int(v)] = 1
    return d[77]


@program("data", lambda: (R(20, 9),))
def tuple_vals(x):
    best = {}
    for i, v in enumerate(x):
        k = int(v)
        if k not in best or best[k][0] < i:
            best[k] = (i, float(v) / 2)
    return best


@program("data", lambda: (R(20, 9),))
def arr_vals(x):
    d = {}
    for i, v in enumerate(x):
        k = int(v)
        if k not in d:
            d[k] = np.zeros(2)
        d[k] = d[k] + np.array([1.0, i])
    return d


@program("data", lambda: (R(20, 9),))
def mixed_table(x):
    dp = [0] * 20
    for i in range(1, 20):
        dp[i] = max(dp[i - 1], x[i] * 0.5) if x[i] > 4 else dp[i - 1]
    return dp


@program("data", lambda: (R(20, 9),))
def mixed_table2(x):
    dp = [[0] * 5 for _ in range(20)]
    for i in range(1, 20):
        for j in range(5):
            if x[i] > j:
                dp[i][j] = dp[i - 1][j] + 0.5
            else:
                dp[i][j] = dp[i - 1][j]
    return dp


@program("data", lambda: (R(20, 9),))
def int_float_list(x):
    l = [0] * 20
    for i, v in enumerate(x):
        if v > 5:
            l[i] = v / 2
    return l


@program("data", lambda: (R(20, 9),))
def fill_default(x):
    l = [-1] * 20
    for i in range(20):
        if x[i] > 4:
            l[i] = float(x[i])
        else:
            l[i] = i
    return l, l[3]


@program("data", lambda: (R(20, 9),))
def float_keys(x):
    d = {}
    for v in x:
        d[float(v) / 2] = d.get(float(v) / 2, 0) + 1
    return d, max(d), min(d.values())


@program("data", lambda: (R(20, 2),))
def bool_keys(x):
    d = {True: 0, False: 0}
    for v in x:
        d[bool(v)] += 1
    return d


@program("data", lambda: (R(20, 9),))
def ordered(x):
    d = OrderedDict()
    for v in x:
        k = int(v)
        if k in d:
            d.move_to_end(k)
        d[k] = True
        if len(d) > 4:
            d.popitem(last=False)
    return list(d)


@program("data", lambda: (R(20, 9),))
def visited_list(x):
    seen = []
    cur = 0
    while cur not in seen:
        seen.append(cur)
        cur = (cur * cur + int(x[cur % 20]) + 1) % 20
    return seen, seen.index(cur), len(seen) - seen.index(cur)


@program("data", lambda: (R(20, 9),))
def filter_pos(x):
    l = x.tolist()
    a = [v for v in l if v > 3]
    b = list(filter(lambda v: v > 3, l))
    return a, b, sum(1 for v in l if v > 3), [i for i, v in enumerate(a) if v == 5]


@program("data", lambda: (R(20, 9),))
def sorted_objs(x):
    l = [(int(v), i) for i, v in enumerate(x)]
    l.sort(reverse=True)
    m = sorted(l, key=lambda t: t[1])
    return l[:3], m[0], min(l, key=lambda t: (t[0], -t[1])), max(l)


@program("data", lambda: (R(20, 9),))
def zip_lists(x):
    a = []
    b = []
    for v in x:
        if v > 3:
            a.append(int(v))
            b.append(float(v))
    return list(zip(a, b)), [p * q for p, q in zip(a, b)], dict(zip(a, b))


@program("data", lambda: (R(20, 9),))
def dict_sorted_keys(x):
    d = {}
    for i, v in enumerate(x):
        d[int(v)] = i
    out = []
    for k in sorted(d):
        out.append(d[k])
    return (
        out,
        sorted(d, key=d.get),
        sorted(d.values(), reverse=True),
        list(d),
        list(d.keys()),
        list(d.values()),
    )


@program("data", lambda: (R(20, 9),))
def remove_all(x):
    l = x.tolist()
    while 5 in l:
        l.remove(5)
    return l


@program("data", lambda: (R(20, 9),))
def dict_eq(x):
    a = Counter(x[:10].tolist())
    b = Counter(x[10:].tolist())
    return a == b, a == Counter(x[:10].tolist())


@program("data", lambda: (R(20, 9),))
def stack_lists(x):
    st = []
    for v in x:
        if st and st[-1] == v % 3:
            st.pop()
        else:
            st.append(int(v) % 3)
    return st, not st


@program("data", lambda: (R(20, 9),))
def row_lengths(x):
    rows = []
    for v in x:
        rows.append(list(range(int(v))))
    return rows, [sum(r) for r in rows]


@program("data", lambda: (R(20, 9),))
def deque_rot(x):
    d = deque(range(10))
    for v in x:
        d.rotate(int(v))
    return list(d)


@program("data", lambda: (R(60, 6),))
def tuple_set(x):
    s = set()
    for i in range(59):
        s.add((int(x[i]) - 2, int(x[i + 1])))
    return [t for t in s], len(s)


@program("data", lambda: (R(60, 6),))
def set_removed(x):
    s = set()
    for v in x:
        if int(v) in s:
            s.remove(int(v))
        else:
            s.add(int(v))
    return sorted(s)


@program(
    "data",
    lambda: (
        5.0,
        np.int64(3),
    ),
)
def max_mixed(a, b):
    return max(a, b), min(a, b), max(b, a)


@program(
    "data",
    lambda: (
        np.arange(5.0, dtype=np.float32),
        0.1,
    ),
)
def f32join(x, t):
    best = 0.1
    for v in x:
        if v > t + 2:
            best = v
    return best


@program("data", lambda: (R(20, 10),))
def bounded_pair(x):
    a = x[x > 3]
    b = x[x > 5]
    return np.array([a, b])


class Slot:
    def __init__(self):
        self.pending = None


class Parcel:
    def __init__(self, weight):
        self.weight = weight


@program("pools", lambda: ([0, 2, 1, 2, 2],), lambda: ([1],), lambda: ([],))
def instances_that_hold_nothing_yet(moves):
    slots = [Slot() for _ in range(3)]
    parcels = [Parcel(w) for w in (5, 7)]
    moved = 0
    for i, k in enumerate(moves):
        slot = slots[k]
        if slot.pending is None:
            slot.pending = parcels[i % 2]
        else:
            slot.pending.weight += 1
            moved += 1
    return moved, [p.weight for p in parcels], [s.pending is None for s in slots]


class Depot:
    def __init__(self):
        self.total = 0


class Van:
    def __init__(self, home, load):
        self.home, self.load, self.next = home, load, None


@program("pools", lambda: ([0, 2, 1, 2, 2],), lambda: ([1],), lambda: ([],))
def one_instance_in_fields_of_many(moves):
    depot = Depot()
    vans = [Van(depot, 1), Van(depot, 20), Van(depot, 300)]
    for k in moves:
        van = vans[k]
        van.load += 1
        van.home.total += van.load
        van.next = vans[k - 1]
    loads = [van.load if van.next is None else van.next.load for van in vans]
    return depot.total, loads, vans[0].home is vans[1].home


@program(
    "queues that are moved part by part",
    *[lambda a=a: a for a in ((1300, 0), (700, 3), (9, 300), (1200, 700))],
)
def taken_out(n, at):
    """Queues with room for more than is moved at once, and with more in them than that."""
    queue, order = deque([(0, 1)]), []
    while queue:
        k, v = queue.popleft()
        order.append(k * v % 7)
        for child in (2 * k + 1, 2 * k + 2):
            if child < n:
                queue.append((child, v + k % 3))
    rest = list(range(n))
    while len(rest) > 5:
        order.append(rest.pop(at if at < len(rest) else -2))
        del rest[len(rest) // 2]
    return order[:40], order[-40:], sum(order), rest
