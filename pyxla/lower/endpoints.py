"""Checks of a counted loop, made once before it: what does not vary, and bounds of an index that
the counter decides, at the endpoints of its range.

    for i in range(n):                 flag not (0 < n) or n - 1 + 2 < 10
        flag i + 2 < 10          ->    for i in range(n):
        ...                                ...

The check before the loop fails exactly where one of those inside would: only checks that each
iteration makes are moved, out of loops which nothing but their counter ends, and the test whether
there is an iteration at all goes with them.  Gupta, "Optimizing array bound checks using flow
analysis" (1993).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Branch, Instr, Phi, Value
from pyxla.ir.dominance import Loop, dominates
from pyxla.ir.rewrite import Mapping as Renaming
from pyxla.ir.rewrite import clone
from pyxla.lower.trips import OPPOSITE, conjuncts, known
from pyxla.ops.elementwise import and_, compare, not_, or_, subtract
from pyxla.ops.filled import constant
from pyxla.ops.sticky import flag

Homes = dict[Instr, Block]
# A counter beyond FAR is beyond every bound below NEAR that an index of it is compared with, and
# nothing below it leaves 64 bits: factors are below FACTOR.
FAR, NEAR, FACTOR = 1 << 40, 1 << 39, 1 << 20
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

    def __init__(self, loop: Loop, count: Counted, entry: Block, homes: Homes) -> None:
        self.loop, self.count, self.entry, self.homes = loop, count, entry, homes
        self.fixed: Renaming = {}  # what does not vary
        self.ends: dict[bool, Renaming] = {}  # what the counter decides, at the last or first

    def move(self, check: Instr) -> bool:
        """Whether a check needs not be in the loop any more."""
        (fine,) = check.operands
        if "bits" not in check.attrs:
            return False  # a word
        tests = conjuncts(fine)
        places = [self.place(test) for test in tests]
        if None in places:
            return False
        before = len(self.entry.instrs)
        with building(Builder(self.entry.instrs, check.loc)):
            holds = not_(self.entered())
            parts = [self.copied(t, place) for t, place in zip(tests, places, strict=True)]
            if True in places:
                parts.append(self.near())
            met = parts[0]
            for part in parts[1:]:
                met = and_(met, part)
            flag(or_(holds, met), **check.attrs)
        self.homes.update(dict.fromkeys(self.entry.instrs[before:], self.entry))
        return True

    def place(self, test: Value) -> bool | str | None:
        """Where a test is made: at the last iteration (True), the first (False), anywhere; None if
        each iteration has to."""
        if not varies(test, self.loop, self.homes):
            return "anywhere"
        made = test.owner
        if not isinstance(made, Instr) or made.op is not compare:
            return None
        (x, y), direction = made.operands, made.attrs["direction"]
        if known(x) is not None:
            x, y, direction = y, x, OPPOSITE[direction]
        limit, start = known(y), known(self.count.start)
        if limit is None or abs(limit) >= NEAR or not self.rises(x):
            return None
        if direction in ("LT", "LE"):
            return True
        small = start is not None and abs(start) < NEAR
        return False if direction in ("GT", "GE") and small else None

    def rises(self, x: Value) -> bool:
        """Whether an index is the counter times and plus constants, the factors positive."""
        if x is self.count.counter:
            return True
        made = x.owner
        if not isinstance(made, Instr) or made.op.name not in ("add", "subtract", "multiply"):
            return False
        one, other = made.operands
        if made.op.name != "subtract" and known(other) is None:
            one, other = other, one
        by = known(other)
        if by is None:
            return False
        if made.op.name == "multiply":
            return 0 < by < FACTOR and one is self.count.counter
        return abs(by) < FACTOR and self.rises(one)

    def entered(self) -> Value:
        """Whether there is an iteration."""
        made: Value = compare(self.at(self.count.start), self.at(self.count.limit), direction="LT")
        return made

    def last(self) -> Value:
        limit = self.at(self.count.limit)
        return subtract(limit, constant(value=np.array(1, limit.type.dtype)))

    def near(self) -> Value:
        """Whether the counter stays where an index of it does not leave 64 bits."""
        last = self.last()
        far = constant(value=np.array(FAR, last.type.dtype))
        made: Value = compare(last, far, direction="LT")
        return made

    def at(self, value: Value) -> Value:
        """A value that does not vary, before the loop."""
        return self.copied(value, "anywhere")

    def copied(self, value: Value, place: bool | str | None) -> Value:
        """A value at an endpoint."""
        if place == "anywhere":
            mapping = self.fixed
        elif place in self.ends:
            mapping = self.ends[bool(place)]
        else:
            counter = self.last() if place else self.at(self.count.start)
            mapping = self.ends[bool(place)] = {self.count.counter: counter}
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
