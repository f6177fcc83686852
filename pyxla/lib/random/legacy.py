"""The distributions of `np.random.RandomState`, frozen in NumPy since 2019, one number at a time.

What is not here is as for `np.random.Generator` (`continuous`, `discrete`), of other
sources.  Parameters are f64 or i64, and every loop ends.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pyxla.lib.random.continuous import standard_gamma
from pyxla.lib.random.discrete import (
    LIKELY,
    binomial_btpe,
    binomial_inversion,
    ratio_of_uniforms,
    searched,
    zipf_above,
)
from pyxla.lib.random.libm import exp, log1p
from pyxla.lib.random.words import next64, next_double


def _skips() -> bool:
    """Whether the installed NumPy's `multinomial` draws nothing for what has no probability."""
    twister = np.random.RandomState(0)
    twister.multinomial(3, [0.0, 1.0])
    return twister.rand() == np.random.RandomState(0).rand()


SKIPS = _skips()


@dataclasses.dataclass(slots=True)
class Legacy:
    """A source of numbers: a bit generator, and whose second normal number may wait there."""

    bits: Any
    owner: Any

    def real(self, x: Any) -> Any:
        return np.float64(x)

    def uniform(self) -> Any:
        return next_double(self.bits)

    def exponential(self) -> Any:
        return -np.log(1.0 - self.uniform())

    def normal(self) -> Any:
        """Marsaglia's polar method, which makes two numbers at a time."""
        owner = self.owner
        if owner.has_spare:
            number = owner.spare
            owner.spare = np.float64(0.0)
            owner.has_spare = np.bool_(False)
            return number
        x, y, square = np.float64(0.0), np.float64(0.0), np.float64(2.0)
        while square >= 1.0 or square == 0.0:
            x = 2.0 * self.uniform() - 1.0
            y = 2.0 * self.uniform() - 1.0
            square = x * x + y * y
        factor = np.sqrt(-2.0 * np.log(square) / square)
        owner.spare = factor * x
        owner.has_spare = np.bool_(True)
        return factor * y


def beta(source: Any, a: Any, b: Any) -> Any:
    """Joehnk (1964) where neither exceeds 1, else a quotient of gamma numbers."""
    if a <= 1.0 and b <= 1.0:
        return _joehnk(source, a, b)
    first = standard_gamma(source, a)
    return first / (first + standard_gamma(source, b))


def _joehnk(source: Any, a: Any, b: Any) -> Any:
    u, v, x, y = np.float64(0.0), np.float64(0.0), np.float64(1.0), np.float64(1.0)
    while x + y > 1.0:
        u, v = source.uniform(), source.uniform()
        x, y = np.power(u, 1.0 / a), np.power(v, 1.0 / b)
    if x + y > 0.0:
        return x / (x + y)
    log_x, log_y = np.log(u) / a, np.log(v) / b
    largest = log_x if log_x > log_y else log_y
    log_x, log_y = log_x - largest, log_y - largest
    return exp(log_x - np.log(exp(log_x) + exp(log_y)))


def pareto(source: Any, a: Any) -> Any:
    return exp(source.exponential() / a) - 1


def power(source: Any, a: Any) -> Any:
    return np.power(1 - exp(-source.exponential()), 1.0 / a)


def rayleigh(source: Any, scale: Any) -> Any:
    return scale * np.sqrt(-2.0 * log1p(-source.uniform()))


def wald(source: Any, mean: Any, scale: Any) -> Any:
    """Michael, Schucany & Haas (1976)."""
    half = mean / (2 * scale)
    y = source.normal()
    y = mean * y * y
    x = mean + half * (y - np.sqrt(4 * scale * y + y * y))
    u = source.uniform()
    return x if u <= mean / (mean + x) else mean * mean / x


def binomial(source: Any, n: Any, p: Any) -> Any:
    """Inversion, or BTPE where more than 30 successes, or failures, are expected."""
    rare = p if p <= 0.5 else 1.0 - p
    if rare * n <= 30.0:
        count = binomial_inversion(source.bits, n, rare, exp(n * np.log(1.0 - rare)))
    else:
        count = binomial_btpe(source.bits, n, rare, False)
    return count if p <= 0.5 else n - count


def geometric(source: Any, p: Any) -> Any:
    if p >= LIKELY:
        return searched(source.bits, p)
    return np.int64(np.ceil(log1p(-source.uniform()) / np.log(1 - p)))


def zipf(source: Any, a: Any) -> Any:
    """Without numbers that are no int64."""
    return zipf_above(source.bits, a - 1.0, 0.0)


def hypergeometric(source: Any, ngood: Any, nbad: Any, nsample: Any) -> Any:
    if nsample > 10:
        return _hypergeometric_ratio(source.bits, ngood, nbad, nsample)
    others, rare = ngood + nbad - nsample, np.float64(ngood if ngood < nbad else nbad)
    left, k = rare, nsample
    while left > 0.0 and k > 0:
        u = source.uniform()
        left = left - np.floor(u + left / np.float64(others + k))
        k = k - 1
    count = np.int64(rare - left)
    return nsample - count if ngood > nbad else count


def _hypergeometric_ratio(bits: Any, good: Any, bad: Any, nsample: Any) -> Any:
    """The algorithm HRUA* of Stadlober (1990)."""
    few, many, total = (good if good < bad else bad), (bad if good < bad else good), good + bad
    sample = nsample if nsample < total - nsample else total - nsample
    share = np.float64(few) / total
    variance = np.float64(total - sample) * nsample * share * (1.0 - share) / (total - 1)
    spread = np.sqrt(variance + 0.5)
    count = ratio_of_uniforms(bits, few, many, sample, spread)
    count = sample - count if good > bad else count
    return good - count if sample < nsample else count


def tomaxint(source: Any) -> Any:
    """A positive int64."""
    return np.int64(next64(source.bits) >> 1)


def multinomial(source: Any, n: Any, p: Any, counts: Any) -> Any:
    """Fill the rows of `counts` (2-d, zeros): binomials of what is left."""
    for row in range(counts.shape[0]):
        left, rest = n, np.float64(1.0)
        for k in range(counts.shape[1] - 1):
            if left > 0 and p[k] == 0.0 and SKIPS:
                rest = rest - p[k]
            elif left > 0:
                count = binomial(source, left, p[k] / rest)
                counts[row, k] = count
                left = left - count
                rest = rest - p[k]
        if left > 0:
            counts[row, counts.shape[1] - 1] = left
    return counts
