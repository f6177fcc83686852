"""Variables shared with a nested function that nobody assigns once the function is made.

What such a variable holds is all that a closure brings of it: it may be kept by value
(`infer.calls.closures`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.frontend import pyops
from pyxla.frontend.scope import Scope
from pyxla.ir.core import Block, Instr, Value


def mark(blocks: Sequence[Block], scope: Scope) -> None:
    """Say of each nested function which of its boxes are final from there on."""
    made = [(b, i, x) for b in blocks for i, x in enumerate(b.instrs) if x.op is pyops.FUNCTION]
    if not made:
        return
    inside = {name for child in scope.children for name in _assigned_inside(child)}
    assigned = {block: _assigned(block.instrs) for block in blocks}
    for block, place, function in made:
        boxes = [x for x in function.operands if _is_own(x) and x.owner.attrs["name"] not in inside]
        later = [assigned[reached] for reached in _reached(block)] if boxes else []
        later.append(_assigned(block.instrs[place + 1 :]))
        function.attrs["final"] = frozenset(boxes).difference(*later)


def _is_own(x: Value) -> bool:
    return isinstance(x.owner, Instr) and x.owner.op is pyops.BOX


def _assigned_inside(scope: Scope) -> set[str]:
    """The variables of functions around it that a function, or one in it, assigns."""
    return {*scope.nonlocal_, *[x for child in scope.children for x in _assigned_inside(child)]}


def _assigned(instrs: Sequence[Instr]) -> set[Value]:
    return {instr.operands[0] for instr in instrs if instr.op is pyops.BOX_SET}


def _reached(block: Block) -> set[Block]:
    """The blocks that may run after one has ended."""
    found: set[Block] = set()
    work = [block]
    while work:
        current = work.pop()
        new = {*current.succs} - found
        found |= new
        work.extend(new)
    return found
