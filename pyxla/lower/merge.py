"""Choices by the same number, as one.

    %a = case %i: f() ...              %a, %b = case %i: (f(), g()) ...
    %b = case %i: g() ...        ->

They come from reductions of several things up to one true size (`lib.prefixes`), and from checks of
an index beside what it is an index of.  Each conditional costs a walk through a list of kernels,
and XLA:CPU runs two that do not need each other in two threads, which wait for each other longer
than they compute.
"""

from __future__ import annotations

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses
from pyxla.lower.dead import has_effect
from pyxla.ops.control import case


def merge_choices(region: Region) -> Region:
    """Merge the choices of a region, and of those in it, in place."""
    uses = Uses()
    code: list[Instr] = []
    place: dict[Value, Instr] = {}
    for instr in region.instrs:
        for inner in instr.regions:
            merge_choices(inner)
        if instr.op is not case or has_effect(instr):
            code.append(instr)
            continue
        first = place.get(instr.operands[0])
        later = None if first is None else _after(first, instr, code, uses)
        if first is not None and later is not None:
            at = code.index(first)
            instr = _merged(first, instr)
            code[at:] = [i for i in code[at + 1 :] if i not in later]
        place[instr.operands[0]] = instr
        code += [instr, *(later or ())]
    region.instrs[:] = code
    return region


def _after(first: Instr, second: Instr, code: list[Instr], uses: Uses) -> list[Instr] | None:
    """What has to come after both if `first` moves to `second`; None if it cannot."""
    made, later = set(first.results), list[Instr]()
    for instr in code[code.index(first) + 1 :]:
        if not made.isdisjoint(uses(instr)):
            made.update(instr.results)
            later.append(instr)
        if has_effect(instr):
            return None
    return later if made.isdisjoint(uses(second)) else None


def _merged(first: Instr, second: Instr) -> Instr:
    """One choice with the results of both, whose values they stay."""
    results = (*first.results, *second.results)
    regions = []
    for one, other in zip(first.regions, second.regions, strict=True):
        regions.append(Region((), [*one.instrs, *other.instrs], (*one.results, *other.results)))
    attrs = {name: x for name, x in first.attrs.items() if second.attrs.get(name) == x}
    instr = Instr(case, first.operands, attrs, tuple(regions), first.loc)
    instr.results = results
    for value in results:
        value.owner = instr
    return instr
