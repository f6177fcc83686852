"""Ops that make, move and cut arrays without looking at their elements."""

from __future__ import annotations

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
from pyxla.ops.spell import i64s

Ints = tuple[int, ...]


def _constant(value: np.ndarray, weak: bool = False) -> ArrayType:
    if value.dtype not in SHORT_NAMES:
        refuse("constant", f"XLA has no element type for {value.dtype}")
    return array_type(value.dtype, value.shape, weak)


def _emit_constant(e: Any, instr: Any, operands: Any) -> Any:
    return e.constant(instr)


def _iota(dtype: np.dtype, shape: Ints, dimension: int) -> ArrayType:
    check_axis("iota", "dimension", dimension, len(shape))
    result = array_type(as_dtype("iota", dtype), shape)
    check_dtype("iota", result, NUMERIC)
    return result


def _broadcast_in_dim(x: ArrayType, shape: Ints, broadcast_dimensions: Ints) -> ArrayType:
    name = "broadcast_in_dim"
    check_length(name, "broadcast_dimensions", broadcast_dimensions, len(x.shape))
    check_axes(name, "broadcast_dimensions", broadcast_dimensions, len(shape))
    for extent, axis in zip(x.shape, broadcast_dimensions, strict=True):
        if extent != 1 and extent != shape[axis]:
            refuse(name, f"{x} does not fit {list(shape)} along {broadcast_dimensions}")
    return like(x, None, shape)


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


constant = Op("constant", _constant)
iota = Op("iota", _iota)
broadcast_in_dim = Op("broadcast_in_dim", _broadcast_in_dim)
broadcast = Op("broadcast", _broadcast)
reshape = Op("reshape", _reshape)
transpose = Op("transpose", _transpose)
slice = Op("slice", _slice)
pad = Op("pad", _pad)
reverse = Op("reverse", _reverse)
concatenate = Op("concatenate", _concatenate)
get_dimension_size = Op("get_dimension_size", _get_dimension_size)
