"""Products of two matrices, oriented: the left one lies in memory row by row.

    %y = dot_general(%a: f64[k, m], %b), over 0   ->   %r = optimization_barrier(transpose(%a))
                                                       %y = dot_general(%r, %b), over 1

XLA:CPU's library takes a left operand of doubles only so; it multiplies others by slow code.  XLA
moves transposes into products, so a left operand that is a transpose in the program, or computed
from one, is made in memory first too: it is one element written for `n` multiplications.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ops.contract import dot_general
from pyxla.ops.control import optimization_barrier
from pyxla.ops.shape import transpose

WIDE = 64  # columns of the result: multiplications for each element that is moved
DEEP = 8  # operations between a transpose and the product
F64 = np.dtype(np.float64)


def orient_products(region: Region) -> Region:
    """Orient the products of a region, in place."""
    code: list[Instr] = []
    for instr in region.instrs:
        for inner in instr.regions:
            orient_products(inner)
        code += _oriented(instr) if _is_disoriented(instr) else [instr]
    region.instrs[:] = code
    return region


def _is_disoriented(instr: Instr) -> bool:
    if instr.op is not dot_general or instr.attrs.get("lhs_batching_dimensions"):
        return False
    left, right = instr.operands
    if left.type.dtype != F64 or left.type.ndim != 2 or right.type.ndim != 2:
        return False
    axes = instr.attrs["lhs_contracting_dimensions"]
    if len(axes) != 1 or min(instr.results[0].type.shape) < WIDE:
        return False
    return _is_transposed(left, DEEP) == (axes == (1,))


def _is_transposed(matrix: Value, depth: int) -> bool:
    """Whether XLA lays a matrix out column by column: it moves transposes behind arithmetic."""
    maker = matrix.owner
    if not isinstance(maker, Instr) or not depth:
        return False
    if maker.op is transpose:
        return not _is_transposed(maker.operands[0], depth - 1)
    if maker.op.name not in _ELEMENTWISE:
        return False
    return any(_is_transposed(x, depth - 1) for x in maker.operands if x.type.ndim == 2)


_ELEMENTWISE = frozenset({"add", "subtract", "multiply", "divide", "negate", "convert", "select"})


def _oriented(dot: Instr) -> list[Instr]:
    left, right = dot.operands
    code: list[Instr] = []
    attrs = dict(dot.attrs)
    maker = right.owner
    with building(Builder(code, dot.loc)):
        rows = left
        if attrs["lhs_contracting_dimensions"] == (0,):
            rows = transpose(left, permutation=(1, 0))
            attrs["lhs_contracting_dimensions"] = (1,)
        rows = optimization_barrier(rows)
        if isinstance(maker, Instr) and maker.op is transpose and maker.operands[0] is left:
            right = transpose(rows, permutation=(1, 0)) if rows.type is left.type else right
        made: Value = dot_general(rows, right, **attrs)
    made.owner.results = dot.results
    dot.results[0].owner = made.owner
    return code
