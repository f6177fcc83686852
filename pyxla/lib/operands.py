"""Operands of library functions as values: constants, casts, broadcasting, axes.

Library functions take `Array`, `Scalar` and Python numbers; ops take `Value`s that agree in dtype
and shape.  What leads from the one to the other is here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.exceptions import AxisError

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import BOOL as BOOL
from pyxla.abstract.promote import CLASSES, INT32, as_dtype, kind, supported
from pyxla.abstract.promote import FLOAT as FLOAT
from pyxla.abstract.promote import INT as INT
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib import runs
from pyxla.lib.masks import listed
from pyxla.ops.elementwise import abs as abs_
from pyxla.ops.elementwise import (
    bitcast_convert,
    compare,
    convert,
    or_,
    real,
    select,
    subtract,
    xor,
)
from pyxla.ops.filled import spread
from pyxla.ops.scope import slope_of
from pyxla.ops.shape import broadcast_in_dim, constant, reshape

Shape = tuple[int, ...]
FLOAT32 = np.dtype(np.float32)
PYTHON_NUMBERS = frozenset((bool, int, float, complex))


def is_short_int(dtype: np.dtype) -> bool:
    """Whether not all of Python's ints (of 64 bits here) are numbers of the integer `dtype`."""
    return dtype.kind in "iu" and dtype != INT


def literal(number: Any, dtype: np.dtype, weak: bool = False) -> Value:
    """A constant of rank 0; OpError where an int does not fit `dtype`."""
    try:
        data = np.array(number, dtype)
    except OverflowError:
        if isinstance(number, int):
            raise OpError(f"the Python int {number} does not fit {dtype}") from None
        data = np.array(number).astype(dtype)
    except TypeError as error:
        raise OpError(str(error)) from None
    return constant(value=data, weak=weak)


def splat(number: Any, dtype: np.dtype, shape: Shape) -> Value:
    """An array of `shape` full of one number."""
    return spread(literal(number, dtype), shape)


def like(x: Value, number: Any) -> Value:
    """`number` as an array of `x`'s type (weak where `x` is)."""
    return spread(literal(number, x.type.dtype, x.type.weak), x.type.shape)


def cast(x: Value, dtype: np.dtype) -> Value:
    """`x.astype(dtype)` as NumPy does it; strong.  Complex numbers lose their imaginary parts."""
    source = x.type.dtype
    if source is dtype or source == dtype:
        return convert(x, dtype=dtype, weak=False) if x.type.weak else x
    if CLASSES[source] == "c" and CLASSES[dtype] != "c":
        if dtype == BOOL:
            return compare(x, like(x, 0), direction="NE")
        x = real(x)
        if x.type.dtype == dtype:
            return x
    if CLASSES[dtype] in "iu" and CLASSES[x.type.dtype] == "f":
        return _truncated(x, dtype)
    if source == FLOAT and dtype == np.float16:
        x = _to_odd(x)
    elif source == FLOAT and dtype.itemsize == 1 and CLASSES[dtype] == "f":
        x = convert(x, dtype=FLOAT32)  # as ml_dtypes does
    if dtype.name.endswith("fnuz") and CLASSES[x.type.dtype] == "f":
        # It has no -0.0, and XLA makes NaN of what rounds to that.
        least = float(ml_dtypes.finfo(dtype).smallest_subnormal) / 2
        tiny = compare(abs_(x), like(x, least), direction="LE")
        x = slope_of(select(tiny, like(x, 0), x), x)
    return convert(x, dtype=dtype, weak=False)


