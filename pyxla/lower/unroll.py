"""Unrolling: in a loop, another that counts to a small number that is known is straight-line code.

An iteration of an XLA loop writes a table of its state, and passes the state itself through memory
where `lower.cpu.registers` does not keep it in registers: that takes longer than a handful of
operations on numbers, and is in the way of LLVM's vectors of the loop around.

Results are exact: every step computes what it did.  Code does not grow with trip counts: those of
loops that stay do not matter, and others are few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.ir import rewrite
from pyxla.ir.core import Instr, Region, Value
from pyxla.lower.cost import INFINITE, cost
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.lower.trips import exact_trips
from pyxla.ops.control import while_
from pyxla.ops.elementwise import select
from pyxla.ops.index import dynamic_slice

STRIDES = (8, 4, 2)  # iterations; fewer than twice as many need no loop either
WHOLE = 8  # iterations, if that many are known, need no loop: modules do not grow with trip counts
SLOTS = 8  # numbers that are the state, at most
# XLA:CPU compiles a loop to one kernel if its operations touch less than 1 KiB, and runs a larger
# one operation by operation: ten times slower.  What it does not fuse counts for most.
BUDGET = 128
# Of loops over elements `lower.cpu.kernels` makes kernels, however large they are.
ROOMY = 512
READ, SLOW = 4, 12


def unroll(region: Region, nested: bool = False, held: bool = False) -> Region:
    """The region, short loops over numbers in loops unrolled, in place; nested: is it in a loop;
    held: in one that is a kernel."""
    code: list[Instr] = []
    replaced: rewrite.Mapping = {}
    for instr in region.instrs:
        loops = instr.op is while_
        within = held or (loops and is_over_elements(instr) and can_hold(instr))
        for inner in instr.regions:
            unroll(inner, nested or loops, within)
        if replaced:
            instr.operands = tuple([replaced.get(v, v) for v in instr.operands])
        count = exact_trips(instr) if nested and loops and _is_plain(instr) else None
        if count is None or not _pays(instr, count, ROOMY if held else BUDGET):
            code.append(instr)
            continue
        state = _straight(instr.regions[1], instr.operands, count, code)
        replaced.update(zip(instr.results, state, strict=True))
    region.instrs[:] = code
    if replaced:
        rewrite.substitute_region(region, replaced)
    return region


def _is_plain(loop: Instr) -> bool:
    """Whether the state is a few numbers."""
    params = loop.regions[1].params
    return len(params) <= SLOTS and not any(value.type.shape for value in params)


def _pays(loop: Instr, count: int, budget: int) -> bool:
    """Whether so many iterations are better without a loop."""
    cond, body = loop.regions
    price = sum([_price(instr) for instr in (*cond.instrs, *body.instrs)])
    if count <= WHOLE and count * price <= budget:
        return True
    steps = next((steps for steps in STRIDES if steps * price <= budget), 1)
    return 1 < steps <= count < 2 * steps and _crosses(body)


def _price(instr: Instr) -> int:
    """What a step pays for an instruction."""
    if instr.op is dynamic_slice and instr.results[0].type.size == 1:
        return READ
    spent = cost(instr)
    return spent if spent <= 1 or spent >= INFINITE else SLOW


def _crosses(body: Region) -> bool:
    """Whether a part of the state depends on another: else XLA keeps it in registers."""
    for own, result in zip(body.params, body.results, strict=True):
        if _gathers(own, result):
            continue
        read = {v for instr in rewrite.slice_of(body.instrs, [result]) for v in instr.operands} | {
            result
        }
        if any(param in read for param in body.params if param is not own):
            return True
    return False


def _gathers(own: Value, result: Value) -> bool:
    """Whether bits are added to a word that nothing else reads: sticky flags wait for nobody."""
    made = result.owner
    if result is own:
        return True
    if not isinstance(made, Instr) or made.op.name not in ("or", "select"):
        return False
    parts = made.operands[1:] if made.op is select else made.operands[:1]
    return all(_gathers(own, part) for part in parts)


def _straight(
    body: Region, state: Sequence[Value], steps: int, code: list[Instr]
) -> Sequence[Value]:
    """The state after some steps, as straight-line code."""
    copies = _Copies()
    for _ in range(steps):
        state = copies.copy(body, state)
    code += copies.instrs
    return state


class _Copies:
    """Copies of straight-line regions in a row, in which equal instructions are one."""

    def __init__(self) -> None:
        self.instrs: list[Instr] = []
        self.table: dict[tuple[object, ...], tuple[Value, ...]] = {}

    def copy(self, region: Region, state: Sequence[Value]) -> Sequence[Value]:
        """The results of a region for these parameters."""
        mapping: rewrite.Mapping = dict(zip(region.params, state, strict=True))
        for instr in region.instrs:
            operands = [mapping.get(value, value) for value in instr.operands]
            attrs = [_content(attribute) for attribute in instr.attrs.values()]
            key = (instr.op, *operands, *attrs, *[result.type for result in instr.results])
            found = self.table.get(key) if not instr.regions else None
            if found is None:
                copied = rewrite.clone_instr(instr, mapping)
                self.instrs.append(copied)
                self.table[key] = copied.results
            else:
                mapping.update(zip(instr.results, found, strict=True))
        return [mapping.get(value, value) for value in region.results]


def _content(attribute: object) -> object:
    """An attribute, arrays by what they hold."""
    return attribute.tobytes() if isinstance(attribute, np.ndarray) else attribute
