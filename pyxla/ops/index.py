"""Ops that read and write at positions known at run time: dynamic slices, gather, scatter.

Out of range, XLA's semantics: starts of slices are clamped so that the slice fits, updates that do
not fit are dropped.
"""

from __future__ import annotations

from typing import Any

from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops.check import (
    INTS,
    check_axes,
    check_length,
    check_scalar_index,
    listed,
    refuse,
    require,
)
from pyxla.ops.computation import SCATTER_COMPUTATIONS, check_computation

Ints = tuple[int, ...]


def _check_starts(op: str, x: ArrayType, starts: tuple[ArrayType, ...]) -> None:
    if len(starts) != x.ndim:
        refuse(op, f"{x} needs {x.ndim} start indices, got {len(starts)}")
    for start in starts:
        check_scalar_index(op, "a start index", start)
        if start.dtype != starts[0].dtype:
            refuse(op, f"start indices must be of one type, got {listed(starts)}")


def _dynamic_slice(x: ArrayType, *starts: ArrayType, slice_sizes: Ints) -> ArrayType:
    _check_starts("dynamic_slice", x, starts)
    check_length("dynamic_slice", "slice_sizes", slice_sizes, x.ndim)
    for size, extent in zip(slice_sizes, x.shape, strict=True):
        if not 0 <= size <= extent:
            refuse("dynamic_slice", f"slice_sizes {slice_sizes} do not fit {x}")
    return array_type(x.dtype, slice_sizes, x.weak)


def _dynamic_update_slice(x: ArrayType, update: ArrayType, *starts: ArrayType) -> ArrayType:
    _check_starts("dynamic_update_slice", x, starts)
    fits = update.dtype == x.dtype and update.ndim == x.ndim
    if not fits or any(u > n for u, n in zip(update.shape, x.shape, strict=True)):
        refuse("dynamic_update_slice", f"update {update} does not fit {x}")
    return x


def _batch_extents(
    op: str, shape: Ints, batching_dims: Ints, other: Ints, other_batching_dims: Ints
) -> None:
    extents = [shape[d] for d in batching_dims]
    if extents != [other[d] for d in other_batching_dims]:
        refuse(op, f"batching dimensions of {list(shape)} and {list(other)} differ in extent")


def _gather(
    x: ArrayType,
    indices: ArrayType,
    *,
    offset_dims: Ints,
    collapsed_slice_dims: Ints,
    start_index_map: Ints,
    index_vector_dim: int,
    slice_sizes: Ints,
    operand_batching_dims: Ints = (),
    start_indices_batching_dims: Ints = (),
    indices_are_sorted: bool = False,
) -> ArrayType:
    _check_index_array("gather", indices, index_vector_dim, len(start_index_map))
    check_length("gather", "slice_sizes", slice_sizes, x.ndim)
    check_axes("gather", "start_index_map", start_index_map, x.ndim)
    dropped = (*collapsed_slice_dims, *operand_batching_dims)
    check_axes("gather", "collapsed and batching dimensions", dropped, x.ndim)
    for axis, (size, extent) in enumerate(zip(slice_sizes, x.shape, strict=True)):
        if not 0 <= size <= extent or (axis in dropped and size > 1):
            refuse("gather", f"slice_sizes {slice_sizes} do not fit {x}, dimension {axis}")
    window = [size for axis, size in enumerate(slice_sizes) if axis not in dropped]
    batch = batch_shape(indices.shape, index_vector_dim)
    check_length("gather", "offset_dims", offset_dims, len(window))
    check_axes("gather", "offset_dims", offset_dims, len(window) + len(batch))
    _batch_extents(
        "gather", x.shape, operand_batching_dims, indices.shape, start_indices_batching_dims
    )
    return array_type(x.dtype, interleave(window, batch, offset_dims))


def batch_shape(shape: Ints, index_vector_dim: int) -> Ints:
    """The shape of an index array without its index vector dimension."""
    return shape[:index_vector_dim] + shape[index_vector_dim + 1 :]


def interleave(window: Any, batch: Any, window_dims: Ints) -> Ints:
    """The shape with `window` at `window_dims` and `batch` at the others, both in order."""
    shape = []
    windows, batches = iter(window), iter(batch)
    for axis in range(len(window) + len(batch)):
        shape.append(next(windows) if axis in window_dims else next(batches))
    return tuple(shape)


def _check_index_array(op: str, indices: ArrayType, index_vector_dim: int, length: int) -> None:
    if indices.dtype not in INTS:
        refuse(op, f"indices must be integers, got {indices}")
    require(
        0 <= index_vector_dim <= indices.ndim,
        op,
        f"index_vector_dim {index_vector_dim} out of range for {indices}",
    )
    extent = 1 if index_vector_dim == indices.ndim else indices.shape[index_vector_dim]
    if extent != length:
        refuse(op, f"index vectors of {indices} have {extent} components, {length} are mapped")


def _scatter(
    *operands: ArrayType,
    update_window_dims: Ints,
    inserted_window_dims: Ints,
    scatter_dims_to_operand_dims: Ints,
    index_vector_dim: int,
    input_batching_dims: Ints = (),
    scatter_indices_batching_dims: Ints = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    computation: str = "",
    regions: tuple[Region, ...] = (),
) -> ArrayType | tuple[ArrayType, ...]:
    count = len(operands) // 2
    require(len(operands) % 2 == 1 and count > 0, "scatter", "operands: inputs, indices, updates")
    xs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    _check_index_array("scatter", indices, index_vector_dim, len(scatter_dims_to_operand_dims))
    batch = batch_shape(indices.shape, index_vector_dim)
    dropped = (*inserted_window_dims, *input_batching_dims)
    for x, update in zip(xs, updates, strict=True):
        check_axes("scatter", "inserted and batching dimensions", dropped, x.ndim)
        check_axes("scatter", "scatter_dims", scatter_dims_to_operand_dims, x.ndim)
        check_axes("scatter", "update_window_dims", update_window_dims, update.ndim)
        _check_update(x, update, batch, update_window_dims, dropped)
        _batch_extents(
            "scatter", x.shape, input_batching_dims, indices.shape, scatter_indices_batching_dims
        )
    check_computation("scatter", computation, regions, xs, SCATTER_COMPUTATIONS)
    return xs if count > 1 else xs[0]


def _check_update(
    x: ArrayType, update: ArrayType, batch: Ints, update_window_dims: Ints, dropped: Ints
) -> None:
    room = [extent for axis, extent in enumerate(x.shape) if axis not in dropped]
    window = [update.shape[axis] for axis in update_window_dims]
    rest = tuple([n for axis, n in enumerate(update.shape) if axis not in update_window_dims])
    fits = len(window) == len(room) and all(w <= n for w, n in zip(window, room, strict=True))
    if update.dtype != x.dtype or not fits or rest != batch:
        refuse("scatter", f"updates {update} do not fit {x} with indices of shape {list(batch)}")


dynamic_slice = Op("dynamic_slice", _dynamic_slice)
dynamic_update_slice = Op("dynamic_update_slice", _dynamic_update_slice)
gather = Op("gather", _gather)
scatter = Op("scatter", _scatter)