def _to_odd(x: Value) -> Value:
    """A double as a float32, through which XLA goes, that rounds to the float16 that the double
    rounds to: odd where bits are lost.

    Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    near = convert(x, dtype=FLOAT32)
    back = convert(near, dtype=FLOAT)
    bits = bitcast_convert(near, dtype=INT32)
    above = convert(compare(abs_(back), abs_(x), direction="GT"), dtype=INT32)
    lost = convert(compare(back, x, direction="NE"), dtype=INT32)
    odd = bitcast_convert(or_(subtract(bits, above), lost), dtype=FLOAT32)
    return slope_of(odd, near)


def _truncated(x: Value, dtype: np.dtype) -> Value:
    """A float that does not fit a signed integer, and NaN, are the least of 32 or 64 bits, of which
    shorter ones keep the last bits, as C's casts do on x86; XLA's would saturate.

    Unsigned ones of 64 bits are made of two halves, each as a signed one.
    """
    if x.type.dtype.itemsize < 4:
        x = convert(x, dtype=FLOAT32)
    unsigned = CLASSES[dtype] == "u"
    if unsigned and dtype.itemsize == 8:
        half = like(x, 2.0**63)
        low = convert(_truncated(x, INT), dtype=dtype, weak=False)
        high = convert(_truncated(subtract(x, half), INT), dtype=dtype, weak=False)
        above = compare(x, half, direction="GE")
        return select(above, xor(high, like(high, 2**63)), low)
    wide = INT if dtype.itemsize == 8 or (unsigned and dtype.itemsize == 4) else INT32
    made = convert(x, dtype=wide, weak=False)
    fits = compare(x, like(x, 2.0 ** (8 * wide.itemsize - 1)), direction="LT")
    made = select(fits, made, like(made, np.iinfo(wide).min))
    return convert(made, dtype=dtype, weak=False)


def as_value(x: Any, dtype: np.dtype) -> Value:
    """An operand as a strong value of `dtype`."""
    cls = type(x)
    if cls is Array:
        value = x.value
        return value if value.type.dtype is dtype else cast(value, dtype)
    if cls is Scalar:
        return cast(x.value, dtype)
    if cls in PYTHON_NUMBERS:
        return literal(x, dtype)
    return as_array(x, dtype).value


def as_array(x: Any, dtype: Any = None) -> Array:
    """`np.asarray(x, dtype)` of an operand or of nested lists of operands."""
    if type(x) is Array and dtype is None:
        return x
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(x, Array):
        return Array(cast(x.value, dtype), x.extents)
    if isinstance(x, Scalar):
        return Array(cast(x.value, dtype or x.value.type.dtype))
    if isinstance(x, (list, tuple, range)):
        return Array(_from_nested(x, dtype))
    return Array(constant(value=_known(x, dtype)))


def _known(x: Any, dtype: np.dtype | None) -> np.ndarray:
    """`np.asarray(x, dtype)` of what is known while compiling."""
    try:
        data = np.asarray(x, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise OpError(str(error)) from None
    return data.astype(supported(data.dtype), copy=False)


def is_dynamic(x: Any) -> bool:
    """Whether anything in nested containers is known at run time only."""
    if isinstance(x, (list, tuple)):
        return any(is_dynamic(item) for item in x)
    return isinstance(x, (Array, Scalar))


def _from_nested(x: Any, dtype: np.dtype | None) -> Value:
    if not is_dynamic(x):
        return constant(value=_known(x, dtype))
    if dtype is None:
        dtype = supported(np.result_type(*set(_leaf_dtypes(x))))
    shape = _nested_shape(x)
    if any(isinstance(leaf, Array) and leaf.extents is not None for leaf in _leaves(x)):
        raise OpError("a list of arrays whose sizes are known at run time only has no shape")
    leaves = [as_value(leaf, dtype) for leaf in _leaves(x)]
    pieces = [reshape(v, shape=(1,)) if not v.type.shape else v for v in leaves]
    flat = [v if v.type.ndim == 1 else reshape(v, shape=(v.type.size,)) for v in pieces]
    joined = flat[0] if len(flat) == 1 else runs.concatenate(*flat, dimension=0)
    return joined if joined.type.shape == shape else reshape(joined, shape=shape)


def _leaves(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in _leaves(item)]
    return [x]


def _leaf_dtypes(x: Any) -> list[np.dtype]:
    """In a list a Python number counts as the array it would be alone (it is not weak there)."""
    kinds = [kind(leaf) for leaf in _leaves(x)]
    return [PYTHON_DTYPES[k] if isinstance(k, type) else k for k in kinds]


def _nested_shape(x: Any) -> Shape:
    if not isinstance(x, (list, tuple)):
        return np.shape(x) if not isinstance(x, (Array, Scalar)) else x.shape
    shapes = {_nested_shape(item) for item in x}
    if len(shapes) > 1:
        raise OpError(f"the items of a list differ in shape: {sorted(shapes)}")
    return (len(x), *(shapes.pop() if shapes else ()))


def weak(x: Value, python: type) -> Scalar:
    """A value of rank 0 as a Python scalar of type `python`."""
    dtype = PYTHON_DTYPES[python]
    if x.type.weak and x.type.dtype == dtype:
        return Scalar(x)
    return Scalar(convert(x, dtype=dtype, weak=True))


def broadcast_to(x: Value, shape: Shape) -> Value:
    """`x` repeated along leading dimensions and those of extent 1."""
    source = x.type.shape
    if source == shape:
        return x
    offset = len(shape) - len(source)
    if offset < 0 or any(n not in (1, m) for n, m in zip(source, shape[offset:], strict=True)):
        raise OpError(f"an array of shape {source} does not broadcast to {shape}")
    dimensions = tuple(range(offset, len(shape)))
    return broadcast_in_dim(x, shape=shape, broadcast_dimensions=dimensions)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that `shapes` broadcast to; OpError where they do not."""
    result = shapes[0]
    for shape in shapes[1:]:
        if shape == result or not shape:
            continue
        if not result:
            result = shape
            continue
        short, long = sorted((result, shape), key=len)
        head = len(long) - len(short)
        merged = list(long)
        for axis, n in enumerate(short, head):
            if merged[axis] == 1:
                merged[axis] = n
            elif n not in (1, merged[axis]):
                words = "operands could not be broadcast together with shapes "
                exact = words + "".join([f"{shown(s)} " for s in shapes])
                raise OpError(words + " ".join(map(str, shapes)), ValueError, exact)
        result = tuple(merged)
    return result


