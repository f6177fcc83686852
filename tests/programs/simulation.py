"""Simulations: stencils, particles, automata, fractals, stochastic processes, rendering."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs import program


@program(
    "game of life", lambda: (np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]), 3)
)
def life_roll(board, steps):
    for _ in range(steps):
        n = np.zeros_like(board)
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di != 0 or dj != 0:
                    n += np.roll(np.roll(board, di, axis=0), dj, axis=1)
        board = ((n == 3) | ((board == 1) & (n == 2))).astype(board.dtype)
    return board


@program("game of life loops", lambda: (np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]]), 1))
def life_loops(board, steps):
    rows, cols = board.shape
    for _ in range(steps):
        new = np.zeros_like(board)
        for i in range(rows):
            for j in range(cols):
                alive = 0
                for a in range(max(i - 1, 0), min(i + 2, rows)):
                    for b in range(max(j - 1, 0), min(j + 2, cols)):
                        if a != i or b != j:
                            alive += board[a, b]
                if alive == 3 or (alive == 2 and board[i, j]):
                    new[i, j] = 1
        board[:] = new


@program("heat equation", lambda: (np.linspace(0, 1, 9) ** 2, 10))
def heat_1d(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])


@program("heat equation convergence", lambda: (np.pad(np.ones((1, 5)), ((0, 4), (0, 0))),))
def laplace_until_converged(u):
    it = 0
    while True:
        old = u.copy()
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        it += 1
        if np.abs(u - old).max() < 1e-6 or it > 500:
            break
    return it


@program("wave equation", lambda: (20, 30))
def wave_1d(n, steps):
    x = np.linspace(0, 1, n)
    u0 = np.exp(-100 * (x - 0.5) ** 2)
    u1 = u0.copy()
    for _ in range(steps):
        u2 = np.empty_like(u1)
        u2[0] = u2[-1] = 0
        u2[1:-1] = 2 * u1[1:-1] - u0[1:-1] + 0.5 * (u1[2:] - 2 * u1[1:-1] + u1[:-2])
        u0, u1 = u1, u2
    return u1


@program("seidel 2d", lambda: (np.arange(25.0).reshape(5, 5), 2))
def seidel_2d(a, steps):
    n = a.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i + 1, j]
                    + a[i, j + 1]
                ) / 6.0


@program("fdtd", lambda: (np.zeros((6, 5)), np.zeros((6, 5)), np.zeros((6, 5)), 5))
def fdtd_2d(ex, ey, hz, steps):
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@program(
    "n-body",
    lambda: (
        np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]),
        np.zeros((3, 2)),
        np.array([1.0, 0.1, 0.2]),
        20,
    ),
)
def n_body_loops(pos, vel, mass, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                d = pos[j] - pos[i]
                r2 = d[0] ** 2 + d[1] ** 2 + 0.01
                vel[i] += 0.01 * mass[j] * d / r2**1.5
        pos += 0.01 * vel
    return 0.5 * np.sum(mass[:, None] * vel**2)


@program(
    "n-body vectorized", lambda: (np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), 5)
)
def n_body_vectorized(x, steps):
    v = np.zeros_like(x)
    for _ in range(steps):
        d = x[None, :, :] - x[:, None, :]
        inv = ((d**2).sum(-1) + 0.1) ** -1.5
        np.fill_diagonal(inv, 0.0)
        v += 0.01 * (d * inv[:, :, None]).sum(axis=1)
        x = x + 0.01 * v
    return x, v


@program("mandelbrot", lambda: (6, 5, 30))
def mandelbrot_loops(width, height, limit):
    image = np.zeros((height, width), dtype=np.int32)
    for row in range(height):
        for col in range(width):
            c = complex(-2.0 + 3.0 * col / width, -1.0 + 2.0 * row / height)
            z = 0.0j
            n = 0
            while n < limit and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                n += 1
            image[row, col] = n
    return image


@program("mandelbrot masked", lambda: (-1.9, 1.0, 7, 20))
def mandelbrot_masked(lo, hi, n, limit):
    x = np.linspace(lo, hi, n)
    c = x[None, :] + 1j * np.linspace(-1, 1, n)[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for _ in range(limit):
        active = np.abs(z) <= 2
        z[active] = z[active] ** 2 + c[active]
        count[active] += 1
    return count


@program("mandelbrot worklist shrinking", lambda: (5, 15))
def mandelbrot_worklist(n, limit):
    re, im = np.meshgrid(np.linspace(-2, 1, n), np.linspace(-1, 1, n))
    c = (re + 1j * im).ravel()
    z = c.copy()
    index = np.arange(n * n)
    counts = np.zeros(n * n, dtype=int)
    for k in range(limit):
        z = z * z + c
        keep = np.abs(z) < 2.0
        counts[index[~keep]] = k + 1
        z, c, index = z[keep], c[keep], index[keep]
    return counts


@program("julia", lambda: (np.linspace(-1.5, 1.5, 6),))
def julia_set(axis):
    out = np.zeros((axis.size, axis.size))
    for i, y in enumerate(axis):
        for j, x in enumerate(axis):
            zr, zi = x, y
            k = 0
            while zr * zr + zi * zi < 4 and k < 25:
                zr, zi = zr * zr - zi * zi - 0.8, 2 * zr * zi + 0.156
                k += 1
            out[i, j] = k
    return out


@program("newton fractal", lambda: (4,))
def newton_fractal(n):
    roots = np.array([1, -0.5 + 0.8660254037844386j, -0.5 - 0.8660254037844386j])
    out = np.full((n, n), -1)
    for i in range(n):
        for j in range(n):
            z = complex(-1.1 + 2.3 * i / n, -0.9 + 2.1 * j / n)
            for _ in range(60):
                if abs(z) < 1e-9:
                    break
                dz = (z**3 - 1) / (3 * z**2)
                z = z - dz
                if abs(dz) < 1e-9:
                    out[i, j] = np.argmin(np.abs(roots - z))
                    break
    return out


def _fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def _hash2(x, y):
    h = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return h ^ (h >> 16)


def _gradient(h, x, y):
    direction = h & 3
    if direction == 0:
        return x + y
    if direction == 1:
        return -x + y
    if direction == 2:
        return x - y
    return -x - y


@program("perlin", lambda: (1.3, 2.7), lambda: (-0.4, 5.5))
def perlin_noise(x, y):
    total, amplitude, frequency = 0.0, 1.0, 1.0
    for _ in range(3):
        px, py = x * frequency, y * frequency
        xi, yi = math.floor(px), math.floor(py)
        fx, fy = px - xi, py - yi
        u, v = _fade(fx), _fade(fy)
        n00 = _gradient(_hash2(xi, yi), fx, fy)
        n10 = _gradient(_hash2(xi + 1, yi), fx - 1, fy)
        n01 = _gradient(_hash2(xi, yi + 1), fx, fy - 1)
        n11 = _gradient(_hash2(xi + 1, yi + 1), fx - 1, fy - 1)
        top = n00 + u * (n10 - n00)
        bottom = n01 + u * (n11 - n01)
        total += amplitude * (top + v * (bottom - top))
        amplitude *= 0.5
        frequency *= 2
    return total


@program("simplex noise", lambda: (0.6, 1.9), lambda: (-2.2, 0.1))
def simplex_noise(x, y):
    f2 = 0.5 * (math.sqrt(3.0) - 1.0)
    g2 = (3.0 - math.sqrt(3.0)) / 6.0
    s = (x + y) * f2
    i, j = math.floor(x + s), math.floor(y + s)
    t = (i + j) * g2
    x0, y0 = x - (i - t), y - (j - t)
    i1, j1 = (1, 0) if x0 > y0 else (0, 1)
    corners = (
        (x0, y0, i, j),
        (x0 - i1 + g2, y0 - j1 + g2, i + i1, j + j1),
        (x0 - 1 + 2 * g2, y0 - 1 + 2 * g2, i + 1, j + 1),
    )
    total = 0.0
    for cx, cy, ci, cj in corners:
        falloff = 0.5 - cx * cx - cy * cy
        if falloff > 0:
            total += falloff**4 * _gradient(_hash2(ci, cj), cx, cy)
    return 70.0 * total


class Ray(NamedTuple):
    origin: np.ndarray
    direction: np.ndarray


@dataclass(frozen=True)
class Sphere:
    center: np.ndarray
    radius: float

    def distance(self, p):
        return np.sqrt(np.sum((p - self.center) ** 2)) - self.radius


def _scene():
    return (Sphere(np.array([0.0, 0.0, 5.0]), 1.0), Sphere(np.array([1.0, 1.0, 4.0]), 0.5))


@program(
    "ray marching",
    lambda: (_scene(), Ray(np.zeros(3), np.array([0.0, 0.0, 1.0]))),
    lambda: (_scene(), Ray(np.zeros(3), np.array([0.0, 1.0, 0.0]))),
)
def ray_march(spheres, ray):
    t = 0.0
    for step in range(64):
        p = ray.origin + t * ray.direction
        d = 1e9
        for s in spheres:
            d = min(d, s.distance(p))
        if d < 1e-4:
            return float(t), step
        t += d
        if t > 50.0:
            break
    return -1.0, step


@program(
    "ray sphere intersection", lambda: (np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.0, 4.0]), 1.0)
)
def ray_sphere(direction, center, radius):
    b = np.dot(direction, center)
    disc = b * b - np.dot(center, center) + radius**2
    if disc < 0:
        return np.inf
    root = np.sqrt(disc)
    near, far = b - root, b + root
    if near > 1e-6:
        return near
    return far if far > 1e-6 else np.float64(np.inf)


@program("lotka-volterra", lambda: (10.0, 5.0))
def lotka_volterra(prey, predator):
    peak = 0.0
    for step in range(200):
        d_prey = 1.1 * prey - 0.4 * prey * predator
        d_predator = 0.1 * prey * predator - 0.4 * predator
        prey += 0.01 * d_prey
        predator += 0.01 * d_predator
        if predator > peak:
            peak = predator
    return prey, predator, peak


@program("sir epidemic", lambda: (0.3, 0.1), lambda: (0.05, 0.1))
def epidemic(beta, gamma, days=160):
    s, i, r = 0.99, 0.01, 0.0
    peak_day, peak = 0, i
    for day in range(days):
        new = beta * s * i
        recovered = gamma * i
        s, i, r = s - new, i + new - recovered, r + recovered
        if i > peak:
            peak_day, peak = day, i
        if i < 1e-6:
            break
    return s, peak_day, peak


@program("cellular automaton rule 30", lambda: (11, 5))
def rule30(width, steps):
    row = np.zeros(width, dtype=np.uint8)
    row[width // 2] = 1
    history = np.zeros((steps, width), dtype=np.uint8)
    for t in range(steps):
        history[t] = row
        left, right = np.roll(row, 1), np.roll(row, -1)
        row = left ^ (row | right)
    return history


@program("langton ant", lambda: (7, 40))
def langtons_ant(n, steps):
    grid = np.zeros((n, n), dtype=bool)
    r = c = n // 2
    dr, dc = -1, 0
    for _ in range(steps):
        if grid[r, c]:
            dr, dc = -dc, dr
        else:
            dr, dc = dc, -dr
        grid[r, c] = not grid[r, c]
        r = (r + dr) % n
        c = (c + dc) % n
    return grid, r, c


@program("sandpile", lambda: (np.array([[0, 3, 0], [2, 9, 1], [0, 3, 3]]),))
def sandpile(grid):
    topples = 0
    while np.any(grid > 3):
        for i in range(grid.shape[0]):
            for j in range(grid.shape[1]):
                if grid[i, j] > 3:
                    grid[i, j] -= 4
                    topples += 1
                    if i > 0:
                        grid[i - 1, j] += 1
                    if i + 1 < grid.shape[0]:
                        grid[i + 1, j] += 1
                    if j > 0:
                        grid[i, j - 1] += 1
                    if j + 1 < grid.shape[1]:
                        grid[i, j + 1] += 1
    return topples


@program("kalman filter", lambda: (np.array([1.0, 2.1, 2.9, 4.2, 5.0]),))
def kalman_filter(measurements):
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    q = 0.01 * np.eye(2)
    r = np.array([[0.5]])
    x = np.zeros(2)
    p = np.eye(2)
    estimates = []
    for z in measurements:
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        x = x + k @ (z - h @ x)
        p = (np.eye(2) - k @ h) @ p
        estimates.append(x[0])
    return np.array(estimates), p


@program("pid controller clamp", lambda: (10.0, 100))
def pid_loop(target, steps):
    position = velocity = integral = 0.0
    last_error = target
    saturated = 0
    for _ in range(steps):
        error = target - position
        integral += error * 0.05
        u = 2.0 * error + 0.5 * integral + 1.0 * (error - last_error) / 0.05
        if u > 20.0:
            u = 20.0
            saturated += 1
        elif u < -20.0:
            u = -20.0
            saturated += 1
        last_error = error
        velocity += (u - 0.5 * velocity) * 0.05
        position += velocity * 0.05
    return position, saturated


@program("bouncing ball events", lambda: (5.0, 3.0))
def bouncing_ball(height, duration):
    t, v, bounces = 0.0, 0.0, 0
    dt = 0.01
    while t < duration:
        v -= 9.81 * dt
        height += v * dt
        if height < 0:
            height = -height
            v = -0.8 * v
            bounces += 1
            if abs(v) < 0.5:
                return t, bounces, True
        t += dt
    return t, bounces, False


@program("double pendulum", lambda: (1.0, 0.5, 100))
def double_pendulum(a, b, steps):
    va = vb = 0.0
    h = 0.005
    for _ in range(steps):
        d = a - b
        den = 3 - math.cos(2 * d)
        aa = (
            -3 * 9.8 * math.sin(a)
            - 9.8 * math.sin(a - 2 * b)
            - 2 * math.sin(d) * (vb**2 + va**2 * math.cos(d))
        ) / den
        ab = 2 * math.sin(d) * (2 * va**2 + 2 * 9.8 * math.cos(a) + vb**2 * math.cos(d)) / den
        va, vb = va + h * aa, vb + h * ab
        a, b = a + h * va, b + h * vb
    return a, b


@program(
    "image filter",
    lambda: (
        np.arange(30.0).reshape(5, 6) % 7,
        np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]),
    ),
)
def convolve_2d(image, kernel):
    kh, kw = kernel.shape
    out = np.zeros((image.shape[0] - kh + 1, image.shape[1] - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    return out


@program("median filter", lambda: (np.array([3.0, 9.0, 1.0, 4.0, 100.0, 5.0, 2.0]),))
def median_filter(x):
    out = x.copy()
    for i in range(1, len(x) - 1):
        out[i] = np.sort(x[i - 1 : i + 2])[1]
    return out


@program("histogram equalization", lambda: (np.array([[0, 1, 1], [3, 3, 3], [7, 6, 0]]),))
def equalize(image):
    counts = np.zeros(8, int)
    for v in image.ravel():
        counts[v] += 1
    cdf = counts.cumsum()
    table = np.round((cdf - cdf[0]) / (image.size - cdf[0]) * 7).astype(int)
    return table[image]


@program("floyd-steinberg", lambda: (np.linspace(0, 1, 12).reshape(3, 4),))
def dither(img):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            old = img[y, x]
            new = 1.0 if old >= 0.5 else 0.0
            img[y, x] = new
            err = old - new
            if x + 1 < w:
                img[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    img[y + 1, x - 1] += err * 3 / 16
                img[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    img[y + 1, x + 1] += err * 1 / 16


@program("bresenham", lambda: (0, 0, 6, 4), lambda: (5, 6, 1, 0))
def bresenham(x0, y0, x1, y1):
    canvas = np.zeros((8, 8), dtype=np.int8)
    dx, dy = abs(x1 - x0), -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    err = dx + dy
    while True:
        canvas[y0, x0] = 1
        if x0 == x1 and y0 == y1:
            break
        e2 = 2 * err
        if e2 >= dy:
            err += dy
            x0 += sx
        if e2 <= dx:
            err += dx
            y0 += sy
    return canvas


@program(
    "point in polygon",
    lambda: (1.0, 1.0, np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 2.0]])),
    lambda: (5.0, 1.0, np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]])),
)
def point_in_polygon(x, y, polygon):
    inside = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        xi, yi = polygon[i]
        xj, yj = polygon[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        j = i
    return inside


@program("finance binomial", lambda: (100.0, 95.0, 0.05, 0.3, 1.0))
def american_put(spot, strike, rate, sigma, maturity):
    n = 30
    dt = maturity / n
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1 / u) / (u - 1 / u)
    prices = spot * u ** (2.0 * np.arange(n + 1) - n)
    values = np.maximum(strike - prices, 0.0)
    for step in range(n - 1, -1, -1):
        values[: step + 1] = math.exp(-rate * dt) * (
            p * values[1 : step + 2] + (1 - p) * values[: step + 1]
        )
        nodes = spot * u ** (2.0 * np.arange(step + 1) - step)
        values[: step + 1] = np.maximum(values[: step + 1], strike - nodes)
    return values[0]


@program("black-scholes implied volatility", lambda: (100.0, 100.0, 10.45))
def implied_volatility(s, k, price):
    def cdf(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    sigma = 0.3
    for _ in range(50):
        d1 = (math.log(s / k) + 0.05 + 0.5 * sigma**2) / sigma
        d2 = d1 - sigma
        value = s * cdf(d1) - k * math.exp(-0.05) * cdf(d2)
        vega = s * math.exp(-0.5 * d1 * d1) / math.sqrt(2 * math.pi)
        if abs(value - price) < 1e-9:
            break
        sigma -= (value - price) / vega
    return sigma


@program("kepler", lambda: (1.2, 0.4), lambda: (3.0, 0.95))
def kepler(mean_anomaly, e):
    anomaly = mean_anomaly if e < 0.8 else math.pi
    while True:
        delta = (anomaly - e * math.sin(anomaly) - mean_anomaly) / (1 - e * math.cos(anomaly))
        anomaly -= delta
        if abs(delta) < 1e-12:
            break
    return 2 * math.atan2(
        math.sqrt(1 + e) * math.sin(anomaly / 2), math.sqrt(1 - e) * math.cos(anomaly / 2)
    )
