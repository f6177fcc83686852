"""Rows that a loop writes and reads again soon, as part of its state.

    x = A[n - 1] + A[n - 2]; A[n] = y; n += 1   ->   x = a + b; A[n] = y; a, b = y, a; n += 1

A list that grows by what follows from its last items is only read there.  Then the array is written
alone, and no state: a loop of unknown length is run again from snapshots of its state
(`pyxla.grad.checkpoints`), each of which would hold the whole array.

A read has its place, which parameters of the loop tell.  What is there in the next iteration is
the row that is written there in this one, or what was there: then that is a place, too.  Nothing is
asked of the rows: where one does not exist, updates and reads move alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyxla.frozen import dataclass
from pyxla.grad.emitting import number
from pyxla.grad.residuals import defined_in
from pyxla.grad.undone import updates_of
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region, walk
from pyxla.ir.types import I64
from pyxla.lower.trips import known, trips
from pyxla.ops import elementwise as op
from pyxla.ops.control import if_, while_
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import reshape

PLACES = 4  # of an array that become state, or that an iteration writes
DEPTH = 8  # instructions that tell one place


@dataclass(frozen=True, slots=True)
class _Place:
    """factor * the parameter in a slot, or another value, + offset; without these the offset."""

    of: int | Value | None
    factor: int
    offset: int

    def scaled(self, factor: int, offset: int) -> _Place:
        return _Place(self.of, factor * self.factor, factor * self.offset + offset)


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of two places, as a condition says."""

    which: Value
    yes: _Place | _Choice
    no: _Place | _Choice

    def scaled(self, factor: int, offset: int) -> _Choice:
        sides = [side.scaled(factor, offset) for side in (self.yes, self.no)]
        return _Choice(self.which, *sides)


def _place(value: Value, params: Mapping[Value, int], depth: int = DEPTH) -> _Place | _Choice:
    """What tells a position along a dimension."""
    owner = value.owner
    if (fixed := known(value)) is not None:
        return _Place(None, 0, fixed)
    if value in params:
        return _Place(params[value], 1, 0)
    if isinstance(owner, Instr) and depth:
        if owner.op is op.select and not owner.operands[0].type.shape:
            sides = owner.operands[1:]
            return _Choice(owner.operands[0], *[_place(x, params, depth - 1) for x in sides])
        if owner.op is if_:
            at = owner.results.index(value)
            ends = [_place(region.results[at], params, depth - 1) for region in owner.regions]
            return _Choice(owner.operands[0], *ends)
        if owner.op is op.convert and owner.operands[0].type.dtype == value.type.dtype:
            return _place(owner.operands[0], params, depth - 1)
        if owner.op in (op.add, op.subtract, op.multiply):
            return _computed(value, owner, params, depth)
    return _Place(value, 1, 0)


def _computed(
    value: Value, owner: Instr, params: Mapping[Value, int], depth: int
) -> _Place | _Choice:
    x, y = owner.operands
    if owner.op is not op.subtract and known(x) is not None:
        x, y = y, x
    if (fixed := known(y)) is None:
        return _Place(value, 1, 0)
    inner = _place(x, params, depth - 1)
    if owner.op is op.multiply:
        return inner.scaled(fixed, 0)
    return inner.scaled(1, fixed if owner.op is op.add else -fixed)


def carry_written_rows(region: Region) -> None:
    """Do this to the loops of unknown length in a region, in place."""
    for instr in list(region.instrs):
        for inner in instr.regions:
            carry_written_rows(inner)
        if instr.op is while_ and trips(instr) is None:
            for slot in range(len(instr.operands)):
                _carry(instr, slot, region.instrs)


def _carry(loop: Instr, slot: int, around: list[Instr]) -> None:
    updates = _updates(loop.regions[1], slot)
    if not updates or updates[0].operands[1].type.size == loop.operands[slot].type.size:
        return
    reads = [_reads(region, slot, updates) for region in loop.regions]
    if None in reads or not any(reads):
        return
    accesses = [*updates, *[read for found in reads for read in found or ()]]
    axis = _axis([_starts(access) for access in accesses])
    if axis is not None:
        rows = _Rows(loop, slot, updates, axis)
        if rows.follow([(read, k) for k, found in enumerate(reads) for read in found or ()]):
            rows.add(around)


def _updates(body: Region, slot: int) -> list[Instr]:
    """What writes the array in a slot, last first, if all that does are updates of like rows."""
    updates = updates_of(body, slot)
    alike = len({update.operands[1].type for update in updates}) == 1
    return updates if alike and len(updates) <= PLACES else []


def _reads(region: Region, slot: int, updates: Sequence[Instr]) -> list[Instr] | None:
    """The reads of the array in a slot; None if it has other uses than these and the updates."""
    array, code = region.params[slot], walk(region.instrs)
    given = [value for instr in code for inner in instr.regions for value in inner.results]
    if array in given or array in region.results:
        return None
    users = [instr for instr in code if array in instr.operands and instr not in updates]
    row = updates[0].operands[1].type
    fits = all(read.op is dynamic_slice and read.result.type == row for read in users)
    return users if fits else None


def _starts(access: Instr) -> tuple[Value, ...]:
    return access.operands[2 if access.op is dynamic_update_slice else 1 :]


def _axis(starts: Sequence[Sequence[Value]]) -> int | None:
    """The dimension along which places differ; None for several."""
    columns = [[known(x) for x in column] for column in zip(*starts, strict=True)]
    differ = [k for k, column in enumerate(columns) if None in column or len(set(column)) > 1]
    return None if len(differ) > 1 else next(iter(differ), 0)


