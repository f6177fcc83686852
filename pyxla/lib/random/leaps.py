"""Many outputs of PCG64 at once: a linear congruential generator leaps any number of steps in one
multiplication (Brown, "Random number generation with arbitrary strides", 1994).

    state after k steps = A**k * state + (1 + A + ... + A**(k - 1)) * increment    (mod 2**128)

Element (r, l) of a table of rows and lanes is l + 1 steps past the start of row r, and the starts
are one leap from the first; so there are two constants per row and two per lane.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.lib.operands import as_array, cast
from pyxla.lib.random.pcg64 import MULTIPLIER, product_high
from pyxla.ops.control import optimization_barrier
from pyxla.ops.shape import reshape
from pyxla.ops.shape import slice as slice_

U64 = np.dtype(np.uint64)
_ONES, _WORD = (1 << 128) - 1, (1 << 64) - 1
Wide = tuple[Any, Any]


def _leap(steps: int) -> tuple[int, int]:
    """A**steps and the sum of the lower powers."""
    power, total = 1, 0
    factor, addend = MULTIPLIER, 1
    while steps:
        if steps & 1:
            power, total = power * factor & _ONES, (total * factor + addend) & _ONES
        addend = (factor + 1) * addend & _ONES
        factor = factor * factor & _ONES
        steps >>= 1
    return power, total


def _wide(numbers: list[int], shape: tuple[int, ...]) -> Wide:
    """128-bit constants as two u64 arrays."""
    halves = [[n >> 64 for n in numbers], [n & _WORD for n in numbers]]
    high, low = [as_array(np.array(half, U64).reshape(shape)) for half in halves]
    return high, low


def _leaps(steps: list[int], shape: tuple[int, ...]) -> tuple[Wide, Wide]:
    found = [_leap(n) for n in steps]
    return _wide([p for p, _ in found], shape), _wide([t for _, t in found], shape)


def _times(x: Wide, y: Wide) -> Wide:
    low = x[1] * y[1]
    return product_high(x[1], y[1]) + x[0] * y[1] + x[1] * y[0], low


def plus(x: Wide, y: Wide) -> Wide:
    low = x[1] + y[1]
    carry = Array(cast((low < y[1]).value, U64))
    return x[0] + y[0] + carry, low


def _computed(x: Wide) -> Wide:
    """`x`, not to be computed again for every element of what it is used in."""
    high, low = optimization_barrier(x[0].value, x[1].value)
    return Array(high), Array(low)


def outputs(state: Wide, increment: Wide, count: int) -> tuple[Array, Array, Array]:
    """The next `count` outputs, u64[count], and the state after them."""
    lanes = min(count, 1 << math.isqrt(count).bit_length()) or 1
    rows = -(-count // lanes)
    power, total = _leaps([row * lanes for row in range(rows)], (rows, 1))
    starts = _computed(plus(_times(power, state), _times(total, increment)))
    power, total = _leaps(list(range(1, lanes + 1)), (1, lanes))
    high, low = plus(_times(power, starts), _computed(_times(total, increment)))
    mixed, turn = high ^ low, high >> 58
    words = (mixed >> turn | mixed << ((64 - turn) & 63)).value
    flat = reshape(words, shape=(rows * lanes,))
    if rows * lanes != count:
        flat = slice_(flat, start_indices=(0,), limit_indices=(count,))
    power, total = _leaps([count], ())
    after = plus(_times(power, state), _times(total, increment))
    return Array(flat), *after
