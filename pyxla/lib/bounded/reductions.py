"""Reductions of arrays of bounded extent: what lies past the true size becomes neutral.

    sum, prod, any, ...     the identity is filled in
    max, argmax, ...        the least element is
    mean, var, std          as with `where=`, so that the true elements are counted
    nansum, nanmax, ...     NaN is filled in, which they ignore

Where the array is computed element by element from arrays packed by one mask (`x[mask]`), it is not
packed at all: the mask decides what takes part (`masks.unpacked`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, as_dtype
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import OpError
from pyxla.lib import builtins, linalg
from pyxla.lib import reductions as r
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    aligned,
    bounded,
    extents_of,
    filled,
    is_bounded,
    named,
    plainly,
    sizes,
    strategy,
    strategy_of,
)
from pyxla.lib.indexing import true_size
from pyxla.lib.masks import same, unpacked, within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import (
    BOOL,
    FLOAT,
    INT,
    Shape,
    as_array,
    as_value,
    broadcast_to,
    cast,
    literal,
    normalize_axis,
)
from pyxla.lib.prefixes import by_size
from pyxla.lib.registry import LeftToPython, implements
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread
from pyxla.ops.reduce import reduce_window
from pyxla.ops.shape import broadcast_in_dim, reshape
from pyxla.ops.shape import slice as slice_

Call = dict[str, Any]


def operand_of(call: Call) -> tuple[str, Array]:
    """The first argument by name and value."""
    name = next(iter(call))
    return name, as_array(call[name])


def _unpacked(x: Array, axes: Shape) -> tuple[Value, Value] | None:
    """The elements of `x`, packed along a reduced dimension 0, before packing; and the mask."""
    size = extents_of(x)[0] if 0 in axes and x.shape else None
    packed = unpacked(x.value) if size is not None else None
    return packed if packed is not None and _counts(size, packed[1]) else None


def with_mask(x: Array, axes: Shape, unpack: bool = True) -> tuple[Array, Value | None]:
    """`x`, full along `axes`, and which of its elements are real (None: all)."""
    own = extents_of(x)
    packed = _unpacked(x, axes) if unpack else None
    if packed is not None:
        x, own = Array(packed[0]), (None, *own[1:])
    mask = within(Array(x.value, tuple([e if d in axes else None for d, e in enumerate(own)])))
    if packed is not None:
        chosen = broadcast_in_dim(packed[1], shape=x.shape, broadcast_dimensions=(0,))
        mask = chosen if mask is None else op.and_(chosen, mask)
    kept = tuple([None if d in axes else e for d, e in enumerate(own)])
    return bounded(x.value, kept), mask


def _counts(size: Scalar, mask: Value) -> bool:
    """Whether `size` is computed as the number of true elements of a flattened mask."""
    value = size.value
    while isinstance(value.owner, Instr) and value.owner.op in _COUNTING:
        value = value.owner.operands[0]
        if value.type.dtype == BOOL:
            return value.type.shape == mask.type.shape and same(value, mask)
    return False


_COUNTING = frozenset({op.convert, reshape, slice_, reduce_window})


def taken(x: Array, axes: Shape, number: Any, unpack: bool = True) -> Array:
    """`x` with `number` in place of what is not real along `axes`."""
    found, mask = with_mask(x, axes, unpack)
    if mask is None:
        return found
    other = spread(literal(number, x.dtype), found.shape)
    return Array(op.select(mask, found.value, other), found.extents)


def _axes_of(call: Call, ndim: int) -> Shape:
    return r.reduced_axes(call.get("axis"), ndim)


def reduced(result: Any, x: Array, axes: Shape, keepdims: bool) -> Array:
    """The result of reducing `x`, bounded where the dimensions it keeps are."""
    own = extents_of(x)
    kept = [None if d in axes else e for d, e in enumerate(own) if keepdims or d not in axes]
    if type(result) is not Array or result.ndim != len(kept):
        raise OpError(NOT_SUPPORTED)
    return bounded(result.value, kept)


def _run(function: Function, call: Call, x: Array, axes: Shape, whole: Array) -> Array:
    """`function` of `x` in the place of the first argument, which was `whole`."""
    name, _ = operand_of(call)
    options = {k: v for k, v in call.items() if k != name}
    options.update(options.pop("options", {}))
    result = plainly(function, Array(x.value), **options)
    return reduced(result, whole, axes, bool(call.get("keepdims")))


def filling(neutral: Callable[[np.dtype], Any]) -> Function:
    """The strategy of a reduction that `neutral(dtype)` does not change."""

    def call(function: Function, *args: Any, **kwargs: Any) -> Array:
        given = named(function, args, kwargs)
        x, given = _with_where(*operand_of(given), given)
        axes = _axes_of(given, x.ndim)

        plain = given.get("where", True) is True

        def compute(x: Array) -> Array:
            return _run(function, given, taken(x, axes, neutral(x.dtype), plain), axes, x)

        return _by_size(x, axes, compute) if plain else compute(x)

    return call


def _by_size(x: Array, axes: Shape, compute: Callable[[Array], Array]) -> Array:
    """`compute(x)`, a reduction along `axes`, for the smallest bound that will do."""
    dynamic = [d for d in axes if extents_of(x)[d] is not None]
    if len(dynamic) != 1 or _unpacked(x, axes) is not None:
        return compute(x)
    return by_size((x,), dynamic, extents_of(x)[dynamic[0]], compute)


def _with_where(name: str, x: Array, given: Call) -> tuple[Array, Call]:
    """The operand and `where=` of one shape."""
    mask = given.get("where", True)
    if mask is True or mask is None:
        return x, given
    found, _, extents = aligned([x, as_array(mask)])
    x = bounded(broadcast_to(found[0].value, _largest(found)), extents or ())
    return x, {**given, name: x, "where": found[1]}


def _largest(xs: list[Array]) -> Shape:
    return tuple([max(ns) for ns in zip(*[x.shape for x in xs], strict=True)])


strategy(r.sum, r.count_nonzero, r.any)(filling(lambda dtype: 0))
strategy(r.prod, r.all)(filling(lambda dtype: 1))
strategy(r.max)(filling(r.lowest))
strategy(r.min)(filling(r.highest))


@implements(np.ptp, bounded=True)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    ends = [strategy_of(f)(as_array(a), axis, keepdims=keepdims) for f in (r.max, r.min)]
    minus = OPERATORS["sub"]
    return (strategy_of(minus) if is_bounded(ends) else minus)(*ends)


# --- Means ---------------------------------------------------------------------------------------


def true_count(x: Array, axes: Shape) -> Int:
    """How many elements are real along `axes`."""
    count: Int = 1
    for axis in axes:
        count = times(count, true_size(x, axis))
    return count


@strategy(r.mean)
def _mean(function: Function, *args: Any, **kwargs: Any) -> Array:
    given = named(function, args, kwargs)
    _, x = operand_of(given)
    axes = _axes_of(given, x.ndim)
    if given.get("where", True) is not True or _unpacked(x, axes) is not None:
        return _masking(function, *args, **kwargs)
    return _by_size(x, axes, functools.partial(_mean_of, given, axes))


def _mean_of(given: Call, axes: Shape, x: Array) -> Array:
    found = filled(x, axes, 0)
    asked, dtype = given.get("dtype"), x.dtype
    result = as_dtype(asked) if asked is not None else dtype
    if asked is None and CLASSES[dtype] in "biu":
        result = FLOAT
    work = r.FLOAT32 if result in r.NARROW else result
    total = r.sum(Array(found.value), axes, work, given.get("out"), bool(given.get("keepdims")))
    count = op.convert(value_of(true_count(x, axes)), dtype=work, weak=False)
    mean = op.divide(total.value, spread(count, total.shape))
    return reduced(Array(cast(mean, result)), x, axes, bool(given.get("keepdims")))


@strategy(r.average)
def _average(
    function: Function, a: Any, axis: Any = None, weights: Any = None, returned: bool = False,
    *, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Past the true size, weights are 0 and so is what they weigh."""
    x = as_array(a)
    axes = r.reduced_axes(axis, x.ndim)
    if weights is None:
        if returned:
            raise OpError(NOT_SUPPORTED)
        return strategy_of(r.mean)(x, axis, keepdims=keepdims)
    w = as_array(weights)
    places = list(range(x.ndim) if w.ndim == x.ndim else axes)
    if w.ndim != len(places) or places != sorted(places):
        raise OpError(NOT_SUPPORTED)
    wrong = (TypeError, _NO_AXIS) if axis is None else (ValueError, _INCONSISTENT)
    for i, d in enumerate(places):
        meet(true_size(x, d), true_size(w, i), *wrong)
    shape = tuple([w.shape[places.index(d)] if d in places else 1 for d in range(x.ndim)])
    extents = [extents_of(w)[places.index(d)] if d in places else None for d in range(x.ndim)]
    along = bounded(reshape(w.value, shape=shape), extents)
    found, common, own = aligned([x, along])
    whole = [bounded(broadcast_to(f.value, common), own) for f in found]
    values, factors = [Array(filled(f, axes, 0).value) for f in whole]
    result = function(values, axes, factors, returned, keepdims=keepdims)
    if returned:
        return tuple([reduced(part, whole[0], axes, keepdims) for part in result])
    return reduced(result, whole[0], axes, keepdims)


