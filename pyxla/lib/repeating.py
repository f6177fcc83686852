"""`np.repeat`: the elements of an array, each so many times.

Counts known while compiling give a known size.  Otherwise the size is the sum of the counts, which
needs a proven bound (`pyxla.lib.sizes`), and each place looks up which element it repeats.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import times
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib.bounded.elementwise import bounded, extents_of, filled, flattened
from pyxla.lib.creation import iota
from pyxla.lib.indexing import take
from pyxla.lib.manipulation import cut
from pyxla.lib.masks import listed
from pyxla.lib.operands import INT, as_array, broadcast_to, cast, like, normalize_axis
from pyxla.lib.reductions import sum as sum_
from pyxla.lib.registry import implements
from pyxla.lib.scans import cumsum
from pyxla.lib.sizes import as_sizes
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


def _counts(repeats: Any) -> list[int] | Array:
    """Known counts as a list; others as one-dimensional integers."""
    repeats = listed(repeats)
    if isinstance(repeats, list | tuple | range):
        if not any(isinstance(n, Array | Scalar) for n in repeats):
            return _checked([operator.index(n) for n in repeats])
        repeats = as_array(list(repeats))
    if not isinstance(repeats, Array) or not repeats.shape:
        return _checked([operator.index(repeats)])
    if repeats.ndim != 1 or repeats.dtype.kind not in "biu":
        raise OpError("the counts of np.repeat are integers in one dimension")
    return repeats


def _checked(counts: list[int]) -> list[int]:
    if any(n < 0 for n in counts):
        raise OpError("repeats may not contain negative values.")
    return counts


def _copied(x: Value, count: int, axis: int) -> Value:
    shape = x.type.shape
    head, tail = shape[: axis + 1], shape[axis + 1 :]
    value = broadcast_to(reshaped(x, (*head, 1, *tail)), (*head, count, *tail))
    return reshaped(value, (*head[:-1], head[-1] * count, *tail))


def _evenly(x: Array, count: int, axis: int) -> Array:
    own = [
        times(e, count) if d == axis and e is not None else e for d, e in enumerate(extents_of(x))
    ]
    return bounded(
        _copied(x.value, count, axis), [e if isinstance(e, Scalar) else None for e in own]
    )


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
