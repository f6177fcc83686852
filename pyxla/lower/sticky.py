"""Sticky flags as data: every `flag` of a graph becomes an update of one word, which is returned.

    flag %fine bits=4        %bits = select %fine, 0, 4; %word' = or %word, %bits

The word is one variable that is assigned in many places, and gets its phis as any such variable
does (Cytron et al., "Efficiently computing static single assignment form", 1991; here a phi at
every join that different words reach).

After a flag is set nothing that the program computes is looked at, but it must come to an end.
Counted loops end; their trip count may be nonsense, though, so that of a loop entered with a word
that may be set is 0 then.  Other loops *stop* where the word is set: outlining adds that to their
condition.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Branch, Function, Instr, Phi, Return, Value
from pyxla.ir.dominance import Loop, immediate_dominators, natural_loops
from pyxla.ir.types import I32
from pyxla.ops.elementwise import compare, or_, select
from pyxla.ops.filled import constant
from pyxla.ops.sticky import flag


def thread_flags(function: Function) -> Mapping[Block, Value] | None:
    """Return the word of the flags as one more result, in place.

    None where there are no flags; else the words at the headers of loops that stop where they are
    set.
    """
    if not any(instr.op is flag for block in function.blocks for instr in block.instrs):
        return None
    return _Threading(function).stops


class _Threading:
    """first, last: the words where blocks begin and end."""

    def __init__(self, function: Function) -> None:
        order = function.blocks
        loops = natural_loops(order, immediate_dominators(order))
        self.first: dict[Block, Value] = {}
        self.last: dict[Block, Value] = {}
        self.stops: dict[Block, Value] = {}
        self.headers: list[Phi] = []
        entry: list[Instr] = []
        with building(Builder(entry)):
            self.zero = _number(0)
        for block in order:
            self.first[block] = self.arriving(block, loops.get(block))
            self.last[block] = self.rewritten(block)
        order[0].instrs[:0] = entry
        for phi in self.headers:
            phi.args = {pred: self.last[pred] for pred in phi.block.preds}
        for loop in loops.values():
            self.bound(loop)

    def arriving(self, block: Block, loop: Loop | None) -> Value:
        """The word where a block begins."""
        flags = loop is not None and any(i.op is flag for b in loop.blocks for i in b.instrs)
        words = dict.fromkeys([self.last[p] for p in block.preds if p in self.last])
        if not block.preds:
            return self.zero
        if len(words) == 1 and not flags:
            return next(iter(words))
        phi = Phi(block, I32, "flags", None)
        block.phis.append(phi)
        if loop is not None:
            self.headers.append(phi)
        else:
            phi.args = {pred: self.last[pred] for pred in block.preds}
        return phi.value

    def rewritten(self, block: Block) -> Value:
        """The word where a block ends, its flags being updates of it."""
        word, code = self.first[block], list[Instr]()
        for instr in block.instrs:
            if instr.op is not flag:
                code.append(instr)
                continue
            (x,) = instr.operands
            with building(Builder(code, instr.loc)):
                bits = x if x.type.dtype == I32.dtype else self.bits(x, instr.attrs["bits"])
                word = bits if word is self.zero else or_(word, bits)
        block.instrs[:] = code
        if isinstance(block.terminator, Return):
            block.terminator.operands = (*block.terminator.operands, word)
        return word

    def bits(self, fine: Value, bits: int) -> Value:
        made: Value = select(fine, _number(0), _number(bits))
        return made

    def bound(self, loop: Loop) -> None:
        """See to it that a loop ends once the word is set."""
        header, word = loop.header, self.first[loop.header]
        entries = [pred for pred in header.preds if pred not in loop.blocks]
        if word is self.zero:
            return
        test = _counting(loop)
        if test is None:
            self.stops[header] = word
            return
        compared, limit, start = test
        before = self.last[entries[0]]
        if before is self.zero or _is_given(limit) or len(entries) != 1:
            return
        code: list[Instr] = []
        with building(Builder(code, header.terminator.loc)):
            fine = compare(before, _number(0), direction="EQ")
            limited = select(fine, limit, start)
        compared.operands = tuple([limited if v is limit else v for v in compared.operands])
        place = header.instrs.index(compared)
        header.instrs[place:place] = code


def _number(bits: int) -> Value:
    made: Value = constant(value=np.array(bits, np.int32))
    return made


def _counting(loop: Loop) -> tuple[Instr, Value, Value] | None:
    """The comparison, limit and start of a loop that its header's test ends: the counter goes up,
    or down, by a constant, to a limit that the loop does not change."""
    end = loop.header.terminator
    test = end.cond.owner if isinstance(end, Branch) else None
    if not isinstance(test, Instr) or test.op is not compare or test not in loop.header.instrs:
        return None
    if all(target in loop.blocks for target in end.targets):
        return None
    for x, limit in (test.operands, test.operands[::-1]):
        phi = x.owner
        if not isinstance(phi, Phi) or phi.block is not loop.header or _varies(limit, loop):
            continue
        steps = [v.owner for pred, v in phi.args.items() if pred in loop.blocks]
        starts = [v for pred, v in phi.args.items() if pred not in loop.blocks]
        if len(starts) == 1 and all(_steps(step, x) for step in steps):
            return test, limit, starts[0]
    return None


def _varies(value: Value, loop: Loop) -> bool:
    """Whether a value may differ between iterations."""
    owner = value.owner
    if isinstance(owner, Phi) and owner.block in loop.blocks:
        same = {v for v in owner.args.values() if v is not value}
        return owner.block is not loop.header or len(same) != 1 or _varies(same.pop(), loop)
    inside = isinstance(owner, Instr) and any(owner in block.instrs for block in loop.blocks)
    return inside and (bool(owner.regions) or any(_varies(v, loop) for v in owner.operands))


def _steps(step: object, x: Value) -> bool:
    """Whether an instruction adds a constant to the counter."""
    if not isinstance(step, Instr) or step.op.name not in ("add", "subtract"):
        return False
    one, other = step.operands
    return one is x and isinstance(other.owner, Instr) and other.owner.op is constant


def _is_given(limit: Value) -> bool:
    """Whether a limit is a parameter, or about that: nothing out of order can have made it."""
    owner = limit.owner
    if isinstance(owner, Instr) and owner.op.name in ("constant", "subtract"):
        return all(map(_is_given, owner.operands))
    return isinstance(owner, Function)
