"""One record per op, by family; `OPS` has them all by name."""

from __future__ import annotations

from pyxla.ir.op import Op
from pyxla.ops import (
    collective,
    contract,
    control,
    elementwise,
    foreign,
    index,
    random,
    reduce,
    shape,
)

FAMILIES = (elementwise, shape, index, reduce, contract, control, random, collective, foreign)
OPS: dict[str, Op] = {
    op.name: op for family in FAMILIES for op in vars(family).values() if isinstance(op, Op)
}
