"""Products of a matrix with a vector, spread: as sums of products, not as calls of a library.

    %a = multiply(%b, %c)                    %a = multiply(%b, %c)
    %y = dot_general(%a: f64[m, n], %x)   ->   %y = reduce(%a * broadcast(%x)) over 1

As a library call such a product needs its matrix in memory; XLA fuses a sum with the code that
makes the matrix, or with the slice of an array that it is, if nothing else uses it.  A matrix that
lies in memory anyway is multiplied fastest by the library, which reads it in blocks; so is one of
few elements, whatever makes it.  In a function (`lower.cpu.small`) there is no library, and small
products of matrices are spread too.  Only for XLA:CPU.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite, walk
from pyxla.ops.contract import dot_general, extents_along
from pyxla.ops.elementwise import ELEMENTWISE, multiply
from pyxla.ops.index import dynamic_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import broadcast_in_dim, constant, reshape
from pyxla.ops.shape import slice as slice_

LARGE = 1 << 16  # elements
DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
# What computes each element when it is read, and is not there before.
FUSIBLE = (ELEMENTWISE | {dynamic_slice, slice_}) - {constant, reshape}


def spread_products(region: Region) -> Region:
    """Spread the products whose matrices need not be made in memory, in place."""
    dots = [instr for instr in walk(region.instrs) if _is_product(instr)]
    if dots:
        uses = _uses(region)
        chosen = {dot for dot in dots if uses[_parts(dot)[0]] == 1}
        if chosen:
            rewrite(region, (dot_general,), lambda i: _spread(i) if i in chosen else None)
    return region


def _is_product(instr: Instr) -> bool:
    """Whether it is a large matrix, made by fusible code, times a vector."""
    if instr.op is not dot_general or instr.attrs.get("lhs_batching_dimensions"):
        return False
    x, y = [value.type for value in instr.operands]
    if x.dtype not in DTYPES or y.dtype != x.dtype or instr.results[0].type.dtype != x.dtype:
        return False
    if {x.ndim, y.ndim} != {1, 2} or max(x.size, y.size) < LARGE:
        return False
    maker = _parts(instr)[0].owner
    return isinstance(maker, Instr) and maker.op in FUSIBLE


def _parts(dot: Instr) -> tuple[Value, Value, int]:
    """The matrix, the vector, and the dimension of the matrix that is summed over."""
    x, y = dot.operands
    (left,), (right,) = [dot.attrs[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
    return (x, y, left) if x.type.ndim == 2 else (y, x, right)


def _uses(region: Region) -> Counter[Value]:
    uses = Counter(region.results)
    for instr in walk(region.instrs):
        uses.update(instr.operands)
        for inner in instr.regions:
            uses.update(inner.results)
    return uses


def _spread(dot: Instr) -> Value:
    return sum_of_products(*_parts(dot))


def spread_small(dot: Instr) -> Value:
    """Any product, as sums over the last dimensions of all products of two numbers."""
    x, y = dot.operands
    batched, summed = _axes(dot, "lhs")
    rank, dtype = dot.result.type.ndim, x.type.dtype
    shape = (*dot.result.type.shape, *extents_along(x.type, summed))
    last = tuple(range(rank, len(shape)))
    sides = []
    for value, side, free in ((x, "lhs", len(batched)), (y, "rhs", x.type.ndim - len(summed))):
        places = dict(zip(chain(*_axes(dot, side)), (*range(len(batched)), *last), strict=True))
        rest = iter(range(free, rank))
        at = tuple([places[k] if k in places else next(rest) for k in range(value.type.ndim)])
        sides.append(broadcast_in_dim(value, shape=shape, broadcast_dimensions=at))
    zero = constant(value=np.zeros((), dtype))
    return reduce(multiply(*sides), zero, dimensions=last, computation="add")


def _axes(dot: Instr, side: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions of a side that are batched, and those summed over."""
    batched = dot.attrs.get(f"{side}_batching_dimensions", ())
    return batched, dot.attrs[f"{side}_contracting_dimensions"]


def sum_of_products(matrix: Value, vector: Value, axis: int) -> Value:
    """The product of a matrix, summed over dimension `axis`, with a vector: code for it."""
    weights = broadcast_in_dim(vector, shape=matrix.type.shape, broadcast_dimensions=(axis,))
    zero = constant(value=np.zeros((), matrix.type.dtype))
    terms = multiply(matrix, weights)
    return reduce(terms, zero, dimensions=(axis,), computation="add")
