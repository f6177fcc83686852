"""Copies: long code that several kernels need is computed once, not in each of them.

    %x = ..1000 operations..; %y = %x + a; %z = sin(%x)      ->     %x = kept(..1000 operations..)

XLA:CPU fuses cheap code into all that uses its result, and what it fused is again cheap code: the
derivative of a reflected ray, 1,500 operations, became 27,000, which took twice the time to
compile.  Where the copies would be long, what they are of is kept (`ops.kept`).  A conditional that
XLA would make a selection of stays one if something in it is kept.

`lower.cpu.barriers` does so where it is the computing that takes long, of large arrays.  Only for
XLA:CPU, after the fences, which keep much of what is read.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import substitute_region
from pyxla.lower.cpu.barriers import LARGE
from pyxla.lower.cpu.fences import Code, becomes_select, is_apart
from pyxla.ops.control import case, if_, while_
from pyxla.ops.kept import kept
from pyxla.ops.shape import broadcast_in_dim, constant, iota, reshape, transpose

REPEATED = 1024  # operations that the copies of something may have
SHORT = 32  # operations of a region: copies of these have fewer

_SHAPED = frozenset((broadcast_in_dim, constant, iota, reshape, transpose))  # to be read elsewhere


def share_code(region: Region) -> Region:
    """Keep what would be long in all its copies, in a region and those in it, in place."""
    while choice := _keep_repeated(region):
        _keep_last(max(choice.regions, key=lambda branch: len(branch.instrs)))
    for instr in region.instrs:
        if instr.op in (while_, if_, case) and not becomes_select(instr):
            for inner in instr.regions:
                share_code(inner)
    return region


def _keep_repeated(region: Region) -> Instr | None:
    """Keep values of a region; a conditional that comes first, if one does."""
    if _length(region.instrs) < SHORT:
        return None
    copies = _Copies(region)
    while (found := copies.most()) is not None and found.op is not if_:
        copies.kept[found] = None
    made: dict[Instr, list[Instr]] = {instr: [] for instr in copies.kept}
    shown = {
        value: Builder(code, instr.loc).emit(kept, (value,), {})
        for instr, code in made.items()
        for value in instr.results
    }
    if shown:
        substitute_region(region, shown)
        region.instrs[:] = [x for instr in region.instrs for x in (instr, *made.get(instr, ()))]
    return found


def _keep_last(branch: Region) -> None:
    """Keep the result of the last instruction of a branch."""
    *_, last = branch.instrs
    code: list[Instr] = []
    value = Builder(code, last.loc).emit(kept, last.results[:1], {})
    branch.results = tuple([value if x is last.results[0] else x for x in branch.results])
    branch.instrs += code


class _Copies:
    """What XLA fuses in a region, and how much of it is in several kernels.

    kept: instructions whose results are in memory.
    """

    def __init__(self, region: Region) -> None:
        code, results = Code(region), set(region.results)
        self.kept: dict[Instr, None] = {}
        self.instrs = [instr for instr in region.instrs if not is_apart(instr)]
        self.lengths = [_length([instr]) for instr in self.instrs]
        self.needs: list[list[Instr]] = []
        self.users: dict[Instr, list[Instr]] = {instr: [] for instr in self.instrs}
        self.ends: dict[Instr, int] = {}  # kernels that end with a result
        for instr in self.instrs:
            needs = [x.owner for x in code.needs(instr) if x.owner in self.users]
            self.needs.append(needs)
            for owner in needs:
                self.users[owner].append(instr)
            ends = [
                x in results or any(map(is_apart, code.users.get(x, ()))) for x in instr.results
            ]
            self.ends[instr] = sum(ends)

    def most(self) -> Instr | None:
        """What has the longest copies, if they are too long; large arrays apart."""
        kernels = self._kernels()
        made: dict[Instr, int] = {}  # the operations that an instruction is made of, as bits
        most, found, place = REPEATED, None, 0
        for instr, length, needs in zip(self.instrs, self.lengths, self.needs, strict=True):
            own, place = (1 << length) - 1 << place, place + length
            of = _union([made[owner] for owner in needs]) | own
            made[instr] = 0 if instr in self.kept else of
            again = kernels[instr].bit_count() - 1
            if again > 0 and instr.op not in _SHAPED and instr.results[0].type.size < LARGE:
                copied = (own if instr.op is if_ else of).bit_count() * again
                if copied > most:
                    most, found = copied, instr
        return found

    def _kernels(self) -> dict[Instr, int]:
        """The kernels that each instruction is in, as bits."""
        found: dict[Instr, int] = {}
        number = 0
        for instr in reversed(self.instrs):
            inside = instr in self.kept
            ends = 1 if inside else self.ends[instr]
            users = () if inside else self.users[instr]
            found[instr] = _union([found[user] for user in users]) | (1 << ends) - 1 << number
            number += ends
        return found


def _union(sets: Iterable[int]) -> int:
    return functools.reduce(operator.or_, sets, 0)


def _length(instrs: Iterable[Instr]) -> int:
    """How many operations there are, those of regions included."""
    return sum([1 + sum([_length(r.instrs) for r in instr.regions]) for instr in instrs])
