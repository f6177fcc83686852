"""`np.pad` with one number or with elements of the array; all else is NumPy's own Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, plus
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib.bounded.elementwise import bounded, extents_of, filled
from pyxla.lib.bounded.joining import join
from pyxla.lib.manipulation import take_static
from pyxla.lib.masks import listed
from pyxla.lib.operands import as_array, as_value, broadcast_to
from pyxla.lib.registry import LeftToPython, implements
from pyxla.lib.sizes import as_size
from pyxla.ops import shape as shapes

Widths = list[tuple[Any, Any]]
REPEATING = ("edge", "reflect", "symmetric", "wrap")


def pairs(x: Any, ndim: int, read: Callable[[Any], Any]) -> Widths:
    """One number, one pair, or a pair per axis, as a pair per axis: NumPy says what fits."""
    given: list[Any] = []

    def places(part: Any) -> Any:
        if isinstance(part, list | tuple):
            return [places(item) for item in part]
        given.append(read(part))
        return len(given) - 1

    try:
        found = np.broadcast_to(
            places(x.tolist() if isinstance(x, np.ndarray) else listed(x)), (ndim, 2)
        )
    except ValueError:
        raise LeftToPython from None
    return [(given[low], given[high]) for low, high in found]


@implements(np.pad, rank0="array", bounded=True)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    x = as_array(array)
    if isinstance(pad_width, dict):
        raise LeftToPython
    widths = pairs(pad_width, x.ndim, _width)
    known = not any(isinstance(n, Scalar) for pair in widths for n in pair)
    if mode in ("constant", "empty"):
        given = options.get("constant_values", 0)
        if known and isinstance(given, int | float):  # so is what lies past its size
            found = filled(x, range(x.ndim), given).value
            return bounded(_surrounded(found, widths, as_value(given, x.dtype)), _sizes(x, widths))
        numbers = pairs(given, x.ndim, functools.partial(as_value, dtype=x.dtype))
        if any(number.type.shape for pair in numbers for number in pair):
            raise LeftToPython
        return _joined(x, widths, numbers)
    full = known and x.extents is None
    if full and mode in REPEATING and options.get("reflect_type", "even") == "even":
        return Array(_repeated(x.value, widths, mode))
    raise LeftToPython


def _width(n: Any) -> Int:
    return as_size(n, lambda _: (ValueError, "index can't contain negative values"))


def _sizes(x: Array, widths: Widths) -> list[Any]:
    pairs = zip(extents_of(x), widths, strict=True)
    return [None if e is None else plus(e, low + high) for e, (low, high) in pairs]


def _joined(x: Array, widths: Widths, numbers: Widths) -> Array:
    """Along one axis after the other."""
    for axis, pair in enumerate(zip(widths, numbers, strict=True)):
        before, after = [_rows(x, axis, *side) for side in zip(*pair, strict=True)]
        x = join([before, x, after], axis)
    return x


def _rows(x: Array, axis: int, count: Int, number: Value) -> Array:
    """So many rows of a number, as those of `x`."""
    shape, own = list(x.shape), list(extents_of(x))
    shape[axis] = count if isinstance(count, int) else extent.upper(count) or 0
    own[axis] = count if isinstance(count, Scalar) else None
    return bounded(broadcast_to(number, tuple(shape)), own)


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
