"""Updates that nobody reads are left out of loops, and rows that the next iteration reads carried.

    t -= 1; x = A[t]; A[t] = 0; A[t - 1] += y   ->   without A[t] = 0              (dropped)
    t -= 1; x = A[t]; A[t - 1] += y             ->   t -= 1; x = v; v = A[t - 1] + y  (carried)

both where nobody wants the array in the end; it is then only read, and needs no place among what
the loop carries.  The reverse of a loop that writes an array row by row clears the cotangent of
each row that it has taken; dynamic programs read the row before the one they write.

Dropped: the rows of the update must exist, so that nothing moves its index.  Then what later
iterations read lies on the far side of it, if their offset does not lie behind the update's in the
direction of the counter, also where an index is moved into range.

Carried: each iteration updates one row, the one that the next reads.  So all other reads, of rows
that are yet to be updated, see the array as it was before the loop.
"""

from __future__ import annotations

from collections.abc import Callable

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, Uses, substitute_region, uses
from pyxla.lower.cost import SMALL
from pyxla.lower.rows import Access, Accesses, Affine, Ranges, accesses_of, affine, counters
from pyxla.lower.trips import induction, known
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, multiply
from pyxla.ops.filled import filled
from pyxla.ops.index import dynamic_slice

CARRIED = 64  # elements of a row that is carried


def drop_unread(region: Region, needs: Uses | None = None) -> bool:
    """Do this to the loops of a region, in place; whether there was anything to do."""
    changed, loops, needs = False, [], needs or Uses()
    for instr in region.instrs:
        for inner in instr.regions:
            if drop_unread(inner, needs):
                changed = True
                needs.found.clear()
        if instr.op is while_ and any(_is_carried(instr, k) for k in range(len(instr.operands))):
            loops.append(instr)
    if loops:
        used = set(region.results).union(*[needs(instr) for instr in region.instrs])
        for loop in loops:
            changed |= _Loop(loop, used).rewrite(region.instrs)
    return changed


def _is_carried(loop: Instr, slot: int) -> bool:
    """Whether a large array in a slot changes."""
    body = loop.regions[1]
    param = body.params[slot]
    return param.type.size > SMALL and body.results[slot] is not param


