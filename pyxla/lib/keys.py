"""NumPy's indexing, first half: what a key means for an array of some shape.

    parse(shape, extents, key) -> BasicIndex | AdvancedIndex

A key is an int, a Scalar, a slice of these, None, Ellipsis, a bool, an `Array` of ints or bools (a
NumPy integer scalar is an Array of shape `()`), a list, or a tuple of all of these.  Ints, slices
and newaxis make a view step (`views.views.BasicIndex`); index arrays copy (`AdvancedIndex`,
which `pyxla.lib.indexing` reads and writes).

Slices whose bounds are known at run time only: facts of the ints (`abstract.facts.extent`) prove
the extent constant (`x[i:i+k]`), or bound it; then the result has a *bounded extent*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, NoReturn

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.facts.integers import (
    Int,
    ceil_divide,
    known,
    larger,
    minus,
    plus,
    smaller,
    value_of,
    wrap,
)
from pyxla.abstract.facts.ranges import interval
from pyxla.abstract.lattice import Array, NeedsStatic, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib.masks import constant_of, nonzero, resized
from pyxla.lib.meetings import meet
from pyxla.lib.operands import as_array
from pyxla.ops.check import BOOLS, INTS
from pyxla.ops.elementwise import compare, convert, minimum, select
from pyxla.ops.shape import constant, reshape
from pyxla.views.blocks import Range, Shape
from pyxla.views.views import BasicIndex, Extents

LARGEST = 2**63 - 1
# Called with (index, size, axis) for a run-time index that is not proven in range; says whether it
# made sure that the index counts from the front.
OnBounds = Callable[[Int, Int, int], bool]

KINDS = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)


def refuse(message: str, raises: type[Exception] | None = None) -> NoReturn:
    raise OpError(message, raises)


def _refuse_index(index: int, axis: int, bound: int, size: Int | None) -> NoReturn:
    """Refuse an index of a dimension of true size `size`; None: its bound."""
    message = f"index {index} is out of bounds for axis {axis} with size {bound}"
    raise OpError(message, IndexError, words=message if size in (None, bound) else None)


@dataclass(frozen=True, slots=True)
class AdvancedIndex:
    """Index arrays along dimensions `axes` of what `basic` shows.

    arrays: one integer Array for each of `axes`, of any shapes that broadcast; none where a single
    boolean Array `mask` indexes all of `axes`.  place: the result dimension where the dimensions of
    the arrays go.
    """

    basic: BasicIndex
    axes: tuple[int, ...]
    arrays: tuple[Array, ...]
    place: int
    mask: Array | None = None


Index = BasicIndex | AdvancedIndex


@dataclass(slots=True)
class _Parts:
    """An index under construction.

    chosen: index arrays with the dimensions of the basic result they index.  places: for each of
    them, and each integer, how many dimensions slices and newaxis made before it; they are adjacent
    where they are all in one block.
    """

    ranges: list[Range] = field(default_factory=list)
    dims: list[int | None] = field(default_factory=list)
    chosen: list[tuple[Array, tuple[int, ...]]] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    kept: int = 0
    blocks: int = 0
    in_block: bool = False

    def keep(self, count: int = 1) -> None:
        """Dimensions of the result that no index array makes."""
        self.kept += count
        self.in_block = False

    def choose(self) -> None:
        """An integer or an index array."""
        self.places.append(self.kept)
        self.blocks += not self.in_block
        self.in_block = True


def parse(shape: Shape, extents: Extents, key: Any, on_bounds: OnBounds | None = None) -> Index:
    """What `x[key]` means for an `x` of this shape; OpError with NumPy's words if nothing."""
    items = [_normal(item) for item in (key if isinstance(key, tuple) else (key,))]
    parts = _Parts()
    for item in _expand(items, len(shape)):
        axis = len(parts.ranges)
        if item is None:
            parts.dims.append(None)
            parts.keep()
        elif item is Ellipsis:
            parts.keep(0)
        elif isinstance(item, slice):
            parts.ranges.append(slice_range(item, _size(shape[axis], extents, axis), shape[axis]))
            parts.dims.append(axis)
            parts.keep()
        elif isinstance(item, Array):
            _add_array(parts, item, shape, extents)
        else:
            parts.choose()
            size = _size(shape[axis], extents, axis)
            parts.ranges.append(point(item, size, shape[axis], axis, on_bounds))
    basic = BasicIndex(shape, tuple(parts.ranges), tuple(parts.dims))
    return _advanced(basic, parts) if parts.chosen else basic


