"""Loops that update an array wait for all that reads it; so do updates of slices, for conditionals.

    %b = while ... %a {moves elements of %a}        %b = while ... %a {...}
    %c = while ... %a {moves others of %a}    ->    %0 = never(%b) ? 1 : 0
                                                    %c = while %0, ... %a {...}

Two loops, or a loop and a kernel, that use one array have no order, so XLA:CPU gives each loop a
copy of the array, whole, however little of it the loop touches.  Of loops that update it only the
last needs none, if it comes after all others and after every kernel that reads the array: one of
the numbers that it starts with is a selection that only looks as if it needed their results.  An
update of a slice waits so for conditionals and loops that read the array before it; for other code
it has fences (`lower.cpu.fences`).

Only for XLA:CPU, after everything that simplifies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value, replaced
from pyxla.ir.rewrite import Uses, users_of
from pyxla.lower.cost import SMALL, nbytes
from pyxla.lower.cpu.fences import COPIED, Code, is_fusible, updated
from pyxla.lower.cpu.voids import guard, never
from pyxla.ops.control import while_


def order_updates(region: Region) -> Region:
    """The region, its updates in order, in place."""
    _order(region, frozenset(region.params))  # which are the caller's, and copied
    return region


def _order(region: Region, copied: Collection[Value]) -> None:
    for instr in region.instrs:
        for inner in instr.regions:
            _order(inner, copied)
    found = [(i, x) for i in region.instrs for x in updated(i) if nbytes(x) > COPIED]
    users = users_of(region, Uses()) if found else {}
    waiting: dict[Instr, list[Value]] = {}
    for update, array in found:
        # What XLA fuses with other code is read before the update as fences have it.
        apart = update.op is while_ or not all(i is update or is_fusible(i) for i in users[array])
        if apart and array not in copied:
            waiting.setdefault(update, []).append(array)
    for update, arrays in waiting.items():
        _put_last(region, update, arrays)


def _put_last(region: Region, loop: Instr, arrays: Sequence[Value]) -> None:
    """Let a loop, or an update of a slice, wait for what reads arrays that it updates."""
    code = Code(region)
    start = next((k for k, x in enumerate(loop.operands) if _is_number(x)), None)
    before, late = code.needed_for(code.needs(loop)), _computed_of(loop, code)
    waits: dict[Instr, None] = {}
    for array in arrays:
        last = [user for user in code.users[array] if array in updated(user)][-1]
        readers = dict.fromkeys(_readers(array, loop, code))
        if last is loop and None not in readers and late.isdisjoint(readers):
            waits.update({r: None for r in readers if r not in before})  # type: ignore[misc]
    if not waits or start is None:
        return
    with building(Builder([], loop.loc)) as builder:
        tests = [never(min(r.results, key=lambda value: value.type.size)) for r in waits]
        begun = guard(loop.operands[start], tests)
    loop.operands = replaced(loop.operands, start, begun)
    end = 1 + max(k for k, instr in enumerate(region.instrs) if instr is loop or instr in waits)
    first = [instr for instr in region.instrs[:end] if instr not in late]
    then = [instr for instr in region.instrs[:end] if instr in late]
    region.instrs[:] = [*first, *builder.instrs, *then, *region.instrs[end:]]


def _is_number(value: Value) -> bool:
    return value.type.ndim == 0 and value.type.dtype.kind in "iuf"


def _computed_of(loop: Instr, code: Code) -> set[Instr]:
    """The loop, and what needs its results."""
    made, found = set(loop.results), {loop}
    for instr in code.body.instrs:
        if not made.isdisjoint(code.needs(instr)):
            found.add(instr)
            made.update(instr.results)
    return found


def _readers(array: Value, loop: Instr, code: Code) -> Iterator[Instr | None]:
    """What has the kernels that read an array, besides the loop: XLA fuses cheap code into all that
    uses it.  None for what no number shows the end of: it is a result, or an effect."""
    results = set(code.body.results)
    seen, work = {loop}, [array]
    while work:
        value = work.pop()
        if value in results and (value is array or value.type.size > SMALL):
            yield None
        for user in code.users.get(value, ()):
            if user in seen:
                continue
            seen.add(user)
            if not user.results:
                yield None
            elif not is_fusible(user) or not results.isdisjoint(user.results):
                yield user
            if is_fusible(user):
                work += user.results
