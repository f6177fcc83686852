"""Rounding, angles, differences, integrals, polynomials, windows."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES, loop_types, result_type
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.builtins import round_decimals
from pyxla.lib.manipulation import concatenate, cut, reshaped
from pyxla.lib.operands import BOOL, FLOAT, as_array, cast, normalize_axes, splat
from pyxla.lib.registry import implements
from pyxla.lib.scans import diff
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.scope import slope_of

# --- Elementwise ---------------------------------------------------------------------------------


@implements(np.round, np.around, np.ndarray.round)
def round(a: Any, decimals: Any = 0, out: Any = None) -> Array:
    x = as_array(a)
    if x.dtype == BOOL:
        if operator.index(decimals):
            raise OpError("Cannot cast ufunc 'multiply' output from float64 to bool", TypeError)
        return as_array(x, np.float16)
    if x.dtype.isbuiltin != 1:
        x = as_array(x, loop_types(np.rint, (x.dtype,))[0])
    return Array(round_decimals(x.value, operator.index(decimals)))


@implements(np.sinc)
def sinc(x: Any) -> Array:
    y = as_array(x)
    y = as_array(y, result_type(y, 1.0)) * math.pi
    zero = k.eq(y.value, k.like(y.value, 0))
    tiny = float(np.finfo(y.dtype).eps) if CLASSES[y.dtype] == "f" else 1e-20
    safe = op.select(zero, k.like(y.value, tiny), y.value)
    quotient = op.divide(op.sine(safe), safe)
    near = k.lt(op.abs(y.value), k.like(op.abs(y.value), 0.5))
    smooth = op.select(near, _sinc_series(y.value), quotient)
    return Array(slope_of(quotient, smooth))


def _sinc_series(y: Value) -> Value:
    """sin(y) / y near 0, where derivatives of the quotient are differences of what is alike."""
    return _polynomial(
        [(-1) ** n / math.factorial(2 * n + 1) for n in range(10)], op.multiply(y, y)
    )


def _polynomial(coefficients: Sequence[float], x: Value) -> Value:
    """The sum of `coefficients[n] * x**n`, by Horner's rule."""
    total = k.like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = op.add(op.multiply(total, x), k.like(x, coefficient))
    return total


@implements(np.i0, rank0="array")
def i0(x: Any) -> Array:
    """The integral of exp(x cos t) by the series of its even powers for small |x|, and
    exp(|x|) / sqrt(2 pi |x|) times a polynomial in 1/x beyond (Abramowitz & Stegun 9.7.1)."""
    x = as_array(x)
    if CLASSES[x.dtype] == "c":
        raise OpError("i0 not supported for complex values", TypeError)
    found = x.dtype if CLASSES[x.dtype] == "f" else FLOAT
    y = as_array(x, FLOAT).value
    size = op.abs(y)
    near = _polynomial([math.factorial(n) ** -2 for n in range(42)], k.scaled(0.25)(k.square(y)))
    far = op.maximum(size, k.like(size, 20.0))
    tail = _polynomial(list(_asymptotic()), op.divide(k.like(far, 0.125), far))
    scale = op.sqrt(k.scaled(2 * math.pi)(far))
    large = op.multiply(op.divide(op.exponential(far), scale), tail)
    return as_array(Array(op.select(k.lt(size, k.like(size, 20.0)), near, large)), found)


def _asymptotic() -> Iterator[float]:
    """1, 1 * 1 / 1!, 1 * 1 * 3 * 3 / 2!, ..."""
    term = 1.0
    for n in range(1, 26):
        yield term
        term *= (2 * n - 1) ** 2 / n


@implements(np.kaiser)
def kaiser(M: Any, beta: Any) -> Array:
    count = operator.index(M)
    if count == 1:
        return Array(splat(1, FLOAT, (1,)))
    middle = (count - 1) / 2.0
    ratio = as_array((np.arange(count) - middle) / middle)
    root = UFUNCS[np.sqrt](1 - ratio * ratio)
    return i0(beta * root) / i0(as_array(beta, FLOAT))


# --- Differences and integrals -------------------------------------------------------------------