def _advanced(basic: BasicIndex, parts: _Parts) -> AdvancedIndex:
    place = parts.places[0] if parts.blocks == 1 else 0
    axes = tuple([axis for _, axes in parts.chosen for axis in axes])
    first, _ = parts.chosen[0]
    if len(parts.places) == 1 and first.dtype in BOOLS:
        return AdvancedIndex(basic, axes, (), place, first)
    arrays: list[Array] = []
    for array, _ in parts.chosen:
        arrays.extend(nonzero(array) if array.dtype in BOOLS else (array,))
    broadcast_bounded(arrays)
    return AdvancedIndex(basic, axes, tuple(arrays), place)


def broadcast_bounded(arrays: Sequence[Array]) -> tuple[Shape, tuple[Scalar | None, ...]]:
    """The common shape of index arrays and its bounded extents.

    A bounded extent meets a known one greater than 1 as equal to it, or as 1; two bounded ones that
    are not the same have the extent of the one that is not 1.
    """
    ndim = max(array.ndim for array in arrays)
    shape: list[int] = [1] * ndim
    sizes: list[Scalar | None] = [None] * ndim
    for array in arrays:
        own = array.extents or (None,) * array.ndim
        for d, (n, size) in enumerate(zip(array.shape, own, strict=True), ndim - array.ndim):
            fixed = sizes[d] is None and shape[d] != 1
            if size is None and n != 1:
                if fixed and n != shape[d]:
                    shapes = " ".join([str(a.shape) for a in arrays])
                    refuse(
                        "shape mismatch: indexing arrays could not be broadcast together with "
                        f"shapes {shapes}",
                        IndexError,
                    )
                shape[d], sizes[d] = n, None
            elif size is not None and not fixed:
                sizes[d] = size if sizes[d] is None else _merged(sizes[d], size)
                shape[d] = max(shape[d], n)
    return tuple(shape), tuple(sizes)


def _merged(x: Scalar, y: Scalar) -> Scalar:
    """The extent two bounded extents broadcast to."""
    if x is y or extent.difference(x, y) == 0:
        return x
    single = compare(x.value, value_of(1), direction="EQ")
    bounds = [b for b in (extent.upper(x), extent.upper(y)) if b is not None]
    return Scalar(select(single, y.value, x.value), IntFact(0, max(bounds, default=None)))


def _normal(item: Any) -> Any:
    """A key item as None, Ellipsis, a slice, an int, a Scalar of kind int, or an Array."""
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return slice(*[_slice_bound(x) for x in (item.start, item.stop, item.step)])
    if isinstance(item, list | tuple):
        item = as_array(list(item)) if item else Array(constant(value=np.zeros(0, I64.dtype)))
    elif isinstance(item, range):
        item = Array(constant(value=np.array(item, I64.dtype)))
    elif isinstance(item, bool | np.bool_ | np.ndarray | np.integer):
        if isinstance(item, np.integer):
            return int(item)
        item = as_array(np.asarray(item))
    elif isinstance(item, int):
        return item
    if isinstance(item, Scalar) and item.dtype == I64.dtype:
        return item
    if not isinstance(item, Array | Scalar) or (item.dtype not in INTS and item.dtype not in BOOLS):
        refuse(KINDS, IndexError)
    if item.dtype in INTS and not item.shape:
        return as_index(as_array(item))
    return Array(item.value) if isinstance(item, Scalar) else item


def as_index(item: Array) -> Int:
    """An integer of rank 0 as a Python int, known where it is a constant; and between which.

    What is too large for int64 becomes its largest, which is as far past any end.
    """
    known_value = known_elements(item.value)
    if known_value is not None:
        return int(known_value)
    value, seen = item.value, interval(item.value)
    if item.dtype == np.uint64 and (seen.hi is None or seen.hi > LARGEST):
        value = minimum(value, constant(value=np.uint64(LARGEST)))
    value = convert(value, dtype=I64.dtype, weak=True)
    return known(Scalar(value), 0 if item.dtype.kind == "u" else seen.lo, seen.hi)


