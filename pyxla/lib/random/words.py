"""What every distribution is made of: random words, from whichever bit generator it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random import mt19937, pcg64

FLOAT_UNIT = np.float32(2.0**-24)


def next32(bits: Any) -> Any:
    """The next 32 random bits, u32."""
    return mt19937.next32(bits) if hasattr(bits, "key") else pcg64.next32(bits)


def next64(bits: Any) -> Any:
    """The next 64, u64."""
    return mt19937.next64(bits) if hasattr(bits, "key") else pcg64.next64(bits)


def next_double(bits: Any) -> Any:
    """A multiple of 2**-53 in [0, 1)."""
    return mt19937.next_double(bits) if hasattr(bits, "key") else pcg64.next_double(bits)


def next_float(bits: Any) -> Any:
    """A multiple of 2**-24 in [0, 1), f32."""
    return np.float32(next32(bits) >> 8) * FLOAT_UNIT
