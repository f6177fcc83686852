"""Reading and writing a rectangular block of an array, whose place may be known at run time only.

A block is one `Range` for each dimension.  What is known of the starts decides the instructions:
static ranges slice, dynamic ones slice dynamically.  Ranges that may stick out of the array (those
of bounded extent) are read where they fit and shifted back, since a dynamic slice would move them;
padding the array instead would copy it.

Writes update in place (`dynamic_update_slice`) so that loops do not copy.  A block that is large,
and strided or computed from its own neighbours, is selected into the array in one pass instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import (
    Int,
    known,
    larger,
    minus,
    plus,
    smaller,
    times,
    value32,
    value_of,
)
from pyxla.abstract.lattice import Scalar
from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import I32
from pyxla.ops.control import optimization_barrier
from pyxla.ops.elementwise import and_, compare, remainder, select
from pyxla.ops.filled import anything, number, spread
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, iota, pad, reshape, reverse
from pyxla.ops.shape import slice as slice_
from pyxla.views.shifting import unshifted

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Positions `start + k * step` of one base dimension, for `k < extent` (None: `k < count`).

    Where `extent` is None all of them are in the array; else those below `extent <= count` are.
    """

    start: Int
    count: int
    step: int = 1
    extent: Scalar | None = None

    @property
    def span(self) -> int:
        """How many base positions lie between the first and the last, both included."""
        return (self.count - 1) * abs(self.step) + 1 if self.count else 0

    @property
    def low(self) -> Int:
        """The least position."""
        if self.count == 0:
            return 0
        if self.step > 0:
            return self.start
        return minus(self.start, self.span - 1)


def reshaped(value: Value, shape: Shape) -> Value:
    return value if value.type.shape == shape else reshape(value, shape=shape)


def zero(value: Value) -> Value:
    """The zero of the element type of `value`."""
    return number(0, value.type.dtype)


def is_full(r: Range, size: int) -> bool:
    return r.step == 1 and r.count == size and isinstance(r.start, int) and r.start == 0


def _fits(ranges: tuple[Range, ...], shape: Shape) -> bool:
    """Whether the blocks fit the array: an element of an empty one is never really asked for."""
    return all(r.span <= size for r, size in zip(ranges, shape, strict=True))


def _overhang(r: Range, size: int) -> tuple[int, int]:
    """How far the block of a bounded extent may stick out of the dimension, below and above."""
    if r.extent is None or r.span <= 1:
        return 0, 0
    low, high = extent.lower(r.low), extent.upper(r.low)
    most = r.span - 1
    below = most if low is None else min(max(-low, 0), most)
    above = most if high is None else min(max(high + r.span - size, 0), most)
    return below, above


def read_block(x: Value, ranges: tuple[Range, ...]) -> Value:
    """The elements at `ranges`, one dimension for each."""
    shape = x.type.shape
    if all(map(is_full, ranges, shape)):
        return x
    if not _fits(ranges, shape):
        return constant(value=np.zeros([r.count for r in ranges], x.type.dtype))
    lows = [r.low for r in ranges]
    spans = tuple([r.span for r in ranges])
    strides = tuple([abs(r.step) for r in ranges])
    if all(isinstance(low, int) for low in lows):
        limits = tuple([low + span for low, span in zip(lows, spans, strict=True)])
        x = slice_(x, start_indices=tuple(lows), limit_indices=limits, strides=strides)
    else:
        starts, shifts = _placed(ranges, shape)
        x = dynamic_slice(x, *starts, slice_sizes=spans)
        x = _moved(x, [minus(0, shift) for shift in shifts])
        if any(s > 1 for s in strides):
            x = slice_(x, start_indices=(0,) * len(spans), limit_indices=spans, strides=strides)
    return _reversed(x, ranges)


def _reversed(x: Value, ranges: tuple[Range, ...]) -> Value:
    backwards = tuple([d for d, r in enumerate(ranges) if r.step < 0])
    return reverse(x, dimensions=backwards) if backwards else x


