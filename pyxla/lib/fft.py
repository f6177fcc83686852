"""`numpy.fft`: one axis at a time at the end of the array, up to three together."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, known, value_of
from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.manipulation import cut, moveaxis
from pyxla.lib.operands import (
    as_array,
    cast,
    literal,
    normalize_axis,
    splat,
    weak,
)
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.linear import fft as fft_op

NORMS = ("backward", "ortho", "forward")


def _complex(x: Value) -> Value:
    """As complex numbers: of single precision where the numbers are."""
    return cast(x, np.dtype(np.complex64 if _single(x.type.dtype) else np.complex128))


def _real(x: Value) -> Value:
    if CLASSES[x.type.dtype] == "c":
        raise OpError("a transform of real numbers does not take complex ones")
    return cast(x, np.dtype(np.float32 if _single(x.type.dtype) else np.float64))


def _single(dtype: np.dtype) -> bool:
    return dtype in (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16))


def _fitted(x: Value, axis: int, size: int) -> Value:
    """Cut off or filled with zeros."""
    extent = x.type.shape[axis]
    if size <= extent:
        return cut(x, 0, size, axis)
    none = (0,) * x.type.ndim
    high = tuple([size - extent if i == axis else 0 for i in range(x.type.ndim)])
    return shapes.pad(
        x,
        literal(0, x.type.dtype),
        edge_padding_low=none,
        edge_padding_high=high,
        interior_padding=none,
    )


def _scale(norm: Any, inverse: bool, size: int) -> float:
    """What multiplies XLA's result, whose inverse transforms are divided by `size`."""
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise OpError(f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return math.sqrt(size) if inverse else 1 / math.sqrt(size)
    if norm == "forward":
        return float(size) if inverse else 1 / size
    return 1.0


def _scaled(x: Value, factor: float) -> Value:
    return x if factor == 1.0 else op.multiply(x, k.like(x, factor))


def _missing_axis(size: Any) -> type[Exception]:
    """What an axis that there is not raises; where no size is given, NumPy reads it first."""
    return IndexError if size is None else AxisError


def transform(x: Value, kind: str, n: Any, axis: int, norm: Any) -> Value:
    """One transform along one axis; `kind` is XLA's name of it."""
    axis = normalize_axis(axis, x.type.ndim, _missing_axis(n))
    extent = x.type.shape[axis]
    size = operator.index(n) if n is not None else 2 * (extent - 1) if kind == "IRFFT" else extent
    if size < 1:
        words = f"Invalid number of FFT data points ({size}) specified."
        raise OpError(words, ValueError, words)
    x = _real(x) if kind == "RFFT" else _complex(x)
    x = _fitted(x, axis, size // 2 + 1 if kind == "IRFFT" else size)
    last = x.type.ndim - 1
    if not x.type.size:
        return _empty(x, kind, size, axis)
    moved = x if axis == last else moveaxis(Array(x), axis, -1).value
    result = fft_op(moved, fft_type=kind, fft_length=(size,))
    result = _scaled(result, _scale(norm, kind in ("IFFT", "IRFFT"), size))
    return result if axis == last else moveaxis(Array(result), -1, axis).value


def _empty(x: Value, kind: str, size: int, axis: int) -> Value:
    extent = size // 2 + 1 if kind == "RFFT" else size
    shape = tuple([extent if i == axis else n for i, n in enumerate(x.type.shape)])
    part = np.dtype(f"f{x.type.dtype.itemsize // (1 if kind == 'RFFT' else 2)}")
    whole = np.dtype(f"c{part.itemsize * 2}")
    return splat(0, part if kind == "IRFFT" else whole, shape)


def _along_one(kind: str) -> Callable[..., Any]:
    def call(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
        return Array(transform(as_array(a).value, kind, n, axis, norm))

    return call


fft = implements(np.fft.fft)(_along_one("FFT"))
ifft = implements(np.fft.ifft)(_along_one("IFFT"))
rfft = implements(np.fft.rfft)(_along_one("RFFT"))
irfft = implements(np.fft.irfft)(_along_one("IRFFT"))


def half_of(size: Int) -> Int:
    """How many frequencies of so many real numbers are not negative."""
    if isinstance(size, int):
        return size // 2 + 1
    half = weak(op.add(op.divide(size.value, value_of(2)), value_of(1)), int)
    fact = extent.fact(size)
    return known(half, 1, None if fact.hi is None else fact.hi // 2 + 1)
