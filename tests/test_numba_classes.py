"""More programs with Numba's decorators, as they stand: typed containers, classes and the like.

As in `test_numba`, results are compared with those of their Python: Numba takes seconds to compile
each of these, ten for what has a class in it.
"""

from __future__ import annotations

import copy
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import jax
import numba
import numpy as np
import pytest
from numba.experimental import jitclass
from numba.typed import Dict, List

import pyxla

float64, guvectorize, int64, jit = numba.float64, numba.guvectorize, numba.int64, numba.jit
njit, prange, types, vectorize = numba.njit, numba.prange, numba.types, numba.vectorize


@njit
def rouwenhorst(n, rho, sigma):
    p = (1 + rho) / 2
    psi = np.sqrt(n - 1) * sigma / np.sqrt(1 - rho**2)
    z = np.linspace(-psi, psi, n)
    P = np.array([[p, 1 - p], [1 - p, p]])
    for k in range(3, n + 1):
        Q = np.zeros((k, k))
        Q[:-1, :-1] += p * P
        Q[:-1, 1:] += (1 - p) * P
        Q[1:, :-1] += (1 - p) * P
        Q[1:, 1:] += p * P
        Q[1:-1] /= 2
        P = Q
    return z, P


@njit(cache=True)
def gth_solve(A):
    A1 = A.copy()
    n = A1.shape[0]
    x = np.zeros(n)
    for k in range(n - 1):
        scale = np.sum(A1[k, k + 1 : n])
        if scale <= 0:
            n = k + 1
            break
        for i in range(k + 1, n):
            A1[i, k] /= scale
            for j in range(k + 1, n):
                A1[i, j] += A1[i, k] * A1[k, j]
    x[n - 1] = 1
    for k in range(n - 2, -1, -1):
        for i in range(k + 1, n):
            x[k] += x[i] * A1[i, k]
    x /= np.sum(x)
    return x


@vectorize([float64(float64, float64)])
def crra(c, gamma):
    if c <= 0:
        return -np.inf
    if gamma == 1.0:
        return math.log(c)
    return (c ** (1 - gamma) - 1) / (1 - gamma)


@njit
def golden(f, a, b, args=(), tol=1e-8, maxiter=200):
    phi = (math.sqrt(5.0) - 1) / 2
    c, d = b - phi * (b - a), a + phi * (b - a)
    it = 0
    fc, fd = f(c, *args), f(d, *args)
    while abs(b - a) > tol and it < maxiter:
        if fc > fd:
            b, d, fd = d, c, fc
            c = b - phi * (b - a)
            fc = f(c, *args)
        else:
            a, c, fc = c, d, fd
            d = a + phi * (b - a)
            fd = f(d, *args)
        it += 1
    x = (a + b) / 2
    return x, f(x, *args), it


@njit
def bellman_rhs(c, w, grid, v, beta, gamma):
    k = w - c
    return crra(c, gamma) + beta * np.interp(k, grid, v)


@njit(parallel=True, fastmath=True)
def bellman(grid, v, alpha, beta, gamma):
    n = len(grid)
    new = np.empty(n)
    pol = np.empty(n)
    for i in prange(n):
        w = grid[i] ** alpha
        c, val, _ = golden(bellman_rhs, 1e-8, w, (w, grid, v, beta, gamma))
        new[i] = val
        pol[i] = c
    return new, pol


@njit
def solve_growth(grid, alpha, beta, gamma, tol=1e-3, maxit=50):
    v = np.zeros(len(grid))
    err = tol + 1
    it = 0
    pol = v
    while err > tol and it < maxit:
        new, pol = bellman(grid, v, alpha, beta, gamma)
        err = np.max(np.abs(new - v))
        v = new
        it += 1
    return v, pol, it


@guvectorize([(float64[:], int64, float64[:])], "(n),()->(n)")
def moving(x, w, out):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if i >= w:
            s -= x[i - w]
        out[i] = s / min(i + 1, w)


@njit
def spells(states):
    out = List()
    length = 1
    for t in range(1, len(states)):
        if states[t] == states[t - 1]:
            length += 1
        else:
            out.append((states[t - 1], length))
            length = 1
    out.append((states[-1], length))
    total = 0
    for s, n in out:
        total += s * n
    return len(out), total


@njit
def counts(xs):
    d = Dict.empty(key_type=types.int64, value_type=types.int64)
    for x in xs:
        if x in d:
            d[x] += 1
        else:
            d[x] = 1
    best, most = -1, 0
    for k, c in d.items():
        if c > most:
            best, most = k, c
    return best, most, len(d)


