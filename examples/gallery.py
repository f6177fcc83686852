"""Five programs whose results are pictures, which `python -m examples.pictures FOLDER` draws."""

import numpy as np

import pyxla


@pyxla.compile
def mandelbrot(xs, ys, limit):
    """How many steps each point of a grid takes to escape: int64[len(ys), len(xs)]."""
    counts = np.zeros((len(ys), len(xs)), dtype=np.int64)
    for row, y in enumerate(ys):
        for column, x in enumerate(xs):
            a = b = 0.0
            n = 0
            while n < limit and a * a + b * b <= 4.0:
                a, b = a * a - b * b + x, 2.0 * a * b + y
                n += 1
            counts[row, column] = n
    return counts


@pyxla.compile
def wave(size, steps, speed):
    """A drop on a square membrane that is fixed at its edge: its height, f64[size, size]."""
    x = np.linspace(-1.0, 1.0, size)
    height = np.exp(-60.0 * ((x[:, None] + 0.3) ** 2 + (x[None, :] - 0.2) ** 2))
    before = height.copy()
    for _ in range(steps):
        bend = np.zeros_like(height)
        bend[1:-1, 1:-1] = (
            height[:-2, 1:-1]
            + height[2:, 1:-1]
            + height[1:-1, :-2]
            + height[1:-1, 2:]
            - 4 * height[1:-1, 1:-1]
        )
        before, height = height, 2 * height - before + speed * bend
    return height


def spiral_loss(weights, points, labels):
    """The mean logistic loss of a small network that tells two spirals apart."""
    for w, b in weights[:-1]:
        points = np.tanh(points @ w + b)
    w, b = weights[-1]
    return np.mean(np.log1p(np.exp(-labels * (points @ w + b)[:, 0])))


@pyxla.compile
def train(weights, points, labels, steps, rate):
    """The loss at each of `steps` steps of gradient descent with momentum, which trains weights."""
    losses = np.zeros(steps)
    speed = [(np.zeros_like(w), np.zeros_like(b)) for w, b in weights]
    for k in range(steps):
        losses[k], slopes = pyxla.value_and_grad(spiral_loss)(weights, points, labels)
        for (w, b), (vw, vb), (sw, sb) in zip(weights, speed, slopes):
            vw[:] = 0.95 * vw - rate * sw
            vb[:] = 0.95 * vb - rate * sb
            w += vw
            b += vb
    return losses


@pyxla.compile
def magnetization(size, temperatures, sweeps, seed):
    """The mean magnetization of Ising's model at each temperature, by Metropolis' algorithm."""
    rng = np.random.default_rng(seed)
    means = np.zeros(len(temperatures))
    for t, temperature in enumerate(temperatures):
        spins = np.ones((size, size), dtype=np.int64)
        total = 0.0
        for sweep in range(sweeps):
            for _ in range(size * size):
                i, j = rng.integers(size), rng.integers(size)
                around = (
                    spins[i - 1, j]
                    + spins[(i + 1) % size, j]
                    + spins[i, j - 1]
                    + spins[i, (j + 1) % size]
                )
                cost = 2.0 * spins[i, j] * around
                if cost <= 0 or rng.random() < np.exp(-cost / temperature):
                    spins[i, j] = -spins[i, j]
            if sweep >= sweeps // 2:
                total += abs(spins.mean())
        means[t] = total / (sweeps - sweeps // 2)
    return means


@pyxla.compile
def traffic(length, cars, steps, fastest, hesitation, seed):
    """Where cars are on a ring road, bool[steps, length] (Nagel and Schreckenberg, 1992)."""
    rng = np.random.default_rng(seed)
    where = np.arange(cars) * length // cars
    speed = np.zeros(cars, dtype=np.int64)
    seen = np.zeros((steps, length), dtype=bool)
    for step in range(steps):
        gaps = (np.roll(where, -1) - where - 1) % length
        speed = np.minimum(np.minimum(speed + 1, fastest), gaps)
        hesitates = rng.random(cars) < hesitation
        speed = np.where(hesitates & (speed > 0), speed - 1, speed)
        where = (where + speed) % length
        seen[step, where] = True
    return seen


def spirals(count, seed):
    """Two spirals of points, f64[2 * count, 2], and which is which, f64[2 * count] of -1 and 1."""
    rng = np.random.default_rng(seed)
    angle = np.sqrt(rng.random(count)) * 3 * np.pi
    arm = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1) / (3 * np.pi)
    points = np.concatenate([arm, -arm]) + rng.normal(scale=0.02, size=(2 * count, 2))
    return points, np.repeat([1.0, -1.0], count)


def network(sizes, seed):
    """Random weights and zero biases for layers of these sizes."""
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(m, n)) * np.sqrt(2 / m), np.zeros(n)) for m, n in zip(sizes, sizes[1:])
    ]
