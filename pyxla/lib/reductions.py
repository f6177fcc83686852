"""Reductions: `sum`, `mean`, `var`, `max`, `argmax`, `any`, ... and their NaN-ignoring twins.

NumPy's accumulators: sums of small ints are int64, means of ints float64, float16 is summed in
float32 and rounded once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES, INT32, as_dtype, loop_types
from pyxla.ir.build import current
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import array_type, limits
from pyxla.lib import kernels as k
from pyxla.lib.creation import iota
from pyxla.lib.operands import (
    BOOL,
    FLOAT,
    INT,
    Shape,
    as_array,
    as_value,
    broadcast_to,
    cast,
    literal,
    normalize_axes,
    normalize_axis,
    splat,
)
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops import reduce as reduce_ops
from pyxla.ops.shape import reshape

# A sum in these is kept in float32 until the end.
NARROW = frozenset([d for d, letter in CLASSES.items() if letter == "f" and d.itemsize < 4])
FLOAT32 = np.dtype(np.float32)
Kernel = Callable[[Value, Value], Value]


def fold(x: Value, axes: Shape, init: Value, computation: str | Kernel) -> Value:
    """All elements along `axes` combined with `init`, by a named computation or a kernel."""
    if not axes:
        return x
    if callable(computation):
        element = array_type(x.type.dtype)
        region = current().region((element, element), computation)
        return reduce_ops.reduce(x, init, dimensions=axes, regions=(region,))
    return reduce_ops.reduce(x, init, dimensions=axes, computation=computation)


def keep(x: Value, shape: Shape, axes: Shape, keepdims: bool) -> Value:
    """A reduction of `shape` along `axes`, with extents of 1 in their place on request."""
    return reshape(x, shape=kept_shape(shape, axes, True)) if keepdims else x


def reduced_axes(axis: Any, ndim: int) -> Shape:
    """As `normalize_axes`; NumPy lets the axis of a 0-d array be 0."""
    return () if ndim == 0 and axis in (0, -1) else normalize_axes(axis, ndim)


def statistic_axes(axis: Any, ndim: int, where: Any) -> Shape:
    """Of a mean NumPy does not, unless the mean ignores NaN (then there is a mask)."""
    return normalize_axes(axis, ndim) if where is True else reduced_axes(axis, ndim)


def accumulator(dtype: np.dtype) -> np.dtype:
    """The dtype NumPy adds and multiplies elements of `dtype` in."""
    letter = CLASSES[dtype]
    if letter in "fc" or dtype.isbuiltin != 1:
        return dtype
    return np.dtype(np.uint64) if letter == "u" else INT


def masked(x: Value, where: Any, neutral: Any) -> Value:
    """`x` with `neutral` where the mask is false."""
    if where is True or where is None:
        return x
    mask = broadcast_to(as_value(where, BOOL), x.type.shape)
    return op.select(mask, x, k.like(x, neutral))


# --- Sums and products ---------------------------------------------------------------------------


def accumulate_all(
    x: Value,
    axes: Shape,
    dtype: np.dtype,
    computation: str,
    neutral: Any,
    initial: Any = None,
    where: Any = True,
) -> Value:
    """Reduce in `dtype`, in float32 where that is narrow."""
    work = FLOAT32 if dtype in NARROW else dtype
    zero = computation == "add" and isinstance(initial, int | float | complex) and not initial
    neutral = initial if zero else neutral  # -0.0, it may be
    value = masked(cast(x, work), where, neutral)
    if work == BOOL:
        computation = "or" if computation == "add" else "and"
    total = fold(value, axes, literal(neutral, work), computation)
    if not axes and computation == "add" and CLASSES[work] in "fc" and initial is None:
        initial = 0.0  # so NumPy begins where nothing is summed, and -0.0 is lost
    if initial is not None and not (zero and axes):
        start = broadcast_to(as_value(initial, work), total.type.shape)
        total = (op.add if computation == "add" else op.multiply)(total, start)
    return cast(total, dtype)


def _additive(computation: str, neutral: int) -> Callable[..., Any]:
    def call(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        x = as_array(a)
        axes = reduced_axes(axis, x.ndim)
        found = accumulator(x.dtype) if dtype is None else as_dtype(dtype)
        total = accumulate_all(x.value, axes, found, computation, neutral, initial, where)
        return Array(keep(total, x.shape, axes, keepdims))

    return call


sum = implements(np.sum, np.ndarray.sum)(_additive("add", 0))
prod = implements(np.prod, np.ndarray.prod)(_additive("multiply", 1))


def extent_of(shape: Shape, axes: Shape) -> int:
    size = 1
    for axis in axes:
        size *= shape[axis]
    return size


def _mean_dtypes(dtype: np.dtype, asked: Any) -> tuple[np.dtype, np.dtype]:
    """The dtype to add in, and that of the mean."""
    result = as_dtype(asked) if asked is not None else dtype
    if result.isbuiltin != 1 and CLASSES[result] in "iu":
        raise OpError(f"NumPy's mean of {result} is of {result} as well: convert the numbers first")
    if asked is None and CLASSES[dtype] in "biu":
        result = FLOAT
    return (FLOAT32 if result in NARROW else result), result


def kept_shape(shape: Shape, axes: Shape, keepdims: bool) -> Shape:
    """What is left of `shape` without `axes`, or with extents of 1 in their place."""
    if keepdims:
        return tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def _count(
    x: Array, axes: Shape, where: Any, dtype: np.dtype, keepdims: bool, less: Any = 0
) -> Value:
    """How many elements take part, as a float; less the degrees of freedom, but not below zero."""
    shape = kept_shape(x.shape, axes, keepdims)
    if where is True or where is None:
        size = extent_of(x.shape, axes)
        if isinstance(less, int | float):
            return splat(size - less if size > less else 0, dtype, shape)
        count = splat(size, dtype, shape)
    else:
        mask = broadcast_to(as_value(where, BOOL), x.shape)
        total = cast(fold(cast(mask, INT32), axes, literal(0, INT32), "add"), dtype)
        count = reshape(total, shape=shape) if keepdims else total
        if isinstance(less, int | float) and less == 0:
            return count
    degrees = op.subtract(count, broadcast_to(as_value(less, dtype), shape))
    return op.maximum(degrees, k.like(degrees, 0))


def _numbers(x: Array, where: Any) -> tuple[Array, Any]:
    """`x` with 0 for NaN, and where there is none and something takes part."""
    if CLASSES[x.dtype] not in "fc":
        return x, where
    mask = present(x.value)
    if where is not True:
        mask = op.and_(mask, broadcast_to(as_value(where, BOOL), x.shape))
    return without_nan(x, 0), Array(mask)


def _mean(of_numbers: bool) -> Callable[..., Any]:
    """of_numbers: NaN does not count."""

    def call(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ) -> Array:
        x = as_array(a)
        x, where = _numbers(x, where) if of_numbers else (x, where)
        axes = statistic_axes(axis, x.ndim, where)
        work, result = _mean_dtypes(x.dtype, dtype)
        total = accumulate_all(x.value, axes, work, "add", 0, where=where)
        total = keep(total, x.shape, axes, keepdims)
        return Array(cast(op.divide(total, _count(x, axes, where, work, keepdims)), result))

    return call


mean = implements(np.mean, np.ndarray.mean)(_mean(of_numbers=False))


def _deviations(
    x: Array, axes: Shape, work: np.dtype, where: Any, given: Any
) -> tuple[Value, np.dtype]:
    """Squared distances from the mean, real."""
    value = cast(x.value, work)
    if given is None:
        total = keep(
            fold(masked(value, where, 0), axes, literal(0, work), "add"), x.shape, axes, True
        )
        center = op.divide(total, _count(x, axes, where, work, True))
    else:
        center = as_value(given, work)
    gap = op.subtract(value, broadcast_to(center, x.shape))
    if CLASSES[work] == "c":
        re, im = op.real(gap), op.imag(gap)
        square = op.add(op.multiply(re, re), op.multiply(im, im))
    else:
        square = op.multiply(gap, gap)
    return masked(square, where, 0), square.type.dtype


def _variance(root: bool, of_numbers: bool) -> Callable[..., Any]:
    """of_numbers: NaN does not count; the variance is NaN where no degree of freedom is left."""

    def call(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: Any = None,
    ) -> Array:
        x = as_array(a)
        skips = of_numbers and CLASSES[x.dtype] in "fc"
        x, where = _numbers(x, where) if skips else (x, where)
        axes = statistic_axes(axis, x.ndim, where)
        work, result = _mean_dtypes(x.dtype, dtype)
        squares, part = _deviations(x, axes, work, where, mean)
        total = keep(fold(squares, axes, literal(0, part), "add"), x.shape, axes, keepdims)
        freedom = ddof if correction is None else correction
        value = op.divide(total, _count(x, axes, where, part, keepdims, freedom))
        if CLASSES[result] == "c":
            result = part
        value = cast(_root(value) if root else value, result)
        if skips:
            count = _count(x, axes, where, result, keepdims)
            lacking = k.le(count, broadcast_to(as_value(freedom, result), count.type.shape))
            value = op.select(lacking, k.like(value, np.nan), value)
        return Array(value)

    return call


def _root(x: Value) -> Value:
    """The square root, of integers (`dtype=int`) too."""
    return k.root_of_sum(x if CLASSES[x.type.dtype] in "fc" else cast(x, np.dtype(np.float64)))


var = implements(np.var, np.ndarray.var)(_variance(False, of_numbers=False))
std = implements(np.std, np.ndarray.std)(_variance(True, of_numbers=False))


@implements(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    x = as_array(a)
    axes = normalize_axes(axis, x.ndim)
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        size = Array(broadcast_to(literal(extent_of(x.shape, axes), result.dtype), result.shape))
        return (result, size) if returned else result
    w = as_array(weights)
    work = np.result_type(x.dtype, w.dtype)
    if CLASSES[x.dtype] in "biu":
        work = np.result_type(x.dtype, w.dtype, FLOAT)
    spread = _along(w.value, x.shape, axes)
    scale = fold(cast(spread, work), axes, literal(0, work), "add")
    terms = op.multiply(cast(x.value, work), cast(spread, work))
    total = fold(terms, axes, literal(0, work), "add")
    result = Array(keep(op.divide(total, scale), x.shape, axes, keepdims))
    return (result, Array(keep(scale, x.shape, axes, keepdims))) if returned else result


def _along(w: Value, shape: Shape, axes: Shape) -> Value:
    """Weights of the array's shape, or of its extents along `axes`, at the full shape."""
    if w.type.shape == shape:
        return w
    if w.type.shape != tuple([shape[axis] for axis in axes]):
        raise OpError("Shape of weights must be consistent with shape of a along specified axis.")
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    if order != list(range(len(axes))):
        raise OpError("average: the axes of weights must be in increasing order")
    spread = [n if i in axes else 1 for i, n in enumerate(shape)]
    return broadcast_to(reshape(w, shape=tuple(spread)), shape)


