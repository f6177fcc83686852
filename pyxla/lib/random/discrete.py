"""Discrete distributions, one number at a time, by the methods and in the order NumPy draws.

Parameters are f64 or i64, results i64.  Those that NumPy refuses may give anything, but every loop
ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random.integers import interval
from pyxla.lib.random.words import next_double

# Stirling's series for the logarithm of the gamma function.
_STIRLING = (
    *(8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04),
    *(-5.952380952380952e-04, 8.417508417508418e-04, -1.917526917526918e-03),
    *(6.410256410256410e-03, -2.955065359477124e-02, 1.796443723688307e-01),
    -1.39243221690590e00,
)
LARGEST = np.int64(2**63 - 1)
LIKELY = 0.333333333333333333333333  # from here on, trials are counted
# NumPy 2.5 mended the terms of a series, for Generators alone.
CORRECTED = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def log_gamma(x: Any) -> Any:
    """Stirling's series from 7 on, and the recurrence below, as NumPy computes it."""
    start = x
    shift = np.float64(0.0)
    while start < 7.0:
        start = start + 1.0
    if x < 7.0:
        start = x + np.float64(np.int64(7 - x))
    inverse = 1.0 / start * (1.0 / start)
    series = np.float64(_STIRLING[9])
    for k in range(8, -1, -1):
        series = series * inverse + _STIRLING[k]
    value = series / start + 0.5 * 1.8378770664093453 + (start - 0.5) * np.log(start) - start
    while start > x:
        value = value - np.log(start - 1.0)
        start = start - 1.0
    return np.where((x == 1.0) | (x == 2.0), shift, value)[()]


def poisson(source: Any, lam: Any) -> Any:
    """Products of uniform numbers (Knuth), or Hoermann's transformed rejection with squeeze
    (1993) from 10 on."""
    if lam >= 10:
        return _poisson_rejection(source.bits, lam)
    if lam == 0:
        return np.int64(0)
    least, product, count = np.exp(-lam), np.float64(1.0), np.int64(-1)
    while count < 0 or product > least:
        product = product * next_double(source.bits)
        count = count + 1
    return count


def _poisson_rejection(bits: Any, lam: Any) -> Any:
    b = 0.931 + 2.53 * np.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2)
    accepted = False
    count = np.int64(0)
    while not accepted:
        u = next_double(bits) - 0.5
        v = next_double(bits)
        us = 0.5 - np.abs(u)
        count = np.int64(np.floor((2 * a / us + b) * u + lam + 0.43))
        if us >= 0.07 and v <= squeeze:
            accepted = True
        elif not (count < 0 or (us < 0.013 and v > us)):
            drawn = np.log(v) + np.log(inverse_alpha) - np.log(a / (us * us) + b)
            accepted = not drawn > -lam + count * np.log(lam) - log_gamma(np.float64(count) + 1.0)
    return count


def binomial(source: Any, n: Any, p: Any) -> Any:
    """Inversion, or the algorithm BTPE of Kachitvichyanukul & Schmeiser (1988) where more than 30
    successes, or failures, are expected."""
    if n == 0 or p == 0.0:
        return np.int64(0)
    rare = p if p <= 0.5 else 1.0 - p
    if rare * n <= 30.0:
        count = binomial_inversion(source.bits, n, rare, np.exp(n * np.log1p(-rare)))
    else:
        count = binomial_btpe(source.bits, n, rare, CORRECTED)
    return count if p <= 0.5 else n - count


def binomial_inversion(bits: Any, n: Any, p: Any, none: Any) -> Any:
    """By inversion; none: the probability of 0."""
    q = 1.0 - p
    mean = n * p
    limit: Any = np.float64(n)
    spread = mean + 10.0 * np.sqrt(mean * q + 1)
    limit = np.int64(spread if spread < limit else limit)
    count, chance, u = limit, none, np.float64(2.0)
    while u > chance:
        count = count + 1
        if count > limit:
            count, chance, u = np.int64(0), none, next_double(bits)
        else:
            u = u - chance
            chance = (n - count + 1) * p * chance / (count * q)
    return count


