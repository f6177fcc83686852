"""Functions of `statistics` as Python that is compiled like the user's.

The originals compute with exact fractions, and round once; these sum without rounding ints, and by
`math.fsum` what has floats in it.
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


def mean(data: Any) -> Any:
    """`statistics.mean`: an int of ints, where it is one."""
    items = list(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("mean requires at least one data point")
    if isinstance(sum(items), int):
        return _quotient(sum(items), n)
    return _like(items[0], math.fsum(items) / n)


def fmean(data: Any) -> float:
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("fmean requires at least one data point")
    return math.fsum(items) / len(items)


def mode(data: Any) -> Any:
    """`statistics.mode`: the first of the most common."""
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("no mode for empty data")
    return Counter(items).most_common(1)[0][0]


def _squares(items: list[Any]) -> Any:
    """The sum of squared distances from the mean, times how many there are."""
    n = len(items)
    total = sum(items)
    if isinstance(total, int):
        return n * sum([x * x for x in items]) - total * total
    middle = math.fsum(items) / n
    rest = math.fsum([x - middle for x in items])
    return n * math.fsum([(x - middle) ** 2 for x in items]) - rest * rest


def _spread(items: list[Any], n: int) -> Any:
    total = _squares(items)
    if isinstance(total, int):
        return _quotient(total, n * len(items))
    return _like(items[0], total / (n * len(items)))


def variance(data: Any) -> Any:
    items = list(data)
    if len(items) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _spread(items, len(items) - 1)


def pvariance(data: Any) -> Any:
    items = list(data)
    if len(items) == 0:
        raise StatisticsError("pvariance requires at least one data point")
    return _spread(items, len(items))


def stdev(data: Any) -> float:
    items = list(data)
    n = len(items)
    if n < 2:
        raise StatisticsError("stdev requires at least two data points")
    return math.sqrt(_squares(items) / (n * (n - 1)))


def pstdev(data: Any) -> float:
    items = list(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("pstdev requires at least one data point")
    return math.sqrt(_squares(items) / (n * n))