# --- Extrema -------------------------------------------------------------------------------------


def lowest(dtype: np.dtype) -> Any:
    """What no element is less than."""
    return limits(dtype)[0]


def highest(dtype: np.dtype) -> Any:
    return limits(dtype)[1]


def _computation(name: str, dtype: np.dtype) -> str | Kernel:
    if CLASSES[dtype] == "b":
        return "or" if name == "maximum" else "and"
    if CLASSES[dtype] == "c":
        return k.maximum if name == "maximum" else k.minimum
    return name


def extremum(x: Value, axes: Shape, name: str, initial: Any = None, where: Any = True) -> Value:
    """The largest or smallest element; NaN where there is one."""
    dtype = x.type.dtype
    neutral = lowest(dtype) if name == "maximum" else highest(dtype)
    if initial is None:
        if where is not True:
            raise OpError("a masked maximum or minimum needs initial=")
        if extent_of(x.type.shape, axes) == 0:
            message = f"zero-size array to reduction operation {name} which has no identity"
            raise OpError(message, ValueError)
    value = fold(
        masked(x, where, neutral), axes, literal(neutral, dtype), _computation(name, dtype)
    )
    if initial is not None:
        kernel = k.maximum if name == "maximum" else k.minimum
        value = kernel(value, broadcast_to(as_value(initial, dtype), value.type.shape))
    return value