def _slice_bound(x: Any) -> Int | None:
    if x is None or (isinstance(x, int) and not isinstance(x, bool)):
        return x
    if isinstance(x, Scalar) and x.dtype == I64.dtype:
        return x
    if isinstance(x, bool | np.integer):
        return int(x)
    if isinstance(x, Array) and x.dtype in INTS and not x.shape:
        return as_index(x)
    refuse("slice indices must be integers or None or have an __index__ method")


def _add_array(parts: _Parts, item: Array, shape: Shape, extents: Extents) -> None:
    """An index array with the dimensions it indexes: as many as a mask has, else one."""
    parts.choose()
    axis, dim = len(parts.ranges), len(parts.dims)
    if item.dtype in BOOLS and not item.shape:
        # A bool is a mask of a new dimension of extent 1.
        parts.dims.append(None)
        parts.chosen.append((Array(reshape(item.value, shape=(1,))), (dim,)))
        return
    count = item.ndim if item.dtype in BOOLS else 1
    sizes = (None,) * len(shape) if extents is None else extents
    if item.dtype in BOOLS:
        item = _fitted_mask(item, shape[axis : axis + count], axis, extents)
    else:
        _check_range(item, axis, shape[axis], sizes[axis])
    for d in range(axis, axis + count):
        parts.dims.append(d)
        parts.ranges.append(Range(0, shape[d], 1, sizes[d]))
    parts.chosen.append((item, tuple(range(dim, dim + count))))


def _check_range(item: Array, axis: int, bound: int, size: Int | None) -> None:
    """Refuse positions known to be out of range."""
    data = constant_of(item)
    if data is None or not data.size:
        return
    wrong = data[(data < -bound) | (data >= bound)]
    if wrong.size:
        _refuse_index(wrong[0], axis, bound, size)


def _fitted_mask(mask: Array, shape: Shape, axis: int, extents: Extents) -> Array:
    """The mask with the bounds of what it indexes; sizes known at run time only are to be equal."""
    for d, (n, m) in enumerate(zip(shape, mask.shape, strict=True), axis):
        sizes = _size(n, extents, d), _size(m, mask.extents, d - axis)
        words = f"boolean index did not match indexed array along axis {d}; size of axis is "
        between = " but size of corresponding boolean axis is "
        if isinstance(sizes[0], int) and isinstance(sizes[1], int) and n != m:
            refuse(f"{words}{n}{between}{m}", IndexError)
        meet(*sizes, IndexError, words, sizes[0], between, sizes[1])
    return Array(resized(mask.value, shape), mask.extents)


def _size(bound: int, extents: Extents, axis: int) -> Int:
    """The true size of a dimension of at most `bound`."""
    size = None if extents is None else extents[axis]
    return bound if size is None else known(size, 0, bound)


def _expand(items: Sequence[Any], ndim: int) -> list[Any]:
    """Full slices after the ellipsis, or at the end, for the dimensions not mentioned."""
    used = sum(map(_consumed, items))
    if used > ndim:
        refuse(
            f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed",
            IndexError,
        )
    fill = [slice(None)] * (ndim - used)
    places = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        refuse("an index can only have a single ellipsis ('...')")
    at = places[0] + 1 if places else len(items)
    return [*items[:at], *fill, *items[at:]]


def _consumed(item: Any) -> int:
    """How many dimensions of the array a key item stands for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, Array) and item.dtype in BOOLS else 1


def point(i: Int, size: Int, bound: int, axis: int, on_bounds: OnBounds | None) -> Range:
    """The position of an integer index in a dimension of true size `size`."""
    if isinstance(i, int) and not -bound <= i < bound:
        _refuse_index(i, axis, bound, size)
    at = wrap(i, size)
    if on_bounds is not None and not _in_range(at, size):
        if on_bounds(i, size, axis):
            at = i
    start = known(at, 0, bound - 1)
    if isinstance(start, int) and bound:
        start = min(max(start, 0), bound - 1)  # where it is not, `on_bounds` raised
    return Range(start, 1)


def _in_range(i: Int, size: Int) -> bool:
    low = extent.lower(i)
    return low is not None and low >= 0 and extent.at_most(plus(i, 1), size)


def slice_range(key: slice, size: Int, bound: int) -> Range:
    """The positions of a slice in a dimension of true size `size`, stored at `bound`."""
    step = 1 if key.step is None else key.step
    if isinstance(step, Scalar):
        raise NeedsStatic(step, "the step of a slice")
    if step == 0:
        words = "slice step cannot be zero"
        raise OpError(words, ValueError, words)
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