_NO_AXIS = "Axis must be specified when shapes of a and weights differ."
_INCONSISTENT = "Shape of weights must be consistent with shape of a along specified axis."


@strategy(r.var, r.std)
def _masking(function: Function, *args: Any, **kwargs: Any) -> Array:
    """Reductions that count: real elements are those where `where=` says so."""
    given = named(function, args, kwargs)
    x, given = _with_where(*operand_of(given), given)
    axes = _axes_of(given, x.ndim)
    asked = given.get("where", True)
    found, mask = with_mask(x, axes, asked is True)
    if is_bounded(given.get("mean")):
        given["mean"] = Array(given["mean"].value)
    if mask is not None:
        if asked is not True:
            mask = op.and_(mask, broadcast_to(as_value(asked, BOOL), found.shape))
        given = {**given, "where": Array(mask)}
    return _run(function, given, found, axes, x)


# --- Ignoring NaN --------------------------------------------------------------------------------


def _ignoring_nan(plain: Function, otherwise: Function) -> None:
    """`plain`, which ignores NaN, of floats; else the function that NaN does not matter to."""
    ignoring = filling(lambda dtype: math.nan)

    def call(function: Function, a: Any, *args: Any, **kwargs: Any) -> Array:
        x = as_array(a)
        if CLASSES[x.dtype] in "fc":
            return ignoring(function, x, *args, **kwargs)
        return strategy_of(otherwise)(x, *args, **kwargs)

    strategy(plain)(call)