def _extremal(name: str, of_numbers: bool = False) -> Callable[..., Any]:
    """of_numbers: NaN does not count; the extremum is NaN where there is nothing else."""
    most = lowest if name == "maximum" else highest

    def call(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        x = as_array(a)
        x = as_array(x, loop_types(getattr(np, name), (x.dtype, x.dtype))[0])
        axes = reduced_axes(axis, x.ndim)
        skips = of_numbers and CLASSES[x.dtype] in "fc"
        given = without_nan(x, most(x.dtype)) if skips else x
        value = extremum(given.value, axes, name, initial, where)
        if skips and initial is None:
            missing = masked(k.isnan(x.value), where, True)
            none = fold(missing, axes, literal(True, BOOL), "and")
            value = op.select(none, k.like(value, np.nan), value)
        return Array(keep(value, x.shape, axes, keepdims))

    return call


max = implements(np.max, np.amax, np.ndarray.max)(_extremal("maximum"))
min = implements(np.min, np.amin, np.ndarray.min)(_extremal("minimum"))


def position_of(x: Value, axis: int, name: str) -> Value:
    """The first position of the extremum (of a NaN, if there is one): two plain reductions, which
    vectorize, where one of pairs would not."""
    shape = x.type.shape
    if shape[axis] == 0:
        raise OpError("attempt to get argmax or argmin of an empty sequence")
    if CLASSES[x.type.dtype] == "b":
        x = cast(x, np.dtype(np.uint8))
    best = keep(extremum(x, (axis,), name), shape, (axis,), True)
    found = k.eq(x, broadcast_to(best, shape))
    if CLASSES[x.type.dtype] in "fc":
        found = op.or_(found, k.isnan(x))
    positions = iota(INT, shape, axis)
    candidates = op.select(found, positions, k.like(positions, shape[axis]))
    return fold(candidates, (axis,), literal(shape[axis], INT), "minimum")


def _positional(name: str) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Array:
        x = as_array(a)
        value, shape = x.value, x.shape
        if axis is not None and not shape:
            normalize_axis(axis, 1)
        if axis is None or not shape:
            flat = position_of(reshape(value, shape=(x.size,)), 0, name)
            return Array(keep(flat, shape, tuple(range(x.ndim)), keepdims))
        axis = normalize_axis(axis, x.ndim)
        return Array(keep(position_of(value, axis, name), shape, (axis,), keepdims))

    return call


argmax = implements(np.argmax, np.ndarray.argmax)(_positional("maximum"))
argmin = implements(np.argmin, np.ndarray.argmin)(_positional("minimum"))


# --- Truth and counts ----------------------------------------------------------------------------


def _quantifier(computation: str, neutral: bool) -> Callable[..., Any]:
    def call(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
    ) -> Array:
        x = as_array(a)
        axes = reduced_axes(axis, x.ndim)
        value = masked(k.truth(x.value), where, neutral)
        found = fold(value, axes, literal(neutral, BOOL), computation)
        return Array(keep(found, x.shape, axes, keepdims))

    return call


any = implements(np.any, np.ndarray.any)(_quantifier("or", False))
all = implements(np.all, np.ndarray.all)(_quantifier("and", True))


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    x = as_array(a)
    axes = reduced_axes(axis, x.ndim)
    count = fold(cast(k.truth(x.value), INT), axes, literal(0, INT), "add")
    return Array(keep(count, x.shape, axes, keepdims))


# --- Ignoring NaN --------------------------------------------------------------------------------


def present(x: Value) -> Value:
    """Where there is a number."""
    return op.not_(k.isnan(x))


def without_nan(x: Array, neutral: Any) -> Array:
    if CLASSES[x.dtype] not in "fc":
        return x
    return Array(op.select(k.isnan(x.value), k.like(x.value, neutral), x.value))


def _filling(function: Callable[..., Any], neutral: Any) -> Callable[..., Any]:
    """neutral: what NaN is replaced by, of a dtype."""

    @functools.wraps(function)
    def call(a: Any, *args: Any, **options: Any) -> Any:
        x = as_array(a)
        return function(without_nan(x, neutral(x.dtype)), *args, **options)

    return call


nansum = implements(np.nansum)(_filling(sum, lambda dtype: 0))
nanprod = implements(np.nanprod)(_filling(prod, lambda dtype: 1))


nanmean = implements(np.nanmean)(_mean(of_numbers=True))


nanvar = implements(np.nanvar)(_variance(False, of_numbers=True))
nanstd = implements(np.nanstd)(_variance(True, of_numbers=True))


nanmax = implements(np.nanmax)(_extremal("maximum", of_numbers=True))
nanmin = implements(np.nanmin)(_extremal("minimum", of_numbers=True))
nanargmax = implements(np.nanargmax)(_filling(argmax, lowest))
nanargmin = implements(np.nanargmin)(_filling(argmin, highest))
