"""Linear algebra by hand."""

import math

import numpy as np


def matrix_product(a, b):
    n, m, p = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def elimination(a, b):
    a, x = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x


def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = math.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return low


def orthogonal(a):
    q = a.copy()
    n, m = q.shape
    for k in range(m):
        for j in range(k):
            s = 0.0
            for i in range(n):
                s += q[i, j] * q[i, k]
            for i in range(n):
                q[i, k] -= s * q[i, j]
        norm = 0.0
        for i in range(n):
            norm += q[i, k] * q[i, k]
        norm = math.sqrt(norm)
        for i in range(n):
            q[i, k] /= norm
    return q


def spectral_norm(n, steps):
    u = np.ones(n)
    v = np.zeros(n)
    t = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += u[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
            t[i] = s
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += t[j] / ((i + j) * (i + j + 1) // 2 + j + 1)
            v[i] = s
        u, v = v, u
    top = 0.0
    bottom = 0.0
    for i in range(n):
        top += u[i] * v[i]
        bottom += v[i] * v[i]
    return math.sqrt(top / bottom)


def fourier(real, imaginary):
    re, im = real.copy(), imaginary.copy()
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    width = 2
    while width <= n:
        angle = -2.0 * math.pi / width
        half = width // 2
        for k in range(half):
            c = math.cos(angle * k)
            s = math.sin(angle * k)
            for i in range(k, n, width):
                tr = re[i + half] * c - im[i + half] * s
                ti = re[i + half] * s + im[i + half] * c
                re[i + half] = re[i] - tr
                im[i + half] = im[i] - ti
                re[i] += tr
                im[i] += ti
        width *= 2
    return re, im


def conjugate_gradients(starts, columns, values, b, steps):
    n = b.shape[0]
    x = np.zeros(n)
    r = b.copy()
    p = b.copy()
    q = np.zeros(n)
    rr = 0.0
    for i in range(n):
        rr += r[i] * r[i]
    for _ in range(steps):
        pq = 0.0
        for i in range(n):
            s = 0.0
            for k in range(starts[i], starts[i + 1]):
                s += values[k] * p[columns[k]]
            q[i] = s
            pq += p[i] * s
        alpha = rr / pq
        new = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            new += r[i] * r[i]
        beta = new / rr
        rr = new
        for i in range(n):
            p[i] = r[i] + beta * p[i]
    return x


def tridiagonal(lower, middle, upper, right):
    n = len(middle)
    c = np.empty(n)
    x = np.empty(n)
    c[0] = upper[0] / middle[0]
    x[0] = right[0] / middle[0]
    for i in range(1, n):
        f = middle[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / f
        x[i] = (right[i] - lower[i] * x[i - 1]) / f
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def _definite(n, rng):
    a = rng.random((n, n))
    return (a @ a.T + n * np.eye(n),)


def _sparse(n, rng):
    columns = (np.arange(n)[:, None] + np.array([-1, 0, 1])) % n
    values = np.tile(np.array([-1.0, 3.0, -1.0]), n)
    return np.arange(0, 3 * n + 1, 3), columns.ravel(), values, rng.random(n), 10


def _bands(n, rng):
    return rng.random(n), 3.0 + rng.random(n), rng.random(n), rng.random(n)


SIZES = {
    matrix_product: (lambda n, rng: (rng.random((n, n)), rng.random((n, n))), 50, 120),
    elimination: (lambda n, rng: (rng.random((n, n)), rng.random(n)), 50, 150),
    cholesky: (_definite, 60, 150),
    orthogonal: (lambda n, rng: (rng.random((n, n)),), 50, 120),
    spectral_norm: (lambda n, _: (n, 4), 80, 300),
    fourier: (lambda n, rng: (rng.random(n), rng.random(n)), 1_024, 8_192),
    conjugate_gradients: (_sparse, 3_000, 10_000),
    tridiagonal: (_bands, 10_000, 50_000),
}
