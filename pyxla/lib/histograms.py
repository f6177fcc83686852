"""Histograms, and `np.add.at`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.creation import linspace
from pyxla.lib.manipulation import cut, flat
from pyxla.lib.operands import (
    FLOAT,
    INT,
    as_array,
    broadcast_to,
    cast,
    literal,
    splat,
)
from pyxla.lib.reductions import extremum, fold
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.lib.selection import where
from pyxla.lib.sorting import is_rising, known_numbers, positions
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops.index import gather_along, scatter_along


@implements(np.histogram_bin_edges, same=True)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Equal bins between the extremes, or the edges that are given."""
    if isinstance(bins, str):
        raise OpError(f"the number of bins of method {bins!r} depends on the data")
    if isinstance(bins, list | tuple | np.ndarray) or (type(bins) is Array and bins.shape):
        known = known_numbers(bins)
        if known is not None and not is_rising(known):
            raise OpError("`bins` must increase monotonically, when an array", ValueError)
        return as_array(bins)
    x = as_array(a)
    if CLASSES[x.dtype] == "c":
        raise OpError("histograms of complex numbers are not supported; take their parts")
    count = operator.index(bins)
    if count < 1:
        words = "`bins` must be positive, when an integer"
        raise OpError(words, ValueError, words)
    low, high = _range(x, range)
    found = result_type(low, high, x)
    return linspace(low, high, count + 1, dtype=result_type(found, 1.0))


def _range(x: Array, given: Any) -> tuple[Any, Any]:
    if given is not None:
        low, high = given
        if not isinstance(low, Array | Scalar) and not isinstance(high, Array | Scalar):
            return (low - 0.5, high + 0.5) if low == high else (low, high)
        wide = result_type(result_type(low, high, x), 1.0)
        low, high = as_array(low, wide), as_array(high, wide)
    elif x.size == 0:
        return 0.0, 1.0
    else:
        axes = tuple(np.arange(x.ndim).tolist())
        low, high = (Array(extremum(x.value, axes, name)) for name in ("minimum", "maximum"))
        wide = result_type(x, 1.0)
        low, high = as_array(low, wide), as_array(high, wide)
    single = UFUNCS[np.equal](low, high)
    return where(single, low - 0.5, low), where(single, high + 0.5, high)


@implements(np.histogram, same=True)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, Array]:
    x = as_array(a)
    edges = histogram_bin_edges(x, bins, range)
    count = edges.size - 1
    values = Array(flat(x.value))
    given = isinstance(bins, list | tuple | np.ndarray) or (type(bins) is Array and bins.shape)
    index = _bin_of(values, edges) if given else _equal_bin_of(values, edges)
    weight_dtype = INT if weights is None else as_array(weights).dtype
    if weights is None:
        amounts = splat(1, INT, values.shape)
    else:
        amounts = flat(as_array(weights).value)
    totals = scatter_along(splat(0, weight_dtype, (count,)), index, amounts, computation="add")
    if not density:
        return Array(totals), edges
    widths = Array(_steps(edges))
    whole = fold(cast(totals, FLOAT), (0,), literal(0, FLOAT), "add")
    return Array(cast(totals, FLOAT)) / widths / Array(whole), edges


def _steps(edges: Array) -> Value:
    later, earlier = _ends(edges.value)
    return cast(op.subtract(later, earlier), result_type(edges, 1.0))


def _ends(edges: Value) -> tuple[Value, Value]:
    size = edges.type.size
    return cut(edges, 1, size, 0), cut(edges, 0, size - 1, 0)


def _bin_of(values: Array, edges: Array) -> Value:
    """The bin of each value; the last is closed, and outside there is none (an index too large)."""
    dtype = result_type(values, edges)
    table, v = cast(edges.value, dtype), cast(values.value, dtype)
    count = edges.size - 1
    index = op.subtract(positions(table, v, "right"), splat(1, INT, values.shape))
    last = broadcast_to(take_one(table, count, 0), values.shape)
    index = op.select(k.eq(v, last), splat(count - 1, INT, values.shape), index)
    outside = op.or_(k.lt(index, k.like(index, 0)), k.isnan(v))
    return op.select(outside, k.like(index, count), index)


def _equal_bin_of(values: Array, edges: Array) -> Value:
    """As `_bin_of` for bins of one width: computed, as NumPy does, and corrected by the edges."""
    dtype = result_type(values, edges)
    count = edges.size - 1
    if CLASSES[dtype] != "f" or dtype.itemsize < 4 or not count or not values.size:
        return _bin_of(values, edges)
    table, v = cast(edges.value, dtype), cast(values.value, dtype)
    low, high = [broadcast_to(take_one(table, i, 0), values.shape) for i in (0, count)]
    share = op.divide(op.subtract(v, low), op.subtract(high, low))
    place = op.convert(op.multiply(share, k.like(share, count)), dtype=INT, weak=False)
    index = op.clamp(k.like(place, 0), place, k.like(place, count - 1))
    index = op.subtract(index, cast(k.lt(v, gather_along(table, index, 0)), INT))
    later = gather_along(table, op.add(index, k.like(index, 1)), 0)
    above = op.and_(k.ge(v, later), k.ne(index, k.like(index, count - 1)))
    index = op.add(index, cast(above, INT))
    inside = op.and_(k.ge(v, low), k.le(v, high))
    return op.select(inside, index, k.like(index, count))
