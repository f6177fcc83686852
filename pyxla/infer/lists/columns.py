"""Columns, arrays of which the first so many elements count, with elements moved."""

from __future__ import annotations

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import INT
from pyxla.ir.core import Value
from pyxla.lib import manipulation
from pyxla.lib.operands import cast
from pyxla.lib.reductions import fold
from pyxla.ops.elementwise import compare, or_, select
from pyxla.ops.shape import broadcast_in_dim, constant, iota
from pyxla.ops.shape import slice as slice_


def front(x: Value, size: int) -> Value:
    """The first `size` along the first dimension, or all there are."""
    shape = x.type.shape
    if shape[0] <= size:
        return x
    return slice_(x, start_indices=(0,) * len(shape), limit_indices=(size, *shape[1:]))


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


def without(x: Value, index: Value) -> Value:
    """`x` with what is behind `index` moved up by one."""
    return picked(before(x, index), x, manipulation.roll(Array(x), -1, 0).value)


def inserted(x: Value, index: Value, new: Value) -> Value:
    """`x` with `new` at `index`, what was there and behind moved back by one."""
    moved = manipulation.roll(Array(x), 1, 0).value
    shape = x.type.shape
    block = broadcast_in_dim(new, shape=shape, broadcast_dimensions=tuple(range(1, len(shape))))
    at = compare(places(x), spread(cast(index, INT), x), direction="EQ")
    return picked(before(x, index), x, picked(at, block, moved))
