"""Functions that make arrays: `zeros`, `arange`, `linspace`, `eye`, `array`, ...

What is a formula of the position is made from `iota`, so that a module holds no large constants.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts.deciding import asked_for
from pyxla.abstract.facts.integers import Int, ceil_divide, larger, minus, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, as_dtype, kind, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.keys import as_index
from pyxla.lib.operands import (
    FLOAT,
    INT,
    Shape,
    as_array,
    as_shape,
    as_value,
    broadcast,
    broadcast_to,
    cast,
    copy_mode,
    is_dynamic,
    normalize_axis,
    splat,
)
from pyxla.lib.registry import LeftToPython, implements
from pyxla.lib.sizes import as_size, as_sizes
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes


def iota(dtype: np.dtype, shape: Shape, dimension: int) -> Value:
    """Positions along `dimension`; through int64 where the dtype cannot count."""
    if CLASSES[dtype] == "b":
        return cast(shapes.iota(dtype=INT, shape=shape, dimension=dimension), dtype)
    return shapes.iota(dtype=dtype, shape=shape, dimension=dimension)


# --- Constant arrays -----------------------------------------------------------------------------


def check_ignored(options: dict[str, Any]) -> None:
    """Refuse keywords that mean something; `like` and `device` have only one meaning here."""
    for name, given in options.items():
        if name not in ("like", "device", "subok"):
            raise TypeError(f"got an unexpected keyword argument {name!r}")
        if given is not None and not (name == "device" and given == "cpu"):
            raise OpError(f"{name}={given!r} is not supported")


@implements(np.ndarray, rank0="array")
def ndarray(shape: Any, dtype: Any = float, *memory: Any, **options: Any) -> Array:
    order = options.pop("order", "C")
    if any(x is not None for x in memory[:1]) or options:
        raise OpError("np.ndarray(buffer=...) reads memory as it lies; use slices and .view(dtype)")
    return zeros(shape, dtype, order)


@implements(np.zeros, np.empty, rank0="array")
def zeros(shape: Any, dtype: Any = float, order: Any = "C", **ignored: Any) -> Array:
    check_ignored(ignored)
    stored, extents = as_sizes(shape)
    return Array(splat(0, as_dtype(dtype), stored), extents)


@implements(np.ones, rank0="array")
def ones(shape: Any, dtype: Any = None, order: Any = "C", **ignored: Any) -> Array:
    check_ignored(ignored)
    stored, extents = as_sizes(shape)
    return Array(splat(1, FLOAT if dtype is None else as_dtype(dtype), stored), extents)


@implements(np.full, rank0="array")
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **ignored: Any) -> Array:
    check_ignored(ignored)
    stored, extents = as_sizes(shape)
    fill = as_array(fill_value)
    value = fill.value if dtype is None else as_value(fill_value, as_dtype(dtype))
    return Array(_filled(value, stored), extents)


def _filled(x: Value, shape: Shape) -> Value:
    """As assignment does it: leading extents of 1 are dropped."""
    while x.type.ndim > len(shape) and x.type.shape[0] == 1:
        x = shapes.reshape(x, shape=x.type.shape[1:])
    return broadcast_to(x, shape)


@implements(np.full_like, rank0="array")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, **ignored: Any,
) -> Array:  # fmt: skip
    check_ignored(ignored)
    x = as_array(a)
    value = as_value(fill_value, x.dtype if dtype is None else as_dtype(dtype))
    return Array(_filled(value, x.shape if shape is None else as_shape(shape)))


def _splat_like(number: int) -> Callable[..., Array]:
    def call(a: Any, dtype: Any = None, *args: Any, **options: Any) -> Array:
        return full_like(a, number, dtype, *args, **options)

    return call


zeros_like = implements(np.zeros_like, np.empty_like, rank0="array")(_splat_like(0))
ones_like = implements(np.ones_like, rank0="array")(_splat_like(1))


# --- From data -----------------------------------------------------------------------------------


@implements(np.array, rank0="array")
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: int = 0,
    **ignored: Any,
) -> Array:
    check_ignored(ignored)
    x = as_array(object, dtype)
    _check_copy(object, x, copy)
    missing = operator.index(ndmin) - x.ndim
    if missing > 0:
        return Array(shapes.reshape(x.value, shape=(1,) * missing + x.shape))
    return x


@implements(np.asarray, np.asanyarray, rank0="array")
def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, **ignored: Any
) -> Array:
    check_ignored(ignored)
    x = as_array(a, dtype)
    _check_copy(a, x, copy)
    return x


def _check_copy(given: Any, made: Array, copy: Any) -> None:
    if copy_mode(copy) is False and not (isinstance(given, Array) and given.dtype == made.dtype):
        raise OpError("Unable to avoid copy while creating an array as requested.")


@implements(np.ascontiguousarray, np.asfortranarray)
def ascontiguousarray(a: Any, dtype: Any = None, **ignored: Any) -> Array:
    check_ignored(ignored)
    return array(a, dtype, ndmin=1)


@implements(np.copy, rank0="array")
def copy(a: Any, order: Any = "K", subok: Any = False) -> Array:
    return as_array(a)


@implements(np.ndarray.copy, rank0="method")
def ndarray_copy(a: Array, order: Any = "C") -> Array:
    return a


# --- Ranges --------------------------------------------------------------------------------------


@implements(np.arange)
def arange(
    start: Any, stop: Any = None, step: Any = None, dtype: Any = None, **ignored: Any
) -> Array:
    """start + i * step; how many is known, has a bound, or is what floats come to."""
    check_ignored(ignored)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    found = result_type(INT, start, stop, step) if dtype is None else as_dtype(dtype)
    known = all(type(x) in (int, float) for x in (start, stop, step))
    count = _arange_count(start, stop, step)
    few = isinstance(count, int) and (count <= TABULATED or found.itemsize == 1)
    if known and few and CLASSES[found] not in "iu":
        return as_array(_ran(start, stop, step, found))  # NumPy's own numbers
    return _spaced(start, step, count, found)


def _spaced(start: Any, step: Any, size: Int, dtype: np.dtype) -> Array:
    (count,), extents = as_sizes(size)
    if CLASSES[dtype] == "b" and count > 2:
        raise OpError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    if type(start) in (int, float) and type(step) in (int, float):
        start, step = _first_and_step(start, step, dtype)
    elif CLASSES[dtype] == "f":
        first = as_value(start, dtype)
        start, step = Array(first), Array(op.subtract(op.add(first, as_value(step, dtype)), first))
    value = iota(dtype, (count,), 0)
    if is_dynamic(step) or step != 1:
        value = _multiples(value, broadcast_to(as_value(step, dtype), (count,)), count)
    if is_dynamic(start) or start != 0:
        value = op.add(value, broadcast_to(as_value(start, dtype), (count,)))
    return Array(value, extents)


def counted(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """`np.arange` of floats that data makes, which is visited: NumPy counts before it fills."""
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    length = (stop - start) / step
    if math.isnan(length):
        raise ValueError("arange: cannot compute length")
    if abs(length) > 2.0**62:
        raise ValueError("Maximum allowed size exceeded")
    return spaced(start, stop, step, max(math.ceil(length), 0), dtype)


def spaced(start: Any, stop: Any, step: Any, count: Any, dtype: Any) -> Any:
    """`np.arange` of so many."""
    found = result_type(INT, start, stop, step) if dtype is None else as_dtype(dtype)
    return _spaced(start, step, count, found)


implements(spaced)(spaced)


def _ran(start: Any, stop: Any, step: Any, dtype: np.dtype) -> np.ndarray:
    try:
        return np.arange(start, stop, step, dtype)  # type: ignore[call-overload]
    except (OverflowError, TypeError) as error:
        raise OpError(str(error)) from None


def _multiples(position: Value, step: Value, count: int) -> Value:
    """position * step, rounded before it is added to anything."""
    return (k.rounded_product if count <= k.SMALL_INTS else op.multiply)(position, step)


def _first_and_step(start: Any, step: Any, dtype: np.dtype) -> tuple[Any, Any]:
    """NumPy fills by the difference of the first two elements, both rounded to the dtype."""
    if type(start) is int and type(step) is int and np.can_cast(np.int64, dtype):
        return start, step
    two = _ran(start, start + 2 * step, step, dtype)[:2]
    with np.errstate(over="ignore"):
        return as_array(two[0]), as_array(two[1] - two[0])


def _arange_count(start: Any, stop: Any, step: Any) -> Int:
    """How many elements there are; unknown ints are cancelled, bounded, or demanded."""
    numbers = [x for x in (start, stop, step) if isinstance(x, Array | Scalar)]
    if numbers and isinstance(step, int) and step and all(map(_is_int, (start, stop))):
        first, last = (as_index(x) if isinstance(x, Array) else x for x in (start, stop))
        length = minus(last, first) if step > 0 else minus(first, last)
        if isinstance(length, int):
            return max(0, -(-length // abs(step)))
        return ceil_divide(as_size(length, None), abs(step))
    if any(CLASSES[x.dtype] == "f" and not asked_for(x.value) for x in numbers):
        raise LeftToPython(counted, ("like", "device"))
    read = [_static_number(x) for x in (start, stop, step)]
    if read[2] == 0:
        raise OpError("arange: the step is zero")
    return max(0, math.ceil((read[1] - read[0]) / read[2]))


def _is_int(x: Any) -> bool:
    if isinstance(x, Array):
        return not x.shape and x.dtype.kind in "iu"
    return kind(x) is int


def _static_number(x: Any) -> float:
    if isinstance(x, Array | Scalar):
        return float(x) if CLASSES[x.dtype] == "f" and type(x) is Scalar else operator.index(x)
    return x


# Up to so many numbers between known ends are constants of the program.
TABULATED = 4096


def _too_few(num: Any) -> tuple[Any, ...]:
    return ValueError, "Number of samples, ", num, ", must be non-negative."


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    **ignored: Any,
) -> Any:
    """start + i * (stop - start) / (num - 1), the last exactly `stop`."""
    check_ignored(ignored)
    (count,), extents = as_sizes(num, _too_few)
    size = count if extents is None else extents[0]
    if extents is not None and (retstep or axis not in (0, -1)):
        raise OpError("linspace of a size known at run time gives the numbers along axis 0")
    known = type(start) in (int, float) and type(stop) in (int, float) and extents is None
    if known and count <= TABULATED:
        made: Any = np.linspace  # its overloads know literal options only
        found = made(start, stop, count, endpoint, retstep, dtype and as_dtype(dtype))
        return tuple(map(as_array, found)) if retstep else as_array(found)
    work = result_type(result_type(*_numbers(start, stop)), 1.0)
    first, last = broadcast(as_value(start, work), as_value(stop, work))
    divisor = larger(minus(size, 1) if endpoint else size, 1)
    delta = op.subtract(last, first)
    step = op.divide(delta, broadcast_to(cast(value_of(divisor), work), delta.type.shape))
    shape = (count, *first.type.shape)
    position = cast(iota(_part(work), shape, 0), work)
    value = _multiples(position, broadcast_to(step, shape), count)
    value = op.add(value, broadcast_to(first, shape))
    if endpoint and size != 1:
        at_end = k.eq(iota(INT, shape, 0), broadcast_to(_last(size), shape))
        value = op.select(at_end, broadcast_to(last, shape), value)
    found = work if dtype is None else as_dtype(dtype)
    if CLASSES[found] in "iu" and CLASSES[work] == "f":
        value = op.floor(value)
    if extents is not None:
        return Array(cast(value, found), (*extents, *[None] * (len(shape) - 1)))
    result = _move_first(cast(value, found), axis)
    if retstep:
        defined = (count - 1 if endpoint else count) > 0
        return result, Array(step if defined else k.like(step, math.nan))
    return result


def _last(size: Int) -> Value:
    """The last position of several, -1 where there is just one: that is `start`."""
    if isinstance(size, int):
        return splat(size - 1, INT, ())
    last = value_of(minus(size, 1))
    return cast(op.select(k.gt(last, k.like(last, 0)), last, k.like(last, -1)), INT)


def _numbers(*operands: Any) -> list[Any]:
    """Operands of result_type: lists as the arrays they are."""
    return [as_array(x) if isinstance(x, list | tuple) else x for x in operands]


def _part(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float64) if CLASSES[dtype] == "c" else dtype


def _move_first(x: Value, axis: int) -> Array:
    axis = normalize_axis(axis, x.type.ndim)
    if axis == 0:
        return Array(x)
    order = (*range(1, axis + 1), 0, *range(axis + 1, x.type.ndim))
    return Array(shapes.transpose(x, permutation=order))


# --- Diagonals and triangles ---------------------------------------------------------------------


def band(shape: Shape, offset: Any, direction: str) -> Value:
    """Where `column - row` compares so with the int `offset` in the last two dimensions."""
    ndim = len(shape)
    row, column = iota(INT, shape, ndim - 2), iota(INT, shape, ndim - 1)
    if isinstance(offset, Array | Scalar) and _is_int(offset) and not asked_for(offset.value):
        row = op.add(row, broadcast_to(as_value(offset, INT), shape))
    elif known := operator.index(offset):
        row = op.add(row, splat(known, INT, shape))
    return op.compare(column, row, direction=direction)


@implements(np.eye, rank0="array")
def eye(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C", **ignored: Any
) -> Array:
    check_ignored(ignored)
    shape, extents = as_sizes((N, N if M is None else M))
    return Array(cast(band(shape, k, "EQ"), as_dtype(dtype)), extents)


@implements(np.tri, rank0="array")
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **ignored: Any) -> Array:
    check_ignored(ignored)
    shape, extents = as_sizes((N, N if M is None else M), None)
    return Array(cast(band(shape, k, "LE"), as_dtype(dtype)), extents)


def _masked(m: Any, offset: Any, direction: str) -> Array:
    value = as_array(m).value
    if value.type.ndim < 1:
        raise OpError("a triangle needs an array of at least one dimension")
    if value.type.ndim == 1:
        value = broadcast_to(value, (value.type.shape[0],) * 2)
    mask = band(value.type.shape, offset, direction)
    return Array(op.select(mask, value, k.like(value, 0)))


@implements(np.tril)
def tril(m: Any, k: Any = 0) -> Array:
    return _masked(m, k, "LE")


@implements(np.triu)
def triu(m: Any, k: Any = 0) -> Array:
    return _masked(m, k, "GE")


@implements(np.diagflat, rank0="array")
def diagflat(v: Any, k: Any = 0) -> Array:
    value = as_array(v).value
    return diag(Array(shapes.reshape(value, shape=(value.type.size,))), k)


@implements(np.diag)
def diag(v: Any, k: Any = 0) -> Array:
    x, offset = as_array(v), operator.index(k)
    if x.ndim == 2:
        return diagonal(x, offset)
    if x.ndim != 1:
        raise OpError("Input must be 1- or 2-d.")
    size = x.shape[0] + abs(offset)
    low, high = (0, offset) if offset >= 0 else (-offset, 0)
    padded = shapes.pad(
        x.value,
        splat(0, x.dtype, ()),
        edge_padding_low=(low,),
        edge_padding_high=(high,),
        interior_padding=(0,),
    )
    rows = shapes.broadcast_in_dim(padded, shape=(size, size), broadcast_dimensions=(0,))
    return Array(op.select(band((size, size), offset, "EQ"), rows, _zeros(rows)))


def _zeros(x: Value) -> Value:
    return splat(0, x.type.dtype, x.type.shape)


def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Array:
    x, offset = as_array(a), operator.index(offset)
    if x.ndim < 2:
        raise OpError("diag requires an array of at least two dimensions")
    first, second = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    if first == second:
        raise OpError("axis1 and axis2 cannot be the same")
    rest = [axis for axis in range(x.ndim) if axis not in (first, second)]
    value = shapes.transpose(x.value, permutation=(*rest, first, second))
    return Array(_last_diagonal(value, offset))


def _last_diagonal(x: Value, offset: int) -> Value:
    """In row-major order the elements of a diagonal are `columns + 1` apart."""
    *head, rows, columns = x.type.shape
    top, left = max(-offset, 0), max(offset, 0)
    size = max(min(rows - top, columns - left), 0)
    if not size:
        return splat(0, x.type.dtype, (*head, 0))
    flat = shapes.reshape(x, shape=(*head, rows * columns))
    start = top * columns + left
    return shapes.slice(
        flat,
        start_indices=(*[0] * len(head), start),
        limit_indices=(*head, start + (size - 1) * (columns + 1) + 1),
        strides=(*[1] * len(head), columns + 1),
    )
