"""Products of a matrix with its own transpose: what is above the diagonal is computed once.

    %y = dot_general(%a, %a), over 0    ->    P = a[:, :n].T @ a; y[:n] = P; y[n:, :n] = P[:, n:].T
                                              Q = a[:, n:m].T @ a[:, n:]; y[n:m, n:] = Q; ...

The result equals its transpose.  Of three bands of rows, each begins at the diagonal and is copied
to where it stands in the columns: two thirds of the multiplications.  Only for XLA:CPU, whose
library has no product of this kind (NumPy calls `syrk`).
"""

from __future__ import annotations

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.lib.scans import cut
from pyxla.lower.cpu.panels import matrix_of
from pyxla.lower.cpu.spread import DTYPES
from pyxla.ops.contract import dot_general
from pyxla.ops.control import optimization_barrier
from pyxla.ops.filled import integer, number
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.shape import transpose

BANDS = 3
LARGE = 256  # rows of the result, and numbers to add up for each element


def halve_products(region: Region) -> Region:
    """Compute the symmetric products of a region by bands, in place."""

    def halved(instr: Instr) -> Value | None:
        found = _symmetric(instr)
        return None if found is None else _by_bands(instr, *found)

    return rewrite(region, (dot_general,), halved)


def _symmetric(instr: Instr) -> tuple[Value, int] | None:
    """The matrix that is multiplied with its transpose, and its dimension that is summed over."""
    if instr.attrs.get("lhs_batching_dimensions"):
        return None
    result = instr.results[0].type
    if result.ndim != 2 or result.dtype not in DTYPES or result.shape[0] < LARGE:
        return None
    sides = []
    for value, side in zip(instr.operands, ("lhs", "rhs"), strict=True):
        axes = instr.attrs[f"{side}_contracting_dimensions"]
        if value.type.ndim != 2 or len(axes) != 1:
            return None
        matrix, flipped = matrix_of(value)
        sides.append((matrix, axes[0] ^ flipped))
    matrix, axis = sides[0]
    return sides[0] if sides[0] == sides[1] and matrix.type.shape[axis] >= LARGE else None


def _by_bands(dot: Instr, matrix: Value, axis: int) -> Value:
    size = dot.results[0].type.shape[0]
    cuts = [size * k // BANDS for k in range(BANDS + 1)]
    axes = {"lhs_contracting_dimensions": (1,), "rhs_contracting_dimensions": (axis,)}
    attrs = {**dot.attrs, **axes}
    # The library wants its left operand row by row (`lower.cpu.orient`).
    rows = matrix if axis == 1 else optimization_barrier(transpose(matrix, permutation=(1, 0)))
    made = number(0, matrix.type.dtype, (size, size))
    for begin, end in zip(cuts, cuts[1:], strict=False):
        left, right = cut(rows, begin, end, 0), cut(matrix, begin, size, 1 - axis)
        band = dot_general(left, right, **attrs)
        made = dynamic_update_slice(made, band, integer(begin), integer(begin))
        if end < size:
            mirrored = transpose(cut(band, end - begin, size - begin, 1), permutation=(1, 0))
            made = dynamic_update_slice(made, mirrored, integer(end), integer(begin))
    return made
