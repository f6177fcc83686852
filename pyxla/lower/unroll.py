"""Unrolling: innermost loops that count take several steps at a time.

An iteration of an XLA loop writes a table of its state, and passes the state itself through memory
where `lower.cpu.registers` does not keep it in registers: that takes longer than a handful of
operations on numbers.  What is short of a full stride is left to a copy of the loop:

    while i < n: s = f(s, i); i += 1    ->    while i < n - 3: s, i = four steps
                                              while i < n: one step

Where the number of iterations is known, and the loop runs many times since it is in another, what
is short of a stride is straight-line code; so is all of a loop with one stride, where the loop is
in the way of LLVM's vectors, and so are a few iterations of a cheap body.

Results are exact: every step computes what it did.  Code does not grow with trip counts, known or
not: it is that of two strides at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.ir import rewrite
from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.lower.cost import INFINITE, cost
from pyxla.lower.rules import known
from pyxla.lower.trips import exact_trips
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare, maximum, select, subtract
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import constant

FACTORS = (4, 2)
LONGER = (8, *FACTORS)  # where no loop is needed for the rest
WHOLE = 8  # iterations, if that many are known, need no loop: modules do not grow with trip counts
SLOTS = 8  # numbers that are the state, at most
# XLA:CPU compiles a loop to one kernel if its operations touch less than 1 KiB, and runs a larger
# one operation by operation: ten times slower.  What it does not fuse counts for most.
BUDGET = 128
READ, SLOW = 4, 12


def unroll(region: Region, nested: bool = False) -> Region:
    """The region, its innermost loops over numbers unrolled, in place; nested: is it in a loop."""
    code: list[Instr] = []
    replaced: rewrite.Mapping = {}
    for instr in region.instrs:
        for inner in instr.regions:
            unroll(inner, nested or instr.op is while_)
        counter = counter_of(instr) if instr.op is while_ and _is_plain(instr) else None
        if counter is None:
            code.append(instr)
            continue
        instr.operands = tuple([replaced.get(v, v) for v in instr.operands])
        price = sum(_prices(instr))
        count = exact_trips(instr) if nested else None
        steps = _steps(instr, FACTORS if count is None else LONGER)
        whole = count is not None and count <= WHOLE and count * price <= BUDGET
        if count is not None and (whole or 1 < steps <= count < 2 * steps):
            state = _straight(instr.regions[1], instr.operands, count, code)
            replaced.update(zip(instr.results, state, strict=True))
        elif steps == 1:
            code.append(instr)
        elif count is not None:
            state = _strides(instr, counter, count, steps, code)
            replaced.update(zip(instr.results, state, strict=True))
        else:
            code += _counted(instr, counter, steps)
    region.instrs[:] = code
    if replaced:
        rewrite.substitute_region(region, replaced)
    return region


def _is_plain(loop: Instr) -> bool:
    """Whether the state is a few numbers."""
    params = loop.regions[1].params
    return len(params) <= SLOTS and not any(value.type.shape for value in params)


def _prices(loop: Instr) -> list[int]:
    cond, body = loop.regions
    return [_price(instr) for instr in (*cond.instrs, *body.instrs)]


def _steps(loop: Instr, factors: Sequence[int]) -> int:
    """How many steps to take at a time: 1 where more do not pay."""
    if not _crosses(loop.regions[1]):
        return 1
    price = sum(_prices(loop))
    return next((steps for steps in factors if steps * price <= BUDGET), 1)


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


def counter_of(loop: Instr) -> int | None:
    """The position of the number i, where the loop is: while i < n: ...; i += 1."""
    cond, body = loop.regions
    test = cond.results[0].owner
    if not isinstance(test, Instr) or test.op is not compare or test.attrs["direction"] != "LT":
        return None
    i, bound = test.operands
    read = {v for instr in rewrite.slice_of(cond.instrs, [bound]) for v in instr.operands} | {bound}
    if i not in cond.params or i.type.dtype != np.int64 or not read.isdisjoint(cond.params):
        return None
    position = cond.params.index(i)
    step = body.results[position].owner
    if not isinstance(step, Instr) or step.op is not add:
        return None
    x, y = step.operands
    if y is body.params[position]:
        x, y = y, x
    by_one = x is body.params[position] and known(y) is not None and known(y) == 1
    return position if by_one else None


def _straight(
    body: Region, state: Sequence[Value], steps: int, code: list[Instr]
) -> Sequence[Value]:
    """The state after some steps, as straight-line code."""
    copies = _Copies()
    for _ in range(steps):
        state = copies.copy(body, state)
    code += copies.instrs
    return state


def _strides(
    loop: Instr, counter: int, count: int, steps: int, code: list[Instr]
) -> Sequence[Value]:
    """The state after a known number of iterations: full strides, then what is left of them."""
    body = loop.regions[1]
    last = int(known(loop.operands[counter])) + count - count % steps  # type: ignore[arg-type]
    builder = Builder(code, loop.loc)
    limit = builder.emit(constant, (), {"value": np.array(last)})
    first = _stride(loop, counter, steps, limit, builder)
    return _straight(body, first, count % steps, code)


def _stride(
    loop: Instr, counter: int, steps: int, limit: Value, builder: Builder
) -> tuple[Value, ...]:
    """The state after a loop of `steps` steps at a time, while the counter is below `limit`."""

    def goes_on(*state: Value) -> Value:
        return builder.emit(compare, (state[counter], limit), {"direction": "LT"})

    body = rewrite.clone_region(loop.regions[1], {})
    test = builder.region([value.type for value in body.params], goes_on)
    code: list[Instr] = []
    state = _straight(body, body.params, steps, code)
    stride = Region(body.params, code, tuple(state))
    return builder.emit(while_, loop.operands, {}, regions=(test, stride))


def _counted(loop: Instr, counter: int, steps: int) -> list[Instr]:
    """A loop of `steps` steps at a time, then the loop."""
    cond = loop.regions[0]
    mapping: rewrite.Mapping = {}
    bound = cond.results[0].owner.operands[1]
    code = rewrite.clone(rewrite.slice_of(cond.instrs, [bound]), mapping)
    builder = Builder(code, loop.loc)

    def number(content: int) -> Value:
        return builder.emit(constant, (), {"value": np.array(content)})

    # Not below the smallest integer: there are no full strides that low anyway.
    lowest = number(np.iinfo(np.int64).min + steps - 1)
    highest = builder.emit(maximum, (mapping.get(bound, bound), lowest), {})
    limit = builder.emit(subtract, (highest, number(steps - 1)), {})
    loop.operands = _stride(loop, counter, steps, limit, builder)
    return [*code, loop]


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
