"""Ops that read and write at positions known at run time: dynamic slices, gather, scatter.

Out of range, XLA's semantics: starts of slices are clamped so that the slice fits, updates that do
not fit are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir import build
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import I64, ArrayType, array_type
from pyxla.ops import batching, index_meaning
from pyxla.ops.check import (
    INTS,
    UNSIGNED,
    check_axes,
    check_length,
    check_scalar_index,
    listed,
    refuse,
    require,
)
from pyxla.ops.computation import (
    SCATTER_COMPUTATIONS,
    check_computation,
    computing,
    elementwise_blocks,
)
from pyxla.ops.contribution import Contribution, Into
from pyxla.ops.control import while_
from pyxla.ops.elementwise import (
    add,
    and_,
    clamp,
    compare,
    convert,
    divide,
    multiply,
    select,
)
from pyxla.ops.filled import broadcast_in_dim, constant, filled, zeros
from pyxla.ops.index_meaning import batch_shape, interleave
from pyxla.ops.reduce import named, reduce
from pyxla.ops.shape import concatenate, iota, reshape, reverse
from pyxla.ops.spell import bracketed, flag, i64s, plain, spelled

Ints = tuple[int, ...]
# So many pairs of updates are looked through however small the array is.
PAIRS = 1 << 10


def _check_starts(op: str, x: ArrayType, starts: tuple[ArrayType, ...]) -> None:
    if len(starts) != x.ndim:
        refuse(op, f"{x} needs {x.ndim} start indices, got {len(starts)}")
    for start in starts:
        check_scalar_index(op, start)
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


def _numbers(kind: str, given: dict[str, Any]) -> str:
    """The dimension numbers of a gather or scatter."""
    parts = [f"{name} = {n if isinstance(n, int) else bracketed(n)}" for name, n in given.items()]
    return f"#stablehlo.{kind}<{', '.join(parts)}>"


def _gather_attributes(
    *, slice_sizes: Ints, indices_are_sorted: bool = False, **numbers: Any
) -> dict[str, str]:
    return {
        "dimension_numbers": _numbers("gather", numbers),
        "slice_sizes": i64s(slice_sizes),
        "indices_are_sorted": flag(indices_are_sorted),
    }


def _scatter_attributes(
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    computation: str = "",
    **numbers: Any,
) -> dict[str, str]:
    return {
        "scatter_dimension_numbers": _numbers("scatter", numbers),
        "indices_are_sorted": flag(indices_are_sorted),
        "unique_indices": flag(unique_indices),
    }


# --- Derivatives ---------------------------------------------------------------------------------


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


def last_writers(instr: Instr) -> Value:
    """For each element of the updates, the number of the last one that comes to its place."""
    x, indices, updates = instr.operands
    count = updates.type.size
    numbers = iota(dtype=I64.dtype, shape=(count,), dimension=0)
    if count * count > max(x.type.size, PAIRS):
        blank = filled(array_type(I64.dtype, x.type.shape), -1)
        attrs = {**instr.attrs, "computation": "maximum"}
        left = scatter(blank, indices, reshape(numbers, shape=updates.type.shape), **attrs)
        return _read_back(instr, left)
    places = iota(dtype=I64.dtype, shape=(x.type.size,), dimension=0)
    places = _read_back(instr, reshape(places, shape=x.type.shape))
    places = select(_written(instr), places, filled(places.type, -1))
    places = reshape(places, shape=(count,))
    pairs = [
        broadcast_in_dim(v, shape=(count, count), broadcast_dimensions=(axis,))
        for v, axis in ((places, 0), (places, 1), (numbers, 1))
    ]
    same = compare(pairs[0], pairs[1], direction="EQ")
    last = select(same, pairs[2], filled(pairs[2].type, -1))
    least = constant(value=np.array(-1))
    return reshape(
        reduce(last, least, dimensions=(1,), computation="maximum"), shape=updates.type.shape
    )


def _last_writer(instr: Instr) -> Value:
    """Which elements of the updates are there in the end, where later ones replace earlier ones."""
    written = _written(instr)
    if instr.attrs.get("unique_indices", False):
        return written
    shape = instr.operands[2].type.shape
    numbers = reshape(iota(dtype=I64.dtype, shape=(math.prod(shape),), dimension=0), shape=shape)
    return and_(written, compare(last_writers(instr), numbers, direction="EQ"))


def _scatter_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    """Linear for `add` and `update`; others by way of the reverse rule."""
    computation, (x, indices, updates) = named(instr, 3), instr.operands
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
    computation, (_, indices, updates) = named(instr, 3), instr.operands
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

    `maximum` and `minimum`: shared equally among all that are the extremum, which is found again of
    the operands as they are here (see `ops.reduce`).
    """
    x, indices, updates = instr.operands
    written = _written(instr)
    if instr.attrs["computation"] == "multiply":
        unique = instr.attrs.get("unique_indices", False)
        others = _read_back(instr, x) if unique else _products_of_others(instr, written)
        whole = scatter(filled(x.type, 1), indices, updates, **instr.attrs)
        return whole, select(written, others, zeros(updates.type))
    attrs = {**instr.attrs, "computation": "add"}
    y = scatter(x, indices, updates, **instr.attrs)
    mine = convert(compare(x, y, direction="EQ"), dtype=x.type.dtype)
    hits = and_(written, compare(updates, _read_back(instr, y), direction="EQ"))
    theirs = convert(hits, dtype=x.type.dtype)
    count = scatter(mine, indices, theirs, **attrs)
    return divide(mine, count), divide(theirs, _read_back(instr, count))


