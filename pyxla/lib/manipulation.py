"""Functions that rearrange elements: shape, order of axes, joining, splitting, repeating, padding.

By value: where NumPy returns a view the engine makes one, and these give its content.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, as_dtype, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import runs
from pyxla.lib.masks import listed
from pyxla.lib.operands import (
    INT,
    Shape,
    as_array,
    as_value,
    broadcast_shapes,
    broadcast_to,
    cast,
    normalize_axes,
    normalize_axis,
    shown,
    splat,
    weak,
)
from pyxla.lib.registry import implements
from pyxla.lib.scans import cut, take_one
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.index import dynamic_slice

# --- Shape ---------------------------------------------------------------------------------------


def reshaped(x: Value, shape: Shape) -> Value:
    return x if x.type.shape == shape else shapes.reshape(x, shape=shape)


def flat(x: Value) -> Value:
    return reshaped(x, (x.type.size,))


def unshaped(size: int, shape: Any) -> OpError:
    words = f"cannot reshape array of size {size} into shape "
    return OpError(f"{words}{tuple(shape)}", ValueError, words + shown(shape))


def transposed(x: Value, permutation: Shape | None = None) -> Value:
    order = tuple(range(x.type.ndim))[::-1] if permutation is None else permutation
    if order == tuple(range(x.type.ndim)):
        return x
    return shapes.transpose(x, permutation=order)


def transpose(x: Array, order: Shape | None = None) -> Array:
    return Array(transposed(x.value, order))


def order_moved(ndim: int, source: Any, destination: Any) -> Shape:
    """The order of dimensions in which those at `source` are at `destination`."""
    sources, targets = normalize_axes(source, ndim), normalize_axes(destination, ndim)
    if len(sources) != len(targets):
        raise OpError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return tuple(order)


def moveaxis(x: Array, source: Any, destination: Any) -> Array:
    return transpose(x, order_moved(x.ndim, source, destination))


@implements(np.broadcast_arrays, rank0="array")
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    arrays = [as_array(x) for x in args]
    shape = broadcast_shapes(*[x.shape for x in arrays]) if arrays else ()
    return tuple([Array(broadcast_to(x.value, shape)) for x in arrays])


# --- Joining and splitting -----------------------------------------------------------------------


def joined_dtype(arrays: Sequence[Any], dtype: Any = None) -> np.dtype:
    if dtype is not None:
        return as_dtype(dtype)
    return result_type(*arrays)


def items_of(arrays: Any) -> list[Any]:
    """The arrays to join: a sequence, or one array taken apart along its first axis."""
    if isinstance(arrays, Array):
        return [Array(take_one(arrays.value, i, 0)) for i in range(arrays.shape[0])]
    if isinstance(arrays, list | tuple):
        return [as_array(x) for x in arrays]
    raise OpError("a sequence of arrays is needed")


@implements(np.concatenate, np.concat)
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    if isinstance(arrays, Array) and axis is not None and arrays.ndim > 1 and arrays.shape[0] > 1:
        axis = normalize_axis(axis, arrays.ndim - 1)
        moved = moveaxis(arrays, 0, axis)
        both = moved.shape[axis] * moved.shape[axis + 1]
        shape = (*moved.shape[:axis], both, *moved.shape[axis + 2 :])
        return Array(reshaped(cast(moved.value, joined_dtype([arrays], dtype)), shape))
    items = items_of(arrays)
    if not items:
        raise OpError("need at least one array to concatenate")
    found = joined_dtype(items, dtype)
    if axis is None:
        items, axis = [Array(flat(x.value)) for x in items], 0
    if not items[0].shape:
        raise OpError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis(axis, items[0].ndim)
    values = [cast(x.value, found) for x in items]
    return Array(values[0] if len(values) == 1 else runs.concatenate(*values, dimension=axis))


@implements(np.stack)
def stack(
    arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    if isinstance(arrays, Array) and arrays.ndim and arrays.shape[0] > 1:
        moved = moveaxis(arrays, 0, normalize_axis(axis, arrays.ndim))
        return Array(cast(moved.value, joined_dtype([arrays], dtype)))
    items = items_of(arrays)
    if not items:
        raise OpError("need at least one array to stack")
    if len({x.shape for x in items}) > 1:
        raise OpError("all input arrays must have the same shape")
    axis = normalize_axis(axis, items[0].ndim + 1)
    shape = (*items[0].shape[:axis], 1, *items[0].shape[axis:])
    return concatenate([Array(reshaped(x.value, shape)) for x in items], axis, dtype=dtype)


@implements(np.block, rank0="array")
def block(arrays: Any) -> Array:
    depth = _depth(arrays)
    items = _map_leaves(as_array, arrays)
    ndim = max([depth, *[x.ndim for x in _leaf_list(items)]])
    return _block(items, depth, ndim)


def _depth(x: Any) -> int:
    return 1 + max(_depth(item) for item in x) if isinstance(x, list) else 0


def _map_leaves(function: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, list):
        return [_map_leaves(function, item) for item in x]
    return function(x)


def _leaf_list(x: Any) -> list[Any]:
    return [leaf for item in x for leaf in _leaf_list(item)] if isinstance(x, list) else [x]


def _block(x: Any, depth: int, ndim: int) -> Array:
    if not isinstance(x, list):
        return Array(reshaped(x.value, (1,) * (ndim - x.ndim) + x.shape))
    return concatenate([_block(item, depth - 1, ndim) for item in x], ndim - depth)


# --- Repeating ---------------------------------------------------------------------


def static_ints(x: Any) -> list[int]:
    """Ints known while compiling, one or many."""
    x = listed(x)
    if isinstance(x, list) and x and all(isinstance(n, bool) for n in x):
        return [i for i, chosen in enumerate(x) if chosen]
    if isinstance(x, np.ndarray):
        return [int(n) for n in x.ravel()]
    if isinstance(x, list | tuple):
        return [operator.index(n) for n in x]
    return [operator.index(x)]


@implements(np.roll, rank0="array")
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    x = as_array(a)
    if axis is None:
        return Array(reshaped(roll(Array(flat(x.value)), shift, 0).value, x.shape))
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    shifts = shift if isinstance(shift, tuple | list) else (shift,) * len(axes)
    axes = tuple(axes) * len(shifts) if len(axes) == 1 else axes
    value = x.value
    for amount, one in zip(shifts, axes, strict=True):
        value = _roll(value, amount, normalize_axis(one, x.ndim))
    return Array(value)


def _roll(x: Value, amount: Any, axis: int) -> Value:
    size = x.type.shape[axis]
    if size < 2:
        return x
    if isinstance(amount, Array | Scalar):
        return _roll_dynamic(x, amount, axis)
    start = -operator.index(amount) % size
    if start == 0:
        return x
    return shapes.concatenate(cut(x, start, size, axis), cut(x, 0, start, axis), dimension=axis)


def _roll_dynamic(x: Value, amount: Any, axis: int) -> Value:
    """A window of the array put beside itself."""
    size = x.type.shape[axis]
    start = k.integer_remainder(op.negate(as_value(amount, INT)), splat(size, INT, ()))
    twice = shapes.concatenate(x, x, dimension=axis)
    return dynamic_cut(twice, start, size, axis)


def dynamic_cut(x: Value, start: Value, size: int, axis: int) -> Value:
    zero = splat(0, start.type.dtype, ())
    return dynamic_slice(
        x,
        *[start if i == axis else zero for i in range(x.type.ndim)],
        slice_sizes=tuple([size if i == axis else n for i, n in enumerate(x.type.shape)]),
    )


# --- Insertion and deletion at known places ------------------------------------------------------


def delete_known(arr: Any, obj: Any, axis: Any = None) -> Array:
    """`np.delete` at positions that are known while compiling."""
    x, axis, size = _along(arr, axis)
    if isinstance(obj, slice):
        dropped = set(range(*obj.indices(size)))
    else:
        dropped = {_in_range(i, size) for i in static_ints(obj)}
    kept = [i for i in range(size) if i not in dropped]
    return Array(take_static(x.value, kept, axis))


def _along(arr: Any, axis: Any) -> tuple[Array, int, int]:
    """The array, or its items where there is no axis; that axis, and the size along it."""
    x = as_array(arr)
    x, axis = (Array(flat(x.value)), 0) if axis is None else (x, normalize_axis(axis, x.ndim))
    return x, axis, x.shape[axis]


def _in_range(index: int, size: int) -> int:
    if not -size <= index < size:
        raise OpError(f"index {index} is out of bounds for axis with size {size}", IndexError)
    return index % size


def take_static(x: Value, indices: Sequence[int], axis: int) -> Value:
    """Elements at known positions: slices of runs, joined."""
    runs: list[list[int]] = []
    for i in indices:
        if runs and runs[-1][1] == i:
            runs[-1][1] = i + 1
        else:
            runs.append([i, i + 1])
    pieces = [cut(x, start, stop, axis) for start, stop in runs]
    if not pieces:
        return cut(x, 0, 0, axis)
    return pieces[0] if len(pieces) == 1 else shapes.concatenate(*pieces, dimension=axis)


def insert_known(arr: Any, obj: Any, values: Any, axis: Any = None) -> Array:
    """`np.insert` at positions that are known while compiling."""
    x, axis, size = _along(arr, axis)
    single = not isinstance(obj, list | tuple | np.ndarray | slice)
    places = range(*obj.indices(size)) if isinstance(obj, slice) else static_ints(obj)
    places = [i + size if i < 0 else i for i in places]
    if not all(0 <= i <= size for i in places):
        raise OpError(
            f"insert: an index is out of bounds for axis {axis} with size {size}", IndexError
        )
    new = as_array(values, x.dtype)
    edge = tuple([len(places) if i == axis else n for i, n in enumerate(x.shape)])
    if single:
        return _insert_block(x, places[0], new, axis)
    inserted = broadcast_to(new.value, edge)
    pieces, last = [], 0
    for which in sorted(range(len(places)), key=lambda i: places[i]):
        pieces.append(cut(x.value, last, places[which], axis))
        pieces.append(cut(inserted, which, which + 1, axis))
        last = places[which]
    pieces.append(cut(x.value, last, size, axis))
    return Array(shapes.concatenate(*pieces, dimension=axis))


def _insert_block(x: Array, place: int, new: Array, axis: int) -> Array:
    """Before one place any number of slices may be inserted."""
    padded = Array(reshaped(new.value, (1,) * (x.ndim - new.ndim) + new.shape))
    value = moveaxis(padded, 0, axis).value
    count = value.type.shape[axis]
    edge = tuple([count if i == axis else n for i, n in enumerate(x.shape)])
    pieces = (
        cut(x.value, 0, place, axis),
        broadcast_to(value, edge),
        cut(x.value, place, x.shape[axis], axis),
    )
    return Array(shapes.concatenate(*pieces, dimension=axis))


# --- Conversion ----------------------------------------------------------------------------------


@implements(np.ndarray.astype, np.astype, rank0="method")
def astype(
    a: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
    **ignored: Any,
) -> Array:
    x = as_array(a)
    found = as_dtype(dtype)
    if casting != "unsafe" and not np.can_cast(x.dtype, found, casting):
        raise OpError(f"Cannot cast array data from {x.dtype} to {found} by the rule {casting!r}")
    return Array(cast(x.value, found))


def _part(name: str) -> Callable[..., Any]:
    def call(val: Any) -> Any:
        x = as_array(val)
        if isinstance(val, Scalar):  # `val.real`, as Python has it
            if val.kind is complex:
                return weak((op.real if name == "real" else op.imag)(x.value), float)
            python = int if val.kind is bool else val.kind
            return weak(x.value, python) if name == "real" else python(0)
        if CLASSES[x.dtype] == "c":
            return Array((op.real if name == "real" else op.imag)(x.value))
        return x if name == "real" else Array(k.like(x.value, 0))

    return call


real = implements(np.real, rank0="method")(_part("real"))
imag = implements(np.imag, rank0="method")(_part("imag"))


@implements(np.ndarray.conj, np.ndarray.conjugate)
def conjugate(a: Array) -> Array:
    return Array(k.conjugate(a.value))


@implements(np.result_type, bounded=True)
def result_type_(*arrays_and_dtypes: Any) -> np.dtype:
    return result_type(*[x if _is_operand(x) else as_dtype(x) for x in arrays_and_dtypes])


def _is_operand(x: Any) -> bool:
    return isinstance(x, Array | Scalar | int | float | complex | np.ndarray | np.generic)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    return CLASSES[as_array(x).dtype] == "c"


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    return not iscomplexobj(x)
