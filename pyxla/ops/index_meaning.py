"""What the ops of `pyxla.ops.index` compute, in NumPy, window by window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ops.computation import Elementwise, elementwise_numpy

Ints = tuple[int, ...]


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


def _clamped_window(shape: Ints, starts: Sequence[Any], sizes: Ints) -> tuple[slice, ...]:
    """The window of `sizes` at `starts`, moved so that it lies inside `shape`."""
    window = []
    for start, extent, size in zip(starts, shape, sizes):
        at = min(max(int(start), 0), extent - size)
        window.append(slice(at, at + size))
    return tuple(window)


def dynamic_slice(x: np.ndarray, *starts: np.ndarray, slice_sizes: Ints) -> np.ndarray:
    return x[_clamped_window(x.shape, starts, slice_sizes)]


def dynamic_update_slice(x: np.ndarray, update: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    result = x.copy()
    result[_clamped_window(x.shape, starts, update.shape)] = update
    return result


def _starts(
    indices: np.ndarray,
    index_vector_dim: int,
    index_map: Ints,
    operand_batching_dims: Ints,
    indices_batching_dims: Ints,
) -> dict[int, np.ndarray]:
    """Where windows start, by the dimensions of the operand; at 0 of those that are not there."""
    starts = {}
    for k, axis in enumerate(index_map):
        alone = index_vector_dim == indices.ndim
        starts[axis] = indices if alone else indices.take(k, index_vector_dim)
    batch = batch_shape(indices.shape, index_vector_dim)
    for axis, dim in zip(operand_batching_dims, indices_batching_dims, strict=True):
        starts[axis] = np.indices(batch)[dim - (dim > index_vector_dim)]
    return starts


def _placed(position: Ints, window_dims: Ints, ndim: int) -> tuple[Any, ...]:
    """The index that has `position` in the batch dimensions and everything in `window_dims`."""
    batch = iter(position)
    return tuple([slice(None) if axis in window_dims else next(batch) for axis in range(ndim)])


def gather(
    x: np.ndarray,
    indices: np.ndarray,
    *,
    offset_dims: Ints,
    collapsed_slice_dims: Ints,
    start_index_map: Ints,
    index_vector_dim: int,
    slice_sizes: Ints,
    operand_batching_dims: Ints = (),
    start_indices_batching_dims: Ints = (),
    **_: bool,
) -> np.ndarray:
    """All windows at once: an index for each element of each."""
    batch = batch_shape(indices.shape, index_vector_dim)
    dims = operand_batching_dims, start_indices_batching_dims
    starts = _starts(indices, index_vector_dim, start_index_map, *dims)
    for axis, start in starts.items():
        wide = start.astype(np.uint64 if start.dtype.kind == "u" else np.int64)
        starts[axis] = np.clip(wide, 0, x.shape[axis] - slice_sizes[axis]).astype(np.int64)
    at: list[Any] = []
    for axis, size in enumerate(slice_sizes):
        steps = np.arange(size).reshape((-1,) + (1,) * (x.ndim - axis - 1))
        first = starts.get(axis)
        at.append(steps if first is None else first.reshape(batch + (1,) * x.ndim) + steps)
    found = np.broadcast_to(x[tuple(at)], batch + slice_sizes)
    dropped = (*collapsed_slice_dims, *operand_batching_dims)
    window = tuple([size for axis, size in enumerate(slice_sizes) if axis not in dropped])
    order = interleave(range(len(batch), len(batch) + len(window)), range(len(batch)), offset_dims)
    return found.reshape(batch + window).transpose(order).copy()


def scatter(
    *operands: np.ndarray,
    update_window_dims: Ints,
    inserted_window_dims: Ints,
    scatter_dims_to_operand_dims: Ints,
    index_vector_dim: int,
    input_batching_dims: Ints = (),
    scatter_indices_batching_dims: Ints = (),
    computation: str = "",
    regions: Sequence[Elementwise] = (),
    **_: bool,
) -> Any:
    """Window by window, element by element; a window that does not fit is dropped whole."""
    count = len(operands) // 2
    xs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    combine = elementwise_numpy(computation, regions)
    results = [x.copy() for x in xs]
    shape, ndim = xs[0].shape, xs[0].ndim
    dropped = (*inserted_window_dims, *input_batching_dims)
    kept = [axis for axis in range(ndim) if axis not in dropped]
    dims = input_batching_dims, scatter_indices_batching_dims
    starts = _starts(indices, index_vector_dim, scatter_dims_to_operand_dims, *dims)
    for position in np.ndindex(batch_shape(indices.shape, index_vector_dim)):
        start = [int(starts[axis][position]) if axis in starts else 0 for axis in range(ndim)]
        pieces = [u[_placed(position, update_window_dims, u.ndim)] for u in updates]
        sizes = [1] * ndim
        for axis, size in zip(kept, pieces[0].shape, strict=True):
            sizes[axis] = size
        if any(s < 0 or s + size > n for s, size, n in zip(start, sizes, shape, strict=True)):
            continue
        for offset in np.ndindex(*pieces[0].shape):
            at = list(start)
            for axis, step in zip(kept, offset, strict=True):
                at[axis] += step
            old = [result[tuple(at)] for result in results]
            new = [piece[offset] for piece in pieces]
            for result, value in zip(results, combine(*old, *new), strict=True):
                result[tuple(at)] = value
    return tuple(results) if count > 1 else results[0]
