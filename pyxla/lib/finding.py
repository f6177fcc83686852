"""Functions whose result is as long as elements are that hold: `nonzero`, `compress`, `unique`
and the sets built on it.  Their results are of bounded extent; so may their operands be.

`unique` sorts, marks the first of each run and takes what is marked (the sort-based grouping of
Blelloch, "Vector Models for Data-Parallel Computing", 1990).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import minus, plus, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, result_type
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    bounded,
    elementwise,
    extents_of,
    filled,
    flattened,
    plainly,
    sizes,
    strategy,
)
from pyxla.lib.bounded.order import deleted, inserted, last_in_order
from pyxla.lib.indexing import getitem, parse, take, true_size
from pyxla.lib.manipulation import cut, delete_known, insert_known, moveaxis, transposed
from pyxla.lib.masks import listed
from pyxla.lib.operands import (
    BOOL,
    INT,
    as_array,
    broadcast_to,
    cast,
    is_dynamic,
    literal,
    normalize_axes,
    normalize_axis,
    splat,
)
from pyxla.lib.reductions import any as any_
from pyxla.lib.reductions import fold
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.lib.selection import where
from pyxla.lib.sorting import lexsort, order_along, sorted_along
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.filled import spread
from pyxla.ops.index import scatter_along
from pyxla.views.blocks import reshaped

# --- Where elements hold -------------------------------------------------------------------------


def truth_of(x: Any) -> Array:
    """Which elements are true, with the extents of `x`."""
    array = as_array(x)
    return Array(k.truth(array.value), array.extents)


@implements(np.nonzero, np.ndarray.nonzero, bounded=True)
def nonzero(a: Any) -> tuple[Array, ...]:
    return masks.nonzero(truth_of(a))


@implements(np.flatnonzero, bounded=True)
def flatnonzero(a: Any) -> Array:
    return masks.positions(flattened(truth_of(a)))


@implements(np.compress, bounded=True)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Array:
    if out is not None:
        raise OpError("compress with out= is not supported")
    x, chosen = as_array(a), truth_of(condition)
    if chosen.ndim != 1:
        raise OpError("condition must be a 1-d array")
    if axis is None:
        x, axis = flattened(x), 0
    return take(x, masks.positions(chosen), normalize_axis(axis, x.ndim), wrap=False)


@implements(np.ndarray.compress, bounded=True)
def ndarray_compress(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Array:
    return compress(condition, a, axis, out)


@implements(np.trim_zeros, bounded=True)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    if isinstance(filt, list | tuple):
        return _trimmed_items(filt, trim)
    x = as_array(filt)
    key = tuple([slice(*ends) for ends in trimmed(x, trim, axis)])
    return getitem(x, parse(x.shape, x.extents, key))


def trimmed(x: Array, trim: str = "fb", axis: Any = None) -> list[tuple[Any, Any]]:
    """Where what is not zero begins and ends along each dimension; None where all is kept."""
    axes = normalize_axes(axis, x.ndim)
    beside = [_any_beside(x, d) if d in axes else None for d in range(x.ndim)]
    return [(None, None) if found is None else _inner(found, trim) for found in beside]


def _trimmed_items(items: Any, trim: Any) -> Any:
    """A list stays a list, of as many items as its known zeros say."""
    if is_dynamic(items):
        raise OpError("how many items a list has must be known while compiling; use np.array")
    return np.trim_zeros(items, trim)


def _any_beside(x: Array, axis: int) -> Array:
    """Whether anything at each place along `axis` is not zero."""
    if x.ndim == 1:
        return x
    if x.extents is not None:
        raise OpError(NOT_SUPPORTED)
    return any_(x, tuple([d for d in range(x.ndim) if d != axis]))


def _inner(x: Array, trim: str) -> tuple[Any, Any]:
    """Where what is not zero begins and ends."""
    found = truth_of(x)
    places = masks.positions(found)
    size, count = true_size(x, 0), true_size(places, 0)
    if not x.size:
        return 0, 0
    some = OPERATORS["gt"](count, 0)
    first: Any = 0 if "f" not in trim.lower() else _int_at(places, 0)
    last: Any = size if "b" not in trim.lower() else plus(_int_at(places, minus(count, 1)), 1)
    if isinstance(some, bool):
        first, last = (first, last) if some else (0, 0)
    else:
        first, last = [_select(some, v, 0) for v in (first, last)]
    return first, last


def _int_at(x: Array, position: Any) -> Scalar:
    """An element of an array of positions as an int."""
    low = op.maximum(value_of(position), value_of(0))
    picked = take(x, Array(reshaped(cast(low, INT), (1,))), 0, wrap=False)
    value = op.convert(reshaped(picked.value, ()), dtype=INT, weak=True)
    return Scalar(value)


def _select(pred: Any, x: Any, y: Any) -> Scalar:
    return Scalar(op.select(pred.value, value_of(x), value_of(y)))


# --- Without, or with, elements at places known at run time --------------------------------------


@implements(np.delete, bounded=True)
def delete(arr: Any, obj: Any, axis: Any = None) -> Array:
    x = as_array(arr)
    if axis is None:
        x, axis = flattened(x), 0
    axis = normalize_axis(axis, x.ndim)
    obj = listed(obj)
    if isinstance(obj, list) and obj and all(isinstance(n, bool) for n in obj):
        if len(obj) != x.shape[axis]:
            raise OpError("a mask of what to delete is as long as the array")
    if isinstance(obj, Array | Scalar):
        return deleted(x, obj, axis)
    if isinstance(obj, int | np.integer) and x.extents is not None:
        return deleted(x, int(obj), axis)
    return plainly(delete_known, x, obj, axis)


@implements(np.insert, bounded=True)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Array:
    x = as_array(arr)
    if axis is None:
        x, axis = flattened(x), 0
    obj = listed(obj)
    if isinstance(obj, Scalar | Array) or x.extents is not None:
        return inserted(x, obj, values, normalize_axis(axis, x.ndim))
    return plainly(insert_known, x, obj, values, axis)


# --- Sets ----------------------------------------------------------------------------------------


class Grouped:
    """A sorted array, the order it was in, and where each run of equal elements begins."""

    def __init__(self, x: Array, equal_nan: bool) -> None:
        (self.size,), (bound,) = sizes(x), x.shape
        value = filled(x, (0,), last_in_order(x.dtype)).value
        self.order = Array(order_along(value, 0), x.extents)
        self.sorted = Array(sorted_along(value, 0), x.extents)
        starts = splat(True, BOOL, (bound,))
        if bound > 1:
            ordered = self.sorted.value
            later, earlier = cut(ordered, 1, bound, 0), cut(ordered, 0, bound - 1, 0)
            differ = k.ne(later, earlier)
            if equal_nan and CLASSES[x.dtype] in "fc":
                both = op.and_(k.isnan(later), k.isnan(earlier))
                differ = op.and_(differ, op.not_(both))
            starts = shapes.concatenate(splat(True, BOOL, (1,)), differ, dimension=0)
        self.starts = Array(starts, x.extents)
        self.places = masks.positions(self.starts)

    def values(self) -> Array:
        return take(self.sorted, self.places, 0, wrap=False)

    def index(self) -> Array:
        return take(self.order, self.places, 0, wrap=False)

    def counts(self) -> Array:
        """The distance from each start to the next one, or the end."""
        (bound,) = self.places.shape
        if not bound:
            return self.places
        end = reshaped(cast(value_of(self.size), INT), (1,))
        rest = cut(self.places.value, 1, bound, 0)
        following = shapes.concatenate(rest, end, dimension=0)
        position = shapes.iota(dtype=INT, shape=(bound,), dimension=0)
        last = value_of(minus(true_size(self.places, 0), 1))
        is_last = k.eq(position, spread(cast(last, INT), (bound,)))
        following = op.select(is_last, broadcast_to(end, (bound,)), following)
        found = op.subtract(following, self.places.value)
        # At most all: a bound where a count becomes a size.
        found = op.clamp(k.like(found, 0), found, k.like(found, bound))
        return Array(found, self.places.extents)

    def inverse(self) -> Array:
        """Where each element is among the values."""
        (bound,) = self.sorted.shape
        if not bound:
            return self.order
        rank = op.subtract(cast(masks.ranks(self.starts), INT), splat(1, INT, (bound,)))
        place, none = self.order.value, splat(0, INT, (bound,))
        result = scatter_along(none, place, rank, unique_indices=True, computation="update")
        return Array(result, self.sorted.extents)


# Slices of more numbers than this are not told apart: each is a sort of its own.
WIDEST = 256


class GroupedRows(Grouped):
    """Slices along one dimension in lexicographic order; NaN equals nothing."""

    def __init__(self, x: Array, axis: int) -> None:
        if x.extents is not None:
            raise OpError(NOT_SUPPORTED)
        first = moveaxis(x, axis, 0)
        count, self.tail, self.axis = first.shape[0], first.shape[1:], axis
        width = math.prod(self.tail)
        if not 0 < width <= WIDEST:
            raise OpError(
                f"unique along an axis compares up to {WIDEST} numbers at each place, not {width}"
            )
        rows = Array(reshaped(first.value, (count, width)))
        columns = [Array(take_one(rows.value, i, 1)) for i in range(width)]
        self.size = count
        self.order = lexsort(columns[::-1])
        self.rows = take(rows, self.order, 0, wrap=False)
        self.sorted = self.order
        starts = splat(True, BOOL, (min(count, 1),))
        if count > 1:
            ordered = self.rows.value
            later, earlier = cut(ordered, 1, count, 0), cut(ordered, 0, count - 1, 0)
            differ = fold(k.ne(later, earlier), (1,), literal(False, BOOL), "or")
            starts = shapes.concatenate(starts, differ, dimension=0)
        self.starts = Array(starts)
        self.places = masks.positions(self.starts)

    def values(self) -> Array:
        found = take(self.rows, self.places, 0, wrap=False)
        value = reshaped(found.value, (found.shape[0], *self.tail))
        order = list(range(1, len(self.tail) + 1))
        order.insert(self.axis, 0)
        own = [extents_of(found)[0] if d == 0 else None for d in order]
        return bounded(transposed(value, tuple(order)), own)


def _grouped(ar: Any, equal_nan: bool = True) -> Grouped:
    return Grouped(flattened(as_array(ar)), equal_nan)


def _inverse(found: Grouped, ar: Any) -> Any:
    x, inverse = as_array(ar), found.inverse()
    if x.ndim == 1:
        return inverse
    if x.extents is not None:
        raise OpError(NOT_SUPPORTED)
    return Array(reshaped(inverse.value, x.shape))


@implements(np.unique, rank0="array", bounded=True)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    x = as_array(ar)
    along = None if axis is None else normalize_axis(axis, x.ndim)
    rows = along is not None and x.ndim > 1
    found = GroupedRows(x, along or 0) if rows else _grouped(x, equal_nan)
    results = [found.values()]
    if return_index:
        if not rows:  # the first of equal ones, which may be 0.0 and -0.0
            results = [take(flattened(x), found.index(), 0, wrap=False)]
        results.append(found.index())
    if return_inverse:
        results.append(found.inverse() if rows else _inverse(found, x))
    if return_counts:
        results.append(found.counts())
    return results[0] if len(results) == 1 else tuple(results)


@implements(np.isin, rank0="array", bounded=True)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Array:
    x, y = as_array(element), flattened(as_array(test_elements))
    dtype = result_type(x, y)
    shape = (*x.shape, y.size)
    left = broadcast_to(reshaped(cast(x.value, dtype), (*x.shape, 1)), shape)
    same = k.eq(left, broadcast_to(cast(y.value, dtype), shape))
    inside = masks.within(y)
    if inside is not None:
        same = op.and_(same, broadcast_to(inside, shape))
    found = fold(same, (x.ndim,), literal(False, BOOL), "or")
    return Array(op.not_(found) if invert else found, x.extents)


# --- Comparisons of whole arrays -----------------------------------------------------------------


@strategy(where)
def _where(function: Any, condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None or y is None:
        return nonzero(condition)
    return elementwise(function, condition, x, y)
