"""Orders and choices: shuffles, samples without replacement, vectors of several numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random.continuous import beta, standard_gamma
from pyxla.lib.random.discrete import binomial
from pyxla.lib.random.integers import below, below32, interval
from pyxla.lib.random.words import next_double


def shuffled(bits: Any, order: Any) -> Any:
    """Shuffle a 1-d array in place (Durstenfeld 1964), from its end."""
    for k in range(len(order) - 1):
        i = len(order) - 1 - k
        j = np.int64(interval(bits, np.uint32(i)))
        order[i], order[j] = order[j], order[i]
    return order


def shuffled_rows(bits: Any, rows: Any) -> Any:
    """Shuffle each row of a 2-d array in place, one after the other."""
    for row in range(rows.shape[0]):
        shuffled(bits, rows[row])
    return rows


def tail_shuffled(bits: Any, order: Any, first: int) -> Any:
    """Shuffle the elements from `first` on with any before them."""
    for k in range(len(order) - first):
        i = len(order) - 1 - k
        j = np.int64(below32(bits, np.uint32(i)))
        order[i], order[j] = order[j], order[i]
    return order


def sampled(bits: Any, population: int, found: Any, slots: Any) -> Any:
    """Fill `found` with different numbers below `population`: Floyd's algorithm (Bentley & Floyd
    1987).  `slots`, i64 and full of -1, is a hash table of a power of 2."""
    mask = len(slots) - 1
    for k in range(len(found)):
        last = population - len(found) + k
        if population <= 2**32:
            value = np.int64(below32(bits, np.uint32(last)))
        else:
            value = np.int64(below(bits, np.uint64(last)))
        at = value & mask
        while slots[at] != -1 and slots[at] != value:
            at = at + 1 & mask
        if slots[at] == value:
            value = np.int64(last)
            at = value & mask
            while slots[at] != -1:
                at = at + 1 & mask
        slots[at] = value
        found[k] = value
    return found


def sampled_by_weight(bits: Any, p: Any, found: Any) -> Any:
    """Fill `found` with different numbers of probabilities `p`: rounds of draws, of which those
    not met before count; the next round is among the others."""
    taken = np.zeros(len(p), np.bool_)
    count = np.int64(0)
    while count < len(found):
        cdf = np.cumsum(np.where(taken, 0.0, p))
        cdf = cdf / cdf[-1]
        for _ in range(len(found) - count):
            k = np.searchsorted(cdf, next_double(bits), side="right")
            if not taken[k]:
                taken[k] = True
                found[count] = k
                count = count + 1
    return found


def multinomial(source: Any, n: Any, p: Any, counts: Any) -> Any:
    """Fill the rows of `counts` (2-d, zeros): binomials of what is left."""
    for row in range(counts.shape[0]):
        left, rest = n[row], np.float64(1.0)
        for k in range(counts.shape[1] - 1):
            if left > 0:
                count = binomial(source, left, p[row, k] / rest)
                counts[row, k] = count
                left = left - count
                rest = rest - p[row, k]
        if left > 0:
            counts[row, counts.shape[1] - 1] = left
    return counts


def normalized(source: Any, alpha: Any, rows: Any) -> Any:
    """Fill each of `rows` with gamma numbers divided by their sum."""
    for row in range(rows.shape[0]):
        total = np.float64(0.0)
        for k in range(rows.shape[1]):
            x = standard_gamma(source, alpha[k])
            rows[row, k] = x
            total = total + x
        rows[row] *= 1.0 / total
    return rows


def broken_sticks(source: Any, alpha: Any, rows: Any) -> Any:
    """Fill each of `rows` (zeros) with a stick of length 1 broken at beta numbers."""
    after = np.flip(np.cumsum(np.flip(alpha)))
    if after[0] > 0.0:
        for row in range(rows.shape[0]):
            rest = np.float64(1.0)
            for k in range(rows.shape[1] - 1):
                piece = beta(source, alpha[k], after[k + 1])
                rows[row, k] = rest * piece
                rest = rest * (1.0 - piece)
                if after[k + 1] == 0.0:
                    break
            rows[row, rows.shape[1] - 1] = rest
    return rows
