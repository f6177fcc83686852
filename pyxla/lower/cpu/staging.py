"""Reductions in stages, which XLA:CPU runs at the speed of memory.

    %r = reduce(%x: f64[2048, n]) over 0   ->   %a = reduce(reshape %x: [64, 32, n]) over 1
                                                %b = reduce_window(%a) of 32 rows
                                                %r = reduce_window(%b) of 2 rows

A kernel makes one element of the result after the other.  Along the last dimension LLVM vectorizes
that; along another one it would walk the array column by column.  Groups of at most `GROUP` rows
are written out, and then it vectorizes over the columns; code that makes `%x` is still fused into
the first stage.  The later stages are windows because XLA fuses reductions with each other, back
into one walk, but not windows.  Long sums along the last dimension are staged as well: partial sums
lose less to rounding, and are made in parallel.

XLA has a pass for this, which is switched off (`runtime/jaxlink.py`): it makes windows of the first
stage too, so that the operand of every reduction goes through memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.lower.rules import is_filled
from pyxla.ops.control import CONTROL
from pyxla.ops.reduce import reduce, reduce_window
from pyxla.ops.shape import pad, reshape

GROUP = 32  # rows that a kernel adds up without a loop
LANES = 8  # columns fewer than that are not worth it
SMALL = 2048  # elements in an array that is not worth it
LONG = 1 << 16  # elements in a sum of one stage
PARTS = range(1 << 9, 1 << 14)  # elements in each part of a long sum
IDEMPOTENT = frozenset({"maximum", "minimum", "and", "or"})
NEUTRAL = {"add": 0, "multiply": 1, "xor": 0}


def stage_reductions(region: Region) -> Region:
    """Replace the reductions of a region that are dear in one stage, in place."""
    return rewrite(region, (reduce,), _staged, CONTROL)


def _staged(instr: Instr) -> Value | None:
    """What replaces a reduction."""
    if not _is_repeatable(instr):
        return None
    x = instr.operands[0]
    extents, reduced = _merged(x.type.shape, instr.attrs["dimensions"])
    if x.type.size <= SMALL or not _pays(extents, reduced):
        return None
    stages = _Stages(instr)
    value = reshape(x, shape=tuple(extents))
    while True in reduced:
        axis = len(reduced) - 1 - reduced[::-1].index(True)
        value = stages.along(value, axis)
        del reduced[axis]
    return reshape(value, shape=instr.results[0].type.shape)


def _is_repeatable(instr: Instr) -> bool:
    """Whether the initial value changes nothing, however often it takes part."""
    computation = instr.attrs.get("computation")
    if not computation or len(instr.operands) != 2 or instr.attrs.get("in_order"):
        return False
    return computation in IDEMPOTENT or is_filled(instr.operands[1], NEUTRAL[computation])


def _merged(shape: Sequence[int], dimensions: Sequence[int]) -> tuple[list[int], list[bool]]:
    """Neighbouring dimensions of one kind as one: their extents, and which are reduced."""
    extents: list[int] = []
    reduced: list[bool] = []
    for axis, extent in enumerate(shape):
        if reduced and (extent == 1 or reduced[-1] == (axis in dimensions)):
            extents[-1] *= extent
        else:
            extents.append(extent)
            reduced.append(axis in dimensions)
    return extents, reduced


def _pays(extents: Sequence[int], reduced: Sequence[bool]) -> bool:
    if reduced[-1]:
        return extents[-1] > LONG
    rows = math.prod([n for n, gone in zip(extents, reduced, strict=True) if gone])
    return rows > GROUP and extents[-1] >= LANES


class _Stages:
    """Emits stages; all but the first are windows."""

    def __init__(self, instr: Instr) -> None:
        self.init = instr.operands[1]
        self.computation = instr.attrs["computation"]
        self.fused = False

    def along(self, x: Value, axis: int) -> Value:
        """`x` reduced along one dimension."""
        if not self.fused:
            self.fused = True
            x = self.first(x, axis)
        while x.type.shape[axis] > 1:
            x = self.windows(x, axis)
        shape = x.type.shape
        return reshape(x, shape=(*shape[:axis], *shape[axis + 1 :]))

    def first(self, x: Value, axis: int) -> Value:
        """Groups along a dimension reduced to one element each."""
        shape = x.type.shape
        rows, is_last = shape[axis], axis == len(shape) - 1
        group = _group(rows, is_last)
        if rows % group:
            x = self.padded(x, axis, -rows % group)
        parts = x.type.shape[axis] // group
        split = reshape(x, shape=(*shape[:axis], parts, group, *shape[axis + 1 :]))
        return reduce(split, self.init, dimensions=(axis + 1,), computation=self.computation)

    def padded(self, x: Value, axis: int, count: int) -> Value:
        none = (0,) * x.type.ndim
        high = tuple([count if d == axis else 0 for d in range(x.type.ndim)])
        return pad(
            x, self.init, edge_padding_low=none, edge_padding_high=high, interior_padding=none
        )

    def windows(self, x: Value, axis: int) -> Value:
        rows = x.type.shape[axis]
        group = min(rows, GROUP)
        window = tuple([group if d == axis else 1 for d in range(x.type.ndim)])
        padding = tuple([(0, -rows % group if d == axis else 0) for d in range(x.type.ndim)])
        return reduce_window(
            x,
            self.init,
            window_dimensions=window,
            window_strides=window,
            padding=padding,
            computation=self.computation,
        )


def _group(rows: int, is_last: bool) -> int:
    """How many to reduce at a time, if possible a divisor of `rows`."""
    if is_last:
        if rows <= LONG:
            return rows
        return next((n for n in reversed(PARTS) if rows % n == 0), PARTS[-1])
    if rows <= GROUP:
        return rows
    return next((n for n in range(GROUP, LANES - 1, -1) if rows % n == 0), GROUP)
