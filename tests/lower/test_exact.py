"""Numbers are those of NumPy to the last bit, whatever XLA would make of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla

X = np.abs(np.random.default_rng(0).normal(size=500)) * 10
Y = np.random.default_rng(1).integers(1, 50, size=(20, 25)).astype(float)


def in_a_loop(n: int) -> Any:
    counts, parts = np.zeros(n, np.int64), np.zeros(n)
    for i in range(n):
        counts[i] = int(i / 49)
        parts[i] = i * 1.5 / 7.0
    return counts, parts


def added_in_place(x: Any) -> Any:
    y = x + 1e17
    y -= 1e17
    return y


QUOTIENTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "by a constant": (lambda x: (x / 49.0, 3.0 / x, x / 8.0), (X,)),
    "by a constant, float32": (lambda x: x / np.float32(49.0), (X.astype(np.float32),)),
    "by constants": (lambda x: x[:3] / np.array([3.0, 7.0, 49.0]), (X,)),
    "by a number": (
        lambda x, s: (np.floor(x / s), np.ceil(1 - x / (s + 1))),
        (49 * np.arange(50), 49),
    ),
    "of ints": (lambda n: ((np.arange(500) / n).astype(int), np.arange(500) / 49), (49,)),
    "by numbers that are stored": (
        lambda x, h: (x / h, np.clip(x / h, 0, 99), np.sort(x / h), 1 / (x / h), x / h / h),
        (49 * np.arange(1.0, 99), 49.0),
    ),
    "of rows and columns": (
        lambda y, h: (y / y[0], y / y[:, :1], y / y.max(0), y.T / h, y[:, 0] / h),
        (Y, 7.3),
    ),
    "of images": (lambda y: np.clip(y * 255 / y.max(), 0, 255).astype(np.uint8), (Y,)),
    "of differences": (lambda x, h: (np.gradient(x, h), np.diff(x) / h), (X, 0.1)),
    "of known numbers": (
        lambda x, h: (np.linspace(0, 1, 11) / h, 1 / (x / h), 3.0 / np.full(9, h)),
        (X, 49.0),
    ),
    "of complex numbers": (lambda z, h: z / h, (X + 1j * X, 0.1)),
    "by the largest": (lambda x: (np.round(x / x.max() * 7), x / len(x)), (X,)),
    "by sums of rows": (lambda y: y / y.sum(1, keepdims=True) >= 0.04, (Y,)),
    "by roots": (lambda x: x / np.sqrt(x), (X,)),
    "of quotients": (lambda x, s: (x / x[::-1] / 3, x / (s / x)), (X, 7.0)),
    "where not finite": (lambda x: (x / 3.0, x / 3.0 / 7.0), (np.array([np.nan, np.inf, -0.0]),)),
    "in a loop": (in_a_loop, (500,)),
    "rounded": (lambda x: (np.round(x, 3), [round(float(v), 2) for v in x[:5]]), (X,)),
}


LARGE = np.full(5, 1e200)
SPREAD = np.array([0.0, 1e-3, 30.0, 700.0, 800.0])
SINGLES = np.arange(5, dtype=np.float32)

REWRITTEN: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "constants added": (
        lambda x: ((x + 1e17) - 1e17, 1e17 + x - 1e17, 1e17 - (1e17 - x), -(x + 0.1) + 0.1),
        (SPREAD,),
    ),
    "constants added in place": (added_in_place, (SPREAD,)),
    "constants added, float32": (lambda x: (x + np.float32(1e9)) - np.float32(1e9), (SINGLES,)),
    "constants and complex numbers": (
        lambda z: ((z + 0.1) + 0.2, (z - 0.3) - 0.1, 0.1 * (z * 0.3), (z + 1e17) - 1e17),
        (SPREAD + 1j,),
    ),
    "products with constants": (
        lambda x: (x * 1e200 * 1e-200, 3.0 * (x * 0.1), (x * 1e200) * (1e-200 * 1e-200)),
        (LARGE,),
    ),
    "quotients of constants": (lambda x: (x / 1e-150 / 1e200, x / 3.0 / 7.0), (LARGE,)),
    "roots of squares": (
        lambda x: (np.sqrt(x * x), np.sqrt(x**2), np.sqrt(np.square(x)), np.sqrt(x[0] * x[0])),
        (LARGE,),
    ),
    "logarithms of powers": (
        lambda x: (np.isinf(np.log(np.exp(x))), np.isinf(np.log(2.0**x * 2.0**x))),
        (SPREAD,),
    ),
    "logarithms of unknown powers": (lambda x, y: np.isinf(np.log(x**y)), (SPREAD + 9, SPREAD)),
    "powers of e": (
        lambda x: (
            np.isfinite(np.exp(x) * np.exp(300 - x)),
            np.isfinite(np.exp(x) / np.exp(x - 10)),
            np.exp(x) * np.exp(x) == np.square(np.exp(x)),
        ),
        (SPREAD,),
    ),
}


@pytest.mark.parametrize("name", QUOTIENTS | REWRITTEN)
def test_exact(name: str) -> None:
    function, args = (QUOTIENTS | REWRITTEN)[name]
    expected, actual = function(*args), pyxla.compile(function)(*args)
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    for wanted, found in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
        if not np.iscomplexobj(wanted):
            assert np.array_equal(np.signbit(found), np.signbit(wanted))


def test_fast_divisions_may_be_products():
    exact, fast = (pyxla.compile(lambda x: x / x.sum(), fast=fast) for fast in (False, True))
    assert "multiply" not in pyxla.code_hlo(exact, X, optimized=True)
    assert "multiply" in pyxla.code_hlo(fast, X, optimized=True)
    np.testing.assert_allclose(fast(X), X / X.sum(), rtol=1e-14)


def test_whole_numbers_are_not_divided_by_zero():
    def of_constants(op: Callable[..., Any]) -> Any:
        return op(np.array([7, -7]), (np.cos(np.zeros(2)) - 1).astype(int))

    quotient = pyxla.compile(lambda: of_constants(pyxla.hlo.divide), checks=False)
    rest = pyxla.compile(lambda: of_constants(pyxla.hlo.remainder), checks=False)
    assert quotient().tolist() == [-1, -1]
    assert rest().tolist() == [7, -7]
    d = np.array([0, 0, 2, 3], np.uint8)
    assert pyxla.hlo.divide(np.full(4, 7, np.uint8), d).tolist() == [255, 255, 3, 2]
    assert pyxla.hlo.remainder(np.full(4, 7, np.uint8), d).tolist() == [7, 7, 1, 1]


def test_roots_are_one_operation_and_other_powers_of_c():
    def of_each(x: Any) -> list[Any]:
        return [(v**0.5, v**-1, v**3) for v in x]

    x = [*X.tolist(), 0.25, math.inf]
    roots, inverses, cubes = zip(*pyxla.compile(of_each)(x), strict=True)
    assert list(roots) == [math.sqrt(v) for v in x]
    assert list(inverses) == [1 / v for v in x]
    assert list(cubes) == [v**3 for v in x]
