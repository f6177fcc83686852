"""Checks of a counted loop, made once before it: what does not vary, and bounds of an index that
is affine in the counter, at the endpoints of its range.

    for i in range(n):                 flag not (0 < n) or n - 1 + k < 10
        flag i + k < 10          ->    for i in range(n):
        ...                                ...

The check before the loop fails exactly where one of those inside would: only checks that each
iteration makes are moved, out of loops which nothing but their counter ends, and the test whether
there is an iteration at all goes with them.  What the header of any loop checks, and does not vary,
is checked before it as it is.  Gupta, "Optimizing array bound checks using flow analysis" (1993).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Branch, Instr, Jump, Phi, Value
from pyxla.ir.dominance import Loop, dominates
from pyxla.ir.rewrite import Mapping as Renaming
from pyxla.ir.rewrite import clone
from pyxla.lower.trips import OPPOSITE, conjuncts, known
from pyxla.ops.elementwise import and_, compare, convert, negate, not_, or_, subtract, xor
from pyxla.ops.filled import constant
from pyxla.ops.sticky import flag

Homes = dict[Instr, Block]
# An index that begins within NEAR, while its counter goes up to FAR, by factors below FACTOR, does
# not leave 64 bits; one that begins beyond NEAR is beyond all bounds there are below LARGEST.
FAR, NEAR, LARGEST, FACTOR = 1 << 41, 1 << 38, 1 << 37, 1 << 20
End = str  # where a value is computed
ANYWHERE, BOTH = "anywhere", ("first", "last")
ORDERED = ("LT", "LE", "GT", "GE")
FEW = 1 << 24  # iterations that may as well be finished once a flag is set


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop that goes on while `test` says that its counter, which goes up or down by a constant
    from `start`, has not reached `limit`, and that nothing else ends.

    upwards: the counter goes up by one while it is below the limit.
    """

    test: Instr
    counter: Value
    start: Value
    limit: Value
    upwards: bool

    @property
    def short(self) -> bool:
        """Whether the trip count is known, and of no account."""
        start, limit = known(self.start), known(self.limit)
        return start is not None and limit is not None and abs(limit - start) <= FEW


def counted(loop: Loop, homes: Homes) -> Counted | None:
    end = loop.header.terminator
    test = end.cond.owner if isinstance(end, Branch) else None
    if not isinstance(test, Instr) or test.op is not compare or homes.get(test) is not loop.header:
        return None
    if any(source is not loop.header for source, _ in loop.exits) or not loop.exits:
        return None
    for side, (x, limit) in enumerate((test.operands, test.operands[::-1])):
        phi = x.owner
        if not isinstance(phi, Phi) or phi.block is not loop.header or varies(limit, loop, homes):
            continue
        steps = [_step(v, x) for pred, v in phi.args.items() if pred in loop.blocks]
        starts = [v for pred, v in phi.args.items() if pred not in loop.blocks]
        if len(starts) == 1 and all(steps):
            direction = test.attrs["direction"]
            below = (OPPOSITE[direction] if side else direction) == "LT"
            inside = isinstance(end, Branch) and end.if_true in loop.blocks
            return Counted(test, x, starts[0], limit, below and inside and set(steps) == {1})
    return None


def varies(value: Value, loop: Loop, homes: Homes) -> bool:
    """Whether a value may differ between iterations."""
    work, seen = [value], set[Value]()
    while work:
        x = work.pop()
        owner = x.owner
        if x in seen:
            continue
        seen.add(x)
        if isinstance(owner, Phi):
            if owner.block in loop.blocks:
                return True
        elif isinstance(owner, Instr) and homes.get(owner) in loop.blocks:
            if owner.regions or owner.op.effect:
                return True
            work += owner.operands
    return False


def _step(value: Value, counter: Value) -> int:
    """By what constant an instruction moves the counter; 0 where it does not."""
    made = value.owner
    if not isinstance(made, Instr) or made.op.name not in ("add", "subtract"):
        return 0
    one, other = made.operands
    if made.op.name == "add" and other is counter:
        one, other = other, one
    by = known(other) if one is counter else None
    return 0 if by is None else by if made.op.name == "add" else -by


