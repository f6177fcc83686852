"""Sorting and what rests on it: `argsort`, `searchsorted`, `median`, `quantile`, `interp`,
`histogram`.

Quantiles follow Hyndman & Fan, "Sample quantiles in statistical packages" (1996), by the names
NumPy gives their nine definitions.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from pyxla.infer.facts.integers import Int, value_of
from pyxla.infer.lattice import Array, Scalar
from pyxla.infer.promote import CLASSES, kind, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.creation import iota, linspace
from pyxla.lib.loops import fold_range
from pyxla.lib.manipulation import cut, flat, reshaped, transposed
from pyxla.lib.operands import (
    BOOL,
    FLOAT,
    INT,
    Shape,
    as_array,
    as_value,
    broadcast_to,
    cast,
    check_options,
    literal,
    normalize_axes,
    normalize_axis,
    splat,
)
from pyxla.lib.reductions import (
    check_out,
    extremum,
    fold,
    keep,
    mean,
    reduced_axes,
)
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.lib.selection import gather_along, take_along_axis, where
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops import sort as sort_ops
from pyxla.ops.index import scatter
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


def _is_rising(edges: np.ndarray) -> bool:
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
    if size == 1:
        return Array(result)
    if size == 1:
        return Array(result)
    return Array(op.select(k.isnan(v), cast(v, dtype), result))


def _segment(v: Value, points: Value, heights: Value, index: Value, dtype: np.dtype) -> Value:
    """On the line between points `index` and `index + 1`; from its other end where that is NaN."""
    after = op.add(index, k.like(index, 1))
    x0, x1 = gather_along(points, index, 0), gather_along(points, after, 0)
    y0, y1 = gather_along(heights, index, 0), gather_along(heights, after, 0)
    slope = op.divide(op.subtract(y1, y0), cast(op.subtract(x1, x0), dtype))
    forward = op.add(op.multiply(slope, cast(op.subtract(v, x0), dtype)), y0)
    backward = op.add(op.multiply(slope, cast(op.subtract(v, x1), dtype)), y1)
    backward = op.select(op.and_(k.isnan(backward), k.eq(y0, y1)), y0, backward)
    line = op.select(k.isnan(forward), backward, forward)
    return op.select(k.eq(v, x0), y0, line)


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


# --- Quantiles -----------------------------------------------------------------------------------

# method -> virtual index of quantile q among n sorted numbers, counted from 0.
ALPHA_BETA = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
DISCRETE = {"inverted_cdf", "averaged_inverted_cdf", "closest_observation"}
ROUNDED = {"lower", "higher", "midpoint", "nearest"}


def _virtual(method: str, n: Array, q: Array) -> tuple[Array, Array]:
    """The index below and the weight of the one above."""
    floor = UFUNCS[np.floor]
    if method in ALPHA_BETA:
        alpha, beta = ALPHA_BETA[method]
        virtual = (
            (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        )
        below = floor(virtual)
        return below, virtual - below
    virtual = (n - 1) * q
    if method == "lower":
        return floor(virtual), q * 0
    if method == "higher":
        return UFUNCS[np.ceil](virtual), q * 0
    if method == "nearest":
        return UFUNCS[np.rint](virtual), q * 0
    if method == "midpoint":
        below = floor(virtual)
        return below, where(UFUNCS[np.equal](virtual, below), 0.0, 0.5)
    return _discrete(method, n, q)


def _discrete(method: str, n: Array, q: Array) -> tuple[Array, Array]:
    below = UFUNCS[np.floor]
    if method == "inverted_cdf":
        virtual = n * q - 1
        index = below(virtual)
        return where(UFUNCS[np.equal](virtual, index), index, index + 1), q * 0
    if method == "averaged_inverted_cdf":
        virtual = n * q - 1
        index = below(virtual)
        whole = UFUNCS[np.equal](virtual, index)
        return where(whole, index, index + 1), where(whole, 0.5, 0.0)
    virtual = n * q - 1 - 0.5
    index = below(virtual)
    even = UFUNCS[np.logical_and](
        UFUNCS[np.equal](virtual, index), UFUNCS[np.equal](UFUNCS[np.remainder](index, 2), 1)
    )
    return where(even, index, index + 1), q * 0


def axes_last(x: Value, axes: Shape) -> Value:
    """The axes to reduce as one, the last."""
    rest = [i for i in range(x.type.ndim) if i not in axes]
    moved = transposed(x, (*rest, *axes))
    return reshaped(
        moved, (*moved.type.shape[: len(rest)], math.prod(x.type.shape[i] for i in axes))
    )


def quantiles(
    a: Any, q: Any, axis: Any, method: str, keepdims: bool, ignore_nan: bool, weak: bool = True,
    among: Int | None = None,
) -> Array:  # fmt: skip
    """Quantiles in front, then what is left of the array; weak: `q` has no say in the dtype; among:
    how many numbers there are, where `a` is of bounded extent."""
    if method not in ALPHA_BETA and method not in DISCRETE and method not in ROUNDED:
        raise OpError(f"{method!r} is not a valid method of quantiles")
    x = as_array(a)
    if CLASSES[x.dtype] == "c":
        raise OpError("a must be an array of real numbers")
    picked = method in DISCRETE - {"averaged_inverted_cdf"} or method in ROUNDED - {"midpoint"}
    if CLASSES[x.dtype] == "b" and not picked:
        raise OpError("numpy boolean subtract, the `-` operator, is not supported", TypeError)
    picked = picked or (method == "linear" and CLASSES[as_array(q).dtype] in "biu")
    dtype = x.dtype if picked else result_type(x, 1.0 if weak else q, 1.0)
    axes = reduced_axes(axis, x.ndim)
    work = result_type(x, 1.0)
    value, inside = cast(x.value, work), masks.within(x)
    if inside is not None:
        value = op.select(inside, value, k.like(value, math.nan))
    rows = sorted_along(axes_last(value, axes), x.ndim - len(axes))
    q = as_array(q, FLOAT if weak else result_type(q, work))
    head, size = rows.type.shape[:-1], rows.type.shape[-1] if among is None else among
    result = _interpolated(rows, q, method, head, ignore_nan, picked, size)
    shape = q.shape + (keep_shape(x.shape, axes) if keepdims else head)
    return Array(cast(reshaped(result, shape), dtype))


def keep_shape(shape: Shape, axes: Shape) -> Shape:
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def _interpolated(
    rows: Value, q: Array, method: str, head: Shape, ignore_nan: bool, picked: bool, size: Int
) -> Value:
    """For every quantile and row: between two of the row's sorted numbers, or `picked` one; `size`
    of them are no padding."""
    if not rows.type.shape[-1]:
        raise OpError("quantiles of an empty array")
    shape = q.shape + head
    rank, dtype = q.ndim, q.dtype
    there = fold(cast(op.not_(k.isnan(rows)), INT), (len(head),), literal(0, INT), "add")
    full = broadcast_to(cast(value_of(size), INT), head)
    count = there if ignore_nan else full
    n = Array(broadcast_to(cast(count, dtype), shape))
    spread = Array(broadcast_to(reshaped(q.value, (*q.shape, *[1] * len(head))), shape))
    low, weight = _virtual(method, n, spread)
    last = op.subtract(broadcast_to(count, shape), splat(1, INT, shape))
    last = op.maximum(last, splat(0, INT, shape))
    index = cast(low.value, INT)
    below = op.minimum(op.maximum(index, k.like(index, 0)), last)
    above = op.minimum(op.maximum(op.add(index, k.like(index, 1)), k.like(index, 0)), last)
    x0 = _pick(rows, below, rank)
    result = x0 if picked else _lerp(x0, _pick(rows, above, rank), weight.value)
    bad = k.eq(there, k.like(there, 0)) if ignore_nan else k.lt(there, full)
    return op.select(broadcast_to(bad, shape), k.like(result, math.nan), result)


def _pick(rows: Value, index: Value, rank: int) -> Value:
    """rows[r, index[..., r]] for every row r."""
    head = rows.type.shape[:-1]
    order = (*range(rank, index.type.ndim), *range(rank))
    columns = transposed(index, order)
    wide = reshaped(columns, (*head, math.prod(index.type.shape[:rank])))
    picked = take_along_axis(Array(rows), Array(wide), len(head)).value
    back = reshaped(picked, tuple([index.type.shape[i] for i in order]))
    return transposed(back, (*range(len(head), index.type.ndim), *range(len(head))))


def _lerp(x: Value, y: Value, t: Value) -> Value:
    """From the nearer end, so that both ends are exact, in the dtype of `t`; between infinities
    NaN, as NumPy has it."""
    gap = cast(op.subtract(y, x), t.type.dtype)
    x, y = cast(x, t.type.dtype), cast(y, t.type.dtype)
    forward = op.add(x, op.multiply(gap, t))
    backward = op.subtract(y, op.multiply(gap, op.subtract(k.like(t, 1), t)))
    return op.select(k.ge(t, k.like(t, 0.5)), backward, forward)


def quantile(
    scale: float, ignore_nan: bool, a: Any, q: Any, axis: Any = None, out: Any = None,
    overwrite_input: bool = False, method: str = "linear", keepdims: bool = False, *,
    weights: Any = None, interpolation: Any = None, among: Int | None = None,
) -> Array:  # fmt: skip
    check_out(out)
    if weights is not None:
        raise OpError("weights of quantiles are not supported")
    known = known_numbers(q)
    if known is not None and known.size and not (0 <= known.min() and known.max() <= scale):
        what = "Quantiles must be in the range [0, 1]"
        what = what if scale == 1 else "Percentiles must be in the range [0, 100]"
        raise OpError(what, ValueError)
    q = as_array(q) if isinstance(q, list | tuple) else q
    weak = any(kind(q) is python for python in (int, float))
    if scale != 1:
        q = UFUNCS[np.divide](q, scale)
    return quantiles(a, q, axis, method, keepdims, ignore_nan, weak, among)


implements(np.quantile)(functools.partial(quantile, 1, False))
implements(np.percentile)(functools.partial(quantile, 100, False))
implements(np.nanquantile)(functools.partial(quantile, 1, True))
implements(np.nanpercentile)(functools.partial(quantile, 100, True))


@implements(np.median)
def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    """The mean of the middle one or two; NaN where there is one."""
    check_out(out)
    x = as_array(a)
    axes = normalize_axes(axis, x.ndim)
    rows = sorted_along(axes_last(x.value, axes), x.ndim - len(axes))
    size, last = rows.type.shape[-1], rows.type.ndim - 1
    if size == 0:
        return mean(x, axis, keepdims=keepdims)
    middle = [size // 2] if size % 2 else [size // 2 - 1, size // 2]
    picked = [reshaped(take_one(rows, i, last), (*rows.type.shape[:-1], 1)) for i in middle]
    joined = picked[0] if len(picked) == 1 else concatenate(*picked, dimension=last)
    value = mean(Array(joined), -1).value
    if CLASSES[x.dtype] in "fc":
        highest = take_one(rows, size - 1, last)
        value = op.select(k.isnan(highest), k.like(value, math.nan), value)
    return Array(keep(value, x.shape, axes, keepdims))


@implements(np.nanmedian)
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    x = as_array(a)
    if CLASSES[x.dtype] == "c":
        raise OpError("nanmedian of complex numbers is not supported")
    if CLASSES[x.dtype] != "f" or not x.size:
        return median(x, axis, keepdims=keepdims)
    low, high = [quantiles(x, 0.5, axis, m, keepdims, True).value for m in ("lower", "higher")]
    pair = [reshaped(value, (*value.type.shape, 1)) for value in (low, high)]
    average = mean(Array(concatenate(*pair, dimension=low.type.ndim)), -1).value
    return Array(op.select(k.eq(low, high), low, average))


# --- Histograms ----------------------------------------------------------------------------------


@implements(np.histogram_bin_edges, same=True)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Equal bins between the extremes, or the edges that are given."""
    if isinstance(bins, str):
        raise OpError(f"the number of bins of method {bins!r} depends on the data")
    if isinstance(bins, list | tuple | np.ndarray) or (type(bins) is Array and bins.shape):
        known = known_numbers(bins)
        if known is not None and not _is_rising(known):
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
    totals = add_at(splat(0, weight_dtype, (count,)), index, amounts)
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
    place = cast(op.multiply(share, k.like(share, count)), INT)
    index = op.clamp(k.like(place, 0), place, k.like(place, count - 1))
    index = op.subtract(index, cast(k.lt(v, gather_along(table, index, 0)), INT))
    later = gather_along(table, op.add(index, k.like(index, 1)), 0)
    above = op.and_(k.ge(v, later), k.ne(index, k.like(index, count - 1)))
    index = op.add(index, cast(above, INT))
    inside = op.and_(k.ge(v, low), k.le(v, high))
    return op.select(inside, index, k.like(index, count))


