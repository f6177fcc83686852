"""Barriers: long code that many kernels need is compiled, and run, once.

    %state = 120 ops; %a = reduce(f(%state)); %b = reduce(g(%state)); ...
        ->   %state = optimization_barrier(%state)

XLA:CPU fuses cheap code into every kernel that uses its result: of 1,700 instructions that draw
random numbers in turn it makes 15,000, and compiles them all.  Here it is estimated which kernels
an instruction would end up in.  Where that makes much more code than there is, a barrier follows
what several of them need, if enough code has come together before it.

Only outside of loops: in the one function that XLA makes of a small loop it knows no barriers, and
if it is to hold others it must find none (`barriers.may_hold`).
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import captures, substitute_region
from pyxla.lower.cpu.barriers import FUSIBLE
from pyxla.ops.control import optimization_barrier
from pyxla.ops.filled import broadcast_in_dim, constant
from pyxla.ops.index import dynamic_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import iota, reshape, transpose

EXCESS = 512  # copies of instructions: they take XLA a tenth of a second
LONG = 32  # instructions before a barrier: a kernel of its own takes XLA as long as some
_FREE = frozenset((constant, iota, reshape, transpose, broadcast_in_dim))
_FUSIBLE = FUSIBLE | {dynamic_slice}


def share_code(region: Region) -> Region:
    """Put barriers into a region and the branches in it, in place."""
    for instr in region.instrs:
        if instr.op.name in ("if", "case"):
            for inner in instr.regions:
                share_code(inner)
    if len(region.instrs) > LONG and _copies(region) > EXCESS:
        _insert(region, _far_apart(region, _shared(region)))
    return region


class _Kernels:
    """From the end of a region to its beginning: the kernels each value is computed in, as bits."""

    def __init__(self, region: Region) -> None:
        self.count = 0
        self.into: dict[Value, int] = {}
        for value in region.results:
            self.note(value, self.new())

    def new(self) -> int:
        self.count += 1
        return 1 << (self.count - 1)

    def note(self, value: Value, kernels: int) -> None:
        self.into[value] = self.into.get(value, 0) | kernels

    def visit(self, instr: Instr) -> None:
        if instr.op in _FUSIBLE:
            found = self.into.get(instr.results[0], 0)
            for value in instr.operands:
                self.note(value, found)
        else:
            own = self.new()
            for value in (*instr.operands, *captures(instr)):
                # A reduction takes its operands in; for others kernels put them into memory.
                self.note(value, own if instr.op is reduce else self.new())


def _copies(region: Region) -> int:
    """How many instructions XLA would have more in kernels than there are in the region."""
    kernels, copies = _Kernels(region), 0
    for instr in reversed(region.instrs):
        if instr.op in _FUSIBLE and instr.op not in _FREE:
            copies += max(0, kernels.into.get(instr.results[0], 0).bit_count() - 1)
        kernels.visit(instr)
    return copies


def _shared(region: Region) -> set[Value]:
    """What several kernels need, each for itself, with long code before it."""
    code, kernels = set(_code(region, frozenset())), _Kernels(region)
    shared = set()
    for instr in reversed(region.instrs):
        if instr.op in _FUSIBLE and instr.op not in _FREE:
            (value,) = instr.results
            if value in code and kernels.into.get(value, 0).bit_count() > 1:
                shared.add(value)
                kernels.into[value] = kernels.new()
        kernels.visit(instr)
    return shared


def _far_apart(region: Region, shared: set[Value]) -> list[Value]:
    return [value for value in _code(region, shared) if value in shared]


def _code(region: Region, ends: Set[Value]) -> list[Value]:
    """The values with long code before them, since the last of `ends` that has."""
    code: dict[Value, int] = {}
    long = []
    for place, instr in enumerate(region.instrs):
        if instr.op not in _FUSIBLE:
            continue
        (value,) = instr.results
        found = 0 if instr.op in _FREE else 1 << place
        for operand in instr.operands:
            found |= code.get(operand, 0)
        if found.bit_count() > LONG:
            long.append(value)
            found = 0 if value in ends else found
        code[value] = found
    return long


def _insert(region: Region, kept: Sequence[Value]) -> None:
    made: dict[Value, Instr] = {}
    for value in kept:
        code: list[Instr] = []
        loc = value.owner.loc if isinstance(value.owner, Instr) else None
        Builder(code, loc).emit(optimization_barrier, (value,), {})
        made[value] = code[0]
    if made:
        substitute_region(region, {value: code.results[0] for value, code in made.items()})
        instrs: list[Instr] = []
        for instr in region.instrs:
            instrs.append(instr)
            instrs += [made[value] for value in instr.results if value in made]
        region.instrs[:] = instrs
