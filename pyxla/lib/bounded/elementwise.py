"""Library functions of arrays of bounded extent: strategies, and the elementwise ones.

An array of bounded extent is stored at its bound and means nothing past its true size.  The library
functions know nothing of that: a *strategy* prepares the operands of one of them so that what lies
past the true sizes does not matter, calls it, and says what is bounded in the result.

    strategy(function, *args, **kwargs)     as `function`, some of the operands being bounded

`strategy_of(function)` finds it; a function without one refuses bounded arrays.

Sizes that broadcast: NumPy lets a size of 1 meet any other.  Where nothing proves that two sizes
are equal or that neither is 1, the first element is selected in place of the array where its size
turns out to be 1.  Sizes that differ otherwise are an error in NumPy: that they do not is said
(`lib.meetings`), and the program checks it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.facts.integers import Int, smaller, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import creation, manipulation, numeric, selection
from pyxla.lib.builtins import abs_, complex_, divmod_, float_, int_, pow_, round_
from pyxla.lib.indexing import equal_sizes, fitted, not_one, take, true_size
from pyxla.lib.masks import positions, resized, within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import as_array, literal, normalize_axes
from pyxla.lib.operators import power_of_arrays, truth
from pyxla.lib.registry import implements
from pyxla.lib.ufuncs import KERNELS, UFUNCS
from pyxla.ops.elementwise import compare, select
from pyxla.ops.filled import spread
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Shape, reshaped
from pyxla.views.views import Extents

Function = Callable[..., Any]
STRATEGIES: dict[Function, Function] = {}

NOT_SUPPORTED = "an array whose size is known at run time only is not supported here"
REMEDY = "use fixed-size slices, a mask with np.where, or a reduction"


def strategy(*functions: Function) -> Callable[[Function], Function]:
    """Register how to call `functions` with operands of bounded extent."""

    def register(found: Function) -> Function:
        for function in functions:
            STRATEGIES[function] = found
        return found

    return register


def has_strategy(function: Function) -> bool:
    return (function.func if isinstance(function, functools.partial) else function) in STRATEGIES


def strategy_of(function: Function) -> Function:
    """A function that does what `function` does and takes operands of bounded extent."""
    maker = function.func if isinstance(function, functools.partial) else function
    found = STRATEGIES.get(maker)
    if found is None:
        return functools.partial(_refuse, function)
    return functools.partial(found, function)


def _refuse(function: Function, *args: Any, **kwargs: Any) -> Any:
    raise OpError(NOT_SUPPORTED)


def is_bounded(x: Any) -> bool:
    """Whether anything in nested containers is of bounded extent."""
    if type(x) is Array:
        return x.extents is not None
    if isinstance(x, list | tuple):
        return any(map(is_bounded, x))
    if isinstance(x, dict):
        return any(map(is_bounded, x.values()))
    return False


def plainly(function: Function, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)` where no operand may be left bounded."""
    if any(map(is_bounded, args)) or is_bounded(kwargs):
        raise OpError(NOT_SUPPORTED)
    return function(*args, **kwargs)


@functools.cache
def _signature(function: Function) -> inspect.Signature:
    return inspect.signature(function)


