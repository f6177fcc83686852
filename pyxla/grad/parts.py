"""Sums of cotangents: what the parts of an array contribute lies side by side.

    add(pad(%x, high=2), pad(%y, low=2))   ->   concatenate(%x, %y)

A slice gives its cotangent with zeros around it. In a sum of such arrays each element takes part in
an addition for every slice, and XLA:CPU asks for each element which padding it lies in. Zeros that
are left, between the parts or around them, give way to a part that comes later.  A little part of a
large array is added in place.
"""

from __future__ import annotations

from pyxla.grad.emitting import number
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import ArrayType
from pyxla.lower.rules import definition, is_filled
from pyxla.ops.elementwise import add
from pyxla.ops.filled import zeros
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import concatenate, pad

LITTLE = 16  # so many elements of an array for each of the part, and as many squared at least

Row = list[Value | int]  # what lies side by side; a number: as many zeros


def total(x: Value, y: Value) -> Value:
    """The sum of two cotangents of one value."""
    first, second = _parts(x), _parts(y)
    if first is not None and second is not None and first[0] == second[0]:
        axis, row = first
        if (made := _merged(axis, row, second[1])) is not None:
            return concatenate(*[_piece(part, axis, x.type) for part in made], dimension=axis)
    for whole, part in ((x, y), (y, x)):
        padded = definition(part, "pad")
        if padded is not None and _is_little(padded):
            return _added(whole, padded)
    return add(x, y)


def _is_little(padded: Instr) -> bool:
    """Whether an array is a little part of a large one, and zeros around."""
    part, zero = padded.operands
    attrs = padded.attrs
    edges = *attrs["edge_padding_low"], *attrs["edge_padding_high"]
    if any(attrs["interior_padding"]) or min(edges) < 0 or not is_filled(zero, 0):
        return False
    return LITTLE * max(part.type.size, LITTLE) <= padded.result.type.size


def _added(whole: Value, padded: Instr) -> Value:
    """The sum, in place: no element is read but those of the part."""
    (part, _), low = padded.operands, padded.attrs["edge_padding_low"]
    starts = [number(start) for start in low]
    here = dynamic_slice(whole, *starts, slice_sizes=part.type.shape)
    return dynamic_update_slice(whole, add(here, part), *starts)


def _parts(value: Value) -> tuple[int, Row] | None:
    """The axis along which a value is known to have parts, and these."""
    owner = value.owner
    if not isinstance(owner, Instr):
        return None
    if owner.op is concatenate:
        axis = owner.attrs["dimension"]
        return axis, [x.type.shape[axis] if is_filled(x, 0) else x for x in owner.operands]
    if owner.op is not pad or any(owner.attrs["interior_padding"]):
        return None
    x, zero = owner.operands
    edges = list(
        zip(owner.attrs["edge_padding_low"], owner.attrs["edge_padding_high"], strict=True)
    )
    axes = [axis for axis, edge in enumerate(edges) if edge != (0, 0)]
    if len(axes) != 1 or not is_filled(zero, 0):
        return None
    low, high = edges[axes[0]]
    return (axes[0], [low, x, high]) if min(low, high) >= 0 else None


def _merged(axis: int, row: Row, other: Row) -> Row | None:
    """Two rows as one, if the parts of the other lie where the first has zeros."""
    start = 0
    for part in other:
        if isinstance(part, Value):
            placed = _placed(axis, row, start, part)
            if placed is None:
                return None
            row = placed
        start += _extent(part, axis)
    return row


def _placed(axis: int, row: Row, start: int, part: Value) -> Row | None:
    """The row with a part in place of the zeros from `start` on."""
    begin, end = 0, start + _extent(part, axis)
    for k, other in enumerate(row):
        after = begin + _extent(other, axis)
        if isinstance(other, int) and begin <= start and end <= after:
            middle: Row = [start - begin, part, after - end]
            return [*row[:k], *[x for x in middle if x != 0], *row[k + 1 :]]
        begin = after
    return None


def _extent(part: Value | int, axis: int) -> int:
    return part if isinstance(part, int) else part.type.shape[axis]


def _piece(part: Value | int, axis: int, whole: ArrayType) -> Value:
    if isinstance(part, Value):
        return part
    return zeros(ArrayType(whole.dtype, (*whole.shape[:axis], part, *whole.shape[axis + 1 :])))
