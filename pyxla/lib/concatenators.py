"""`np.r_[...]` and `np.c_[...]`: arrays, numbers and slices (as ranges) joined by indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import result_type
from pyxla.ir.op import OpError
from pyxla.lib.bounded.joining import at_least, expanded, join
from pyxla.lib.creation import arange, linspace
from pyxla.lib.operands import as_array
from pyxla.lib.registry import implements


@implements(type(np.r_).__getitem__, bounded=True)
def concatenated(builder: Any, key: Any) -> Array:
    """Items of at least `builder.ndmin` dimensions, joined along `builder.axis`."""
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(item, str) for item in items):
        raise OpError("np.r_ and np.c_ take no text; use np.concatenate or np.stack")
    found = [_range(item) if isinstance(item, slice) else item for item in items]
    dtype = result_type(*[as_array(x) if isinstance(x, list | tuple) else x for x in found])
    columns = builder is np.c_
    arrays = [_raised(as_array(x), columns) for x in found]
    return join(arrays, arrays[0].ndim - 1 if columns else 0, dtype)


def _range(item: slice) -> Array:
    """`start:stop:step`, where an imaginary step counts points."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return linspace(start, item.stop, int(abs(step)))
    return arange(start, item.stop, step)


def _raised(x: Array, columns: bool) -> Array:
    """Numbers and, for `np.c_`, rows get the dimensions they lack: a row becomes a column."""
    return expanded(at_least(x, 1), 1) if columns and x.ndim < 2 else at_least(x, 1)
