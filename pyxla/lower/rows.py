"""What a loop does with the rows of an array that it carries: reads and updates, by a counter.

Rows are affine in a counter of the loop: factor * counter + offset.  What values the counter has is
known where its start and a bound of the iterations are; conditionals on the counter narrow it down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses
from pyxla.lower.trips import OPPOSITE, conjuncts, induction, known, trips
from pyxla.ops.control import if_, optimization_barrier
from pyxla.ops.index import dynamic_slice, dynamic_update_slice

NEGATION = {"LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT", "EQ": "NE", "NE": "EQ"}

Ranges = Mapping[Value, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Affine:
    """factor * counter + offset"""

    counter: Value
    factor: int
    offset: int

    def range(self, ranges: Ranges) -> tuple[int, int]:
        ends = [self.factor * end + self.offset for end in ranges[self.counter]]
        return min(ends), max(ends)

    def within(self, ranges: Ranges, extent: int) -> bool:
        """Whether all rows exist."""
        low, high = self.range(ranges)
        return 0 <= low and high < extent

    def follows(self, other: Affine) -> bool:
        """Whether the distance to the other is the same in each iteration."""
        return (self.counter, self.factor) == (other.counter, other.factor)


@dataclass(frozen=True, slots=True)
class Access:
    """A slice or update of a version of the array, and what is known of the counters there."""

    instr: Instr
    version: Value
    ranges: Ranges


@dataclass(slots=True)
class Accesses:
    """What a loop's body does with the array in a slot.

    parents: the versions of the array, each with those it was made from.  barriers: those that are
    the same as their parent, behind a barrier.
    """

    parents: dict[Value, tuple[Value, ...]]
    updates: list[Access] = field(default_factory=list)
    reads: list[Access] = field(default_factory=list)
    barriers: dict[Value, Value] = field(default_factory=dict)

    def after(self, version: Value, update: Value) -> bool:
        """Whether `version` is `update` or made from it."""
        work, seen = [version], {version}
        while work:
            for parent in self.parents[work.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    work.append(parent)
        return update in seen


def counters(loop: Instr) -> tuple[dict[Value, int], Ranges]:
    """The steps of the counters whose values are known, and these values."""
    found, body = trips(loop), loop.regions[1]
    if found is None:
        return {}, {}
    steps, ranges = {}, {}
    for slot, (start, step) in induction(loop).items():
        wide = body.params[slot].type.dtype.itemsize >= 4
        if start is not None and step and wide:
            last = start + max(found.bound - 1, 0) * step
            steps[body.params[slot]] = step
            ranges[body.params[slot]] = min(start, last), max(start, last)
    return steps, ranges


def accesses_of(body: Region, slot: int, ranges: Ranges, needs: Uses) -> Accesses | None:
    """All uses of the array in a slot; None if there are others than slices and updates."""
    found = Accesses({body.params[slot]: ()})
    if not _collect(body, found, ranges, needs):
        return None
    others = [v for k, v in enumerate(body.results) if k != slot]
    kept = body.results[slot] in found.parents and found.parents.keys().isdisjoint(others)
    return found if kept else None


def _collect(region: Region, accesses: Accesses, ranges: Ranges, needs: Uses) -> bool:
    versions = accesses.parents
    for instr in region.instrs:
        if versions.keys().isdisjoint(needs(instr)):
            continue
        first, *others = instr.operands or (None,)
        if not versions.keys().isdisjoint(others):
            return False
        if instr.op is dynamic_update_slice:
            accesses.updates.append(Access(instr, first, ranges))
            versions[instr.results[0]] = (first,)
        elif instr.op is dynamic_slice:
            accesses.reads.append(Access(instr, first, ranges))
        elif instr.op is optimization_barrier and not others:
            versions[instr.results[0]] = (first,)
            accesses.barriers[instr.results[0]] = first
        elif instr.op is if_ and first not in versions:
            if not _collect_branches(instr, accesses, ranges, needs):
                return False
        else:
            return False
    return True


def _collect_branches(instr: Instr, accesses: Accesses, ranges: Ranges, needs: Uses) -> bool:
    for branch, truth in zip(instr.regions, (True, False), strict=True):
        refined = refine(ranges, instr.operands[0], truth)
        if not _collect(branch, accesses, refined, needs):
            return False
    versions = accesses.parents
    for result, *made in zip(instr.results, *[r.results for r in instr.regions], strict=True):
        among = [value in versions for value in made]
        if any(among) and not all(among):
            return False
        if all(among):
            versions[result] = tuple(made)
    return True


def refine(ranges: Ranges, pred: Value, truth: bool) -> Ranges:
    """What is known of counters where a predicate is known."""
    refined = dict(ranges)
    for test in conjuncts(pred) if truth else [pred]:
        for counter, low, high in _implied(test, truth, ranges):
            before = refined[counter]
            refined[counter] = max(before[0], low), min(before[1], high)
    return refined


def _implied(test: Value, truth: bool, ranges: Ranges) -> Iterator[tuple[Value, int, int]]:
    owner = test.owner
    if not isinstance(owner, Instr) or owner.op.name != "compare":
        return
    (x, y), direction = owner.operands, owner.attrs["direction"]
    if known(x) is not None:
        x, y, direction = y, x, OPPOSITE[direction]
    limit, place = known(y), affine(x, ranges)
    if limit is None or place is None or place.factor != 1:
        return
    direction = direction if truth else NEGATION[direction]
    low, high = ranges[place.counter]
    limit -= place.offset
    if direction in ("GT", "GE", "EQ"):
        low = limit + (direction == "GT")
    if direction in ("LT", "LE", "EQ"):
        high = limit - (direction == "LT")
    if direction == "NE":
        low, high = low + (low == limit), high - (high == limit)
    yield place.counter, low, high


def affine(value: Value, counters: Mapping[Value, object]) -> Affine | None:
    """An int as a function of a counter."""
    if value in counters:
        return Affine(value, 1, 0)
    owner = value.owner
    if not isinstance(owner, Instr):
        return None
    if owner.op.name == "convert" and owner.operands[0].type.dtype == value.type.dtype:
        return affine(owner.operands[0], counters)
    if owner.op.name not in ("add", "subtract", "multiply"):
        return None
    x, y = owner.operands
    if owner.op.name != "subtract" and known(x) is not None:
        x, y = y, x
    number, inner = known(y), affine(x, counters)
    if number is None or inner is None:
        return None
    if owner.op.name == "multiply":
        return Affine(inner.counter, inner.factor * number, inner.offset * number)
    offset = number if owner.op.name == "add" else -number
    return Affine(inner.counter, inner.factor, inner.offset + offset)
