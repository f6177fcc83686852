"""Columns, arrays of which the first so many elements count, with elements moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import INT
from pyxla.ir.core import Value
from pyxla.lib import manipulation
from pyxla.lib.loops import while_loop
from pyxla.lib.operands import cast, weak
from pyxla.lib.reductions import fold
from pyxla.ops.elementwise import add, compare, minimum, or_, select
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, iota
from pyxla.ops.shape import slice as slice_

# Elements of a column that is not moved as a whole where one item is taken out, and how many are
# moved at once then.
LARGE, PART = 1024, 256


def front(x: Value, size: int, axis: int = 0) -> Value:
    """The first `size` along a dimension, or all there are."""
    shape = x.type.shape
    if shape[axis] <= size:
        return x
    limits = tuple([size if d == axis else n for d, n in enumerate(shape)])
    return slice_(x, start_indices=(0,) * len(shape), limit_indices=limits)


def places(x: Value) -> Value:
    """0, 1, ... along the first dimension."""
    return iota(shape=x.type.shape[:1], dtype=INT, dimension=0)


def spread(x: Value, like: Value) -> Value:
    """The number `x`, once for each place of `like`."""
    return broadcast_in_dim(x, shape=like.type.shape[:1], broadcast_dimensions=())


def before(x: Value, index: Value) -> Value:
    """Whether a place of `x` is before `index`."""
    return compare(places(x), spread(cast(index, INT), x), direction="LT")


def hold_all(test: Value, sizes: Value) -> Value:
    """Whether `test` holds of the first of each row, so many as `sizes` says."""
    grid = test.type.shape
    limits = broadcast_in_dim(cast(sizes, INT), shape=grid, broadcast_dimensions=(0,))
    beyond = compare(iota(shape=grid, dtype=INT, dimension=1), limits, direction="GE")
    return fold(or_(test, beyond), (1,), constant(value=np.asarray(True)), "and")


def picked(test: Value, x: Value, y: Value) -> Value:
    """`x` where `test` holds of a place, else `y`."""
    return select(broadcast_in_dim(test, shape=x.type.shape, broadcast_dimensions=(0,)), x, y)


def without(xs: Sequence[Value], index: Value, size: Value) -> Sequence[Value]:
    """Columns with what is behind `index` moved up by one, of which `size` elements count then."""
    if xs and xs[0].type.shape[0] >= LARGE:
        return _moved_up(xs, cast(index, INT), size)
    return [picked(before(x, index), x, manipulation.roll(Array(x), -1, 0).value) for x in xs]


def _moved_up(xs: Sequence[Value], index: Value, size: Value) -> Sequence[Value]:
    """As `without`, a part after the other: a queue has room for more than there is in it."""
    zero, one, last = (
        constant(value=np.asarray(n, INT)) for n in (0, 1, xs[0].type.shape[0] - PART - 1)
    )
    end = weak(size, int)

    def step(at: Scalar, *held: Array) -> Sequence[Any]:
        start = minimum(at.value, last)
        behind, here = add(start, one), iota(shape=(PART,), dtype=INT, dimension=0)
        kept = compare(add(here, spread(start, here)), spread(at.value, here), direction="LT")
        moved = []
        for x in [array.value for array in held]:
            part, inside = (PART, *x.type.shape[1:]), [zero] * (x.type.ndim - 1)
            old, new = [dynamic_slice(x, v, *inside, slice_sizes=part) for v in (start, behind)]
            moved.append(dynamic_update_slice(x, picked(kept, old, new), start, *inside))
        return at + PART, *map(Array, moved)

    begin = weak(index, int), *map(Array, xs)
    return [x.value for x in while_loop(lambda at, *_: at < end, step, begin)[1:]]


def inserted(x: Value, index: Value, new: Value) -> Value:
    """`x` with `new` at `index`, what was there and behind moved back by one."""
    moved = manipulation.roll(Array(x), 1, 0).value
    shape = x.type.shape
    block = broadcast_in_dim(new, shape=shape, broadcast_dimensions=tuple(range(1, len(shape))))
    at = compare(places(x), spread(cast(index, INT), x), direction="EQ")
    return picked(before(x, index), x, picked(at, block, moved))
