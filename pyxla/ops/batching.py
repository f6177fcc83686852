"""Batching rules: an op on operands of which some have one dimension more, the first.

    batch(instr, operands, size) -> the results, all with `size` lanes as their first dimension

`operands` stand for the instruction's own, whose types and attributes the rule reads; those of the
same rank are the same in every lane.  A rule gives None where nothing is better than one lane after
the other.  Rules that need other ops are with their op; here are those that many share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.types import limits
from pyxla.ops.filled import broadcast_in_dim

Operands = Sequence[Value]


def is_batched(instr: Instr, operands: Operands) -> list[bool]:
    """Which operands have a dimension more than the instruction's own."""
    pairs = zip(instr.operands, operands, strict=True)
    return [given.type.ndim > own.type.ndim for own, given in pairs]


def spread(x: Value, size: int) -> Value:
    """The same in every lane."""
    axes = tuple(range(1, x.type.ndim + 1))
    return broadcast_in_dim(x, shape=(size, *x.type.shape), broadcast_dimensions=axes)


def along(x: Value, shape: Sequence[int]) -> Value:
    """One number per lane, at each place of `shape`."""
    if not shape:
        return x
    return broadcast_in_dim(x, shape=(*x.type.shape, *shape), broadcast_dimensions=(0,))


def every(instr: Instr, operands: Operands, size: int) -> list[Value]:
    """The operands, all with lanes."""
    flags = is_batched(instr, operands)
    return [x if flag else spread(x, size) for x, flag in zip(operands, flags, strict=True)]


def again(instr: Instr, operands: Operands, size: int) -> Any:
    """The op itself, where it takes further dimensions in front."""
    return instr.op(*every(instr, operands, size), regions=instr.regions, **instr.attrs)


def elementwise(instr: Instr, operands: Operands, size: int) -> Any:
    """As `again`; operands of rank 0 beside others of higher rank may stay what they are."""
    shape = instr.results[0].type.shape
    full = []
    flags = is_batched(instr, operands)
    for own, given, flag in zip(instr.operands, operands, flags, strict=True):
        if own.type.shape == shape:
            full.append(given if flag else spread(given, size))
        else:
            full.append(along(given, shape) if flag else given)
    return instr.op(*full, regions=instr.regions, **instr.attrs)


def shifted(*names: str) -> Callable[..., Any]:
    """The rule of an op whose attributes `names` are dimensions: one further each."""

    def rule(instr: Instr, operands: Operands, size: int) -> Any:
        moved = {name: later(instr.attrs[name]) for name in names}
        attrs = {**instr.attrs, **moved}
        return instr.op(*every(instr, operands, size), regions=instr.regions, **attrs)

    return rule


def later(dimensions: Any) -> Any:
    """Dimensions of an operand with one more in front."""
    if isinstance(dimensions, tuple):
        return tuple([axis + 1 for axis in dimensions])
    return dimensions + 1


def one_by_one(instr: Instr, operands: Operands, size: int) -> None:
    """The rule of an op that does a single thing at a time."""


def neutral(computation: str, dtype: np.dtype) -> np.ndarray:
    """What a binary function known by name leaves as it is."""
    if computation in ("maximum", "minimum"):
        return np.array(limits(dtype)[computation == "minimum"], dtype)
    if computation == "and":
        return np.array(True) if dtype.kind == "b" else np.invert(np.zeros((), dtype))
    return np.array(computation == "multiply", dtype)