def move_from_header(loop: Loop, homes: Homes) -> None:
    """Check before a loop what its header checks and does not vary."""
    header = loop.header
    entries = [pred for pred in header.preds if pred not in loop.blocks]
    if len(entries) != 1 or not isinstance(entries[0].terminator, Jump):
        return
    moving = _Moving(loop, None, entries[0], homes)
    for instr in [i for i in header.instrs if i.op is flag]:
        if not varies(instr.operands[0], loop, homes):
            moving.as_it_is(instr)
            header.instrs.remove(instr)


def copied_before(loop: Loop, value: Value, homes: Homes) -> Value:
    """What does not vary in a loop with one entry, computed there."""
    (entry,) = [pred for pred in loop.header.preds if pred not in loop.blocks]
    return _Moving(loop, None, entry, homes).at(value)


def move_checks(loop: Loop, count: Counted, idom: Mapping[Block, Block], homes: Homes) -> None:
    """Check before the loop what each of its iterations checks."""
    entries = [pred for pred in loop.header.preds if pred not in loop.blocks]
    if len(entries) != 1 or not count.upwards:
        return
    (entry,) = entries
    moving = _Moving(loop, count, entry, homes)
    for block in loop.blocks:
        always = all(dominates(idom, block, latch) for latch in loop.latches)
        inner = any(block in child.blocks for child in loop.children)
        if block is loop.header or not always or inner:
            continue
        block.instrs[:] = [i for i in block.instrs if i.op is not flag or not moving.move(i)]


