"""Checks that an earlier one implies, which go.

    flag %i < 10; %x = a[%i]           flag %i < 10; %x = a[%i]
    flag %i < 10; b[%i] = %x     ->    b[%i] = %x

A check on the same values in a block that dominates it has failed where this one would, in the same
iteration, and raises first.  Values are the same if they are computed alike of the same values
(Alpern, Wegman and Zadeck, "Detecting equality of variables in programs", 1988; here what is one
value in each iteration).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from pyxla.ir.core import Block, Instr, Value
from pyxla.ir.dominance import dominates
from pyxla.lower.trips import conjuncts
from pyxla.ops.elementwise import convert
from pyxla.ops.sticky import flag


def drop_implied(order: Sequence[Block], idom: Mapping[Block, Block]) -> None:
    """Drop them from blocks in reverse postorder, in place."""
    numbers = _Numbers()
    where: dict[int, list[Block]] = {}
    for block in order:
        kept: list[Instr] = []
        for instr in block.instrs:
            if instr.op is flag and "bits" in instr.attrs:
                tests = [numbers.of(test) for test in conjuncts(instr.operands[0])]
                met = [any(dominates(idom, b, block) for b in where.get(t, ())) for t in tests]
                if all(met):
                    continue
                for test in tests:
                    where.setdefault(test, []).append(block)
            kept.append(instr)
        block.instrs[:] = kept


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