class _Loop:
    """steps, ranges: of its counters.  used: values that are used around it."""

    def __init__(self, instr: Instr, used: set[Value]) -> None:
        self.instr = instr
        self.used = used
        self.steps, self.ranges = counters(instr)

    def rewrite(self, around: list[Instr]) -> bool:
        """Drop or carry what can be; new code goes before the loop."""
        if not self.steps:
            return False
        changed, needs = False, Uses()
        for slot in range(len(self.instr.operands)):
            accesses = self.accesses(slot, needs)
            if accesses is not None and (self.drop(accesses) or self.carry(slot, accesses, around)):
                changed, needs = True, Uses()
        return changed

    def accesses(self, slot: int, needs: Uses) -> Accesses | None:
        """What happens to the array in a slot, if it is large and nobody looks at its end."""
        cond, body = self.instr.regions
        if not _is_carried(self.instr, slot) or self.instr.results[slot] in self.used:
            return None
        if cond.params[slot] in cond.results or any(
            cond.params[slot] in uses(i) for i in cond.instrs
        ):
            return None
        return accesses_of(body, slot, self.ranges, needs)

    # Dropped updates.

    def drop(self, accesses: Accesses) -> bool:
        dropped: Mapping = {}
        for update in accesses.updates:
            if self.is_unread(update.instr, accesses):
                dropped[update.instr.results[0]] = update.version
        if len(dropped) == len(accesses.updates):
            dropped.update(accesses.barriers)
        if dropped:
            substitute_region(self.instr.regions[1], _followed(dropped))
        return bool(dropped)

    def is_unread(self, update: Instr, accesses: Accesses) -> bool:
        """Whether the rows are known, all exist, and no read comes upon them after the update."""
        array, new, *starts = update.operands
        for d, start in enumerate(starts):
            place = affine(start, self.ranges)
            if place is None or not place.factor or new.type.shape[d] != 1:
                continue
            if place.within(self.ranges, array.type.shape[d]) and all(
                self.misses(read, update, d, place, accesses) for read in accesses.reads
            ):
                return True
        return False

    def misses(
        self, read: Access, update: Instr, d: int, place: Affine, accesses: Accesses
    ) -> bool:
        """Whether a read finds nothing of an update to row `place` of dimension `d`."""
        there = affine(read.instr.operands[1 + d], read.ranges)
        if there is None or read.instr.attrs["slice_sizes"][d] != 1 or not there.follows(place):
            return False
        ahead = there.offset - place.offset
        forth = place.factor * self.steps[place.counter] > 0
        if ahead < 0 if forth else ahead > 0:
            return False
        if not accesses.after(read.version, update.results[0]):
            return True
        return ahead != 0 and there.within(read.ranges, update.operands[0].type.shape[d])

    # Carried rows.

    def carry(self, slot: int, accesses: Accesses, around: list[Instr]) -> bool:
        if len(accesses.updates) != 1:
            return False
        (update,) = accesses.updates
        d = self.row_dimension(update)
        if d is None:
            return False
        place = affine(update.instr.operands[2 + d], self.ranges)
        assert place is not None
        step = place.factor * self.steps[place.counter]
        next_reads = []
        for read in accesses.reads:
            there = affine(read.instr.operands[1 + d], read.ranges)
            if there is None or not there.follows(place) or not _same_block(read, update, d):
                return False
            ahead = there.offset - place.offset
            late = accesses.after(read.version, update.instr.results[0])
            # What the first iteration reads may be moved into range: so is what it is given.
            ranges = read.ranges if late or ahead != -step else self.later(place.counter, read)
            if not there.within(ranges, update.version.type.shape[d]):
                return False
            if ahead == -step:
                next_reads.append(read)
            elif ahead or late:
                return False
        if not next_reads:
            return False
        self.emit(slot, accesses, d, place, next_reads, around)
        return True

    def later(self, counter: Value, read: Access) -> Ranges:
        """What is known of a counter at a read, but for the first iteration."""
        step, (low, high) = self.steps[counter], read.ranges[counter]
        first, last = self.ranges[counter]
        low, high = (max(low, first + step), high) if step > 0 else (low, min(high, last + step))
        return {**read.ranges, counter: (low, high)}

    def row_dimension(self, update: Access) -> int | None:
        """The only dimension that a counter moves along, if the rows are few elements and exist."""
        array, new, *starts = update.instr.operands
        found = [d for d, start in enumerate(starts) if known(start) is None]
        if len(found) != 1 or new.type.size > CARRIED or new.type.shape[found[0]] != 1:
            return None
        place = affine(starts[found[0]], update.ranges)
        if place is None or not place.factor:
            return None
        return found[0] if place.within(update.ranges, array.type.shape[found[0]]) else None

    def emit(
        self,
        slot: int,
        accesses: Accesses,
        d: int,
        place: Affine,
        next_reads: list[Access],
        around: list[Instr],
    ) -> None:
        loop, body = self.instr, self.instr.regions[1]
        (update,) = accesses.updates
        starts, new = update.instr.operands[2:], update.instr.operands[1]
        counter = body.params.index(place.counter)
        begin = induction(loop)[counter][0]
        assert begin is not None
        first = place.factor * (begin - self.steps[place.counter]) + place.offset

        def row(array: Value, index: Value) -> Value:
            """The row of `array` at an index."""
            at = [index if k == d else filled(v.type, known(v)) for k, v in enumerate(starts)]
            return dynamic_slice(array, *at, slice_sizes=new.type.shape)

        before: list[Instr] = []
        with building(Builder(before, loop.loc)):
            init = row(loop.operands[slot], filled(starts[d].type, first))
        around[(at := around.index(loop)) : at] = before

        def later(version: Value, code: list[Instr]) -> Value:
            """What the row holds when the array has become `version`."""
            if version is update.instr.results[0]:
                return new
            if version in accesses.barriers:
                return later(accesses.barriers[version], code)
            if version is not body.params[slot]:
                return _given_out(version, later)
            with building(Builder(code, loop.loc)):
                far = multiply(place.counter, filled(place.counter.type, place.factor))
                return row(body.params[slot], add(far, filled(far.type, place.offset)))

        carried, tested = Value(new.type, body), Value(new.type, loop.regions[0])
        result = later(body.results[slot], body.instrs)
        loop.operands += (init,)
        loop.results += (Value(new.type, loop),)
        body.params += (carried,)
        body.results += (result,)
        loop.regions[0].params += (tested,)
        mapping = {update.instr.results[0]: update.version, **accesses.barriers}
        mapping.update({read.instr.results[0]: carried for read in next_reads})
        substitute_region(body, _followed(mapping))


def _followed(mapping: Mapping) -> Mapping:
    """The same with final targets."""
    for value in mapping:
        while mapping[value] in mapping:
            mapping[value] = mapping[mapping[value]]
    return mapping


def _given_out(version: Value, later: Callable[[Value, list[Instr]], Value]) -> Value:
    """What a conditional that makes `version` gives, as one result more."""
    instr = version.owner
    assert isinstance(instr, Instr)
    k = instr.results.index(version)
    for region in instr.regions:
        region.results += (later(region.results[k], region.instrs),)
    made = Value(instr.regions[0].results[-1].type, instr)
    instr.results += (made,)
    return made


def _same_block(read: Access, update: Access, d: int) -> bool:
    """Whether a read is of the same extents, and begins at the same place in other dimensions."""
    starts = zip(read.instr.operands[1:], update.instr.operands[2:], strict=True)
    fixed = all(k == d or known(x) == known(y) is not None for k, (x, y) in enumerate(starts))
    return fixed and tuple(read.instr.attrs["slice_sizes"]) == update.instr.operands[1].type.shape
