"""Long lists of Python numbers among arguments: one array each, where nobody needs their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.types import PYTHON_DTYPES

Path = tuple[Any, ...]

# Lists of more numbers than this are one leaf.
LONG = 64
# The step that says that the items of a list are leaves of their own.
ITEMS = "items"


def numbers_of(x: Any) -> np.ndarray | None:
    """A long list of Python numbers of one type as an array; None of anything else."""
    if type(x) is not list or len(x) <= LONG:
        return None
    kinds = set(map(type, x))
    (kind,) = kinds if len(kinds) == 1 else (None,)
    if kind is not int and kind is not float and kind is not complex:
        return None
    try:
        return np.array(x, PYTHON_DTYPES[kind])
    except OverflowError:  # which is said of the number, when it is a leaf
        return None
