"""Elements that a loop keeps updating, as numbers: one read before the loop, one update after it.

    while k < n: C[i, j] += a[k]     ->     s = C[i, j]
                                            while k < n: s += a[k]
                                            C[i, j] = s

where all that the loop does with the array is to read and write this one element, whose place does
not depend on the loop.  A number stays in a register, and XLA:CPU would pass the array through
memory for it.  A loop without iterations writes what is there.
"""

from __future__ import annotations

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value, replaced
from pyxla.ir.rewrite import clone_instr, substitute_region, take_over, uses
from pyxla.ops.control import while_
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import constant, reshape


@dataclass(frozen=True, slots=True)
class _Element:
    """Slot `slot` of a loop is an array of which `reads` and `write` touch one element."""

    slot: int
    reads: tuple[Instr, ...]
    write: Instr


def promote_elements(region: Region) -> Region:
    """Promote the elements that the loops of a region update, in place."""
    code: list[Instr] = []
    for instr in region.instrs:
        for inner in instr.regions:
            promote_elements(inner)
        found = _element(instr) if instr.op is while_ else None
        after: list[Instr] = []
        while found is not None:
            after += _promote(instr, found, code)
            found = _element(instr)
        code += [instr, *after]
    region.instrs[:] = code
    return region


def _element(loop: Instr) -> _Element | None:
    """An element to promote."""
    cond, body = loop.regions
    inside = {value for instr in body.instrs for value in instr.results}.union(body.params)
    tested = {value for instr in cond.instrs for value in uses(instr)}.union(cond.results)
    for slot, (param, result) in enumerate(zip(body.params, body.results, strict=True)):
        write = result.owner
        if not isinstance(write, Instr) or write.op is not dynamic_update_slice:
            continue
        array, update, *starts = write.operands
        if array is not param or update.type.size != 1 or param.type.size == 1:
            continue
        if param in body.results:  # as it was before this iteration, under another name
            continue
        fixed = all(start not in inside or _is_constant(start) for start in starts)
        if not fixed or cond.params[slot] in tested or body.results.count(result) > 1:
            continue
        users = [i for i in body.instrs if param in uses(i) or result in uses(i)]
        reads = [user for user in users if user is not write]
        if write in users and all(_reads(user, param, starts) for user in reads):
            return _Element(slot, tuple(reads), write)
    return None


def _is_constant(value: Value) -> bool:
    return isinstance(value.owner, Instr) and value.owner.op is constant


def _reads(instr: Instr, param: Value, starts: list[Value]) -> bool:
    """Whether it reads the element at `starts`, and nothing else of the array."""
    if instr.op is not dynamic_slice or instr.results[0].type.size != 1:
        return False
    return instr.operands[0] is param and list(instr.operands[1:]) == starts


def _promote(loop: Instr, element: _Element, before: list[Instr]) -> list[Instr]:
    """Rewrite the loop and what is before it; the code after it."""
    (cond, body), slot = loop.regions, element.slot
    array, result = loop.operands[slot], loop.results[slot]
    update = element.write.operands[1]
    with building(Builder(before, loop.loc)):
        starts = [_outside(start, before) for start in element.write.operands[2:]]
        first = reshape(dynamic_slice(array, *starts, slice_sizes=update.type.shape), shape=())
    number, tested = Value(first.type, body, result.hint), Value(first.type, cond)
    body.params = replaced(body.params, slot, number)
    cond.params = replaced(cond.params, slot, tested)
    head: list[Instr] = []
    with building(Builder(head, loop.loc)):
        block = reshape(number, shape=update.type.shape)
    gone = {*element.reads, element.write}
    body.instrs[:] = head + [instr for instr in body.instrs if instr not in gone]
    mapping = {read.results[0]: block for read in element.reads}
    substitute_region(body, mapping)
    with building(Builder(body.instrs, loop.loc)):
        last = reshape(mapping.get(update, update), shape=())
    body.results = replaced(body.results, slot, last)
    final = Value(first.type, loop, result.hint)
    loop.operands = replaced(loop.operands, slot, first)
    loop.results = replaced(loop.results, slot, final)
    after: list[Instr] = []
    with building(Builder(after, loop.loc)):
        made = dynamic_update_slice(array, reshape(final, shape=update.type.shape), *starts)
    take_over(made, result)
    return after


def _outside(start: Value, code: list[Instr]) -> Value:
    """A start index before the loop: constants are made anew."""
    if not _is_constant(start):
        return start
    assert isinstance(start.owner, Instr)
    copy = clone_instr(start.owner, {})
    code.append(copy)
    return copy.results[0]
