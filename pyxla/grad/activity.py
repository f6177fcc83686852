"""Which values matter to a derivative: those that vary with its inputs and reach its outputs.

    varied   forwards: computed from an input, in floating point
    useful   backwards: an output is computed from it

Both cover the values of nested regions; loops run to the least fixpoint over their slots.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import uses
from pyxla.ops.check import INEXACT


def is_inexact(value: Value) -> bool:
    return value.type.dtype in INEXACT


def vary(instrs: Iterable[Instr], varied: set[Value]) -> None:
    """Add to `varied` what the code computes from values in it."""
    for instr in instrs:
        match instr.op.name:
            case "while":
                _vary_loop(instr, varied)
            case "if" | "case":
                _vary_branches(instr, varied)
            case "scope" if instr.attrs["rule"].kind in ("plain", "checkpoint"):
                _vary_branches(instr, varied)
            case "stop_gradient":
                pass
            case "slope_of":
                if instr.operands[1] in varied:
                    varied.update(instr.results)
            case _:
                if not varied.isdisjoint(uses(instr)):
                    varied.update(filter(is_inexact, instr.results))


def _vary_loop(instr: Instr, varied: set[Value]) -> None:
    body = instr.regions[1]
    slots = list(zip(instr.operands, body.params, body.results, instr.results, strict=True))
    for init, param, _, _ in slots:
        if init in varied:
            varied.add(param)
    while True:
        vary(body.instrs, varied)
        new = [p for _, p, result, _ in slots if result in varied and p not in varied]
        if not new:
            break
        varied.update(new)
    varied.update([result for _, param, _, result in slots if param in varied])


def _vary_branches(instr: Instr, varied: set[Value]) -> None:
    for region in instr.regions:
        vary(region.instrs, varied)
        pairs = zip(instr.results, region.results, strict=True)
        varied.update([result for result, inner in pairs if inner in varied])


def reach(region: Region, useful: set[Value]) -> None:
    """Add to `useful` what values in it are computed from, captured values included."""
    for instr in reversed(region.instrs):
        if useful.isdisjoint(instr.results):
            continue
        match instr.op.name:
            case "while":
                slots = {k for k, value in enumerate(instr.results) if value in useful}
                useful_slots(instr, slots, useful)
                useful.update([instr.operands[k] for k in slots])
            case "if" | "case":
                for inner in instr.regions:
                    pairs = zip(instr.results, inner.results, strict=True)
                    useful.update([value for result, value in pairs if result in useful])
                    reach(inner, useful)
            case _:
                useful.update(uses(instr))


def useful_slots(instr: Instr, slots: set[int], useful: set[Value]) -> None:
    """Grow `slots` of a loop by those that they are computed from, `useful` by what is used."""
    body = instr.regions[1]
    while True:
        useful.update([body.results[k] for k in slots])
        reach(body, useful)
        new = {k for k, param in enumerate(body.params) if param in useful} - slots
        if not new:
            return
        slots |= new
