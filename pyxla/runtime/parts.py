"""What a program writes of large arguments, in the place of all that they hold afterwards.

    (%a, %i, %v) -> dynamic_update_slice(%a, %v, %i)        ->        (%i, %v) -> %v, %i

XLA cannot write into NumPy's memory: it would copy the argument, write, and give back an array
that is copied again.  Where an argument is only written part by part, outside of loops, and the
parts are few, the program gives these and where they begin, and the call writes them (`Patch`).
An argument of which nothing is read then is none of the program's.
"""

from __future__ import annotations

from dataclasses import replace

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import uses
from pyxla.lower.cost import nbytes
from pyxla.lower.dead import has_effect
from pyxla.ops.control import optimization_barrier
from pyxla.ops.index import dynamic_update_slice
from pyxla.runtime.outcome import Outcome, Patch, without_results

LARGE = 1 << 14  # bytes: smaller arrays are copied as quickly
SHARE = 4  # the parts are at most one in so many of the elements


def in_parts(region: Region, outcome: Outcome) -> tuple[Region, Outcome]:
    """The region with parts among its results, in the place of arguments that are written so, and
    what its caller sees."""
    leaf_of = dict(zip(region.params, outcome.inputs, strict=True))
    results = list(region.results)
    position: dict[Value, int] = {}

    def place(value: Value) -> int:
        if value not in position:
            position[value] = len(results)
            results.append(value)
        return position[value]

    patches: list[Patch] = []
    for write in outcome.writes:
        array, updates = _updates(region.results[write.index])
        size = sum([nbytes(update.operands[1]) for update in updates])
        if leaf_of.get(array) != write.leaf or max(LARGE, SHARE * size) > nbytes(array):
            continue
        for update in updates:
            _, part, *begin = update.operands
            patches.append(Patch(write.leaf, place(part), tuple(map(place, begin))))
    if not patches:
        return region, outcome
    outcome = replace(outcome, patches=tuple(patches))
    patched = {patch.leaf for patch in patches}
    gone = {write.index for write in outcome.writes if write.leaf in patched}
    kept = tuple([value for i, value in enumerate(results) if i not in gone])
    return _needed(region, kept, without_results(outcome, gone))


def _updates(value: Value) -> tuple[Value, list[Instr]]:
    """The array that `value` is when those updates are made, the first one first."""
    updates: list[Instr] = []
    while isinstance(owner := value.owner, Instr):
        if owner.op is dynamic_update_slice:
            updates.insert(0, owner)
            value = owner.operands[0]
        elif owner.op is optimization_barrier:
            value = owner.operands[owner.results.index(value)]
        else:
            break
    return value, updates


def _needed(region: Region, results: tuple[Value, ...], outcome: Outcome) -> tuple[Region, Outcome]:
    """Only the code and the parameters that these results need."""
    needed, code = set(results), []
    for instr in reversed(region.instrs):
        if not needed.isdisjoint(instr.results) or has_effect(instr):
            code.append(instr)
            needed.update(uses(instr))
    pairs = zip(region.params, outcome.inputs, strict=True)
    kept = [(param, leaf) for param, leaf in pairs if param in needed]
    inputs = tuple([leaf for _, leaf in kept])
    made = Region(tuple([param for param, _ in kept]), code[::-1], results)
    return made, replace(outcome, inputs=inputs)
