"""Numerical analysis: roots, integrals, factorizations, eigenvalues, optimization, ODEs."""

import math
from typing import NamedTuple

import numpy as np

from tests.programs import program

SPD = lambda: np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])


@program("newton", lambda: (1.0,), lambda: (-3.0,))
def newton_cubic(x):
    for it in range(50):
        fx = x**3 - 2 * x - 5
        step = fx / (3 * x**2 - 2)
        x -= step
        if abs(step) < 1e-12:
            return x, it
    raise ArithmeticError("Newton did not converge")


@program("secant", lambda: (1.0, 2.0))
def secant(x0, x1):
    f0, f1 = math.exp(-x0) - x0, math.exp(-x1) - x1
    while abs(x1 - x0) > 1e-10 and f1 != f0:
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, math.exp(-x1) - x1
    return x1


@program("brent golden section", lambda: (0.0, 4.0))
def golden_section(a, b, tol=1e-8):
    phi = (math.sqrt(5) - 1) / 2
    c, d = b - phi * (b - a), a + phi * (b - a)
    f = lambda x: (x - 2) ** 2 + 0.1 * math.sin(5 * x)
    fc, fd = f(c), f(d)
    while b - a > tol:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - phi * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + phi * (b - a)
            fd = f(d)
    return round((a + b) / 2, 6)


@program("bisection raise", lambda: (0.0, 2.0), lambda: (2.0, 3.0))
def bisection(a, b):
    def f(x):
        return x * x - 2

    if f(a) * f(b) > 0:
        raise ValueError(f"no sign change in [{a}, {b}]")
    while b - a > 1e-12:
        m = 0.5 * (a + b)
        if f(a) * f(m) <= 0:
            b = m
        else:
            a = m
    return a


@program("quadrature", lambda: (0.0, 1.0, 64))
def simpson(a, b, n):
    h = (b - a) / n
    total = math.exp(a) + math.exp(b)
    for i in range(1, n):
        total += math.exp(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


@program("recursion static quadrature", lambda: (0.0, 1.0))
def adaptive_simpson_fixed_depth(a, b):
    def f(x):
        return math.sqrt(x)

    def rule(lo, hi):
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    def refine(lo, hi, depth):
        mid = (lo + hi) / 2
        whole, left, right = rule(lo, hi), rule(lo, mid), rule(mid, hi)
        if depth == 0 or abs(left + right - whole) < 1e-6:
            return left + right
        return refine(lo, mid, depth - 1) + refine(mid, hi, depth - 1)

    return refine(a, b, 5)


@program("romberg", lambda: (0.0, math.pi))
def romberg(a, b):
    n = 6
    r = np.zeros((n, n))
    h = b - a
    r[0, 0] = 0.5 * h * (math.sin(a) + math.sin(b))
    for i in range(1, n):
        h *= 0.5
        s = 0.0
        for k in range(1, 2**i, 2):
            s += math.sin(a + k * h)
        r[i, 0] = 0.5 * r[i - 1, 0] + h * s
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
    return r[n - 1, n - 1]


@program(
    "lu pivoting",
    lambda: (
        np.array([[0.0, 2.0, 1.0], [1.0, -2.0, -3.0], [-1.0, 1.0, 2.0]]),
        np.array([-8.0, 0.0, 3.0]),
    ),
)
def gauss_solve(a, b):
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            m = a[i, k] / a[k, k]
            a[i, k:] -= m * a[k, k:]
            b[i] -= m * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program("lu", lambda: (SPD(),))
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])