class _Moving:
    """What is written at the end of `entry`, the block before a loop."""

    def __init__(self, loop: Loop, count: Any, entry: Block, homes: Homes) -> None:
        self.loop, self.count, self.entry, self.homes = loop, count, entry, homes
        self.ends: dict[End, Renaming] = {ANYWHERE: {}}

    def move(self, check: Instr) -> bool:
        """Whether a check needs not be in the loop any more."""
        (fine,) = check.operands
        if "bits" not in check.attrs:
            return False  # a word
        tests = conjuncts(fine)
        self.indices = dict[Value, None]()
        places = [self.place(test) for test in tests]
        if None in places:
            return False
        before = len(self.entry.instrs)
        with building(Builder(self.entry.instrs, check.loc)):
            holds = not_(self.entered())
            pairs = zip(tests, places, strict=True)
            parts = [self.copied(test, end) for test, ends in pairs for end in ends or ()]
            if self.indices:
                parts += self.near()
            flag(or_(holds, functools.reduce(and_, parts)), **check.attrs)
        self.homes.update(dict.fromkeys(self.entry.instrs[before:], self.entry))
        return True

    def as_it_is(self, check: Instr) -> None:
        """Move a check of what does not vary, which is made in any case."""
        before = len(self.entry.instrs)
        x = self.at(check.operands[0])
        with building(Builder(self.entry.instrs, check.loc)):
            flag(x, **check.attrs)
        self.homes.update(dict.fromkeys(self.entry.instrs[before:], self.entry))

    def place(self, test: Value) -> tuple[End, ...] | None:
        """Where a test is made: at the last iteration, the first, or both; None if each iteration
        has to."""
        if not varies(test, self.loop, self.homes):
            return (ANYWHERE,)
        made = test.owner
        if not isinstance(made, Instr) or made.op is not compare:
            return None
        (x, y), direction = made.operands, made.attrs["direction"]
        if known(x) is not None:
            x, y, direction = y, x, OPPOSITE[direction]
        limit = known(y)
        if limit is None or direction not in ORDERED:
            return None
        if abs(limit) >= LARGEST:
            return BOTH if self.is_exact(x) else None
        return BOTH if self.is_sum_of_exact(x) else self.bound(x, direction)

    def bound(self, x: Value, direction: str) -> tuple[End, ...] | None:
        """Where an index is compared with an end of an array."""
        terms: dict[Value, int] = {}
        affine = self.gather(x, 1, terms, exact=False)
        factor, start = terms.get(self.count.counter, 0), known(self.count.start)
        if not affine or not 0 < abs(factor) < FACTOR or start is None or abs(start) >= LARGEST:
            return None
        self.indices[x] = None
        return ("last",) if (direction in ("LT", "LE")) is (factor > 0) else ("first",)

    def is_exact(self, x: Value) -> bool:
        """Whether one of Python's ints is affine in the counter, as those that leave 64 bits have a
        check of their own: its extremes are at the endpoints."""
        return self.gather(x, 1, {}, exact=True)

    def is_sum_of_exact(self, signs: Value) -> bool:
        """Whether `signs` tells by its own that a sum, or a difference, of such ints leaves 64
        bits: then it does at an endpoint."""
        made = signs.owner
        if not isinstance(made, Instr) or made.op is not and_:
            return False
        found: dict[Value, None] = {}
        for part in made.operands:
            if not isinstance(part.owner, Instr) or part.owner.op is not xor:
                return False
            found.update(dict.fromkeys(part.owner.operands))
        for total in found:
            made = total.owner
            if isinstance(made, Instr) and made.op.name in ("add", "subtract"):
                if {total, *made.operands} == found.keys():
                    return all(map(self.is_exact, made.operands))
        return False

    def gather(self, x: Value, times: int, terms: dict[Value, int], exact: bool) -> bool:
        """Add `times * x` to the terms; False where it is not affine.

        exact: only Python's ints, of any size.
        """
        made = x.owner
        if x is self.count.counter or not varies(x, self.loop, self.homes):
            terms[x] = terms.get(x, 0) + times
            return True
        if not isinstance(made, Instr) or x.type.dtype != np.int64 or (exact and not x.type.weak):
            return False
        if made.op is convert and made.operands[0].type.dtype == x.type.dtype:
            return self.gather(made.operands[0], times, terms, exact)
        if made.op is negate:
            return self.gather(made.operands[0], -times, terms, exact)
        if made.op.name not in ("add", "subtract", "multiply"):
            return False
        one, other = made.operands
        sign = -1 if made.op.name == "subtract" else 1
        if made.op.name == "multiply":
            one, other = (other, one) if known(other) is None else (one, other)
            by = known(other)
            return by is not None and self.gather(one, times * by, terms, exact)
        return all(
            [self.gather(v, t, terms, exact) for v, t in ((one, times), (other, sign * times))]
        )

    def entered(self) -> Value:
        """Whether there is an iteration."""
        made: Value = compare(self.at(self.count.start), self.at(self.count.limit), direction="LT")
        return made

    def last(self) -> Value:
        limit = self.at(self.count.limit)
        return subtract(limit, constant(value=np.array(1, limit.type.dtype)))

    def near(self) -> list[Value]:
        """Whether the counter and the indices stay where nothing leaves 64 bits."""
        tests = [self.beside(self.last(), FAR, "LT")]
        for index in self.indices:
            first = self.copied(index, "first")
            tests += [self.beside(first, NEAR, "LT"), self.beside(first, -NEAR, "GT")]
        return tests

    def beside(self, x: Value, limit: int, direction: str) -> Value:
        end = constant(value=np.array(limit, x.type.dtype))
        made: Value = compare(x, end, direction=direction)
        return made

    def at(self, value: Value) -> Value:
        """A value that does not vary, before the loop."""
        return self.copied(value, ANYWHERE)

    def copied(self, value: Value, end: End) -> Value:
        """A value at an endpoint."""
        if end not in self.ends:
            counter = self.last() if end == "last" else self.at(self.count.start)
            self.ends[end] = {self.count.counter: counter}
        mapping = self.ends[end]
        needed = self.inside(value, mapping)
        self.entry.instrs += clone(needed, mapping)
        return mapping.get(value, value)

    def inside(self, value: Value, mapping: Renaming) -> list[Instr]:
        """The instructions of the loop that compute `value`, in order."""
        found: dict[Instr, None] = {}

        def visit(x: Value) -> None:
            made = x.owner
            if x in mapping or not isinstance(made, Instr) or made in found:
                return
            if self.homes.get(made) in self.loop.blocks:
                for operand in made.operands:
                    visit(operand)
                found[made] = None

        visit(value)
        return list(found)
