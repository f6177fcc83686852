"""The reverse of a loop of unknown length, in memory that does not grow with its length.

The loop has run and its N iterations were counted.  They are cut into blocks; a block is reversed
from residuals saved while it runs again from its first state.  Those states are *snapshots*, of
which there is room for a fixed number, on a stack:

    snapshots = [state 0]; left = blocks
    while left:
        p = position of the last snapshot
        if p is not the block before `left`, and there is room:
            run from p to a block in between; push the state there
        else:
            run from p to block left - 1; run that saving residuals; reverse it; left -= 1
            pop if p is reached

Where in between: as in binomial checkpointing (Griewank & Walther, "Revolve", 2000; Stumm & Walther
2010 and Wang, Moin & Iaccarino 2009 for lengths found out on the way).  With s snapshots and each
block run at most r times, C(s + r, s) blocks can be reversed, and no schedule does better: every
block runs once more only when the length has grown by a factor of about s / r.  An iteration of the
machine does either of the two things by loops that may run zero times, so that no array passes
through a conditional.

A small state costs less to store than an iteration does.  Then the loop itself takes the snapshots
of its first blocks, and if it had no more than these, the machine begins with all of them: nothing
runs once more but the blocks, to save residuals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pyxla.frozen import dataclass
from pyxla.grad.emitting import buffer, into, load, loop, number, store
from pyxla.grad.stacks import Reversal, count_down, stack
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, inline, slice_of, uses
from pyxla.ir.types import I64
from pyxla.lower.cost import nbytes
from pyxla.ops import elementwise as op
from pyxla.ops.control import while_
from pyxla.ops.shape import iota

BLOCK_BYTES = 1 << 17  # of residuals saved at a time; short loops pay for all of them
BLOCK_LEAST = 64  # iterations that there is room for nevertheless, up to
BLOCK_MOST_BYTES = 1 << 20
RUN_TWICE = 1 << 17  # iterations that run no more than twice again, if snapshots take time
SNAPSHOT_BYTES = 1 << 28  # of all snapshots, if these are a few
# Of residuals, and of snapshots, in a loop that is reversed many times: most such loops are short.
INNER_BYTES = 1 << 12
INNER_TWICE = 1 << 10
INNER_LEAST = 8  # iterations, and snapshots, that there is room for nevertheless
LONGEST_BLOCK = 4096
PASSING_BYTES = 1 << 10  # of what is stored in an iteration although nobody may read it


@dataclass(frozen=True, slots=True)
class Blocks:
    """How a loop is cut up: iterations of a block, room for snapshots, the slots that each holds.

    entry, size: bytes of the residuals of an iteration, and of a snapshot.
    passing: snapshots are taken while the loop itself runs.  apart: iterations whose residuals
    nobody reads run in a loop that does not save them; where these are few, one loop is less code.
    """

    length: int
    snapshots: int
    state: tuple[int, ...]
    entry: int
    size: int
    passing: bool
    apart: bool

    @property
    def room(self) -> int:
        """The bytes of a block and of all snapshots."""
        return self.length * self.entry + (self.snapshots + 1) * self.size

    @staticmethod
    def of(instr: Instr, made: Reversal, snapshots: int, inner: bool) -> Blocks:
        """inner: the loop is inside of another, or of a branch."""
        left = [made.body.results[k] for k in made.restored]
        state = _state(made.body, [*made.saved, *left])
        entry = max(made.entry, 1)
        size = max(sum([nbytes(instr.operands[k]) for k in state]), 1)
        if inner:
            length = max(INNER_LEAST, INNER_BYTES // entry)
        else:
            length = max(BLOCK_LEAST, BLOCK_BYTES // entry)
        length = max(1, min(length, LONGEST_BLOCK, BLOCK_MOST_BYTES // entry))
        passing = not inner and size <= PASSING_BYTES
        # So many reverse s * s / 2 blocks that run twice again; to clear them takes time.
        wanted = math.isqrt(2 * (INNER_TWICE if inner else RUN_TWICE) // length)
        cheap, most = (INNER_BYTES,) * 2 if inner else (BLOCK_BYTES, SNAPSHOT_BYTES)
        enough = max(wanted, cheap // size, 2)
        snapshots = min(snapshots, enough, max(INNER_LEAST, most // size))
        apart = entry > PASSING_BYTES
        return Blocks(length, snapshots, state, entry, size, passing, apart)


def in_passing(instr: Instr, code: list[Instr], blocks: Blocks) -> list[Value]:
    """The states at the starts of the first blocks, stored by the loop itself, in `code`."""
    if not blocks.passing:
        return []
    body = instr.regions[1]
    first: list[Instr] = []
    with into(first):
        room = [buffer(instr.operands[k].type, blocks.snapshots + 1) for k in blocks.state]
    code[(at := code.index(instr)) : at] = first

    def place(index: Value) -> Value:
        """Of all iterations that do not start a block, the place behind the snapshots."""
        behind = number(blocks.snapshots)
        block = op.divide(index, number(blocks.length))
        starts = op.compare(index, op.multiply(block, number(blocks.length)), direction="EQ")
        return op.select(starts, op.minimum(block, behind), behind)

    return stack(instr, code, [body.params[k] for k in blocks.state], room, place)[0]


def checkpointed(
    instr: Instr,
    made: Reversal,
    blocks: Blocks,
    count: Value,
    taken: Sequence[Value],
    inits: Sequence[Value],
) -> tuple[Value, ...]:
    """Cotangents of the slots and captured values of a loop that made `count` iterations."""
    return _Machine(made, instr, blocks, count).run(taken, inits)


def _state(body: Region, saved: Sequence[Value]) -> tuple[int, ...]:
    """The slots that residuals of any iteration are computed from."""
    slots: set[int] = set()
    while True:
        wanted = [*saved, *[body.results[k] for k in slots]]
        used = set(wanted)
        for instr in slice_of(body.instrs, wanted):
            used.update(uses(instr))
        new = {k for k, param in enumerate(body.params) if param in used} - slots
        if not new:
            return tuple(sorted(slots))
        slots |= new


class _Machine:
    """What the code below is made from."""

    def __init__(self, made: Reversal, loop: Instr, blocks: Blocks, count: Value) -> None:
        self.made = made
        self.loop = loop
        self.state = blocks.state
        self.count = count
        self.length = blocks.length
        self.snapshots = blocks.snapshots
        self.apart = blocks.apart

    def run(self, taken: Sequence[Value], inits: Sequence[Value]) -> tuple[Value, ...]:
        """The loop over the stack of snapshots, of which those of all blocks may be `taken`."""
        left = op.divide(op.add(self.count, number(self.length - 1)), number(self.length))
        places = self.snapshots + 1
        # The entry behind is for what nobody reads.
        room = [buffer(v.type, self.length + (not self.apart)) for v in self.made.saved]
        if taken:
            positions, snapshots = iota(dtype=I64.dtype, shape=(places,), dimension=0), list(taken)
            fits = op.compare(left, number(self.snapshots), direction="LE")
            top = op.select(fits, op.subtract(left, number(1)), number(0))
        else:
            start = [self.loop.operands[k] for k in self.state]
            snapshots = [store(buffer(value.type, places), number(0), value) for value in start]
            positions, top = buffer(I64, places), number(0)
        carried = [left, top, positions, *snapshots, *room, *inits]
        results = loop(carried, lambda left, *_: _positive(left), self.step)
        return results[len(results) - len(inits) :]

    def step(self, left: Value, top: Value, positions: Value, *carried: Value) -> tuple[Value, ...]:
        """Push a snapshot, or reverse the last block that is left."""
        snapshots: Sequence[Value]
        room: Sequence[Value]
        cts: Sequence[Value]
        width = len(self.state)
        end = width + len(self.made.saved)
        snapshots, room, cts = carried[:width], carried[width:end], carried[end:]
        one = number(1)
        position = load(positions, top)
        ahead = op.subtract(left, position)
        free = op.subtract(number(self.snapshots - 1), top)
        pushes = op.and_(op.compare(ahead, one, direction="GT"), _positive(free))
        blocks = op.select(pushes, self.between(ahead, free), op.subtract(ahead, one))
        length = number(self.length)
        at = op.add(position, blocks)
        first = op.multiply(at, length)
        rest = op.minimum(length, op.subtract(self.count, first))
        steps = op.select(pushes, number(0), rest)
        start = [load(s, top) for s in snapshots]
        state, room = self.run_on(start, op.multiply(blocks, length), steps, room)
        last = [state[self.state.index(k)] for k in self.made.restored]
        cts = count_down(self.made, room, steps, cts, last, first)
        slot = op.select(pushes, op.add(top, one), number(self.snapshots))
        snapshots = tuple([store(s, slot, x) for s, x in zip(snapshots, state, strict=True)])
        positions = store(positions, slot, at)
        left = op.select(pushes, left, op.subtract(left, one))
        reached = op.compare(ahead, one, direction="EQ")
        top = op.select(pushes, slot, op.select(reached, op.subtract(top, one), top))
        return left, top, positions, *snapshots, *room, *cts

    def between(self, ahead: Value, room: Value) -> Value:
        """How many of `ahead` blocks to run before the next snapshot, `room` more of them.

        The blocks that `places` snapshots reverse, each run `repeats` times more, are binomials:
        the first of them that suffices, and the two before.
        """
        zero, one = number(0), number(1)
        places = op.add(room, one)

        def more(repeats: Value, enough: Value, *_: Value) -> Value:
            return op.compare(enough, ahead, direction="LT")

        def next_binomial(repeats: Value, last: Value, before: Value, _: Value) -> Any:
            repeats = op.add(repeats, one)
            larger = op.multiply(last, op.add(places, repeats))
            return repeats, op.divide(larger, repeats), last, before

        repeats, enough, _, fewest = loop([zero, one, zero, zero], more, next_binomial)
        right = op.divide(op.multiply(enough, places), op.add(places, repeats))
        ideal = op.maximum(fewest, op.subtract(ahead, right))
        return op.clamp(one, ideal, op.subtract(ahead, one))

    def run_on(
        self, state: Sequence[Value], skipped: Value, steps: Value, room: Sequence[Value]
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        """The state some iterations later, and the residuals of the last of them, `steps`."""
        if self.apart:
            state, skipped = self.advanced(state, skipped), number(0)
        body, index = self.made.body, Value(I64, None, "j")
        kept = [body.params[k] for k in self.state]
        results = [body.results[k] for k in self.state]
        region = Region((index, *kept), slice_of(body.instrs, [*results, *self.made.saved]))
        with into(region.instrs):
            region.results = (op.add(index, number(1)), *results)
        types = [value.type for value in region.params]
        last = op.add(skipped, steps)
        cond = current().region(types, lambda j, *_: op.compare(j, last, direction="LT"))
        again = while_(number(0), *state, regions=(cond, region))[0].owner

        def place(j: Value) -> Value:
            if self.apart:
                return j
            early = op.compare(j, skipped, direction="LT")
            return op.select(early, number(self.length), op.subtract(j, skipped))

        buffers, _ = stack(again, current().instrs, self.made.saved, room, place)
        return again.results[1 : 1 + len(state)], buffers

    def advanced(self, state: Sequence[Value], steps: Value) -> tuple[Value, ...]:
        """The state `steps` iterations later."""
        body = self.loop.regions[1]
        results = [body.results[k] for k in self.state]
        part = slice_of(body.instrs, results)

        def iteration(left: Value, *state: Value) -> tuple[Value, ...]:
            mapping: Mapping = {body.params[k]: v for k, v in zip(self.state, state, strict=True)}
            return op.subtract(left, number(1)), *inline(
                Region((), part, tuple(results)), (), mapping
            )

        return loop([steps, *state], lambda left, *_: _positive(left), iteration)[1:]


def _positive(value: Value) -> Value:
    return op.compare(value, number(0), direction="GT")
