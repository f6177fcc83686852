"""Kernels: loops, and other code, that XLA:CPU compiles to one function, however large they are.

    %r = while ... {kernel}     ->     private @loop(...) { while ... }
                                       %r, _ = call @loop(...) {xla_cpu_small_call}

By itself XLA:CPU does so with loops that touch less than a kilobyte, by wrapping them in such
calls; others it runs operation by operation, ten to a hundred times slower.

XLA ends the process where such a function has a parameter that its code does not use, also where
passes after ours find that out.  So

- what goes in goes through barriers: XLA moves constants into functions it calls;
- the function gives back what it is given, at no cost, but for the arrays that the loop updates in
  place: those are used as long as the loop does anything, and else they are results.
"""

from __future__ import annotations

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import captures, ops_in
from pyxla.lower.cost import SMALL
from pyxla.lower.cpu.voids import begun
from pyxla.ops import elementwise
from pyxla.ops.control import if_, while_
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.kept import kept
from pyxla.ops.shape import broadcast_in_dim, constant, iota, reshape
from pyxla.ops.shape import slice as slice_

TRAFFIC = 980  # bytes that one function may touch; XLA says less than a thousand and 24
ATTRIBUTES = {
    "mhlo.frontend_attributes": '{xla_cpu_small_call = "true", inlineable = "false"}',
}
KEPT = '{inlineable = "false"}'  # calls that XLA leaves what they are
# What XLA's emitter for such functions has code for; it ends the process where it has none.
HELD = frozenset(
    [value for value in vars(elementwise).values() if isinstance(value, type(while_))]
) | {
    if_,
    while_,
    dynamic_slice,
    dynamic_update_slice,
    slice_,
    constant,
    iota,
    reshape,
    broadcast_in_dim,
    kept,
}

ELEMENTARY = HELD - {if_, while_, dynamic_update_slice, constant, kept}
READS = (dynamic_slice, slice_)


def is_over_elements(loop: Instr) -> bool:
    """Whether the loop is over numbers and elements of arrays."""
    return all(is_elementary(region) for region in loop.regions)


def is_elementary(region: Region) -> bool:
    """Whether the code is over numbers and elements of arrays."""
    for instr in region.instrs:
        op = instr.op
        if op.effect:
            return False
        if instr.regions:
            if op not in (if_, while_) or not all(map(is_elementary, instr.regions)):
                return False
            continue
        values = instr.results if op in READS else (*instr.results, *instr.operands)
        if op is constant:
            continue  # of any size: it is in memory, where elements of it are read
        for value in instr.operands[1:2] if op is dynamic_update_slice else values:
            if value.type.size > SMALL:
                return False
    return True


def can_hold(loop: Instr) -> bool:
    """Whether a function can hold a loop over elements."""
    return HELD.issuperset(ops_in(loop.regions))


@dataclass(frozen=True, slots=True)
class Kernel:
    """A loop, a conditional or a call as a function of the values `given`: its code is `code`, and
    then that, of these operands.  It returns its results and those given values that are `kept`.

    A loop's constant operands are made in the code, so that LLVM knows them (`begun`).
    """

    given: tuple[Value, ...]
    code: tuple[Instr, ...]
    operands: tuple[Value, ...]
    kept: tuple[Value, ...]


def kernel(instr: Instr) -> Kernel:
    """How it is to be called."""
    outside = dict.fromkeys([*instr.operands, *captures(instr)])
    given = tuple([value for value in outside if not is_literal(value)])
    literals = tuple([value.owner for value in outside if is_literal(value)])
    updated = _updated_in(instr) if instr.op is while_ else ()
    code, operands = list(literals), instr.operands
    if instr.attrs.get("apart") and given:
        anchor = min(given, key=lambda value: value.type.size)
        with building(Builder(code, instr.loc)):
            slots = enumerate(operands, 1)
            operands = tuple([begun(x, anchor, k) if is_literal(x) else x for k, x in slots])
    back = tuple([value for value in given if value not in updated])
    return Kernel(given, tuple(code), operands, back)


def _updated_in(loop: Instr) -> set[Value]:
    """The arrays that a loop updates in place."""
    body = loop.regions[1]
    reached = set().union(*map(origins, body.results))
    rows = zip(loop.operands, body.params, body.results, strict=True)
    return {
        x
        for x, param, result in rows
        if result is not param and param in reached and x.type.size > SMALL
    }


def origins(value: Value) -> set[Value]:
    """What `value` is made of by updates in place, whatever the branches taken."""
    owner = value.owner
    if not isinstance(owner, Instr) or not (owner.regions or owner.op is dynamic_update_slice):
        return {value}
    if owner.op is dynamic_update_slice:
        return origins(owner.operands[0])
    at = owner.results.index(value)
    if owner.op is if_:
        return set.intersection(*[origins(region.results[at]) for region in owner.regions])
    if owner.op is while_:
        body = owner.regions[1]
        reached = origins(body.results[at])
        pairs = zip(owner.operands, body.params, strict=True)
        return set().union(*[origins(x) for x, param in pairs if param in reached])
    return {value}


def is_literal(value: Value) -> bool:
    owner = value.owner
    return isinstance(owner, Instr) and owner.op is constant and value.type.size <= SMALL
