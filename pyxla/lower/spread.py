"""Products of a matrix with a vector, spread: as sums of products, not as calls of a library.

    %y = dot_general(%a: f64[m, n], %x: f64[n])   ->   %y = reduce(%a * broadcast(%x)) over 1

Such a product reads every element of the matrix once, so its time is that of memory, and XLA fuses
the sum with the code that makes the matrix, or with the slice of a larger array that it is.  As a
library call it needs the matrix in memory first.  Only for XLA:CPU, and for large matrices.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Value
from pyxla.ops.contract import dot_general
from pyxla.ops.elementwise import multiply
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import broadcast_in_dim, constant

LARGE = 1 << 14  # elements
DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def spread(instr: Instr) -> list[Instr]:
    """The code of an instruction, a product of a large matrix and a vector spread."""
    return _spread(instr) if _is_memory_bound(instr) else [instr]


def _is_memory_bound(instr: Instr) -> bool:
    if instr.op is not dot_general or instr.attrs.get("lhs_batching_dimensions"):
        return False
    x, y = [value.type for value in instr.operands]
    if x.dtype not in DTYPES or y.dtype != x.dtype or instr.results[0].type.dtype != x.dtype:
        return False
    return {x.ndim, y.ndim} == {1, 2} and max(x.size, y.size) >= LARGE


def _spread(instr: Instr) -> list[Instr]:
    x, y = instr.operands
    (left,), (right,) = [instr.attrs[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
    matrix, vector, axis = (x, y, left) if x.type.ndim == 2 else (y, x, right)
    code: list[Instr] = []
    with building(Builder(code, instr.loc)):
        shape = matrix.type.shape
        weights = broadcast_in_dim(vector, shape=shape, broadcast_dimensions=(axis,))
        zero = constant(value=np.zeros((), matrix.type.dtype))
        terms = multiply(matrix, weights)
        made: Value = reduce(terms, zero, dimensions=(axis,), computation="add")
    made.owner.results = instr.results
    instr.results[0].owner = made.owner
    return code
