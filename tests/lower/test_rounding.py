"""Products of numbers, and those in loops over elements: rounded as Python rounds them, to the last
bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ir.verify import verify_region
from pyxla.lower.cpu.rounding import round_products
from pyxla.ops.elementwise import add
from pyxla.reflect import compilation


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def by_rows(a, b):
    c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] -= a[i, k] * b[k, j]
    return c


def of_both(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += -(a[i, j] * a[i, j]) - a[i, j] ** 2 * b[j, i] + a[i, j] * b[j, i]
    return s


def lorenz(steps: int, dt, rho):
    x, y, z = 1.0, 1.0, 1.0
    for _ in range(steps):
        x, y, z = x + 10.0 * (y - x) * dt, y + (x * (rho - z) - y) * dt, z + (x * y - 2.5 * z) * dt
    return x, y, z


def within_another(a, b):
    total = 0.0
    for _ in range(3):
        b = np.sort(b, axis=0)
        total += of_both(a, b) * b[0, 0]
    return total


def zeros_with_signs(a, n: int):
    """0.0 * -1.0 is -0.0, which a sum with -0.0 shows."""
    s = -0.0
    for i in range(n):
        s = s + a[i] * -1.0
    return s


def polynomial(x, y):
    return 3.1 * x * x * x - 2.2 * x * y + 1.7 * x - 0.3


def on_paths(x, y):
    z = x * y if x > y else y * y
    return z + x - y * 0.1


class Vector:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o):
        x, y, z = self.x, self.y, self.z
        return Vector(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x)


def vectors(x, y):
    u, v = Vector(x, y, x - y), Vector(y, y * 0.3, x)
    w = u.cross(v)
    return w.dot(u), w.dot(v), w.x, w.y, w.z


def euclid(a: int, b: int):
    """The kind of the numbers changes in the first iteration, and is known at run time only."""
    s, t = 1, 0
    while b:
        q = a / b
        a, b = b, a - q * b
        s, t = t, s - q * t
    return s, t, a


def beside_arrays(x, y):
    a, s = np.zeros(50), 0.0
    for i in range(20):
        a = np.sort(a) + i
        s = s * x + y * a[3]
    return s - x * y


def elements_of(x, y):
    a = np.array([x, y, x * y + 1])
    return a[0] * a[1] + a[2], np.float32(x) * np.float32(y) - np.float32(x)


def complex_numbers(x, y):
    c = complex(x, y)
    z = c * c + c
    for _ in range(5):
        z = z * z - c * x
    return z


def orbit(c: complex, limit: int):
    z, n = 0j, 0
    while z.real * z.real + z.imag * z.imag < 4 and n < limit:
        z, n = z * z + c, n + 1
    return z, n


def matrix(shape: tuple[int, ...], dtype: type, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


A, B = matrix((7, 9), np.float64), matrix((9, 7), np.float64, 1)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (product, (A, B)),
    (product, (matrix((5, 30), np.float32), matrix((30, 6), np.float32, 1))),
    (product, (np.arange(12).reshape(3, 4), np.arange(20).reshape(4, 5))),
    (by_rows, (A, B)),
    (of_both, (A, B)),
    (of_both, (A * np.inf, B)),
    (lorenz, (2000, 0.01, 28.0)),
    (within_another, (A, B)),
    (zeros_with_signs, (np.zeros(3), 3)),
    (zeros_with_signs, (np.zeros(3), 0)),
    (zeros_with_signs, (np.full(3, 5e-300), 3)),
    *[
        (function, (x, y))
        for function in (polynomial, on_paths, vectors, beside_arrays, elements_of, complex_numbers)
        for x, y in ((1.3, 0.7), (0.1, 2.9), (1e-3, 1.1))
    ],
    (euclid, (13, 17)),
    (euclid, (240, 46)),
    (orbit, (-0.745 + 0.113j, 300)),
    (orbit, (0.31 - 0.49j, 300)),
]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_to_the_last_bit(function: Callable[..., Any], args: tuple[Any, ...]):
    with np.errstate(all="ignore"):
        expected, found = function(*args), pyxla.compile(function)(*args)
    for x, y in zip(np.atleast_1d(expected), np.atleast_1d(found), strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_array_equal(x, y)
        for part in (np.real, np.imag):
            np.testing.assert_array_equal(np.signbit(part(x)), np.signbit(part(y)))


def plain(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
        b[i] = s * 2.0
    return (a * b + a).sum() + s


def test_what_is_rounded():
    """Products that go into sums, in loops over elements, and no others."""
    region = compilation(plain, pyxla.f64[40], pyxla.f64[40]).at("regions").origin
    before = region.instrs[:]
    sums = sum(instr.op is add for instr in walk(before))
    round_products(region)
    verify_region(region)
    assert sum(instr.op is add for instr in walk(before)) == sums + 1


def clock(t, dt, n):
    s = 0.0
    for _ in range(n):
        s = s * 0.5 + t
        t += 0.01
    return t, s


def decay(t, dt, n):
    v = 0.0
    while n > 0:
        t = t * 0.999 - v
        v = v * 0.3 + t * dt
        n -= 1
    return t, v


def ticks(t, dt, n):
    s = 1.0
    while t < n / 100:
        s = s - 0.1 if s > t else s + t
        t += 0.01
    return t, s


@pytest.mark.parametrize("program", [clock, decay, ticks])
def test_constants_of_several_steps_are_not_merged(program):
    args = 0.1, 0.01, 300
    assert pyxla.compile(program)(*args) == program(*args)


def number_and_array(x, y):
    rest = x[0] * y[0] - x[1]
    return rest, np.exp(x) + rest


def test_numbers_beside_whole_arrays():
    compiled = pyxla.compile(number_and_array)
    for seed in range(8):
        x, y = np.random.default_rng(seed).normal(size=(2, 300))
        x[1] = x[0] * y[0]
        assert compiled(x, y)[0] == 0.0
