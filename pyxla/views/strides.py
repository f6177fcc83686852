"""Slices whose step is known at run time only: `x[start:stop:step] = y` in a loop over `step`.

`x[a:b:s]` is `x[a:b][::s]`: a view of what the slice with step 1 shows.  It holds for positive
steps; other ones must be known while compiling.  A number is written by a loop over the positions,
which takes no longer than there are elements to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import asked_for
from pyxla.abstract.facts.integers import ceil_divide, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib import indexing
from pyxla.lib.keys import parse
from pyxla.lib.masks import constant_of
from pyxla.lib.sizes import bounded_int
from pyxla.ops.elementwise import minimum, multiply
from pyxla.ops.filled import spread
from pyxla.ops.shape import iota
from pyxla.views.blocks import Shape
from pyxla.views.views import Extents, Step, View, extend, permuted

_BASIC = (int, np.integer, Scalar, slice, type(None), type(Ellipsis))


@dataclass(frozen=True, slots=True)
class Strided(Step):
    """Every `step`-th element along `axis` of a base of shape `source`; `count` bounds how many."""

    source: Shape
    source_extents: Extents
    axis: int
    step: Scalar
    size: Scalar
    count: int

    @property
    def shape(self) -> Shape:
        return (*self.source[: self.axis], self.count, *self.source[self.axis + 1 :])

    @property
    def extents(self) -> Extents:
        sizes = list(self.source_extents or (None,) * len(self.source))
        sizes[self.axis] = self.size
        return tuple(sizes)

    def apply(self, base: Array) -> Array:
        return indexing.take(base, self._positions(), self.axis, wrap=False)

    def update(self, base: Array, new: Array) -> Array:
        key = (*[slice(None)] * self.axis, self._positions())
        return indexing.setitem(base, parse(base.shape, base.extents, key), new)

    def scalars(self) -> tuple[Scalar, ...]:
        others = [e for e in self.source_extents or () if e is not None]
        return (self.step, self.size, *others)

    def with_scalars(self, scalars: Sequence[Scalar]) -> Strided:
        step, size, *others = scalars
        fresh = iter(others)
        sizes = self.source_extents
        sizes = sizes and tuple([None if e is None else next(fresh) for e in sizes])
        return Strided(self.source, sizes, self.axis, step, size, self.count)

    def strided(self, layout: np.ndarray) -> np.ndarray:
        raise OpError(
            "the steps of this array in memory are known at run time only; copy it before"
        )

    def _positions(self) -> Array:
        """Where the elements are; those past the true size are the last one."""
        steps = spread(value_of(self.step), (self.count,))
        last = spread(value_of(self.source[self.axis] - 1), (self.count,))
        found = multiply(iota(dtype=I64.dtype, shape=(self.count,), dimension=0), steps)
        return Array(minimum(found, last), (self.size,))


def split(key: Any, ndim: int) -> tuple[Any, list[tuple[int, Scalar]]] | None:
    """A key without such steps, and (dimension of what it shows, step) for each of them; None where
    there is none."""
    items = list(key) if isinstance(key, tuple) else [key]
    if not any(isinstance(item, slice) and _is_dynamic(item.step) for item in items):
        return None
    if not all(isinstance(item, _BASIC) for item in items):
        return None
    found, axis = [], 0
    for k, item in enumerate(items):
        if item is Ellipsis:
            taken = sum(other is not None and other is not Ellipsis for other in items)
            axis += ndim - taken
        elif item is None:
            axis += 1
        elif isinstance(item, slice):
            if _is_dynamic(item.step):
                found.append((axis, item.step))
                items[k] = slice(item.start, item.stop)
            axis += 1
    return tuple(items), found


def _is_dynamic(step: Any) -> bool:
    """Whether a step is positive, and neither known nor decided by number arguments."""
    if (
        not isinstance(step, Scalar)
        or constant_of(Array(step.value)) is not None
        or asked_for(step.value)
    ):
        return False
    low = extent.lower(bounded_int(step))
    return low is not None and low >= 1


def strided_view(view: View, shape: Shape, extents: Extents, axis: int, step: Scalar) -> View:
    """A view that shows `shape`, every `step`-th along `axis` of it."""
    true = None if extents is None else extents[axis]
    size = ceil_divide(shape[axis] if true is None else true, step)
    count = -(-shape[axis] // max(extent.lower(step) or 1, 1))
    if not isinstance(size, Scalar):
        size = Scalar(value_of(size))
    size = Scalar(size.value, extent.IntFact(0, count))
    return extend(view, Strided(shape, extents, axis, step, size, count))


def first(view: View, shape: Shape, extents: Extents, axis: int) -> View:
    """A view with dimension `axis` in the first place."""
    order = (axis, *[d for d in range(len(shape)) if d != axis])
    return view if axis == 0 else extend(view, permuted(shape, extents, order))


def fill(rows: Any, step: Any, value: Any) -> None:
    """`rows[::step] = value` for one number, visited."""
    for i in range(0, len(rows), step):
        rows[i] = value