def _padded(
    x: Value,
    below: Sequence[int],
    above: Sequence[int],
    between: Sequence[int] | None = None,
    fill: Value | None = None,
) -> Value:
    """`x` with zeros (`fill`) around, and between its elements."""
    between = between or [0] * len(below)
    if not (any(below) or any(above) or any(between)):
        return x
    return pad(
        x,
        zero(x) if fill is None else fill,
        edge_padding_low=tuple(below),
        edge_padding_high=tuple(above),
        interior_padding=tuple(between),
    )


def write_block(x: Value, new: Value, ranges: tuple[Range, ...]) -> Value:
    """`x` with `new`, one dimension for each range, at `ranges`; elsewhere unchanged."""
    shape = x.type.shape
    if new.type.size == 0 or not _fits(ranges, shape):
        return x
    if all(map(is_full, ranges, shape)):
        masked = any(r.extent is not None for r in ranges)
        shifts: list[Int] = [0] * len(ranges)
        return select(_write_mask(shape, ranges, shifts), new, x) if masked else new
    overlapping = new.type.size > 1 and _reads_elsewhere(new, x, ranges, far=True)
    together = overlapping and _reads_elsewhere(new, x, ranges, far=False)
    strided = any(abs(r.step) > 1 for r in ranges)
    masked = strided or any(r.extent is not None for r in ranges)
    new = _reversed(new, ranges)
    new = _padded(new, [0] * len(shape), [0] * len(shape), [abs(r.step) - 1 for r in ranges])
    # What is masked only because its extent is bounded needs no more than its own old elements.
    if (strided or (together and not masked)) and new.type.size * 2 >= x.type.size:
        lows = [r.low for r in ranges if isinstance(r.low, int)]
        if len(lows) == len(ranges):
            return select_whole(x, new, ranges, lows)
    starts, shifts = _placed(ranges, shape)
    back = unshifted(new, shifts, _moved)
    new = _moved(new, shifts) if back is None else back
    if masked:
        old = dynamic_slice(x, *starts, slice_sizes=new.type.shape)
        new = select(_write_mask(new.type.shape, ranges, shifts), new, old)
    result = dynamic_update_slice(x, new, *starts)
    # XLA:CPU moves a reshape of the result before the update and then overwrites, in place, what
    # the update still has to read; a barrier keeps the reshape where it is, at no cost.
    return optimization_barrier(result) if overlapping else result


def select_whole(x: Value, new: Value, ranges: tuple[Range, ...], lows: Sequence[int]) -> Value:
    """`x` with a large block in one pass over it: faster than making the block, then copying."""
    shape = x.type.shape
    spans = new.type.shape
    above = [n - low - span for n, low, span in zip(shape, lows, spans, strict=True)]
    mask = _write_mask(shape, ranges, list(lows))
    spread = _padded(new, lows, above, fill=anything(new.type.dtype))
    return spread if mask is None else select(mask, spread, x)


# How many instructions to look through for reads of what is written.
_HORIZON = 64


def _reads_elsewhere(new: Value, x: Value, ranges: tuple[Range, ...], far: bool) -> bool:
    """Whether `new` may be computed from other elements of `x` than those it replaces.

    far: also by way of updated arrays, which are in memory before the kernel that writes `new`.
    """
    starts = [r.low.value if isinstance(r.low, Scalar) else r.low for r in ranges]
    block = (starts, [r.span for r in ranges])
    stack, seen = [new], {new}
    while stack:
        value = stack.pop()
        if value is x or len(seen) > _HORIZON:
            return True
        owner = value.owner
        if not isinstance(owner, Instr) or owner.regions or _read_of(owner, x) == block:
            continue
        if owner.op is dynamic_update_slice and not far:
            continue
        for operand in owner.operands:
            if operand not in seen:
                seen.add(operand)
                stack.append(operand)
    return False


