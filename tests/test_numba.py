"""Programs with Numba's decorators, compiled as they stand, from their Python.

Thirty functions as they are in codes for economics (dynamic programming, Markov chains,
optimization, quadrature, time series), written for these tests.  Each is called in Python, by
Numba's own `py_func`, and compiled; what they return, and every argument, is compared.
"""

from __future__ import annotations

import copy
import math

import numba
import numpy as np
import pytest

import pyxla
from tests.compare import difference

float64, guvectorize, int64, jit = numba.float64, numba.guvectorize, numba.int64, numba.jit
njit, prange, vectorize = numba.njit, numba.prange, numba.vectorize


@njit
def utility(c, gamma):
    if gamma == 1.0:
        return math.log(c)
    return (c ** (1.0 - gamma) - 1.0) / (1.0 - gamma)


@vectorize
def crra(c, gamma):
    return utility(c, gamma)


@vectorize([float64(float64, float64)])
def discounted(x, beta):
    return x * beta if x > 0 else 0.0


@jit(nopython=True, cache=True)
def searched(grid, value):
    """Bisection in a sorted grid."""
    low, high = 0, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if grid[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@njit
def interpolated(grid, values, x):
    i = searched(grid, x)
    share = (x - grid[i]) / (grid[i + 1] - grid[i])
    return values[i] * (1 - share) + values[i + 1] * share


@njit
def bellman(v, grid, beta, gamma):
    """One step of value iteration for the cake problem."""
    new = np.empty_like(v)
    policy = np.zeros(len(v), dtype=np.int64)
    for i in range(len(grid)):
        best = -1e10
        for j in range(i + 1):
            c = grid[i] - grid[j] + 1e-3
            value = utility(c, gamma) + beta * v[j]
            if value > best:
                best = value
                policy[i] = j
        new[i] = best
    return new, policy


@njit
def value_iteration(grid, beta, gamma, tol, most):
    v = np.zeros(len(grid))
    count = 0
    for count in range(most):
        new, policy = bellman(v, grid, beta, gamma)
        error = np.max(np.abs(new - v))
        v = new
        if error < tol:
            break
    return v, policy, count


@njit(parallel=True)
def expectations(p, v):
    out = np.empty(p.shape[0])
    for i in prange(p.shape[0]):
        total = 0.0
        for j in range(p.shape[1]):
            total += p[i, j] * v[j]
        out[i] = total
    return out


@njit
def stationary(p, tol=1e-12):
    x = np.ones(p.shape[0]) / p.shape[0]
    while True:
        new = x @ p
        if np.abs(new - x).sum() < tol:
            return new
        x = new


@njit
def path_of(p, start, draws):
    """A path of a Markov chain, for uniform draws."""
    cumulated = np.cumsum(p, axis=1) if False else np.empty_like(p)
    for i in range(p.shape[0]):
        total = 0.0
        for j in range(p.shape[1]):
            total += p[i, j]
            cumulated[i, j] = total
    path = np.empty(len(draws) + 1, dtype=np.int64)
    path[0] = start
    for t in range(len(draws)):
        state = 0
        while cumulated[path[t], state] < draws[t]:
            state += 1
        path[t + 1] = state
    return path


@njit
def tauchen(rho, sigma, n):
    x = np.linspace(-3 * sigma, 3 * sigma, n)
    step = x[1] - x[0]
    p = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            high = normal_cdf((x[j] - rho * x[i] + step / 2) / sigma)
            low = normal_cdf((x[j] - rho * x[i] - step / 2) / sigma)
            if j == 0:
                p[i, j] = high
            elif j == n - 1:
                p[i, j] = 1 - low
            else:
                p[i, j] = high - low
    return x, p


@njit
def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit
def golden(a, b, gamma, tol):
    """Golden section search for the maximum of a concave function."""
    ratio = (math.sqrt(5.0) - 1) / 2
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    while b - a > tol:
        if concave(c, gamma) > concave(d, gamma):
            b = d
        else:
            a = c
        c, d = b - ratio * (b - a), a + ratio * (b - a)
    return (a + b) / 2


@njit
def concave(x, gamma):
    return utility(x + 1.0, gamma) - 0.3 * x * x


@njit
def brent_like(a, b, tol, most):
    fa, fb = cubic(a), cubic(b)
    if fa * fb > 0:
        raise ValueError("no change of sign")
    for k in range(most):
        m = a + (b - a) / 2
        fm = cubic(m)
        if abs(fm) < tol or b - a < tol:
            return m, k, True
        if fa * fm < 0:
            b = m
        else:
            a, fa = m, fm
    return m, most, False


@njit
def cubic(x):
    return x**3 - x - 2


@njit
def newton(x, tol):
    for _ in range(50):
        step = cubic(x) / (3 * x**2 - 1)
        x -= step
        if abs(step) < tol:
            break
    return x


@njit
def simpson(a, b, n):
    h = (b - a) / n
    total = cubic(a) + cubic(b)
    for i in range(1, n):
        total += cubic(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


@njit
def filtered(y, a, c, q, r):
    """A Kalman filter of one state."""
    x, p = 0.0, 1.0
    out = np.zeros(len(y))
    for t, seen in enumerate(y):
        x, p = a * x, a * a * p + q
        gain = p * c / (c * c * p + r)
        x += gain * (seen - c * x)
        p *= 1 - gain * c
        out[t] = x
    return out


@njit
def autoregressive(x0, rho, shocks):
    x = np.empty(len(shocks) + 1)
    x[0] = x0
    for t in range(len(shocks)):
        x[t + 1] = rho * x[t] + shocks[t]
    return x


@njit
def gini(y):
    y = np.sort(y)
    n = len(y)
    total = 0.0
    for i in range(n):
        total += (2 * (i + 1) - n - 1) * y[i]
    return total / (n * np.sum(y))


@njit
def lorenz(y):
    y = np.sort(y)
    shares = np.zeros(len(y) + 1)
    for i in range(len(y)):
        shares[i + 1] = shares[i] + y[i]
    return shares / shares[-1]


@guvectorize([(float64[:], float64[:], float64[:])], "(n),(n)->()")
def weighted(x, w, out):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * w[i]
    out[0] = total / w.sum()


@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)")
def smoothed(x, alpha, out):
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]