@program("lu bounded slices", lambda: (SPD(),))
def lu_dot_products(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


@program("cholesky scalar loops", lambda: (SPD(),))
def cholesky_loops(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    return np.tril(a)


@program("householder", lambda: (np.array([[1.0, -1.0], [0.5, 2.0], [3.0, 1.0]]),))
def householder_qr(a):
    m, n = a.shape
    q = np.eye(m)
    r = a.copy()
    for k in range(n):
        x = r[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        r[k:] -= 2 * np.outer(v, v @ r[k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return q, r


@program("gram-schmidt", lambda: (np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]]),))
def modified_gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@program("givens", lambda: (SPD(),))
def givens_triangularize(a):
    n = a.shape[0]
    for j in range(n):
        for i in range(n - 1, j, -1):
            r = math.hypot(a[i - 1, j], a[i, j])
            if r == 0.0:
                continue
            c, s = a[i - 1, j] / r, a[i, j] / r
            upper = c * a[i - 1] + s * a[i]
            a[i] = -s * a[i - 1] + c * a[i]
            a[i - 1] = upper
    return np.abs(np.diag(a))


@program("jacobi eigenvalues", lambda: (SPD(),))
def jacobi_eigenvalues(a):
    n = a.shape[0]
    for sweep in range(20):
        off = 0.0
        for p in range(n):
            for q in range(p + 1, n):
                off += a[p, q] ** 2
        if off < 1e-20:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) < 1e-14:
                    continue
                theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = np.sign(theta) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    akp, akq = a[k, p], a[k, q]
                    a[k, p], a[k, q] = c * akp - s * akq, s * akp + c * akq
                for k in range(n):
                    apk, aqk = a[p, k], a[q, k]
                    a[p, k], a[q, k] = c * apk - s * aqk, s * apk + c * aqk
    return np.sort(np.diag(a))


@program("power iteration", lambda: (SPD(), np.ones(3)))
def power_iteration(a, v):
    value = 0.0
    for _ in range(500):
        w = a @ v
        norm = np.linalg.norm(w)
        v = w / norm
        if abs(norm - value) < 1e-12:
            break
        value = norm
    return value, v


@program("qr algorithm", lambda: (SPD(),))
def qr_algorithm(a):
    for _ in range(30):
        q, r = np.linalg.qr(a)
        a = r @ q
    return np.sort(np.diag(a))


@program("conjugate gradient", lambda: (SPD(), np.array([1.0, 2.0, 3.0])))
def conjugate_gradient(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    k = 0
    while rs > 1e-20 and k < 3 * len(b):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
        k += 1
    return x


@program("gauss-seidel", lambda: (SPD(), np.array([1.0, 2.0, 3.0])))
def gauss_seidel(a, b):
    n = len(b)
    x = np.zeros(n)
    for it in range(100):
        largest = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            new = s / a[i, i]
            largest = max(largest, abs(new - x[i]))
            x[i] = new
        if largest < 1e-12:
            break
    return x


@program(
    "thomas algorithm",
    lambda: (np.full(4, -1.0), np.full(5, 2.5), np.full(4, -1.0), np.arange(5.0)),
)
def tridiagonal(lower, diag, upper, rhs):
    n = diag.size
    c = np.zeros(n - 1)
    d = rhs.copy()
    c[0] = upper[0] / diag[0]
    d[0] /= diag[0]
    for i in range(1, n):
        w = diag[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / w
        d[i] = (d[i] - lower[i - 1] * d[i - 1]) / w
    for i in reversed(range(n - 1)):
        d[i] -= c[i] * d[i + 1]
    return d


@program("runge-kutta", lambda: (1.0, 2.0))
def rk4_pendulum(theta, t_end):
    def rhs(y):
        return np.array([y[1], -9.81 * np.sin(y[0])])

    y = np.array([theta, 0.0])
    n = 50
    h = t_end / n
    for _ in range(n):
        k1 = rhs(y)
        k2 = rhs(y + 0.5 * h * k1)
        k3 = rhs(y + 0.5 * h * k2)
        k4 = rhs(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@program("adaptive rk45 step rejection", lambda: (np.array([1.0, 0.0]), 3.0, 1e-8))
def rk45(y, t_end, tol):
    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    t, h = 0.0, 0.1
    accepted = rejected = 0
    while t < t_end:
        h = min(h, t_end - t)
        k1 = f(t, y)
        k2 = f(t + h / 4, y + h * k1 / 4)
        k3 = f(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
        k4 = f(t + 12 * h / 13, y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197)
        k5 = f(t + h, y + h * (439 / 216 * k1 - 8 * k2 + 3680 / 513 * k3 - 845 / 4104 * k4))
        y4 = y + h * (25 / 216 * k1 + 1408 / 2565 * k3 + 2197 / 4104 * k4 - k5 / 5)
        k6 = f(
            t + h / 2,
            y + h * (-8 / 27 * k1 + 2 * k2 - 3544 / 2565 * k3 + 1859 / 4104 * k4 - 11 / 40 * k5),
        )
        y5 = y + h * (
            16 / 135 * k1 + 6656 / 12825 * k3 + 28561 / 56430 * k4 - 9 / 50 * k5 + 2 / 55 * k6
        )
        error = np.max(np.abs(y5 - y4))
        if error > tol:
            rejected += 1
            h *= 0.5
            continue
        t += h
        y = y5
        accepted += 1
        if error < tol / 32:
            h *= 2
    return y, accepted, rejected


@program("implicit euler", lambda: (1.0, 40))
def stiff_backward_euler(y, n):
    h = 0.05
    for i in range(n):
        t = (i + 1) * h
        z = y
        for _ in range(10):
            g = z - y - h * (-50.0 * (z - math.cos(t)) - z**3)
            dz = g / (1 + h * (50.0 + 3 * z * z))
            z -= dz
            if abs(dz) < 1e-12:
                break
        y = z
    return y


@program("line search", lambda: (np.array([-1.2, 1.0]),))
def gradient_descent_armijo(x):
    def f(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    def grad(x):
        return np.array(
            [-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)]
        )

    for _ in range(30):
        g = grad(x)
        t = 1.0
        while f(x - t * g) > f(x) - 0.3 * t * (g @ g):
            t *= 0.5
            if t < 1e-12:
                break
        x = x - t * g
    return x, f(x)


@program("bfgs", lambda: (np.array([2.0, -1.0]),))
def bfgs_quadratic(x):
    a = np.array([[3.0, 0.5], [0.5, 1.0]])
    b = np.array([4.0, 2.5])  # the least is at (1, 2), where no sign depends on rounding
    h = np.eye(2)
    g = a @ x - b
    n = 0
    while np.linalg.norm(g) > 1e-8 and n < 20:
        p = -h @ g
        alpha = -(g @ p) / (p @ a @ p)
        s = alpha * p
        x = x + s
        g_new = a @ x - b
        y = g_new - g
        rho = 1.0 / (y @ s)
        m = np.eye(2) - rho * np.outer(s, y)
        h = m @ h @ m.T + rho * np.outer(s, s)
        g = g_new
        n += 1
    return x.round(6), n


@program("nelder-mead sort", lambda: (np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 40))
def nelder_mead(simplex, steps):
    def f(p):
        return (p[0] - 1) ** 2 + (p[1] + 0.5) ** 2 + p[0] * p[1]

    values = np.array([f(p) for p in simplex])
    for _ in range(steps):
        order = np.argsort(values, kind="stable")
        simplex = simplex[order]
        values = values[order]
        centroid = simplex[:-1].mean(axis=0)
        reflected = 2 * centroid - simplex[-1]
        fr = f(reflected)
        if fr < values[0]:
            expanded = 3 * centroid - 2 * simplex[-1]
            fe = f(expanded)
            simplex[-1], values[-1] = (expanded, fe) if fe < fr else (reflected, fr)
        elif fr < values[-2]:
            simplex[-1] = reflected
            values[-1] = fr
        else:
            contracted = 0.5 * (centroid + simplex[-1])
            fc = f(contracted)
            if fc < values[-1]:
                simplex[-1] = contracted
                values[-1] = fc
            else:
                for i in range(1, 3):
                    simplex[i] = 0.5 * (simplex[0] + simplex[i])
                    values[i] = f(simplex[i])
    return simplex[0].round(4)


@program("fft recursive", lambda: (np.array([1.0, 2.0, 0.0, -1.0, 3.0, 0.5, 1.0, 1.0]),))
def fft_recursive(x):
    n = len(x)
    if n == 1:
        return x.astype(complex)
    even = fft_recursive(x[::2])
    odd = fft_recursive(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + w * odd, even - w * odd])


@program("fft iterative bit reversal", lambda: (np.arange(8.0) + 0j,))
def fft_iterative(x):
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    size = 2
    while size <= n:
        step = np.exp(-2j * np.pi / size)
        for start in range(0, n, size):
            w = 1.0 + 0j
            for k in range(start, start + size // 2):
                t = w * x[k + size // 2]
                x[k + size // 2] = x[k] - t
                x[k] = x[k] + t
                w = w * step
        size *= 2
    return x


@program(
    "interpolation newton",
    lambda: (np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 2.0, 5.0, 17.0]), 3.0),
)
def divided_differences(xs, ys, t):
    n = len(xs)
    c = ys.copy()
    for j in range(1, n):
        c[j:] = (c[j:] - c[j - 1 : -1]) / (xs[j:] - xs[: n - j])
    value = c[-1]
    for k in range(n - 2, -1, -1):
        value = value * (t - xs[k]) + c[k]
    return value


@program(
    "cubic spline", lambda: (np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 1.0]), 1.5)
)
def natural_spline(x, y, t):
    n = len(x) - 1
    h = np.diff(x)
    alpha = np.zeros(n)
    for i in range(1, n):
        alpha[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
    low, mu, z = np.ones(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    for i in range(1, n):
        low[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / low[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / low[i]
    c = np.zeros(n + 1)
    b, d = np.zeros(n), np.zeros(n)
    for j in reversed(range(n)):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    k = 0
    while k < n - 1 and x[k + 1] < t:
        k += 1
    dx = t - x[k]
    return y[k] + b[k] * dx + c[k] * dx**2 + d[k] * dx**3


@program("continued fraction", lambda: (2.5,), lambda: (0.3,))
def log_gamma_lanczos(x):
    coefficients = (
        76.18009172947146,
        -86.50532032941677,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5,
    )
    reflected = x < 0.5
    z = 1 - x if reflected else x
    y = z
    t = z + 5.5
    t -= (z + 0.5) * math.log(t)
    series = 1.000000000190015
    for c in coefficients:
        y += 1
        series += c / y
    result = -t + math.log(2.5066282746310005 * series / z)
    if reflected:
        return math.log(math.pi / math.sin(math.pi * x)) - result
    return result


@program("bessel series", lambda: (0, 1.5), lambda: (2, 0.3))
def bessel_j(order, x):
    term = 1.0
    for k in range(1, order + 1):
        term *= x / 2 / k
    total = term
    k = 1
    while abs(term) > 1e-16 * abs(total):
        term *= -(x * x / 4) / (k * (k + order))
        total += term
        k += 1
    return total


class Interval(NamedTuple):
    lo: float
    hi: float

    def __add__(self, other):
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def __mul__(self, other):
        p = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return Interval(min(p), max(p))

    def width(self):
        return self.hi - self.lo


@program("interval arithmetic", lambda: (Interval(-1.0, 2.0), Interval(0.5, 3.0)))
def interval_polynomial(a, b):
    c = a * b + b
    n = 0
    while c.width() > 0.1:
        c = c * Interval(0.4, 0.5)
        n += 1
    return c, n


@program("chebyshev clenshaw", lambda: (np.array([1.0, 0.5, -0.25, 0.125]), 0.3))
def clenshaw(c, x):
    b1 = b2 = 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


@program("legendre roots", lambda: (4,))
def gauss_legendre(n):
    nodes = np.zeros(n)
    weights = np.zeros(n)
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        dp = 1.0
        for _ in range(20):
            p0, p1 = 1.0, x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            dp = n * (x * p1 - p0) / (x * x - 1)
            dx = p1 / dp
            x -= dx
            if abs(dx) < 1e-15:
                break
        nodes[i] = x
        weights[i] = 2 / ((1 - x * x) * dp * dp)
    return nodes, weights


@program("aitken", lambda: (12,))
def aitken_leibniz(n):
    partial = np.cumsum(4.0 * (-1.0) ** np.arange(n) / (2 * np.arange(n) + 1))
    d1 = np.diff(partial)
    return partial[:-2] - d1[:-1] ** 2 / (d1[1:] - d1[:-1])


@program("gmres arnoldi", lambda: (SPD(), np.array([1.0, 0.0, -1.0])))
def arnoldi(a, b):
    n = len(b)
    q = np.zeros((n, n + 1))
    h = np.zeros((n + 1, n))
    q[:, 0] = b / np.linalg.norm(b)
    for k in range(n - 1):
        v = a @ q[:, k]
        for j in range(k + 1):
            h[j, k] = q[:, j] @ v
            v -= h[j, k] * q[:, j]
        h[k + 1, k] = np.linalg.norm(v)
        if h[k + 1, k] < 1e-12:
            break
        q[:, k + 1] = v / h[k + 1, k]
    return np.abs(h[:, :2]), q[:, :2].T @ q[:, :2]


@program(
    "simplex pivot",
    lambda: (
        np.array(
            [[1.0, 1.0, 1.0, 0.0, 4.0], [1.0, 3.0, 0.0, 1.0, 6.0], [-3.0, -5.0, 0.0, 0.0, 0.0]]
        ),
    ),
)
def simplex_method(tableau):
    rows = tableau.shape[0] - 1
    while np.min(tableau[-1, :-1]) < -1e-9:
        col = np.argmin(tableau[-1, :-1])
        pivot, best = -1, np.inf
        for i in range(rows):
            if tableau[i, col] > 1e-9:
                ratio = tableau[i, -1] / tableau[i, col]
                if ratio < best:
                    best = ratio
                    pivot = i
        if pivot < 0:
            raise ValueError("unbounded")
        tableau[pivot] /= tableau[pivot, col]
        for i in range(rows + 1):
            if i != pivot:
                tableau[i] -= tableau[i, col] * tableau[pivot]
    return tableau[-1, -1]


@program(
    "a power that data decides",
    lambda: (np.array([[1.0, 0.5], [0.0, 2.0]]), 4),
    lambda: (np.array([[1, 1], [1, 0]]), 9),
    lambda: (np.ones((2, 3, 3), np.float32), 3),
    lambda: (np.ones((2, 3)), 3),
    lambda: (np.zeros((0, 0)), 2),
)
def powers_of_a_matrix(a, n):
    total = np.zeros_like(a)
    for k in range(n):
        total = total + np.linalg.matrix_power(a, k)
    return total, [np.linalg.matrix_power(a, k + 1) for k in range(n)]


@program(
    "as above, down to its inverse",
    lambda: (np.array([[1.0, 0.5], [0.0, 2.0]]), 4),
    lambda: (np.zeros((2, 2)), 1),
)
def powers_down(a, n):
    total = np.zeros_like(a)
    for k in range(n):
        total += np.linalg.matrix_power(a, 1 - k)
    return total


@program("lists", lambda: (np.array([-1.2, 1.0]), 60))
def simplex_that_is_sorted(x, steps):
    """An iteration is behind all tests before, so that each one by one is much more code."""
    curve = lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
    corners = [x] + [x + 0.5 * np.eye(2)[k] for k in range(2)]
    values = [curve(p) for p in corners]
    k = 0
    while k < steps:
        order = np.argsort(values)
        corners, values = [corners[i] for i in order], [values[i] for i in order]
        if values[-1] - values[0] < 1e-9:
            break
        middle = np.mean(corners[:-1], axis=0)
        mirrored = 2 * middle - corners[-1]
        if curve(mirrored) < values[-2]:
            corners[-1], values[-1] = mirrored, curve(mirrored)
        else:
            for i in range(1, 3):
                corners[i] = corners[0] + 0.5 * (corners[i] - corners[0])
                values[i] = curve(corners[i])
        k += 1
    return corners[0], values[0], k
