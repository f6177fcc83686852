"""Fourier transforms along a dimension of bounded extent: a transform of any size is a convolution
with a chirp (Bluestein), which has a size of its own, known while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, known, value_of
from pyxla.abstract.lattice import Array
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import fft
from pyxla.lib import kernels as k
from pyxla.lib import manipulation as m
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    bounded,
    extents_of,
    filled,
    resized_to,
    sized,
    strategy,
)
from pyxla.lib.indexing import take, true_size
from pyxla.lib.meetings import meet
from pyxla.lib.operands import FLOAT, INT, as_array, cast, normalize_axis, splat, weak
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread
from pyxla.ops.shape import broadcast_in_dim, iota

COMPLEX = np.dtype(np.complex128)


@strategy(fft.fft, fft.ifft, fft.rfft, fft.irfft)
def _transform(
    function: Function, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None
) -> Array:
    x = as_array(a)
    d = normalize_axis(axis, x.ndim)
    own = [None if i == d else e for i, e in enumerate(extents_of(x))]
    size = true_size(x, d)
    if n is not None or isinstance(size, int):  # cut, or filled up with zeros
        return bounded(function(Array(filled(x, (d,), 0).value), n, d, norm).value, own)
    if norm not in (None, *fft.NORMS):
        raise OpError(NOT_SUPPORTED)
    if function is fft.rfft and x.dtype.kind == "c":
        raise OpError("a transform of real numbers does not take complex ones")
    inverse = function in (fft.ifft, fft.irfft)
    full = Array(cast(filled(x, (d,), 0).value, COMPLEX))
    full = m.moveaxis(full, d, -1)
    if function is fft.irfft:
        full, size = _both_halves(full, size)
    none = weak(cast(k.lt(value_of(size), value_of(1)), INT), int)
    words = "Invalid number of FFT data points ("
    meet(none, 0, ValueError, words, size, ") specified.")
    value = k.conjugate(full.value) if inverse else full.value
    found = _scaled(_chirped(value, size), size, norm, inverse)
    found = k.conjugate(found) if inverse else found
    count: Int = size
    if function is fft.rfft:
        count = fft.half_of(size)
        found = resized_to(Array(found), found.type.ndim - 1, x.shape[d] // 2 + 1).value
    found = op.real(found) if function is fft.irfft else found
    if x.dtype in (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16)):
        found = cast(found, np.dtype(f"{found.type.dtype.kind}{found.type.dtype.itemsize // 2}"))
    result = m.moveaxis(Array(found), -1, d)
    return sized(result.value, [count if i == d else true_size(x, i) for i in range(x.ndim)])


def _both_halves(x: Array, size: Int) -> tuple[Array, Int]:
    """The frequencies of real numbers, of which the second half mirrors the first."""
    double = weak(op.multiply(value_of(2), op.subtract(value_of(size), value_of(1))), int)
    last = x.ndim - 1
    bound = max(2 * (x.shape[last] - 1), 1)
    shape = (*x.shape[:last], bound)
    at = iota(dtype=INT, shape=(bound,), dimension=0)
    many = spread(cast(double.value, INT), (bound,))
    mirrored = k.gt(op.add(at, at), many)
    found = take(x, Array(op.select(mirrored, op.subtract(many, at), at)), last, wrap=False).value
    edge = op.or_(k.eq(at, splat(0, INT, (bound,))), k.eq(op.add(at, at), many))
    wide = [
        broadcast_in_dim(z, shape=shape, broadcast_dimensions=(last,)) for z in (mirrored, edge)
    ]
    found = op.select(wide[0], k.conjugate(found), found)
    found = op.select(wide[1], cast(op.real(found), COMPLEX), found)
    inside = broadcast_in_dim(k.lt(at, many), shape=shape, broadcast_dimensions=(last,))
    found = op.select(inside, found, splat(0, COMPLEX, shape))
    return Array(found), known(double, None, bound)


def _chirped(x: Value, size: Int) -> Value:
    """The transform of the first `size` numbers along the last axis, zeros behind them."""
    bound = x.type.shape[-1]
    room = 1 << (2 * bound - 1).bit_length()
    at = iota(dtype=INT, shape=(room,), dimension=0)
    place = op.minimum(at, op.subtract(splat(room, INT, (room,)), at))
    many = op.maximum(cast(value_of(size), INT), splat(1, INT, ()))
    twice = spread(op.add(many, many), (room,))
    turned = cast(op.remainder(op.multiply(place, place), twice), FLOAT)  # exact: ints
    angle = op.divide(op.multiply(turned, splat(2 * np.pi, FLOAT, (room,))), cast(twice, FLOAT))
    chirp = op.complex(op.cosine(angle), op.sine(angle))

    def along(z: Value) -> Value:
        shape = (*x.type.shape[:-1], z.type.shape[0])
        return broadcast_in_dim(z, shape=shape, broadcast_dimensions=(len(shape) - 1,))

    back = along(k.conjugate(m.cut(chirp, 0, bound, 0)))
    given = fft.transform(op.multiply(x, back), "FFT", room, -1, None)
    kernel = along(fft.transform(chirp, "FFT", room, -1, None))
    found = fft.transform(op.multiply(given, kernel), "IFFT", room, -1, None)
    return op.multiply(m.cut(found, 0, bound, found.type.ndim - 1), back)


def _scaled(x: Value, size: Int, norm: Any, inverse: bool) -> Value:
    norm = norm or "backward"
    if norm == ("forward" if inverse else "backward"):
        return x
    many = op.maximum(cast(value_of(size), FLOAT), splat(1, FLOAT, ()))
    many = op.sqrt(many) if norm == "ortho" else many
    return op.divide(x, cast(spread(many, x.type.shape), COMPLEX))
