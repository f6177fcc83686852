"""Loops over the elements of arrays."""

import numpy as np


def prefix_sums(x):
    total = 0.0
    y = np.empty_like(x)
    for i in range(len(x)):
        total += x[i]
        y[i] = total
    return y


def histogram(x, bins):
    counts = np.zeros(bins, dtype=np.int64)
    for i in range(x.shape[0]):
        k = int(x[i] * bins)
        if k == bins:
            k = bins - 1
        counts[k] += 1
    return counts


def horner(x, coefficients):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        s = 0.0
        for c in coefficients:
            s = s * x[i] + c
        y[i] = s
    return y


def sieve(limit):
    composite = np.zeros(limit, dtype=np.bool_)
    count = 0
    for n in range(2, limit):
        if not composite[n]:
            count += 1
            for multiple in range(n * n, limit, n):
                composite[multiple] = True
    return count


def convolution(x, kernel):
    n = x.shape[0] - kernel.shape[0] + 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(kernel.shape[0]):
            y[i] += x[i + k] * kernel[k]
    return y


def pairwise_distances(points):
    n, d = points.shape
    result = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                t = points[i, k] - points[j, k]
                s += t * t
            result[i, j] = np.sqrt(s)
    return result


def welford(x):
    mean = 0.0
    squares = 0.0
    lowest = x[0]
    highest = x[0]
    for i in range(x.shape[0]):
        d = x[i] - mean
        mean += d / (i + 1)
        squares += d * (x[i] - mean)
        lowest = min(lowest, x[i])
        highest = max(highest, x[i])
    return mean, squares / x.shape[0], lowest, highest


def run_lengths(x):
    values = np.empty_like(x)
    lengths = np.zeros(x.shape[0], dtype=np.int64)
    count = 0
    i = 0
    while i < x.shape[0]:
        j = i
        while j < x.shape[0] and x[j] == x[i]:
            j += 1
        values[count] = x[i]
        lengths[count] = j - i
        count += 1
        i = j
    return values[:count].sum(), lengths[:count].max()


def exponential_average(x, weight):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = weight * x[i] + (1.0 - weight) * y[i - 1]
    return y


SIZES = {
    prefix_sums: (lambda n, rng: (rng.random(n),), 60_000, 300_000),
    histogram: (lambda n, rng: (rng.random(n), 64), 30_000, 300_000),
    horner: (lambda n, rng: (rng.random(n), rng.random(12)), 5_000, 50_000),
    sieve: (lambda n, _: (n,), 50_000, 500_000),
    convolution: (lambda n, rng: (rng.random(n), rng.random(15)), 8_000, 50_000),
    pairwise_distances: (lambda n, rng: (rng.random((n, 3)),), 120, 400),
    welford: (lambda n, rng: (rng.random(n),), 20_000, 200_000),
    run_lengths: (lambda n, rng: (np.sort(rng.integers(0, n // 4, n)),), 40_000, 200_000),
    exponential_average: (lambda n, rng: (rng.random(n), 0.1), 40_000, 300_000),
}
