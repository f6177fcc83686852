"""Ops that make, move and cut arrays without looking at their elements."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import (
    NUMERIC,
    as_dtype,
    check_axes,
    check_axis,
    check_dtype,
    check_length,
    like,
    listed,
    refuse,
    require,
)
from pyxla.ops.contribution import Contribution, Sum
from pyxla.ops.elementwise import compare, select
from pyxla.ops.filled import broadcast_in_dim, constant, zeros
from pyxla.ops.spell import i64, i64s, spelled

__all__ = ["broadcast_in_dim", "constant"]

Ints = tuple[int, ...]


def _iota(dtype: np.dtype, shape: Ints, dimension: int) -> ArrayType:
    check_axis("iota", "dimension", dimension, len(shape))
    result = array_type(as_dtype("iota", dtype), shape)
    check_dtype("iota", result, NUMERIC)
    return result


def _iota_numpy(dtype: np.dtype, shape: Ints, dimension: int) -> np.ndarray:
    column = [1] * len(shape)
    column[dimension] = shape[dimension]
    counts = np.arange(shape[dimension]).astype(dtype).reshape(column)
    return np.broadcast_to(counts, shape)


def _broadcast(x: ArrayType, broadcast_sizes: Ints) -> ArrayType:
    return like(x, None, (*broadcast_sizes, *x.shape))


def _reshape(x: ArrayType, shape: Ints) -> ArrayType:
    if x.size != math.prod(shape):
        refuse("reshape", f"{x} has {x.size} elements, shape {list(shape)} {math.prod(shape)}")
    return like(x, None, shape)


def _transpose(x: ArrayType, permutation: Ints) -> ArrayType:
    shape = x.shape
    if sorted(permutation) != list(range(len(shape))):
        refuse("transpose", f"{permutation} is not a permutation of the dimensions of {x}")
    return like(x, None, tuple([shape[axis] for axis in permutation]))


def _slice(
    x: ArrayType, start_indices: Ints, limit_indices: Ints, strides: Ints | None = None
) -> ArrayType:
    strides = (1,) * x.ndim if strides is None else strides
    for what, bounds in (
        ("start_indices", start_indices),
        ("limit_indices", limit_indices),
        ("strides", strides),
    ):
        check_length("slice", what, bounds, x.ndim)
    shape = []
    for extent, start, limit, stride in zip(
        x.shape, start_indices, limit_indices, strides, strict=True
    ):
        if not (0 <= start <= limit <= extent and stride > 0):
            refuse("slice", f"[{start}:{limit}:{stride}] out of range for extent {extent} of {x}")
        shape.append((limit - start + stride - 1) // stride)
    return like(x, None, tuple(shape))


def _slice_numpy(
    x: np.ndarray, start_indices: Ints, limit_indices: Ints, strides: Ints | None = None
) -> np.ndarray:
    strides = strides or (1,) * x.ndim
    return x[tuple(map(builtins.slice, start_indices, limit_indices, strides))]


def _pad(
    x: ArrayType,
    value: ArrayType,
    edge_padding_low: Ints,
    edge_padding_high: Ints,
    interior_padding: Ints,
) -> ArrayType:
    if value.shape or value.dtype != x.dtype:
        refuse("pad", f"the padding value must be a scalar of {x}'s element type, got {value}")
    shape = []
    for what, widths in (
        ("edge_padding_low", edge_padding_low),
        ("edge_padding_high", edge_padding_high),
        ("interior_padding", interior_padding),
    ):
        check_length("pad", what, widths, x.ndim)
    for extent, low, high, interior in zip(
        x.shape, edge_padding_low, edge_padding_high, interior_padding, strict=True
    ):
        padded = extent + low + high + max(extent - 1, 0) * interior
        if interior < 0 or padded < 0:
            refuse("pad", f"padding ({low}, {high}, {interior}) does not fit extent {extent}")
        shape.append(padded)
    return like(x, None, tuple(shape))


def _pad_numpy(
    x: np.ndarray,
    value: np.ndarray,
    edge_padding_low: Ints,
    edge_padding_high: Ints,
    interior_padding: Ints,
) -> np.ndarray:
    """Spread the elements, then pad or, where the edge is negative, cut."""
    rows = list(zip(x.shape, edge_padding_low, edge_padding_high, interior_padding, strict=True))
    spread = np.full([max(n - 1, 0) * gap + n for n, _, _, gap in rows], value, x.dtype)
    spread[tuple([builtins.slice(None, None, gap + 1) for _, _, _, gap in rows])] = x
    widths = [(max(low, 0), max(high, 0)) for _, low, high, _ in rows]
    padded = np.pad(spread, widths, constant_values=value) if rows else spread
    cut = [
        builtins.slice(max(-lo, 0), n - max(-hi, 0))
        for (_, lo, hi, _), n in zip(rows, padded.shape, strict=True)
    ]
    return padded[tuple(cut)]


def _reverse(x: ArrayType, dimensions: Ints) -> ArrayType:
    check_axes("reverse", "dimensions", dimensions, x.ndim)
    return x


def _concatenate(*xs: ArrayType, dimension: int) -> ArrayType:
    require(bool(xs), "concatenate", "at least one operand is needed")
    first = xs[0]
    check_axis("concatenate", "dimension", dimension, first.ndim)
    total = 0
    head, tail = first.shape[:dimension], first.shape[dimension + 1 :]
    for x in xs:
        shape = x.shape
        fits = x.dtype == first.dtype and len(shape) == len(first.shape)
        if not fits or shape[:dimension] != head or shape[dimension + 1 :] != tail:
            refuse("concatenate", f"operands must agree but in dimension {dimension}: {listed(xs)}")
        total += shape[dimension]
    return array_type(first.dtype, (*head, total, *tail))


# --- Derivatives: all of these are linear --------------------------------------------------------


def _again(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    """The op itself, on the tangent of its one array."""
    return instr.op(tangents[0], **instr.attrs)


def _transpose_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    inverse = tuple(map(int, np.argsort(instr.attrs["permutation"])))
    return (transpose(ct, permutation=inverse),)


def _slice_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Put it back where it was cut from, zeros around and between."""
    x, attrs = instr.operands[0].type, instr.attrs
    starts = attrs["start_indices"]
    strides = attrs.get("strides") or (1,) * x.ndim
    rows = list(zip(x.shape, starts, strides, ct.type.shape, strict=True))
    reach = [start + (n - 1) * stride + 1 if n else start for _, start, stride, n in rows]
    return (
        pad(
            ct,
            constant(value=np.zeros((), x.dtype)),
            edge_padding_low=tuple(starts),
            edge_padding_high=tuple([row[0] - end for row, end in zip(rows, reach, strict=True)]),
            interior_padding=tuple([stride - 1 for _, _, stride, _ in rows]),
        ),
    )