def shown(shape: Sequence[int]) -> str:
    """A shape as NumPy's messages have it; they leave out unknown extents (-1) at its beginning."""
    extents = ["newaxis" if n < 0 else str(n) for n in shape]
    known = next((i for i, n in enumerate(shape) if n >= 0), len(extents))
    return f"({','.join(extents[known:])}{',' if len(extents) == 1 > known else ''})"


def broadcast(*values: Value) -> tuple[Value, ...]:
    """All values at the shape they broadcast to."""
    first = values[0].type.shape
    for value in values:
        if value.type.shape != first:
            shape = broadcast_shapes(*[v.type.shape for v in values])
            return tuple([broadcast_to(v, shape) for v in values])
    return values


def normalize_axis(axis: Any, ndim: int, raises: type[Exception] = AxisError) -> int:
    """`axis` counted from 0; a dynamic one becomes static; `raises` is NumPy's where it is none."""
    index = operator.index(axis)
    if not -ndim <= index < ndim:
        raise OpError(f"axis {index} is out of bounds for array of dimension {ndim}", raises)
    return index % ndim


def normalize_axes(axis: Any, ndim: int) -> Shape:
    """None for all axes, an int, or a tuple of them, as a tuple counted from 0."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, (tuple, list, range)):
        axes = tuple([normalize_axis(a, ndim) for a in axis])
        if len(set(axes)) != len(axes):
            raise OpError(f"duplicate value in axis {axis}")
        return axes
    return (normalize_axis(axis, ndim),)


def as_shape(shape: Any) -> Shape:
    """A shape given as an int or a sequence of ints; dynamic ones become static."""
    shape = listed(shape)
    if isinstance(shape, Sequence):
        return tuple([_extent(n) for n in shape])
    if isinstance(shape, Array) and shape.ndim == 1:
        raise OpError("a shape must be known while compiling, not an array")
    return (_extent(shape),)


def _extent(n: Any) -> int:
    extent = operator.index(n)
    if extent < 0:
        raise OpError(f"negative dimensions are not allowed: {extent}", ValueError)
    return extent


_MODE = np._CopyMode  # type: ignore[attr-defined]
_MODES: dict[Any, bool | None] = {_MODE.ALWAYS: True, _MODE.IF_NEEDED: None, _MODE.NEVER: False}


def copy_mode(copy: Any) -> bool | None:
    """Whether to copy, None where that is needed: NumPy has names of its own for these."""
    return _MODES[copy] if isinstance(copy, _MODE) else copy


def check_options(function: Callable[..., Any], *args: Any, **options: Any) -> None:
    """What NumPy says of options that make no difference here: every sort is a stable one."""
    try:
        function(np.zeros(1), *args, **options)
    except (TypeError, ValueError) as error:
        raise OpError(str(error), type(error)) from None
