"""Dynamic programs."""

import numpy as np


def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def common_subsequence(a, b):
    n, m = a.shape[0], b.shape[0]
    before = np.zeros(m + 1, dtype=np.int64)
    row = np.zeros(m + 1, dtype=np.int64)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                row[j + 1] = before[j] + 1
            elif before[j + 1] > row[j]:
                row[j + 1] = before[j + 1]
            else:
                row[j + 1] = row[j]
        before, row = row, before
    return before[m]


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(weights.shape[0]):
        for c in range(capacity, weights[i] - 1, -1):
            taken = best[c - weights[i]] + values[i]
            if taken > best[c]:
                best[c] = taken
    return best[capacity]


def matrix_chain(sizes):
    n = sizes.shape[0] - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 1 << 60
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if c < best:
                    best = c
            cost[i, j] = best
    return cost[0, n - 1]


def coin_change(coins, amount):
    ways = [0] * (amount + 1)
    ways[0] = 1
    for coin in coins:
        for a in range(coin, amount + 1):
            ways[a] = (ways[a] + ways[a - coin]) % 1_000_000_007
    return ways[amount]


def increasing_subsequence(x):
    tails = np.zeros_like(x)
    length = 0
    for i in range(len(x)):
        low, high = 0, length
        while low < high:
            middle = (low + high) // 2
            if tails[middle] < x[i]:
                low = middle + 1
            else:
                high = middle
        tails[low] = x[i]
        if low == length:
            length += 1
    return length


def local_alignment(a, b):
    h = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    best = 0
    for i in range(len(a)):
        for j in range(len(b)):
            score = h[i, j] + (2 if a[i] == b[j] else -1)
            score = max(score, 0, h[i, j + 1] - 2, h[i + 1, j] - 2)
            h[i + 1, j + 1] = score
            best = max(best, score)
    return best


def viterbi(start, change, emit, seen):
    states = start.shape[0]
    steps = seen.shape[0]
    score = np.empty((steps, states))
    back = np.zeros((steps, states), dtype=np.int64)
    for s in range(states):
        score[0, s] = start[s] + emit[s, seen[0]]
    for t in range(1, steps):
        for s in range(states):
            best = -np.inf
            for r in range(states):
                candidate = score[t - 1, r] + change[r, s]
                if candidate > best:
                    best = candidate
                    back[t, s] = r
            score[t, s] = best + emit[s, seen[t]]
    path = np.zeros(steps, dtype=np.int64)
    for s in range(1, states):
        if score[steps - 1, s] > score[steps - 1, path[steps - 1]]:
            path[steps - 1] = s
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def _letters(n, rng):
    return rng.integers(0, 4, n), rng.integers(0, 4, n)


def _chain(n, rng):
    return (rng.random(8), rng.random((8, 8)), rng.random((8, 5)), rng.integers(0, 5, n))


SIZES = {
    edit_distance: (_letters, 250, 800),
    common_subsequence: (_letters, 300, 1_000),
    knapsack: (
        lambda n, rng: (rng.integers(1, 60, n), rng.integers(1, 100, n), 20 * n),
        60,
        150,
    ),
    matrix_chain: (lambda n, rng: (rng.integers(5, 50, n),), 50, 130),
    coin_change: (lambda n, _: ([1, 2, 5, 10, 20, 50], n), 10_000, 50_000),
    increasing_subsequence: (lambda n, rng: (rng.integers(0, n, n),), 8_000, 60_000),
    local_alignment: (_letters, 200, 600),
    viterbi: (_chain, 800, 4_000),
}
