"""Ops with regions that run: conditionals, loops, calls.

Their regions may use values of enclosing scopes; XLA turns those into operands when it imports the
module.
"""

from __future__ import annotations

from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, ArrayType
from pyxla.ops.check import INTS, listed, refuse, require, same
from pyxla.ops.computation import check_region

Types = tuple[ArrayType, ...]


def _branch_results(op: str, regions: tuple[Region, ...]) -> Types:
    """Result types common to all branches; weak where every branch is."""
    require(bool(regions), op, "at least one branch is needed")
    rows = [[value.type for value in region.results] for region in regions]
    for region, row in zip(regions, rows, strict=True):
        require(not region.params, op, "branches take no parameters")
        if len(row) != len(rows[0]) or not all(map(same, row, rows[0])):
            refuse(op, f"branches differ: ({listed(rows[0])}) and ({listed(row)})")
    if all(row == rows[0] for row in rows):
        return tuple(rows[0])
    return tuple([strongest(column) for column in zip(*rows, strict=True)])


def strongest(column: tuple[ArrayType, ...]) -> ArrayType:
    """The strong one of types equal but for weakness, if there is one."""
    return next((type for type in column if not type.weak), column[0])


def _if(pred: ArrayType, *, regions: tuple[Region, ...]) -> Types:
    if pred.shape or pred.dtype != BOOL.dtype:
        refuse("if", f"the predicate must be a scalar bool, got {pred}")
    require(len(regions) == 2, "if", f"two regions are needed, got {len(regions)}")
    return _branch_results("if", regions)


def _case(index: ArrayType, *, regions: tuple[Region, ...]) -> Types:
    if index.shape or index.dtype not in INTS or index.dtype.itemsize != 4:
        refuse("case", f"the index must be a scalar i32, got {index}")
    return _branch_results("case", regions)


def _while(*inits: ArrayType, regions: tuple[Region, ...]) -> Types:
    require(len(regions) == 2, "while", f"two regions are needed, got {len(regions)}")
    check_region("while", regions[0], inits, (BOOL,))
    check_region("while", regions[1], inits, inits)
    return inits


def _call(*operands: ArrayType, name: str = "", regions: tuple[Region, ...]) -> Types:
    require(len(regions) == 1, "call", f"one region is needed, got {len(regions)}")
    results = tuple([value.type for value in regions[0].results])
    check_region("call", regions[0], operands, results)
    return results


def _optimization_barrier(*xs: ArrayType) -> ArrayType | Types:
    return xs if len(xs) > 1 else xs[0]


if_ = Op("if", _if)
case = Op("case", _case)
while_ = Op("while", _while)
call = Op("call", _call)
optimization_barrier = Op("optimization_barrier", _optimization_barrier)
