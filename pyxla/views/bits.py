"""Views of parts of the elements: real and imaginary parts, other dtypes over the same bytes."""

from __future__ import annotations

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import ArrayType
from pyxla.ops.check import BOOLS, COMPLEXES, PARTS
from pyxla.ops.elementwise import bitcast_convert, compare, complex, convert, imag, real
from pyxla.ops.filled import number
from pyxla.ops.shape import concatenate, reshape
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Shape, reshaped
from pyxla.views.views import Extents, Sized, Step, require_full


@dataclass(frozen=True, slots=True)
class Part(Sized):
    """The real (`which` 0) or imaginary (1) part, of dtype `dtype`."""

    shape: Shape
    extents: Extents
    which: int
    dtype: np.dtype

    def apply(self, base: Array) -> Array:
        return Array((real, imag)[self.which](base.value), base.extents)

    def update(self, base: Array, new: Array) -> Array:
        parts = [real(base.value), imag(base.value)]
        parts[self.which] = new.value
        return Array(complex(*parts), base.extents)

    def strided(self, layout: np.ndarray) -> np.ndarray:
        return layout.imag if self.which else layout.real


@dataclass(frozen=True, slots=True)
class Zeros(Sized):
    """The imaginary part of real numbers, which is copied."""

    shape: Shape
    extents: Extents
    dtype: np.dtype

    def apply(self, base: Array) -> Array:
        return Array(number(0, self.dtype, base.value.type.shape), base.extents)


@dataclass(frozen=True, slots=True)
class Bits(Step):
    """The bytes of an array of `source` as `dtype`; the last dimension takes up the difference."""

    source: ArrayType
    dtype: np.dtype

    extents = None

    @property
    def shape(self) -> Shape:
        narrow, wide = self.dtype.itemsize, self.source.dtype.itemsize
        if narrow == wide:
            return self.source.shape
        return (*self.source.shape[:-1], self.source.shape[-1] * wide // narrow)

    def apply(self, base: Array) -> Array:
        return Array(reinterpreted(base.value, self.dtype, self.shape))

    def update(self, base: Array, new: Array) -> Array:
        return Array(reinterpreted(new.value, self.source.dtype, self.source.shape))

    def strided(self, layout: np.ndarray) -> np.ndarray:
        return layout.view(self.dtype)


def reinterpreted(x: Value, dtype: np.dtype, shape: Shape) -> Value:
    """The bytes of `x` as `dtype`, at `shape`."""
    source = x.type.dtype
    if source == dtype:
        return x
    if source in BOOLS:
        return reinterpreted(convert(x, dtype=np.dtype(np.uint8)), dtype, shape)
    if dtype in BOOLS:
        byte = reinterpreted(x, np.dtype(np.uint8), shape)
        return compare(byte, number(0, byte.type.dtype, shape), direction="NE")
    if source in COMPLEXES:
        pair = (*x.type.shape, 1)
        parts = [reshape(part(x), shape=pair) for part in (real, imag)]
        joined = concatenate(*parts, dimension=len(pair) - 1)
        row = (*x.type.shape[:-1], 2 * x.type.shape[-1])
        return reinterpreted(reshape(joined, shape=row), dtype, shape)
    if dtype in COMPLEXES:
        part = PARTS[dtype]
        flat = reinterpreted(x, part, (*shape[:-1], 2 * shape[-1]))
        halves = [_every_other(flat, start) for start in (0, 1)]
        return complex(*halves)
    ratio = dtype.itemsize // source.itemsize
    if ratio > 1:
        x = reshape(x, shape=(*shape, ratio))
    return reshaped(bitcast_convert(x, dtype=dtype), shape)


def _every_other(x: Value, start: int) -> Value:
    shape = x.type.shape
    zeros = (0,) * (len(shape) - 1)
    ones = (1,) * (len(shape) - 1)
    return slice_(x, start_indices=(*zeros, start), limit_indices=shape, strides=(*ones, 2))


def part(shape: Shape, extents: Extents, dtype: np.dtype, which: int) -> Part:
    """`x.real` (`which` 0) and `x.imag` (1) of a complex `x`."""
    return Part(shape, extents, which, PARTS[dtype])


def bits(type: ArrayType, extents: Extents, dtype: np.dtype) -> Bits:
    """`x.view(dtype)`."""
    require_full(extents)
    narrow, wide = type.dtype.itemsize, dtype.itemsize
    if narrow != wide:
        if not type.shape:
            raise OpError(
                "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
            )
        if type.shape[-1] * narrow % wide:
            raise OpError(
                "When changing to a larger dtype, its size must be a divisor of the total size "
                "in bytes of the last axis of the array."
            )
    return Bits(type, dtype)
