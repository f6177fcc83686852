"""Products and quotients of polynomials, their roots: coefficients of falling powers, and of rising
ones in `numpy.polynomial`.

NumPy drops zeros in front of the highest power, of a product and a remainder at least, so those are
as long as data say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from numpy.polynomial.polyutils import trimseq

from pyxla.abstract.lattice import Array
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.indexing import take
from pyxla.lib.manipulation import cut, reshaped
from pyxla.lib.operands import BOOL, INT, as_array, broadcast_to, cast, literal, splat
from pyxla.lib.products import convolve
from pyxla.lib.registry import LIBRARY, implements
from pyxla.lib.scans import take_one
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.reduce import reduce

COEFFICIENTS = "polynomials are arrays of one dimension with at least one coefficient"


def _coefficients(x: Any) -> Array:
    found = as_array(x)
    if found.ndim > 1 or not found.size:
        raise OpError(COEFFICIENTS)
    return Array(reshaped(found.value, (found.size,)))


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


def _series(*xs: Any) -> list[Array]:
    """Coefficients as `numpy.polynomial` takes them, in floating point."""
    found = [_coefficients(x) for x in xs]
    dtype = np.dtype(np.common_type(*[np.empty(0, x.dtype) for x in found]))
    return [Array(cast(x.value, dtype)) for x in found]


def _trimmed(x: Array) -> Array:
    """`x` up to its last element that is not 0; its first at least."""
    size = x.size
    position = shapes.iota(dtype=INT, shape=(size,), dimension=0)
    nonzero = op.select(k.truth(x.value), position, splat(0, INT, (size,)))
    last = reduce(nonzero, literal(0, INT), dimensions=(0,), computation="maximum")
    kept = op.compare(position, broadcast_to(last, (size,)), direction="LE")
    return take(x, masks.positions(Array(kept)), 0, wrap=False)


def _longest(xs: list[Array]) -> list[Array]:
    size = max(x.size for x in xs)
    rest = [splat(0, x.dtype, (size - x.size,)) for x in xs]
    return [Array(shapes.concatenate(x.value, r, dimension=0)) for x, r in zip(xs, rest)]


@implements(polynomial.polyadd)
def polyadd(c1: Any, c2: Any) -> Array:
    x, y = _longest(_series(c1, c2))
    return _trimmed(Array(op.add(x.value, y.value)))


@implements(polynomial.polysub)
def polysub(c1: Any, c2: Any) -> Array:
    x, y = _longest(_series(c1, c2))
    return _trimmed(Array(op.subtract(x.value, y.value)))


@implements(polynomial.polymul)
def polymul_rising(c1: Any, c2: Any) -> Array:
    return _trimmed(convolve(*_series(c1, c2)))


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