def binomial_btpe(bits: Any, n: Any, p: Any, corrected: bool) -> Any:
    r, q = p, 1.0 - p
    variance = n * r * q
    peak = n * r + r
    m = np.int64(np.floor(peak))
    p1 = np.floor(2.195 * np.sqrt(variance) - 4.6 * q) + 0.5
    middle = m + 0.5
    left, right = middle - p1, middle + p1
    c = 0.134 + 20.5 / (15.3 + m)
    slope = (peak - left) / (peak - left * r)
    lambda_left = slope * (1.0 + slope / 2.0)
    slope = (right - peak) / (right * q)
    lambda_right = slope * (1.0 + slope / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / lambda_left
    p4 = p3 + c / lambda_right
    accepted = False
    y = np.int64(0)
    while not accepted:
        u = next_double(bits) * p4
        v = next_double(bits)
        proposed: Any = True
        if not u > p1:  # the triangle
            y = np.int64(np.floor(middle - p1 * v + u))
            break
        if not u > p2:  # the parallelograms
            x = left + (u - p1) / c
            v = v * c + 1.0 - np.abs(m - x + 0.5) / p1
            proposed = v <= 1.0
            y = np.int64(np.floor(x))
        elif not u > p3:  # the left exponential tail
            y = np.int64(np.floor(left + np.log(v) / lambda_left))
            proposed = y >= 0 and v != 0.0
            v = v * (u - p2) * lambda_left
        else:
            y = np.int64(np.floor(right - np.log(v) / lambda_right))
            proposed = y <= n and v != 0.0
            v = v * (u - p3) * lambda_right
        if proposed:
            accepted = bool(_below_binomial(n, r, q, m, variance, middle, y, v, corrected))
    return y


def _below_binomial(
    n: Any, r: Any, q: Any, m: Any, variance: Any, middle: Any, y: Any, v: Any, corrected: bool
) -> Any:
    """Whether height `v` is below the binomial density at y, as a part of that at the mode m."""
    k = np.abs(y - m)
    if not (k > 20 and k < variance / 2.0 - 1):
        odds = r / q
        a = odds * (n + 1)
        height = np.float64(1.0)
        i = m + 1
        while i <= y:
            height = height * (a / i - odds)
            i = i + 1
        i = y + 1
        while i <= m:
            height = height / (a / i - odds)
            i = i + 1
        return not v > height
    rho = (k / variance) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5)
    t = -k * k / (2 * variance)
    log_v = np.log(v)
    if log_v < t - rho:
        return True
    if log_v > t + rho:
        return False
    x1, f1 = np.float64(y + 1), np.float64(m + 1)
    z, w = np.float64(n + 1 - m), np.float64(n - y + 1)
    bound = middle * np.log(f1 / x1) + (n - m + 0.5) * np.log(z / w)
    bound = bound + (y - m) * np.log(w * r / (x1 * q))
    first = 13860.0 if corrected else 13680.0
    bound = bound + _correction(f1, first) + _correction(z, first)
    if corrected:
        bound = bound - _correction(x1, first) - _correction(w, first)
    else:
        bound = bound + _correction(x1, first) + _correction(w, first)
    return not log_v > bound


def _correction(x: Any, first: float) -> Any:
    """The rest of Stirling's formula."""
    square = x * x
    inner = 462.0 - (132.0 - (99.0 - 140.0 / square) / square) / square
    return (first - inner / square) / x / 166320.0


def geometric(source: Any, p: Any) -> Any:
    if p >= LIKELY:
        return searched(source.bits, p)
    waited = np.ceil(-source.exponential() / np.log1p(-p))
    if waited >= 9.223372036854776e18:
        return LARGEST
    return np.int64(waited)


def searched(bits: Any, p: Any) -> Any:
    """The number of trials up to a success, from 1 on."""
    count, chance = np.int64(1), p
    total, u = p, next_double(bits)
    while u > total and chance > 0.0:
        chance = chance * (1.0 - p)
        total = total + chance
        count = count + 1
    return count