def _pad_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    x, value = instr.operands
    tx = zeros(x.type) if tangents[0] is None else tangents[0]
    tv = zeros(value.type) if tangents[1] is None else tangents[1]
    return pad(tx, tv, **instr.attrs)


def _pad_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """The array's part is cut out, the value's is the rest."""
    x, _ = instr.operands
    cut = _unpad(ct, x.type, **instr.attrs) if wanted[0] or wanted[1] else None
    if not wanted[1]:
        return cut, None
    hole = pad(zeros(x.type), constant(value=np.ones((), ct.type.dtype)), **instr.attrs)
    is_padding = compare(hole, zeros(hole.type), direction="NE")
    padded = select(is_padding, ct, zeros(ct.type))
    return cut if wanted[0] else None, Sum(padded, tuple(range(ct.type.ndim)))


def _unpad(
    ct: Value,
    x: ArrayType,
    edge_padding_low: Ints,
    edge_padding_high: Ints,
    interior_padding: Ints,
) -> Value:
    zero = constant(value=np.zeros((), ct.type.dtype))
    low, high = [tuple([-n for n in edge]) for edge in (edge_padding_low, edge_padding_high)]
    none = (0,) * x.ndim
    whole = pad(ct, zero, edge_padding_low=low, edge_padding_high=high, interior_padding=none)
    return slice(
        whole,
        start_indices=none,
        limit_indices=whole.type.shape,
        strides=tuple([gap + 1 for gap in interior_padding]),
    )


def _concatenate_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    parts = [
        zeros(x.type) if t is None else t for x, t in zip(instr.operands, tangents, strict=True)
    ]
    return concatenate(*parts, **instr.attrs)


def _concatenate_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Each operand's part."""
    axis, at, parts = instr.attrs["dimension"], 0, []
    for x, want in zip(instr.operands, wanted, strict=True):
        starts, limits = [0] * ct.type.ndim, list(ct.type.shape)
        starts[axis], limits[axis] = at, at + x.type.shape[axis]
        at = limits[axis]
        cut = slice(ct, start_indices=tuple(starts), limit_indices=tuple(limits)) if want else None
        parts.append(cut)
    return tuple(parts)


# --- Batching -------------------------------------------------------------------------------------


def fold(x: Value, axis: int) -> Value:
    """The lanes of x[lane, ...] as part of dimension `axis` of a lane, where they vary slowest."""
    order = (*range(1, axis + 1), 0, *range(axis + 1, x.type.ndim))
    return merged(transpose(x, permutation=order), axis)


def unfold(x: Value, axis: int, size: int) -> Value:
    """The inverse of `fold`: `size` lanes out of dimension `axis`."""
    order = (axis, *[other for other in range(x.type.ndim + 1) if other != axis])
    return transpose(split(x, axis, size), permutation=order)


def merged(x: Value, axis: int) -> Value:
    """With one dimension for `axis` and the next."""
    shape = x.type.shape
    return reshape(x, shape=(*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))


def split(x: Value, axis: int, count: int) -> Value:
    """With `count` parts of dimension `axis` in a dimension of their own before it."""
    shape = x.type.shape
    return reshape(x, shape=(*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))