@jitclass([("alpha", float64), ("beta", float64), ("k", float64[:]), ("t", int64)])
class Growth:
    def __init__(self, alpha, beta, n):
        self.alpha = alpha
        self.beta = beta
        self.k = np.zeros(n)
        self.k[0] = 0.1
        self.t = 0

    def step(self):
        self.k[self.t + 1] = self.alpha * self.beta * self.k[self.t] ** self.alpha
        self.t += 1

    @property
    def last(self):
        return self.k[self.t]


@njit
def path(alpha, beta, n):
    g = Growth(alpha, beta, n)
    for _ in range(n - 1):
        g.step()
    return g.k, g.last


@njit
def pivot(tab, row, col):
    p = tab[row, col]
    tab[row] /= p
    for i in range(tab.shape[0]):
        if i != row:
            m = tab[i, col]
            if m != 0:
                for j in range(tab.shape[1]):
                    tab[i, j] -= m * tab[row, j]


@njit
def min_ratio(tab, col):
    best, arg = np.inf, -1
    for i in range(tab.shape[0] - 1):
        if tab[i, col] > 1e-10:
            r = tab[i, -1] / tab[i, col]
            if r < best:
                best, arg = r, i
    return arg


@njit
def simplex(c, A, b):
    m, n = A.shape
    tab = np.zeros((m + 1, n + m + 1))
    tab[:m, :n] = A
    for i in range(m):
        tab[i, n + i] = 1
    tab[:m, -1] = b
    tab[m, :n] = -c
    basis = np.arange(n, n + m)
    while True:
        col = np.argmin(tab[m, :-1])
        if tab[m, col] >= -1e-12:
            break
        row = min_ratio(tab, col)
        if row < 0:
            raise ValueError("unbounded")
        pivot(tab, row, col)
        basis[row] = col
    x = np.zeros(n + m)
    for i in range(m):
        x[basis[i]] = tab[i, -1]
    return x[:n], tab[m, -1]


@njit
def simulate(P, init, u):
    n = P.shape[0]
    cdf = np.empty_like(P)
    for i in range(n):
        cdf[i] = np.cumsum(P[i])
    out = np.empty(len(u) + 1, dtype=np.int64)
    out[0] = init
    for t in range(len(u)):
        out[t + 1] = np.searchsorted(cdf[out[t]], u[t], side="right")
    return out


@njit
def next_k_array(a):
    k = len(a)
    if k == 1 or a[0] + 1 < a[1]:
        a[0] += 1
        return a
    a[0] = 0
    i = 1
    x = a[i] + 1
    while i < k - 1 and x == a[i + 1]:
        i += 1
        a[i - 1] = i - 1
        x = a[i] + 1
    a[i] = x
    return a


@jit(nopython=True)
def subsets(k, n):
    a = np.arange(k)
    rows = np.empty((n, k), np.int64)
    for i in range(n):
        rows[i] = a
        next_k_array(a)
    return rows


@njit
def kalman(y, A, C, G, R):
    n = A.shape[0]
    x, S = np.zeros(n), np.eye(n)
    ll = 0.0
    for t in range(y.shape[0]):
        F = G @ S @ G.T + R
        K = S @ G.T @ np.linalg.inv(F)
        e = y[t] - G @ x
        ll -= 0.5 * (e @ np.linalg.solve(F, e) + math.log(np.linalg.det(F)))
        x = A @ (x + K @ e)
        S = A @ (S - K @ G @ S) @ A.T + C @ C.T
    return x, S, ll


@njit(parallel=True)
def gini(y):
    n = len(y)
    s = np.zeros(n)
    for i in prange(n):
        for j in range(n):
            s[i] += abs(y[i] - y[j])
    return np.sum(s) / (2 * n * np.sum(y))


@njit
def lorenz(y):
    y = np.sort(y)
    s = np.zeros(y.size + 1)
    s[1:] = np.cumsum(y)
    return np.linspace(0, 1, y.size + 1), s / s[-1]


Result = namedtuple("Result", ["root", "calls", "iterations", "converged"])


@njit
def newton(f, fp, x0, tol=1e-10, maxiter=50):
    p0 = 1.0 * x0
    calls = 0
    for it in range(maxiter):
        v = f(p0)
        calls += 1
        if v == 0:
            return Result(p0, calls, it, True)
        d = fp(p0)
        calls += 1
        if d == 0:
            raise ZeroDivisionError("derivative is zero")
        p = p0 - v / d
        if abs(p - p0) < tol:
            return Result(p, calls, it + 1, True)
        p0 = p
    return Result(p0, calls, maxiter, False)


@njit
def cube(x):
    return x**3 - 2.0


@njit
def dcube(x):
    return 3 * x**2


@njit
def find_root(x0):
    r = newton(cube, dcube, x0)
    return r.root, r.calls, r.converged


