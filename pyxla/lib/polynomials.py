"""Products and quotients of polynomials, their roots: coefficients of falling powers, and of rising
ones in `numpy.polynomial`.

NumPy drops zeros in front of the highest power, of a product and a remainder at least, so those are
as long as data say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial.polyutils import trimseq

from pyxla.abstract.lattice import Array
from pyxla.lib import kernels as k
from pyxla.lib.manipulation import cut, reshaped
from pyxla.lib.operands import BOOL, as_array, broadcast_to, cast
from pyxla.lib.registry import LIBRARY
from pyxla.lib.scans import take_one
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes


def companion_roots(p: Array) -> Array:
    """The eigenvalues of the companion matrix of coefficients, the outer ones not 0, as complex
    numbers."""
    size = p.size - 1
    if size < 1:
        return as_array(np.zeros(0))  # as NumPy
    head = broadcast_to(take_one(p.value, 0, 0), (size,))
    row = op.negate(op.divide(cut(p.value, 1, size + 1, 0), head))
    below = as_array(np.eye(size, dtype=p.dtype)[:-1] if size > 1 else np.zeros((0, 1), p.dtype))
    matrix = shapes.concatenate(reshaped(row, (1, size)), below.value, dimension=0)
    return LIBRARY[np.linalg.eigvals](Array(matrix))


def ends_are_not_zero(p: Array) -> Array:
    """Whether the first and the last coefficient are not 0."""
    ends = [k.truth(take_one(p.value, i, 0)) for i in (0, p.size - 1)]
    return Array(cast(op.and_(*ends), BOOL))


# --- Rising powers -------------------------------------------------------------------------------


def as_series(alist: Any, trim: bool = True) -> list[Any]:
    """`polyutils.as_series` of numbers; NumPy's makes arrays of objects of all else."""
    found = [np.array(a, ndmin=1) for a in alist]
    for a in found:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        found = [trimseq(a) for a in found]
    dtype = np.common_type(*found)
    return [np.array(a, dtype=dtype) for a in found]
