"""Reductions that no collective knows, in code that is divided over devices.

    %y = reduce(%x, %i, xor)    ->    %y, _ = barrier(reduce(%x, %x, %i, %i, (xor, xor)))

What devices reduce of their parts, XLA joins by a collective, which adds, multiplies, or takes the
largest or smallest; where there is none, compilation fails. Of a reduction of two arrays it gathers
the parts' results instead, and reduces these. The barrier keeps the second one.
"""

from __future__ import annotations

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import clone_region, inline, rewrite, walk
from pyxla.ops.computation import build_region, combiner
from pyxla.ops.control import optimization_barrier
from pyxla.ops.reduce import reduce

COLLECTIVE = ("add", "multiply", "maximum", "minimum")
OF_BOOLS = (*COLLECTIVE, "and", "or")


def in_parts(region: Region) -> Region:
    """The region, or a copy in which such reductions are of two arrays."""
    if not any(_is_unknown(instr) for instr in walk(region.instrs)):
        return region
    return rewrite(clone_region(region, {}), (reduce,), _of_two)


def _is_unknown(instr: Instr) -> bool:
    if instr.op is not reduce or len(instr.operands) != 2:
        return False
    known = OF_BOOLS if instr.operands[0].type.dtype == bool else COLLECTIVE
    return instr.attrs.get("computation") not in known


def _of_two(instr: Instr) -> Value | None:
    if not _is_unknown(instr):
        return None
    x, init = instr.operands
    (combine,) = instr.regions or (combiner(instr.attrs["computation"], x.type.dtype),)

    def body(*xs: Value) -> tuple[Value, ...]:
        return (*inline(combine, xs[::2]), *inline(combine, xs[1::2]))

    twice = build_region([v.type for v in combine.params for _ in range(2)], body)
    both = reduce(x, x, init, init, dimensions=instr.attrs["dimensions"], regions=(twice,))
    return optimization_barrier(*both)[0]