@vectorize(["float64(float64)"], nopython=True)
def logistic(x):
    return 1 / (1 + math.exp(-x))


@njit
def logit_step(X, y, b):
    p = logistic(X @ b)
    g = X.T @ (y - p)
    H = np.zeros((X.shape[1], X.shape[1]))
    for i in range(X.shape[0]):
        H += p[i] * (1 - p[i]) * np.outer(X[i], X[i])
    return b + np.linalg.solve(H, g)


@njit
def logit(X, y):
    b = np.zeros(X.shape[1])
    for _ in range(8):
        b = logit_step(X, y, b)
    return b


@njit
def ifelse(a, b):
    @njit
    def inner(x):
        return x * 2

    return inner(a) + b


@njit
def ints():
    out = List.empty_list(int64)
    for i in range(5):
        out.append(i * i)
    d = Dict()
    d["a"] = 1.0
    return len(out), out[2], d["a"]


@njit
def deco(a):
    @njit(fastmath=True)
    def inner(x):
        return x * 2

    @jit
    def inner2(x):
        return x * 3

    return inner(a) + inner2(a)


rng = np.random.default_rng(0)
u = rng.random(60)
CALLS = [
    (rouwenhorst, (5, 0.9, 0.1)),
    (gth_solve, (np.array([[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0.3, 0.7]]),)),
    (crra, (np.linspace(-1, 3, 5), 2.0)),
    (solve_growth, (np.linspace(0.01, 2, 20), 0.4, 0.9, 2.0)),
    (bellman, (np.linspace(0.01, 2, 20), np.zeros(20), 0.4, 0.9, 1.0)),
    (moving, (np.arange(8.0), 3)),
    (spells, (np.array([0, 0, 1, 1, 1, 2, 0]),)),
    (counts, (np.array([3, 1, 3, 2, 3, 1]),)),
    (path, (0.3, 0.95, 10)),
    (
        simplex,
        (np.array([3.0, 5.0]), np.array([[1.0, 0], [0, 2], [3, 2]]), np.array([4.0, 12, 18])),
    ),
    (simulate, (np.array([[0.9, 0.1], [0.4, 0.6]]), 0, u)),
    (subsets, (3, 10)),
    (
        kalman,
        (
            rng.normal(size=(10, 1)),
            np.array([[0.9, 0.1], [0, 0.8]]),
            np.eye(2) * 0.1,
            np.array([[1.0, 0]]),
            np.array([[0.1]]),
        ),
    ),
    (gini, (rng.random(20),)),
    (lorenz, (rng.random(7),)),
    (find_root, (1.5,)),
    (logit, (rng.normal(size=(30, 3)), (rng.random(30) > 0.5) * 1.0)),
    (ifelse, (1.0, 2.0)),
    (ints, ()),
    (deco, (2.0,)),
]


class PlainList(list):
    """A typed list."""

    @staticmethod
    def empty_list(item_type: Any) -> list[Any]:
        return []


class PlainDict(dict):
    """A typed dict."""

    @staticmethod
    def empty(key_type: Any, value_type: Any) -> dict[Any, Any]:
        return {}


def undecorated(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """In the place of decorators inside functions."""
    return undecorated if function is None else function


def class_of(made: Any) -> type:
    """What `jitclass` made one of."""
    properties = {
        name: property(of["get"].py_func) for name, of in made.class_type.jit_props.items()
    }
    return type(made.__name__, (), {**made.class_type.methods, **properties})


def in_python(function: Any, args: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What its Python gives, that of all it calls too; Numba's own for universal functions."""
    names = {"List": PlainList, "Dict": PlainDict, "Growth": class_of(Growth)}
    names |= {"njit": undecorated, "jit": undecorated}
    names |= {name: x.py_func for name, x in globals().items() if hasattr(x, "py_func")}
    with monkeypatch.context() as patch:
        for name, plain in names.items():
            patch.setitem(globals(), name, plain)
        return getattr(function, "py_func", function)(*args)


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_as_it_stands(number, monkeypatch):
    function, args = CALLS[number]
    result = pyxla.compile(function)(*copy.deepcopy(args))
    expected = in_python(function, copy.deepcopy(args), monkeypatch)
    for ours, theirs in zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_classes_of_numbas():
    def known(n):
        return isinstance(Growth(0.3, 0.9, n), Growth), isinstance(List([1.0]), List)

    assert pyxla.compile(known)(4) == (True, True)


def test_objects_of_numbas_are_refused():
    for given in (List([1.0]), Dict.empty(types.int64, types.float64), Growth(0.3, 0.9, 4)):
        with pytest.raises(pyxla.CompileError, match="x is a .* of Numba's"):
            pyxla.compile(lambda x: x)(given)
