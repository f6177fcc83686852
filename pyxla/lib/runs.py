"""Pieces of one array, joined again in the order in which they lie: a part of it, and no copy of
each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyxla.ir.core import Instr, Value
from pyxla.ops import elementwise, shape

# So few pieces are joined as they are.
_FEW = 4


def concatenate(*pieces: Value, dimension: int) -> Value:
    """The pieces one after another, strong values of one dtype; as one slice of the array that they
    are pieces of, where that is so."""
    found = None if dimension or len(pieces) <= _FEW else _part(pieces)
    if found is None:
        return shape.concatenate(*pieces, dimension=dimension)
    extent = sum([piece.type.shape[0] for piece in pieces])
    return _reshaped(found, (extent, *pieces[0].type.shape[1:]))


def _part(pieces: Sequence[Value]) -> Value | None:
    """All elements of the pieces, which lie in one array at equal distances; None of others."""
    whole, start, size = _block(pieces[0])
    stride = None
    for k, piece in enumerate(pieces[1:], 1):
        base, at, count = _block(piece)
        stride = at - start if stride is None else stride
        if base is not whole or count != size or at != start + k * stride:
            return None
    if stride is None or stride < 1 or (size > 1 and stride != size):
        return None
    step = 1 if stride == size else stride
    end = start + (len(pieces) - 1) * stride + size
    part = whole
    if step > 1 or end - start < whole.type.size:
        flat = _reshaped(whole, (whole.type.size,))
        part = shape.slice(flat, start_indices=(start,), limit_indices=(end,), strides=(step,))
    weak = part.type.weak
    return elementwise.convert(part, dtype=part.type.dtype, weak=False) if weak else part


def _reshaped(x: Value, extents: tuple[int, ...]) -> Value:
    return x if x.type.shape == extents else shape.reshape(x, shape=extents)


def _block(x: Value) -> tuple[Value, int, int]:
    """The array that holds the elements of `x` in a row, the place of the first in it, and how many
    there are."""
    count = x.type.size
    while isinstance(x.owner, Instr) and _keeps(x.owner):
        x = x.owner.operands[0]
    made = x.owner
    if not isinstance(made, Instr) or made.op is not shape.slice:
        return x, 0, count
    whole = made.operands[0]
    starts, ends = made.attrs["start_indices"], made.attrs["limit_indices"]
    extents = [end - start for start, end in zip(starts, ends, strict=True)]
    if count != math.prod(extents) or not _is_in_a_row(extents, whole.type.shape):
        return x, 0, count
    place = 0
    for start, extent in zip(starts, whole.type.shape, strict=True):
        place = place * extent + start
    return whole, place, count


def _keeps(instr: Instr) -> bool:
    """Whether the elements stay as they are, and in order."""
    if instr.op is elementwise.convert:
        return instr.operands[0].type.dtype == instr.results[0].type.dtype
    return instr.op is shape.reshape


def _is_in_a_row(extents: Sequence[int], whole: Sequence[int]) -> bool:
    """Whether a block of these extents lies in a row in the array."""
    wide = [k for k, extent in enumerate(extents) if extent > 1]
    first = wide[0] + 1 if wide else len(whole)
    return list(extents[first:]) == list(whole[first:])
