"""What SciPy has in C, as Python that is compiled like the user's (`lib.scipys.kernel`): roots in
an interval, matrices in bands, piecewise polynomials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

CONVERGED, SIGN_ERROR, NOT_CONVERGED = 0, -1, -2


def _wrap_nan_raise(f: Any) -> Any:
    def checked(x: Any, *args: Any) -> Any:
        fx = f(x, *args)
        if np.isnan(fx):
            raise ValueError(f"The function value at x={x} is NaN; solver cannot continue.")
        return fx

    return checked


def _found(x: float, calls: int, count: int, flag: int, full_output: Any, disp: Any) -> Any:
    if disp and flag == SIGN_ERROR:
        raise ValueError("f(a) and f(b) must have different signs")
    if disp and flag == NOT_CONVERGED:
        raise RuntimeError(f"Failed to converge after {count} iterations.")
    return (x, calls, count, flag) if full_output else x


def _brentq(
    f: Any, a: Any, b: Any, xtol: Any, rtol: Any, iter: Any, args: Any, full_output: Any, disp: Any
) -> Any:  # fmt: skip
    return _brent(f, a, b, xtol, rtol, iter, args, full_output, disp, False)


def _brenth(
    f: Any, a: Any, b: Any, xtol: Any, rtol: Any, iter: Any, args: Any, full_output: Any, disp: Any
) -> Any:  # fmt: skip
    return _brent(f, a, b, xtol, rtol, iter, args, full_output, disp, True)


def _brent(
    f: Any, a: Any, b: Any, xtol: Any, rtol: Any, iter: Any, args: Any, full_output: Any,
    disp: Any, hyperbolic: bool,
) -> Any:  # fmt: skip
    """Bisection, or a secant or extrapolation where that is shorter (Brent, 1973)."""
    before, x = float(a), float(b)
    f_before, fx = float(f(before, *args)), float(f(x, *args))
    calls, count, flag = 2, 0, NOT_CONVERGED
    if f_before == 0:
        x, flag = before, CONVERGED
    elif fx == 0:
        flag = CONVERGED
    elif np.signbit(f_before) == np.signbit(fx):
        x, flag = 0.0, SIGN_ERROR
    other = f_other = last = step = 0.0
    while flag == NOT_CONVERGED and count < iter:
        count += 1
        if f_before != 0 and fx != 0 and np.signbit(f_before) != np.signbit(fx):
            other, f_other = before, f_before
            last = step = x - before
        if abs(f_other) < abs(fx):
            before, x, other = x, other, x
            f_before, fx, f_other = fx, f_other, fx
        delta = (xtol + rtol * abs(x)) / 2
        half = (other - x) / 2
        if fx == 0 or abs(half) < delta:
            flag = CONVERGED
            break
        next_last, next_step = half, half
        if abs(last) > delta and abs(fx) < abs(f_before):
            if before == other:
                trial = -fx * (x - before) / (fx - f_before)
            else:
                slope = (f_before - fx) / (before - x)
                other_slope = (f_other - fx) / (other - x)
                if hyperbolic:
                    trial = -fx * (f_other - f_before) / (f_other * slope - f_before * other_slope)
                else:
                    numerator = f_other * other_slope - f_before * slope
                    trial = -fx * numerator / (other_slope * slope * (f_other - f_before))
            if 2 * abs(trial) < min(abs(last), 3 * abs(half) - delta):
                next_last, next_step = step, trial
        last, step = next_last, next_step
        before, f_before = x, fx
        if abs(step) > delta:
            x += step
        else:
            x += delta if half > 0 else -delta
        fx = float(f(x, *args))
        calls += 1
    return _found(x, calls, count, flag, full_output, disp)


def _bisect(
    f: Any, a: Any, b: Any, xtol: Any, rtol: Any, iter: Any, args: Any, full_output: Any, disp: Any
) -> Any:  # fmt: skip
    x, end = float(a), float(b)
    fa, fb = float(f(x, *args)), float(f(end, *args))
    calls, count, flag = 2, 0, NOT_CONVERGED
    if fa == 0:
        flag = CONVERGED
    elif fb == 0:
        x, flag = end, CONVERGED
    elif np.signbit(fa) == np.signbit(fb):
        x, flag = 0.0, SIGN_ERROR
    width = end - x
    while flag == NOT_CONVERGED and count < iter:
        count += 1
        width *= 0.5
        middle = x + width
        fm = float(f(middle, *args))
        calls += 1
        if np.signbit(fm) == np.signbit(fa):
            x = middle
        if fm == 0 or abs(width) < xtol + rtol * abs(middle):
            x, flag = middle, CONVERGED
    return _found(x, calls, count, flag, full_output, disp)


def solve_banded(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """By way of the whole matrix."""
    lower, upper = l_and_u
    bands, right = np.asarray(ab), np.asarray(b)
    n = bands.shape[-1]
    if n != right.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if lower + upper + 1 != bands.shape[0]:
        words = "invalid values for the number of lower and upper diagonals: "
        raise ValueError(
            f"{words}l+u+1 ({lower + upper + 1}) does not equal ab.shape[0] ({len(bands)})"
        )
    whole = np.zeros((n, n), bands.dtype)
    for k in range(-lower, upper + 1):
        whole += np.diag(bands[upper - k, max(k, 0) : n + min(k, 0)], k)
    return np.linalg.solve(whole, right)


def evaluate(c: Any, x: Any, xp: Any, dx: int, extrapolate: bool, out: Any) -> None:
    """`out[i]`: derivative `dx` at `xp[i]` of the polynomials of coefficients `c[:, j]`, highest
    first, between `x[j]` and `x[j + 1]`."""
    at = np.clip(np.searchsorted(x, xp, side="right") - 1, 0, c.shape[1] - 1)
    step = (xp - x[at])[:, None]
    total = np.zeros_like(out)
    for k in range(c.shape[0] - dx):
        factor = 1.0
        for power in range(c.shape[0] - k - dx, c.shape[0] - k):
            factor *= power
        total = total * step + factor * c[k, at]
    outside = np.isnan(xp) if extrapolate else ~((xp >= x[0]) & (xp <= x[-1]))
    out[...] = np.where(outside[:, None], np.nan, total)


def fix_continuity(c: Any, x: Any, order: int) -> None:
    """Let each polynomial begin with what the one before it ends with, up to derivative `order`."""
    degree = c.shape[0] - 1
    for i in range(1, len(x) - 1):
        for k in range(order, -1, -1):
            end = np.zeros_like(c[0, 0])
            for j in range(degree + 1 - k):
                end = end * (x[i] - x[i - 1]) + math.comb(degree - j, k) * c[j, i - 1]
            c[degree - k, i] = end


def integrate(c: Any, x: Any, a: float, b: float, extrapolate: bool, out: Any) -> None:
    """`out`: the integrals of the polynomials from `a` to `b`, which is not less."""
    first, last = np.clip(np.searchsorted(x, [a, b], side="right") - 1, 0, c.shape[1] - 1)
    total = np.zeros_like(out)
    for i in range(first, last + 1):
        low = a - x[i] if i == first else 0.0
        high = b - x[i] if i == last else x[i + 1] - x[i]
        total += _integral(c[:, i], high) - _integral(c[:, i], low)
    inside = extrapolate or (a >= x[0] and b <= x[-1])
    out[...] = np.where(inside and not np.isnan(a + b), total, np.nan)


def _integral(c: Any, step: Any) -> Any:
    total = np.zeros_like(c[0])
    for k in range(len(c)):
        total = total * step + c[k] / (len(c) - k)
    return total * step
