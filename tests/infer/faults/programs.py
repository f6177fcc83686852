"""Programs over data that ends them with an exception, for some of the arguments."""

import functools
import heapq
import math
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import pyxla
from tests.infer.faults import program

ROW = np.arange(5.0)
GRID = np.arange(12.0).reshape(3, 4)


@program(([1, 2, 3], 2), ([1, 2, 3], 4))
def pops(a, n):
    t = 0
    for _ in range(n):
        t += a.pop()
    return t


@program(([1, 2, 3], 0), ([], 0))
def popleft(a, n):
    q = deque(a)
    q.append(n)
    s = 0
    while True:
        s += q.popleft()
        if s > 100:
            return s


@program((10,), (20,), (21,), (25,))
def fact(n):
    r = 1
    for i in range(1, n + 1):
        r *= i
    return r


@program((2, 62), (2, 63), (3, 39), (3, 40), (-2, 63), (2, 64))
def power(a, n):
    r = 1
    while n:
        if n & 1:
            r *= a
        n >>= 1
        if n:
            a *= a
    return r


@program(("123",), ("12a",), ("",))
def parse(s):
    return int(s)


@program(({"a": 1}, "a"), ({"a": 1}, "b"))
def look(d, k):
    d["c"] = 5
    return d[k]


@program(({1: 2, 3: 4}, 3), ({1: 2, 3: 4}, 5))
def look_int(d, k):
    return d[k]


@program((np.array([1, 2, 1]),), (np.array([1, 9, 7]),), (np.array([-1, -5, -6]),))
def np_counts(xs):
    c = np.zeros(5, int)
    for x in xs:
        c[x] += 1
    return c


@program((ROW, 3), (ROW, 5))
def neigh(a, n):
    for i in range(n):
        a[i] = (a[i] + a[i + 1]) / 2
    return a


@program(
    (np.zeros((3, 4)), 2, 3),
    (np.zeros((3, 4)), 3, 3),
    (np.zeros((3, 4)), 0, 4),
    (np.zeros((3, 4)), -4, 0),
)
def grid(g, i, j):
    g[0, 0] = 1
    g[i, j] = 2
    return g


@program((np.zeros((3, 4)), ((0, 1), (2, 3))), (np.zeros((3, 4)), ((0, 1), (3, 3))))
def cells(g, ps):
    for i, j in ps:
        g[i][j] += 1
    return g


@program((np.eye(3), np.ones(3)), (np.ones((3, 3)), np.ones(3)))
def solve(a, b):
    a[0, 0] += 0
    return np.linalg.solve(a, b)


@program((np.eye(3),), (-np.eye(3),))
def chol(a):
    return np.linalg.cholesky(a)


@program((ROW, 3, 2), (ROW, 3, 3), (ROW, 2, 1))
def store_slice(x, n, m):
    x[:n] = np.ones(m)
    return x


@program(
    (ROW, np.array([1.0, 2.0])),
    (ROW, np.array([1.0, 2.0, 3.0])),
)
def store_mask(x, v):
    x[x > 1.5] = v
    return x


@program((ROW, [0, 1], [5.0, 6.0]), (ROW, [0, 7], [5.0, 6.0]))
def store_fancy(x, i, v):
    x[i] = v
    return x


@program((1.5,), (math.nan,), (math.inf,), (1e30,), (-1e19,))
def toint(x):
    return int(x)


@program((ROW, 1.5), (ROW, math.nan))
def bin_(x, v):
    x[int(v)] += 1
    return x


@program(([1, 2],), ([1, 2, 3],), ([1],))
def unpack(a):
    x, y = a
    return x + y


@program((ROW, 1), (ROW, 9))
def cold(x, n):
    if n > 5:
        return x[10]
    return x[0]


@program((ROW, np.ones(4), 1), (ROW, np.ones(4), 9))
def cold_shape(x, y, n):
    x[0] = 7
    if n > 5:
        return x + y
    return x


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()


@program(([1, 2], 2), ([1, 2], 3))
def stack(xs, n):
    s = Stack()
    for x in xs:
        s.push(x)
    t = 0
    for _ in range(n):
        t += s.pop()
    return t


@dataclass
class Acc:
    total: float = 0.0
    n: int = 0

    def mean(self):
        return self.total / self.n

    def add(self, x):
        self.total += x
        self.n += 1


@program((Acc(), 0), (Acc(), 3))
def acc(a, n):
    for i in range(n):
        a.add(i)
    a.total += 1
    return a.mean()


@program((Acc(5.0, 2), ROW, 4), (Acc(5.0, 2), ROW, 8))
def acc2(a, x, n):
    for i in range(n):
        a.add(x[i])
    return a.mean()


@program((ROW, 3, 1.0), (ROW, 8, 1.0), (ROW, 2, 0.0))
def tried(x, i, d):
    try:
        v = x[i] / 1.0
        w = 1.0 / d
    except IndexError:
        v = -1.0
        w = x[i - 5]
    return v + w


