"""Functions of `statistics` as Python that is compiled like the user's.

The originals compute with exact fractions, and round once.  These compute ints exactly, and what
has floats in it with pairs of floats, a number and what its rounding lost (Dekker, "A
floating-point technique for extending the available precision", 1971), which are rounded once too.
"""

from __future__ import annotations

import math
from collections import Counter
from statistics import StatisticsError
from typing import Any

import numpy as np


def _quotient(total: int, n: int) -> int | float:
    """`total / n`, an int where it is one."""
    if total % n == 0:
        return total // n
    return total / n


def _like(x: Any, value: float) -> Any:
    return type(x)(value) if isinstance(x, (np.floating, np.integer)) else value


def _sum(items: Any) -> tuple[float, float]:
    """The sum, and what its rounding lost."""
    high, low = 0.0, 0.0
    for item in items:
        x = float(item)
        total = high + x
        low += (high - total) + x if abs(high) >= abs(x) else (x - total) + high
        high = total
    return _pair(high, low)


def _pair(high: float, low: float) -> tuple[float, float]:
    """high + low, and what its rounding lost; |low| is less than |high|."""
    total = high + low
    return (total, low - (total - high)) if math.isfinite(total) else (high, 0.0)


def _product(x: float, y: float) -> tuple[float, float]:
    """The product, and what its rounding lost."""
    product = x * y
    scaled, factor = 134217729.0 * x, 134217729.0 * y
    top, head = scaled - (scaled - x), factor - (factor - y)
    rest, tail = x - top, y - head
    lost = ((top * head - product) + top * tail + rest * head) + rest * tail
    return (product, lost) if math.isfinite(lost) else (product, 0.0)


def _divided(high: float, low: float, n: float) -> tuple[float, float]:
    """A pair divided by a number."""
    quotient = high / n
    product, lost = _product(quotient, n)
    return _pair(quotient, ((high - product) - lost + low) / n)


def _root(high: float, low: float) -> float:
    """The square root of a pair."""
    root = math.sqrt(high)
    if root == 0.0 or not math.isfinite(root):
        return root
    product, lost = _product(root, root)
    return root + ((high - product) - lost + low) / (2 * root)


def mean(data: Any) -> Any:
    """`statistics.mean`: an int of ints, where it is one."""
    items = list(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("mean requires at least one data point")
    if isinstance(sum(items), int):
        return _quotient(sum(items), n)
    return _like(items[0], _divided(*_sum(items), float(n))[0])


def fmean(data: Any, weights: Any = None) -> float:
    items = list(data)
    if weights is None:
        if len(items) == 0:
            raise StatisticsError("fmean requires at least one data point")
        return math.fsum(items) / len(items)
    shares = list(weights)
    if len(shares) != len(items):
        raise StatisticsError("data and weights must be the same length")
    total = math.fsum(shares)
    if total == 0:
        raise StatisticsError("sum of weights must be non-zero")
    return math.fsum([x * share for x, share in zip(items, shares, strict=True)]) / total


def harmonic_mean(data: Any, weights: Any = None) -> Any:
    """`statistics.harmonic_mean`: 0 where there is a 0."""
    refused = "harmonic mean does not support negative values"
    items = list(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if n == 1 and weights is None:
        if items[0] < 0:
            raise StatisticsError(refused)
        return items[0]
    shares = [1] * n if weights is None else list(weights)
    if len(shares) != n:
        raise StatisticsError("Number of weights does not match data size")
    if any([share < 0 for share in shares]):
        raise StatisticsError(refused)
    parts = []
    for share, x in zip(shares, items, strict=True):
        if x < 0:
            raise StatisticsError(refused)
        if share != 0 and x == 0:
            return 0
        parts.append(share / x if share != 0 else 0.0)
    (high, low), (total, rest) = _sum(parts), _sum(shares)
    if high <= 0:
        raise StatisticsError("Weighted sum must be positive")
    quotient = total / high
    product, lost = _product(quotient, high)
    return quotient + ((total - product) - lost + rest - quotient * low) / high


def mode(data: Any) -> Any:
    """`statistics.mode`: the first of the most common."""
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("no mode for empty data")
    return Counter(items).most_common(1)[0][0]


def _squares(items: list[Any]) -> tuple[float, float]:
    """The sum of squared distances from the mean, as a pair."""
    total, lost = _sum(items)
    if not math.isfinite(total):
        return total, 0.0
    middle, rest = _divided(total, lost, float(len(items)))
    parts = []
    for item in items:
        x = float(item)
        gap = x - middle
        back = gap - x
        less = (x - (gap - back)) - (middle + back) - rest
        square, error = _product(gap, gap)
        parts.append(square)
        parts.append(error + 2 * gap * less)
    return _sum(parts)


def _from(items: list[Any], middle: Any) -> list[Any]:
    """The squared distances from a number."""
    return [(x - middle) * (x - middle) for x in items]


def _int_squares(items: list[Any]) -> int:
    """Of ints, times how many there are."""
    total = sum(items)
    return len(items) * sum([x * x for x in items]) - total * total


def _spread(items: list[Any], n: int, middle: Any) -> Any:
    if middle is not None:
        squares = _from(items, middle)
        if isinstance(sum(squares), int):
            return _quotient(sum(squares), n)
        return _like(items[0], _divided(*_sum(squares), float(n))[0])
    if isinstance(sum(items), int):
        return _quotient(_int_squares(items), n * len(items))
    return _like(items[0], _divided(*_squares(items), float(n))[0])


def _deviation(items: list[Any], n: int, middle: Any) -> float:
    if middle is not None:
        return _root(*_divided(*_sum(_from(items, middle)), float(n)))
    if isinstance(sum(items), int):
        return _root(*_divided(float(_int_squares(items)), 0.0, float(n * len(items))))
    return _root(*_divided(*_squares(items), float(n)))


def variance(data: Any, xbar: Any = None) -> Any:
    items = list(data)
    if len(items) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _spread(items, len(items) - 1, xbar)


def pvariance(data: Any, mu: Any = None) -> Any:
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("pvariance requires at least one data point")
    return _spread(items, len(items), mu)


def stdev(data: Any, xbar: Any = None) -> float:
    items = list(data)
    if len(items) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return _deviation(items, len(items) - 1, xbar)


def pstdev(data: Any, mu: Any = None) -> float:
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("pstdev requires at least one data point")
    return _deviation(items, len(items), mu)
