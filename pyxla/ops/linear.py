"""Ops of linear algebra that are no products: Fourier transform, triangular factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import I32, ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import COMPLEXES, PARTS, WHOLES, listed, refuse, require
from pyxla.ops.contract import dot_general
from pyxla.ops.contribution import Contribution
from pyxla.ops.elementwise import add, compare, conj, convert, multiply, negate, real, select
from pyxla.ops.filled import broadcast_in_dim, constant, filled, zeros
from pyxla.ops.shape import iota, pad, reshape, transpose
from pyxla.ops.spell import enum, flag, i64s, spelled

Ints = tuple[int, ...]


def _fft(x: ArrayType, *, fft_type: str, fft_length: Ints) -> ArrayType:
    count = len(fft_length)
    if fft_type not in ("FFT", "IFFT", "RFFT", "IRFFT"):
        refuse("fft", f"fft_type must be FFT, IFFT, RFFT or IRFFT, got {fft_type!r}")
    require(1 <= count <= 3 and count <= x.ndim, "fft", f"fft_length {fft_length} for {x}")
    allowed = frozenset(WHOLES) if fft_type == "RFFT" else COMPLEXES
    if x.dtype not in allowed:
        refuse("fft", f"{fft_type} does not apply to {x}")
    head, last = x.shape[: x.ndim - count], fft_length[-1]
    inner = last // 2 + 1 if fft_type == "IRFFT" else last
    if x.shape[x.ndim - count :] != (*fft_length[:-1], inner):
        refuse("fft", f"fft_length {fft_length} does not fit {x}")
    if fft_type == "RFFT":
        return array_type(WHOLES[x.dtype], (*head, *fft_length[:-1], last // 2 + 1))
    dtype = PARTS[x.dtype] if fft_type == "IRFFT" else x.dtype
    return array_type(dtype, (*head, *fft_length))


FACTORED = frozenset(WHOLES) | COMPLEXES


def _square(op: str, x: ArrayType) -> None:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or x.dtype not in FACTORED:
        refuse(op, f"square matrices of f32, f64, c64 or c128 are needed, got {x}")


def _cholesky(x: ArrayType, *, lower: bool = True) -> ArrayType:
    _square("cholesky", x)
    return x


def _triangular_solve(
    a: ArrayType,
    b: ArrayType,
    *,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool = False,
    transpose_a: str = "NO_TRANSPOSE",
) -> ArrayType:
    _square("triangular_solve", a)
    if transpose_a not in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
        refuse("triangular_solve", f"transpose_a {transpose_a!r} is not known")
    fits = a.dtype == b.dtype and a.ndim == b.ndim and a.shape[:-2] == b.shape[:-2]
    if not fits or a.shape[-1] != b.shape[-2 if left_side else -1]:
        refuse("triangular_solve", f"operands do not fit: {listed([a, b])}")
    return b


def _fft_numpy(x: np.ndarray, *, fft_type: str, fft_length: Ints) -> np.ndarray:
    axes = tuple(range(x.ndim - len(fft_length), x.ndim))
    transform: Any = {
        "FFT": np.fft.fftn,
        "IFFT": np.fft.ifftn,
        "RFFT": np.fft.rfftn,
        "IRFFT": np.fft.irfftn,
    }[fft_type]
    return transform(x, fft_length, axes)


def _cholesky_numpy(x: np.ndarray, *, lower: bool = True) -> np.ndarray:
    """The factor; the other triangle, undefined in StableHLO, is zero."""
    factor = np.linalg.cholesky(x if lower else np.conj(np.swapaxes(x, -1, -2)))
    return factor if lower else np.conj(np.swapaxes(factor, -1, -2))


def _triangular_solve_numpy(
    a: np.ndarray,
    b: np.ndarray,
    *,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool = False,
    transpose_a: str = "NO_TRANSPOSE",
) -> np.ndarray:
    a = np.tril(a) if lower else np.triu(a)
    if unit_diagonal:
        diagonal = np.arange(a.shape[-1])
        a = a.copy()
        a[..., diagonal, diagonal] = 1
    if transpose_a != "NO_TRANSPOSE":
        a = np.swapaxes(a, -1, -2)
    if transpose_a == "ADJOINT":
        a = np.conj(a)
    if left_side:
        return np.linalg.solve(a, b)
    return np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)


# --- Derivatives ---------------------------------------------------------------------------------


def _fft_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """The matrix of a Fourier transform is symmetric; the real ones see half of it."""
    kind, length = instr.attrs["fft_type"], instr.attrs["fft_length"]
    if kind in ("FFT", "IFFT"):
        return (fft(ct, **instr.attrs),)
    if kind == "RFFT":
        missing = length[-1] - ct.type.shape[-1]
        low, high = (0,) * ct.type.ndim, (*(0,) * (ct.type.ndim - 1), missing)
        zero = zeros(array_type(ct.type.dtype))
        whole = pad(ct, zero, edge_padding_low=low, edge_padding_high=high, interior_padding=low)
        return (real(fft(whole, fft_type="FFT", fft_length=length)),)
    x = fft(ct, fft_type="RFFT", fft_length=length)
    count = x.type.shape[-1]
    twice = np.full(count, 2.0)
    twice[0] = 1
    if length[-1] % 2 == 0:
        twice[-1] = 1
    weights = constant(value=(twice / math.prod(length)).astype(x.type.dtype))
    last = (x.type.ndim - 1,)
    weights = broadcast_in_dim(weights, shape=x.type.shape, broadcast_dimensions=last)
    return (conj(multiply(weights, x)),)


def _t(x: Value) -> Value:
    """The matrices transposed."""
    n = x.type.ndim
    return transpose(x, permutation=(*range(n - 2), n - 1, n - 2))


def _conj(x: Value) -> Value:
    return conj(x) if x.type.dtype in COMPLEXES else x


def _product(x: Value, y: Value) -> Value:
    n = x.type.ndim
    batch = tuple(range(n - 2))
    return dot_general(
        x,
        y,
        lhs_batching_dimensions=batch,
        rhs_batching_dimensions=batch,
        lhs_contracting_dimensions=(n - 1,),
        rhs_contracting_dimensions=(n - 2,),
        precision="HIGHEST",
    )


def _part(x: Value, direction: str) -> Value:
    """The elements whose row number compares so with the column number; zero elsewhere."""
    n = x.type.ndim
    rows = iota(dtype=I32.dtype, shape=x.type.shape, dimension=n - 2)
    columns = iota(dtype=I32.dtype, shape=x.type.shape, dimension=n - 1)
    return select(compare(rows, columns, direction=direction), x, zeros(x.type))


def _halved(x: Value) -> Value:
    """The lower triangle, with half of the diagonal."""
    half = multiply(_part(x, "EQ"), filled(x.type, 0.5))
    return add(_part(x, "GT"), half)


def _solve(factor: Value, x: Value, left: bool, transpose_a: str) -> Value:
    return triangular_solve(factor, x, left_side=left, lower=True, transpose_a=transpose_a)


def _real_part(x: Value) -> Value:
    return convert(real(x), dtype=x.type.dtype) if x.type.dtype in COMPLEXES else x


def _cholesky_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """By the triangle that is read; the other one has no influence."""
    (factor,) = instr.results
    lower = instr.attrs.get("lower", True)
    if not lower:
        ct, factor = _conj(_t(ct)), _conj(_t(factor))
    factor = _part(factor, "GE")
    inner = _halved(_product(_conj(_t(factor)), _conj(_part(ct, "GE"))))
    inner = _solve(factor, _solve(factor, inner, False, "NO_TRANSPOSE"), True, "ADJOINT")
    whole = add(inner, _conj(_t(inner)))
    half = multiply(_real_part(_part(whole, "EQ")), filled(whole.type, 0.5))
    made = _conj(add(_part(whole, "GT"), half))
    return (made if lower else _conj(_t(made)),)


def _triangle(x: Value, attrs: dict[str, Any]) -> Value:
    """What triangular_solve reads of a matrix."""
    strict = attrs.get("unit_diagonal", False)
    direction = ("GT" if strict else "GE") if attrs["lower"] else ("LT" if strict else "LE")
    return _part(x, direction)


_OPPOSITE = {"NO_TRANSPOSE": "TRANSPOSE", "TRANSPOSE": "NO_TRANSPOSE", "ADJOINT": "NO_TRANSPOSE"}


def _triangular_solve_vjp(
    instr: Instr, ct: Value, wanted: Sequence[bool]
) -> tuple[Contribution, ...]:
    (a, _), (x,), attrs = instr.operands, instr.results, instr.attrs
    kind = attrs.get("transpose_a", "NO_TRANSPOSE")
    adjoint = kind == "ADJOINT"
    transposed = {**attrs, "transpose_a": _OPPOSITE[kind]}
    right = triangular_solve(_conj(a) if adjoint else a, ct, **transposed)
    if not wanted[0]:
        return None, right
    left = attrs["left_side"]
    made = negate(_product(right, _t(x)) if left else _product(_t(x), right))
    if kind != "NO_TRANSPOSE":
        made = _conj(_t(made)) if adjoint else _t(made)
    return _triangle(made, attrs), right if wanted[1] else None


# --- Batching -------------------------------------------------------------------------------------


def _triangular_solve_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """With one matrix for all lanes, their right sides are one."""
    a, b = operands
    varies, _ = batching.is_batched(instr, operands)
    if varies or a.type.ndim > 2:
        return batching.again(instr, operands, size)
    left = instr.attrs["left_side"]
    _, rows, columns = b.type.shape
    if not left:
        made = triangular_solve(a, reshape(b, shape=(size * rows, columns)), **instr.attrs)
        return reshape(made, shape=b.type.shape)
    flat = reshape(transpose(b, permutation=(1, 0, 2)), shape=(rows, size * columns))
    made = triangular_solve(a, flat, **instr.attrs)
    return transpose(reshape(made, shape=(rows, size, columns)), permutation=(1, 0, 2))


fft: Op = Op(
    "fft",
    _fft,
    numpy=_fft_numpy,
    emit=spelled(
        "fft",
        lambda *, fft_type, fft_length: {
            "fft_type": enum("fft_type", fft_type),
            "fft_length": i64s(fft_length),
        },
    ),
    jvp=lambda instr, tangents: fft(tangents[0], **instr.attrs),
    vjp=_fft_vjp,
    batch=batching.again,
)
cholesky = Op(
    "cholesky",
    _cholesky,
    numpy=_cholesky_numpy,
    emit=spelled("cholesky", lambda lower=True: {"lower": flag(lower)}),
    vjp=_cholesky_vjp,
    batch=batching.again,
)
triangular_solve = Op(
    "triangular_solve",
    _triangular_solve,
    numpy=_triangular_solve_numpy,
    emit=spelled(
        "triangular_solve",
        lambda *, left_side, lower, unit_diagonal=False, transpose_a="NO_TRANSPOSE": {
            "left_side": flag(left_side),
            "lower": flag(lower),
            "unit_diagonal": flag(unit_diagonal),
            "transpose_a": enum("transpose", transpose_a),
        },
    ),
    vjp=_triangular_solve_vjp,
    batch=_triangular_solve_batch,
)
