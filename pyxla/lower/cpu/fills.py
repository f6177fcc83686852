"""Fills of masked extrema, kept from LLVM.

    reduce(select(%m, %x, -inf), -inf), maximum   ->   %f = optimization_barrier(-inf)
                                                       reduce(select(%m, %x, %f), -inf), maximum

That the maximum of a number and -inf is the number makes LLVM branch on the mask, element by
element, instead of making vectors: ten times slower, for rows of less than some thousand elements.
What comes out of a barrier it does not know.  The barriers are outside of all loops, where XLA lets
them stand (`lower.cpu.barriers`).
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.lower.rules import definition, filling
from pyxla.ops.control import CONTROL, optimization_barrier
from pyxla.ops.elementwise import select
from pyxla.ops.filled import spread
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import constant

LEAST = 32  # elements of an array that is worth it
_EXTREMA = frozenset({"maximum", "minimum"})
# By element type and content.
Fills = dict[tuple[np.dtype, bytes], Value]


def hide_fills(region: Region) -> Region:
    """Hide the fills of a region's masked extrema, in place."""
    head, fills = Builder([]), Fills()

    def hide(instr: Instr) -> None:
        if (chosen := _masked(instr)) is not None:
            instr.operands = (_hidden(chosen, fills, head), *instr.operands[1:])

    rewrite(region, (reduce,), hide, CONTROL)
    region.instrs[:0] = head.instrs
    return region


def _masked(instr: Instr) -> Instr | None:
    """The selection among numbers and a known one whose extremum a reduction finds."""
    if instr.attrs.get("computation") not in _EXTREMA:
        return None
    x = instr.operands[0]
    if len(instr.operands) != 2 or x.type.dtype.kind != "f" or x.type.size < LEAST:
        return None
    chosen = definition(x, "select")
    if chosen is None or chosen.results[0].type != x.type:
        return None
    return chosen if any(filling(y) is not None for y in chosen.operands[1:]) else None


def _hidden(chosen: Instr, fills: Fills, head: Builder) -> Value:
    """The selection, with fills that nobody knows."""
    mask, *branches = chosen.operands
    for k, branch in enumerate(branches):
        content = filling(branch)
        if content is None:
            continue
        fill = np.array(content, branch.type.dtype)
        key = fill.dtype, fill.tobytes()
        if key not in fills:
            with building(head):
                fills[key] = optimization_barrier(constant(value=fill))
        branches[k] = spread(fills[key], branch.type.shape)
    return select(mask, *branches)
