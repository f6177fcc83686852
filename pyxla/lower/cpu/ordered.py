"""Sums in the order of their elements, as loops.

    %r = reduce(%x, %init) in_order   ->   %r = %init; for i in range(n): %r = %r + %x[i]

Python's `sum` adds one item after the other.  XLA:CPU adds in vectors, whatever the computation of
a reduction is made of, and leaves alone what a loop carries.  The loop over a list that has room
for more items ends where they do.
"""

from __future__ import annotations

from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.ir.types import I64
from pyxla.lower.cpu.packing import true_size
from pyxla.lower.dead import dead_code
from pyxla.lower.rules import definition, is_filled
from pyxla.ops.control import CONTROL, while_
from pyxla.ops.elementwise import add, compare
from pyxla.ops.filled import integer, spread
from pyxla.ops.index import dynamic_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import reshape


def add_in_order(region: Region) -> Region:
    """Make loops of the reductions that are to be in order, in place."""
    dead_code(rewrite(region, (reduce,), _in_order, CONTROL))
    return region


def _in_order(instr: Instr) -> Value | None:
    """What replaces a reduction that is to be in order, of any elements."""
    x, init = instr.operands[:2]
    if not instr.attrs.get("in_order") or not x.type.size:
        return None
    (axis,), result = instr.attrs["dimensions"], instr.results[0].type
    sizes = tuple([1 if i == axis else n for i, n in enumerate(x.type.shape)])
    limit, chosen = integer(x.type.shape[axis]), definition(x, "select")
    if not result.shape and chosen is not None and is_filled(chosen.operands[2], 0):
        limit = true_size(chosen.operands[0])

    def unfinished(i: Value, total: Value) -> Value:
        return compare(i, limit, direction="LT")

    def step(i: Value, total: Value) -> tuple[Value, ...]:
        starts = [i if d == axis else integer(0) for d in range(x.type.ndim)]
        row = reshape(dynamic_slice(x, *starts, slice_sizes=sizes), shape=result.shape)
        return add(i, integer(1)), add(total, row)

    region = current().region
    regions = [region((I64, result), unfinished), region((I64, result), step)]
    return while_(integer(0), spread(init, result.shape), regions=tuple(regions))[1]