def logseries(source: Any, p: Any) -> Any:
    """Kemp, "Efficient generation of logarithmically distributed pseudo-random variables" (1981),
    algorithm LK."""
    r = np.log1p(-p)
    count = np.int64(0)
    while count < 1:
        v = next_double(source.bits)
        count = np.int64(1)
        if v < p:
            q = -np.expm1(r * next_double(source.bits))
            if v <= q * q:
                count = np.int64(0)
                if v > 0.0:
                    count = np.int64(np.floor(1 + np.log(v) / np.log(q)))
            elif v < q:
                count = np.int64(2)
    return count


def zipf(source: Any, a: Any) -> Any:
    """Devroye, "Non-uniform random variate generation" (1986), X.6.1."""
    if a >= 1025:
        return np.int64(1)
    return zipf_above(source.bits, a - 1.0, np.power(np.float64(LARGEST), 1.0 - a))


def zipf_above(bits: Any, power: Any, smallest: Any) -> Any:
    """Of uniform numbers above `smallest`."""
    b = np.power(2.0, power)
    accepted = False
    x = np.float64(1.0)
    while not accepted:
        u = next_double(bits)
        u = u * smallest + (1 - u)
        v = next_double(bits)
        x = np.floor(np.power(u, -1.0 / power))
        if x <= 9.223372036854775807e18 and x >= 1.0:
            t = np.power(1.0 + 1.0 / x, power)
            accepted = bool(v * x * (t - 1.0) / (b - 1.0) <= t / b)
        accepted = accepted or not power > 0
    return np.int64(x)


def hypergeometric(source: Any, ngood: Any, nbad: Any, nsample: Any) -> Any:
    """One by one, or the algorithm HRUA* of Stadlober, "The ratio of uniforms approach for
    generating discrete random variates" (1990), unless few are drawn or few are left."""
    if nsample >= 10 and nsample <= ngood + nbad - 10:
        return _hypergeometric_ratio(source.bits, ngood, nbad, nsample)
    total, good = ngood + nbad, ngood
    many = nsample > total // 2
    left = total - nsample if many else nsample
    while left > 0 and good > 0 and total > good:
        total = total - 1
        if np.int64(interval(source.bits, np.uint32(total))) < good:
            good = good - 1
        left = left - 1
    if total == good:
        good = good - left
    return good if many else ngood - good


def _hypergeometric_ratio(bits: Any, good: Any, bad: Any, nsample: Any) -> Any:
    total = good + bad
    few = good if good < bad else bad
    rest = total - few
    sample = nsample if nsample < total - nsample else total - nsample
    share = np.float64(few) / total
    variance = np.float64(total - sample) * sample * share * (np.float64(rest) / total)
    spread = np.sqrt(variance / (total - 1) + 0.5)
    count = ratio_of_uniforms(bits, few, rest, sample, spread)
    count = sample - count if good > bad else count
    return good - count if sample < nsample else count


def ratio_of_uniforms(bits: Any, few: Any, rest: Any, sample: Any, spread: Any) -> Any:
    """How many of the few are in a sample, drawn around the mean with this spread."""
    total = few + rest
    center = sample * (np.float64(few) / total) + 0.5
    width = 1.7155277699214135 * spread + 0.8989161620588988
    mode = np.int64(np.floor(np.float64(sample + 1) * (few + 1) / (total + 2)))
    peak = log_factorials(mode, few, sample, rest)
    limit = np.float64((sample if sample < few else few) + 1)
    far = np.floor(center + 16 * spread)
    limit = limit if limit < far else far
    accepted, count = False, np.int64(0)
    while not accepted:
        u, v = next_double(bits), next_double(bits)
        x = center + width * (v - 0.5) / u
        if x >= 0.0 and x < limit:
            count = np.int64(np.floor(x))
            t = peak - log_factorials(count, few, sample, rest)
            accepted = bool(u * (4.0 - u) - 3.0 <= t)
            if not accepted and u * (u - t) < 1:
                accepted = bool(2.0 * np.log(u) <= t)
    return count


def log_factorials(k: Any, few: Any, sample: Any, rest: Any) -> Any:
    """The logarithm of what divides the number of samples with k of the few."""
    total = np.float64(0.0)
    for n in (k, few - k, sample - k, rest - sample + k):
        total = total + log_gamma(np.float64(n) + 1.0)
    return total
