"""The ziggurat's tables, read off the installed NumPy.

The widths decide every bit of a normal number, and NumPy's come from a program whose rounding
errors are its own.  So each is asked for: a generator is put into the state whose next output
proposes a known integer in a known layer, and what it draws is that integer times the width.  The
rest follows from the widths, to where a difference would show in one draw of 10**14.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pyxla.lib.random.pcg64 import MULTIPLIER
from pyxla.lib.random.ziggurat import Narrow, Source

_ONES = (1 << 128) - 1


def _state(state: int, increment: int, half: int | None = None) -> dict[str, object]:
    return {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": int(half is not None),
        "uinteger": half or 0,
    }


def _widths(method: str, dtype: type, shift: int, proposal: int) -> np.ndarray:
    """Widths of all layers, from draws that propose the integer `proposal`.

    A state whose upper word is 0 puts out its lower one; the state before it is a division away.
    """
    bits = np.random.PCG64(0)
    increment = bits.state["state"]["inc"]
    draw = getattr(np.random.Generator(bits), method)
    inverse = pow(MULTIPLIER, -1, 1 << 128)
    found = []
    for layer in range(256):
        word = proposal << shift + 8 | layer << (0 if method == "standard_normal" else shift)
        if dtype is np.float32:
            state: Any = _state(1, increment, word)
        else:
            state = _state((word - increment) * inverse & _ONES, increment)
        bits.state = state
        found.append(float(draw(dtype=dtype)) / proposal)
    return np.array(found)


def _tables(widths: np.ndarray, bits: int, density: object, dtype: type) -> tuple[np.ndarray, ...]:
    """Widths, cores and heights; the layer 0 is as wide as its area over its height."""
    scale = 2.0**bits
    edges = widths * scale
    cores = np.floor(np.roll(widths, 1) / widths * scale)
    cores[0], cores[1] = np.floor(widths[255] / widths[0] * scale), 0
    heights = density(edges)  # type: ignore[operator]
    heights[0] = 1.0
    words = np.uint64 if dtype is np.float64 else np.uint32
    return widths.astype(dtype), cores.astype(words), heights.astype(dtype)


# By what the draws are.
SOURCES: dict[Any, type[Source]] = {np.float64: Source, np.float32: Narrow}


@functools.cache
def tables(dtype: type) -> dict[str, np.ndarray]:
    """The tables of `Source` for draws of np.float64 or np.float32, by field."""
    wide = dtype is np.float64
    rows = {
        "normal": (1, 52 if wide else 23, lambda x: np.exp(-0.5 * x * x)),
        "exponential": (3 if wide else 1, 53 if wide else 23, lambda x: np.exp(-x)),
    }
    found = {}
    for name, (shift, bits, density) in rows.items():
        widths = _widths(f"standard_{name}", dtype, shift, 1 << (40 if wide else 12))
        made = _tables(widths, bits, density, dtype)
        parts = ("widths", "cores", "heights")
        found.update({f"{name}_{part}": table for part, table in zip(parts, made, strict=True)})
    return found
