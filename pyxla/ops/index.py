"""Ops that read and write at positions known at run time: dynamic slices, gather, scatter.

Out of range, XLA's semantics: starts of slices are clamped so that the slice fits, updates that do
not fit are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import I64, ArrayType, array_type
from pyxla.ops.check import (
    INTS,
    check_axes,
    check_length,
    check_scalar_index,
    listed,
    refuse,
    require,
)
from pyxla.ops.computation import (
    SCATTER_COMPUTATIONS,
    Elementwise,
    check_computation,
    computing,
    elementwise_blocks,
    elementwise_numpy,
)
from pyxla.ops.contribution import Contribution, Into
from pyxla.ops.elementwise import (
    add,
    and_,
    clamp,
    compare,
    convert,
    divide,
    multiply,
    select,
    subtract,
)
from pyxla.ops.filled import broadcast_in_dim, constant, filled, zeros
from pyxla.ops.reduce import reduce
from pyxla.ops.samples import Sample, arange
from pyxla.ops.shape import iota, reshape
from pyxla.ops.spell import bracketed, flag, i64s, plain, spelled

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


def _clamped_window(shape: Ints, starts: Sequence[Any], sizes: Ints) -> tuple[Any, ...]:
    """The window of `sizes` at `starts`, moved so that it lies inside `shape`."""
    moved = [
        min(max(int(start), 0), extent - size)
        for start, extent, size in zip(starts, shape, sizes, strict=True)
    ]
    return tuple([slice(start, start + size) for start, size in zip(moved, sizes, strict=True)])


def _dynamic_slice_numpy(x: np.ndarray, *starts: np.ndarray, slice_sizes: Ints) -> np.ndarray:
    return x[_clamped_window(x.shape, starts, slice_sizes)]


def _dynamic_update_slice_numpy(
    x: np.ndarray, update: np.ndarray, *starts: np.ndarray
) -> np.ndarray:
    result = x.copy()
    result[_clamped_window(x.shape, starts, update.shape)] = update
    return result


def _start(
    position: Ints,
    indices: np.ndarray,
    index_vector_dim: int,
    index_map: Ints,
    operand_batching_dims: Ints,
    indices_batching_dims: Ints,
    ndim: int,
) -> list[int]:
    """Where in the operand the window of batch `position` starts."""
    at: list[Any] = list(position)
    at.insert(index_vector_dim, slice(None))
    vector = [indices[position]] if index_vector_dim == indices.ndim else indices[tuple(at)]
    start = [0] * ndim
    for axis, component in zip(index_map, vector, strict=True):
        start[axis] = int(component)
    for axis, batch in zip(operand_batching_dims, indices_batching_dims, strict=True):
        start[axis] = position[batch - (batch > index_vector_dim)]
    return start


def _placed(position: Ints, window_dims: Ints, ndim: int) -> tuple[Any, ...]:
    """The index that has `position` in the batch dimensions and everything in `window_dims`."""
    batch = iter(position)
    return tuple([slice(None) if axis in window_dims else next(batch) for axis in range(ndim)])


def _gather_numpy(
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
    indices_are_sorted: bool = False,
) -> np.ndarray:
    """Window by window."""
    dropped = (*collapsed_slice_dims, *operand_batching_dims)
    window = [size for axis, size in enumerate(slice_sizes) if axis not in dropped]
    batch = batch_shape(indices.shape, index_vector_dim)
    result = np.empty(interleave(window, batch, offset_dims), x.dtype)
    for position in np.ndindex(batch):
        start = _start(
            position,
            indices,
            index_vector_dim,
            start_index_map,
            operand_batching_dims,
            start_indices_batching_dims,
            x.ndim,
        )
        piece = x[_clamped_window(x.shape, start, slice_sizes)]
        result[_placed(position, offset_dims, result.ndim)] = piece.reshape(window)
    return result


def _gather_attributes(
    *,
    offset_dims: Ints,
    collapsed_slice_dims: Ints,
    start_index_map: Ints,
    index_vector_dim: int,
    slice_sizes: Ints,
    operand_batching_dims: Ints = (),
    start_indices_batching_dims: Ints = (),
    indices_are_sorted: bool = False,
) -> dict[str, str]:
    numbers = (
        f"offset_dims = {bracketed(offset_dims)}, "
        f"collapsed_slice_dims = {bracketed(collapsed_slice_dims)}, "
        f"operand_batching_dims = {bracketed(operand_batching_dims)}, "
        f"start_indices_batching_dims = {bracketed(start_indices_batching_dims)}, "
        f"start_index_map = {bracketed(start_index_map)}, "
        f"index_vector_dim = {index_vector_dim}"
    )
    return {
        "dimension_numbers": f"#stablehlo.gather<{numbers}>",
        "slice_sizes": i64s(slice_sizes),
        "indices_are_sorted": flag(indices_are_sorted),
    }


def _scatter_numpy(
    *operands: np.ndarray,
    update_window_dims: Ints,
    inserted_window_dims: Ints,
    scatter_dims_to_operand_dims: Ints,
    index_vector_dim: int,
    input_batching_dims: Ints = (),
    scatter_indices_batching_dims: Ints = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    computation: str = "",
    regions: Sequence[Elementwise] = (),
) -> Any:
    """Window by window, element by element; a window that does not fit is dropped whole."""
    count = len(operands) // 2
    xs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    combine = elementwise_numpy(computation, regions)
    results = [x.copy() for x in xs]
    shape, ndim = xs[0].shape, xs[0].ndim
    dropped = (*inserted_window_dims, *input_batching_dims)
    kept = [axis for axis in range(ndim) if axis not in dropped]
    for position in np.ndindex(batch_shape(indices.shape, index_vector_dim)):
        start = _start(
            position,
            indices,
            index_vector_dim,
            scatter_dims_to_operand_dims,
            input_batching_dims,
            scatter_indices_batching_dims,
            ndim,
        )
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


def _scatter_attributes(
    *,
    update_window_dims: Ints,
    inserted_window_dims: Ints,
    scatter_dims_to_operand_dims: Ints,
    index_vector_dim: int,
    input_batching_dims: Ints = (),
    scatter_indices_batching_dims: Ints = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    computation: str = "",
) -> dict[str, str]:
    numbers = (
        f"update_window_dims = {bracketed(update_window_dims)}, "
        f"inserted_window_dims = {bracketed(inserted_window_dims)}, "
        f"input_batching_dims = {bracketed(input_batching_dims)}, "
        f"scatter_indices_batching_dims = {bracketed(scatter_indices_batching_dims)}, "
        f"scatter_dims_to_operand_dims = {bracketed(scatter_dims_to_operand_dims)}, "
        f"index_vector_dim = {index_vector_dim}"
    )
    return {
        "scatter_dimension_numbers": f"#stablehlo.scatter<{numbers}>",
        "indices_are_sorted": flag(indices_are_sorted),
        "unique_indices": flag(unique_indices),
    }


def _gather_samples() -> list[Sample]:
    x, rows = arange("f8", 4, 3), np.array([[2], [0], [9], [-5]])
    pick = {
        "offset_dims": (1,),
        "collapsed_slice_dims": (0,),
        "start_index_map": (0,),
        "index_vector_dim": 1,
        "slice_sizes": (1, 3),
    }
    blocks = {
        "offset_dims": (0, 2),
        "collapsed_slice_dims": (),
        "start_index_map": (1, 0),
        "index_vector_dim": 0,
        "slice_sizes": (2, 2),
    }
    batched = {
        "offset_dims": (),
        "collapsed_slice_dims": (1,),
        "start_index_map": (1,),
        "index_vector_dim": 2,
        "slice_sizes": (1, 1),
        "operand_batching_dims": (0,),
        "start_indices_batching_dims": (0,),
    }
    return [
        ((x, rows), pick),
        ((x, rows[:0].astype("i4")), pick),
        ((x > 4, rows.astype("i4")), pick),
        ((x, np.array([[0, 1, 2], [1, 3, 0]])), blocks),
        ((x, np.array([[0, 2], [1, 1], [2, 2], [0, 7]], "u4")), batched),
    ]


def _scatter_samples() -> list[Sample]:
    x, rows = arange("f8", 4, 3), np.array([[2], [0], [9], [-5], [2]])
    put = {
        "update_window_dims": (1,),
        "inserted_window_dims": (0,),
        "scatter_dims_to_operand_dims": (0,),
        "index_vector_dim": 1,
    }
    block = {
        "update_window_dims": (0, 1),
        "inserted_window_dims": (),
        "scatter_dims_to_operand_dims": (0, 1),
        "index_vector_dim": 0,
    }
    batched = {
        "update_window_dims": (),
        "inserted_window_dims": (1,),
        "scatter_dims_to_operand_dims": (1,),
        "index_vector_dim": 1,
        "input_batching_dims": (0,),
        "scatter_indices_batching_dims": (0,),
    }
    updates = arange("f8", 5, 3) - 7
    samples: list[Sample] = [
        ((x, rows, updates), {**put, "computation": name})
        for name in ("add", "multiply", "maximum", "minimum")
    ]
    ints = arange("i4", 4, 3), rows, arange("i4", 5, 3)
    samples += [(ints, {**put, "computation": name}) for name in ("and", "or", "xor", "update")]
    samples += [
        ((x, rows[:0], updates[:0]), {**put, "computation": "add"}),
        ((x, np.array([2, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        ((x, np.array([3, 1]), updates[:2, :2]), {**block, "computation": "update"}),
        (
            (x, np.array([[0], [2], [1], [5]]), updates[:4, 0]),
            {**batched, "computation": "add", "unique_indices": True},
        ),
        ((x, rows, updates), {**put, "computation": lambda a, b: subtract(b, a)}),
    ]
    return samples


def _dynamic_slice_samples() -> list[Sample]:
    x = arange("f4", 4, 3)
    starts = [(np.int64(a), np.int64(b)) for a, b in ((1, 0), (3, 2), (-4, 9))]
    return [((x, *map(np.asarray, at)), {"slice_sizes": (2, 2)}) for at in starts] + [
        ((x, np.array(1, "i4"), np.array(1, "i4")), {"slice_sizes": (0, 3)}),
        ((np.array(2.5),), {"slice_sizes": ()}),
    ]


def _dynamic_update_slice_samples() -> list[Sample]:
    x, update = arange("f4", 4, 3), -1 - arange("f4", 2, 2)
    starts = [(np.array(a), np.array(b)) for a, b in ((1, 0), (3, 2), (-4, 9))]
    return [((x, update, *at), {}) for at in starts] + [
        ((x, update[:0], *starts[0]), {}),
        ((np.array(2.5), np.array(3.5)), {}),
    ]


# --- Derivatives ---------------------------------------------------------------------------------


def _dynamic_slice_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    return dynamic_slice(tangents[0], *instr.operands[1:], **instr.attrs)


def _dynamic_slice_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Added in place: costs as much as the slice, however large the array."""
    x, *starts = instr.operands
    rest = (None,) * len(starts)
    if x.type.shape == ct.type.shape:
        return ct, *rest

    def into(total: Value) -> Value:
        part = add(dynamic_slice(total, *starts, **instr.attrs), ct)
        return dynamic_update_slice(total, part, *starts)

    return Into(into), *rest