@njit
def smoothed_all(x, alpha):
    return smoothed(x, alpha).sum() + weighted(x, np.ones(x.shape[1])).max()


@njit
def deferred(w, n, p, beta):
    """When to accept a wage: McCall's search model."""
    v = w / (1 - beta)
    for _ in range(n):
        v = np.maximum(w / (1 - beta), 0.4 + beta * np.sum(v * p))
    return v


@njit
def count_primes(n):
    sieve = np.ones(n + 1, dtype=np.bool_)
    sieve[:2] = False
    i = 2
    while i * i <= n:
        if sieve[i]:
            sieve[i * i :: i] = False
        i += 1
    return int64(sieve.sum())


@njit(fastmath=True)
def pi_by_draws(x, y):
    hits = 0
    for i in prange(len(x)):
        if x[i] ** 2 + y[i] ** 2 < 1:
            hits += 1
    return 4 * hits / len(x)


@njit
def scaled_in_place(x, k):
    for i in range(len(x)):
        x[i] *= k


@njit
def lq_step(a, b, q, r, p):
    """A step of the Riccati equation."""
    gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
    return q + a.T @ p @ a - a.T @ p @ b @ gain


@njit
def logistic_map(x, r, n):
    out = np.empty(n)
    for t in range(n):
        x = r * x * (1 - x)
        out[t] = x
    return out


@njit
def fixed_costs(k, options):
    low, high = options
    return np.where(k > high, k - 1, np.where(k < low, k + 1, k))


@njit
def closed_over(x):
    return (x - MEAN) / SPREAD