def _broadcast_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    ((x,), sizes) = operands, instr.attrs["broadcast_sizes"]
    axes = (0, *range(len(sizes) + 1, len(sizes) + x.type.ndim))
    shape = (size, *instr.results[0].type.shape)
    return broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes)


def _slice_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    attrs = instr.attrs
    return slice(
        operands[0],
        start_indices=(0, *attrs["start_indices"]),
        limit_indices=(size, *attrs["limit_indices"]),
        strides=(1, *attrs["strides"]) if attrs.get("strides") else None,
    )


def _pad_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Where each lane has a value of its own, that is selected where the padding is."""
    x, value = operands
    whole, varies = batching.is_batched(instr, operands)
    attrs = {name: (0, *widths) for name, widths in instr.attrs.items()}
    if not varies:
        return pad(x, value, **attrs)
    if not whole:
        x = batching.spread(x, size)
    zero, true = constant(value=np.zeros((), x.type.dtype)), constant(value=np.array(True))
    inside = zeros(array_type(np.dtype(bool), x.type.shape))
    is_padding = pad(inside, true, **attrs)
    full = batching.along(value, instr.results[0].type.shape)
    return select(is_padding, full, pad(x, zero, **attrs))


def _get_dimension_size_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    found = get_dimension_size(operands[0], dimension=instr.attrs["dimension"] + 1)
    return batching.spread(found, size)


def _get_dimension_size(x: ArrayType, dimension: int) -> ArrayType:
    check_axis("get_dimension_size", "dimension", dimension, x.ndim)
    return array_type(np.dtype(np.int32))


iota = Op(
    "iota",
    _iota,
    numpy=_iota_numpy,
    emit=spelled("iota", lambda dtype, shape, dimension: {"iota_dimension": i64(dimension)}),
)
broadcast = Op(
    "broadcast",
    _broadcast,
    numpy=lambda x, broadcast_sizes: np.broadcast_to(x, (*broadcast_sizes, *x.shape)),
    emit=spelled("broadcast", lambda broadcast_sizes: {"broadcast_sizes": i64s(broadcast_sizes)}),
    jvp=_again,
    vjp=lambda instr, ct, wanted: (Sum(ct, tuple(range(len(instr.attrs["broadcast_sizes"])))),),
    batch=_broadcast_batch,
)
reshape: Op = Op(
    "reshape",
    _reshape,
    numpy=np.reshape,
    emit=spelled("reshape", lambda shape: {}),
    jvp=_again,
    vjp=lambda instr, ct, wanted: (reshape(ct, shape=instr.operands[0].type.shape),),
    batch=lambda instr, operands, size: reshape(operands[0], shape=(size, *instr.attrs["shape"])),
)
transpose: Op = Op(
    "transpose",
    _transpose,
    numpy=lambda x, permutation: np.transpose(x, permutation),
    emit=spelled("transpose", lambda permutation: {"permutation": i64s(permutation)}),
    jvp=_again,
    vjp=_transpose_vjp,
    batch=lambda instr, operands, size: transpose(
        operands[0], permutation=(0, *batching.later(instr.attrs["permutation"]))
    ),
)
slice = Op(
    "slice",
    _slice,
    numpy=_slice_numpy,
    emit=spelled(
        "slice",
        lambda start_indices, limit_indices, strides=None: {
            "start_indices": i64s(start_indices),
            "limit_indices": i64s(limit_indices),
            "strides": i64s(strides or (1,) * len(start_indices)),
        },
    ),
    jvp=_again,
    vjp=_slice_vjp,
    batch=_slice_batch,
)


pad = Op(
    "pad",
    _pad,
    numpy=_pad_numpy,
    emit=spelled(
        "pad",
        lambda edge_padding_low, edge_padding_high, interior_padding: {
            "edge_padding_low": i64s(edge_padding_low),
            "edge_padding_high": i64s(edge_padding_high),
            "interior_padding": i64s(interior_padding),
        },
    ),
    jvp=_pad_jvp,
    vjp=_pad_vjp,
    batch=_pad_batch,
)
reverse: Op = Op(
    "reverse",
    _reverse,
    numpy=lambda x, dimensions: np.flip(x, dimensions),
    emit=spelled("reverse", lambda dimensions: {"dimensions": i64s(dimensions)}),
    jvp=_again,
    vjp=lambda instr, ct, wanted: (reverse(ct, **instr.attrs),),
    batch=batching.shifted("dimensions"),
)
concatenate = Op(
    "concatenate",
    _concatenate,
    numpy=lambda *xs, dimension: np.concatenate(xs, dimension),
    emit=spelled("concatenate", lambda dimension: {"dimension": i64(dimension)}),
    jvp=_concatenate_jvp,
    vjp=_concatenate_vjp,
    batch=batching.shifted("dimension"),
)
get_dimension_size = Op(
    "get_dimension_size",
    _get_dimension_size,
    numpy=lambda x, dimension: np.int32(x.shape[dimension]),
    emit=spelled("get_dimension_size", lambda dimension: {"dimension": i64(dimension)}),
    batch=_get_dimension_size_batch,
)
