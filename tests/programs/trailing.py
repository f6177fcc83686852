"""Parts of arrays updated in place, whose first and last elements change from turn to turn."""

from __future__ import annotations

import numpy as np

from tests.programs import program


def A(n=12, m=12):
    return np.random.default_rng(n).random((n, m)) + n * np.eye(n, m)


def X(n=40):
    return np.random.default_rng(n).random(n)


@program("trailing elimination", lambda: (A(),), lambda: (A().astype(np.float32),))
def elimination(a):
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


@program("trailing rows", lambda: (A(9, 5), X(9)), lambda: (A(1, 5), X(1)))
def rows(a, x):
    for k in range(a.shape[0]):
        a[k:] *= x[k]
        a[k:, 1:3] += x[k:, None]
        a[:k] = np.where(a[:k] > 0.5, a[:k] - 1, -a[:k])
        a[k:] = a[k:][:, ::-1]
    return a


@program(
    "trailing vectors", lambda: (X(), X(), 3), lambda: (X(8), X(8), 0), lambda: (X(3), X(3), 2)
)
def vectors(x, y, s):
    n = x.shape[0]
    for k in range(n):
        x[k:] += y[k:] * 0.5 + x[k]
        x[k:] = np.sqrt(np.abs(x[k:])) + y[: n - k]
        x[k:][x[k:] > 0.75] -= 0.5
        y[k:] = y[k:][::-1]
        y[: n - k] -= x[k:]
        x[k // 2 : k] *= y[k // 2 : k]
        x[max(k - s, 0) : k + 2] += y[max(k - s, 0) : k + 2] + x[k : k + 1]
        x[-k - 1 :] += y[-k - 1 :]
    return x, y


@program("trailing by data", lambda: (X(), [0, 5, 39, 40]), lambda: (X(), [-3, 50, 12, -60]))
def by_data(x, starts):
    y = np.arange(float(x.shape[0]))
    for i in starts:
        x[i:] += y[i:]
        y[i:] = np.minimum(x[i:] * 2, y[i:])
        x[i : i + 7] = -x[i : i + 7]
        y[i:] = 3.0 - (y[i:] > 4)
    return x, y


@program("trailing columns", lambda: (A(7, 9),), lambda: (A(9, 7),))
def columns(a):
    for k in range(min(a.shape)):
        a[:, k:] -= a[:, k : k + 1]
        a[k:, k] = a[k, k:].sum() + a[k:, k]
        a.T[k:] *= 0.5
        a[k:, None][:, 0, k:] += 1.0
    return a


@program("trailing reflections", lambda: (A(9, 7),), lambda: (A(5, 5),))
def reflections(a):
    for k in range(a.shape[1]):
        v = a[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        a[k:, k:] -= 2 * np.outer(v, v @ a[k:, k:])
        a[k:] += np.exp(a[k:] / 64) - a[k:, k:].sum() / 64
    return a
