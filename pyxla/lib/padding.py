"""`np.pad` with one number or with elements of the array; all else is NumPy's own Python."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib.manipulation import take_static
from pyxla.lib.operands import as_array, as_value
from pyxla.lib.registry import LeftToPython, implements
from pyxla.ops import shape as shapes

Widths = list[tuple[Any, Any]]
REPEATING = ("edge", "reflect", "symmetric", "wrap")


def pairs(x: Any, ndim: int, index: Callable[[Any], Any] = operator.index) -> Widths:
    """One number, one pair, or a pair per axis, as a pair per axis: NumPy says what fits."""
    given: list[Any] = []

    def places(part: Any) -> Any:
        if isinstance(part, list | tuple):
            return [places(item) for item in part]
        given.append(index(part))
        return len(given) - 1

    try:
        found = np.broadcast_to(places(x.tolist() if isinstance(x, np.ndarray) else x), (ndim, 2))
    except ValueError:
        raise LeftToPython from None
    return [(given[low], given[high]) for low, high in found]


@implements(np.pad, rank0="array")
def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    x = as_array(array)
    if isinstance(pad_width, dict):
        raise LeftToPython
    widths = pairs(pad_width, x.ndim)
    if any(min(pair) < 0 for pair in widths):
        raise OpError("index can't contain negative values", ValueError)
    if mode in ("constant", "empty"):
        number = as_value(options.get("constant_values", 0), x.dtype)
        if not number.type.shape:
            return Array(_surrounded(x.value, widths, number))
    elif mode in REPEATING and options.get("reflect_type", "even") == "even":
        return Array(_repeated(x.value, widths, mode))
    raise LeftToPython


def _surrounded(x: Value, widths: Widths, number: Value) -> Value:
    low, high = zip(*widths, strict=True) if widths else ((), ())
    none = (0,) * x.type.ndim
    return shapes.pad(
        x, number, edge_padding_low=low, edge_padding_high=high, interior_padding=none
    )


def _repeated(x: Value, widths: Widths, mode: Any) -> Value:
    """Elements of the array again: NumPy itself says which, of their positions."""
    for axis, width in enumerate(widths):
        if not any(width):
            continue
        if not x.type.shape[axis]:
            raise OpError(f"can't extend empty axis {axis} using mode {mode!r}", ValueError)
        source = np.pad(np.arange(x.type.shape[axis]), width, mode=mode)
        x = take_static(x, source.tolist(), axis)
    return x