class _Rows:
    """The places that are read, as values in the body, and what is there when it ends.

    tail: code for the end of the body.
    """

    def __init__(self, loop: Instr, slot: int, updates: Sequence[Instr], axis: int) -> None:
        self.loop, self.slot, self.updates, self.axis = loop, slot, updates, axis
        self.body = loop.regions[1]
        self.names = [{p: k for k, p in enumerate(region.params)} for region in loop.regions]
        self.row = updates[0].operands[1].type
        self.held: dict[_Place, Value] = {}
        self.ends: list[Value] = []
        self.reads: list[tuple[Instr, int, _Place]] = []
        self.tail: list[Instr] = []
        self.top = defined_in(self.body)

    def follow(self, reads: Sequence[tuple[Instr, int]]) -> bool:
        """Find what is at all places after an iteration, if anything tells."""
        for read, k in reads:
            place = _place(self.start(read), self.names[k])
            if any([_puts_back(read.result, update) for update in self.updates]):
                continue
            if not isinstance(place, _Place) or isinstance(place.of, Value):
                return False
            self.reads.append((read, k, place))
            self.held.setdefault(place, Value(self.row))
        with building(Builder(self.tail, self.loop.loc)):
            while len(self.ends) < len(self.held) <= PLACES:
                place = list(self.held)[len(self.ends)]
                end = self.at(self.later(place), self.updates, {})
                if end is None:
                    return False
                self.ends.append(end)
        return 0 < len(self.held) == len(self.ends)

    def later(self, place: _Place) -> _Place | _Choice:
        """A place of the next iteration."""
        if not isinstance(place.of, int):
            return place
        then = _place(self.body.results[place.of], self.names[1])
        return then.scaled(place.factor, place.offset)

    def at(
        self, place: _Place | _Choice, updates: Sequence[Instr], holds: Mapping[Value, bool]
    ) -> Value | None:
        """The row at a place after updates, last first, where conditions hold or do not; None
        where nothing tells."""
        place, row = _chosen(place, holds), None
        if updates:
            first, *rest = updates
            row = self.written(first, holds)
            if row and place == _chosen(_place(self.start(first), self.names[1]), holds):
                return row
        if isinstance(place, _Choice):
            if place.which not in self.top:
                return None
            sides = [self.at(place, updates, {**holds, place.which: x}) for x in (True, False)]
            return None if None in sides else op.select(place.which, *sides)
        if not updates:
            told = not isinstance(place.of, Value)
            return self.held.setdefault(place, Value(self.row)) if told else None
        before = self.at(place, rest, holds)
        if row is None or before is None:
            return before
        alone = self.row.shape[self.axis] == 1
        return op.select(self.same(first, place), row, before) if alone else None

    def written(self, update: Instr, holds: Mapping[Value, bool]) -> Value | None:
        """What an update writes; None for what is there."""
        row = update.operands[1]
        while isinstance(owner := row.owner, Instr) and owner.op is op.select:
            if owner.operands[0] not in holds:
                return row
            row = owner.operands[1 if holds[owner.operands[0]] else 2]
        return None if _puts_back(row, update) else row

    def same(self, update: Instr, place: _Place) -> Value:
        """Whether an update writes the row at a place, both moved to where there are rows."""
        first = number(0)
        last = number(self.loop.operands[self.slot].type.shape[self.axis] - 1)
        sides = self.start(update), _value(place, self.body.params)
        spots = [op.clamp(first, op.convert(x, dtype=I64.dtype), last) for x in sides]
        return op.compare(*spots, direction="EQ")

    def start(self, access: Instr) -> Value:
        return _starts(access)[self.axis]

    def add(self, around: list[Instr]) -> None:
        """Carry the rows: one element as a number, as other state is."""
        loop, form = self.loop, () if self.row.size == 1 else self.row.shape
        before: list[Instr] = []
        with building(Builder(before, loop.loc)):
            spots = [number(known(start) or 0) for start in _starts(self.updates[0])]
            for place in self.held:
                spots[self.axis] = _value(place, loop.operands)
                row = dynamic_slice(loop.operands[self.slot], *spots, slice_sizes=self.row.shape)
                loop.operands += (reshape(row, shape=form),)
        around[(here := around.index(loop)) : here] = before
        types = [value.type for value in loop.operands[-len(self.held) :]]
        loop.results += tuple([Value(type, loop) for type in types])
        for k, region in enumerate(loop.regions):
            fresh = tuple([Value(type, region) for type in types])
            region.params += fresh
            head: list[Instr] = []
            with building(Builder(head, loop.loc)):
                rows = [reshape(value, shape=self.row.shape) for value in fresh]
            held = dict(zip(self.held, rows, strict=True))
            mapping = {read.result: held[place] for read, at, place in self.reads if at == k}
            region.instrs[:0] = head
            if k:
                region.instrs += self.tail
                with building(Builder(region.instrs, loop.loc)):
                    region.results += tuple([reshape(end, shape=form) for end in self.ends])
                mapping.update(zip(self.held.values(), rows, strict=True))
            substitute_region(region, mapping)


def _chosen(place: _Place | _Choice, holds: Mapping[Value, bool]) -> _Place | _Choice:
    while isinstance(place, _Choice) and place.which in holds:
        place = place.yes if holds[place.which] else place.no
    return place


def _puts_back(row: Value, update: Instr) -> bool:
    """Whether a row is what is there already."""
    read = row.owner
    if not isinstance(read, Instr) or read.op is not dynamic_slice:
        return False
    return read.operands == (update.operands[0], *_starts(update))


def _value(place: _Place, slots: Sequence[Value]) -> Value:
    if not isinstance(place.of, int):
        return number(place.offset)
    start = op.convert(slots[place.of], dtype=I64.dtype)
    return op.add(op.multiply(start, number(place.factor)), number(place.offset))
