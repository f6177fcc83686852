"""Sorting and what rests on it: `argsort`, `searchsorted`, `interp`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.creation import iota
from pyxla.lib.loops import fold_range
from pyxla.lib.manipulation import flat, reshaped
from pyxla.lib.operands import (
    FLOAT,
    INT,
    as_array,
    as_value,
    broadcast_to,
    cast,
    check_options,
    literal,
    normalize_axis,
    splat,
)
from pyxla.lib.reductions import fold
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.lib.selection import take_along_axis
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops import sort as sort_ops
from pyxla.ops.index import gather_along
from pyxla.ops.scope import slope_of
from pyxla.ops.shape import concatenate

# Searching among so few sorted numbers is counting those before.
COUNTED = 32


def sorted_along(x: Value, axis: int) -> Value:
    if x.type.shape[axis] < 2:
        return x
    return sort_ops.sort(x, dimension=axis, is_stable=True, comparator="LT")


def order_along(x: Value, axis: int) -> Value:
    """The stable order of the elements along `axis`."""
    positions = iota(INT, x.type.shape, axis)
    if x.type.shape[axis] < 2:
        return positions
    return sort_ops.sort(x, positions, dimension=axis, is_stable=True, comparator="LT")[1]


def _axis_or_flat(a: Any, axis: Any) -> tuple[Value, int]:
    x = as_array(a)
    if axis is None:
        return flat(x.value), 0
    if not x.shape:
        raise OpError("cannot sort an array without dimensions")
    return x.value, normalize_axis(axis, x.ndim)


@implements(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None):
    check_options(np.sort, kind=kind, order=order, stable=stable)
    return Array(sorted_along(*_axis_or_flat(a, axis)))


@implements(np.argsort, np.ndarray.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None):
    check_options(np.argsort, kind=kind, order=order, stable=stable)
    if not as_array(a).shape:
        return Array(splat(0, INT, (1,)))
    if isinstance(a, tuple) and all(type(n) is int for n in a):  # such as axes
        return as_array(np.argsort(a))
    return Array(order_along(*_axis_or_flat(a, axis)))


@implements(np.partition)
def partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> Array:
    check_options(np.partition, 0, kind=kind, order=order)
    return Array(sorted_along(*_axis_or_flat(a, axis)))


@implements(np.argpartition, np.ndarray.argpartition)
def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> Array:
    check_options(np.argpartition, 0, kind=kind, order=order)
    return Array(order_along(*_axis_or_flat(a, axis)))


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Array:
    """Stable sorts by every key, the last, which decides first, at the end."""
    if isinstance(keys, list | tuple):
        arrays = [as_array(row) for row in keys]
    else:
        stacked = as_array(keys)
        if not stacked.size or not stacked.ndim:
            raise OpError("need sequence of keys with len > 0 in lexsort", TypeError)
        arrays = [Array(take_one(stacked.value, i, 0)) for i in range(stacked.shape[0])]
    if not arrays[0].ndim:
        return Array(literal(0, INT))
    axis = normalize_axis(axis, arrays[0].ndim)
    if not arrays[0].size:
        return Array(splat(0, INT, arrays[0].shape))
    order = Array(order_along(arrays[0].value, axis))
    for key in arrays[1:]:
        ranked = take_along_axis(key, order, axis)
        order = take_along_axis(order, Array(order_along(ranked.value, axis)), axis)
    return order


# --- Searching -----------------------------------------------------------------------------------


def before(x: Value, y: Value) -> Value:
    """x < y in the order of sorting: NaN last, complex numbers lexicographic."""
    if CLASSES[x.type.dtype] == "c":
        less = k.complex_less(x, y)
        return op.or_(less, op.and_(op.not_(k.isnan(x)), k.isnan(y)))
    less = k.lt(x, y)
    if CLASSES[x.type.dtype] == "f":
        return op.or_(less, op.and_(op.not_(k.isnan(x)), k.isnan(y)))
    return less


def positions(table: Value, values: Value, side: str) -> Value:
    """How many of the sorted `table` come before each of `values` ("right": or equal it)."""

    def precedes(x: Value, v: Value) -> Value:
        return before(x, v) if side == "left" else op.not_(before(v, x))

    size, shape = table.type.size, values.type.shape
    if size <= COUNTED:
        column = broadcast_to(reshaped(values, (*shape, 1)), (*shape, size))
        counted = cast(precedes(broadcast_to(table, (*shape, size)), column), INT)
        return fold(counted, (len(shape),), literal(0, INT), "add")

    def halve(_: Scalar, low: Array, high: Array) -> tuple[Array, Array]:
        middle = op.shift_right_logical(op.add(low.value, high.value), k.like(low.value, 1))
        open_ = k.lt(low.value, high.value)
        right = op.and_(open_, precedes(gather_along(table, _inside(middle, size), 0), values))
        up = op.select(right, op.add(middle, k.like(middle, 1)), low.value)
        left = op.and_(open_, op.not_(right))
        return Array(up), Array(op.select(left, middle, high.value))

    start = (Array(splat(0, INT, shape)), Array(splat(size, INT, shape)))
    return fold_range(0, size.bit_length(), halve, start)[0].value


def _inside(index: Value, size: int) -> Value:
    return op.minimum(index, k.like(index, size - 1))


@implements(np.searchsorted, np.ndarray.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    if side not in ("left", "right"):
        raise OpError(f"search side must be 'left' or 'right' (got {side!r})")
    table, values = as_array(a), as_array(v)
    if sorter is not None:
        table = take_along_axis(table, sorter, 0)
    dtype = result_type(table, values)
    return Array(positions(cast(table.value, dtype), as_value(values, dtype), side))


def known_numbers(x: Any) -> np.ndarray | None:
    """The numbers in `x`, where all of them are known while compiling."""
    if isinstance(x, Array | Scalar):
        return masks.constant_of(x) if isinstance(x, Array) else None
    if isinstance(x, list | tuple) and any(known_numbers(item) is None for item in x):
        return None
    return np.asarray(x)


def is_rising(edges: np.ndarray) -> bool:
    """Whether edges are a line of numbers in order; what is no line is left to who asks."""
    return edges.ndim != 1 or bool((np.diff(edges) >= 0).all())


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """Linear between the points, constant outside."""
    points, heights = as_array(xp, FLOAT), as_array(fp)
    if points.ndim != 1 or heights.shape != points.shape:
        raise OpError("fp and xp are not of the same length.", ValueError)
    if not points.size:
        raise OpError("array of sample points is empty", ValueError)
    dtype = np.dtype(np.complex128) if CLASSES[heights.dtype] == "c" else FLOAT
    heights = as_array(heights, dtype)
    if CLASSES[as_array(x).dtype] == "c":
        raise OpError("interp is not defined at complex numbers")
    values = as_array(x, FLOAT)
    if period is not None:
        values, points, heights = _periodic(values, points, heights, period)
        left = right = None
    size, shape = points.size, values.shape
    first, last = take_one(heights.value, 0, 0), take_one(heights.value, size - 1, 0)
    lowest, highest = take_one(points.value, 0, 0), take_one(points.value, size - 1, 0)
    left = first if left is None else as_value(left, dtype)
    right = last if right is None else as_value(right, dtype)
    v = values.value
    result = broadcast_to(last, shape)
    if size > 1:
        index = op.subtract(positions(points.value, v, "right"), splat(1, INT, shape))
        index = op.clamp(literal(0, INT), index, literal(size - 2, INT))
        result = _segment(v, points.value, heights.value, index, dtype)
    at_end = k.eq(v, broadcast_to(highest, shape))
    result = op.select(at_end, broadcast_to(last, shape), result)
    result = op.select(k.lt(v, broadcast_to(lowest, shape)), broadcast_to(left, shape), result)
    result = op.select(k.gt(v, broadcast_to(highest, shape)), broadcast_to(right, shape), result)
    if size == 1:
        return Array(result)
    return Array(op.select(k.isnan(v), cast(v, dtype), result))


def _segment(v: Value, points: Value, heights: Value, index: Value, dtype: np.dtype) -> Value:
    """On the line between points `index` and `index + 1`; from its other end where that is NaN.

    At a point its height, with the slope of the line that begins there."""
    after = op.add(index, k.like(index, 1))
    x0, x1 = gather_along(points, index, 0), gather_along(points, after, 0)
    y0, y1 = gather_along(heights, index, 0), gather_along(heights, after, 0)
    slope = op.divide(op.subtract(y1, y0), cast(op.subtract(x1, x0), dtype))
    forward = op.add(op.multiply(slope, cast(op.subtract(v, x0), dtype)), y0)
    backward = op.add(op.multiply(slope, cast(op.subtract(v, x1), dtype)), y1)
    backward = op.select(op.and_(k.isnan(backward), k.eq(y0, y1)), y0, backward)
    line = op.select(k.isnan(forward), backward, forward)
    smooth = op.select(k.isnan(line), y0, line)
    return slope_of(op.select(k.eq(v, x0), y0, line), smooth)


def _periodic(x: Array, points: Array, heights: Array, period: Any) -> tuple[Array, ...]:
    """One more point before and after a period."""
    period = UFUNCS[np.absolute](period)
    x, points = UFUNCS[np.remainder](x, period), UFUNCS[np.remainder](points, period)
    order = argsort(points)
    points, heights = take_along_axis(points, order, 0), take_along_axis(heights, order, 0)
    size = points.size

    def edge(array: Array, i: int) -> Value:
        return reshaped(take_one(array.value, i, 0), (1,))

    around = concatenate(
        (Array(edge(points, size - 1)) - period).value,
        points.value,
        (Array(edge(points, 0)) + period).value,
        dimension=0,
    )
    values = concatenate(edge(heights, size - 1), heights.value, edge(heights, 0), dimension=0)
    return x, Array(around), Array(values)
