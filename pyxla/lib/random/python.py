"""What Python's `random` does with a Mersenne Twister, in the compiled language."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from pyxla.lib.random.mt19937 import next_double, seed_by_words


def seeded(key: Any, seed: Any) -> Any:
    """Fill `key` from an int that is not negative: its words, of which there is one at least."""
    words = np.array([seed & 0xFFFFFFFF, seed >> 32]).astype(np.uint32)
    return seed_by_words(key, words, 1 if seed < 2**32 else 2)


def gauss(bits: Any) -> Any:
    """A normal number, a Python float, by the method of Box & Muller (1958): two at a time."""
    if bits.has_spare:
        bits.has_spare = np.bool_(False)
        return float(bits.spare)
    angle = next_double(bits) * (2.0 * math.pi)
    radius = np.sqrt(-2.0 * np.log(1.0 - next_double(bits)))
    bits.spare = np.sin(angle) * radius
    bits.has_spare = np.bool_(True)
    return float(np.cos(angle) * radius)


def choices(
    rng: Any, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1
) -> list[Any]:
    """`random.choices`, with a loop of which one iteration is compiled."""
    n = len(population)
    if cum_weights is None:
        if weights is None:
            return [population[math.floor(rng.random() * float(n))] for _ in range(k)]
        cum_weights = list(accumulate(weights))
    elif weights is not None:
        raise TypeError("Cannot specify both weights and cumulative weights")
    if len(cum_weights) != n:
        raise ValueError("The number of weights does not match the population")
    total = cum_weights[-1] + 0.0
    if total <= 0.0:
        raise ValueError("Total of weights must be greater than zero")
    if not math.isfinite(total):
        raise ValueError("Total of weights must be finite")
    return [population[bisect(cum_weights, rng.random() * total, 0, n - 1)] for _ in range(k)]


def sample(rng: Any, population: Any, k: Any, *, counts: Any = None) -> list[Any]:
    """`random.sample`, of places in the population."""
    if not isinstance(population, Sequence):
        raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
    n = len(population)
    if counts is not None:
        ends = list(accumulate(counts))
        if len(ends) != n:
            raise ValueError("The number of counts does not match the population")
        total = ends.pop()
        if total <= 0:
            raise ValueError("Total of counts must be greater than zero")
        return [population[bisect(ends, s)] for s in sample(rng, range(total), k)]
    if not 0 <= k <= n:
        raise ValueError("Sample larger than population or is negative")
    small = 21 + (4 ** math.ceil(math.log(k * 3, 4)) if k > 5 else 0)
    found = np.zeros(k, np.int64)
    if n <= small:
        places = np.arange(n)
        for i in range(k):
            j = rng._randbelow(n - i)
            found[i] = places[j]
            places[j] = places[n - i - 1]
    else:
        for i in range(k):
            j = rng._randbelow(n)
            while np.any(found[:i] == j):
                j = rng._randbelow(n)
            found[i] = j
    return [population[int(place)] for place in found]
