"""Taking code apart and copying it: what the passes over regions share.

*captures* of an instruction are the values its regions use from outside; a *slice* is the part of
a straight-line list that computes given values; cloning makes fresh values, typed as the originals.
A mapping sends values to what replaces them and is followed once: its targets are final.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Function, Instr, Region, Value

if TYPE_CHECKING:
    from pyxla.ir.op import Op

Mapping = dict[Value, Value]


def uses(instr: Instr) -> Iterable[Value]:
    """The values an instruction needs from its scope: operands and captures."""
    if instr.regions:
        return [*instr.operands, *captures(instr)]
    return instr.operands


class Uses:
    """`uses`, remembered: for many questions about code that stays as it is meanwhile."""

    def __init__(self) -> None:
        self.found: dict[Instr, list[Value]] = {}

    def __call__(self, instr: Instr) -> Iterable[Value]:
        if not instr.regions:
            return instr.operands
        if instr not in self.found:
            self.found[instr] = [*instr.operands, *captures(instr, self)]
        return self.found[instr]


Question = Callable[[Instr], Iterable[Value]]


def captures(instr: Instr, uses: Question = uses) -> dict[Value, None]:
    """The values of enclosing scopes used inside the regions, in order of first use."""
    used: dict[Value, None] = {}
    for region in instr.regions:
        used.update(free_values(region, uses))
    return used


def free_values(region: Region | Function, uses: Question = uses) -> dict[Value, None]:
    """The values a region (or the graph of a nested function) uses and does not define."""
    used: list[Value] = []
    defined = set(region.params)
    if isinstance(region, Function):
        for block in region.blocks:
            defined.update([phi.value for phi in block.phis])
            for phi in block.phis:
                used += phi.args.values()
            _collect(block.instrs, used, defined, uses)
            if block.terminator is not None:
                used += block.terminator.operands
    else:
        _collect(region.instrs, used, defined, uses)
        used += region.results
    return dict.fromkeys([value for value in used if value not in defined])


def _collect(
    instrs: Sequence[Instr], used: list[Value], defined: set[Value], uses: Question
) -> None:
    used += [v for instr in instrs for v in (uses(instr) if instr.regions else instr.operands)]
    defined.update([value for instr in instrs for value in instr.results])


def users_of(region: Region, uses: Question = uses) -> dict[Value, list[Instr]]:
    """The instructions of a region that use each value."""
    users: dict[Value, list[Instr]] = {}
    for instr in region.instrs:
        for value in dict.fromkeys(uses(instr)):
            users.setdefault(value, []).append(instr)
    return users


def walk(instrs: Iterable[Instr]) -> list[Instr]:
    """Every instruction of a list, those in nested regions after the one that holds them."""
    found = []
    for instr in instrs:
        found.append(instr)
        for region in instr.regions:
            found += walk(region.instrs)
    return found


def ops_in(regions: Iterable[Region]) -> set[Op]:
    """The ops of all instructions, nested ones included."""
    ops: set[Op] = set()
    while regions:
        code = [instr for region in regions for instr in region.instrs]
        ops.update([instr.op for instr in code])
        regions = [region for instr in code for region in instr.regions]
    return ops


def size(instrs: Iterable[Instr]) -> int:
    """How many instructions, nested ones included."""
    return len(walk(instrs))


def slice_of(instrs: Sequence[Instr], wanted: Iterable[Value]) -> list[Instr]:
    """The instructions of a straight-line list that `wanted` values depend on, in order."""
    needed = set(wanted)
    kept = []
    for instr in reversed(instrs):
        if not needed.isdisjoint(instr.results):
            kept.append(instr)
            needed.update(uses(instr))
    kept.reverse()
    return kept


def clone(instrs: Iterable[Instr], mapping: Mapping) -> list[Instr]:
    """Copies that compute fresh values from mapped ones; `mapping` learns the new values."""
    return [clone_instr(instr, mapping) for instr in instrs]


def clone_instr(instr: Instr, mapping: Mapping) -> Instr:
    operands = tuple([mapping.get(v, v) for v in instr.operands])
    regions = instr.regions
    if regions:
        regions = tuple([clone_region(region, mapping) for region in regions])
    copy = Instr(instr.op, operands, instr.attrs, regions, instr.loc)
    if len(instr.results) == 1:
        (value,) = instr.results
        mapping[value] = fresh = Value(value.type, copy, value.hint)
        copy.results = (fresh,)
    else:
        copy.results = tuple([_fresh(value, copy, mapping) for value in instr.results])
    return copy


def clone_region(region: Region, mapping: Mapping) -> Region:
    params = tuple([_fresh(param, None, mapping) for param in region.params])
    instrs = clone(region.instrs, mapping)
    return Region(params, instrs, tuple([mapping.get(v, v) for v in region.results]))


def inline(
    region: Region, arguments: Sequence[Value], mapping: Mapping | None = None
) -> tuple[Value, ...]:
    """Emit a copy of a region's code; `mapping` replaces what it captures."""
    mapping = {} if mapping is None else mapping
    mapping.update(zip(region.params, arguments, strict=True))
    current().instrs.extend(clone(region.instrs, mapping))
    return tuple([mapping.get(value, value) for value in region.results])


