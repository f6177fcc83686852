"""Small code that much else waits for, as one function.

    d = 0; r = -g; rr = r @ r; tol = ...      ->     d, r, rr, tol, step = call @prologue(g, ...)
    while ...: ...                                   while ...: ...

XLA:CPU runs the operations of a module, and of a loop's body, in the order in which their operands
are there, and where more than eight of them can run at once it hands some to another thread: small
ones, too, for which waking a thread takes longer than all of them.  So where many values are made
by small operations, of nothing but what is given, one call makes all of them.

Only for XLA:CPU, when the operations are those that XLA gets (`lower.finish`).
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, Uses, clone_instr, ops_in, slice_of, substitute
from pyxla.lower.cpu.kernels import ELEMENTARY
from pyxla.lower.cpu.small import has_little_to_do, is_one_function
from pyxla.ops.control import call, case, if_, while_
from pyxla.ops.elementwise import convert
from pyxla.ops.shape import constant, reshape

AT_ONCE = 6  # values that a region begins with: with what else there is, eight operations


def gather_prologues(region: Region) -> Region:
    """Make calls of the prologues of a region and of the loops and branches in it, in place; where
    there are no loops, nothing is computed often."""
    if while_ in ops_in((region,)):
        _gather(region, Uses())
    return region


def _gather(region: Region, uses: Uses) -> None:
    for instr in region.instrs:
        if instr.op in (if_, case, while_) and not _is_held(instr):
            for inner in instr.regions:
                _gather(inner, uses)
    fixed, inside = _prologue(region)
    made = {value for instr in inside for value in instr.results}
    tail = [i for i in region.instrs if i not in inside and i not in fixed]
    needed = {v for instr in tail for v in uses(instr)}.union(region.results)
    shown = [v for instr in inside for v in instr.results if v in needed]
    if len(shown) < 2 or len(shown) + len(_copied(fixed, tail)) <= AT_ONCE:
        return
    given = dict.fromkeys(v for i in inside for v in i.operands if v not in made)
    code, mapping = _as_call([*fixed], [*inside], [*given], shown)
    region.instrs[:] = [*fixed, code, *tail]
    substitute(tail, mapping)
    region.results = tuple([mapping.get(value, value) for value in region.results])


def _copied(fixed: Iterable[Instr], tail: Iterable[Instr]) -> set[Value]:
    """Of what is made of constants, where loops begin: they need it in memory."""
    begins = {value for instr in tail if instr.op is while_ for value in instr.operands}
    return begins.intersection(value for instr in fixed for value in instr.results)


def _is_held(instr: Instr) -> bool:
    """Whether it is part of a function already."""
    return bool(instr.attrs.get("kernel")) or (instr.op is while_ and is_one_function(instr))


def _prologue(region: Region) -> tuple[dict[Instr, None], dict[Instr, None]]:
    """What is made of constants, of which XLA makes more where it sees that; and what is small, and
    made of what is given, of that or of such."""
    fixed: dict[Instr, None] = {}
    inside: dict[Instr, None] = {}
    known: set[Value] = set()
    waits: set[Value] = set()
    for instr in region.instrs:
        small = instr.op in ELEMENTARY and not instr.regions and has_little_to_do(instr)
        if instr.op is constant or (small and known.issuperset(instr.operands)):
            fixed[instr] = None
            known.update(instr.results)
        elif small and waits.isdisjoint(instr.operands):
            inside[instr] = None
        else:
            waits.update(instr.results)
    return fixed, _work(inside)


def _work(inside: Iterable[Instr]) -> dict[Instr, None]:
    """Without what only gives what is given another shape, which nothing inside needs."""
    made, needed = set[Value](), set[Value]()
    idle, kept = set[Instr](), list[Instr]()
    for instr in inside:
        same = instr.op is convert and instr.operands[0].type.dtype == instr.results[0].type.dtype
        if (same or instr.op is reshape) and made.isdisjoint(instr.operands):
            idle.add(instr)
        else:
            made.update(instr.results)
    for instr in reversed([*inside]):
        if instr not in idle or not needed.isdisjoint(instr.results):
            kept.append(instr)
            needed.update(instr.operands)
    return dict.fromkeys(reversed(kept))


def _as_call(
    fixed: list[Instr], inside: list[Instr], given: list[Value], shown: list[Value]
) -> tuple[Instr, Mapping]:
    """The call of a function that has this code; what its results stand for."""
    around = [v.owner for v in given if isinstance(v.owner, Instr) and v.owner.op is constant]
    literals = dict.fromkeys([*around, *slice_of(fixed, given)])
    operands = [v for v in given if v.owner not in literals]
    region = Region((), [], ())
    params = tuple([Value(v.type, region, v.hint) for v in operands])
    mapping: Mapping = dict(zip(operands, params, strict=True))
    region.params = params
    region.instrs = [clone_instr(instr, mapping) for instr in (*literals, *inside)]
    region.results = tuple([mapping[v] for v in shown])
    builder = Builder([], inside[0].loc)
    made = builder.emit(call, tuple(operands), {"name": "prologue", "kernel": True}, (region,))
    return builder.instrs[0], dict(zip(shown, made, strict=True))
