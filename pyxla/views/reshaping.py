"""Views that show the same elements in another shape: reshape and diagonal.

A reshape of bounded extents is a view where the elements past the true extents stay behind: those
dimensions keep their place, or the only one is the first and takes in or gives off later ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import (
    Int,
    ceil_divide,
    known,
    larger,
    minus,
    smaller,
    times,
)
from pyxla.abstract.lattice import Array, NeedsStatic, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.op import OpError
from pyxla.lib.manipulation import unshaped
from pyxla.views import views
from pyxla.views.blocks import Range, Shape, reshaped
from pyxla.views.views import apply, update, with_scalars


@dataclass(frozen=True, slots=True)
class Reshape(views.Step):
    """Another shape over the same elements in C order; `source` and `target` are bounds."""

    source: Shape
    target: Shape
    source_extents: views.Extents = None
    extents: views.Extents = None

    @property
    def shape(self) -> Shape:
        return self.target

    def apply(self, base: Array) -> Array:
        return Array(reshaped(base.value, self.target), self.extents)

    def update(self, base: Array, new: Array) -> Array:
        return Array(reshaped(new.value, self.source), base.extents)

    def then(self, later: Reshape) -> Reshape:
        return Reshape(self.source, later.target, self.source_extents, later.extents)

    def scalars(self) -> tuple[Scalar, ...]:
        return views.scalars_of(self.source_extents) + views.scalars_of(self.extents)

    def with_scalars(self, scalars: Sequence[Scalar]) -> Reshape:
        split = len(views.scalars_of(self.source_extents))
        before = views.replaced(self.source_extents, scalars[:split])
        return Reshape(
            self.source, self.target, before, views.replaced(self.extents, scalars[split:])
        )

    def strided(self, layout: np.ndarray) -> np.ndarray:
        return np.reshape(layout, self.target, copy=False)


@dataclass(frozen=True, slots=True)
class Diagonal(views.Step):
    """The diagonal along the last dimension; `steps` is the same as a strided slice."""

    steps: views.View
    offset: int
    axes: tuple[int, int]
    writable: bool = False

    @property
    def shape(self) -> Shape:
        return self.steps[-1].shape

    @property
    def extents(self) -> views.Extents:
        return self.steps[-1].extents

    def apply(self, base: Array) -> Array:
        return apply(self.steps, base)

    def update(self, base: Array, new: Array) -> Array:
        return update(self.steps, base, new)

    def scalars(self) -> tuple[Scalar, ...]:
        return tuple([scalar for step in self.steps for scalar in step.scalars()])

    def with_scalars(self, scalars: Sequence[Scalar]) -> Diagonal:
        return replace(self, steps=with_scalars(self.steps, scalars))

    def strided(self, layout: np.ndarray) -> np.ndarray:
        return layout.diagonal(self.offset, *self.axes)


def diagonal(
    shape: Shape,
    extents: views.Extents,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    writable: bool = False,
) -> Diagonal:
    """`np.diagonal`, for axes counted from 0."""
    if axis1 == axis2:
        raise OpError("axis1 and axis2 cannot be the same")
    kept = tuple([d for d in range(len(shape)) if d not in (axis1, axis2)])
    moved = views.permuted(shape, extents, (*kept, axis1, axis2))
    rows, columns = shape[axis1], shape[axis2]
    flat = (*[shape[d] for d in kept], rows * columns)
    sizes = None if extents is None else (*[extents[d] for d in kept], None)
    above, left = max(-offset, 0), max(offset, 0)
    count = max(min(rows - above, columns - left), 0)
    start = offset if offset >= 0 else -offset * columns
    step = columns + 1 if count > 1 else 1
    size = None
    if extents is not None and views.scalars_of((extents[axis1], extents[axis2])):
        true = [shape[d] if (e := extents[d]) is None else e for d in (axis1, axis2)]
        found = larger(smaller(minus(true[0], above), minus(true[1], left)), 0)
        count, size = (found, None) if isinstance(found, int) else (count, found)
    along = (*views.full(flat, sizes)[:-1], Range(start if count else 0, count, step, size))
    index = views.BasicIndex(flat, along, tuple(range(len(flat))))
    chain = views.extend((), moved)
    chain = (*chain, Reshape(moved.shape, flat, moved.extents, sizes), index)
    return Diagonal(chain, offset, (axis1, axis2), writable)


def reshape_step(shape: Shape, extents: views.Extents, target: Sequence[Int]) -> Reshape:
    """`x.reshape(target)`, one entry of which may be -1; OpError where the sizes differ."""
    if extents is None or not views.scalars_of(extents):
        fixed = tuple([_static(n) for n in target])
        return Reshape(shape, _completed(math.prod(shape), fixed))
    return _reshape_bounded(shape, extents, target)


def needed_rows(
    shape: Shape, extents: views.Extents, target: Sequence[Int]
) -> views.BasicIndex | None:
    """The first rows of an array of so many as the program has, as many as a shape without run-time
    sizes takes: in NumPy that is all of them, or an error."""
    if extents is None or extents[0] is None or views.scalars_of(extents[1:]) or 0 in shape:
        return None
    sizes = [n for n in target if isinstance(n, int) and n >= 0]
    size, inner = None, math.prod(shape[1:])
    if len(sizes) < len(target):
        whole = _rows_in_one(inner, target)
        if whole <= 1:
            return None
        count, size = shape[0] - shape[0] % whole, extents[0]
    else:
        count, over = divmod(math.prod(sizes), inner)
        if over or count > shape[0]:
            most = shape[0] * inner
            raise OpError(f"cannot reshape an array of at most {most} elements into {tuple(sizes)}")
    rows = (Range(0, count, 1, size), *views.full(shape, extents)[1:])
    return views.BasicIndex(shape, rows, tuple(range(len(shape))))


def _rows_in_one(inner: int, target: Sequence[Int]) -> int:
    """How many rows of `inner` elements become one where a new shape begins with -1; 0 for none."""
    first, *later = [n if isinstance(n, int) else 0 for n in target if n != 1] or [1]
    if first != -1 or inner <= 0 or any(n <= 0 for n in later):
        return 0
    whole, over = divmod(math.prod(later), inner)
    return 0 if over else whole


def _static(n: Int) -> int:
    if isinstance(n, Scalar):
        raise NeedsStatic(n, "a shape")
    return n


def _completed(size: int, shape: Shape) -> Shape:
    """`shape` with -1 replaced by what is left of `size`."""
    rest = math.prod([n for n in shape if n != -1])
    fits = rest and size % rest == 0 if -1 in shape else rest == size
    if not fits:
        raise unshaped(size, shape)
    return tuple([size // rest if n == -1 else n for n in shape])


Dim = tuple[int, Scalar | None]


def _reshape_bounded(shape: Shape, extents: Any, target: Sequence[Int]) -> Reshape:
    old = [(n, e) for n, e in zip(shape, extents, strict=True) if n != 1 or e is not None]
    asked = [_asked(n, old) for n in target]
    found = _in_place(old, asked) or _leading(old, asked)
    if found is None:
        what = "the size of an array that is reshaped"
        if -1 in target:
            what += " (but for `x.reshape(-1, n)`, and where the shape has no -1)"
        raise NeedsStatic(views.scalars_of(extents)[0], what)
    after = tuple([e for _, e in found])
    return Reshape(shape, tuple([n for n, _ in found]), extents, after)


def _asked(n: Int, old: Sequence[Dim]) -> Dim:
    """An entry of the new shape; a run-time size must be that of an old dimension."""
    if isinstance(n, Scalar):
        for dim in old:
            if dim[1] is not None and extent.difference(n, dim[1]) == 0:
                return dim
    return _static(n), None


def _in_place(old: Sequence[Dim], asked: Sequence[Dim]) -> list[Dim] | None:
    """The new dimensions where they are the old ones but for some of extent 1."""
    rest = iter(old)
    found: list[Dim] = []
    for dim in asked:
        if dim == (1, None):
            found.append(dim)
            continue
        before = next(rest, (1, None))
        if dim[0] != -1 and dim != before:
            return None
        found.append(before)
    return found if next(rest, None) is None else None


def _leading(old: Sequence[Dim], asked: Sequence[Dim]) -> list[Dim] | None:
    """The new dimensions where only the first is bounded, and -1 is the first of the new ones."""
    (bound, size), *later = old
    if size is None or any(e is not None for _, e in later):
        return None
    place = next((d for d, (n, _) in enumerate(asked) if n == -1), None)
    if place is None or any(n != 1 for n, _ in asked[:place]):
        return None
    inner = math.prod([n for n, _ in later])
    rest = math.prod([n for n, _ in asked[place + 1 :]])
    whole = _rows_in_one(inner, [n for n, _ in asked])
    if whole > 1 and bound % whole == 0:
        most, total = bound // whole, ceil_divide(size, whole)
    elif rest > 0 and inner % rest == 0:
        most, total = bound * (inner // rest), times(size, inner // rest)
    else:
        return None
    total = known(total, 0, most)
    taken: Dim = (most, total) if isinstance(total, Scalar) else (total, None)
    return [*asked[:place], taken, *asked[place + 1 :]]
