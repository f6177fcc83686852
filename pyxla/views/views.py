"""Views: what a reference sees of the array its cell holds, and how a write goes through.

A *view* is a chain of *steps*, applied from the cell's content outwards.  Every step has

    shape, extents      of what it shows (`extents` as in `lattice.Array`)
    dtype               of what it shows, None where that is the base's
    writable            False where NumPy's view is read-only
    apply(base)         what it shows of the content `base` (Arrays, by value)
    update(base, new)   the content after `new`, of `shape`, was written through it
    scalars()           the run-time ints inside it, which a merge must carry
    with_scalars(xs)    the same step with others
    strided(layout)     what NumPy's view of the array `layout` would be, up to where it begins

    BasicIndex          ints, slices of any step, newaxis, in any order of dimensions: indexing,
                        transposing, flipping, squeezing and splitting are all this one step
    Reshape, Diagonal   the same elements in another shape (`views.reshaping`)
    Broadcast, Windows  elements shown more than once, read-only (`views.repeated`)
    Part, Bits          parts of the elements (`views.bits`)

`extend(view, step)` appends a step and merges what merges, so that `A[i][1:3]` reads with one
dynamic slice.  Whether NumPy would copy instead is asked of NumPy itself (`reshape_is_view`), on an
array without elements of its own that has the strides of the view; fresh arrays are in C order.

A dimension of *bounded extent* is stored at its bound; elements at or past the true extent are
never written, and mean nothing when read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pyxla.abstract.facts.integers import minus, plus, times
from pyxla.abstract.lattice import Array, NeedsStatic, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import ArrayType
from pyxla.ops.shape import transpose
from pyxla.views.blocks import Range, Shape, is_full, read_block, reshaped, write_block

Extents = tuple[Scalar | None, ...] | None
View = tuple[Any, ...]
# In place of strides: not known, or not the same on all paths.
MIXED: Any = "mixed"


class Step:
    """What most steps share: no run-time ints, the dtype of the base."""

    __slots__ = ()

    dtype: np.dtype | None = None
    writable = True

    def scalars(self) -> tuple[Scalar, ...]:
        return ()

    def with_scalars(self, scalars: Sequence[Scalar]) -> Any:
        return self

    def then(self, later: Any) -> Any:
        """`self` followed by `later`, of the same class, as one step; None where it is not one."""
        return None

    def update(self, base: Array, new: Array) -> Array:
        raise OpError("assignment destination is read-only")


class Sized(Step):
    """A step to a shape of which data decides sizes, `extents`."""

    __slots__ = ()

    extents: Extents

    def scalars(self) -> tuple[Scalar, ...]:
        return scalars_of(self.extents)

    def with_scalars(self, scalars: Sequence[Scalar]) -> Any:
        made: Any = self
        return replace(made, extents=replaced(self.extents, scalars))


def scalars_of(extents: Extents) -> tuple[Scalar, ...]:
    return tuple([e for e in extents or () if e is not None])


def replaced(extents: Extents, scalars: Sequence[Scalar]) -> Extents:
    """`extents` with other scalars, in order."""
    if extents is None:
        return None
    fresh = iter(scalars)
    return tuple([None if e is None else next(fresh) for e in extents])


@dataclass(frozen=True, slots=True)
class BasicIndex(Step):
    """One Range for each dimension of `base`; `dims[d]` is the base dimension that result dimension
    `d` runs along, None for a new one of extent 1.  Base dimensions not in `dims` are points."""

    base: Shape
    ranges: tuple[Range, ...]
    dims: tuple[int | None, ...]

    @property
    def shape(self) -> Shape:
        return tuple([1 if d is None else self.ranges[d].count for d in self.dims])

    @property
    def extents(self) -> Extents:
        found = tuple([None if d is None else self.ranges[d].extent for d in self.dims])
        return found if any(e is not None for e in found) else None

    def apply(self, base: Array) -> Array:
        block = read_block(base.value, self.ranges)
        return Array(self._arrange(block), self.extents)

    def update(self, base: Array, new: Array) -> Array:
        block = self._restore(new.value)
        return Array(write_block(base.value, block, self.ranges), base.extents)

    def scalars(self) -> tuple[Scalar, ...]:
        parts = [part for r in self.ranges for part in (r.start, r.extent)]
        return tuple([part for part in parts if isinstance(part, Scalar)])

    def with_scalars(self, scalars: Sequence[Scalar]) -> BasicIndex:
        fresh = iter(scalars)
        ranges = []
        for r in self.ranges:
            start = next(fresh) if isinstance(r.start, Scalar) else r.start
            size = None if r.extent is None else next(fresh)
            ranges.append(Range(start, r.count, r.step, size))
        return replace(self, ranges=tuple(ranges))

    def then(self, later: BasicIndex) -> BasicIndex | None:
        """`self` followed by `later` as one step; None where it is not one."""
        ranges = list(self.ranges)
        for d, r in zip(self.dims, later.ranges, strict=True):
            if d is None:
                if r.count != 1 or r.extent is not None:
                    return None
            else:
                first = self.ranges[d]
                start = plus(first.start, times(r.start, first.step))
                step = first.step * r.step if r.count > 1 else 1
                ranges[d] = Range(start if r.count else 0, r.count, step, r.extent)
        dims = [None if d is None else self.dims[d] for d in later.dims]
        return BasicIndex(self.base, tuple(ranges), tuple(dims))

    def strided(self, layout: np.ndarray) -> np.ndarray:
        ranges, strides = self.ranges, layout.strides
        moved = [0 if d is None else strides[d] * ranges[d].step for d in self.dims]
        return as_strided(layout, self.shape, moved)

    @property
    def is_identity(self) -> bool:
        straight = self.dims == tuple(range(len(self.base)))
        return straight and self.extents is None and all(map(is_full, self.ranges, self.base))

    def _order(self) -> Shape:
        """The base dimensions that are kept, in order of appearance."""
        return tuple([d for d in self.dims if d is not None])

    def _arrange(self, block: Value) -> Value:
        """From one dimension for each of the base to `dims`."""
        order = self._order()
        if order != tuple(sorted(order)):
            points = tuple([d for d in range(len(self.base)) if d not in order])
            block = transpose(block, permutation=order + points)
        return reshaped(block, self.shape)

    def _restore(self, value: Value) -> Value:
        """The inverse of `_arrange`."""
        order = self._order()
        counts = tuple([r.count for r in self.ranges])
        if order != tuple(sorted(order)):
            points = tuple([d for d in range(len(self.base)) if d not in order])
            moved = order + points
            value = reshaped(value, tuple([counts[d] for d in moved]))
            return transpose(value, permutation=tuple(np.argsort(moved).tolist()))
        return reshaped(value, counts)


def apply(view: View, base: Array) -> Array:
    """What a chain of steps shows of `base`."""
    for step in view:
        base = step.apply(base)
    return base


def update(view: View, base: Array, new: Array) -> Array:
    """`base` after `new` was written through a chain of steps."""
    bases = [base] if view else []
    for step in view[:-1]:
        bases.append(step.apply(bases[-1]))
    for step, content in zip(reversed(view), reversed(bases), strict=True):
        new = step.update(content, new)
    return new


def with_scalars(view: View, scalars: Sequence[Scalar]) -> View:
    """`view` with other run-time ints, in the order of `step.scalars()` of its steps."""
    steps, used = [], 0
    for step in view:
        count = len(step.scalars())
        steps.append(step.with_scalars(scalars[used : used + count]))
        used += count
    return tuple(steps)


def extend(view: View, step: Any) -> View:
    """`view` followed by `step`, merged with the last one where both are one step."""
    if view:
        last = view[-1]
        merged = last.then(step) if type(last) is type(step) else None
        if merged is not None:
            view, step = view[:-1], merged
    if isinstance(step, BasicIndex) and step.is_identity:
        return view
    return (*view, step)


def layout(type: ArrayType, view: View, strides: Shape | None = None) -> np.ndarray:
    """An array without elements, with the shape and strides that NumPy's view has; `strides` are
    those of the base where it is not in C order."""
    shape = type.shape
    if strides == MIXED:
        raise OpError(
            "how this array lies in memory is not known: it was made of arrays that are not in C "
            "order, or on one of several paths; copy it before"
        )
    strides = strides or tuple(
        [type.dtype.itemsize * math.prod(shape[d + 1 :]) for d in range(len(shape))]
    )
    own = type.dtype.isbuiltin != 1  # of which arrays do not say their type, as `as_strided` asks
    dtype = np.dtype((np.void, type.dtype.itemsize)) if own else type.dtype
    array = as_strided(np.empty(1, dtype), shape, strides)
    for step in view:
        array = step.strided(array)
    return array


def reshape_is_view(
    type: ArrayType, view: View, shape: Shape, strides: Shape | None = None
) -> bool:
    """Whether NumPy's reshape of this view of an array of `type` makes no copy."""
    if not view and strides is None:
        return True
    try:
        np.reshape(layout(type, view, strides), shape, copy=False)
    except ValueError:
        return False
    return True


