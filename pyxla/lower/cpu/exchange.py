"""Loops that exchange arrays take two iterations at a time.

    while c(i): f(a) into b; a, b = b, a     while not odd and c(i):
                                               f(a) into b
                                               odd = not c(i + 1)
                                               if not odd: f(b) into a
                                             a, b = b, a if odd

XLA gives each slot of a loop one buffer.  What changes slots is copied there, in every iteration:
both arrays, and once more as neither may be overwritten before.  After two iterations each array
is where it was; where their number is odd they change places behind the loop.

Only for XLA:CPU, where copies are what such loops spend their time on.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone, size, substitute_region
from pyxla.ir.types import BOOL
from pyxla.lower.cost import SMALL
from pyxla.lower.cpu.kernels import origins
from pyxla.lower.dead import has_effect
from pyxla.lower.inplace import update_in_place
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import and_, not_
from pyxla.ops.shape import constant

MOST = 1000  # instructions of a body that is there twice


def exchange(region: Region) -> Region:
    """The region, its loops that exchange arrays rewritten, in place."""
    if _rewrite(region):
        update_in_place(region)  # the second iteration, which may not be made
    return region


def _rewrite(region: Region) -> bool:
    code: list[Instr] = []
    replaced: Mapping = {}
    changed = False
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= _rewrite(inner)
        code.append(instr)
        if instr.op is while_ and _may_be_twice(instr) and (pairs := _exchanged(instr)):
            code[-1:] = _TwoAtATime(instr, pairs).emit(replaced)
            changed = True
    region.instrs[:] = code
    if replaced:
        substitute_region(region, replaced)
    return changed


def _may_be_twice(loop: Instr) -> bool:
    body = loop.regions[1]
    return size(body.instrs) <= MOST and not any(map(has_effect, body.instrs))


def _exchanged(loop: Instr) -> dict[int, int]:
    """The slots of large arrays that two of them exchange."""
    body = loop.regions[1]
    comes = {k: _slot(x, body) for k, x in enumerate(body.results) if x.type.size > SMALL}
    return {k: j for k, j in comes.items() if j is not None and j != k and comes.get(j) == k}


def _slot(value: Value, body: Region) -> int | None:
    """The slot from which an array comes that is updated in place, if at all."""
    found = origins(value).intersection(body.params)
    return body.params.index(found.pop()) if len(found) == 1 else None


class _TwoAtATime:
    """pairs: the slot with which each of the exchanged ones changes places."""

    def __init__(self, loop: Instr, pairs: dict[int, int]) -> None:
        self.loop = loop
        self.pairs = pairs

    def emit(self, replaced: Mapping) -> list[Instr]:
        """The code instead of the loop, and what replaces its results."""
        loop, code = self.loop, list[Instr]()
        builder = Builder(code, loop.loc)
        even = builder.emit(constant, (), {"value": np.array(False)})
        regions = self.condition(), self.body()
        *state, odd = builder.emit(while_, (*loop.operands, even), {}, regions=regions)
        places = [state[k] for k in self.pairs]
        others = [state[j] for j in self.pairs.values()]
        branches = Region((), [], tuple(others)), Region((), [], tuple(places))
        final = builder.emit(if_, (odd,), {}, regions=branches)
        replaced.update(zip(loop.results, state, strict=True))
        replaced.update({loop.results[k]: x for k, x in zip(self.pairs, final, strict=True)})
        return code

    def condition(self) -> Region:
        cond, odd = self.loop.regions[0], Value(BOOL)
        code = [*cond.instrs]
        builder = Builder(code, self.loop.loc)
        even = builder.emit(not_, (odd,), {})
        goes_on = builder.emit(and_, (even, cond.results[0]), {})
        return Region((*cond.params, odd), code, (goes_on,))

    def body(self) -> Region:
        cond, body = self.loop.regions
        once = body.results
        again: Mapping = dict(zip(body.params, once, strict=True))
        second = clone(body.instrs, again)
        state: Mapping = dict(zip(cond.params, once, strict=True))
        code = [*body.instrs, *clone(cond.instrs, state)]
        goes_on = state.get(cond.results[0], cond.results[0])
        twice = tuple([again.get(value, value) for value in once])
        stays = tuple([once[self.pairs.get(k, k)] for k in range(len(once))])
        builder = Builder(code, self.loop.loc)
        branches = Region((), second, twice), Region((), [], stays)
        results = builder.emit(if_, (goes_on,), {}, regions=branches)
        odd = builder.emit(not_, (goes_on,), {})
        return Region((*body.params, Value(BOOL)), code, (*results, odd))