def _read_of(instr: Instr, x: Value) -> tuple[list[Any], list[int]] | None:
    """Start and extent of the block of `x` that a slice reads."""
    if not instr.operands or instr.operands[0] is not x:
        return None
    if instr.op is slice_:
        starts, limits = instr.attrs["start_indices"], instr.attrs["limit_indices"]
        spans = [limit - start for start, limit in zip(starts, limits, strict=True)]
        return list(starts), spans
    if instr.op is dynamic_slice:
        starts = [_known_start(start) for start in instr.operands[1:]]
        return starts, list(instr.attrs["slice_sizes"])
    return None


def _known_start(start: Value) -> Any:
    """The int that a start index is, else its Value."""
    owner = start.owner
    if isinstance(owner, Instr) and owner.op is constant:
        return int(owner.attrs["value"])
    return start


def _placed(ranges: tuple[Range, ...], shape: Shape) -> tuple[list[Value], list[Int]]:
    """Where each block starts once it is pushed into the array, and how far it was pushed."""
    starts, shifts = [], []
    for r, size in zip(ranges, shape, strict=True):
        low = inside = r.low
        below, above = _overhang(r, size)
        shift: Int = 0
        if below or above:
            inside = smaller(larger(low, 0), size - r.span)
            # Further away than its span, a block has no element in the array.
            shift = smaller(larger(minus(low, inside), -r.span), r.span)
            shift = known(shift, -r.span if below else 0, r.span if above else 0)
        starts.append(value_of(inside))
        shifts.append(shift)
    return starts, shifts


def _moved(block: Value, shifts: list[Int]) -> Value:
    """`block` with its elements `shifts` positions further on, anything in their place."""
    if all(isinstance(shift, int) and shift == 0 for shift in shifts):
        return block
    before = [max(extent.upper(shift), 0) for shift in shifts]
    after = [max(-extent.lower(shift), 0) for shift in shifts]
    padded = _padded(block, before, after, fill=anything(block.type.dtype))
    starts = [value_of(minus(most, shift)) for most, shift in zip(before, shifts, strict=True)]
    return dynamic_slice(padded, *starts, slice_sizes=block.type.shape)


def _write_mask(spans: Shape, ranges: tuple[Range, ...], shifts: list[Int]) -> Value | None:
    """Which positions of a block are written; None where all are."""
    mask = None
    for d, (r, shift) in enumerate(zip(ranges, shifts, strict=True)):
        for condition in _dimension_masks(spans[d], r, shift):
            wide = broadcast_in_dim(condition, shape=spans, broadcast_dimensions=(d,))
            mask = wide if mask is None else and_(mask, wide)
    return mask


def _dimension_masks(span: int, r: Range, shift: Int) -> Iterator[Value]:
    """The conditions on positions along one dimension, in which the range begins at `shift`."""
    stride = abs(r.step)
    if r.step > 0:
        length = r.span if r.extent is None else times(r.extent, stride)
        first, last = shift, plus(shift, length)
    else:
        skipped = 0 if r.extent is None else times(minus(r.count, r.extent), stride)
        first, last = plus(shift, skipped), plus(shift, r.span)
    if stride == 1 and extent.at_most(first, 0) and extent.at_most(span, last):
        return
    position = iota(dtype=I32.dtype, shape=(span,), dimension=0)

    def all_of(x: Int) -> Value:
        return spread(value32(x), (span,))

    if stride > 1:
        phase = shift % stride if isinstance(shift, int) else _modulo(shift, stride)
        yield compare(remainder(position, all_of(stride)), all_of(phase), direction="EQ")
    if not extent.at_most(first, 0):
        yield compare(position, all_of(first), direction="GE")
    if not extent.at_most(span, last):
        yield compare(position, all_of(last), direction="LT")


def _modulo(x: Scalar, n: int) -> Scalar:
    """`x % n` as Python has it."""
    size = value_of(n)
    return Scalar(remainder(plus(Scalar(remainder(x.value, size)), n).value, size))