def _dynamic_update_slice_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    x, update, *starts = instr.operands
    tx, tu = [
        zeros(v.type) if t is None else t for v, t in zip((x, update), tangents, strict=False)
    ]
    return dynamic_update_slice(tx, tu, *starts)


def _dynamic_update_slice_vjp(
    instr: Instr, ct: Value, wanted: Sequence[bool]
) -> tuple[Contribution, ...]:
    """The update takes its part of the cotangent, which is zero in the array's."""
    _, update, *starts = instr.operands
    rest = dynamic_update_slice(ct, zeros(update.type), *starts) if wanted[0] else None
    part = dynamic_slice(ct, *starts, slice_sizes=update.type.shape) if wanted[1] else None
    return rest, part, *(None,) * len(starts)


def _gather_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    return gather(tangents[0], instr.operands[1], **instr.attrs)


def _gather_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Windows are added where they were taken from: indices are clamped, as gather does."""
    x, indices = instr.operands
    attrs = instr.attrs
    vector, axes = attrs["index_vector_dim"], attrs["start_index_map"]
    sizes = [attrs["slice_sizes"][axis] for axis in axes]
    clamped = _clamped(x.type, indices, vector, axes, sizes)

    def into(total: Value) -> Value:
        return scatter(
            total,
            clamped,
            ct,
            update_window_dims=attrs["offset_dims"],
            inserted_window_dims=attrs["collapsed_slice_dims"],
            scatter_dims_to_operand_dims=axes,
            index_vector_dim=vector,
            input_batching_dims=attrs.get("operand_batching_dims", ()),
            scatter_indices_batching_dims=attrs.get("start_indices_batching_dims", ()),
            indices_are_sorted=attrs.get("indices_are_sorted", False),
            computation="add",
        )

    return Into(into), None


def _room(x: ArrayType, indices: Value, vector: int, axes: Ints, sizes: Sequence[int]) -> Value:
    """The last start of a window that fits, in the shape of `indices`."""
    limit = np.iinfo(indices.type.dtype).max
    last = [min(x.shape[axis] - size, limit) for axis, size in zip(axes, sizes, strict=True)]
    shape = indices.type.shape
    if vector == len(shape):
        return filled(indices.type, last[0])
    row = constant(value=np.array(last, indices.type.dtype))
    return broadcast_in_dim(row, shape=shape, broadcast_dimensions=(vector,))


def _clamped(x: ArrayType, indices: Value, vector: int, axes: Ints, sizes: Sequence[int]) -> Value:
    return clamp(zeros(indices.type), indices, _room(x, indices, vector, axes, sizes))


def _scatter_as_gather(instr: Instr) -> dict[str, Any]:
    """The attributes of the gather that reads the windows a scatter writes."""
    attrs, (x, _, updates) = instr.attrs, instr.operands
    dropped = (*attrs["inserted_window_dims"], *attrs.get("input_batching_dims", ()))
    window = iter([updates.type.shape[axis] for axis in attrs["update_window_dims"]])
    return {
        "offset_dims": attrs["update_window_dims"],
        "collapsed_slice_dims": attrs["inserted_window_dims"],
        "start_index_map": attrs["scatter_dims_to_operand_dims"],
        "index_vector_dim": attrs["index_vector_dim"],
        "operand_batching_dims": attrs.get("input_batching_dims", ()),
        "start_indices_batching_dims": attrs.get("scatter_indices_batching_dims", ()),
        "slice_sizes": tuple([1 if a in dropped else next(window) for a in range(x.type.ndim)]),
    }


def _written(instr: Instr) -> Value:
    """Which elements of the updates are written: those of windows that fit."""
    x, indices, updates = instr.operands
    attrs = _scatter_as_gather(instr)
    vector, axes = attrs["index_vector_dim"], attrs["start_index_map"]
    sizes = [attrs["slice_sizes"][axis] for axis in axes]
    last = _room(x.type, indices, vector, axes, sizes)
    fits = and_(
        compare(indices, zeros(indices.type), direction="GE"),
        compare(indices, last, direction="LE"),
    )
    if vector < indices.type.ndim:
        true = constant(value=np.array(True))
        fits = reduce(fits, true, dimensions=(vector,), computation="and")
    kept = [axis for axis in range(updates.type.ndim) if axis not in attrs["offset_dims"]]
    return broadcast_in_dim(fits, shape=updates.type.shape, broadcast_dimensions=tuple(kept))


def _read_back(instr: Instr, x: Value) -> Value:
    """The elements of `x` at the places that a scatter writes; where nothing is written, any."""
    return gather(x, instr.operands[1], **_scatter_as_gather(instr))


def _last_writer(instr: Instr) -> Value:
    """Which elements of the updates are there in the end, where later ones replace earlier ones."""
    written = _written(instr)
    if instr.attrs.get("unique_indices", False):
        return written
    x, indices, updates = instr.operands
    count = updates.type.size
    numbers = reshape(iota(dtype=I64.dtype, shape=(count,), dimension=0), shape=updates.type.shape)
    blank = filled(array_type(I64.dtype, x.type.shape), -1)
    left = scatter(blank, indices, numbers, **instr.attrs)
    return and_(written, compare(_read_back(instr, left), numbers, direction="EQ"))


def _named(instr: Instr) -> str:
    if len(instr.operands) != 3 or instr.regions:
        raise OpError("scatter has a derivative rule for one array and a computation with a name")
    return instr.attrs["computation"]


def _scatter_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    """Linear for `add` and `update`; others by way of the reverse rule."""
    computation, (x, indices, updates) = _named(instr), instr.operands
    tx = zeros(x.type) if tangents[0] is None else tangents[0]
    tu = zeros(updates.type) if tangents[2] is None else tangents[2]
    if computation == "add":
        return scatter(tx, indices, tu, **instr.attrs)
    if computation == "update":
        cleared = scatter(tx, indices, zeros(updates.type), **instr.attrs)
        kept = select(_last_writer(instr), tu, zeros(updates.type))
        return scatter(cleared, indices, kept, **{**instr.attrs, "computation": "add"})
    tr, tw = _scatter_shares(instr)
    first = multiply(tx, tr)
    return scatter(first, indices, multiply(tu, tw), **{**instr.attrs, "computation": "add"})


def _scatter_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    computation, (_, indices, updates) = _named(instr), instr.operands
    none = zeros(updates.type)
    if computation == "add":
        part = select(_written(instr), _read_back(instr, ct), none) if wanted[2] else None
        return ct, None, part
    if computation == "update":
        rest = scatter(ct, indices, none, **instr.attrs) if wanted[0] else None
        kept = _read_back(instr, ct) if wanted[2] else None
        return rest, None, select(_last_writer(instr), kept, none) if wanted[2] else None
    whole, shares = _scatter_shares(instr)
    part = multiply(_read_back(instr, ct), shares) if wanted[2] else None
    return multiply(ct, whole) if wanted[0] else None, None, part


def _scatter_shares(instr: Instr) -> tuple[Value, Value]:
    """The partial derivatives of the result's elements: by the array's, and by the updates'.

    `maximum` and `minimum`: shared equally among all that are the extremum.
    """
    (x, indices, updates), (y,) = instr.operands, instr.results
    written = _written(instr)
    if instr.attrs["computation"] == "multiply":
        if not instr.attrs.get("unique_indices", False):
            raise OpError("scatter multiply has a derivative rule for unique indices only")
        ones = filled(x.type, 1)
        others = scatter(ones, indices, updates, **instr.attrs)
        return others, select(written, _read_back(instr, x), zeros(updates.type))
    attrs = {**instr.attrs, "computation": "add"}
    mine = convert(compare(x, y, direction="EQ"), dtype=x.type.dtype)
    hits = and_(written, compare(updates, _read_back(instr, y), direction="EQ"))
    theirs = convert(hits, dtype=x.type.dtype)
    count = scatter(mine, indices, theirs, **attrs)
    return divide(mine, count), divide(theirs, _read_back(instr, count))


dynamic_slice = Op(
    "dynamic_slice",
    _dynamic_slice,
    numpy=_dynamic_slice_numpy,
    emit=spelled("dynamic_slice", lambda slice_sizes: {"slice_sizes": i64s(slice_sizes)}),
    jvp=_dynamic_slice_jvp,
    vjp=_dynamic_slice_vjp,
    samples=_dynamic_slice_samples,
)
dynamic_update_slice = Op(
    "dynamic_update_slice",
    _dynamic_update_slice,
    numpy=_dynamic_update_slice_numpy,
    emit=plain("dynamic_update_slice"),
    jvp=_dynamic_update_slice_jvp,
    vjp=_dynamic_update_slice_vjp,
    samples=_dynamic_update_slice_samples,
)
gather = Op(
    "gather",
    _gather,
    numpy=_gather_numpy,
    emit=spelled("gather", _gather_attributes),
    jvp=_gather_jvp,
    vjp=_gather_vjp,
    samples=_gather_samples,
)
scatter = Op(
    "scatter",
    _scatter,
    numpy=_scatter_numpy,
    emit=computing("scatter", _scatter_attributes),
    blocks=elementwise_blocks,
    jvp=_scatter_jvp,
    vjp=_scatter_vjp,
    samples=_scatter_samples,
)
