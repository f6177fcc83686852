"""What elementwise ops compute, in NumPy, where NumPy has no function of exactly that meaning.

XLA's meaning in the corners: integer division truncates and by zero gives all ones, a shift by the
width or more gives 0 (or the sign).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from pyxla.ir.types import CLASSES
from pyxla.ops.check import PARTS, WHOLES

UNSIGNED_OF = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind not in "iu":
        return np.divide(x, y)
    if np.all(y):
        return (x - np.fmod(x, y)) // y
    safe = np.where(y == 0, np.ones_like(y), y)
    quotient = (x - np.fmod(x, safe)) // safe
    return np.where(
        y == 0, np.full_like(x, -1 if x.dtype.kind == "i" else ~x.dtype.type(0)), quotient
    )


def remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind not in "iu":
        return np.fmod(x, y)
    if np.all(y):
        return np.fmod(x, y)
    safe = np.where(y == 0, np.ones_like(y), y)
    return np.where(y == 0, x, np.fmod(x, safe))


def power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integer powers wrap; a negative exponent gives 0 but for bases 1 and -1.  Others are C's:
    NumPy computes some by `sqrt` and its like where one exponent is for all."""
    if x.dtype.kind not in "iu":
        return np.power(x.reshape(-1), np.ascontiguousarray(y).reshape(-1)).reshape(x.shape)
    positive = np.power(x, np.where(y < 0, np.zeros_like(y), y))
    if x.dtype.kind == "u":
        return positive
    odd = (y & 1) == 1
    negative = np.where(x == 1, 1, np.where(x == -1, np.where(odd, -1, 1), 0)).astype(x.dtype)
    return np.where(y < 0, negative, positive)


def _shifted(shift: Callable[..., Any], x: np.ndarray, y: np.ndarray, beyond: Any) -> np.ndarray:
    """`x` shifted by the counts that are within its width, and `beyond` where they are not."""
    count = np.asarray(y).view(UNSIGNED_OF[y.dtype.itemsize])
    within = count < x.dtype.itemsize * 8
    if within.all():
        return shift(x, count.astype(x.dtype))
    return np.where(within, shift(x, np.where(within, count, 0).astype(x.dtype)), beyond)


def shift_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _shifted(np.left_shift, x, y, np.zeros_like(x))


def shift_right_arithmetic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    signed = np.asarray(x).view(f"i{x.dtype.itemsize}")
    full = np.where(signed < 0, -np.ones_like(signed), np.zeros_like(signed))
    return _shifted(np.right_shift, signed, y, full).view(x.dtype)


def shift_right_logical(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    unsigned = np.asarray(x).view(UNSIGNED_OF[x.dtype.itemsize])
    return _shifted(np.right_shift, unsigned, y, np.zeros_like(unsigned)).view(x.dtype)


def sign(x: np.ndarray) -> np.ndarray:
    return np.sign(x)


def logistic(x: np.ndarray) -> np.ndarray:
    return (1 / (1 + np.exp(-x))).astype(x.dtype)


def rsqrt(x: np.ndarray) -> np.ndarray:
    return (1 / np.sqrt(x)).astype(x.dtype)


def round_afz(x: np.ndarray) -> np.ndarray:
    """Halves away from zero."""
    below = np.trunc(x)
    step = np.where(np.abs(x - below) >= 0.5, np.copysign(np.ones_like(x), x), np.zeros_like(x))
    return np.where(np.isfinite(x), below + step, x).astype(x.dtype)


def _bits(x: np.ndarray) -> np.ndarray:
    """The bits of each element, the lowest first, along a new last dimension."""
    width = ml_dtypes.iinfo(x.dtype).bits
    unsigned = np.asarray(x).view(UNSIGNED_OF[x.dtype.itemsize])
    return (unsigned[..., None] >> np.arange(width, dtype=unsigned.dtype)) & 1


def popcnt(x: np.ndarray) -> np.ndarray:
    return _bits(x).sum(-1).astype(x.dtype)


def leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = _bits(x)
    width = bits.shape[-1]
    highest = np.max(np.where(bits == 1, np.arange(1, width + 1), 0), axis=-1, initial=0)
    return (width - highest).astype(x.dtype)


def complex(re: np.ndarray, im: np.ndarray) -> np.ndarray:
    whole = np.empty(re.shape, WHOLES[re.dtype])
    whole.real, whole.imag = re, im
    return whole


def convert(x: np.ndarray, dtype: np.dtype, weak: bool | None = None) -> np.ndarray:
    """Complex to real takes the real part; float to integer truncates and saturates."""
    dtype = np.dtype(dtype)
    if x.dtype in PARTS and dtype not in PARTS and dtype != np.bool_:
        x = np.real(x)
    if CLASSES[x.dtype] == "f" and CLASSES[dtype] in "iu":
        info = ml_dtypes.iinfo(dtype)
        wide = x.astype(np.float64)
        if np.all((wide > float(info.min)) & (wide < float(info.max))):
            return wide.astype(dtype)
        wide = np.nan_to_num(wide, nan=0.0)
        inside = np.where((wide >= float(info.max)) | (wide <= float(info.min)), 0.0, wide)
        truncated = inside.astype(dtype)
        low = np.where(wide <= float(info.min), dtype.type(info.min), truncated)
        return np.where(wide >= float(info.max), dtype.type(info.max), low)
    if dtype.type in (ml_dtypes.int4, ml_dtypes.uint4):  # between which ml_dtypes has no cast
        x = x.astype(np.int64 if CLASSES[x.dtype] in "iu" else x.dtype)
    return x.astype(dtype)


def bitcast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    dtype = np.dtype(dtype)
    narrow, wide = x.dtype.itemsize, dtype.itemsize
    flat = np.ascontiguousarray(x).reshape(x.shape if wide >= narrow else (*x.shape, 1))
    if wide == narrow:
        return flat.view(dtype).reshape(x.shape)
    cast = flat.view(dtype)
    return cast.reshape(cast.shape[:-1]) if wide > narrow else cast


def reduce_precision(x: np.ndarray, exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    """Round the mantissa to even; exponents out of range become infinity or zero."""
    wide = x.astype(np.float64)
    fraction, exponent = np.frexp(wide)
    scale = 2.0 ** (mantissa_bits + 1)
    rounded = np.ldexp(np.rint(fraction * scale) / scale, exponent)
    bias = 2 ** (exponent_bits - 1) - 1
    tiny, huge = 2.0 ** (1 - bias), 2.0**bias * (2 - 2.0**-mantissa_bits)
    rounded = np.where(np.abs(rounded) > huge, np.copysign(np.inf, wide), rounded)
    rounded = np.where(np.abs(rounded) < tiny, np.copysign(0.0, wide), rounded)
    return np.where(np.isfinite(wide), rounded, wide).astype(x.dtype)
