"""Choosing elements: `where`, `clip`, `take`, `take_along_axis`; tests; index arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, as_dtype, kind, result_type
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import limits
from pyxla.lib import kernels as k
from pyxla.lib import masks
from pyxla.lib.manipulation import flat, items_of
from pyxla.lib.operands import (
    BOOL,
    INT,
    Shape,
    as_array,
    as_shape,
    as_value,
    broadcast,
    broadcast_shapes,
    broadcast_to,
    cast,
    is_short_int,
    literal,
    normalize_axis,
    splat,
)
from pyxla.lib.operators import python_kind
from pyxla.lib.reductions import all as all_
from pyxla.lib.registry import implements
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.index import gather, gather_along
from pyxla.ops.scope import slope_of

# --- By condition --------------------------------------------------------------------------------


@implements(np.where, rank0="array")
def where(condition: Any, /, *choices: Any) -> Any:
    pred = k.truth(as_array(condition).value)
    if not choices:
        return masks.nonzero(Array(pred))
    if len(choices) != 2:
        raise OpError("either both or neither of x and y should be given", ValueError)
    x, y = choices
    dtype = result_type(*[as_array(v) if isinstance(v, list | tuple) else v for v in (x, y)])
    x, y = _wrapped_int(x, dtype), _wrapped_int(y, dtype)
    pred, a, b = broadcast(pred, as_value(x, dtype), as_value(y, dtype))
    return Array(op.select(pred, a, b))


def _where_wraps() -> bool:
    try:
        np.where(True, np.uint8(0), -1)
    except OverflowError:
        return False
    return True


# Whether this NumPy's `where`, alone, lets a Python int that does not fit wrap around (until 2.4).
WHERE_WRAPS = _where_wraps()


def _wrapped_int(x: Any, dtype: np.dtype) -> Any:
    if not WHERE_WRAPS or type(x) is not int or CLASSES[dtype] not in "iu":
        return x
    low, count = int(np.iinfo(dtype).min), 1 << (8 * dtype.itemsize)
    return (x - low) % count + low


@implements(np.select, rank0="array")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """The first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise OpError("list of cases must be same length as list of conditions")
    if not condlist:
        raise OpError("select with an empty condition list is not possible")
    choicelist = [as_array(x) if isinstance(x, list | tuple) else x for x in choicelist]
    dtype = result_type(*choicelist, default)
    if dtype.kind == "u" and any(type(x) is int or python_kind(x) is int for x in choicelist):
        many = any(as_array(x).shape for x in (*choicelist, default))
        what = f"Cannot cast {'array data' if many else 'scalar'} from dtype('int64') to {dtype!r}"
        raise OpError(f"{what} according to the rule 'same_kind'", TypeError)
    result = Array(as_value(default, dtype))
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        if as_array(condition).dtype != BOOL:
            raise OpError("the conditions of select must be boolean")
        result = where(condition, Array(as_value(choice, dtype)), result)
    return result


@implements(np.choose, np.ndarray.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    index = as_array(a)
    if isinstance(choices, Array):
        choices = items_of(choices)
    options = [as_array(c) for c in choices]
    dtype = result_type(*[as_array(c) if isinstance(c, list | tuple) else c for c in choices])
    position = wrapped(cast(index.value, INT), len(options), mode)
    shape = broadcast_shapes(index.shape, *[c.shape for c in options])
    position = broadcast_to(position, shape)
    result = broadcast_to(cast(options[0].value, dtype), shape)
    for i, option in enumerate(options[1:], 1):
        here = k.eq(position, splat(i, INT, shape))
        result = op.select(here, broadcast_to(cast(option.value, dtype), shape), result)
    return Array(result)


@implements(np.clip, np.ndarray.clip)
def clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    dtype: Any = None,
) -> Array:
    low = a_min if min is None else min
    high = a_max if max is None else max
    result = as_array(a)
    low, high = _representable(low, result, -1), _representable(high, result, 1)
    bounds = [bound for bound in (low, high) if bound is not None]
    bounds = [as_array(b) if isinstance(b, list | tuple) else b for b in bounds]
    found = result_type(result, *bounds)
    dtypes = [k for k in map(kind, (result, *bounds)) if isinstance(k, np.dtype)]
    if dtypes and len(bounds) == 2 and (strong := result_type(*dtypes)).isbuiltin != 1:
        # `clip` is a ufunc then, of which ml_dtypes has none.
        found = next(d for d in map(np.dtype, "bBhHiIefd") if np.can_cast(strong, d))
    if dtype is not None:
        given, found = found, as_dtype(dtype)
        if not np.can_cast(given, found, "same_kind"):
            raise OpError(f"Cannot cast ufunc 'clip' input from {given} to {found}")
    value = as_value(result, found)
    signed = CLASSES[found] == "f" and len(bounds) == 2
    keeps = signed and not any(isinstance(b, Array) and b.shape for b in bounds)
    for bound, kernel in ((low, k.maximum), (high, k.minimum)):
        if bound is None:
            continue
        x, other = broadcast(value, as_value(bound, found))
        value = kernel(x, other)
        if keeps and not (isinstance(bound, int | float) and bound):  # a zero keeps its sign
            value = slope_of(op.select(k.eq(x, other), x, value), value)
    return Array(value)