def _products_of_others(instr: Instr, written: Value) -> Value:
    """For each element of the updates, the product of all else that comes to its place.

    What was there before it, times what follows: no division, so that zeros are no exception.
    """
    x, _, updates = instr.operands
    size, count = x.type.size, updates.type.size
    numbers = reshape(iota(dtype=I64.dtype, shape=(size,), dimension=0), shape=x.type.shape)
    places = reshape(_read_back(instr, numbers), shape=(count,))
    factors = select(written, updates, filled(updates.type, 1))
    factors, flat = reshape(factors, shape=(count,)), reshape(x, shape=(size,))
    before = _so_far(flat, places, factors)
    turned = [reverse(row, dimensions=(0,)) for row in (places, factors)]
    after = reverse(_so_far(filled(flat.type, 1), *turned), dimensions=(0,))
    return reshape(multiply(before, after), shape=updates.type.shape)


def _so_far(products: Value, places: Value, factors: Value) -> Value:
    """What is at the place of each factor when its turn comes."""
    types = [I64, products.type, factors.type]

    def test(i: Value, *_: Value) -> Value:
        return compare(i, constant(value=np.array(factors.type.size)), direction="LT")

    def step(i: Value, products: Value, found: Value) -> tuple[Value, ...]:
        place = reshape(dynamic_slice(places, i, slice_sizes=(1,)), shape=())
        old = dynamic_slice(products, place, slice_sizes=(1,))
        new = multiply(old, dynamic_slice(factors, i, slice_sizes=(1,)))
        found = dynamic_update_slice(found, old, i)
        products = dynamic_update_slice(products, new, place)
        return add(i, constant(value=np.array(1))), products, found

    region = build.current().region
    regions = region(types, test), region(types, step)
    return while_(constant(value=np.array(0)), products, zeros(factors.type), regions=regions)[2]


# --- Batching -------------------------------------------------------------------------------------


def _gather_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Where only the array differs, lanes are part of the windows; else of the index array."""
    attrs = instr.attrs
    whole, many = batching.is_batched(instr, operands)
    moved = {name: batching.later(attrs.get(name, ())) for name in _PLACES}
    sizes = attrs["slice_sizes"]
    if not many:
        moved["offset_dims"] = (0, *moved["offset_dims"])
        return gather(*operands, **{**attrs, **moved, "slice_sizes": (size, *sizes)})
    inner = batching.later(attrs.get("start_indices_batching_dims", ()))
    vector = {"index_vector_dim": attrs["index_vector_dim"] + 1}
    if not whole:
        own = {"offset_dims": moved["offset_dims"], "start_indices_batching_dims": inner}
        return gather(*operands, **{**attrs, **vector, **own})
    moved["operand_batching_dims"] = (0, *moved["operand_batching_dims"])
    own = {"slice_sizes": (1, *sizes), "start_indices_batching_dims": (0, *inner)}
    return gather(*operands, **{**attrs, **moved, **vector, **own})


_PLACES = ("offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims")
_TARGETS = (
    "update_window_dims",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
    "input_batching_dims",
)


def _scatter_batch(instr: Instr, operands: Sequence[Value], size: int) -> Any:
    """As `gather`: lanes are part of the windows if all write at the same places."""
    attrs, at = instr.attrs, len(operands) // 2
    full = batching.every(instr, operands, size)
    moved = {name: batching.later(attrs.get(name, ())) for name in _TARGETS}
    if not batching.is_batched(instr, operands)[at]:
        full[at] = operands[at]
        moved["update_window_dims"] = (0, *moved["update_window_dims"])
        return scatter(*full, regions=instr.regions, **{**attrs, **moved})
    moved["input_batching_dims"] = (0, *moved["input_batching_dims"])
    own = {
        "index_vector_dim": attrs["index_vector_dim"] + 1,
        "scatter_indices_batching_dims": (
            0,
            *batching.later(attrs.get("scatter_indices_batching_dims", ())),
        ),
    }
    return scatter(*full, regions=instr.regions, **{**attrs, **moved, **own})


def _positions(starts: Sequence[Value], like: Sequence[Value], size: int) -> Value:
    """A row of starts per lane."""
    rows = [
        reshape(x if x.type.ndim > own.type.ndim else batching.spread(x, size), shape=(size, 1))
        for x, own in zip(starts, like, strict=True)
    ]
    return concatenate(*rows, dimension=1)


def _first(start: Value) -> Value:
    return constant(value=np.zeros((), start.type.dtype))


def _dynamic_slice_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Where each lane starts somewhere else, a gather, which clamps starts just so."""
    (x, *starts), sizes = operands, instr.attrs["slice_sizes"]
    whole, *varies = batching.is_batched(instr, operands)
    if not any(varies):
        first = [_first(starts[0])] if starts else [_first(constant(value=np.array(0)))]
        return dynamic_slice(x, *first, *starts, slice_sizes=(size, *sizes))
    axes = tuple(range(len(sizes)))
    window = batching.later(axes)
    own: dict[str, Any] = {"operand_batching_dims": (0,), "start_indices_batching_dims": (0,)}
    return gather(
        x,
        _positions(starts, instr.operands[1:], size),
        offset_dims=window,
        collapsed_slice_dims=(),
        start_index_map=window if whole else axes,
        index_vector_dim=1,
        slice_sizes=(1, *sizes) if whole else sizes,
        indices_are_sorted=whole,
        **(own if whole else {}),
    )


