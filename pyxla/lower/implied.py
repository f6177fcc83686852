"""Checks that an earlier one implies, or a branch that was taken, which go.

    flag %i < 10; %x = a[%i]           flag %i < 10; %x = a[%i]
    flag %i < 10; b[%i] = %x     ->    b[%i] = %x

    if %i >= 0: flag %i >= -10   ->    if %i >= 0: ...

A check on the same values in a block that dominates it has failed where this one would, in the same
iteration, and raises first.  Values are the same if they are computed alike of the same values
(Alpern, Wegman and Zadeck, "Detecting equality of variables in programs", 1988; here what is one
value in each iteration).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from pyxla.ir.core import Block, Branch, Instr, Phi, Value
from pyxla.ir.dominance import dominates
from pyxla.lower.rules import known
from pyxla.ops.elementwise import NEGATED, and_, compare, convert, not_, or_, select
from pyxla.ops.sticky import flag

# What is told of a value, and how much: that it is at least, or at most, that.
Claim = tuple[Hashable, int]
_TURNED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}


def drop_implied(order: Sequence[Block], idom: Mapping[Block, Block]) -> None:
    """Drop them from blocks in reverse postorder, in place."""
    told = _Told(order, idom)
    for block in order:
        told.enter(block)
        kept: list[Instr] = []
        for instr in block.instrs:
            if instr.op is flag and "bits" in instr.attrs:
                claims = told.claimed(instr.operands[0], True)
                if all([told.holds(claim, block) for claim in claims]):
                    continue
                told.add(block, claims)
            elif instr.op is select and not instr.operands[0].type.shape:
                told.choose(block, instr)
            kept.append(instr)
        block.instrs[:] = kept


def _parts(test: Value, holds: bool) -> Iterator[tuple[Value, bool]]:
    """The conditions that hold, or do not, where one does, or does not."""
    made = test.owner
    if not isinstance(made, Instr):
        yield test, holds
    elif made.op is not_:
        yield from _parts(made.operands[0], not holds)
    elif made.op is (and_ if holds else or_):
        for x in made.operands:
            yield from _parts(x, holds)
    elif made.op is convert and made.operands[0].type.dtype == test.type.dtype:
        yield from _parts(made.operands[0], holds)
    else:
        yield test, holds


class _Told:
    """What holds from where on: `where` a claim was made, and what each block `says`."""

    def __init__(self, order: Sequence[Block], idom: Mapping[Block, Block]) -> None:
        self.idom = idom
        self.place = {block: k for k, block in enumerate(order)}
        self.numbers = _Numbers()
        self.where: dict[Hashable, list[tuple[int, Block]]] = {}
        self.says: dict[Block, list[Claim]] = {}

    def add(self, block: Block, claims: Sequence[Claim]) -> None:
        for what, least in claims:
            self.where.setdefault(what, []).append((least, block))
        self.says.setdefault(block, []).extend(claims)

    def holds(self, claim: Claim, block: Block) -> bool:
        what, least = claim
        found = self.where.get(what, ())
        return any([much >= least and dominates(self.idom, at, block) for much, at in found])

    def enter(self, block: Block) -> None:
        """Note what a branch tells that only leads here."""
        if len(block.preds) != 1:
            return
        end = block.preds[0].terminator
        if isinstance(end, Branch) and end.if_true is not end.if_false:
            self.learn(block, end.cond, end.if_true is block)

    def learn(self, block: Block, test: Value, holds: bool) -> None:
        for x, so in _parts(test, holds):
            self.add(block, self.claims(x, so))
            if isinstance(x.owner, Phi):
                self.learn_of_paths(block, x.owner, so)

    def learn_of_paths(self, block: Block, phi: Phi, holds: bool) -> None:
        """Of `a and b`, which is false on the path where `a` is, that both hold."""
        merge = phi.block
        if any([self.place.get(pred, len(self.place)) >= self.place[merge] for pred in phi.args]):
            return
        open_ = [
            (pred, x)
            for pred, x in phi.args.items()
            if not all([self.holds(claim, pred) for claim in self.claimed(x, not holds)])
        ]
        if len(open_) != 1:
            return
        ((pred, x),) = open_
        above = pred
        while above is not self.idom[merge] and above is not self.idom[above]:
            self.add(block, list(self.says.get(above, ())))
            above = self.idom[above]
        self.learn(block, x, holds)

    def choose(self, block: Block, instr: Instr) -> None:
        """Let a selection be of one value where the other one is not taken: `i + n if i < 0`."""
        test, *values = instr.operands
        for value, so in zip(values, (True, False), strict=True):
            taken = all([self.holds(claim, block) for claim in self.claimed(test, so)])
            if taken and value.type == instr.result.type:
                instr.operands = (test, value, value)

    def claimed(self, test: Value, holds: bool) -> list[Claim]:
        """All that a condition says where it holds, or does not."""
        return [claim for x, so in _parts(test, holds) for claim in self.claims(x, so)]

    def claims(self, test: Value, holds: bool) -> list[Claim]:
        """What a condition says of values where it holds, or does not."""
        content = known(test)
        if content is not None and content.size == 1:
            return [] if bool(content) is holds else [("never", 1)]
        number = self.numbers.of(test)
        claims: list[Claim] = [((number, holds), 1)]
        made = test.owner
        if not isinstance(made, Instr) or made.op is not compare:
            return claims
        x, y = made.operands
        direction = made.attrs["direction"]
        if x.type.dtype.kind not in "iu" or x.type.shape:
            return claims
        direction = direction if holds else NEGATED[direction]
        if known(x) is not None:
            x, y, direction = y, x, _TURNED[direction]
        bound = known(y)
        if bound is None:
            return claims
        return self.bounds(x, direction, int(bound)) or claims

    def bounds(self, x: Value, direction: str, bound: int) -> list[Claim]:
        number = self.numbers.of(x)
        least = {"GE": bound, "GT": bound + 1, "EQ": bound}.get(direction)
        most = {"LE": bound, "LT": bound - 1, "EQ": bound}.get(direction)
        claims: list[Claim] = [] if least is None else [((number, "least"), least)]
        return claims if most is None else [*claims, ((number, "most"), -most)]


class _Numbers:
    """The same number for values that are computed alike."""

    def __init__(self) -> None:
        self.found: dict[Value, int] = {}
        self.table: dict[Hashable, int] = {}

    def of(self, value: Value) -> int:
        work = [value]
        while work:
            x = work[-1]
            made = x.owner
            if x in self.found:
                work.pop()
                continue
            if not isinstance(made, Instr) or made.regions or made.op.effect:
                self.found[x] = len(self.found)
                continue
            missing = [operand for operand in made.operands if operand not in self.found]
            if missing:
                work += missing
                continue
            self.found[x] = self.number(x, made)
        return self.found[value]

    def number(self, x: Value, made: Instr) -> int:
        new = len(self.found)
        if made.op is convert and made.operands[0].type.dtype == x.type.dtype:
            return self.found[made.operands[0]]
        attrs = {k: v.tobytes() if hasattr(v, "tobytes") else v for k, v in made.attrs.items()}
        operands = tuple([self.found[operand] for operand in made.operands])
        type = x.type.dtype, x.type.shape
        key = made.op, made.results.index(x), *type, operands, *sorted(attrs.items())
        try:
            return self.table.setdefault(key, new)
        except TypeError:  # an attribute that has no hash
            return new