def _representable(bound: Any, x: Any, side: int) -> Any:
    """A Python int beyond the range of an integer array bounds nothing, or is refused by NumPy."""
    if type(bound) is int and type(x) is Array and CLASSES[x.dtype] in "iu":
        low, high = limits(x.dtype)
        if (side < 0 and bound < low) or (side > 0 and bound > high):
            return None
    if type(bound) is Scalar and bound.kind is int and type(x) is Array and is_short_int(x.dtype):
        low, high = limits(x.dtype)
        if side < 0:
            return Scalar(op.maximum(bound.value, k.like(bound.value, int(low))))
        if high <= limits(INT)[1]:
            return Scalar(op.minimum(bound.value, k.like(bound.value, int(high))))
    return bound


# --- By position ---------------------------------------------------------------------------------


def wrapped(index: Value, size: int, mode: str = "raise") -> Value:
    """Positions counted from 0: negative ones from the end, or as `mode` says."""
    extent, zero = k.like(index, size), k.like(index, 0)
    if mode == "wrap":
        return k.integer_remainder(index, extent)
    if mode == "clip":
        return op.clamp(zero, index, k.like(index, size - 1))
    if CLASSES[index.type.dtype] == "u":
        return index
    return op.select(k.lt(index, zero), op.add(index, extent), index)


def as_index(x: Any) -> Value:
    """An operand as an array of integer positions."""
    array = as_array(x)
    if not array.size and CLASSES[array.dtype] == "f":
        return cast(array.value, INT)
    if CLASSES[array.dtype] not in "iu":
        raise OpError(f"indices must be integers, not {array.dtype}")
    wide = array.dtype.itemsize >= 4
    return array.value if wide else cast(array.value, INT)


@implements(np.take, np.ndarray.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Array:
    x, index = as_array(a), as_index(indices)
    value = x.value if axis is not None and x.shape else flat(x.value)
    axis = normalize_axis(0 if axis is None else axis, value.type.ndim)
    size = value.type.shape[axis]
    if size == 0:
        if index.type.size:
            raise OpError("cannot do a non-empty take from an empty axes.")
        return Array(splat(0, x.dtype, _taken_shape(value, index, axis)))
    if mode == "raise":
        _refuse_outside(index, size, axis)
        numbers, places = [masks.constant_of(Array(v)) for v in (value, index)]
        if numbers is not None and places is not None:
            return Array(shapes.constant(value=numbers.take(places, axis)))
    return Array(gather_along(value, wrapped(index, size, mode), axis))


def _refuse_outside(index: Value, size: int, axis: int) -> None:
    """Refuse known positions that are out of range."""
    known = masks.constant_of(Array(index))
    if known is None:
        return
    for position in np.asarray(known).flat:
        if not -size <= position < size:
            message = f"index {position} is out of bounds for axis {axis} with size {size}"
            raise OpError(message, IndexError)


def _taken_shape(x: Value, index: Value, axis: int) -> Shape:
    return x.type.shape[:axis] + index.type.shape + x.type.shape[axis + 1 :]


def _aligned(x: Value, index: Value, axis: int) -> tuple[Value, Value]:
    """Both at their common shape, but along `axis`."""
    if x.type.ndim != index.type.ndim:
        raise OpError("`indices` and `arr` must have the same number of dimensions")
    shared = [1 if i == axis else n for i, n in enumerate(x.type.shape)]
    other = [1 if i == axis else n for i, n in enumerate(index.type.shape)]
    common = broadcast_shapes(tuple(shared), tuple(other))

    def at(value: Value) -> Value:
        extent = value.type.shape[axis]
        return broadcast_to(
            value, tuple([extent if i == axis else n for i, n in enumerate(common)])
        )

    return at(x), at(index)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Array:
    x, index = as_array(arr).value, as_index(indices)
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.type.ndim)
    _refuse_outside(index, x.type.shape[axis], axis)
    x, index = _aligned(x, wrapped(index, x.type.shape[axis]), axis)
    if not math.prod(index.type.shape):
        return Array(splat(0, x.type.dtype, index.type.shape))
    if not x.type.shape[axis]:
        raise OpError(f"index 0 is out of bounds for axis {axis} with size 0", IndexError)
    batch = tuple([i for i in range(x.type.ndim) if i != axis])
    return Array(
        gather(
            x,
            index,
            offset_dims=(),
            collapsed_slice_dims=(axis,),
            operand_batching_dims=batch,
            start_indices_batching_dims=batch,
            start_index_map=(axis,),
            index_vector_dim=x.type.ndim,
            slice_sizes=(1,) * x.type.ndim,
        )
    )


