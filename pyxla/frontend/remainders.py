"""Operators whose results only count modulo something: what `&` and `%` are given.

In `(a * b + c) & mask` the product and the sum may be wrong by multiples of 2**64.  Such an
operator is marked `within`, and the last one `ends` them (`infer.raising.postponed`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pyxla.frontend import pyops
from pyxla.ir.core import Block, Instr, Raise, Return, Value

# Exact modulo a power of two where the operands are; of a shift, the first one.
WRAPPING = frozenset({"add", "sub", "mul", "lshift", "and_", "or_", "xor", "neg", "invert"})
ENDS = frozenset({"and_", "mod"})


def mark(blocks: Sequence[Block]) -> None:
    """Mark the operators of blocks."""
    found = [(block, _operators(block)) for block in blocks]
    if any(instr.attrs["op"] in ENDS for _, instrs in found for instr in instrs):
        counts = _uses(blocks)
        for _, instrs in found:
            _mark(instrs, counts)


def _operators(block: Block) -> list[Instr]:
    return [i for i in block.instrs if i.op in (pyops.BINARY, pyops.INPLACE, pyops.UNARY)]


def _mark(instrs: Sequence[Instr], counts: Counter[Value]) -> None:
    """Mark those of one block, the last ones first."""
    users: dict[Value, Instr] = {}
    for instr in reversed(instrs):
        name, user = instr.attrs["op"], users.get(instr.result)
        if user is not None and name in WRAPPING and counts[instr.result] == 1:
            instr.attrs["within"] = True
            if user.attrs["op"] in ENDS:
                user.attrs["ends"] = True
        if name in ENDS or instr.attrs.get("within"):
            taken = instr.operands[:1] if name in ("mod", "lshift") else instr.operands
            users.update(dict.fromkeys(taken, instr))


def _uses(blocks: Sequence[Block]) -> Counter[Value]:
    counts: Counter[Value] = Counter()
    for block in blocks:
        for instr in block.instrs:
            counts.update(instr.operands)
        for phi in block.phis:
            counts.update(phi.args.values())
        end = block.terminator
        counts.update(end.operands if isinstance(end, Return | Raise) else ())
        if (tested := getattr(end, "cond", None)) is not None:
            counts[tested] += 1
    return counts