@program((ROW, 3), (ROW, 8))
def chain_implicit(x, i):
    try:
        return x[i]
    except IndexError:
        return 1 / (i - 8)


def gen(x, n):
    for i in range(n):
        yield x[i]


@program((ROW, 3), (ROW, 8))
def genf(x, n):
    x[0] = 5
    return sum(gen(x, n))


@program((ROW, 3), (ROW, 8))
def genlist(x, n):
    x[0] = 5
    return list(gen(x, n))


@program((ROW, 3), (ROW, 8))
def genfor(x, n):
    t = 0.0
    for v in gen(x, n):
        t += v
        x[0] += v
    return t


@program((3,), (0,))
def nested(n):
    def inner(k):
        return 10 // (k - n)

    return [inner(k) for k in range(3)]


@program(
    ([1, 2, 0],),
)
def reduced(xs):
    return functools.reduce(lambda a, b: a // b, xs)


@program((5,), (-5,))
def rec(n):
    if n == 0:
        return 1 // n
    return rec(n - 1) + 1 if n > 0 else [1][n]


@program((ROW, 2), (ROW, 9))
def walrus(x, n):
    if (k := n + 1) < 20:
        x[k - 3] = k
    return x[k]


@program((0, 5), (5, 0), (3, 1))
def logic(a, b):
    return (a and 10 // b) or (b and 10 // a)


@program((5,), (0,))
def while_(n):
    k = 10
    while k > 0:
        k -= 100 // n
    return k


@program(
    ([[1, 2], [3, 4]], 1, 1),
    ([[1, 2], [3, 4]], 2, 0),
    ([[1, 2], [3, 4]], 0, 2),
    ([[1, 2], [3]], 1, 1),
)
def nested_list(g, i, j):
    g[i][j] += 5
    return g


@program(({"x": [1, 2]}, "x", 1), ({"x": [1, 2]}, "x", 2), ({"x": [1, 2]}, "y", 0))
def dictlist(d, k, i):
    d[k][i] += 5
    return d


@program(("abc", 1), ("abc", 5))
def stri(s, i):
    return s[i]


@program(([1, 2, 3], 1), ([1, 2, 3], 5), ([1, 2, 3], -4))
def dele(a, i):
    del a[i]
    return a


@program(({1: 2}, 1), ({1: 2}, 5))
def popd(d, k):
    d[7] = 1
    return d.pop(k)


@program((3,), (0,))
def popset(n):
    s = set(range(n))
    return s.pop()


@program(([3, 1], 0), ([3, 1], 5), ([], 0))
def poplist(a, i):
    a.append(1)
    return a.pop(i)


@program(
    (np.array([1, 2], np.uint8), 3),
    (np.array([1, 2], np.uint8), 300),
    (np.array([1, 2], np.uint8), -1),
)
def fit(a, n):
    a[0] = n
    return a


@program((np.array([1, 2]), math.nan), (np.array([1, 2]), 2.7))
def fit3(a, v):
    a[0] = v
    return a


def loss(x, i):
    return x[i] ** 2


@program((ROW, 2), (ROW, 7))
def gradin(x, i):
    x[0] = 1
    return pyxla.grad(loss)(x, i)


def lossloop(x, n):
    s = 0.0
    for k in range(n):
        s = s + x[k] * x[k]
    return s


@program((ROW, 2), (ROW, 7))
def gradloop(x, n):
    x[0] = 1
    return pyxla.grad(lossloop)(x, n)


def item(x, i):
    return x[i]


@program((GRID, np.array([1, 2, 3])), (GRID, np.array([1, 9, 3])))
def vmapin(m, i):
    m[0, 0] = 5
    return pyxla.vmap(item)(m, i)


def logit(p):
    return math.log(p / (1 - p))


@program((0.5,), (0.0,), (1.0,))
def gradlog(p):
    return pyxla.value_and_grad(logit)(p)


@program(
    (np.array([[2.0, 1], [1, 3]]), np.array([1.0, 2])),
    (np.array([[1.0, 1], [1, 1]]), np.array([1.0, 2])),
)
def gauss(a, b):
    n = len(b)
    for i in range(n):
        p = float(a[i, i])
        for j in range(i + 1, n):
            f = float(a[j, i]) / p
            a[j] -= f * a[i]
            b[j] -= f * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = float(b[i])
        for j in range(i + 1, n):
            s -= float(a[i, j]) * x[j]
        x[i] = s / float(a[i, i])
    return x


@program((5,), (60,), (70,))
def hashpoly(n):
    h = 0
    for i in range(n):
        h = h * 31 + i
    return h


@program((1,), (-(2**63),))
def absf(a):
    return abs(a)


@program(([1, 2, 3],), ([2**62, 2**62, 1],))
def sumlist(a):
    return sum(a)


@program(
    (np.array([2**62, 2**62]),),
)
def npitemsum(a):
    return a[0] + a[1]


@program((["#..", "..#"], 0, 2), (["#..", "..#"], 1, 3), (["#..", "..#"], 2, 0))
def maze(g, i, j):
    return g[i][j] == "#"


@program((GRID, 3), (GRID, 5))
def rowtotal(m, k):
    t = 0.0
    for row in m:
        for j in range(k):
            t += row[j]
        row[0] = t
    return t


@program(([[1], [2], []], 0), ([[1], [2], [9]], 0), ([[1], [2], []], 5))
def dfs(adj, s):
    seen = [False] * len(adj)
    stack = [s]
    order = []
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in adj[u]:
            stack.append(v)
    return order


@program(([1, 3, 5], 3), ([1, 3, 5], 4))
def bsearch(a, v):
    lo = 0
    hi = len(a) - 1
    while lo <= hi:
        m = (lo + hi) // 2
        if a[m] == v:
            return m
        if a[m] < v:
            lo = m + 1
        else:
            hi = m - 1
    raise LookupError(v)


@program((["x=1", "y=2"],), (["x=1", "y"],), (["x=1", "y=z"],))
def cfg(lines):
    d = {}
    for l in lines:
        k, v = l.split("=")
        d[k] = int(v)
    return d


class P(NamedTuple):
    x: float
    y: float

    def ratio(self):
        return self.x / self.y


@program((P(1.0, 2.0),), (P(1.0, 0.0),))
def nt(p):
    return p.ratio()


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def norm(self):
        return self / math.sqrt(self.x**2 + self.y**2)


@program((3.0, 4.0, 0), (0.0, 0.0, 0), (3.0, 4.0, 2))
def vec(x, y, i):
    return Vec(x, y).norm()[i]


class Bank:
    def __init__(self):
        self.acc = {}
        self.log = []

    def get(self, k):
        return self.acc[k]

    def put(self, k, v):
        self.log.append(v)
        self.acc[k] += v


@program((1, 5), (2, 5))
def bank(k, v):
    b = Bank()
    b.acc[1] = 10
    b.put(k, v)
    return b.get(k)


@program(([1, 2], 3), ([], 3))
def dq(a, k):
    d = deque(a, maxlen=k)
    d.appendleft(0)
    d.pop()
    return d.pop()


@program((ROW, 2, 2), (ROW, 2, 3))
def bndot(x, n, m):
    return np.dot(x[:n], x[:m])


@program((ROW, 2), (ROW, 0))
def bmean(x, n):
    return sum(x[:n]) / len(x[:n])


@program((1, 2, 3), (1, 0, 3))
def slicestep(a, s, n):
    return [0, 1, 2, 3][a:n:s]


@program((0, 5), (3, 5), (4, 8))
def heaps(n, k):
    heap = []
    for i in range(n):
        heapq.heappush(heap, k - i)
    total = 0
    for _ in range(3):
        total += heapq.heappop(heap)
    return heapq.heapreplace(heap, total)


@program((np.arange(6.0),), (np.arange(5.0),))
def reshaped_with_an_unknown_extent(x):
    try:
        return x.reshape(2, -1)
    except ValueError as e:
        return str(e)


@program((np.arange(6.0),), (np.arange(5.0),))
def reshaped_with_an_unknown_first_extent(x):
    try:
        return x.reshape(-1, 2)
    except ValueError as e:
        return str(e)


@program((ROW, 1), (ROW, 5))
def index_of_several_types(x, n):
    u = 0
    if n > 3:
        u = x[n % 3]
    v = max(u, 1)
    x[v] = 7.0
    return x[v], x[v, None]


@program((ROW, 1), (ROW, 5))
def index_of_several_types_in_a_condition(x, n):
    u = 0
    if n > 3:
        u = x[n % 3]
    if 0 <= u < 3 and bool(x[u] == 0):
        return 1.0
    return 0.0


@program((0,), (2,))
def index_known_to_be_negative(n):
    w = [4, 1, 2]
    if n > 1:
        w.append(3)
    del w[n % 1 - 1]
    w.insert(n % 1 - 1, 3)
    return w


@program(*[({1: 1.0, 2: 2.0}, np.array([k])) for k in (1, 2, 3)])
def taken_out_of_an_argument(w, x):
    w.pop(int(x[0]))


@program(*[({1: 1.0, 2: 2.0}, np.array([k])) for k in (1, 2, 3)])
def taken_out_and_put(w, x):
    k = int(x[0])
    del w[k]
    w[k - 1] = 1.0


@program(*[({"a": 1.0}, np.array(x)) for x in ([1.0, 2.0], [3.0, 3.0], [1.0, 1.0])])
def dicts_that_are_put_in_an_argument(w, x):
    w["k"], w["l"] = {}, {1: 2.0, 3: 4.0}
    w["k"][int(x[0])] = 1
    w["n"] = 1 // int(x[1] - 2)
    w["k"][int(x[1])] = 2
    del w["l"][int(x[0] * x[1])]
