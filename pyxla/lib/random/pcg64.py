"""The bit generator PCG64 (O'Neill, "PCG: a family of simple fast space-efficient statistically
good algorithms", 2014) in the compiled language: a 128-bit linear congruential generator whose
state is two 64-bit words, and whose output is the rotated exclusive or of both.

What is here and in the other files of this folder, but for `tables`, `leaps` and `seeding`, is
Python that pyxla compiles; CPython runs it as well, on NumPy scalars.  `bits` has the fields

    high, low            the state's words, u64
    inc_high, inc_low    the increment's, odd
    full, half           whether half of an output (u32) waits to be used
"""

from __future__ import annotations

from typing import Any

import numpy as np

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
HIGH, LOW = MULTIPLIER >> 64, MULTIPLIER & (1 << 64) - 1
DOUBLE_UNIT = 2.0**-53


def product_high(x: Any, y: Any) -> Any:
    """The upper 64 bits of the product of two u64."""
    low_x, high_x, low_y, high_y = x & 0xFFFFFFFF, x >> 32, y & 0xFFFFFFFF, y >> 32
    middle = high_x * low_y + (low_x * low_y >> 32)
    other = low_x * high_y + (middle & 0xFFFFFFFF)
    return high_x * high_y + (middle >> 32) + (other >> 32)


def next64(bits: Any) -> Any:
    """The next 64 random bits."""
    low = bits.low * np.uint64(LOW)
    high = product_high(bits.low, np.uint64(LOW))
    high = high + bits.low * np.uint64(HIGH) + bits.high * np.uint64(LOW)
    bits.low = low + bits.inc_low
    bits.high = high + bits.inc_high + np.uint64(bits.low < low)
    mixed, turn = bits.high ^ bits.low, bits.high >> 58
    return mixed >> turn | mixed << ((64 - turn) & 63)


def next32(bits: Any) -> Any:
    """The next 32: the lower half of 64, then the upper."""
    if bits.full:
        word = bits.half
    else:
        both = next64(bits)
        word = np.uint32(both & 0xFFFFFFFF)
        bits.half = np.uint32(both >> 32)
    bits.full = ~bits.full
    return word


def next_double(bits: Any) -> Any:
    """A multiple of 2**-53 in [0, 1)."""
    return np.float64(next64(bits) >> 11) * DOUBLE_UNIT
