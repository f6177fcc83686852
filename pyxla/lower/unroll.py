"""Speculative unrolling: loops over numbers take several steps at a time.

    while c(s): s = f(s)    ->    while c(s): s1 = f(s); s2 = f(s1); s3 = f(s2)
                                              s = c(s1) ? (c(s2) ? s3 : s2) : s1

An iteration of an XLA loop passes its state through memory and tests its condition, which takes
longer than a handful of operations on numbers.  So a step is made of several, all of which run:
those after the last one are *speculative*, nobody sees what they compute.  The selections come
after all steps, so that a step waits for the one before it only.  Results are exact: every step that
counts computes what it did.

Only code that cannot fail, and costs little, may run in vain: arithmetic on numbers, and reads of
single elements.  The number of steps does not depend on the trip count, known or not.
"""

from __future__ import annotations

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_instr
from pyxla.lower.cost import INFINITE, total
from pyxla.ops.control import while_
from pyxla.ops.elementwise import select

BUDGET = 96  # cost of all steps, and of the conditions between them
FACTORS = (8, 4, 2)
SLOTS = 12  # more state than that costs more to select than is saved


def unroll(region: Region) -> Region:
    """The region, its innermost loops over numbers unrolled, in place."""
    for instr in region.instrs:
        for inner in instr.regions:
            unroll(inner)
        if instr.op is while_:
            steps = _steps(instr)
            if steps > 1:
                _unroll_loop(instr, steps)
    return region


def _steps(loop: Instr) -> int:
    """How many steps to take at a time: 1 where more do not pay."""
    if len(loop.operands) > SLOTS or any(value.type.shape for value in loop.operands):
        return 1
    cond, body = loop.regions
    spent = total([*cond.instrs, *body.instrs], INFINITE - 1) + len(loop.operands)
    return next((steps for steps in FACTORS if steps * spent <= BUDGET), 1)


def _unroll_loop(loop: Instr, steps: int) -> None:
    cond, body = loop.regions
    code = _Code()
    states = [body.params]
    goes_on: list[Value] = []
    for step in range(steps):
        state = states[-1]
        if step:
            goes_on += code.copy(cond, state)
        states.append(code.copy(body, state))
    results = states[-1]
    for test, state in zip(reversed(goes_on), reversed(states[1:-1]), strict=True):
        results = tuple([code.choose(test, x, y, loop) for x, y in zip(results, state, strict=True)])
    loop.regions = (cond, Region(body.params, code.instrs, results))


class _Code:
    """Straight-line code under construction, in which equal instructions are one."""

    def __init__(self) -> None:
        self.instrs: list[Instr] = []
        self.table: dict[tuple[object, ...], Value] = {}

    def copy(self, region: Region, state: tuple[Value, ...]) -> tuple[Value, ...]:
        """The results of a region for these parameters."""
        mapping: Mapping = dict(zip(region.params, state, strict=True))
        for instr in region.instrs:
            operands = [mapping.get(value, value) for value in instr.operands]
            attrs = [(k, _content(v)) for k, v in instr.attrs.items()]
            key = (instr.op, *operands, *attrs, instr.results[0].type)
            found = self.table.get(key)
            if found is None:
                self.instrs.append(clone_instr(instr, mapping))
                self.table[key] = mapping[instr.results[0]]
            else:
                mapping[instr.results[0]] = found
        return tuple([mapping.get(value, value) for value in region.results])

    def choose(self, test: Value, x: Value, y: Value, loop: Instr) -> Value:
        return x if x is y else Builder(self.instrs, loop.loc).emit(select, (test, x, y), {})


def _content(attribute: object) -> object:
    """A constant's array, by what it holds."""
    return attribute.tobytes() if hasattr(attribute, "tobytes") else attribute
