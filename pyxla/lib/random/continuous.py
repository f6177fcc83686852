"""Continuous distributions, one number at a time, by the methods and in the order NumPy draws.

A source makes uniform, normal and exponential numbers (`ziggurat.Source`, `legacy.Legacy`).
Parameters are as wide as these.  Those that NumPy refuses may give anything, but every loop ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random.discrete import poisson
from pyxla.lib.random.libm import exp


def random(source: Any) -> Any:
    return source.uniform()


def standard_normal(source: Any) -> Any:
    return source.normal()


def standard_exponential(source: Any) -> Any:
    return source.exponential()


def inverted_exponential(source: Any) -> Any:
    """By inversion of the distribution function."""
    return -source.log1p(-source.uniform())


def normal(source: Any, loc: Any, scale: Any) -> Any:
    return loc + scale * source.normal()


def lognormal(source: Any, mean: Any, sigma: Any) -> Any:
    return exp(normal(source, mean, sigma))


def exponential(source: Any, scale: Any) -> Any:
    return scale * source.exponential()


def uniform(source: Any, low: Any, high: Any) -> Any:
    return low + (high - low) * source.uniform()


def standard_gamma(source: Any, shape: Any) -> Any:
    """Marsaglia & Tsang, "A simple method for generating gamma variables" (2000); up to a shape of
    1, Ahrens & Dieter (1974) by way of Best (1983)."""
    if shape == 0.0:
        return source.real(0.0)
    if shape <= 1.0:
        return _small_gamma(source, shape)
    b = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9 * b)
    accepted, v = False, source.real(0.0)
    while not accepted:
        x, v = source.real(0.0), source.real(0.0)
        while v <= 0.0:
            x = source.normal()
            v = 1.0 + c * x
        v = v * v * v
        u = source.uniform()
        accepted = bool(u < 1.0 - 0.0331 * (x * x) * (x * x))
        accepted = accepted or not np.log(u) >= 0.5 * x * x + b * (1.0 - v + np.log(v))
    return b * v


def _small_gamma(source: Any, shape: Any) -> Any:
    accepted = False
    x = source.real(0.0)
    while not accepted:
        u = source.uniform() if shape < 1.0 else source.real(0.0)
        v = source.exponential()
        if shape == 1.0:
            x = v
        elif u <= 1.0 - shape:
            x = np.power(u, 1.0 / shape)
        else:
            y = -np.log((1 - u) / shape)
            x = np.power(1.0 - shape + shape * y, 1.0 / shape)
            v = v + y
        accepted = not x > v
    return x


def gamma(source: Any, shape: Any, scale: Any) -> Any:
    return scale * standard_gamma(source, shape)


def negative_binomial(source: Any, n: Any, p: Any) -> Any:
    """i64: of Poisson's distribution at a gamma number."""
    return poisson(source, gamma(source, n, (1 - p) / p))


def beta(source: Any, a: Any, b: Any) -> Any:
    """Joehnk (1964) where neither exceeds 1, else a quotient of gamma numbers."""
    if a <= 1.0 and b <= 1.0:
        if a < 3e-103 and b < 3e-103:
            return np.float64((a + b) * source.uniform() < a)
        return _joehnk(source, a, b)
    first, second = np.float64(0.0), np.float64(0.0)
    for k in range(2):
        first, second = second, standard_gamma(source, b if k else a)
    return first / (first + second)


def _joehnk(source: Any, a: Any, b: Any) -> Any:
    u, v, x, y = np.float64(0.0), np.float64(0.0), np.float64(1.0), np.float64(1.0)
    while x + y > 1.0 or u + v <= 0.0:
        u, v = source.uniform(), source.uniform()
        x, y = np.power(u, 1.0 / a), np.power(v, 1.0 / b)
    if x > 0.0 and y > 0.0:
        return x / (x + y)
    log_x, log_y = np.log(u) / a, np.log(v) / b
    largest = np.where(log_x > log_y, log_x, log_y)[()]
    log_x, log_y = log_x - largest, log_y - largest
    return np.exp(log_x - np.log(np.exp(log_x) + np.exp(log_y)))


def chisquare(source: Any, df: Any) -> Any:
    return 2.0 * standard_gamma(source, df / 2.0)


def f(source: Any, dfnum: Any, dfden: Any) -> Any:
    numerator = chisquare(source, dfnum) * dfden
    return numerator / (chisquare(source, dfden) * dfnum)


