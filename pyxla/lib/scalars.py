"""NumPy's scalar types as callables: `np.float32(x)`, `np.bool_(x)`; and `tolist`, packed bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import PYTHON_KINDS, SHORT_NAMES
from pyxla.lib import kernels as k
from pyxla.lib.creation import iota
from pyxla.lib.manipulation import cut, reshaped
from pyxla.lib.operands import as_array, cast, literal, normalize_axis, splat, weak
from pyxla.lib.reductions import fold
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes

UINT8 = np.dtype(np.uint8)
# Lists longer than this are refused: every element is a value of its own.
LONGEST_LIST = 1024


def _constructor(dtype: np.dtype) -> Callable[..., Array]:
    return lambda value=0, /: as_array(value, dtype)


for _dtype in SHORT_NAMES:
    implements(_dtype.type, same=True)(_constructor(_dtype))


def kind_of(dtype: np.dtype) -> type:
    """The class of Python's numbers that elements are as items of lists."""
    return PYTHON_KINDS[CLASSES[dtype]]


@implements(np.ndarray.tolist)
def tolist(a: Array) -> Any:
    """Python scalars in nested lists."""
    if a.size > LONGEST_LIST:
        raise OpError(f"tolist of {a.size} elements: every one would be a value of its own")
    if not a.shape:
        return weak(a.value, kind_of(a.dtype))
    return [tolist(Array(take_one(a.value, i, 0))) for i in range(a.shape[0])]


@implements(np.unpackbits)
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Array:
    x = as_array(a)
    if x.dtype != UINT8:
        raise OpError("Expected an input array of unsigned byte data type")
    value = reshaped(x.value, (x.size,)) if axis is None else x.value
    axis = normalize_axis(0 if axis is None else axis, value.type.ndim)
    head, tail = value.type.shape[: axis + 1], value.type.shape[axis + 1 :]
    spread = shapes.broadcast_in_dim(
        value,
        shape=(*head, 8, *tail),
        broadcast_dimensions=tuple(i + (i > axis) for i in range(value.type.ndim)),
    )
    bits = op.and_(
        op.shift_right_logical(spread, _bit_of(spread, axis + 1, bitorder)), k.like(spread, 1)
    )
    whole = reshaped(bits, (*head[:-1], head[-1] * 8, *tail))
    return Array(whole if count is None else _counted(whole, operator.index(count), axis))


def _counted(bits: Value, count: int, axis: int) -> Value:
    """So many bits, zeros past the last one; all but so many where it is negative."""
    size = bits.type.shape[axis]
    stop = count if count >= 0 else size + count
    if stop < 0:
        raise OpError(f"-count {-count} is larger than the number of elements {size}")
    if stop <= size:
        return cut(bits, 0, stop, axis)
    more = tuple([stop - size if d == axis else n for d, n in enumerate(bits.type.shape)])
    return shapes.concatenate(bits, splat(0, UINT8, more), dimension=axis)


def _bit_of(x: Any, axis: int, bitorder: str) -> Any:
    """The place of each bit in its byte."""
    if bitorder not in ("big", "little"):
        raise OpError("bitorder must be 'big' or 'little'")
    place = iota(UINT8, x.type.shape, axis)
    return op.subtract(k.like(place, 7), place) if bitorder == "big" else place


@implements(np.packbits)
def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> Array:
    x = as_array(a)
    value = reshaped(x.value, (x.size,)) if axis is None else x.value
    axis = normalize_axis(0 if axis is None else axis, value.type.ndim)
    bits = cast(k.truth(value), UINT8)
    extent = value.type.shape[axis]
    count = -(-extent // 8)
    none = (0,) * value.type.ndim
    high = tuple(count * 8 - extent if i == axis else 0 for i in range(value.type.ndim))
    padded = shapes.pad(
        bits,
        literal(0, UINT8),
        edge_padding_low=none,
        edge_padding_high=high,
        interior_padding=none,
    )
    shape = value.type.shape
    grouped = reshaped(padded, (*shape[:axis], count, 8, *shape[axis + 1 :]))
    shifted = op.shift_left(grouped, _bit_of(grouped, axis + 1, bitorder))
    return Array(fold(shifted, (axis + 1,), literal(0, UINT8), "or"))


@implements(np.apply_along_axis, rank0="array")
def apply_along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """The function of every one-dimensional slice, one by one."""
    x = as_array(arr)
    axis = normalize_axis(axis, x.ndim)
    rest = tuple([n for i, n in enumerate(x.shape) if i != axis])
    count = int(np.prod(rest))
    if not 0 < count <= LONGEST_LIST:
        raise OpError(f"apply_along_axis compiles its function once per slice, here {count} times")
    order = (*[i for i in range(x.ndim) if i != axis], axis)
    moved = shapes.transpose(x.value, permutation=order)
    rows = reshaped(moved, (count, x.shape[axis]))
    results = [as_array(func1d(Array(take_one(rows, i, 0)), *args, **kwargs)) for i in range(count)]
    inner = results[0].shape
    pieces = [reshaped(r.value, (1, *inner)) for r in results]
    joined = shapes.concatenate(*pieces, dimension=0) if count > 1 else pieces[0]
    result = reshaped(joined, (*rest, *inner))
    places = range(len(rest))
    back = (
        *places[:axis],
        *range(len(rest), len(rest) + len(inner)),
        *places[axis:],
    )
    return Array(shapes.transpose(result, permutation=back))
