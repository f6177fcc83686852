"""Conditionals with an empty branch in loops over elements, as selections.

    s1 = if i != j: s + f(i, j) else: s     ->     s1 = i != j ? s + f(i, j) : s

XLA makes selections of the other conditionals by itself.  These it leaves, as ones that save work;
in a loop that is one function they copy results and store where they lie, so that nothing of the
state is in registers (bodies that attract each other take .5 of the time as selections).  What
takes longer than that stays: logarithms, or many operations.

Only for XLA:CPU, after everything that simplifies (`lower.finish`).
"""

from __future__ import annotations

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region
from pyxla.lower.cost import total
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import select
from pyxla.ops.filled import spread

MORE = 48  # cost of a branch that may run although it is not taken
_SLOWER = frozenset(
    """power atan2 exponential exponential_minus_one log log_plus_one logistic sine cosine tan tanh
    cbrt""".split()  # noqa: SIM905
)


def select_in_loops(region: Region, inside: bool = False) -> Region:
    """Make selections of the conditionals in loops of a region, in place; inside: whether the
    region is in such a loop."""
    code: list[Instr] = []
    shown: dict[Value, Value] = {}
    for instr in region.instrs:
        within = inside or (instr.op is while_ and is_over_elements(instr) and can_hold(instr))
        for inner in instr.regions:
            select_in_loops(inner, within)
        if inside and instr.op is if_ and _may_be_selected(instr):
            shown.update(_selections(instr, code))
        else:
            code.append(instr)
    region.instrs[:] = code
    if shown:
        substitute_region(region, shown)
    return region


def _may_be_selected(choice: Instr) -> bool:
    """Whether a conditional has an empty branch, and another that makes numbers in short time."""
    instrs = [instr for region in choice.regions for instr in region.instrs]
    return (
        not all(region.instrs for region in choice.regions)
        and total(instrs, MORE) <= MORE
        and _SLOWER.isdisjoint([instr.op.name for instr in instrs])
        and all(value.type.size == 1 for value in choice.results)
    )


def _selections(choice: Instr, code: list[Instr]) -> dict[Value, Value]:
    """Write both branches, and what stands for the results of a conditional."""
    (pred,) = choice.operands
    made: dict[Value, Value] = {}
    for region in choice.regions:
        code += region.instrs
    with building(Builder(code, choice.loc)):
        for k, value in enumerate(choice.results):
            test = spread(pred, value.type.shape)
            made[value] = select(test, *[region.results[k] for region in choice.regions])
    return made
