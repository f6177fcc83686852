"""Products of two matrices, oriented: the left one lies in memory row by row.

    %y = dot_general(%a: [k, m], %b), over 0   ->   %r = optimization_barrier(transpose(%a))
                                                    %y = dot_general(%r, %b), over 1

XLA:CPU's library takes a left operand only so; it multiplies others by slower code.  XLA
moves transposes into products, so a left operand that is a transpose in the program, or computed
from one, is made in memory first too: it is one element written for `n` multiplications.  Where an
operand is computed for such products alone, as in the reverse of a layer, writing it transposed
costs nothing, and it is done for narrow ones.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite, users_of
from pyxla.ops.contract import dot_general
from pyxla.ops.control import optimization_barrier
from pyxla.ops.elementwise import ELEMENTWISE
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import reshape, transpose

WIDE = 32  # columns of the result: multiplications for each element that is moved
LONG = 8  # numbers that are multiplied and added for an element of the result
FLAT = 4  # rows of the result: with fewer, the matrix is as good as vectors
SMALL = 256  # elements: a loop with a larger array is no single function, and may have barriers
DEEP = 8  # operations between a transpose and the product
FLOATS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


def orient_products(region: Region) -> Region:
    """Orient the products of a region, in place."""
    for instr in region.instrs:
        for inner in instr.regions:
            orient_products(inner)
    if not any(map(_is_of_matrices, region.instrs)):
        return region
    users, rows = users_of(region), dict[Value, Value]()

    def oriented(dot: Instr) -> Value | None:
        if not _is_of_matrices(dot):
            return None
        disoriented = _is_disoriented(dot) or _is_free(dot, users, region)
        return _oriented(dot, rows) if disoriented else None

    return rewrite(region, (dot_general,), oriented, enters=())


def _is_of_matrices(instr: Instr) -> bool:
    """Whether it is a product of two matrices of floats."""
    if instr.op is not dot_general or instr.attrs.get("lhs_batching_dimensions"):
        return False
    left, right = instr.operands
    if left.type.dtype not in FLOATS or left.type.ndim != 2 or right.type.ndim != 2:
        return False
    return len(instr.attrs["lhs_contracting_dimensions"]) == 1


def _is_disoriented(dot: Instr) -> bool:
    """Whether the left operand is not row by row, and the product worth to make it so."""
    left, axes = dot.operands[0], dot.attrs["lhs_contracting_dimensions"]
    height, width = dot.results[0].type.shape
    if width < WIDE or height < FLAT or left.type.shape[axes[0]] < LONG:
        return False
    return _is_transposed(left, DEEP) == (axes == (1,))


def _is_free(dot: Instr, users: dict[Value, list[Instr]], region: Region) -> bool:
    """Whether the left operand is computed column by column, for such products alone; what is read
    off another array, kernels read themselves."""
    left = maker = dot.operands[0]
    if not _is_by_columns(dot, left) or left.type.size < SMALL or left in region.results:
        return False
    while isinstance(maker.owner, Instr) and maker.owner.op is reshape:
        maker = maker.owner.operands[0]
    if not isinstance(maker.owner, Instr) or _is_transposed(left, DEEP):
        return False
    read = maker.owner.op is dynamic_slice
    if not read and maker.owner.op not in ELEMENTWISE:
        return False
    return all(
        _is_by_columns(user, left) or (read and user.op in ELEMENTWISE) for user in users[left]
    )


def _is_by_columns(user: Instr, left: Value) -> bool:
    by_columns = _is_of_matrices(user) and user.attrs["lhs_contracting_dimensions"] == (0,)
    return by_columns and user.operands[0] is left and user.operands[1] is not left


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


def _oriented(dot: Instr, made: dict[Value, Value]) -> Value:
    """The product of the left operand by rows; made: those that there are already."""
    left, right = dot.operands
    moved = dot.attrs["lhs_contracting_dimensions"] == (0,)
    maker = right.owner
    if left not in made:
        rows = transpose(left, permutation=(1, 0)) if moved else left
        made[left] = optimization_barrier(rows)
    if isinstance(maker, Instr) and maker.op is transpose and maker.operands[0] is left:
        right = right if moved else transpose(made[left], permutation=(1, 0))
    attrs = {**dot.attrs, "lhs_contracting_dimensions": (1,)}
    return dot_general(made[left], right, **attrs)