@implements(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    index, extents = cast(as_index(indices), INT), as_shape(shape)
    known, count = masks.constant_of(as_array(indices)), math.prod(extents)
    for position in () if known is None else np.asarray(known).flat:
        if not 0 <= position < count:
            message = f"index {position} is out of bounds for array with size {count}"
            raise OpError(message, ValueError)
    results = []
    for extent in extents[::-1] if order == "C" else extents:
        size = k.like(index, max(extent, 1))
        results.append(Array(op.remainder(index, size)))
        index = op.divide(index, size)
    return tuple(results[::-1] if order == "C" else results)


@implements(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    extents = as_shape(dims)
    modes = mode if isinstance(mode, tuple) else (mode,) * len(extents)
    rows = multi_index if isinstance(multi_index, list | tuple) else items_of(multi_index)
    indices = [cast(as_index(row), INT) for row in rows]
    if len(indices) != len(extents):
        raise OpError("ravel_multi_index: one index array is needed for each dimension")
    for row, extent, how in zip(rows, extents, modes, strict=True):
        known = masks.constant_of(as_array(row)) if how == "raise" else None
        if known is not None and not np.all((known >= 0) & (known < extent)):
            raise OpError("invalid entry in coordinates array", ValueError)
    strides = [
        math.prod(extents[i + 1 :] if order == "C" else extents[:i]) for i in range(len(extents))
    ]
    total = None
    for index, extent, how, stride in zip(
        broadcast(*indices), extents, modes, strides, strict=True
    ):
        position = index if how == "raise" else wrapped(index, extent, how)
        term = op.multiply(position, k.like(position, stride))
        total = term if total is None else op.add(total, term)
    return Array(total if total is not None else literal(0, INT))


# --- Membership and equality ---------------------------------------------------------------------


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    """|a - b| <= atol + rtol * |b|, infinities only beside themselves."""
    x, y = as_array(a), as_array(b)
    dtype = result_type(y, 1.0)
    y = Array(cast(y.value, dtype))
    gap = OPERATORS["abs"](x - y)
    near = gap <= atol + rtol * OPERATORS["abs"](y)
    both = UFUNCS[np.logical_and](near, UFUNCS[np.isfinite](y))
    close = UFUNCS[np.logical_or](both, OPERATORS["eq"](x, y))
    if not equal_nan:
        return close
    missing = UFUNCS[np.logical_and](UFUNCS[np.isnan](x), UFUNCS[np.isnan](y))
    return UFUNCS[np.logical_or](close, missing)


def _python_bool(x: Array) -> Scalar:
    return Scalar(op.convert(x.value, dtype=BOOL, weak=True))


@implements(np.allclose)
def allclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Scalar:
    return _python_bool(all_(isclose(a, b, rtol, atol, equal_nan)))


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    x, y = as_array(a1), as_array(a2)
    if x.shape != y.shape:
        return False
    return _python_bool(all_(_equal(x, y, equal_nan)))


def _equal(x: Array, y: Array, equal_nan: bool) -> Array:
    same = OPERATORS["eq"](x, y)
    if not equal_nan or CLASSES[x.dtype] not in "fc" or CLASSES[y.dtype] not in "fc":
        return same
    missing = UFUNCS[np.logical_and](UFUNCS[np.isnan](x), UFUNCS[np.isnan](y))
    return UFUNCS[np.logical_or](same, missing)
