"""Rounding; sin(pi x) / (pi x), and a Bessel function."""

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
from pyxla.lib.operands import BOOL, FLOAT, as_array
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops.scope import slope_of


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
