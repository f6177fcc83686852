"""The elements of an array, each so many times (`np.repeat`), or all of them (`np.tile`, `resize`).

Counts known while compiling give a known size.  Otherwise the size is the sum of the counts, which
needs a bound (`pyxla.lib.sizes`), and each place looks up which element it repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, larger, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.bounded.elementwise import bounded, extents_of, filled, flattened
from pyxla.lib.creation import iota
from pyxla.lib.indexing import take, true_size
from pyxla.lib.manipulation import cut
from pyxla.lib.masks import listed
from pyxla.lib.operands import INT, as_array, broadcast_to, cast, like, normalize_axis, splat
from pyxla.lib.reductions import sum as sum_
from pyxla.lib.registry import implements
from pyxla.lib.scans import cumsum
from pyxla.lib.sizes import as_size, as_sizes, negative
from pyxla.lib.sorting import searchsorted
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.views.blocks import reshaped


@implements(np.repeat, np.ndarray.repeat, bounded=True)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    x = as_array(a)
    if axis is None or not x.shape:
        x, axis = flattened(x), 0 if axis is None else axis
    axis = normalize_axis(axis, x.ndim)
    counts = _counts(repeats)
    if not isinstance(counts, list):
        return _by_counts(x, counts, axis)
    if len(counts) == 1:
        return _evenly(x, counts[0], axis)
    if len(counts) != x.shape[axis] or extents_of(x)[axis] is not None:
        raise OpError(
            f"operands could not be broadcast together with shape ({x.shape[axis]},) "
            f"({len(counts)},)",
            ValueError if extents_of(x)[axis] is None else None,
        )
    pieces = [_copied(cut(x.value, i, i + 1, axis), n, axis) for i, n in enumerate(counts)]
    joined = shapes.concatenate(*pieces, dimension=axis) if pieces else x.value
    return bounded(joined, extents_of(x))


def _counts(repeats: Any) -> list[Any] | Array:
    """Known counts as a list, and one that data decides; others as one-dimensional integers."""
    repeats = listed(repeats)
    if isinstance(repeats, list | tuple | range):
        if not any(isinstance(n, Array | Scalar) for n in repeats):
            return [as_size(n, negative if len(repeats) == 1 else _negative) for n in repeats]
        repeats = as_array(list(repeats))
    if not isinstance(repeats, Array) or not repeats.shape:
        return [as_size(repeats)]
    if repeats.ndim != 1 or repeats.dtype.kind not in "biu":
        raise OpError("the counts of np.repeat are integers in one dimension")
    return repeats


def _negative(n: Any) -> tuple[Any, ...]:
    return ValueError, "repeats may not contain negative values."


def _copied(x: Value, count: int, axis: int) -> Value:
    shape = x.type.shape
    head, tail = shape[: axis + 1], shape[axis + 1 :]
    value = broadcast_to(reshaped(x, (*head, 1, *tail)), (*head, count, *tail))
    return reshaped(value, (*head[:-1], head[-1] * count, *tail))


def _evenly(x: Array, count: Int, axis: int) -> Array:
    if isinstance(count, Scalar):
        return _at(x, axis, times(true_size(x, axis), count), op.divide, count)
    own = [
        times(e, count) if d == axis and e is not None else e for d, e in enumerate(extents_of(x))
    ]
    return bounded(
        _copied(x.value, count, axis), [e if isinstance(e, Scalar) else None for e in own]
    )


def _at(x: Array, axis: int, size: Int, place: Callable[..., Value], n: Int) -> Array:
    """So many elements of `x`, of which the one for `i` is at `place(i, n)`."""
    bound = size if isinstance(size, int) else extent.upper(size) or 0
    by = cast(value_of(larger(n, 1)), INT)
    places = place(iota(INT, (bound,), 0), broadcast_to(by, (bound,)))
    last = like(places, max(x.shape[axis] - 1, 0))  # past the true size, it may be any
    found = take(Array(x.value), Array(op.minimum(places, last)), axis, wrap=False)
    own = list(extents_of(x))
    own[axis] = size if isinstance(size, Scalar) else None
    return bounded(found.value, own)


@implements(np.tile, rank0="array", bounded=True)
def tile(A: Any, reps: Any) -> Array:
    x, given = as_array(A), listed(reps)
    counts = [as_size(n) for n in (given if isinstance(given, Sequence) else (given,))]
    ndim = max(x.ndim, len(counts))
    counts[:0] = [1] * (ndim - len(counts))
    shape = (1,) * (ndim - x.ndim) + x.shape
    known = [n for n in counts if isinstance(n, int)]
    if x.extents is None and len(known) == ndim:
        value = reshaped(x.value, tuple([n for size in shape for n in (1, size)]))
        spread = tuple([n for pair in zip(known, shape, strict=True) for n in pair])
        total = tuple([c * n for c, n in zip(known, shape, strict=True)])
        return Array(reshaped(broadcast_to(value, spread), total))
    x = bounded(reshaped(x.value, shape), (None,) * (ndim - x.ndim) + extents_of(x))
    for axis, count in enumerate(counts):
        size = true_size(x, axis)
        x = _at(x, axis, times(size, count), op.remainder, size) if count != 1 else x
    return x


@implements(np.resize, rank0="array", bounded=True)
def resize(a: Any, new_shape: Any) -> Array:
    """The elements over and over, as many as there are; zeros where there are none."""
    x = flattened(as_array(a))
    stored, extents = as_sizes(new_shape, _negative_shape)
    if not x.size or 0 in stored:
        return Array(splat(0, x.dtype, stored), extents)
    if x.extents is None and extents is None:
        count = math.prod(stored)
        repeated = tile(x, -(-count // x.size)).value
        return Array(reshaped(cut(repeated, 0, count, 0), stored))
    place, stride = splat(0, INT, stored), value_of(1)
    for d in reversed(range(len(stored))):
        step = op.multiply(iota(INT, stored, d), broadcast_to(cast(stride, INT), stored))
        place = op.add(place, step)
        stride = op.multiply(stride, value_of(true_size(Array(place, extents), d)))
    size = true_size(x, 0)
    around = broadcast_to(cast(value_of(larger(size, 1)), INT), stored)
    found = take(Array(x.value), Array(op.remainder(place, around)), 0, wrap=False).value
    none = broadcast_to(k.eq(value_of(size), value_of(0)), stored)
    return Array(op.select(none, k.like(found, 0), found), extents)


def _negative_shape(n: Any) -> tuple[Any, ...]:
    return ValueError, "all elements of `new_shape` must be non-negative"


def _by_counts(x: Array, counts: Array, axis: int) -> Array:
    """Counts known at run time only: place i repeats the first element that ends past i."""
    full = x.shape[axis]
    if counts.size not in (1, full):
        raise OpError(
            f"operands could not be broadcast together with shape ({full},) ({counts.size},)",
            ValueError,
        )
    if not full:
        return x
    value = cast(filled(counts, (0,), 0).value if counts.extents else counts.value, INT)
    wide = Array(broadcast_to(value, (full,)))
    if counts.size == 1 and extents_of(x)[axis] is not None:
        wide = filled(Array(wide.value, (extents_of(x)[axis],)), (0,), 0)
    (size,), extents = as_sizes(sum_(Array(wide.value)))
    ends = cumsum(Array(wide.value))
    found = searchsorted(ends, Array(iota(INT, (size,), 0)), "right").value
    last = like(found, full - 1)
    taken = take(Array(x.value), Array(op.minimum(found, last)), axis, wrap=False)
    own = list(extents_of(x))
    own[axis] = extents[0] if extents else None
    return bounded(taken.value, own)
