# ruff: noqa: E741
"""Programs as they are written in contests: dicts, sets and lists that data decides."""

from __future__ import annotations

import bisect
import heapq
import math
import sys
from collections import defaultdict, deque
from enum import Enum

import numpy as np

from tests.drawn import E, L, R
from tests.programs import program


@program("data", lambda: (np.random.default_rng(1).integers(0, 4, (30,)),))
def random_walk_set(steps):
    dx = [1, -1, 0, 0]
    dy = [0, 0, 1, -1]
    x = y = 0
    visited = {(0, 0)}
    for s in steps:
        x += dx[s]
        y += dy[s]
        visited.add((x, y))
    return len(visited), (x, y) in visited


@program(
    "data",
    lambda: (
        E(),
        10,
    ),
)
def adj_bfs(edges, n):
    adj = [[] for _ in range(n)]
    for u, v in edges:
        adj[u].append(int(v))
        adj[v].append(int(u))
    dist = [-1] * n
    dist[0] = 0
    q = deque([0])
    while q:
        u = q.popleft()
        for v in adj[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


@program(
    "data",
    lambda: (
        E(),
        10,
    ),
)
def adj_dfs(edges, n):
    adj = [[] for _ in range(n)]
    for e in edges:
        adj[e[0]].append(e[1])
        adj[e[1]].append(e[0])
    seen = [False] * n
    comps = 0
    for s in range(n):
        if not seen[s]:
            comps += 1
            stack = [s]
            seen[s] = True
            while stack:
                u = stack.pop()
                for v in adj[u]:
                    if not seen[v]:
                        seen[v] = True
                        stack.append(v)
    return comps


@program(
    "data",
    lambda: (
        E(),
        10,
    ),
)
def topo(edges, n):
    adj = [[] for _ in range(n)]
    deg = [0] * n
    for u, v in edges.tolist():
        if u < v:
            adj[u].append(v)
            deg[v] += 1
    order = []
    q = [i for i in range(n) if deg[i] == 0]
    while q:
        u = q.pop(0)
        order.append(u)
        for v in adj[u]:
            deg[v] -= 1
            if deg[v] == 0:
                q.append(v)
    return order


@program(
    "data",
    lambda: (
        E(),
        10,
    ),
)
def union_find(edges, n):
    parent = list(range(n))
    size = [1] * n

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    comps = n
    for u, v in edges:
        a, b = find(int(u)), find(int(v))
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            comps -= 1
    return comps, [find(i) for i in range(n)]


@program("data", lambda: (L(15, 50),))
def lis_bisect(a):
    t = []
    for v in a:
        i = bisect.bisect_left(t, v)
        if i == len(t):
            t.append(v)
        else:
            t[i] = v
    return len(t), t


@program("data", lambda: (R(20, 100),))
def insertion_sorted(x):
    out = []
    for v in x:
        i = 0
        while i < len(out) and out[i] < v:
            i += 1
        out.insert(i, v)
    return out


@program("data", lambda: (R(20, 10),))
def list_methods(x):
    l = []
    for v in x:
        if v > 3:
            l.append(int(v))
    l.reverse()
    a = l.count(5)
    b = l.index(l[2])
    l.extend([1, 2])
    l.sort()
    c = l.pop(1)
    l.remove(2)
    del l[0]
    m = l[1:4]
    return l, a, b, c, m, l[::-1], l + m


@program("data", lambda: (R(20, 10),))
def slice_assign(x):
    l = []
    for v in x:
        if v > 3:
            l.append(int(v))
    l[1:3] = [0, 0]
    l[0] = 7
    return l


@program("data", lambda: (R(20, 10),))
def list_tuples(x):
    l = []
    for i, v in enumerate(x):
        if v > 3:
            l.append((int(v), i))
    l.sort(key=lambda t: (-t[0], t[1]))
    best = max(l, key=lambda t: t[1])
    return l, best, min(l), sorted(l)[0]


@program("data", lambda: (R(20, 10),))
def intervals(x):
    iv = []
    for i in range(0, 20, 2):
        if x[i] < x[i + 1]:
            iv.append([int(x[i]), int(x[i + 1])])
    iv.sort()
    merged = []
    for a, b in iv:
        if merged and merged[-1][1] >= a:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged


@program("data", lambda: (L(25, 30),))
def mono_stack(a):
    n = len(a)
    res = [-1] * n
    st = []
    for i in range(n):
        while st and a[st[-1]] < a[i]:
            res[st.pop()] = a[i]
        st.append(i)
    return res


@program(
    "data",
    lambda: (
        L(25, 30),
        4,
    ),
)
def window_max(a, k):
    q = deque()
    out = []
    for i, v in enumerate(a):
        while q and a[q[-1]] <= v:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            out.append(a[q[0]])
    return out


@program("data", lambda: ((np.random.default_rng(0).random((8, 8)) < 0.3).astype(int),))
def grid_bfs(g):
    n, m = g.shape
    q = deque([(0, 0)])
    dist = {(0, 0): 0}
    while q:
        i, j = q.popleft()
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < n and 0 <= b < m and g[a, b] == 0 and (a, b) not in dist:
                dist[(a, b)] = dist[i, j] + 1
                q.append((a, b))
    return len(dist), max(dist.values())


@program("data", lambda: ((np.random.default_rng(0).random((8, 8)) < 0.6).astype(int),))
def islands(g):
    n, m = g.shape
    seen = set()
    count = 0
    for i in range(n):
        for j in range(m):
            if g[i, j] == 1 and (i, j) not in seen:
                count += 1
                stack = [(i, j)]
                while stack:
                    a, b = stack.pop()
                    if (a, b) in seen:
                        continue
                    seen.add((a, b))
                    for da, db in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
                        if 0 <= a + da < n and 0 <= b + db < m and g[a + da, b + db] == 1:
                            stack.append((a + da, b + db))
    return count


@program("data", lambda: (R(20, 10),))
def mixed_list(x):
    out = [0]
    for v in x:
        if v > 5:
            out.append(float(v) / 2)
        elif v > 2:
            out.append(int(v))
    return out, sum(out), max(out)


@program("data", lambda: (R(20, 10),))
def prefix(x):
    p = [0]
    for v in x:
        p.append(p[-1] + int(v))
    best = 0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            if (p[j] - p[i]) % 7 == 0:
                best = max(best, j - i)
    return best


@program("data", lambda: (R(20, 10),))
def set_ops(x):
    a = set()
    b = set()
    for v in x:
        if v % 2 == 0:
            a.add(int(v))
        if v % 3 == 0:
            b.add(int(v))
    return a & b, a | b, a - b, len(a ^ b)


@program("data", lambda: (R(20, 10),))
def comps(x):
    d = {int(v): int(v) ** 2 for v in x}
    s = {int(v) % 3 for v in x}
    return d, s, {k: v for k, v in d.items() if v > 9}


@program("data", lambda: (R(20, 10),))
def from_set(x):
    return len(set(x.tolist())), sorted(set(x.tolist())), 3 in set(x.tolist())


@program("data", lambda: (L(12, 9),))
def perm_next(a):
    a = a[:]
    i = len(a) - 2
    while i >= 0 and a[i] >= a[i + 1]:
        i -= 1
    if i >= 0:
        j = len(a) - 1
        while a[j] <= a[i]:
            j -= 1
        a[i], a[j] = a[j], a[i]
    a[i + 1 :] = reversed(a[i + 1 :])
    return a


@program("data", lambda: (L(12, 9),))
def two_pointer(a):
    a.sort()
    l, r = 0, len(a) - 1
    cnt = 0
    while l < r:
        s = a[l] + a[r]
        if s == 9:
            cnt += 1
            l += 1
            r -= 1
        elif s < 9:
            l += 1
        else:
            r -= 1
    return cnt, a


@program("data", lambda: (360,))
def factorize(n):
    f = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            f[p] = f.get(p, 0) + 1
            n //= p
        p += 1
    if n > 1:
        f[n] = f.get(n, 0) + 1
    return f


@program("data", lambda: (R(20, 50),))
def lru(x):
    cache = {}
    hits = 0
    for v in x:
        k = int(v) % 8
        if k in cache:
            hits += 1
            val = cache.pop(k)
            cache[k] = val
        else:
            if len(cache) >= 3:
                old = next(iter(cache))
                del cache[old]
            cache[k] = int(v)
    return hits, cache


@program("data", lambda: (R(30, 6),))
def markov(x):
    t = {}
    for a, b in zip(x[:-1], x[1:]):
        key = (int(a), int(b))
        t[key] = t.get(key, 0) + 1
    return sorted(t.items(), key=lambda kv: (-kv[1], kv[0]))[:3]


@program("data", lambda: ("bookkeepers", "backpackers"))
def edits_of_words(a, b):
    far = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        far[i][0] = i
    for j in range(len(b) + 1):
        far[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            other = far[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            far[i][j] = min(far[i - 1][j] + 1, far[i][j - 1] + 1, other)
    return far[-1][-1]


@program("data", lambda: (10,))
def pascal(n):
    tri = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = tri[i - 1][j - 1] + tri[i - 1][j]
        tri.append(row)
    return tri


@program("data", lambda: (R(20, 10),))
def buckets(x):
    b = [[] for _ in range(10)]
    for v in x:
        b[v].append(int(v) * 2)
    out = []
    for row in b:
        out.extend(row)
    return out, [len(r) for r in b]


@program("data", lambda: (L(20, 10),))
def quicksort(a):
    st = [(0, len(a) - 1)]
    while st:
        lo, hi = st.pop()
        if lo >= hi:
            continue
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        st.append((lo, i - 1))
        st.append((i + 1, hi))
    return a


@program(
    "data",
    lambda: (
        E(6, 12, 5),
        6,
    ),
)
def dijkstra_dense(edges, n):
    g = defaultdict(list)
    for i in range(len(edges)):
        u, v = edges[i]
        g[int(u)].append((int(v), i + 1))
        g[int(v)].append((int(u), i + 1))
    dist = {0: 0}
    todo = [(0, 0)]
    while todo:
        todo.sort()
        d, u = todo.pop(0)
        if d > dist[u]:
            continue
        for v, w in g[u]:
            nd = d + w
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                todo.append((nd, v))
    return dist


@program("data", lambda: (R(16, 10),))
def merge_sorted(x):
    a = sorted(x[:8].tolist())
    b = sorted(x[8:].tolist())
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out += a[i:]
    out += b[j:]
    return out


@program("data", lambda: (R(16, 10),))
def runs(x):
    out = []
    cur = [int(x[0])]
    for v in x[1:]:
        if v >= cur[-1]:
            cur.append(int(v))
        else:
            out.append(cur)
            cur = [int(v)]
    out.append(cur)
    return out


@program("data", lambda: (R(16, 10),))
def rle(x):
    out = []
    for v in x.tolist():
        if out and out[-1][0] == v:
            out[-1] = (v, out[-1][1] + 1)
        else:
            out.append((v, 1))
    return out


@program("data", lambda: (R(16, 10),))
def josephus(x):
    p = list(range(1, 17))
    i = 0
    order = []
    while len(p) > 1:
        i = (i + int(x[0]) + 2) % len(p)
        order.append(p.pop(i))
    return order, p[0]


@program(
    "recursion of any depth",
    lambda: (5, [(1, 2), (1, 3), (3, 4), (3, 5)]),
    lambda: (1, []),
)
def tree_diameter(n, edges):
    sys.setrecursionlimit(10**4)
    near = [[] for _ in range(n + 1)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    best = 0

    def deepest(v, parent):
        nonlocal best
        first = second = 0
        for u in near[v]:
            if u == parent:
                continue
            depth = deepest(u, v) + 1
            if depth > first:
                first, second = depth, first
            elif depth > second:
                second = depth
        best = max(best, first + second)
        return first

    deepest(1, 0)
    return best


def _from_one(start, nodes, graph, potentials):
    """Distances along edges of weights that no potential makes negative (Dijkstra, Johnson)."""
    found = dict.fromkeys(nodes, float("inf"))
    found[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        cost, u = heapq.heappop(queue)
        if cost > found[u]:
            continue
        for v, w in graph.get(u, []):
            step = w + potentials[u] - potentials[v]
            if step < 0:
                raise ValueError("negative edge")
            if cost + step < found[v]:
                found[v] = cost + step
                heapq.heappush(queue, (cost + step, v))
    return found


@program("contest", lambda: (0,), lambda: (-9,))
def distances_of_all_pairs(low):
    graph = {0: [(1, 3), (2, 8), (4, -4)], 1: [(3, 1)], 2: [(1, 4)], 3: [(0, 2), (2, -5)]}
    nodes, edges = set(), []
    for u, neighbours in graph.items():
        nodes.add(u)
        for v, w in neighbours:
            nodes.add(v)
            edges.append((u, v, max(w, low)))
    nodes = list(nodes)
    potentials = dict.fromkeys(nodes, 0.0)
    for _ in range(len(nodes) - 1):
        for u, v, w in edges:
            potentials[v] = min(potentials[v], potentials[u] + w)
    found = {}
    for s in nodes:
        shifted, real = _from_one(s, nodes, graph, potentials), {}
        for v in nodes:
            real[v] = shifted[v] - potentials[s] + potentials[v]
        found[s] = real
    return found


class Turn(Enum):
    LEFT = 1
    STRAIGHT = 2
    RIGHT = 3


def turn(a, b, c):
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if area > 0:
        return Turn.LEFT
    return Turn.STRAIGHT if area == 0 else Turn.RIGHT


POINTS = [(9, 6), (3, 1), (0, 0), (5, 5), (5, 2), (7, 0), (3, 3), (1, 4)]


@program("lists enum", lambda: (POINTS,), lambda: ([(0, 0), (1, 3), (2, 2), (3, 3), (-1, 2)],))
def hull_by_turns(points):
    """A list of known length gets shorter as often as data says."""
    x, y = min(points, key=lambda p: (p[1], p[0]))
    order = sorted(points, key=lambda p: (math.atan2(p[1] - y, p[0] - x), p[0]))
    hull, last = [order[0], order[1], order[2]], Turn.LEFT
    for k in range(3, len(order)):
        while True:
            now = turn(hull[-2], hull[-1], order[k])
            if now == Turn.LEFT:
                last = Turn.LEFT
                break
            if now == Turn.STRAIGHT and last == Turn.LEFT:
                break
            hull.pop()
        hull.append(order[k])
    return hull
