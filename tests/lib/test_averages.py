"""The functions of `statistics` that are visited in the place of its own: equal to the last bit."""

from __future__ import annotations

import random
import statistics
from typing import Any

import pytest

import pyxla
from pyxla.lib import averages

NAMES = ("mean", "fmean", "harmonic_mean", "variance", "pvariance", "stdev", "pstdev")
SPREADS = ("variance", "pvariance", "stdev", "pstdev")


def drawn(seed: int, ints: bool) -> list[Any]:
    rng = random.Random(seed)
    count = rng.choice((2, 3, 7, 20))
    if ints:
        return [rng.randint(0, rng.choice((9, 10**6))) for _ in range(count)]
    return [rng.choice((0.0, 100.0)) + rng.uniform(0, 5) for _ in range(count)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ints", [False, True])
def test_as_with_fractions(name: str, ints: bool) -> None:
    own, wanted = getattr(averages, name), getattr(statistics, name)
    for seed in range(200):
        items = drawn(seed, ints)
        assert repr(own(items)) == repr(wanted(items)), items


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("ints", [False, True])
def test_around_a_given_number(name: str, ints: bool) -> None:
    own, wanted = getattr(averages, name), getattr(statistics, name)
    for seed in range(100):
        items, middle = drawn(seed, ints), seed % 7 if ints else seed / 7
        assert repr(own(items, middle)) == repr(wanted(items, middle)), items


@pytest.mark.parametrize("name", ["fmean", "harmonic_mean"])
def test_weights(name: str) -> None:
    own, wanted = getattr(averages, name), getattr(statistics, name)
    for seed in range(100):
        items = drawn(seed, False)
        weights = [1, *drawn(seed + 1, bool(seed % 2))[: len(items) - 1]]
        weights += [2] * (len(items) - len(weights))
        assert own(items, weights) == wanted(items, weights), items


def test_what_is_not_finite() -> None:
    for items in ([float("inf"), 1.0], [float("nan"), 1.0], [5.0, 5.0], [0.0, -0.0]):
        assert repr(averages.mean(items)) == repr(statistics.mean(items))
        assert repr(averages.variance(items)) == repr(statistics.variance(items))


def described(items: list[float]) -> Any:
    middle = statistics.mean(items)
    spread = statistics.stdev(items), statistics.variance(items, middle)
    return middle, spread, statistics.harmonic_mean([abs(x) + 1 for x in items])


@pytest.mark.compiled
def test_compiled_to_the_last_bit() -> None:
    compiled = pyxla.compile(described)
    for seed in range(10):
        items = [*drawn(seed, False), *drawn(seed + 1, False)][:4]
        assert repr(compiled(items)) == repr(described(items))