def named(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters."""
    return dict(_signature(function).bind(*args, **kwargs).arguments)


def extents_of(x: Array) -> tuple[Scalar | None, ...]:
    return x.extents or (None,) * x.ndim


def bounded(value: Value, extents: Sequence[Scalar | None]) -> Array:
    """An Array, of bounded extent where `extents` says so."""
    assert len(extents) == value.type.ndim
    return Array(value, tuple(extents) if any(e is not None for e in extents) else None)


def sized(value: Value, sizes: Sequence[Int]) -> Array:
    """An Array of the sizes `sizes`: `value` is cut where one is known, and bounded where none is.

    Sizes that data decides can cancel in a sum, so that it is known, or less than the bound.
    """
    bounds = [n if isinstance(n, int) else extent.upper(n) for n in sizes]
    shape = [m if n is None else min(n, m) for n, m in zip(bounds, value.type.shape, strict=True)]
    return bounded(resized(value, shape), [n if isinstance(n, Scalar) else None for n in sizes])


def sizes(x: Array) -> list[Int]:
    return [true_size(x, d) for d in range(x.ndim)]


# --- Sizes ---------------------------------------------------------------------------------------


def _both(x: Int, y: Int, bound_x: int, bound_y: int) -> tuple[Int, int]:
    """The size that x and y broadcast to, and its bound."""
    if isinstance(x, int) or isinstance(y, int):
        if isinstance(x, int) and isinstance(y, int) and x != y:
            message = f"operands could not be broadcast together: sizes {x} and {y}"
            raise OpError(message, ValueError)
        meet(x, y, single=True)
        return (x, bound_x) if isinstance(x, int) else (y, bound_y)
    if not equal_sizes(x, y):
        meet(x, y, single=True)
    if equal_sizes(x, y) or (not_one(x) and not_one(y)):
        return x, min(bound_x, bound_y)
    if not_one(x):
        return x, bound_x
    if not_one(y):
        return y, bound_y
    single = compare(x.value, value_of(1), direction="EQ")
    bound = max(bound_x, bound_y)
    return Scalar(select(single, y.value, x.value), IntFact(0, bound)), bound


def common(operands: Sequence[tuple[Int, int]]) -> tuple[Int, int]:
    """The size and bound of a dimension that operands of these sizes and bounds broadcast to."""
    found: tuple[Int, int] | None = None
    for size, bound in operands:
        if isinstance(size, int) and size == 1:
            continue
        found = (size, bound) if found is None else _both(found[0], size, found[1], bound)
    return found or (1, 1)


def aligned(xs: Sequence[Array]) -> tuple[list[Array], Shape, Extents]:
    """Operands that broadcast with each other, none bounded; the common shape and its extents."""
    ndim = max(x.ndim for x in xs)
    values = [x.value for x in xs]
    shape: list[int] = []
    extents: list[Scalar | None] = []
    for d in range(ndim):
        axes = [d - ndim + x.ndim for x in xs]
        present = [(i, axis) for i, axis in enumerate(axes) if axis >= 0]
        size, bound = common([(true_size(xs[i], a), xs[i].shape[a]) for i, a in present])
        for i, axis in present:
            values[i] = fitted(values[i], axis, true_size(xs[i], axis), size, bound)
        shape.append(bound)
        extents.append(size if isinstance(size, Scalar) else None)
    return [Array(v) for v in values], tuple(shape), tuple(extents)


def resized_to(x: Array, axis: int, bound: int) -> Array:
    """`x` with another bound along `axis`."""
    target = tuple([bound if d == axis else n for d, n in enumerate(x.shape)])
    return Array(resized(x.value, target), x.extents)


def filled(x: Array, axes: Sequence[int], number: Any) -> Array:
    """`x` with `number` past its extents along `axes`, which are then full."""
    own = extents_of(x)
    inside = within(Array(x.value, tuple([e if d in axes else None for d, e in enumerate(own)])))
    kept = tuple([None if d in axes else e for d, e in enumerate(own)])
    if inside is None:
        return x
    other = spread(literal(number, x.dtype), x.shape)
    return bounded(select(inside, x.value, other), kept)


def flattened(x: Array) -> Array:
    """`x` as one dimension, in order: packed where elements past an extent lie between others."""
    own = extents_of(x)
    if x.ndim == 1:
        return x
    value = reshaped(x.value, (x.size,))
    if all(e is None for e in own[1:]):
        size = times(true_size(x, 0), x.size // x.shape[0] if x.size else 0) if x.shape else 1
        return sized(value, (size,))
    inside = within(x)
    assert inside is not None
    places = positions(Array(reshaped(inside, (x.size,))))
    return take(Array(value), places, 0, wrap=False)


# --- Element by element --------------------------------------------------------------------------


def _like_operand(x: Any) -> Any:
    """An operand as an Array where it is one or nested lists of numbers."""
    if isinstance(x, list | tuple | np.ndarray) and not is_bounded(x):
        return as_array(list(x) if isinstance(x, tuple) else x)
    return x


def elementwise(function: Function, *args: Any, **kwargs: Any) -> Any:
    """All positional operands broadcast together."""
    return _elementwise(function, list(range(len(args))), args, kwargs)


def first_operand(function: Function, *args: Any, **kwargs: Any) -> Any:
    """The first operand alone is an array."""
    if not args:
        raise OpError(NOT_SUPPORTED)
    return _elementwise(function, [0], args, kwargs)


def _elementwise(
    function: Function, which: Sequence[int], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    operands = list(args)
    for i in which:
        operands[i] = _like_operand(operands[i])
    places = [i for i in which if type(operands[i]) is Array and operands[i].shape]
    found, shape, extents = aligned([operands[i] for i in places])
    for i, x in zip(places, found, strict=True):
        operands[i] = x
    return with_extents(plainly(function, *operands, **kwargs), shape, extents)


def with_extents(result: Any, shape: Shape, extents: Extents) -> Any:
    """What a function made of full arrays as of bounded ones."""
    if isinstance(result, tuple):
        return tuple([with_extents(x, shape, extents) for x in result])
    if type(result) is not Array or result.shape != shape:
        raise OpError(NOT_SUPPORTED)
    return bounded(result.value, extents or (None,) * len(shape))


strategy(*UFUNCS.values(), *OPERATORS.values(), power_of_arrays, abs_, round_, divmod_, pow_)(
    elementwise
)


def ufunc_outer(ufunc: np.ufunc, A: Any, B: Any, **options: Any) -> Any:
    """All pairs: the first operand gets an extent of 1 for every dimension of the second."""
    x, y = as_array(A), as_array(B)
    ones = (1,) * y.ndim
    column = bounded(reshaped(x.value, x.shape + ones), extents_of(x) + (None,) * y.ndim)
    pair = (column, y)  # Python's numbers are as arrays here
    function = strategy_of(UFUNCS[ufunc]) if is_bounded(pair) else UFUNCS[ufunc]
    return function(*pair, **options)


for _ufunc in KERNELS:
    if _ufunc.nin == 2:
        implements(_ufunc.outer, bounded=True)(functools.partial(ufunc_outer, _ufunc))

strategy(
    *(numeric.round, numeric.sinc, numeric.i0),
    *(manipulation.astype, manipulation.real, manipulation.imag),
    *(manipulation.conjugate, creation.array, creation.asarray, creation.ascontiguousarray),
    *(creation.copy, creation.ndarray_copy, creation.zeros_like, creation.ones_like),
    *(creation.full_like, creation.tril, creation.triu),
)(first_operand)


@strategy(selection.clip)
def _clip(function: Function, *args: Any, **kwargs: Any) -> Any:
    call = named(function, args, kwargs)
    low, high = call.get("min", call.get("a_min")), call.get("max", call.get("a_max"))
    return elementwise(function, call["a"], low, high, call.get("out"), dtype=call.get("dtype"))


_OF_NONE = (
    "The truth value of an empty array is ambiguous. "
    "Use `array.size > 0` to check that an array is not empty."
)
_OF_SEVERAL = (
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
)


@strategy(int_, float_, complex_, truth)
def _one_element(function: Function, x: Array, *args: Any) -> Any:
    """A Python scalar: of an array that has one element, else the program is in error."""
    if not x.size:
        raise OpError(NOT_SUPPORTED)
    if function is truth:
        meet(smaller(size(x), 1), 1, ValueError, _OF_NONE)
        meet(size(x), 1, ValueError, _OF_SEVERAL)
    start = (0,) * x.ndim
    first = slice_(x.value, start_indices=start, limit_indices=(1,) * x.ndim)
    return plainly(function, Array(first), *args)


@implements(np.shape, bounded=True)
def shape(a: Any) -> tuple[Int, ...]:
    return tuple(sizes(as_array(a)))


@implements(np.size, bounded=True)
def size(a: Any, axis: Any = None) -> Int:
    x = as_array(a)
    total: Int = 1
    for d in normalize_axes(axis, x.ndim):
        total = times(total, true_size(x, d))
    return total


@implements(np.ndim, bounded=True)
def ndim(a: Any) -> int:
    return as_array(a).ndim
