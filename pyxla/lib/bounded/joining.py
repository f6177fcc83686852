"""Joining arrays of bounded extent: each is written where the true elements of those before end.

What an array has past its true size is overwritten by the next one; the bound of the result is the
sum of the bounds.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, plus, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.op import OpError
from pyxla.lib import creation, runs
from pyxla.lib import manipulation as m
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    bounded,
    extents_of,
    first_operand,
    flattened,
    plainly,
    resized_to,
    sized,
    strategy,
)
from pyxla.lib.indexing import true_size
from pyxla.lib.masks import resized
from pyxla.lib.meetings import meet
from pyxla.lib.operands import INT, cast, normalize_axis
from pyxla.lib.registry import implements
from pyxla.ops.filled import number
from pyxla.ops.index import dynamic_update_slice
from pyxla.views.blocks import reshaped


def join(arrays: Sequence[Array], axis: int, dtype: Any = None) -> Array:
    """`np.concatenate` of arrays of which some are bounded."""
    found = m.joined_dtype(arrays, dtype)
    xs = _alike([Array(cast(x.value, found), x.extents) for x in arrays], axis)
    total = functools.reduce(plus, [true_size(x, axis) for x in xs])
    last_only = all(extents_of(x)[axis] is None for x in xs[:-1])
    values = [x.value for x in xs]
    if len(values) == 1:
        value = values[0]
    elif last_only:
        value = runs.concatenate(*values, dimension=axis)
    else:
        value = _written(xs, axis)
    own = [next((e for e in column if e is not None), None) for column in _columns(xs)]
    shape = [n if e is None else e for e, n in zip(own, value.type.shape, strict=True)]
    shape[axis] = total
    return sized(value, shape)


def _columns(xs: Sequence[Array]) -> list[tuple[Scalar | None, ...]]:
    return list(zip(*[extents_of(x) for x in xs], strict=True))


_UNLIKE = "all the input array dimensions except for the concatenation axis must match exactly, but"


def _alike(xs: Sequence[Array], axis: int) -> list[Array]:
    """The arrays with the same bounds along all other dimensions, where their sizes are equal."""
    if len({x.ndim for x in xs}) > 1:
        raise OpError("all the input arrays must have same number of dimensions")
    out = list(xs)
    for d in range(xs[0].ndim):
        if d == axis:
            continue
        for i, x in enumerate(xs[1:], 1):
            n, m = true_size(xs[0], d), true_size(x, d)
            along = f"{_UNLIKE} along dimension {d}, the array at index 0 has size "
            meet(n, m, ValueError, along, n, f" and the array at index {i} has size ", m)
        full = {x.shape[d] for x in xs if extents_of(x)[d] is None}
        if len(full) > 1:
            raise OpError("all the input array dimensions except one must match exactly")
        bound = min(full or {x.shape[d] for x in xs})
        out = [resized_to(x, d, bound) for x in out]
        if full:
            out = [_full_along(x, d) for x in out]
    return out


def _full_along(x: Array, axis: int) -> Array:
    return bounded(x.value, [None if d == axis else e for d, e in enumerate(extents_of(x))])


def _written(xs: Sequence[Array], axis: int) -> Any:
    """One after the other into an array of all bounds together."""
    first = xs[0]
    bound = sum([x.shape[axis] for x in xs])
    shape = tuple([bound if d == axis else n for d, n in enumerate(first.shape)])
    out = resized(first.value, shape)
    offset: Int = true_size(first, axis)
    zero = number(0, INT)
    for x in xs[1:]:
        start = cast(value_of(offset), INT)
        starts = [start if d == axis else zero for d in range(first.ndim)]
        out = dynamic_update_slice(out, x.value, *starts)
        offset = plus(offset, true_size(x, axis))
    return out


def _items(arrays: Any) -> list[Array]:
    """The arrays to join: a sequence, or one array of known size taken apart."""
    items = plainly(m.items_of, arrays) if type(arrays) is Array else m.items_of(arrays)
    if not items:
        raise OpError(_NOTHING)
    return items


_NOTHING = "need at least one array to concatenate"


def _of_rows(rows: Any, dtype: Any = None) -> Array | None:
    """A list of arrays that is one, as an array of `dtype`; its length may be known at run time
    only."""
    if type(rows) is not Array or rows.ndim == 0:
        return None
    if not rows.shape[0]:
        raise OpError(_NOTHING)
    if rows.ndim == 1 and dtype is None:
        return rows
    return Array(cast(rows.value, m.joined_dtype([rows], dtype)), rows.extents)


def _joined_rows(rows: Array) -> Array:
    """The rows one after the other along their first dimension."""
    if rows.ndim < 2:
        raise OpError("zero-dimensional arrays cannot be concatenated")
    if rows.ndim == 2:
        return flattened(rows)
    if any(e is not None for e in extents_of(rows)[1:]):
        raise OpError(NOT_SUPPORTED)
    count, size, *rest = rows.shape
    total = times(true_size(rows, 0), size)
    return sized(reshaped(rows.value, (count * size, *rest)), (total, *rest))


@strategy(m.concatenate)
def _concatenate(
    function: Function, arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = None,
) -> Array:  # fmt: skip
    if out is not None:
        raise OpError(NOT_SUPPORTED)
    if (rows := _of_rows(arrays, dtype)) is not None:
        if axis is not None and normalize_axis(axis, max(rows.ndim - 1, 1)) != 0:
            raise OpError(NOT_SUPPORTED)
        return flattened(rows) if axis is None and rows.ndim > 1 else _joined_rows(rows)
    items = _items(arrays)
    if axis is None:
        items, axis = [flattened(x) for x in items], 0
    return join(items, normalize_axis(axis, items[0].ndim), dtype)


def expanded(x: Array, axis: int) -> Array:
    """With a new dimension of extent 1."""
    shape, own = list(x.shape), list(extents_of(x))
    shape.insert(axis, 1)
    own.insert(axis, None)
    return bounded(reshaped(x.value, tuple(shape)), own)


@strategy(m.stack)
def _stack(
    function: Function, arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = None,
) -> Array:  # fmt: skip
    if out is not None:
        raise OpError(NOT_SUPPORTED)
    if (rows := _of_rows(arrays, dtype)) is not None:
        order = list(range(1, rows.ndim))
        order.insert(normalize_axis(axis, rows.ndim), 0)
        own = extents_of(rows)
        return bounded(m.transposed(rows.value, tuple(order)), [own[d] for d in order])
    items = _items(arrays)
    axis = normalize_axis(axis, items[0].ndim + 1)
    return join([expanded(x, axis) for x in items], axis, dtype)


def at_least(x: Array, ndim: int) -> Array:
    while x.ndim < ndim:
        x = expanded(x, 2 if x.ndim == 2 else 0)
    return x


@implements(np.vstack, bounded=True)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    if (rows := _of_rows(tup, dtype)) is not None:
        if rows.ndim > 2:
            return _joined_rows(rows)
        return rows if rows.ndim == 2 else expanded(rows, 1)
    return join([at_least(x, 2) for x in _items(tup)], 0, dtype)


@implements(np.hstack, bounded=True)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    if (rows := _of_rows(tup, dtype)) is not None:
        return flattened(rows) if rows.ndim < 3 else plainly(m.concatenate, rows, 1)
    items = [at_least(x, 1) for x in _items(tup)]
    return join(items, 0 if items[0].ndim == 1 else 1, dtype)


@implements(np.column_stack, bounded=True)
def column_stack(tup: Any) -> Array:
    rows = _of_rows(tup)
    if rows is not None and rows.ndim == 2:
        return bounded(m.transposed(rows.value), extents_of(rows)[::-1])
    return join([expanded(x, 1) if x.ndim == 1 else at_least(x, 2) for x in _items(tup)], 1)


@strategy(creation.array, creation.asarray)
def _array(
    function: Function, a: Any, dtype: Any = None, *, ndmin: int = 0, **options: Any
) -> Array:
    """One array, or a list of arrays of one size."""
    if isinstance(a, Array):
        made = first_operand(function, a, dtype, **options)
        while made.ndim < ndmin:
            made = expanded(made, 0)
        return made
    if not isinstance(a, list | tuple) or not all(isinstance(x, Array) for x in a):
        raise OpError(NOT_SUPPORTED)
    creation.check_ignored(options)
    return join([expanded(x, 0) for x in a], 0, dtype)
