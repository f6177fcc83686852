"""`np.r_[...]` and `np.c_[...]`: arrays, numbers and slices (as ranges) joined by indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.infer.lattice import Array
from pyxla.infer.promote import result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib.creation import arange, linspace
from pyxla.lib.manipulation import reshaped
from pyxla.lib.operands import as_array, cast
from pyxla.lib.registry import implements
from pyxla.ops.shape import concatenate


@implements(type(np.r_).__getitem__)
def concatenated(builder: Any, key: Any) -> Array:
    """Items of at least `builder.ndmin` dimensions, joined along `builder.axis`."""
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(item, str) for item in items):
        raise OpError("np.r_ and np.c_ take no text; use np.concatenate or np.stack")
    arrays = [_range(item) if isinstance(item, slice) else item for item in items]
    dtype = result_type(*[as_array(x) if isinstance(x, list | tuple) else x for x in arrays])
    columns = builder is np.c_
    values = [_raised(cast(as_array(x).value, dtype), columns) for x in arrays]
    axis = values[0].type.ndim - 1 if columns else 0
    return Array(concatenate(*values, dimension=axis) if len(values) > 1 else values[0])


def _range(item: slice) -> Array:
    """`start:stop:step`, where an imaginary step counts points."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return linspace(start, item.stop, int(abs(step)))
    return arange(start, item.stop, step)


def _raised(x: Value, columns: bool) -> Value:
    """Numbers and, for `np.c_`, rows get the dimensions they lack: a row becomes a column."""
    if columns and x.type.ndim < 2:
        return reshaped(x, (x.type.size, 1))
    return x if x.type.shape else reshaped(x, (1,))
