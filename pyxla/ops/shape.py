"""Ops that make, move and cut arrays without looking at their elements."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import SHORT_NAMES, ArrayType, array_type
from pyxla.ops.check import (
    NUMERIC,
    check_axes,
    check_axis,
    check_dtype,
    check_length,
    like,
    listed,
    refuse,
    require,
)
from pyxla.ops.elementwise import as_dtype
from pyxla.ops.samples import ORDER, Sample, arange, array
from pyxla.ops.spell import i64, i64s, spelled

Ints = tuple[int, ...]


def _constant(value: np.ndarray, weak: bool = False) -> ArrayType:
    if value.dtype not in SHORT_NAMES:
        refuse("constant", f"XLA has no element type for {value.dtype}")
    return array_type(value.dtype, value.shape, weak)


def _emit_constant(e: Any, instr: Any, operands: Any) -> Any:
    return e.constant(instr.attrs["value"], instr.results[0].type)


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


def _broadcast_in_dim(x: ArrayType, shape: Ints, broadcast_dimensions: Ints) -> ArrayType:
    name = "broadcast_in_dim"
    check_length(name, "broadcast_dimensions", broadcast_dimensions, len(x.shape))
    check_axes(name, "broadcast_dimensions", broadcast_dimensions, len(shape))
    for extent, axis in zip(x.shape, broadcast_dimensions, strict=True):
        if extent != 1 and extent != shape[axis]:
            refuse(name, f"{x} does not fit {list(shape)} along {broadcast_dimensions}")
    return like(x, None, shape)


def _broadcast_numpy(x: np.ndarray, shape: Ints, broadcast_dimensions: Ints) -> np.ndarray:
    column = [1] * len(shape)
    for extent, axis in zip(x.shape, broadcast_dimensions, strict=True):
        column[axis] = extent
    order = np.argsort(broadcast_dimensions) if broadcast_dimensions else ()
    return np.broadcast_to(np.transpose(x, order).reshape(column), shape)


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


def _slice_attributes(
    start_indices: Ints, limit_indices: Ints, strides: Ints | None = None
) -> dict[str, str]:
    return {
        "start_indices": i64s(start_indices),
        "limit_indices": i64s(limit_indices),
        "strides": i64s(strides or (1,) * len(start_indices)),
    }


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


def _pad_attributes(
    edge_padding_low: Ints, edge_padding_high: Ints, interior_padding: Ints
) -> dict[str, str]:
    return {
        "edge_padding_low": i64s(edge_padding_low),
        "edge_padding_high": i64s(edge_padding_high),
        "interior_padding": i64s(interior_padding),
    }


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


def _get_dimension_size(x: ArrayType, dimension: int) -> ArrayType:
    check_axis("get_dimension_size", "dimension", dimension, x.ndim)
    return array_type(np.dtype(np.int32))


def _constant_samples() -> list[Sample]:
    values = [array(dtype, shape) for dtype in ORDER for shape in ((), (2, 3), (0,))]
    return [((), {"value": value}) for value in values]


X = arange("f8", 2, 3)

constant = Op(
    "constant",
    _constant,
    numpy=lambda value, weak=False: value,
    emit=_emit_constant,
    samples=_constant_samples,
)
iota = Op(
    "iota",
    _iota,
    numpy=_iota_numpy,
    emit=spelled("iota", lambda dtype, shape, dimension: {"iota_dimension": i64(dimension)}),
    samples=lambda: [
        ((), {"dtype": np.dtype(dtype), "shape": (2, 3), "dimension": dimension})
        for dtype in ("i4", "f8", "u1", "c8")
        for dimension in (0, 1)
    ],
)
broadcast_in_dim = Op(
    "broadcast_in_dim",
    _broadcast_in_dim,
    numpy=_broadcast_numpy,
    emit=spelled(
        "broadcast_in_dim",
        lambda shape, broadcast_dimensions: {"broadcast_dimensions": i64s(broadcast_dimensions)},
    ),
    samples=lambda: [
        ((X,), {"shape": (4, 2, 3), "broadcast_dimensions": (1, 2)}),
        ((X,), {"shape": (3, 5, 2), "broadcast_dimensions": (2, 0)}),
        ((X[:, :1],), {"shape": (2, 3), "broadcast_dimensions": (0, 1)}),
        ((X[0, 0],), {"shape": (0, 3), "broadcast_dimensions": ()}),
        ((np.array(True),), {"shape": (), "broadcast_dimensions": ()}),
    ],
)
broadcast = Op(
    "broadcast",
    _broadcast,
    numpy=lambda x, broadcast_sizes: np.broadcast_to(x, (*broadcast_sizes, *x.shape)),
    emit=spelled("broadcast", lambda broadcast_sizes: {"broadcast_sizes": i64s(broadcast_sizes)}),
    samples=lambda: [((X,), {"broadcast_sizes": (2,)}), ((X,), {"broadcast_sizes": ()})],
)
reshape = Op(
    "reshape",
    _reshape,
    numpy=np.reshape,
    emit=spelled("reshape", lambda shape: {}),
    samples=lambda: [
        ((X,), {"shape": (3, 2)}),
        ((X[:1, :1],), {"shape": ()}),
        ((X[:0],), {"shape": (5, 0)}),
        ((X[0, 0],), {"shape": (1, 1)}),
    ],
)
transpose = Op(
    "transpose",
    _transpose,
    numpy=lambda x, permutation: np.transpose(x, permutation),
    emit=spelled("transpose", lambda permutation: {"permutation": i64s(permutation)}),
    samples=lambda: [
        ((X,), {"permutation": (1, 0)}),
        ((arange("i4", 2, 3, 4),), {"permutation": (2, 0, 1)}),
        ((X[0, 0],), {"permutation": ()}),
    ],
)
slice = Op(
    "slice",
    _slice,
    numpy=_slice_numpy,
    emit=spelled("slice", _slice_attributes),
    samples=lambda: [
        ((X,), {"start_indices": (0, 1), "limit_indices": (2, 3), "strides": (1, 2)}),
        ((X,), {"start_indices": (1, 1), "limit_indices": (2, 1)}),
        ((X[0, 0],), {"start_indices": (), "limit_indices": ()}),
    ],
)


def _padding(low: Ints, high: Ints, interior: Ints) -> dict[str, Ints]:
    return {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": interior}


pad = Op(
    "pad",
    _pad,
    numpy=_pad_numpy,
    emit=spelled("pad", _pad_attributes),
    samples=lambda: [
        ((X, X[0, 1]), _padding((1, 0), (2, 3), (0, 0))),
        ((X, X[0, 1]), _padding((0, -1), (1, 2), (2, 1))),
        ((X, X[0, 1]), _padding((-1, 0), (0, -2), (0, 0))),
        ((X[:0], X[0, 1]), _padding((1, 0), (1, 0), (3, 0))),
        ((X[0, 0], X[0, 1]), _padding((), (), ())),
    ],
)
reverse = Op(
    "reverse",
    _reverse,
    numpy=lambda x, dimensions: np.flip(x, dimensions),
    emit=spelled("reverse", lambda dimensions: {"dimensions": i64s(dimensions)}),
    samples=lambda: [((X,), {"dimensions": axes}) for axes in ((0,), (0, 1), ())],
)
concatenate = Op(
    "concatenate",
    _concatenate,
    numpy=lambda *xs, dimension: np.concatenate(xs, dimension),
    emit=spelled("concatenate", lambda dimension: {"dimension": i64(dimension)}),
    samples=lambda: [
        ((X, X[:1], X[:0]), {"dimension": 0}),
        ((X, X), {"dimension": 1}),
        ((X,), {"dimension": 1}),
    ],
)
get_dimension_size = Op(
    "get_dimension_size",
    _get_dimension_size,
    numpy=lambda x, dimension: np.int32(x.shape[dimension]),
    emit=spelled("get_dimension_size", lambda dimension: {"dimension": i64(dimension)}),
    samples=lambda: [((X,), {"dimension": 1})],
)
