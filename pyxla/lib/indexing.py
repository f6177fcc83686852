"""NumPy's indexing: from a key to a view step or a gather, exactly as `ndarray.__getitem__`.

    parse(shape, extents, key) -> BasicIndex | AdvancedIndex

A key is an int, a Scalar, a slice of these, None, Ellipsis, a bool, an `Array` of ints or bools (a
NumPy integer scalar is an Array of shape `()`), a list, or a tuple of all of these.  A `BasicIndex`
is a view step (`pyxla.infer.views`): reading is `step.apply(array)`, writing
`step.update(array, conform(value, step.shape, dtype))`.  An `AdvancedIndex` copies:

    getitem(array, index)           the elements, for either kind of index
    setitem(array, index, value)    the content after `array[index] = value`
    scatter_at(array, index, values, computation)    `ufunc.at`: duplicates accumulate
    nonzero(mask)                   index Arrays of bounded extent

Slices whose bounds are known at run time only: facts of the ints (`pyxla.infer.extent`) prove the
extent constant (`x[i:i+k]`), or bound it; then the result has a *bounded extent*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from pyxla.infer import extent
from pyxla.infer.integers import (
    Int,
    ceil_divide,
    known,
    larger,
    minus,
    plus,
    smaller,
    wrap,
)
from pyxla.infer.lattice import Array, NeedsStatic, Scalar
from pyxla.infer.views import BasicIndex, Extents, Range, Shape
from pyxla.ir.op import OpError

# Called with (index, size, axis) for a run-time index that is not proven in range.
OnBounds = Callable[[Int, Int, int], None]


def refuse(message: str) -> NoReturn:
    raise OpError(message)


@dataclass(frozen=True, slots=True)
class AdvancedIndex:
    """Index arrays along `axes` of what `basic` shows.

    arrays: one integer Array for each of `axes`, of one broadcast shape.  place: the result
    dimension where the dimensions of the arrays go.
    mask: the boolean Array that is the only index array, where there is one.
    """

    basic: BasicIndex
    axes: tuple[int, ...]
    arrays: tuple[Array, ...]
    place: int
    mask: Array | None = None


Index = BasicIndex | AdvancedIndex


def parse(shape: Shape, extents: Extents, key: Any, on_bounds: OnBounds | None = None) -> Index:
    """What `x[key]` means for an `x` of this shape; OpError with NumPy's words if nothing."""
    items = _expand(_items(key), len(shape))
    ranges: list[Range] = []
    dims: list[int | None] = []
    advanced: list[tuple[int, int, Array]] = []
    for item in items:
        axis = len(ranges)
        size = None if axis == len(shape) else _size(shape, extents, axis)
        if item is None:
            dims.append(None)
        elif isinstance(item, slice):
            ranges.append(slice_range(item, size, shape[axis]))
            dims.append(axis)
        elif isinstance(item, int | Scalar):
            ranges.append(point(item, size, shape[axis], axis, on_bounds))
        else:
            raise NotImplementedError
    return BasicIndex(shape, tuple(ranges), tuple(dims))


def _items(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _size(shape: Shape, extents: Extents, axis: int) -> Int:
    """The true size of a dimension."""
    size = None if extents is None else extents[axis]
    return shape[axis] if size is None else known(size, 0, shape[axis])


def _expand(items: tuple[Any, ...], ndim: int) -> list[Any]:
    """Replace the ellipsis, or what is missing at the end, by full slices."""
    used = sum(1 for item in items if item is not None and item is not Ellipsis)
    if used > ndim:
        refuse(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    fill = [slice(None)] * (ndim - used)
    places = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        refuse("an index can only have a single ellipsis ('...')")
    at = places[0] if places else len(items)
    return [*items[:at], *fill, *items[at + 1 :]]


def point(i: Int, size: Int, bound: int, axis: int, on_bounds: OnBounds | None) -> Range:
    """The position of an integer index in a dimension of true size `size`."""
    if isinstance(i, int) and not -bound <= i < bound:
        refuse(f"index {i} is out of bounds for axis {axis} with size {bound}")
    at = wrap(i, size)
    if on_bounds is not None and not _in_range(at, size):
        on_bounds(i, size, axis)
    return Range(known(at, 0, bound - 1), 1)


def _in_range(i: Int, size: Int) -> bool:
    low = extent.lower(i)
    return low is not None and low >= 0 and extent.at_most(plus(i, 1), size)


def slice_range(key: slice, size: Int, bound: int) -> Range:
    """The positions of a slice in a dimension of true size `size`, stored at `bound`."""
    step = 1 if key.step is None else key.step
    if isinstance(step, Scalar):
        raise NeedsStatic(step, "the step of a slice")
    if step == 0:
        refuse("slice step cannot be zero")
    if key.start is None and key.stop is None:
        full = None if isinstance(size, int) else size
        if step == 1:
            return Range(0, bound, 1, full)
    elif isinstance(size, int) and all(isinstance(x, int | None) for x in (key.start, key.stop)):
        found = range(size)[key]
        return Range(found.start if found else 0, len(found), step if len(found) > 1 else 1)
    start, length, most = _interval(key.start, key.stop, step, size)
    count = -(-min(most, bound) // abs(step))
    length = known(ceil_divide(length, abs(step)), 0, count)
    if isinstance(length, int):
        return Range(start if length else 0, length, step if length > 1 else 1)
    return Range(start, count, step, length)


def _interval(start: Int | None, stop: Int | None, step: int, size: Int) -> tuple[Int, Int, int]:
    """Where a slice starts, how many positions it covers (before `step`), and a bound of that.

    Only the bounds that matter are clipped: a start past the end gives a negative length.
    """
    forward = step > 0
    if forward:
        first = 0 if start is None else wrap(start, size)
        last = size if stop is None else wrap(stop, size)
        most = _at_most(start, stop, last, first)
        first = larger(first, 0)
        last = smaller(last, size)
        gap = _gap(last, first)
    else:
        end = minus(size, 1)
        first = end if start is None else wrap(start, size)
        last = -1 if stop is None else wrap(stop, size)
        most = _at_most(stop, start, first, last)
        first = smaller(first, end)
        last = larger(last, -1)
        gap = _gap(first, last)
    bounds = [b for b in (most, extent.upper(gap), extent.upper(size)) if b is not None]
    return first, gap, max(min(bounds), 0)


def _gap(high: Int, low: Int) -> Int:
    """`max(high - low, 0)`."""
    constant_gap = extent.difference(high, low)
    if constant_gap is not None:
        return max(constant_gap, 0)
    return larger(minus(high, low), 0)


def _at_most(low: Int | None, high: Int | None, last: Int, first: Int) -> int | None:
    """A bound of the length before clipping, which only shortens.

    Where signs are unknown, `low <= high` still implies that wrapping does not lengthen.
    """
    bounds = [extent.distance(last, first)[1]]
    if low is not None and high is not None:
        least, most = extent.distance(high, low)
        if least is not None and least >= 0:
            bounds.append(most)
    proven = [b for b in bounds if b is not None]
    return min(proven) if proven else None
