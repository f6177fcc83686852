"""Monte Carlo, with a linear congruential generator of its own."""

import math

import numpy as np


def pi_by_darts(n):
    state = 42
    inside = 0
    for _ in range(n):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        x = state / 2147483648.0
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        y = state / 2147483648.0
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


def ising(size, sweeps, beta):
    spins = np.ones((size, size), dtype=np.int64)
    state = 7
    for _ in range(sweeps):
        for i in range(size):
            for j in range(size):
                near = spins[(i + 1) % size, j] + spins[(i - 1) % size, j]
                near += spins[i, (j + 1) % size] + spins[i, (j - 1) % size]
                cost = 2 * spins[i, j] * near
                state = (state * 1103515245 + 12345) % 2147483648
                if cost <= 0 or state / 2147483648.0 < math.exp(-beta * cost):
                    spins[i, j] = -spins[i, j]
    return spins.sum()


def option_price(paths, steps):
    state = 99
    dt = 1.0 / steps
    total = 0.0
    for _ in range(paths):
        price = 100.0
        average = 0.0
        for _ in range(steps):
            z = -6.0
            for _ in range(12):
                state = (state * 1103515245 + 12345) % 2147483648
                z += state / 2147483648.0
            price *= math.exp((0.05 - 0.02) * dt + 0.2 * math.sqrt(dt) * z)
            average += price
        total += max(average / steps - 100.0, 0.0)
    return math.exp(-0.05) * total / paths


def random_walks(walkers, steps, width):
    visits = np.zeros((width, width), dtype=np.int64)
    state = 3
    for _ in range(walkers):
        x = width // 2
        y = width // 2
        for _ in range(steps):
            state = (state * 1103515245 + 12345) % 2147483648
            d = state // 65536 % 4
            if d == 0:
                x = min(x + 1, width - 1)
            elif d == 1:
                x = max(x - 1, 0)
            elif d == 2:
                y = min(y + 1, width - 1)
            else:
                y = max(y - 1, 0)
            visits[x, y] += 1
    return visits


def metropolis(steps, data):
    state = 11
    mean = 0.0
    score = -1e300
    total = 0.0
    for _ in range(steps):
        state = (state * 1103515245 + 12345) % 2147483648
        proposal = mean + 0.5 * (state / 2147483648.0 - 0.5)
        s = 0.0
        for k in range(data.shape[0]):
            d = data[k] - proposal
            s -= 0.5 * d * d
        state = (state * 1103515245 + 12345) % 2147483648
        if math.log(state / 2147483648.0 + 1e-12) < s - score:
            mean = proposal
            score = s
        total += mean
    return total / steps


def shuffles(cards, rounds):
    deck = np.arange(cards)
    fixed = 0
    state = 5
    for _ in range(rounds):
        for i in range(cards - 1, 0, -1):
            state = (state * 1103515245 + 12345) % 2147483648
            j = state // 128 % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        for i in range(cards):
            if deck[i] == i:
                fixed += 1
    return fixed


SIZES = {
    pi_by_darts: (lambda n, _: (n,), 30_000, 300_000),
    ising: (lambda n, _: (n, 5, 0.4), 40, 100),
    option_price: (lambda n, _: (n, 20), 100, 1_500),
    random_walks: (lambda n, _: (n, 100, 50), 300, 2_000),
    metropolis: (lambda n, rng: (n, rng.standard_normal(30)), 1_000, 10_000),
    shuffles: (lambda n, _: (52, n), 300, 2_000),
}
