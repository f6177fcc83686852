"""Quantiles and medians.

Quantiles follow Hyndman & Fan, "Sample quantiles in statistical packages" (1996), by the names
NumPy gives their nine definitions.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES, kind, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.manipulation import reshaped, transposed
from pyxla.lib.operands import (
    FLOAT,
    INT,
    Shape,
    as_array,
    broadcast_to,
    cast,
    literal,
    normalize_axes,
    splat,
)
from pyxla.lib.reductions import fold, keep, kept_shape, mean, reduced_axes
from pyxla.lib.registry import implements
from pyxla.lib.scans import take_one
from pyxla.lib.selection import take_along_axis, where
from pyxla.lib.sorting import known_numbers, sorted_along
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops.shape import concatenate

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
ROUNDED = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint, "midpoint": None}


def _virtual(method: str, n: Array, q: Array) -> tuple[Array, Array]:
    """The index below and the weight of the one above."""
    floor, equal = UFUNCS[np.floor], UFUNCS[np.equal]
    if method in ALPHA_BETA:
        alpha, beta = ALPHA_BETA[method]
        virtual = (
            (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        )
        below = floor(virtual)
        return below, virtual - below
    if method in ROUNDED:
        virtual = (n - 1) * q
        if method == "midpoint":
            below = floor(virtual)
            return below, where(equal(virtual, below), 0.0, 0.5)
        return UFUNCS[ROUNDED[method]](virtual), q * 0
    virtual = n * q - 1
    if method == "closest_observation":
        virtual = virtual - 0.5
    index = floor(virtual)
    whole = equal(virtual, index)
    if method == "averaged_inverted_cdf":
        return where(whole, index, index + 1), where(whole, 0.5, 0.0)
    if method == "closest_observation":
        whole = UFUNCS[np.logical_and](whole, equal(UFUNCS[np.remainder](index, 2), 1))
    return where(whole, index, index + 1), q * 0


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
    picked = method in DISCRETE - {"averaged_inverted_cdf"} or ROUNDED.get(method) is not None
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
    shape = q.shape + (kept_shape(x.shape, axes, True) if keepdims else head)
    return Array(cast(reshaped(result, shape), dtype))


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
    index = op.convert(low.value, dtype=INT, weak=False)
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
