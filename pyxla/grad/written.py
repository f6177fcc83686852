"""Rows that a loop writes for its next iteration, as part of its state.

    x = A[n - 1]; A[n] = y; n += 1     ->     x = row; A[n] = y; row = y; n += 1

A list that grows by what follows from its last item is only read there.  Then the array is written
alone, and no state: a loop of unknown length is run again from snapshots of its state
(`pyxla.grad.checkpoints`), each of which would hold the whole array.

Nothing is asked of the rows: where one does not exist, the update and the read move alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyxla.grad.emitting import number
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region, walk
from pyxla.lower.rows import affine
from pyxla.lower.trips import induction, known, trips
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, multiply
from pyxla.ops.filled import filled
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import reshape


@dataclass(frozen=True, slots=True)
class _Place:
    """factor * the counter in a slot + offset; without a counter the offset."""

    slot: int | None
    factor: int
    offset: int


def carry_written_rows(region: Region) -> None:
    """Do this to the loops of unknown length in a region, in place."""
    for instr in list(region.instrs):
        for inner in instr.regions:
            carry_written_rows(inner)
        if instr.op is while_ and trips(instr) is None:
            for slot in range(len(instr.operands)):
                _carry(instr, slot, region.instrs)


def _carry(loop: Instr, slot: int, around: list[Instr]) -> None:
    array, update = loop.regions[1].params[slot], loop.regions[1].results[slot].owner
    if not isinstance(update, Instr) or update.op is not dynamic_update_slice:
        return
    if update.operands[0] is not array or update.operands[1].type.size == array.type.size:
        return
    steps = {k: step for k, (_, step) in induction(loop).items()}
    row = [_before(place, steps) for place in _places(update.operands[2:], loop.regions[1], steps)]
    if None in row:
        return
    reads = [_reads(region, slot, update, row, steps) for region in loop.regions]
    if None not in reads and any(reads):
        _add_slot(loop, slot, update.operands[1], row, reads, around)


def _reads(
    region: Region, slot: int, update: Instr, row: Sequence[_Place | None], steps: Mapping[int, int]
) -> list[Instr] | None:
    """The reads of the array in a slot; None if it has other uses than these and the update, or
    one of them is of anything but the row."""
    array, code = region.params[slot], walk(region.instrs)
    given = [value for instr in code for inner in instr.regions for value in inner.results]
    if array in given or array in region.results or array in update.operands[1:]:
        return None
    reads = [instr for instr in code if instr is not update and array in instr.operands]
    for read in reads:
        if read.op is not dynamic_slice or read.result.type != update.operands[1].type:
            return None
        if _places(read.operands[1:], region, steps) != row:
            return None
    return reads


def _places(
    starts: Sequence[Value], region: Region, steps: Mapping[int, int]
) -> list[_Place | None]:
    """Where a row begins; None for what no counter tells."""
    counters = {region.params[k]: k for k in steps}
    return [_place(start, counters) for start in starts]


def _place(start: Value, counters: Mapping[Value, int]) -> _Place | None:
    if (fixed := known(start)) is not None:
        return _Place(None, 0, fixed)
    found = affine(start, counters)
    return _Place(counters[found.counter], found.factor, found.offset) if found else None


def _before(place: _Place | None, steps: Mapping[int, int]) -> _Place | None:
    """What was at a place one iteration earlier is there now."""
    if place is None or place.slot is None:
        return place
    return replace(place, offset=place.offset - place.factor * steps[place.slot])


def _add_slot(
    loop: Instr,
    slot: int,
    new: Value,
    row: Sequence[_Place | None],
    reads: Sequence[Sequence[Instr] | None],
    around: list[Instr],
) -> None:
    """Read the row off a slot of its own: one element as a number, as other state is."""
    form = () if new.type.size == 1 else new.type.shape
    before: list[Instr] = []
    with building(Builder(before, loop.loc)):
        at = [_first(place, loop) for place in row if place is not None]
        first = dynamic_slice(loop.operands[slot], *at, slice_sizes=new.type.shape)
        loop.operands += (reshape(first, shape=form),)
    around[(here := around.index(loop)) : here] = before
    type = loop.operands[-1].type
    loop.results += (Value(type, loop),)
    body = loop.regions[1]
    with building(Builder(body.instrs, loop.loc)):
        body.results += (reshape(new, shape=form),)
    for region, found in zip(loop.regions, reads, strict=True):
        region.params += (Value(type, region),)
        head: list[Instr] = []
        with building(Builder(head, loop.loc)):
            carried = reshape(region.params[-1], shape=new.type.shape)
        region.instrs[:0] = head
        substitute_region(region, {read.result: carried for read in found or ()})


def _first(place: _Place, loop: Instr) -> Value:
    """The place in the first iteration."""
    if place.slot is None:
        return number(place.offset)
    start = loop.operands[place.slot]
    return add(multiply(start, filled(start.type, place.factor)), filled(start.type, place.offset))
