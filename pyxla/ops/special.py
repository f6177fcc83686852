"""Special functions in double precision: the meaning of the `chlo` ops that NumPy lacks.

Slow and clear: recurrences, Euler-Maclaurin sums and quadrature (Abramowitz and Stegun, 6.3, 6.4,
9.6.19, 23.2), one number at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

# Bernoulli numbers B2, B4, ...
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _digamma(x: float) -> float:
    if not math.isfinite(x):
        return math.inf if x > 0 else math.nan
    if x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 8:
        shift -= 1 / x
        x += 1
    tail = sum(b / (2 * k) * (1 / x) ** (2 * k) for k, b in enumerate(_BERNOULLI, 1))
    return shift + math.log(x) - 1 / (2 * x) - tail


def _zeta(s: float, q: float) -> float:
    """Hurwitz's zeta by Euler-Maclaurin, for s > 1 and q > 0."""
    if not (math.isfinite(s) and math.isfinite(q)) or s <= 1 or q <= 0:
        return math.inf if s == 1 else math.nan
    start = 10
    total = sum((q + k) ** -s for k in range(start))
    end = q + start
    total += end ** (1 - s) / (s - 1) + 0.5 * end**-s
    rising, power = s, end ** (-s - 1)
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total += bernoulli / math.factorial(2 * k) * rising * power
        rising *= (s + 2 * k - 1) * (s + 2 * k)
        power /= end * end
    return total


def _polygamma(n: float, x: float) -> float:
    if n == 0:
        return _digamma(x)
    if not math.isfinite(n) or n < 0 or n != math.floor(n):
        return math.nan
    return (-1.0) ** (n + 1) * math.gamma(n + 1) * _zeta(n + 1, x)


def _lgamma(x: float) -> float:
    pole = math.isfinite(x) and x <= 0 and x == math.floor(x)
    return math.inf if pole else math.lgamma(x)


def _erf_inv(x: float) -> float:
    """Halley's iteration on erf from Winitzki's approximation."""
    if abs(x) >= 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0 or math.isnan(x):
        return x
    logarithm = math.log1p(-x * x)
    half = 2 / (math.pi * 0.147) + logarithm / 2
    y = math.copysign(math.sqrt(math.sqrt(half * half - logarithm / 0.147) - half), x)
    for _ in range(4):
        step = (math.erf(y) - x) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
        y -= step / (1 + y * step)
    return y


def _bessel_i1e(x: float) -> float:
    """The trapezoidal rule on the integral of exp(x cos t - |x|) cos t, which converges fast.

    Far out, where the peak is narrower than the grid, the asymptotic series.
    """
    if abs(x) > 1e4:
        return math.copysign(1 / math.sqrt(2 * math.pi * abs(x)) * (1 - 3 / (8 * abs(x))), x)
    t = np.linspace(0, math.pi, 1025)
    values = np.exp(x * np.cos(t) - abs(x)) * np.cos(t)
    return float(values.sum() - (values[0] + values[-1]) / 2) / 1024


def _lifted(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    """A function of floats, over arrays of any float type."""
    vectorized = np.vectorize(function, otypes=[np.float64])

    def lifted(*xs: np.ndarray) -> np.ndarray:
        return vectorized(*[np.asarray(x, np.float64) for x in xs]).astype(xs[0].dtype)

    return lifted


erf = _lifted(math.erf)
erfc = _lifted(math.erfc)
erf_inv = _lifted(_erf_inv)
lgamma = _lifted(_lgamma)
digamma = _lifted(_digamma)
polygamma = _lifted(_polygamma)
zeta = _lifted(_zeta)
bessel_i1e = _lifted(_bessel_i1e)