def _fresh(value: Value, owner: Instr | None, mapping: Mapping) -> Value:
    copy = Value(value.type, owner, value.hint)
    mapping[value] = copy
    return copy


def substitute(instrs: Iterable[Instr], mapping: Mapping) -> None:
    """Replace, in place, every use of a mapped value, nested regions and graphs included."""
    mapped = mapping.keys()
    for instr in instrs:
        if not mapped.isdisjoint(instr.operands):
            instr.operands = tuple([mapping.get(v, v) for v in instr.operands])
        for region in instr.regions:
            substitute_region(region, mapping)


def substitute_region(region: Region | Function, mapping: Mapping) -> None:
    if isinstance(region, Region):
        substitute(region.instrs, mapping)
        region.results = tuple([mapping.get(v, v) for v in region.results])
        return
    for block in region.blocks:
        for phi in block.phis:
            phi.args = {pred: mapping.get(v, v) for pred, v in phi.args.items()}
        substitute(block.instrs, mapping)
        if (end := block.terminator) is not None:
            if hasattr(end, "cond"):
                end.cond = mapping.get(end.cond, end.cond)
            elif end.operands:
                end.operands = tuple([mapping.get(v, v) for v in end.operands])


def rewrite(
    region: Region,
    ops: Container[Op],
    rule: Callable[[Instr], Value | None],
    enters: Container[Op] | None = None,
) -> Region:
    """Put what a rule emits in the place of instructions of `ops`, in place, inner regions first.

    `rule(instr)` is what has the instruction's result; None leaves the instruction, behind what was
    emitted.  enters: the ops whose regions are rewritten too, if not those of all.
    """
    code: list[Instr] = []
    builder = Builder(code)
    with building(builder):
        for instr in region.instrs:
            if instr.regions and (enters is None or instr.op in enters):
                for inner in instr.regions:
                    rewrite(inner, ops, rule, enters)
            made = None
            if instr.op in ops:
                builder.loc = instr.loc
                made = rule(instr)
            if made is None:
                code.append(instr)
            else:
                take_over(made, instr.results[0])
    region.instrs[:] = code
    return region


def take_over(made: Value, result: Value) -> None:
    """Let what makes a value make `result` instead."""
    owner = made.owner
    assert isinstance(owner, Instr)
    owner.results = tuple([result if value is made else value for value in owner.results])
    result.owner = owner


def remove_trivial_phis(function: Function) -> int:
    """Replace each phi that merges one value (and possibly itself) by that value; how many.

    Braun et al., "Simple and Efficient Construction of SSA Form" (2013), section 3.2.
    """
    replaced: Mapping = {}

    def final(value: Value) -> Value:
        if value not in replaced:
            return value
        path = []
        while (next_value := replaced.get(value)) is not None:
            path.append(value)
            value = next_value
        for passed in path:
            replaced[passed] = value
        return value

    changed = True
    while changed:
        changed = False
        for block in function.blocks:
            if not block.phis:
                continue
            kept = []
            for phi in block.phis:
                merged = {final(v) for v in phi.args.values()} - {phi.value}
                if len(merged) == 1:
                    replaced[phi.value] = merged.pop()
                    changed = True
                else:
                    kept.append(phi)
            block.phis = kept
    for value in list(replaced):
        final(value)
    if replaced:
        substitute_region(function, replaced)
    return len(replaced)