def updated_where(instr: Instr, operands: Sequence[Value], size: int, mask: Value | None) -> Value:
    """A dynamic_update_slice of lanes, in those where `mask` holds, at the cost of the update."""
    flags = batching.is_batched(instr, operands)
    pairs = zip(operands[:2], flags, strict=False)
    x, update = [v if flag else batching.spread(v, size) for v, flag in pairs]
    starts, shape = operands[2:], update.type.shape
    if not any(flags[2:]):
        starts = [_first(starts[0] if starts else constant(value=np.array(0))), *starts]
        if mask is not None:
            old = dynamic_slice(x, *starts, slice_sizes=shape)
            update = select(batching.along(mask, shape[1:]), update, old)
        return dynamic_update_slice(x, update, *starts)
    window = tuple(range(1, len(shape)))
    indices = _positions(starts, instr.operands[2:], size)
    indices = _clamped(x.type, indices, 1, window, shape[1:])
    return scatter(
        x,
        indices if mask is None else nowhere(indices, mask),
        update,
        update_window_dims=window,
        inserted_window_dims=(),
        scatter_dims_to_operand_dims=window,
        index_vector_dim=1,
        input_batching_dims=(0,),
        scatter_indices_batching_dims=(0,),
        indices_are_sorted=True,
        unique_indices=True,
        computation="update",
    )


def nowhere(indices: Value, mask: Value) -> Value:
    """Indices of lanes, out of range where `mask` does not hold: nothing is written there."""
    dtype = indices.type.dtype
    outside = filled(indices.type, np.iinfo(dtype).max if dtype in UNSIGNED else -1)
    return select(batching.along(mask, indices.type.shape[1:]), indices, outside)


dynamic_slice: Op = Op(
    "dynamic_slice",
    _dynamic_slice,
    numpy=index_meaning.dynamic_slice,
    emit=spelled("dynamic_slice", lambda slice_sizes: {"slice_sizes": i64s(slice_sizes)}),
    jvp=lambda instr, tangents: dynamic_slice(tangents[0], *instr.operands[1:], **instr.attrs),
    vjp=_dynamic_slice_vjp,
    batch=_dynamic_slice_batch,
)
dynamic_update_slice: Op = Op(
    "dynamic_update_slice",
    _dynamic_update_slice,
    numpy=index_meaning.dynamic_update_slice,
    emit=plain("dynamic_update_slice"),
    jvp=_dynamic_update_slice_jvp,
    vjp=_dynamic_update_slice_vjp,
    batch=lambda instr, operands, size: updated_where(instr, operands, size, None),
)
gather: Op = Op(
    "gather",
    _gather,
    numpy=index_meaning.gather,
    emit=spelled("gather", _gather_attributes),
    jvp=lambda instr, tangents: gather(tangents[0], instr.operands[1], **instr.attrs),
    vjp=_gather_vjp,
    batch=_gather_batch,
)
scatter = Op(
    "scatter",
    _scatter,
    numpy=index_meaning.scatter,
    emit=computing("scatter", _scatter_attributes),
    blocks=elementwise_blocks,
    jvp=_scatter_jvp,
    vjp=_scatter_vjp,
    batch=_scatter_batch,
)


def gather_along(x: Value, index: Value, axis: int = 0) -> Value:
    """x[..., index, ...]: the dimensions of `index` take the place of `axis`."""
    shape = x.type.shape
    rest = len(shape) - 1
    places = [*range(axis), *range(axis + index.type.ndim, rest + index.type.ndim)]
    return gather(
        x,
        index,
        offset_dims=tuple(places),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        index_vector_dim=index.type.ndim,
        slice_sizes=tuple([1 if i == axis else n for i, n in enumerate(shape)]),
    )


def scatter_along(x: Value, index: Value, updates: Value, **how: Any) -> Value:
    """The vector `x` with `updates` at these positions, but for those that are out of range."""
    return scatter(
        x,
        index,
        updates,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        index_vector_dim=index.type.ndim,
        **how,
    )
