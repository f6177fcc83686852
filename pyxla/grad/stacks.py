"""Residuals of a loop's iterations, in buffers with one entry per iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyxla.frozen import dataclass
from pyxla.grad.emitting import as_counter, into, load, loop, number, store
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, inline
from pyxla.ir.types import I64, ArrayType
from pyxla.lower.cost import nbytes
from pyxla.lower.trips import induction
from pyxla.ops.elementwise import add, compare, subtract
from pyxla.ops.filled import zeros

LOG_BYTES = 1 << 20  # that a loop in others may save, if nothing tells how often it runs
LOG_RUNS = 4  # iterations of it in one of the outer ones that there is room for
LOG_MOST = 1 << 26  # bytes, however often they run
LOG_LEAST = 1 << 12  # iterations in all that there is room for, if that is enough


class Logs:
    """What the loops in a loop save, one iteration after the other, whichever of the outer one.

    runs: how often the body of the outer loop runs at most, in all.  surely: how often the
    outermost one does.  made: the slots that the body has for that, and what it makes of them: how
    many iterations there were, and what they saved.  after: what is there when all is over.  room:
    for how many iterations there is room, by how many there were, where these may be more; what is
    behind is lost.
    """

    def __init__(self, runs: int | None, surely: int) -> None:
        self.runs, self.surely = runs, surely
        self.made: dict[Value, Value] = {}
        self.after: dict[Value, Value] = {}
        self.room: dict[Value, int] = {}

    def slot(self, type: ArrayType, after: Value | None = None) -> Value:
        fresh = Value(type)
        self.made[fresh], self.after[fresh] = fresh, after or Value(type)
        return fresh

    def slots(self, made: Reversal, most: int | None, limit: int) -> list[Value]:
        """The slots of a loop in the body, which runs so often at most: its iterations so far,
        then what they save, up to `limit` bytes."""
        total = None if most is None or self.runs is None else self.runs * most
        length = max(LOG_RUNS * self.surely, min(LOG_LEAST, LOG_BYTES // made.entry), 1)
        length = min(length, min(LOG_MOST, limit) // made.entry)
        enough = total is not None and total * made.entry <= LOG_BYTES
        length = max(total, 1) if enough else length + 1
        types = [ArrayType(v.type.dtype, (length, *v.type.shape)) for v in made.saved]
        start, *slots = [self.slot(type) for type in (I64, *types)]
        if not enough:
            self.room[self.after[start]] = length - 1
        return [start, *slots]

    def carried(self, instr: Instr, around: Logs | None) -> Mapping:
        """Give a loop, which has the body by now, these slots: what is there after it."""
        inits = [
            around.slot(slot.type, after) if around else zeros(slot.type)
            for slot, after in self.after.items()
        ]
        results = _widen(instr, inits)
        if around:
            around.made.update(zip(inits, results, strict=True))
            around.room.update(self.room)
        return dict(zip(self.after.values(), results, strict=True))


@dataclass(frozen=True, slots=True)
class Reversal:
    """A copy of a loop's body with its reverse.

    reverse: (number of the iteration, cotangents of slots, of captured values, what is in
    `restored` after the iteration) -> the same, what is there before it.
    saved: values of `body` that it reads.  restored: slots of arrays that it puts back.
    logs: where loops in `body` save.
    """

    body: Region
    reverse: Region
    slots: tuple[int, ...]
    captured: tuple[Value, ...]
    saved: tuple[Value, ...]
    restored: tuple[int, ...]
    logs: Logs | None

    @property
    def entry(self) -> int:
        """The bytes that are saved of an iteration."""
        return sum([nbytes(value) for value in self.saved])


def stack(
    instr: Instr,
    code: list[Instr],
    saved: Sequence[Value],
    room: Sequence[Value],
    place: Callable[[Value], Value] = lambda index: index,
) -> tuple[list[Value], Value]:
    """Extend a loop that is in `code`, `room` before it: (buffers of saved values, iterations).

    place: where the values of an iteration go, given its number.
    """
    made: list[Instr] = []
    with into(made):
        index, count = _counter(instr)
        buffers = _carry(instr, room)
    code[(here := code.index(instr)) : here] = made
    body = instr.regions[1]
    given = body.params[len(body.params) - len(saved) :] if saved else ()
    with into(body.instrs):
        at = place(index)
        stored = [store(b, at, value) for b, value in zip(given, saved, strict=True)]
    body.results = (*body.results[: len(body.results) - len(saved)], *stored)
    return buffers, count


def counted(instr: Instr, code: list[Instr]) -> Value:
    """Count the iterations of a loop that is in `code`."""
    made: list[Instr] = []
    with into(made):
        _, count = _counter(instr)
    code[(at := code.index(instr)) : at] = made
    return count


def _counter(instr: Instr) -> tuple[Value, Value]:
    """The number of the iteration, inside the body and after the loop: a new slot if need be."""
    body = instr.regions[1]
    for k, found in induction(instr).items():
        if found == (0, 1) and body.params[k].type.dtype == I64.dtype:
            return body.params[k], instr.results[k]
    (count,) = _carry(instr, [number(0)])
    index = body.params[-1]
    with into(body.instrs):
        body.results = (*body.results[:-1], add(index, number(1)))
    return index, count


def _carry(instr: Instr, inits: Sequence[Value]) -> list[Value]:
    """Slots more, which stay as they are so far; their final values."""
    body = instr.regions[1]
    fresh = [Value(init.type, body) for init in inits]
    body.params, body.results = (*body.params, *fresh), (*body.results, *fresh)
    return _widen(instr, inits)


def _widen(instr: Instr, inits: Sequence[Value]) -> list[Value]:
    """Give a loop the slots that its body has more; their final values."""
    instr.operands = (*instr.operands, *inits)
    cond = instr.regions[0]
    cond.params = (*cond.params, *[Value(init.type, cond) for init in inits])
    results = [Value(init.type, instr) for init in inits]
    instr.results = (*instr.results, *results)
    return results


def count_down(
    made: Reversal,
    buffers: Sequence[Value],
    count: Value,
    inits: Sequence[Value],
    left: Sequence[Value],
    first: Value | None = None,
    place: Callable[[Value], Value] = lambda index: index,
) -> tuple[Value, ...]:
    """The reverse of `count` iterations, from number `first`, whose residuals were saved.

    left: what they left of the slots that are restored.  place: where those of an iteration are.
    """

    def more(t: Value, *_: Value) -> Value:
        return compare(t, number(0), direction="GT")

    def back(t: Value, *cts: Value) -> tuple[Value, ...]:
        index = subtract(t, number(1))
        at = place(index)
        loaded = [load(b, at) for b in buffers]
        mapping: Mapping = dict(zip(made.saved, loaded, strict=True))
        which = index if first is None else add(first, index)
        return index, *inline(made.reverse, (which, *cts), mapping)[1:]

    return loop([as_counter(count), *inits, *left], more, back)[1 : 1 + len(inits)]
