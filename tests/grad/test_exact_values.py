"""Derivatives where the value is found by other means: exact powers, ties, zeros, to third order.

What is expected is written down by hand, from the function that is meant.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pyxla

LOG2 = math.log(2)


def orders(f: Any, x: float) -> list[float]:
    """First, second and third derivative; forward and reverse mode agree."""

    @pyxla.compile
    def found(x):
        first, second = pyxla.grad(f), pyxla.grad(pyxla.grad(f))
        ahead = pyxla.jvp(f, (x,), (1.0,))[1]
        mixed = pyxla.jvp(first, (x,), (1.0,))[1]
        return first(x), second(x), pyxla.jvp(second, (x,), (1.0,))[1], ahead, mixed

    first, second, third, ahead, mixed = map(float, found(x))
    np.testing.assert_allclose([ahead, mixed], [first, second], rtol=1e-12, atol=1e-12)
    return [first, second, third]


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: np.log2(x), 8.0, [1 / (8 * LOG2), -1 / (64 * LOG2), 2 / (512 * LOG2)]),
        (lambda x: math.log10(x), 1.0, [c / math.log(10) for c in (1, -1, 2)]),
        (lambda x: math.log(x, 2), 0.5, [2 / LOG2, -4 / LOG2, 16 / LOG2]),
        (lambda x: math.gamma(x) * 1.0, 1.0, [-0.5772156649, 1.9781119906, -5.4448744565]),
        (lambda x: math.frexp(x)[0], 5.0, [0.125, 0.0, 0.0]),
        (lambda x: np.hypot(x, 1.0), 0.0, [0.0, 1.0, 0.0]),
        (lambda x: math.hypot(x, 1.0), 1.0, [0.5**0.5, 0.5**1.5, -3 * 0.5**2.5]),
        (lambda x: math.hypot(x, 1.0, 2.0), 0.0, [0.0, 0.2**0.5, 0.0]),
        (lambda x: np.logaddexp(x, 1.0), 1.0, [0.5, 0.25, 0.0]),
        (lambda x: np.logaddexp2(x, 1.0), 1.0, [0.5, 0.25 * LOG2, 0.0]),
        (lambda x: np.sinc(x), 0.0, [0.0, -(math.pi**2) / 3, 0.0]),
    ],
)
def test_functions(f: Any, x: float, expected: list[float]):
    np.testing.assert_allclose(orders(f, x), expected, rtol=1e-7, atol=1e-9)


def test_bessel():
    """To second order: the third takes XLA a minute."""
    assert pyxla.hessian(lambda x: np.i0(x))(0.0) == pytest.approx(0.5)


def test_where_there_is_no_derivative_and_far_away():
    assert pyxla.grad(math.hypot, (0, 1))(0.0, 0.0) == (0.0, 0.0)
    assert pyxla.grad(math.hypot, (0, 1))(3e200, 4e200) == pytest.approx((0.6, 0.8))
    assert pyxla.grad(np.logaddexp, (0, 1))(-np.inf, -2.0) == pytest.approx((0.0, 1.0))
    assert pyxla.grad(np.logaddexp, (0, 1))(1e4, 1.0) == pytest.approx((1.0, 0.0))


POINTS, HEIGHTS = [-1.0, 0.0, 1.0, 2.0], [0.0, 2.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        # Multiples of the divisor: one of the two slopes that meet there, not 0.
        (lambda x: x % 0.5, 0.0, 1.0),
        (lambda x: x % 0.5, -2.0, 1.0),
        (lambda x: x % -0.5, 2.0, 1.0),
        (lambda x: np.mod(x, 2 * np.pi), 0.0, 1.0),
        (lambda x: divmod(x, 2.0)[1], 4.0, 1.0),
        (lambda x: 2.0 % x, -0.5, 4.0),
        (lambda x: -2.0 % x, -0.5, -4.0),
        (lambda x: math.remainder(x, 2.0), 0.0, 1.0),
        (lambda x: math.remainder(x, 2.0), -4.0, 1.0),
        # 1.0 / 0.1 is 10.0, yet 0.1 is nine times in 1.0.
        (lambda x: 1.0 % x, 0.1, -9.0),
        (lambda x: math.fmod(-1.0, x), 0.1, 9.0),
        (lambda x: math.modf(x)[0], -3.0, 1.0),
        (lambda x: np.modf(x)[0], -0.0, 1.0),
        # At a point, the slope of one of the lines that meet there.
        (lambda x: np.interp(x, POINTS, HEIGHTS), -1.0, 2.0),
        (lambda x: np.interp(x, POINTS, HEIGHTS), 0.0, -3.0),
        (lambda x: np.interp(x, POINTS, HEIGHTS), 2.0, 0.0),
        (lambda x: np.interp(x, POINTS, HEIGHTS, period=3.0), 1.0, 1.0),
        (lambda x: np.interp(0.0, POINTS, [x, x * x, x, 1.0]), 3.0, 6.0),
        (lambda x: np.interp(1.0, [0.0, 1.0, 1.0], [x, 2 * x, 3 * x]), 3.0, 3.0),
        # Between the slopes on both sides, whichever number the bound is.
        (lambda x: np.clip(x, 0.0, 1.0), 0.0, 0.5),
        (lambda x: np.clip(x, 0.0, 1.0), 1.0, 0.5),
    ],
)
def test_where_the_value_is_a_special_case_the_slope_is_not(f: Any, x: float, slope: float):
    assert pyxla.grad(f)(x) == pytest.approx(slope)
    assert pyxla.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope)
    assert pyxla.compile(f)(x) == f(x)


# A cotangent that is 0 at this point, where a selection is, still varies around it.
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.where(x > 100, 1.0, x**3), [0.0, 0.0, 6.0]),
        (lambda x: np.where(x > -1, x * np.exp(x * x), 0.0), [1.0, 0.0, 6.0]),
        (lambda x: x * np.where(x > -1, np.exp(x), 0.0) * x, [0.0, 2.0, 6.0]),
        # Nothing of the other path, however infinite its derivatives.
        (lambda x: np.where(x > 0, np.sqrt(x), x * x), [0.0, 2.0, 0.0]),
        (lambda x: np.where(x > 0, x**1.5, x * x), [0.0, 2.0, 0.0]),
    ],
)
def test_selections(f: Any, expected: list[float]):
    @pyxla.compile
    def found(x):
        first, second = pyxla.grad(f), pyxla.grad(pyxla.grad(f))
        return first(x), second(x), pyxla.grad(second)(x), pyxla.jvp(first, (x,), (1.0,))[1]

    np.testing.assert_allclose(found(0.0), [*expected, expected[1]], atol=1e-12)


def test_exp_of_minus_infinity_is_flat():
    """Forward mode too: the tangent of -inf / t is infinite."""
    mask = np.array([False, True, False])

    def entropy(x, t):
        s = np.where(mask, -np.inf, x) / t
        p = np.exp(s - s.max())
        return np.sum(p / p.sum() * x)

    x, h = np.array([0.3, 0.7, -0.2]), 1e-6
    expected = (entropy(x, 0.5 + h) - entropy(x, 0.5 - h)) / (2 * h)
    assert pyxla.grad(entropy, 1)(x, 0.5) == pytest.approx(expected)
    assert pyxla.jacfwd(entropy, 1)(x, 0.5) == pytest.approx(expected)
    assert np.isfinite(pyxla.hessian(entropy, 1)(x, 0.5))


@pytest.mark.parametrize(
    ("f", "slopes"),
    [
        (lambda x: 1 / (1 + np.exp(-x)), [0.0, 0.25, 0.0]),
        (lambda x: x / (2 + np.exp(-2 * x)), [0.0, 1 / 3, 0.5]),
        (lambda x: x / np.cosh(x) ** 2, [0.0, 1.0, 0.0]),
        (lambda x: 1 / (1 + np.exp(x) * np.exp(x)), [0.0, -0.5, 0.0]),
    ],
)
def test_a_quotient_is_flat_where_it_divides_by_infinity(f: Any, slopes: list[float]):
    """However fast that is reached: the slope was NaN, without a loop or selection around."""
    x, v = np.array([-1000.0, 0.0, 1000.0]), np.ones(3)
    total = lambda x: f(x).sum()  # noqa: E731
    np.testing.assert_allclose(pyxla.grad(total)(x), slopes)
    np.testing.assert_allclose(pyxla.jvp(f, (x,), (v,))[1], slopes)
    assert np.isfinite(pyxla.hessian(total)(x)).all()


def inverted(x, m):
    try:
        z = np.linalg.inv(m) @ m @ x
    except np.linalg.LinAlgError:
        z = x * 2.0
    return z[0] * x[1]


def factored(x, m):
    try:
        z = np.linalg.cholesky(-m) @ x
    except np.linalg.LinAlgError:
        z = x * 2.0
    return z[0] * x[1]


def solved(x, m):
    regular = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0] != 0
    z = np.linalg.solve(m, x) if regular else x * 2.0
    r = x / (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]) if regular else x
    return z[0] * x[1] + (r @ r if regular else 0.0)


@pytest.mark.parametrize("f", [inverted, factored, solved])
@pytest.mark.parametrize("size", [2, 4])
def test_nothing_of_matrices_that_were_singular(f: Any, size: int):
    """What another path computes of them is infinite, or was computed before that was known."""

    def of(x):
        return f(x, np.outer(x, x))

    x, v = np.arange(1.0, size + 1), np.ones(size)
    expected = np.zeros(size)
    expected[:2] = 2 * x[1], 2 * x[0]
    np.testing.assert_allclose(pyxla.grad(of)(x), expected)
    np.testing.assert_allclose(pyxla.jvp(pyxla.grad(of), (x,), (v,))[1][:2], [2.0, 2.0])


def branch(x, n):
    logs = np.log(x)
    if x.min() > n:
        return logs.sum()
    return (x * x).sum()


def loop(x, n):
    logs, total = np.log(x), x @ x
    for i in range(n):
        total += logs[i]
    return total


def overwritten(x, n):
    y = np.log(x)
    for _ in range(n + 1):
        y = x * x
    return y.sum()


def inner_loop(x, n):
    total = 0.0
    for v in x:
        root, k = np.sqrt(v), 0
        while k < n and v > 0:
            total += root
            k += 1
        total += v * v
    return total


@pytest.mark.parametrize("f", [branch, loop, overwritten, inner_loop])
def test_nothing_of_what_is_not_read(f: Any):
    x = np.arange(20.0)
    np.testing.assert_allclose(pyxla.grad(f)(x, 0), 2 * x)


def numeric(f: Any, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    moved = np.eye(x.size).reshape(-1, *x.shape) * step
    return np.reshape([(f(x + m) - f(x - m)) / (2 * step) for m in moved], x.shape)


SIGNS = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])
SHARES = np.arange(4.0) + 1


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.linalg.pinv(x).sum(), np.eye(2)),
        (lambda x: np.linalg.pinv(x)[0, 1] + np.linalg.pinv(x.T)[1, 0], SIGNS),
        (lambda x: np.linalg.lstsq(x, SHARES)[0] @ SHARES[:2], SIGNS),
        (lambda x: np.linalg.lstsq(x.T, SHARES[:2])[0] @ SHARES, SIGNS),
        (lambda x: np.polyfit(x, SHARES, 1) @ SHARES[:2], SIGNS[:, 1]),
    ],
)
def test_least_squares_of_equal_singular_values(f: Any, x: np.ndarray):
    """Whose vectors have no slopes: those of least squares were NaN."""
    gradient = pyxla.grad(f)
    np.testing.assert_allclose(gradient(x), numeric(f, x), rtol=1e-6, atol=1e-8)
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    ahead, behind = (np.asarray(gradient(x + s * along)) for s in (1e-5, -1e-5))
    second = pyxla.jvp(gradient, (x,), (along,))[1]
    np.testing.assert_allclose(second, (ahead - behind) / 2e-5, rtol=1e-5, atol=1e-6)


def test_least_squares_below_full_rank():
    x = np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    y = np.array([1.0, 0.0, 2.0])
    by_y = pyxla.grad(lambda y: np.linalg.lstsq(x, y)[0] @ np.array([1.0, 3.0]))(y)
    np.testing.assert_allclose(by_y, np.linalg.pinv(x).T @ [1.0, 3.0], atol=1e-12)


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (1, 4)])
def test_vectors_of_all_singular_values(shape: tuple[int, int]):
    """JAX refuses the derivative of a whole basis, of which a program may read a part."""
    x = np.cos(np.arange(math.prod(shape)) + 1.0).reshape(shape)

    def f(x):
        u, s, vt = np.linalg.svd(x)
        left, right = u[:, 1:] @ u[:, 1:].T, vt[1:].T @ vt[1:]
        return s @ s[::-1] + right[0, -1] + left[0, 0] * right[0, 0]

    gradient = pyxla.grad(f)
    np.testing.assert_allclose(gradient(x), numeric(f, x), rtol=1e-6, atol=1e-8)
    along = np.sin(x)
    ahead, behind = (np.asarray(gradient(x + s * along)) for s in (1e-5, -1e-5))
    second = pyxla.jvp(gradient, (x,), (along,))[1]
    np.testing.assert_allclose(second, (ahead - behind) / 2e-5, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.max(x), [0.5, 0.5]),
        (lambda x: x.min(), [0.5, 0.5]),
        (lambda x: np.maximum(x[0], x[1]), [0.5, 0.5]),
        (lambda x: max(x[0], x[1]), [1, 0]),
        (lambda x: min(x), [1, 0]),
        (lambda x: max(list(x), key=lambda v: 2 * v), [1, 0]),
    ],
)
def test_equal_numbers(f, expected):
    """NumPy's share the derivative; Python's return the first of them."""
    np.testing.assert_array_equal(pyxla.grad(f)(np.ones(2)), expected)
