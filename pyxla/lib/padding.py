"""`np.pad`, in all its modes but `empty` (which is zeros)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.infer.lattice import Array
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import quantiles, reductions
from pyxla.lib.creation import linspace
from pyxla.lib.manipulation import cut, reshaped, take_static
from pyxla.lib.operands import as_array, as_value, broadcast_to, cast, literal
from pyxla.lib.registry import implements
from pyxla.ops import shape as shapes
from pyxla.ops.elementwise import round_nearest_even

Widths = list[tuple[Any, Any]]


def pairs(x: Any, ndim: int, convert: Callable[[Any], Any]) -> Widths:
    """One number, one pair, or a pair per axis, as a pair per axis: NumPy says what fits."""
    given: list[Any] = []

    def places(part: Any) -> Any:
        if isinstance(part, list | tuple):
            return [places(item) for item in part]
        given.append(part)
        return len(given) - 1

    try:
        found = np.broadcast_to(places(x.tolist() if isinstance(x, np.ndarray) else x), (ndim, 2))
    except ValueError as error:
        raise OpError(str(error), ValueError) from None
    return [(convert(given[low]), convert(given[high])) for low, high in found]


@implements(np.pad, rank0="array")
def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    x = as_array(array)
    if isinstance(pad_width, dict):
        given = {axis % x.ndim: width for axis, width in pad_width.items()}
        pad_width = [_pair(given.get(axis, 0)) for axis in range(x.ndim)]
    widths = pairs(pad_width, x.ndim, operator.index)
    if any(min(pair) < 0 for pair in widths):
        raise OpError("index can't contain negative values", ValueError)
    if callable(mode) or mode not in MODES:
        raise OpError(f"mode {mode!r} of np.pad is not supported")
    return Array(MODES[mode](x.value, widths, **options))


def _pair(width: Any) -> Any:
    return width if isinstance(width, tuple | list) else (width, width)


def _constant(x: Value, widths: Widths, constant_values: Any = 0) -> Value:
    values = pairs(constant_values, x.type.ndim, lambda v: v)
    numbers = [v for pair in values for v in pair]
    if all(v is numbers[0] or (type(v) in (int, float) and v == numbers[0]) for v in numbers):
        low, high = zip(*widths, strict=True) if widths else ((), ())
        return shapes.pad(
            x,
            as_value(numbers[0], x.type.dtype) if numbers else literal(0, x.type.dtype),
            edge_padding_low=tuple(low),
            edge_padding_high=tuple(high),
            interior_padding=(0,) * x.type.ndim,
        )
    for axis, (width, (before, after)) in enumerate(zip(widths, values, strict=True)):
        x = _surrounded(
            x, axis, _filled(x, axis, width[0], before), _filled(x, axis, width[1], after)
        )
    return x


def _filled(x: Value, axis: int, width: int, number: Any) -> Value:
    shape = tuple([width if i == axis else n for i, n in enumerate(x.type.shape)])
    return broadcast_to(as_value(number, x.type.dtype), shape)


def _surrounded(x: Value, axis: int, before: Value, after: Value) -> Value:
    parts = [part for part in (before, x, after) if part.type.shape[axis]]
    if len(parts) < 2:
        return parts[0] if parts else x
    return shapes.concatenate(*parts, dimension=axis)


def _indexed(name: Any) -> Callable[..., Value]:
    """Modes that repeat elements of the array: NumPy itself says which, on positions."""

    def call(x: Value, widths: Widths, reflect_type: str = "even") -> Value:
        if reflect_type != "even":
            return _odd(x, widths, name)
        for axis, width in enumerate(widths):
            if not any(width):
                continue
            if not x.type.shape[axis]:
                raise OpError(f"can't extend empty axis {axis} using mode {name!r}")
            source = np.pad(np.arange(x.type.shape[axis]), width, mode=name)
            x = take_static(x, source.tolist(), axis)
        return x

    return call


def _odd(x: Value, widths: Widths, name: Any) -> Value:
    """Reflected in the edge's value: 2 * edge - reflected, for widths within the array."""
    for axis, (low, high) in enumerate(widths):
        size = x.type.shape[axis]
        if max(low, high) >= size + (name == "symmetric"):
            raise OpError("odd reflection wider than the array is not supported")
        source = np.pad(np.arange(size), (low, high), mode=name).tolist()
        first, last = cut(x, 0, 1, axis), cut(x, size - 1, size, axis)
        before = Array(first) * 2 - Array(take_static(x, source[:low], axis))
        after = Array(last) * 2 - Array(take_static(x, source[low + size :], axis))
        x = _surrounded(x, axis, before.value, after.value)
    return x


def _statistic(function: Callable[..., Array]) -> Callable[..., Value]:
    """The edges filled with a statistic of the elements next to them."""

    def call(x: Value, widths: Widths, stat_length: Any = None) -> Value:
        lengths = (
            [(None, None)] * x.type.ndim
            if stat_length is None
            else pairs(stat_length, x.type.ndim, lambda n: n if n is None else operator.index(n))
        )
        for axis, (width, length) in enumerate(zip(widths, lengths, strict=True)):
            size = x.type.shape[axis]
            near, far = [size if n is None else min(n, size) for n in length]
            before = _spread_statistic(cut(x, 0, near, axis), function, axis, width[0])
            after = _spread_statistic(cut(x, size - far, size, axis), function, axis, width[1])
            x = _surrounded(x, axis, before, after)
        return x

    return call


def _spread_statistic(x: Value, function: Callable[..., Array], axis: int, width: int) -> Value:
    value = function(Array(x), axis, keepdims=True)
    if x.type.dtype.kind in "iu" and value.dtype != x.type.dtype:
        value = Array(round_nearest_even(value.value))
    shape = tuple([width if i == axis else n for i, n in enumerate(x.type.shape)])
    return broadcast_to(cast(value.value, x.type.dtype), shape)


def _linear_ramp(x: Value, widths: Widths, end_values: Any = 0) -> Value:
    ends = pairs(end_values, x.type.ndim, lambda v: v)
    for axis, ((low, high), (before, after)) in enumerate(zip(widths, ends, strict=True)):
        size = x.type.shape[axis]
        first = _ramp(before, cut(x, 0, 1, axis), low, axis)
        last = _ramp(after, cut(x, size - 1, size, axis), high, axis)
        mirrored = shapes.reverse(last, dimensions=(axis,)) if high else last
        x = _surrounded(x, axis, first, mirrored)
    return x


def _ramp(end: Any, edge: Value, count: int, axis: int) -> Value:
    flat = tuple([n for i, n in enumerate(edge.type.shape) if i != axis])
    stop = Array(reshaped(edge, flat))
    return linspace(end, stop, count, endpoint=False, dtype=edge.type.dtype, axis=axis).value


MODES: dict[str, Callable[..., Value]] = {
    "constant": _constant,
    "empty": lambda x, widths: _constant(x, widths),
    "edge": _indexed("edge"),
    "reflect": _indexed("reflect"),
    "symmetric": _indexed("symmetric"),
    "wrap": _indexed("wrap"),
    "linear_ramp": _linear_ramp,
    "maximum": _statistic(reductions.max),
    "minimum": _statistic(reductions.min),
    "mean": _statistic(reductions.mean),
    "median": _statistic(quantiles.median),
}
