"""Constants, and one element in many places: what the rules of all other ops are written with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import SHORT_NAMES, ArrayType, array_type
from pyxla.ops.check import check_axes, check_length, like, refuse
from pyxla.ops.contribution import Contribution, Sum
from pyxla.ops.spell import i64s, spelled

Ints = tuple[int, ...]


def _constant(value: np.ndarray, weak: bool = False, anything: bool = False) -> ArrayType:
    """anything: what the value is does not matter, another would do as well."""
    if value.dtype not in SHORT_NAMES:
        refuse("constant", f"XLA has no element type for {value.dtype}")
    return array_type(value.dtype, value.shape, weak)


def _broadcast_in_dim(x: ArrayType, shape: Ints, broadcast_dimensions: Ints) -> ArrayType:
    name = "broadcast_in_dim"
    check_length(name, "broadcast_dimensions", broadcast_dimensions, len(x.shape))
    check_axes(name, "broadcast_dimensions", broadcast_dimensions, len(shape))
    for extent, axis in zip(x.shape, broadcast_dimensions, strict=True):
        if extent != 1 and extent != shape[axis]:
            refuse(name, f"{x} does not fit {list(shape)} along {broadcast_dimensions}")
    return like(x, None, shape)


def _broadcast_numpy(x: np.ndarray, shape: Ints, broadcast_dimensions: Ints) -> np.ndarray:
    if not x.ndim:
        return np.broadcast_to(x, shape)
    column = [1] * len(shape)
    for extent, axis in zip(x.shape, broadcast_dimensions, strict=True):
        column[axis] = extent
    order = np.argsort(broadcast_dimensions) if broadcast_dimensions else ()
    return np.broadcast_to(np.transpose(x, order).reshape(column), shape)


def _broadcast_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Sum over the dimensions that were not there or had extent 1, in the operand's order."""
    (x,) = instr.operands
    shape, axes = instr.attrs["shape"], instr.attrs["broadcast_dimensions"]
    pairs = zip(x.type.shape, axes, strict=True)
    kept = [axis for extent, axis in pairs if extent == shape[axis]]
    rest = tuple([axis for axis in range(len(shape)) if axis not in kept])
    order = () if kept == sorted(kept) else tuple([sorted(kept).index(axis) for axis in kept])
    return (Sum(ct, rest, order),)


def _broadcast_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    shape, axes = instr.attrs["shape"], instr.attrs["broadcast_dimensions"]
    axes = (0, *[axis + 1 for axis in axes])
    return broadcast_in_dim(operands[0], shape=(size, *shape), broadcast_dimensions=axes)


constant = Op(
    "constant",
    _constant,
    numpy=lambda value, weak=False, anything=False: value,
    emit=lambda e, instr, operands: e.constant(instr.attrs["value"], instr.results[0].type),
)
broadcast_in_dim: Op = Op(
    "broadcast_in_dim",
    _broadcast_in_dim,
    numpy=_broadcast_numpy,
    emit=spelled(
        "broadcast_in_dim",
        lambda shape, broadcast_dimensions: {"broadcast_dimensions": i64s(broadcast_dimensions)},
    ),
    jvp=lambda instr, tangents: broadcast_in_dim(tangents[0], **instr.attrs),
    vjp=_broadcast_vjp,
    batch=_broadcast_batch,
)


def anything(dtype: np.dtype) -> Value:
    """A number that nothing depends on: what a block is padded with that is not looked at."""
    return constant(value=np.zeros((), dtype), anything=True)


def is_anything(value: Value) -> bool:
    made = value.owner
    return isinstance(made, Instr) and made.op is constant and "anything" in made.attrs


def spread(scalar: Value, shape: Ints) -> Value:
    """A number in every element of an array."""
    return broadcast_in_dim(scalar, shape=shape, broadcast_dimensions=()) if shape else scalar


def number(content: complex, dtype: np.dtype, shape: Ints = ()) -> Value:
    """A known number in every element of an array."""
    return spread(constant(value=np.array(content, dtype)), shape)


def filled(x: ArrayType, content: complex) -> Value:
    """An array of `x`'s type with one number everywhere."""
    return number(content, x.dtype, x.shape)


def zeros(x: ArrayType) -> Value:
    return filled(x, 0)


def integer(content: int) -> Value:
    """A constant of rank 0, of int64."""
    return constant(value=np.array(content))
