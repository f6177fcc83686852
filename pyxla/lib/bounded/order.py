"""Arrays of bounded extent where the order of elements counts: sorting, searching, sums so far,
differences, rolling, insertion and deletion at places known at run time.

Sorting fills with what sorts last; sums so far pass through, since what lies past the true size
comes after all that is real.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, larger, minus, plus, smaller, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import creation, polynomials, products, scans, selection, sorting
from pyxla.lib import kernels as k
from pyxla.lib import manipulation as m
from pyxla.lib import reductions as r
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    bounded,
    extents_of,
    filled,
    flattened,
    is_bounded,
    named,
    plainly,
    resized_to,
    sized,
    sizes,
    strategy,
)
from pyxla.lib.bounded.joining import join
from pyxla.lib.bounded.reductions import reduced, taken
from pyxla.lib.indexing import take, true_size
from pyxla.lib.masks import positions, within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import (
    BOOL,
    INT,
    as_array,
    cast,
    normalize_axis,
    splat,
    weak,
)
from pyxla.lib.registry import LeftToPython, implements
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread
from pyxla.ops.index import scatter_along
from pyxla.ops.shape import broadcast_in_dim, iota


def last_in_order(dtype: np.dtype) -> Any:
    """What no element is sorted after."""
    if CLASSES[dtype] == "c":
        return complex(np.nan, np.nan)
    return np.nan if CLASSES[dtype] == "f" else r.highest(dtype)


def _line(x: Array, axis: Any) -> tuple[Array, int]:
    """The array and the axis a function goes along; flattened where that is None."""
    if axis is None:
        return flattened(x), 0
    return x, normalize_axis(axis, x.ndim)


# --- Sorting and searching -----------------------------------------------------------------------


@strategy(sorting.sort, sorting.argsort)
def _sort(function: Function, a: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Array:
    x, axis = _line(as_array(a), axis)
    result = plainly(function, Array(filled(x, (axis,), last_in_order(x.dtype)).value), axis)
    return bounded(result.value, extents_of(x))


@strategy(sorting.partition, sorting.argpartition)
def _partition(function: Function, a: Any, kth: Any, axis: Any = -1, *args: Any) -> Array:
    x, axis = _line(as_array(a), axis)
    value = filled(x, (axis,), last_in_order(x.dtype)).value
    return bounded(function(Array(value), kth, axis).value, extents_of(x))


@strategy(sorting.lexsort)
def _lexsort(function: Function, keys: Any, axis: Any = -1) -> Array:
    if isinstance(keys, Array):
        if keys.ndim != 2 or extents_of(keys)[0] is not None:
            raise OpError(NOT_SUPPORTED)
        rows = [scans.take_one(keys.value, i, 0) for i in range(keys.shape[0])]
        keys = [bounded(row, extents_of(keys)[1:]) for row in rows]
    xs = [as_array(key) for key in keys]
    if any(x.ndim != 1 for x in xs):
        raise OpError(NOT_SUPPORTED)
    bound = min(x.shape[0] for x in xs)
    size = next((x.extents[0] for x in xs if x.extents is not None), None)
    full = [x for x in xs if x.extents is None]
    if full:
        size = None
        bound = full[0].shape[0]
    xs = [resized_to(filled(x, (0,), last_in_order(x.dtype)), 0, bound) for x in xs]
    return bounded(function([Array(x.value) for x in xs]).value, (size,))


@strategy(sorting.searchsorted)
def _searchsorted(
    function: Function, a: Any, v: Any, side: str = "left", sorter: Any = None
) -> Array:
    table = as_array(a)
    if sorter is not None or table.ndim != 1:
        raise OpError(NOT_SUPPORTED)
    values = as_array(v) if isinstance(v, list | tuple) else v
    own = extents_of(values) if isinstance(values, Array) else ()
    plain = Array(values.value) if isinstance(values, Array) else values
    found = function(Array(filled(table, (0,), last_in_order(table.dtype)).value), plain, side)
    size = true_size(table, 0)
    value = found.value
    if isinstance(size, Scalar):
        value = op.minimum(value, spread(cast(size.value, value.type.dtype), value.type.shape))
    return bounded(value, own)


@strategy(selection.take)
def _take(
    function: Function, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise"
) -> Array:
    if out is not None or mode != "raise" or (isinstance(indices, list) and is_bounded(indices)):
        raise OpError(NOT_SUPPORTED)
    x, axis = _line(as_array(a), axis)
    at = as_array(indices)
    if CLASSES[at.dtype] not in "iu":
        raise OpError(f"indices must be integers, not {at.dtype}")
    return take(x, at, axis)


# --- Along an axis -------------------------------------------------------------------------------


@strategy(scans.cumsum, scans.cumprod, scans.nancumsum, scans.nancumprod, scans.ufunc_accumulate)
def _cumulative(function: Function, *args: Any, **kwargs: Any) -> Array:
    given = named(function, args, kwargs)
    name = next(key for key in given if key in ("a", "array"))
    x = as_array(given[name])
    default = 0 if name == "array" else None
    x, axis = _line(x, given.get("axis", default))
    rest = {key: v for key, v in given.items() if key not in (name, "axis")}
    result = plainly(function, Array(x.value), axis=axis, **rest)
    return bounded(result.value, extents_of(x))


@strategy(scans.ufunc_reduce)
def _ufunc_reduce(function: Any, array: Any, axis: Any = 0, **kwargs: Any) -> Array:
    ufunc = function.args[0]
    x = as_array(array)
    axes = r.reduced_axes(axis, x.ndim)
    if kwargs.get("where", True) is not True or ufunc not in scans.NEUTRAL:
        raise OpError(NOT_SUPPORTED)
    found = taken(x, axes, scans.NEUTRAL[ufunc](x.dtype))
    result = plainly(function, Array(found.value), axis, **kwargs)
    return reduced(result, x, axes, bool(kwargs.get("keepdims")))


@strategy(scans.ufunc_reduceat)
def _ufunc_reduceat(
    function: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Array:
    """Indices past their number are that of the end: what the last slice goes up to."""
    ufunc, x, at = function.args[0], as_array(array), as_array(indices)
    axis = normalize_axis(axis, x.ndim)
    size = true_size(x, axis)
    starts = cast(at.value, INT)
    if is_bounded(at):
        starts = op.select(within(at), starts, spread(value_of(size), at.shape))
    full = Array(x.value)
    own = list(extents_of(x))
    own[axis] = extents_of(at)[0]
    return bounded(scans.reduce_spans(ufunc, full, starts, size, axis, dtype).value, own)


@implements(np.ediff1d, bounded=True)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    x = flattened(as_array(ary))
    if x.dtype == BOOL:
        raise OpError("numpy boolean subtract is not supported")
    steps = sized(scans.diff(Array(x.value)).value, [larger(minus(true_size(x, 0), 1), 0)])
    parts: list[Any] = []
    for name, part in (("to_begin", to_begin), ("to_end", to_end)):
        if part is not None and not np.can_cast(as_array(part).dtype, x.dtype, "same_kind"):
            words = f"dtype of `{name}` must be compatible with input `ary` under the `same_kind`"
            raise OpError(f"{words} rule.", TypeError)
        parts.append(None if part is None else flattened(as_array(part, x.dtype)))
    return join([p for p in (parts[0], steps, parts[1]) if p is not None], 0)


@strategy(m.roll)
def _roll(function: Function, a: Any, shift: Any, axis: Any = None) -> Array:
    """Element `i` comes from `i - shift`, counted around the true size."""
    x = as_array(a)
    if axis is None and x.ndim != 1 or isinstance(shift, list | tuple | Array):
        raise OpError(NOT_SUPPORTED)
    axis = normalize_axis(0 if axis is None else axis, x.ndim)
    size = true_size(x, axis)
    if not isinstance(size, Scalar):
        return bounded(function(Array(x.value), shift, axis).value, extents_of(x))
    if not x.size:
        return x
    count = x.shape[axis]
    places = iota(dtype=INT, shape=(count,), dimension=0)
    back = spread(cast(value_of(shift), INT), (count,))
    around = spread(cast(value_of(larger(size, 1)), INT), (count,))
    places = k.integer_remainder(op.subtract(places, back), around)
    found = take(Array(x.value), Array(places), axis, wrap=False)
    return bounded(found.value, extents_of(x))


@strategy(products.trace)
def _trace(function: Function, a: Any, *args: Any) -> Array:
    x = as_array(a)
    if x.ndim != 2:
        raise OpError(NOT_SUPPORTED)
    return plainly(function, Array(filled(x, (0, 1), 0).value), *args)


@strategy(creation.diag)
def _diag(function: Function, v: Any, k: Any = 0) -> Array:
    x, k = as_array(v), operator.index(k)
    if x.ndim != 1:  # of a matrix it is a view
        raise OpError(NOT_SUPPORTED)
    size = plus(true_size(x, 0), abs(k))
    return sized(function(Array(filled(x, (0,), 0).value), k).value, (size, size))


@strategy(polynomials.polyadd, polynomials.polysub, polynomials.polymul_rising)
def _series(function: Function, *series: Any) -> Array:
    """Sums and products of polynomials, whose coefficients past the last one are 0."""
    given = [as_array(x) for x in series]
    return function(*[Array(filled(x, range(x.ndim), 0).value) for x in given])


@strategy(products.convolve, products.correlate)
def _convolve(function: Function, a: Any, v: Any, mode: Any = None) -> Array:
    """All products, of which other modes take those in the middle."""
    correlates = function is products.correlate
    mode = ("valid" if correlates else "full") if mode is None else mode
    x, y = as_array(a), as_array(v)
    if mode not in ("full", "same", "valid") or x.ndim != 1 or y.ndim != 1:
        raise OpError(NOT_SUPPORTED)
    n, m = true_size(x, 0), true_size(y, 0)
    result = function(*[Array(filled(z, (0,), 0).value) for z in (x, y)], "full")
    long, short = larger(n, m), smaller(n, m)
    count = {"full": minus(plus(n, m), 1), "same": long, "valid": plus(minus(long, short), 1)}[mode]
    first, one = splat(0, INT, ()), splat(1, INT, ())
    if mode != "full":
        first = op.maximum(op.subtract(_size(short), one), first)
    if mode == "same":
        # NumPy correlates the longer with the shorter, and turns what that gives around.
        turned = cast(k.lt(_size(n), _size(m)), INT) if correlates else splat(0, INT, ())
        first = op.divide(op.add(first, turned), splat(2, INT, ()))
    if correlates:  # the last element of `y` meets the first of `x` first, and `y` ends in zeros
        first = op.add(first, _size(minus(y.shape[0], m)))
    elif mode == "full":
        return sized(result.value, (count,))
    bound = result.shape[0] if mode == "full" else max(x.shape[0], y.shape[0])
    places = op.add(iota(dtype=INT, shape=(bound,), dimension=0), spread(first, (bound,)))
    return sized(take(result, Array(places), 0, wrap=False).value, (count,))


def _size(n: Int) -> Value:
    return cast(value_of(n), INT)


@strategy(products.kron)
def _kron(function: Function, a: Any, b: Any) -> Array:
    """Along each dimension, element `i` is that of the quotient and the remainder by the second's
    size."""
    x, y = as_array(a), as_array(b)
    x, y = [_with_leading(z, max(x.ndim, y.ndim) - z.ndim) for z in (x, y)]
    sizes = list[Int]()
    first, second = Array(x.value), Array(y.value)
    for axis, room in enumerate(map(operator.mul, x.shape, y.shape)):
        at = iota(dtype=INT, shape=(room,), dimension=0)
        size = true_size(y, axis)
        count = spread(op.maximum(cast(value_of(size), INT), splat(1, INT, ())), (room,))
        first = take(first, Array(op.divide(at, count)), axis, wrap=False)
        second = take(second, Array(op.remainder(at, count)), axis, wrap=False)
        sizes.append(times(true_size(x, axis), size))
    return sized((first * second).value, tuple(sizes))


@strategy(creation.full)
def _full(function: Function, *args: Any, **kwargs: Any) -> Array:
    raise LeftToPython


def _with_leading(x: Array, count: int) -> Array:
    """`x` with so many dimensions of one element before its own."""
    extents = x.extents and (*[None] * count, *x.extents)
    return Array(m.reshaped(x.value, (*[1] * count, *x.shape)), extents)


# --- Places known at run time --------------------------------------------------------------------


def deleted(x: Array, obj: Any, axis: int) -> Array:
    """`x` without the elements at `obj`, an int or an array of ints or bools."""
    at = as_array(obj)
    size = true_size(x, axis)
    if at.dtype == BOOL:
        return take(x, positions(Array(op.not_(at.value), at.extents)), axis, wrap=False)
    if not at.shape and at.extents is None:
        return _without_one(x, at.value, axis, size)
    if at.ndim != 1:
        raise OpError("the positions to delete are an int, or along one dimension, or a mask")
    kept = op.not_(_marked(at, x.shape[axis], size))
    extents = None if isinstance(size, int) else (size,)
    return take(x, positions(Array(kept, extents)), axis, wrap=False)


def _marked(at: Array, room: int, size: Int) -> Value:
    """Which of the places of a dimension are among `at`, which may count from its end."""
    given = cast(at.value, INT)
    from_end = op.add(given, spread(cast(value_of(size), INT), at.shape))
    places = op.select(k.lt(given, k.like(given, 0)), from_end, given)
    if (real := within(at)) is not None:
        places = op.select(real, places, splat(room, INT, at.shape))
    none, ones = splat(0, INT, (room,)), splat(1, INT, at.shape)
    found = scatter_along(none, places, ones, unique_indices=False, computation="update")
    return k.gt(found, k.like(found, 0))


def _without_one(x: Array, place: Value, axis: int, size: Int) -> Array:
    count = max(x.shape[axis] - 1, 0)
    wide = _counted(place, axis, size, minus(size, 1))
    at = iota(dtype=INT, shape=(count,), dimension=0)
    later = cast(op.not_(k.lt(at, spread(wide, (count,)))), INT)
    found = take(Array(x.value), Array(op.add(at, later)), axis, wrap=False)
    return sized(found.value, _with_size(x, axis, larger(minus(size, 1), 0)))


def _with_size(x: Array, axis: int, size: Int) -> list[Int]:
    """The sizes of `x`, `axis` being of another."""
    return [size if d == axis else n for d, n in enumerate(sizes(x))]


def _counted(place: Value, axis: int, size: Int, last: Int) -> Value:
    """A place counted from the beginning, of which is said that it is one, `last` at most."""
    given, zero, size_ = cast(place, INT), splat(0, INT, ()), cast(value_of(size), INT)
    found = op.select(k.lt(given, zero), op.add(given, size_), given)
    outside = op.or_(k.lt(found, zero), k.gt(found, cast(value_of(last), INT)))
    words = f" is out of bounds for axis {axis} with size "
    error = IndexError, "index ", weak(given, int), words, size
    meet(weak(cast(outside, INT), int), 0, *error)
    return found


def inserted(x: Array, obj: Any, values: Any, axis: int) -> Array:
    """`x` with one number, before the element at `obj`."""
    at, new = as_array(obj), as_array(values, x.dtype)
    if at.shape or new.shape or at.dtype == BOOL:
        raise OpError("insert at places known at run time takes one place and one number")
    count, size = x.shape[axis] + 1, true_size(x, axis)
    place = _counted(at.value, axis, size, size)
    position = iota(dtype=INT, shape=(count,), dimension=0)
    here = spread(place, (count,))
    places = op.subtract(position, cast(k.lt(here, position), INT))
    wide = resized_to(x, axis, count)
    found = take(Array(wide.value), Array(places), axis, wrap=False)
    chosen = broadcast_in_dim(k.eq(position, here), shape=found.shape, broadcast_dimensions=(axis,))
    value = op.select(chosen, spread(new.value, found.shape), found.value)
    return sized(value, _with_size(x, axis, plus(size, 1)))


__all__ = ["deleted", "inserted", "last_in_order"]