def noncentral_chisquare(source: Any, df: Any, nonc: Any) -> Any:
    apart = df > 1 and nonc != 0
    if apart:
        df = df - 1
    elif nonc != 0:
        df = df + 2.0 * np.float64(poisson(source, nonc / 2.0))
    number = chisquare(source, df)
    if apart:
        shifted = source.normal() + np.sqrt(nonc)
        number = number + shifted * shifted
    return number


def noncentral_f(source: Any, dfnum: Any, dfden: Any, nonc: Any) -> Any:
    numerator = noncentral_chisquare(source, dfnum, nonc) * dfden
    return numerator / (chisquare(source, dfden) * dfnum)


def standard_t(source: Any, df: Any) -> Any:
    numerator = source.normal()
    half = standard_gamma(source, df / 2)
    return np.sqrt(df / 2) * numerator / np.sqrt(half)


def standard_cauchy(source: Any) -> Any:
    numerator = source.normal()
    return numerator / source.normal()


def pareto(source: Any, a: Any) -> Any:
    return np.expm1(source.exponential() / a)


def weibull(source: Any, a: Any) -> Any:
    if a == 0.0:
        return np.float64(0.0)
    return np.power(source.exponential(), 1.0 / a)


def power(source: Any, a: Any) -> Any:
    return np.power(-np.expm1(-source.exponential()), 1.0 / a)


def rayleigh(source: Any, scale: Any) -> Any:
    return scale * np.sqrt(2.0 * source.exponential())


def laplace(source: Any, loc: Any, scale: Any) -> Any:
    u = _positive(source)
    return loc - scale * np.log(2.0 - u - u) if u >= 0.5 else loc + scale * np.log(u + u)


def logistic(source: Any, loc: Any, scale: Any) -> Any:
    u = _positive(source)
    return loc + scale * np.log(u / (1.0 - u))


def gumbel(source: Any, loc: Any, scale: Any) -> Any:
    u = 1.0 - _positive(source)
    return loc - scale * np.log(-np.log(u))


def _positive(source: Any) -> Any:
    u = np.float64(0.0)
    while u == 0.0:
        u = source.uniform()
    return u


def triangular(source: Any, left: Any, mode: Any, right: Any) -> Any:
    base, before = right - left, mode - left
    u = source.uniform()
    if u <= before / base:
        return left + np.sqrt(u * (before * base))
    return right - np.sqrt((1.0 - u) * ((right - mode) * base))


def wald(source: Any, mean: Any, scale: Any) -> Any:
    """Michael, Schucany & Haas (1976)."""
    y = source.normal()
    y = mean * y * y
    x = mean * (1.0 - 2.0 / (1.0 + np.sqrt(1.0 + 4.0 * scale / y)))
    u = source.uniform()
    return x if u <= mean / (mean + x) else mean * mean / x


def vonmises(source: Any, mu: Any, kappa: Any) -> Any:
    """Best & Fisher, "Efficient simulation of the von Mises distribution" (1979)."""
    if not kappa >= 1e-8:
        return np.pi * (2 * source.uniform() - 1) + 0.0 * kappa
    if kappa > 1e6:  # a wrapped normal number
        x = mu + np.sqrt(1.0 / kappa) * source.normal()
        x = x + 2 * np.pi if x < -np.pi else x
        return x - 2 * np.pi if x > np.pi else x
    r = 1 + np.sqrt(1 + 4 * kappa * kappa)
    rho = (r - np.sqrt(2 * r)) / (2 * kappa)
    s = 1.0 / kappa + kappa if kappa < 1e-5 else (1 + rho * rho) / (2 * rho)
    w = _circular(source, kappa, s)
    angle = np.arccos(w)
    angle = mu + (-angle if source.uniform() < 0.5 else angle)
    wrapped = np.fmod(np.abs(angle) + np.pi, 2 * np.pi) - np.pi
    return -wrapped if angle < 0 else wrapped


def _circular(source: Any, kappa: Any, s: Any) -> Any:
    accepted = False
    w = np.float64(0.0)
    while not accepted:
        z = np.cos(np.pi * source.uniform())
        w = (1 + s * z) / (s + z)
        y = kappa * (s - w)
        v = source.uniform()
        accepted = bool(y * (2 - y) - v >= 0 or np.log(y / v) + 1 - y >= 0 or y != y)
    return w
