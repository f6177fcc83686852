"""Slices whose step changes from turn to turn, and arrays of sizes that data decides."""

from __future__ import annotations

import numpy as np

from tests.programs import program


def X(n=20):
    return np.arange(float(n))


@program("slice step loop", lambda: (2,), lambda: (30,), lambda: (101,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for p in range(2, int(n**0.5) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return np.flatnonzero(prime)


@program("slice step while", lambda: (100,))
def sieve_by_while(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            prime[p * p : n + 1 : p] = False
        p += 1
    return prime.sum()


@program("slice step view", lambda: (X(), 7), lambda: (X(3), 5), lambda: (X(), 1))
def steps(x, k):
    total = 0.0
    y = x.copy()
    z = np.zeros((4, 6))
    w = np.zeros((4, 6), np.int32)
    for s in range(1, k):
        v = y[1::s]
        y[::s] += 1
        total += v.sum() + (x[::s] ** 2).mean() + x[::s][0] + len(x[::s])
        z[:, ::s] = s
        z[1:3, 1::s] += y[0]
        w[::s, ::s] = s
        w[s % 3, ::s] -= np.arange(6)[::s]
        y[2:9:s] = y[0]
        z[..., None, 1::s] = 2 * s
    return total, y, z, w


@program("slice step reversed", lambda: (X(12), 5))
def reversed_steps(x, n):
    out = np.zeros(len(x))
    for s in range(1, n):
        out[::s] = x[::s][::-1]
        out[-3::s] += 1
    return out


@program("slice step", lambda: (X(9), np.array([2, 5, 3, 1])))
def steps_by_data(x, strides):
    total = 0.0
    for s in strides:
        s = max(int(s), 1)
        total += x[::s].sum() * s
    return total


@program("size data", lambda: (np.array([3, 1, 0, 2, 3, 5]),), lambda: (np.array([0]),))
def counted(labels):
    k = labels.max() + 1
    counts = np.zeros(k)
    sums = np.zeros((k, 2))
    for i in range(len(labels)):
        counts[labels[i]] += 1
        sums[labels[i]] += i
    for j in range(k):
        sums[j] /= max(counts[j], 1)
    return counts, sums, np.repeat(np.arange(len(labels)), labels), np.arange(labels[0], k)


@program("size data", lambda: (np.array([1500, 700, 2]), np.array([2.5, 0.5, 3.0])))
def larger_than_the_room(counts, values):
    total = int(counts.sum())
    out = np.empty(total)
    at = 0
    for c, v in zip(counts, values):
        out[at : at + c] = v
        at += c
    return out, np.repeat(values, counts), np.linspace(0.0, 1.0, counts[1])


@program("size data", lambda: (np.array([40, 4]),))
def sieve_of_data(x):
    n = x.sum()
    prime = np.ones(n, bool)
    prime[:2] = False
    for p in range(2, int(n**0.5) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return np.nonzero(prime)[0]


@program("power mask", lambda: (X(9) - 4,))
def powers_of_masks(x):
    return (x[x > 0] ** 2).sum(), x[x > 0] ** 3, (x > 0)[x > 1] ** 2