for _plain, _otherwise in (
    *((r.nansum, r.sum), (r.nanprod, r.prod), (r.nanmax, r.max), (r.nanmin, r.min)),
    *((r.nanmean, r.mean), (r.nanvar, r.var), (r.nanstd, r.std)),
):
    _ignoring_nan(_plain, _otherwise)


# --- Positions -----------------------------------------------------------------------------------


def _positional(neutral: Callable[[np.dtype], Any]) -> Function:
    def call(function: Function, *args: Any, **kwargs: Any) -> Array:
        given = named(function, args, kwargs)
        name, x = operand_of(given)
        axis = given.get("axis")
        axes = tuple(range(x.ndim)) if axis is None else (normalize_axis(axis, x.ndim),)
        result = _run(function, given, filled(x, axes, neutral(x.dtype)), axes, x)
        if axis is None and x.ndim > 1:
            return Array(_renumbered(result.value, x))
        return result

    return call


def _renumbered(flat: Value, x: Array) -> Value:
    """A position in the elements that are stored as one among those that are real."""
    strides: list[Int] = [1]
    for n in reversed(sizes(x)[1:]):
        strides.insert(0, times(strides[0], n))
    total = None
    for d in reversed(range(x.ndim)):
        size = spread(literal(max(x.shape[d], 1), INT), flat.type.shape)
        step = spread(cast(value_of(strides[d]), INT), flat.type.shape)
        term = op.multiply(op.remainder(flat, size), step)
        total = term if total is None else op.add(total, term)
        flat = op.divide(flat, size)
    return total


strategy(r.argmax)(_positional(r.lowest))
strategy(r.argmin)(_positional(r.highest))


@strategy(r.nanargmax, r.nanargmin)
def _nan_positional(function: Function, a: Any, axis: Any = None, *args: Any, **kwargs: Any):
    largest = function is r.nanargmax
    plain, neutral = (r.argmax, r.lowest) if largest else (r.argmin, r.highest)
    x = as_array(a)
    x = Array(r.without_nan(x, neutral(x.dtype)).value, x.extents)
    return _positional(neutral)(plain, x, axis, *args, **kwargs)


# --- Norms ---------------------------------------------------------------------------------------


@strategy(linalg.norm)
def _norm(
    function: Function, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Array:
    array = as_array(x)
    axes = r.reduced_axes(axis, array.ndim)
    one = len(axes) == 1
    if not (ord in (None, 2, 1, 0, np.inf) if one else ord in (None, "fro", "f", 1, np.inf)):
        if not (one and isinstance(ord, int | float) and ord > 0):
            raise LeftToPython
    if ord is None and axis is None:
        one = True
    found = taken(array, axes, 0)
    result = function(Array(found.value), ord, axis, keepdims)
    return reduced(result, array, axes, keepdims)


# --- Builtins ------------------------------------------------------------------------------------


def _first_axis(neutral: Callable[[np.dtype], Any]) -> Function:
    """A builtin that goes through an array along its first axis."""

    def call(function: Function, *args: Any, **kwargs: Any) -> Any:
        if not args or type(args[0]) is not Array or not args[0].shape:
            raise OpError(NOT_SUPPORTED)
        x = args[0]
        found = taken(x, (0,), neutral(x.dtype))
        result = plainly(function, Array(found.value), *args[1:], **kwargs)
        if type(result) is Array:
            result = reduced(result, x, (0,), False)
        return result

    return call


strategy(builtins.sum_, builtins.any_)(_first_axis(lambda dtype: 0))
strategy(builtins.all_)(_first_axis(lambda dtype: 1))


@strategy(builtins.min_, builtins.max_)
def _builtin_extremum(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Of one array; the first element is not filled, since a NaN there is the result."""
    if len(args) != 1 or type(args[0]) is not Array or args[0].ndim != 1 or kwargs:
        raise OpError(NOT_SUPPORTED)
    neutral = r.highest if function is builtins.min_ else r.lowest
    x = args[0]
    found = filled(x, (0,), neutral(x.dtype))
    return plainly(function, Array(found.value))