TOO_SMALL = (
    "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
    "elements are required."
)


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside, one-sided of first or second order at the edges."""
    x = as_array(f)
    if x.dtype == BOOL:
        raise OpError("numpy boolean subtract is not supported")
    axes = normalize_axes(axis, x.ndim)
    spacings = list(varargs) if len(varargs) > 1 else list(varargs or (1.0,)) * len(axes)
    if len(spacings) != len(axes):
        raise OpError("gradient: invalid number of arguments")
    dtype = x.dtype if CLASSES[x.dtype] in "fc" else FLOAT
    value = cast(x.value, dtype)
    results = [
        Array(_gradient_along(value, h, one, edge_order))
        for h, one in zip(spacings, axes, strict=True)
    ]
    return results[0] if len(results) == 1 else tuple(results)


def _gradient_along(x: Value, spacing: Any, axis: int, edge_order: int) -> Value:
    size = x.type.shape[axis]
    if size < edge_order + 1:
        raise OpError("Shape of array too small to calculate a numerical gradient")
    points = as_array(spacing) if not isinstance(spacing, (int, float)) else None
    if points is not None and points.shape:
        return _uneven(x, points, axis, edge_order)

    def at(start: int, stop: int) -> Array:
        return Array(cut(x, start, stop, axis))

    inside = (at(2, size) - at(0, max(size - 2, 0))) / (2.0 * spacing) if size > 2 else None
    if edge_order == 1:
        first = (at(1, 2) - at(0, 1)) / spacing
        last = (at(size - 1, size) - at(size - 2, size - 1)) / spacing
    else:
        first = (at(0, 1) * -1.5 + at(1, 2) * 2.0 - at(2, 3) * 0.5) / spacing
        last = (
            at(size - 3, size - 2) * 0.5 - at(size - 2, size - 1) * 2.0 + at(size - 1, size) * 1.5
        ) / spacing
    return _joined([first, inside, last], axis, x.type.dtype)


def _joined(parts: list[Array | None], axis: int, dtype: np.dtype) -> Value:
    present = [cast(part.value, dtype) for part in parts if part is not None]
    return shapes.concatenate(*present, dimension=axis)


def _uneven(x: Value, points: Array, axis: int, edge_order: int) -> Value:
    """Weights of the three-point formula on an uneven grid."""
    size, ndim = x.type.shape[axis], x.type.ndim
    if points.size != size:
        raise OpError("when 1d, distances must match the length of the corresponding dimension")
    steps = diff(as_array(points, result_type(points, 1.0)))

    def along(array: Array) -> Array:
        return Array(
            reshaped(array.value, tuple([array.size if i == axis else 1 for i in range(ndim)]))
        )

    def at(start: int, stop: int) -> Array:
        return Array(cut(x, start, stop, axis))

    before = along(Array(cut(steps.value, 0, size - 2, 0))) if size > 2 else None
    after = along(Array(cut(steps.value, 1, size - 1, 0))) if size > 2 else None
    inside = None
    if before is not None and after is not None:
        a = -after / (before * (before + after))
        b = (after - before) / (before * after)
        c = before / (after * (before + after))
        inside = a * at(0, size - 2) + b * at(1, size - 1) + c * at(2, size)
    ends = [Array(cut(steps.value, i, i + 1, 0)) for i in (0, min(1, size - 2), max(size - 3, 0))]
    final = Array(cut(steps.value, size - 2, size - 1, 0))
    if edge_order == 1:
        first = (at(1, 2) - at(0, 1)) / along(ends[0])
        last = (at(size - 1, size) - at(size - 2, size - 1)) / along(final)
        return _joined([first, inside, last], axis, x.type.dtype)
    h1, h2 = along(ends[0]), along(ends[1])
    first = (
        at(0, 1) * (-(2.0 * h1 + h2) / (h1 * (h1 + h2)))
        + at(1, 2) * ((h1 + h2) / (h1 * h2))
        - at(2, 3) * (h1 / (h2 * (h1 + h2)))
    )
    h1, h2 = along(ends[2]), along(final)
    last = (
        at(size - 3, size - 2) * (h2 / (h1 * (h1 + h2)))
        - at(size - 2, size - 1) * ((h2 + h1) / (h1 * h2))
        + at(size - 1, size) * ((2.0 * h2 + h1) / (h2 * (h1 + h2)))
    )
    return _joined([first, inside, last], axis, x.type.dtype)


# --- Polynomials ---------------------------------------------------------------------------------


def vandermonde(x: Array, degree: int) -> Array:
    """Columns of falling powers."""
    columns = [Array(k.power_static(x.value, n)) for n in range(degree, -1, -1)]
    return concatenate([Array(reshaped(c.value, (x.size, 1))) for c in columns], 1)
