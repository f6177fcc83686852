"""Sticky flags as data: every `flag` of a graph becomes an update of one word, which is returned.

    flag %fine bits=4        %bits = select %fine, 0, 4; %word' = or %word, %bits

The word is one variable that is assigned in many places, and gets its phis as any such variable
does (Cytron et al., "Efficiently computing static single assignment form", 1991; here a phi at
every join that different words reach).

Before that, checks that an earlier one implies go (`lower.implied`), and what a counted loop checks
in each iteration is checked once, before it: what does not vary as it is, and bounds of an index
that is affine in the counter at the last iteration, or the first (`lower.endpoints`).

After a flag is set nothing that the program computes is looked at, and it prints nothing (calls of
Python are counted, so that a second run leaves out what was printed).  But it must come to an end.
A loop *stops* where the word is set: outlining adds that to its condition.  One that only counts,
and checks nothing itself, ends by itself, but its trip count may be nonsense: that is 0 where the
loop is entered with a word that is set.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Function, Instr, Phi, Return, Value
from pyxla.ir.dominance import Loop, immediate_dominators, natural_loops
from pyxla.ir.types import I32
from pyxla.lower import endpoints
from pyxla.lower.implied import drop_implied
from pyxla.ops.elementwise import compare, or_, select, subtract
from pyxla.ops.filled import number
from pyxla.ops.foreign import STOPPED, host_call
from pyxla.ops.sticky import flag


@dataclass(frozen=True, slots=True)
class Threaded:
    """words: all values that the word of the flags is.  stops: those at the headers of loops that
    stop where they are set."""

    words: frozenset[Value]
    stops: Mapping[Block, Value]


def thread_flags(function: Function) -> Threaded | None:
    """Return the word of the flags as one more result, in place; None where there are no flags."""
    if not any(instr.op is flag for instr in function.instrs):
        return None
    made = _Threading(function)
    return Threaded(frozenset([*made.first.values(), *made.last.values()]), made.stops)


class _Threading:
    """first, last: the words where blocks begin and end."""

    def __init__(self, function: Function) -> None:
        order = function.blocks
        idom = immediate_dominators(order)
        loops = natural_loops(order, idom)
        homes: endpoints.Homes = {instr: block for block in order for instr in block.instrs}
        self.homes = homes
        found = {loop.header: endpoints.counted(loop, homes) for loop in loops.values()}
        drop_implied(order, idom)
        for loop in reversed(loops.values()):  # inner loops first
            endpoints.move_from_header(loop, homes)
            if (count := found[loop.header]) is not None:
                endpoints.move_checks(loop, count, idom, homes)
        self.flagging = {
            header
            for header, loop in loops.items()
            if any(instr.op is flag for block in loop.blocks for instr in block.instrs)
        }
        self.first: dict[Block, Value] = {}
        self.last: dict[Block, Value] = {}
        self.stops: dict[Block, Value] = {}
        self.headers: list[Phi] = []
        entry: list[Instr] = []
        with building(Builder(entry)):
            self.zero = number(0, I32.dtype)
        for block in order:
            self.first[block] = self.arriving(block, loops.get(block))
            self.last[block] = self.rewritten(block)
        order[0].instrs[:0] = entry
        for phi in self.headers:
            phi.args = {pred: self.last[pred] for pred in phi.block.preds}
        for loop in loops.values():
            self.bound(loop, found[loop.header])

    def arriving(self, block: Block, loop: Loop | None) -> Value:
        """The word where a block begins."""
        words = dict.fromkeys([self.last[p] for p in block.preds if p in self.last])
        if not block.preds:
            return self.zero
        if len(words) == 1 and block not in self.flagging:
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
                if instr.op is host_call:
                    self.guard(instr, word, code)
                code.append(instr)
                continue
            (x,) = instr.operands
            with building(Builder(code, instr.loc)):
                bits = x if x.type.dtype == I32.dtype else _bits(x, instr.attrs["bits"])
                word = bits if word is self.zero else or_(word, bits)
        block.instrs[:] = code
        if isinstance(block.terminator, Return):
            block.terminator.operands = (*block.terminator.operands, word)
        return word

    def guard(self, call: Instr, word: Value, code: list[Instr]) -> None:
        """See to it that Python is not called once the word is set."""
        call.attrs = {**call.attrs, "counted": True}
        if word is not self.zero:
            order, *values = call.operands
            with building(Builder(code, call.loc)):
                fine = compare(word, number(0, I32.dtype), direction="EQ")
                guarded = select(fine, order, subtract(order, number(STOPPED, I32.dtype)))
            call.operands = (guarded, *values)

    def bound(self, loop: Loop, count: endpoints.Counted | None) -> None:
        """See to it that a loop ends once the word is set."""
        header, word = loop.header, self.first[loop.header]
        if word is self.zero or (count is not None and count.short):
            return
        if count is None or header in self.flagging:
            self.stops[header] = word
            return
        test, limit, code = count.test, count.limit, list[Instr]()
        entries = [pred for pred in header.preds if pred not in loop.blocks]
        if len(entries) == 1:  # once, not in each iteration
            limit, code = endpoints.copied_before(loop, limit, self.homes), entries[0].instrs
            word = self.last[entries[0]]
        with building(Builder(code, header.terminator.loc)):
            fine = compare(word, number(0, I32.dtype), direction="EQ")
            limited = select(fine, limit, count.start)
        test.operands = tuple([limited if v is count.limit else v for v in test.operands])
        if len(entries) > 1:
            place = header.instrs.index(test)
            header.instrs[place:place] = code


def _bits(fine: Value, bits: int) -> Value:
    made: Value = select(fine, number(0, I32.dtype), number(bits, I32.dtype))
    return made