# A layout in which no dimensions lie behind one another as one would.
_PRIMES = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069, 1087, 1091)


def order_decides(type: ArrayType, view: View) -> bool:
    """Whether the order in which an array of `type` lies in memory may decide what of it is a view,
    if `view` shows it in another shape."""
    if type.ndim > len(_PRIMES):
        return True
    try:
        layout(type, view, tuple([type.dtype.itemsize * n for n in _PRIMES[: type.ndim]]))
    except ValueError:
        return True
    return False


def is_permuted(view: View) -> bool:
    """Whether a view shows dimensions in another order than the base has them."""
    for step in view:
        dims = [d for d in getattr(step, "dims", ()) if d is not None]
        if dims != sorted(dims):
            return True
    return False


def full(shape: Shape, extents: Extents) -> tuple[Range, ...]:
    """The ranges that cover everything."""
    sizes = (None,) * len(shape) if extents is None else extents
    return tuple([Range(0, n, 1, size) for n, size in zip(shape, sizes, strict=True)])


def permuted(shape: Shape, extents: Extents, permutation: Shape) -> BasicIndex:
    """`np.transpose`: result dimension `d` is dimension `permutation[d]`."""
    return BasicIndex(shape, full(shape, extents), tuple(permutation))


def expanded(shape: Shape, extents: Extents, axes: Shape) -> BasicIndex:
    """`np.expand_dims`: new dimensions at result positions `axes`."""
    old = iter(range(len(shape)))
    count = len(shape) + len(axes)
    dims = [None if d in axes else next(old) for d in range(count)]
    return BasicIndex(shape, full(shape, extents), tuple(dims))


def squeezed(shape: Shape, extents: Extents, axes: Shape) -> BasicIndex:
    """`np.squeeze`: without dimensions `axes`, which have extent 1."""
    ranges = [Range(0, 1) if d in axes else r for d, r in enumerate(full(shape, extents))]
    dims = tuple([d for d in range(len(shape)) if d not in axes])
    return BasicIndex(shape, tuple(ranges), dims)


def flipped(shape: Shape, extents: Extents, axes: Shape) -> BasicIndex:
    """`np.flip`."""
    ranges = [_backwards(r) if d in axes else r for d, r in enumerate(full(shape, extents))]
    return BasicIndex(shape, tuple(ranges), tuple(range(len(shape))))


def _backwards(r: Range) -> Range:
    size = r.count if r.extent is None else r.extent
    start = minus(size, 1) if r.count else 0
    return Range(start, r.count, -1 if r.count > 1 else 1, r.extent)


def require_full(extents: Extents) -> None:
    """Ask for the value of the first bounded extent, since what follows needs its size."""
    for size in scalars_of(extents):
        raise NeedsStatic(size, "the size of a dimension")