def add_at(x: Value, index: Value, amounts: Value) -> Value:
    """`np.add.at(x, index, amounts)`; indices out of range are dropped."""
    return scatter(
        x,
        index,
        amounts,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        index_vector_dim=index.type.ndim,
        computation="add",
    )


@implements(np.histogramdd, same=True)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, list[Array]]:
    if type(sample) is Array and sample.ndim < 2:
        columns = [Array(flat(sample.value))]
    elif type(sample) is Array and sample.ndim == 2:
        columns = [Array(take_one(sample.value, i, 1)) for i in np.arange(sample.shape[1]).tolist()]
    else:
        columns = [as_array(row) for row in sample]
    if range is not None:  # NumPy's edges between given ends are of its default dtype
        columns = [as_array(c, result_type(c, FLOAT)) for c in columns]
    many = isinstance(bins, list | tuple)
    edges = [
        histogram_bin_edges(c, bins[i] if many else bins, None if range is None else range[i])
        for i, c in enumerate(columns)
    ]
    shape = tuple([e.size - 1 for e in edges])
    place = splat(0, INT, columns[0].shape)
    inside = splat(True, BOOL, columns[0].shape)
    for column, edge, extent in zip(columns, edges, shape, strict=True):
        index = _bin_of(column, edge)
        inside = op.and_(inside, k.lt(index, k.like(index, extent)))
        place = op.add(op.multiply(place, k.like(place, extent)), index)
    place = op.select(inside, place, k.like(place, math.prod(shape)))
    amounts = splat(1, FLOAT, place.type.shape) if weights is None else as_value(weights, FLOAT)
    totals = Array(reshaped(add_at(splat(0, FLOAT, (math.prod(shape),)), place, amounts), shape))
    if density:
        totals = totals / Array(
            fold(totals.value, tuple(np.arange(len(shape)).tolist()), literal(0, FLOAT), "add")
        )
        for i, edge in enumerate(edges):
            spread = [1] * len(shape)
            spread[i] = shape[i]
            totals = totals / Array(reshaped(_steps(edge), tuple(spread)))
    return totals, edges
