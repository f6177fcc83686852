"""Texts among arguments whose characters are data: code points and a length, two leaves each.

A text of more than `LONG` characters is one, unless `static` has its path with the step `ITEMS`; so
is a shorter one that it has with the step `CODES`: of which there were many, or that the program
was refused with as a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.runtime.numbers import LONG

# The step that says that the characters of a text are data.
CODES = "codes"
_LEAST = 16


def leaves_of(text: str) -> tuple[np.ndarray, np.int64]:
    """The code points of a text, with room up to a power of two, and how many there are."""
    codes = np.frombuffer(*_encoded(text))
    room = max(_LEAST, 1 << max(codes.size - 1, 0).bit_length())
    held = np.zeros(room, codes.dtype)
    held[: codes.size] = codes
    return held, np.int64(codes.size)


def _encoded(text: str) -> tuple[bytes, Any]:
    try:
        return text.encode("latin-1"), np.uint8
    except UnicodeEncodeError:
        return text.encode("utf-32-le", "surrogatepass"), np.uint32


def is_data(text: str, known: bool, asked: bool) -> bool:
    """Whether a text is leaves; `known`: its value is needed; `asked`: see `CODES`."""
    return (asked or len(text) > LONG) and not known