MEAN, SPREAD = 2.0, np.array([1.0, 2.0, 4.0])
GRID = np.linspace(0.1, 2.0, 12)
P = np.array([[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])
DRAWS = np.linspace(0.05, 0.95, 10)
CALLS = [
    (utility, (2.0, 1.0)),
    (crra, (GRID, 2.0)),
    (crra, (GRID[:, None], np.array([0.5, 1.0, 3.0]))),
    (crra, (2.0, 2.0)),
    (discounted, (np.arange(-2, 3), 0.5)),
    (searched, (GRID, 0.77)),
    (interpolated, (GRID, GRID**2, 0.77)),
    (bellman, (np.zeros(12), GRID, 0.95, 2.0)),
    (value_iteration, (GRID, 0.9, 2.0, 1e-6, 200)),
    (expectations, (P, np.arange(3.0))),
    (stationary, (P,)),
    (path_of, (P, 0, DRAWS)),
    (tauchen, (0.9, 0.1, 5)),
    (golden, (0.0, 3.0, 2.0, 1e-8)),
    (brent_like, (0.0, 3.0, 1e-10, 100)),
    (newton, (1.5, 1e-12)),
    (simpson, (0.0, 2.0, 10)),
    (filtered, (np.sin(np.arange(10.0)), 0.9, 1.0, 0.1, 0.2)),
    (autoregressive, (1.0, 0.5, DRAWS)),
    (gini, (GRID,)),
    (lorenz, (GRID[::-1].copy(),)),
    (weighted, (P, np.array([1.0, 2.0, 3.0]))),
    (weighted, (P[0], P[1])),
    (smoothed, (P, 0.3)),
    (smoothed_all, (P, 0.3)),
    (deferred, (GRID, 20, np.ones(12) / 12, 0.9)),
    (count_primes, (50,)),
    (pi_by_draws, (DRAWS, DRAWS[::-1].copy())),
    (scaled_in_place, (GRID.copy(), 2.0)),
    (lq_step, (P, P[:, :1].copy(), np.eye(3), np.eye(1), np.eye(3))),
    (logistic_map, (0.3, 3.7, 10)),
    (fixed_costs, (GRID, (0.5, 1.5))),
    (closed_over, (np.arange(3.0),)),
]


def in_python(function, args):
    """What Numba's interpreter-only mode gives: for universal functions, Numba's own results."""
    return getattr(function, "py_func", function)(*args)


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_as_it_stands(number, monkeypatch):
    function, args = CALLS[number]
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    result = pyxla.compile(function)(*ours)
    expected = in_python(function, theirs)
    if isinstance(expected, float):
        result, expected = float(result), float(expected)
    assert not difference(result, expected)
    assert not difference(ours, theirs)


def test_called_from_compiled_functions():
    def program(x):
        return crra(x, 2.0).sum() + utility(x[0], 1.0) + weighted(x, x) + len(list(prange(3)))

    assert pyxla.compile(program)(GRID) == pytest.approx(program(GRID))
    np.testing.assert_allclose(pyxla.grad(utility)(2.0, 3.0), 1 / 8)


def test_no_numba_is_needed(monkeypatch):
    """What has `py_func` is a dispatcher, whoever made it."""

    class Dispatcher:
        def __init__(self, f):
            self.py_func = f

        def __call__(self, *args):
            raise AssertionError("it is compiled from its Python")

    @Dispatcher
    def inner(x):
        return x * 2

    assert pyxla.compile(lambda x: inner(x) + 1)(3.0) == 7.0
    assert pyxla.compile(inner)(3.0) == 6.0


def test_what_is_refused():
    with pytest.raises(pyxla.CompileError, match="no signature for complex128"):
        pyxla.compile(lambda x: discounted(x, 1.0))(np.ones(2, complex))
    with pytest.raises(pyxla.CompileError, match="of no elements"):
        pyxla.compile(lambda x: crra(x, 2.0))(np.ones(0))
