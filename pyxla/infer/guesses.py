"""What a loop will do, guessed from its untyped code, so that its first pass assumes what holds.

A wrong guess costs a pass: what comes back to the header is compared with what was assumed.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.frontend.pyops import BINARY, UNARY
from pyxla.ir.core import Block, Instr, Phi, Value
from pyxla.ir.dominance import Loop


def rebinds(header: Block) -> set[int]:
    """The phis of a loop header, by position, whose names the loop binds to what an operator made:
    if it is an array, it is another one in each turn."""
    latch = header.preds[1]
    return {k for k, phi in enumerate(header.phis) if _is_made(phi.args[latch], header)}


def _is_made(value: Value, header: Block) -> bool:
    """Whether `value` is the result of an operator, on some paths at least, and else what the name
    was at the loop's header."""
    found = False
    seen: set[Value] = set()
    stack = [value]
    while stack:
        x = stack.pop()
        if x in seen:
            continue
        seen.add(x)
        owner = x.owner
        if isinstance(owner, Instr) and owner.op in (BINARY, UNARY):
            found = True
        elif isinstance(owner, Phi):
            if owner.block is not header:
                stack.extend(owner.args.values())
        else:
            return False
    return found


def unread(loop: Loop) -> set[int]:
    """The phis of a loop header, by position, whose names the loop assigns and does not read: what
    they are at the header matters after the loop only."""
    header = loop.header
    places = {phi.value: k for k, phi in enumerate(header.phis)}
    for block in loop.blocks:
        operands: list[Iterable[Value]] = [phi.args.values() for phi in block.phis]
        operands += [instr.operands for instr in block.instrs]
        operands.append(block.terminator.operands if block.terminator else ())
        for values in operands:
            for value in values:
                places.pop(value, None)
    return set(places.values())
