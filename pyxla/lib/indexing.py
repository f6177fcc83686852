"""NumPy's indexing, second half: reading and writing through an index.

    parse(shape, extents, key)      what a key means: a BasicIndex (a view step) or an AdvancedIndex
    conform(value, shape, dtype)    `value` as NumPy assigns it: cast and broadcast
    getitem(array, index)           the elements
    setitem(array, index, value)    the content after `array[index] = value`
    scatter_at(array, index, values, computation)    `ufunc.at`: duplicates accumulate

For a BasicIndex `getitem` is `index.apply` and `setitem` is `index.update` of the conformed value,
so that a reference may be read and written through its view instead.

Index arrays become gather and scatter.  XLA clamps or drops what is out of range; positions past a
bounded extent are sent there.  Duplicate positions: the last write wins, as in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, minus, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import OpError
from pyxla.ir.types import I32, I64
from pyxla.lib.keys import AdvancedIndex, Index, broadcast_bounded, parse
from pyxla.lib.masks import (
    constant_of,
    nonzero,
    positions,
    ranks,
    resized,
    same,
    true_elements,
    unpacked,
    within,
)
from pyxla.lib.operands import PYTHON_NUMBERS, as_array, broadcast_to, cast, literal
from pyxla.ops.check import BOOLS, UNSIGNED
from pyxla.ops.computation import REDUCERS
from pyxla.ops.elementwise import (
    add,
    compare,
    convert,
    divide,
    maximum,
    minimum,
    multiply,
    remainder,
    select,
)
from pyxla.ops.filled import number, spread
from pyxla.ops.index import dynamic_slice, gather, scatter
from pyxla.ops.shape import (
    broadcast_in_dim,
    concatenate,
    constant,
    iota,
    reshape,
    reverse,
    transpose,
)
from pyxla.ops.shape import slice as slice_
from pyxla.ops.sort import sort
from pyxla.views.blocks import Shape, reshaped
from pyxla.views.views import BasicIndex, Extents

__all__ = ["AdvancedIndex", "BasicIndex", "conform", "getitem", "parse", "scatter_at", "setitem"]


def conform(value: Any, shape: Shape, dtype: np.dtype, extents: Extents = None) -> Array:
    """`value` as assigned to elements of `dtype` in `shape`, a bound where `extents` says so."""
    cls = type(value)
    if cls in PYTHON_NUMBERS:
        try:
            return Array(spread(literal(value, dtype), shape))
        except ValueError as error:
            raise OpError(str(error)) from None
    if cls is Scalar:
        if CLASSES[value.dtype] == "c" and CLASSES[dtype] not in "cb":
            raise OpError(f"a complex number cannot be assigned to an element of {dtype}")
        return Array(spread(cast(value.value, dtype), shape))
    array = value if cls is Array else as_array(value)
    return Array(_fitted(array, cast(array.value, dtype), shape, extents))


def _fitted(array: Array, value: Value, shape: Shape, extents: Extents) -> Value:
    """`value` broadcast to `shape`; sizes of bounded extents are cut or filled up."""
    given = value.type.shape
    surplus = max(len(given) - len(shape), 0)
    fits = all(n == 1 for n in given[:surplus])
    value = reshaped(value, given[surplus:])
    own = (array.extents or (None,) * len(given))[surplus:]
    offset = len(shape) - len(own)
    target = list(shape[offset:])
    for d, n in enumerate(value.type.shape):
        free = own[d] is not None or (extents is not None and extents[offset + d] is not None)
        if n != target[d] and n != 1:
            fits = fits and free
        elif n == 1:
            target[d] = 1
    if not fits:
        raise OpError(
            f"could not broadcast input array from shape {given} into shape {shape}", ValueError
        )
    for d, size in enumerate(own):
        if size is not None:
            bound = shape[offset + d]
            wanted = extents[offset + d] if extents is not None else None
            value = fitted(value, d, size, bound if wanted is None else wanted, bound)
    return broadcast_to(resized(value, target), shape)


def equal_sizes(x: Int, y: Int) -> bool:
    """Whether two sizes are proven equal."""
    if extent.difference(x, y) == 0:
        return True
    return isinstance(x, Scalar) and isinstance(y, Scalar) and same(x.value, y.value)


def not_one(x: Int) -> bool:
    """Whether a size is proven not to be 1."""
    low, high = extent.lower(x), extent.upper(x)
    return (low is not None and low > 1) or (high is not None and high < 1)


def fitted(x: Value, axis: int, own: Int, size: Int, bound: int) -> Value:
    """`x`, `own` long along `axis`, as it broadcasts to `size`, stored at `bound` (or at 1)."""
    shape = x.type.shape
    if isinstance(own, int) or shape[axis] == 1:
        return x
    single = None
    if not (equal_sizes(own, size) or not_one(own)):
        single = compare(own.value, value_of(1), direction="EQ")
    target = tuple([bound if d == axis else n for d, n in enumerate(shape)])
    result = resized(x, target)
    if single is None or 0 in shape:
        return result
    limits = tuple([1 if d == axis else n for d, n in enumerate(shape)])
    first = slice_(x, start_indices=(0,) * len(shape), limit_indices=limits)
    first = broadcast_in_dim(first, shape=target, broadcast_dimensions=tuple(range(len(shape))))
    return select(spread(single, target), first, result)


def getitem(array: Array, index: Index) -> Array:
    """`array[index]`."""
    if isinstance(index, BasicIndex):
        return index.apply(array)
    base = index.basic.apply(array)
    if index.mask is not None:
        found = positions(index.mask)
        base = _flattened(base, index)
        return take(base, found, index.axes[0], wrap=False)
    arrays, shape, sizes = _aligned(base, index)
    value = _gather(base.value, index.axes, arrays, shape, index.place)
    return Array(value, _result_extents(base, index.axes, index.place, sizes))


def take(base: Array, at: Array, axis: int, wrap: bool = True) -> Array:
    """The elements of `base` at positions `at` along one dimension."""
    value = _positions(at, true_size(base, axis)) if wrap else at.value
    result = _gather(base.value, (axis,), [value], at.shape, axis)
    sizes = at.extents or (None,) * at.ndim
    return Array(result, _result_extents(base, (axis,), axis, sizes))


def _flattened(base: Array, index: AdvancedIndex) -> Array:
    """`base` with the dimensions of the mask made one."""
    first, count = index.axes[0], len(index.axes)
    shape = base.shape
    merged = math.prod(shape[first : first + count])
    value = reshaped(base.value, (*shape[:first], merged, *shape[first + count :]))
    if base.extents is None:
        return Array(value)
    return Array(value, (*base.extents[:first], None, *base.extents[first + count :]))


def _result_extents(
    base: Array, axes: tuple[int, ...], place: int, sizes: Sequence[Scalar | None]
) -> Extents:
    own = base.extents or (None,) * base.ndim
    kept = [e for d, e in enumerate(own) if d not in axes]
    found = (*kept[:place], *sizes, *kept[place:])
    return found if any(e is not None for e in found) else None


def true_size(x: Array, axis: int) -> Int:
    """The size of a dimension, which is a Scalar where it is bounded."""
    size = None if x.extents is None else x.extents[axis]
    return x.shape[axis] if size is None else size


def _aligned(
    base: Array, index: AdvancedIndex
) -> tuple[list[Value], Shape, tuple[Scalar | None, ...]]:
    """Index arrays as positions from 0, all of one shape; and what of that is bounded."""
    arrays = index.arrays if index.mask is None else nonzero(index.mask)
    shape, sizes = broadcast_bounded(arrays)
    values = []
    for axis, array in zip(index.axes, arrays, strict=True):
        found = Array(_positions(array, true_size(base, axis)), array.extents)
        values.append(_stretched(found, shape, sizes))
    return values, shape, sizes


def _stretched(x: Array, shape: Shape, sizes: tuple[Scalar | None, ...]) -> Value:
    """`x` broadcast to `shape`, where a bounded extent may turn out to be 1 at run time."""
    value, offset = x.value, len(shape) - x.ndim
    for d, own in enumerate(x.extents or ()):
        wanted = sizes[offset + d]
        if own is None or (own is wanted and shape[offset + d] == x.shape[d]):
            continue
        count = shape[offset + d]
        position = iota(dtype=I64.dtype, shape=(count,), dimension=0)
        last = maximum(value_of(minus(own, 1)), value_of(0))
        position = minimum(position, spread(last, (count,)))
        value = _gather(value, (d,), [position], (count,), d)
    return broadcast_to(value, shape)


def _positions(array: Array, size: Int) -> Value:
    """Index elements as i64 positions, those below zero counted from the end."""
    data = constant_of(array)
    if data is not None and isinstance(size, int):
        data = data.astype(I64.dtype)
        return constant(value=np.where(data < 0, data + size, data))
    value = array.value
    counted = is_count(value)
    value = value if value.type.dtype == I64.dtype else convert(value, dtype=I64.dtype)
    if counted:
        return value
    below = compare(value, number(0, I64.dtype, array.shape), direction="LT")
    return select(below, add(value, spread(value_of(size), array.shape)), value)


_MOVING = frozenset({broadcast_in_dim, convert, reshape, slice_, dynamic_slice, transpose, reverse})
_COUNTING = frozenset({add, multiply, divide, remainder, minimum, maximum, concatenate})


def is_count(value: Value, depth: int = 12) -> bool:
    """Whether the elements are known not to be negative."""
    if value.type.dtype in UNSIGNED | BOOLS:
        return True
    owner = value.owner
    if not isinstance(owner, Instr) or depth == 0:
        return False
    if owner.op is iota:
        return True
    if owner.op is constant:
        return bool(np.all(owner.attrs["value"] >= 0))
    if owner.op is sort:
        value = owner.operands[owner.results.index(value)]
        return is_count(value, depth - 1)
    if owner.op in _MOVING:
        return is_count(owner.operands[0], depth - 1)
    if owner.op is scatter and owner.attrs.get("computation") == "update":
        return all(is_count(owner.operands[k], depth - 1) for k in (0, 2))
    if owner.op is select:
        return all(is_count(v, depth - 1) for v in owner.operands[1:])
    if owner.op in _COUNTING:
        return all(is_count(v, depth - 1) for v in owner.operands)
    return False


def _index_vectors(arrays: Sequence[Value], shape: Shape) -> Value:
    """Positions along several dimensions as vectors in a last dimension."""
    if len(arrays) == 1:
        return arrays[0]
    columns = [reshape(array, shape=(*shape, 1)) for array in arrays]
    return concatenate(*columns, dimension=len(shape))


def _window_dims(ndim: int, count: int, place: int) -> tuple[int, ...]:
    """The result dimensions that are not the `count` ones of the index arrays, from `place`."""
    return tuple([d for d in range(ndim) if not place <= d < place + count])


def _gather(
    x: Value, axes: tuple[int, ...], arrays: Sequence[Value], shape: Shape, place: int
) -> Value:
    x_shape = x.type.shape
    kept = [n for d, n in enumerate(x_shape) if d not in axes]
    if any(x_shape[d] == 0 for d in axes):
        # Nothing is there to read: any index is out of range, or there is none.
        return number(0, x.type.dtype, (*kept[:place], *shape, *kept[place:]))
    return gather(
        x,
        _index_vectors(arrays, shape),
        offset_dims=_window_dims(len(kept) + len(shape), len(shape), place),
        collapsed_slice_dims=tuple(sorted(axes)),
        start_index_map=axes,
        index_vector_dim=len(shape),
        slice_sizes=tuple([1 if d in axes else n for d, n in enumerate(x_shape)]),
    )


def setitem(array: Array, index: Index, value: Any) -> Array:
    """The content of `array` after `array[index] = value`."""
    if isinstance(index, BasicIndex):
        return index.update(array, conform(value, index.shape, array.dtype, index.extents))
    base = index.basic.apply(array)
    if base.size == 0:
        return array
    if index.mask is not None:
        new = _put_mask(base, index, value)
    else:
        new = _scatter(base, index, value, "update")
    return index.basic.update(array, new)


def scatter_at(array: Array, index: Index, values: Any, computation: str) -> Array:
    """The content after `ufunc.at(array, index, values)`; `computation` as in `scatter`."""
    if isinstance(index, BasicIndex):
        new = conform(values, index.shape, array.dtype, index.extents)
        old = index.apply(array)
        return index.update(array, Array(REDUCERS[computation](old.value, new.value)))
    base = index.basic.apply(array)
    return index.basic.update(array, _scatter(base, index, values, computation))


def _scatter(base: Array, index: AdvancedIndex, value: Any, computation: str) -> Array:
    arrays, shape, sizes = _aligned(base, index)
    kept = [n for d, n in enumerate(base.shape) if d not in index.axes]
    place = index.place
    extents = _result_extents(base, index.axes, place, sizes)
    new = conform(value, (*kept[:place], *shape, *kept[place:]), base.dtype, extents)
    if new.size == 0 or base.size == 0:
        return base
    real_ones = within(Array(arrays[0], sizes))
    if real_ones is not None:
        outside = number(base.shape[index.axes[0]], I64.dtype, shape)
        arrays[0] = select(real_ones, arrays[0], outside)
    result = scatter(
        base.value,
        _index_vectors(arrays, shape),
        new.value,
        update_window_dims=_window_dims(new.ndim, len(shape), place),
        inserted_window_dims=tuple(sorted(index.axes)),
        scatter_dims_to_operand_dims=index.axes,
        index_vector_dim=len(shape),
        computation=computation,
    )
    return Array(result, base.extents)


def target(array: Array, index: Index) -> tuple[Shape, Extents]:
    """Shape and extents of what an index without a mask selects."""
    if isinstance(index, BasicIndex):
        return index.shape, index.extents
    base = index.basic.apply(array)
    shape, sizes = broadcast_bounded(index.arrays)
    kept = [n for d, n in enumerate(base.shape) if d not in index.axes]
    extents = _result_extents(base, index.axes, index.place, sizes)
    return (*kept[: index.place], *shape, *kept[index.place :]), extents


def _put_mask(base: Array, index: AdvancedIndex, value: Any) -> Array:
    """`base[mask] = value`: a select, of `value` unpacked where it runs along the true elements."""
    mask = index.mask
    first, count = index.axes[0], mask.ndim
    flat = _flattened(base, index)
    value = value if isinstance(value, bool | int | float | complex | Scalar) else as_array(value)
    ndim = 0 if not isinstance(value, Array) else value.ndim
    along = flat.ndim - 1 - first
    runs = ndim > along and (value.shape[ndim - 1 - along] != 1 or value.extents is not None)
    if runs:
        new = _unpack(value, flat, mask, first, along)
    else:
        narrow = [1 if d == first else n for d, n in enumerate(flat.shape)]
        new = broadcast_to(conform(value, tuple(narrow), base.dtype).value, flat.shape)
    chosen = broadcast_in_dim(
        true_elements(mask),
        shape=base.shape,
        broadcast_dimensions=tuple(range(first, first + count)),
    )
    return Array(select(chosen, reshaped(new, base.shape), base.value), base.extents)


def _unpack(value: Array, flat: Array, mask: Array, first: int, along: int) -> Value:
    """`value`, one element for each true one of the mask, put where that is."""
    if first == 0 and value.ndim == flat.ndim and value.shape == flat.shape:
        wanted = reshaped(true_elements(mask), (mask.size,))
        found = unpacked(value.value, wanted)
        if found is not None:
            return cast(found[0], flat.dtype)
    shape = list(flat.shape)
    shape[first] = value.shape[value.ndim - 1 - along]
    source = conform(Array(value.value), tuple(shape), flat.dtype).value
    size = mask.size
    rank = add(ranks(mask), number(-1, I32.dtype, (size,)))
    rank = maximum(rank, number(0, I32.dtype, (size,)))
    if value.extents is not None and (own := value.extents[value.ndim - 1 - along]) is not None:
        last = convert(minus(own, 1).value, dtype=I32.dtype)
        rank = minimum(rank, spread(last, (size,)))
    if shape[first] == 0:
        return flat.value
    return _gather(source, (first,), [rank], (size,), first)
