"""Which results of a program may differ between devices: what `shard_map` asks of all that it runs.

    varying(region, given, of_foreign, everywhere)    named axes along which each result varies

A value varies along the axes along which an operand of what computes it does; JAX's functions that
communicate may end that (`psum`), or begin it (`axis_index`), as JAX itself says.  What a loop
computes varies as whether it goes on does.  An over-estimate but for JAX's functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyxla.ir.core import Instr, Region, Value
from pyxla.ops.collective import COMMUNICATING
from pyxla.ops.control import call, case, if_, while_
from pyxla.ops.foreign import foreign
from pyxla.ops.scope import scope

Axes = frozenset[str]
NONE: Axes = frozenset()
OfForeign = Callable[[Instr, Sequence[Axes]], Sequence[Axes]]


def varying(
    region: Region, given: Sequence[Axes], of_foreign: OfForeign, everywhere: Axes
) -> list[Axes]:
    """The axes along which the results vary whose parameters vary along `given`.

    everywhere: the axes of all devices, along which the ops of HLO that communicate may differ.
    """
    walk = _Walk(of_foreign, everywhere)
    return walk.region(region, given)


class _Walk:
    def __init__(self, of_foreign: OfForeign, everywhere: Axes) -> None:
        self.of_foreign = of_foreign
        self.everywhere = everywhere
        self.axes: dict[Value, Axes] = {}

    def region(self, region: Region, given: Sequence[Axes]) -> list[Axes]:
        self.axes.update(zip(region.params, given, strict=True))
        for instr in region.instrs:
            operands = [self.axes.get(value, NONE) for value in instr.operands]
            self.axes.update(zip(instr.results, self.results(instr, operands), strict=True))
        return [self.axes.get(value, NONE) for value in region.results]

    def results(self, instr: Instr, operands: Sequence[Axes]) -> Sequence[Axes]:
        if instr.op is foreign and instr.attrs.get("axes"):
            return self.of_foreign(instr, operands)
        if instr.op is while_:
            return self.loop(instr, operands)
        if instr.op is if_ or instr.op is case:
            rows = [self.region(branch, ()) for branch in instr.regions]
            return [NONE.union(operands[0], *row) for row in zip(*rows, strict=True)]
        if instr.op is call or instr.op is scope:
            return self.region(instr.regions[0], operands)
        own = self.everywhere if instr.op in COMMUNICATING else NONE
        return [own.union(*operands)] * len(instr.results)

    def loop(self, instr: Instr, state: Sequence[Axes]) -> Sequence[Axes]:
        """The least fixpoint over what is carried."""
        cond, body = instr.regions
        while True:
            (goes_on,) = self.region(cond, state)
            made = self.region(body, state)
            after = [goes_on.union(*row) for row in zip(state, made, strict=True)]
            if after == list(state):
                return state
            state = after
