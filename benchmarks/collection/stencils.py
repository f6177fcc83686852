"""Stencils on grids."""

import numpy as np


def jacobi(a, steps):
    n, m = a.shape
    b = a.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a
    return a


def heat_rod(u, steps, c):
    n = u.shape[0]
    u = u.copy()
    new = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = u[i] + c * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, n - 1):
            u[i] = new[i]
    return u


def red_black(a, sweeps):
    a = a.copy()
    n, m = a.shape
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + colour) % 2, m - 1, 2):
                    a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return a


def life(grid, steps):
    n, m = grid.shape
    for _ in range(steps):
        new = np.zeros_like(grid)
        for i in range(n):
            for j in range(m):
                alive = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            u = i + di
                            v = j + dj
                            if 0 <= u < n and 0 <= v < m:
                                alive += grid[u, v]
                if alive == 3 or (alive == 2 and grid[i, j] == 1):
                    new[i, j] = 1
        grid = new
    return grid


def wave(u, steps, c):
    before = u.copy()
    now = u.copy()
    n, m = u.shape
    for _ in range(steps):
        after = np.zeros_like(now)
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                d = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * now[i, j]
                after[i, j] = 2.0 * now[i, j] - before[i, j] + c * d
        before = now
        now = after
    return now


def edges(image):
    n, m = image.shape
    result = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            gx = image[i - 1, j + 1] + 2.0 * image[i, j + 1] + image[i + 1, j + 1]
            gx -= image[i - 1, j - 1] + 2.0 * image[i, j - 1] + image[i + 1, j - 1]
            gy = image[i + 1, j - 1] + 2.0 * image[i + 1, j] + image[i + 1, j + 1]
            gy -= image[i - 1, j - 1] + 2.0 * image[i - 1, j] + image[i - 1, j + 1]
            result[i, j] = (gx * gx + gy * gy) ** 0.5
    return result


def reaction(u, v, steps):
    n, m = u.shape
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        du = np.zeros((n, m))
        dv = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                up, down = (i - 1) % n, (i + 1) % n
                left, right = (j - 1) % m, (j + 1) % m
                lu = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4.0 * v[i, j]
                r = u[i, j] * v[i, j] * v[i, j]
                du[i, j] = 0.16 * lu - r + 0.035 * (1.0 - u[i, j])
                dv[i, j] = 0.08 * lv + r - 0.1 * v[i, j]
        u = u + du
        v = v + dv
    return u, v


SIZES = {
    jacobi: (lambda n, rng: (rng.random((n, n)), 10), 100, 250),
    heat_rod: (lambda n, rng: (rng.random(n), 50, 0.2), 1_500, 5_000),
    red_black: (lambda n, rng: (rng.random((n, n)), 5), 60, 200),
    life: (lambda n, rng: ((rng.random((n, n)) < 0.3).astype(np.int64), 5), 40, 120),
    wave: (lambda n, rng: (rng.random((n, n)), 8, 0.1), 60, 200),
    edges: (lambda n, rng: (rng.random((n, n)),), 150, 400),
    reaction: (lambda n, rng: (rng.random((n, n)), rng.random((n, n)), 5), 50, 150),
}
