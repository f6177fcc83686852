"""Arrays of bounded extent in statistics, interpolation and choices among arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import minus, value_of
from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES, as_dtype, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import histograms, manipulation, quantiles, selection, sorting
from pyxla.lib import kernels as k
from pyxla.lib import reductions as r
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    aligned,
    bounded,
    extents_of,
    filled,
    flattened,
    is_bounded,
    named,
    resized_to,
    strategy,
    strategy_of,
    with_extents,
)
from pyxla.lib.bounded.joining import at_least, join
from pyxla.lib.bounded.reductions import true_count
from pyxla.lib.indexing import take, true_size
from pyxla.lib.masks import within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import FLOAT, INT, as_array, broadcast_to, cast, literal
from pyxla.lib.products import matmul
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.ops import elementwise as op
from pyxla.ops.shape import reshape, transpose


def _line(x: Any) -> Array:
    found = as_array(x)
    if found.ndim != 1:
        raise OpError(NOT_SUPPORTED)
    return found


def _size(x: Array) -> Value:
    """The true size of a line, i64[]."""
    return cast(value_of(true_size(x, 0)), INT)


# --- Choices -------------------------------------------------------------------------------------


def _among(function: Function, groups: Sequence[Sequence[Any]], *rest: Any) -> Array:
    """`function` of lists of operands that all broadcast with each other."""
    flat = [as_array(x) for group in groups for x in group]
    found, shape, extents = aligned(flat)
    full = [Array(broadcast_to(x.value, shape)) if x.shape else x for x in found]
    lists = []
    for group in groups:
        lists.append(full[: len(group)])
        full = full[len(group) :]
    return with_extents(function(*lists, *rest), shape, extents)


@strategy(selection.select)
def _select(function: Function, condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    if len(condlist) != len(choicelist) or is_bounded(default):
        raise OpError(NOT_SUPPORTED)
    dtype = selection.result_type(*choicelist, default)
    choices = [as_array(x, dtype) for x in choicelist]
    return _among(lambda c, v: function(c, v, default), [condlist, choices])


@strategy(selection.choose)
def _choose(
    function: Function, a: Any, choices: Any, out: Any = None, mode: str = "raise"
) -> Array:
    if not isinstance(choices, list | tuple):
        raise OpError(NOT_SUPPORTED)
    return _among(lambda index, c: function(index[0], c, None, mode), [[a], list(choices)])


@implements(np.meshgrid, bounded=True)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise OpError("Valid values for `indexing` are 'xy' and 'ij'.")
    places = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        places[:2] = [1, 0]
    lines = []
    for x, place in zip([flattened(as_array(x)) for x in xi], places, strict=True):
        shape = tuple([x.shape[0] if d == place else 1 for d in range(len(xi))])
        own = tuple([extents_of(x)[0] if d == place else None for d in range(len(xi))])
        lines.append(bounded(reshape(x.value, shape=shape), own))
    if sparse or not lines:
        return tuple(lines)
    found, shape, extents = aligned(lines)
    return tuple([bounded(broadcast_to(x.value, shape), extents) for x in found])


# --- Histograms ----------------------------------------------------------------------------------


def _extremes(x: Array) -> tuple[Array, Array]:
    """The least and the greatest element; 0 and 1 where there is none."""
    low = r.min(Array(filled(x, (0,), r.highest(x.dtype)).value))
    high = r.max(Array(filled(x, (0,), r.lowest(x.dtype)).value))
    none = k.eq(_size(x), literal(0, INT))
    ends, wide = [(low, 0.0), (high, 1.0)], result_type(x, 1.0)
    chosen = [op.select(none, literal(n, wide), cast(v.value, wide)) for v, n in ends]
    return Array(chosen[0]), Array(chosen[1])


def _is_edges(bins: Any) -> bool:
    return isinstance(bins, list | tuple | np.ndarray) or (type(bins) is Array and bool(bins.shape))


@strategy(histograms.histogram, histograms.histogram_bin_edges)
def _histogram(function: Function, *args: Any, **kwargs: Any) -> Any:
    """What is past the true size weighs nothing."""
    given = named(function, args, kwargs)
    x = flattened(as_array(given["a"]))
    bins, weights = given.get("bins", 10), given.get("weights")
    if is_bounded(bins) or CLASSES[x.dtype] not in "iuf":
        raise OpError(NOT_SUPPORTED)
    if given.get("range") is None and not _is_edges(bins):
        given["range"] = _extremes(x)
    inside = within(x)
    if inside is not None and function is histograms.histogram:
        if weights is None:
            given["weights"] = Array(cast(inside, INT))
        else:
            w = flattened(as_array(weights)).value
            given["weights"] = Array(op.select(inside, w, k.like(w, 0)))
    given["a"] = Array(x.value)
    return function(**given)


# --- Covariances ---------------------------------------------------------------------------------


@implements(np.cov, rank0="array", bounded=True)
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Array:  # fmt: skip
    given = [as_array(x) for x in ([m] if y is None else [m, y])]
    found = result_type(*given, FLOAT) if dtype is None else as_dtype(dtype)
    rows = [_observations(x, rowvar, found) for x in given]
    whole = join(rows, 0) if len(rows) > 1 else rows[0]
    freedom = operator.index(ddof) if ddof is not None else (0 if bias else 1)
    weights = _weights(fweights, aweights)
    factor: Any
    if whole.extents is not None:
        gaps, factor = _bounded_gaps(whole, weights, freedom)
    elif weights is None:
        gaps, factor = whole - r.mean(whole, 1, keepdims=True), max(whole.shape[1] - freedom, 0)
    else:
        center, total = r.average(whole, 1, weights, returned=True, keepdims=True)
        total = Array(reshape(take_one(total.value, 0, 0), shape=()))
        gaps, factor = whole - center, _weighted_freedom(total, weights, aweights, freedom)
    right = gaps if weights is None else gaps * weights
    product = matmul(gaps, Array(transpose(k.conjugate(right.value), permutation=(1, 0))))
    result = product / factor
    return Array(manipulation.reshaped(result.value, tuple([n for n in result.shape if n != 1])))


def _observations(x: Array, rowvar: bool, dtype: np.dtype) -> Array:
    """Variables as rows."""
    if x.ndim > 2:
        raise OpError("cov: an array has more than 2 dimensions")
    x = at_least(Array(cast(x.value, dtype), x.extents), 2)
    if rowvar or x.shape[0] == 1:
        return x
    return bounded(transpose(x.value, permutation=(1, 0)), extents_of(x)[::-1])


def _bounded_gaps(rows: Array, weights: Array | None, freedom: int) -> tuple[Array, Array]:
    """What observations, of which data says how many there are, are off the mean; and by what the
    sum of products is divided."""
    if extents_of(rows)[0] is not None or weights is not None:
        raise OpError(NOT_SUPPORTED)
    center = strategy_of(r.mean)(rows, 1, keepdims=True)
    gaps = op.subtract(rows.value, broadcast_to(center.value, rows.shape))
    count = cast(value_of(minus(true_size(rows, 1), freedom)), FLOAT)
    factor = op.maximum(count, literal(0, FLOAT))
    return filled(bounded(gaps, extents_of(rows)), (1,), 0), as_array(Array(factor), rows.dtype)


def _weights(fweights: Any, aweights: Any) -> Array | None:
    given = [as_array(w, FLOAT) for w in (fweights, aweights) if w is not None]
    if not given:
        return None
    return given[0] if len(given) == 1 else given[0] * given[1]


def _weighted_freedom(total: Array, weights: Array, aweights: Any, freedom: int) -> Any:
    if freedom == 0:
        return total
    if aweights is None:
        return total - freedom
    return total - r.sum(weights * as_array(aweights, FLOAT)) * freedom / total


# --- Quantiles and interpolation -----------------------------------------------------------------


@strategy(quantiles.quantile)
def _quantile(
    function: Function, a: Any, q: Any, axis: Any = None, *args: Any, **rest: Any
) -> Array:
    x = as_array(a)
    axes = r.reduced_axes(axis, x.ndim)
    own = extents_of(x)
    if any(own[d] is not None for d in range(x.ndim) if d not in axes):
        raise OpError(NOT_SUPPORTED)
    return function(x, q, axis, *args, among=true_count(x, axes), **rest)


_UNLIKE = "fp and xp are not of the same length."


@strategy(sorting.interp)
def _interp(function: Function, x: Any, xp: Any, fp: Any, *args: Any, **kwargs: Any) -> Array:
    """Points past the true size are at infinity, and as high as the last."""
    if not is_bounded(xp) and not is_bounded(fp):
        return bounded(function(Array(x.value), xp, fp, *args, **kwargs).value, extents_of(x))
    points, heights = _line(xp), _line(fp)
    meet(true_size(points, 0), true_size(heights, 0), ValueError, _UNLIKE)
    if args or kwargs or CLASSES[heights.dtype] == "c":
        raise OpError(NOT_SUPPORTED)
    bound = min(points.shape[0], heights.shape[0])
    points, heights = (resized_to(line, 0, bound) for line in (points, heights))
    end = op.maximum(op.subtract(_size(points), literal(1, INT)), literal(0, INT))
    last = take(Array(heights.value), Array(reshape(end, shape=(1,))), 0, wrap=False)
    inside = within(bounded(heights.value, extents_of(points)))
    if inside is None:
        raise OpError(NOT_SUPPORTED)
    height = broadcast_to(cast(last.value, FLOAT), heights.shape)
    table = op.select(inside, cast(heights.value, FLOAT), height)
    places = filled(Array(cast(points.value, FLOAT), points.extents), (0,), math.inf)
    values = as_array(x)
    result = function(Array(values.value), Array(places.value), Array(table))
    return bounded(result.value, extents_of(values))
