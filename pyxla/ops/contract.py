"""Ops of linear algebra: products, convolution, FFT, triangular factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops.check import (
    COMPLEXES,
    PARTS,
    WHOLES,
    check_axes,
    check_length,
    listed,
    refuse,
    require,
)
from pyxla.ops.reduce import window_shape
from pyxla.ops.samples import Sample, arange
from pyxla.ops.spell import bracketed, enum, flag, flags, i64, i64s, matrix, spelled

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def _extents(x: ArrayType, axes: Ints) -> Ints:
    return tuple([x.shape[axis] for axis in axes])


def _rest(x: ArrayType, taken: Ints) -> Ints:
    return tuple([n for axis, n in enumerate(x.shape) if axis not in taken])


def check_precision(op: str, precision: str) -> None:
    if precision not in ("DEFAULT", "HIGH", "HIGHEST"):
        refuse(op, f"precision must be DEFAULT, HIGH or HIGHEST, got {precision!r}")


def _dot_general(
    x: ArrayType,
    y: ArrayType,
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> ArrayType:
    check_precision("dot_general", precision)
    if x.dtype != y.dtype:
        refuse("dot_general", f"operands must agree in element type, got {x}, {y}")
    left = (*lhs_batching_dimensions, *lhs_contracting_dimensions)
    right = (*rhs_batching_dimensions, *rhs_contracting_dimensions)
    check_axes("dot_general", "lhs dimensions", left, x.ndim)
    check_axes("dot_general", "rhs dimensions", right, y.ndim)
    batch = _extents(x, lhs_batching_dimensions)
    if batch != _extents(y, rhs_batching_dimensions) or _extents(x, left) != _extents(y, right):
        refuse("dot_general", f"{x} along {left} does not fit {y} along {right}")
    return array_type(x.dtype, batch + _rest(x, left) + _rest(y, right))


@dataclass(frozen=True, slots=True)
class ConvDimensionNumbers:
    """Which dimension of input, kernel and output is what, named as in the StableHLO spec."""

    input_batch_dimension: int
    input_feature_dimension: int
    input_spatial_dimensions: Ints
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    kernel_spatial_dimensions: Ints
    output_batch_dimension: int
    output_feature_dimension: int
    output_spatial_dimensions: Ints


def conv_dimension_numbers(text: str) -> ConvDimensionNumbers:
    """Read `bf01_oi01->bf01` or `b01f_01io->b01f`: batch, feature, in, out, spatial digits."""
    operands, _, output = text.partition("->")
    lhs, _, kernel = operands.partition("_")

    def spatial(part: str) -> Ints:
        return tuple([part.index(digit) for digit in sorted(c for c in part if c.isdigit())])

    try:
        return ConvDimensionNumbers(
            lhs.index("b"),
            lhs.index("f"),
            spatial(lhs),
            kernel.index("i"),
            kernel.index("o"),
            spatial(kernel),
            output.index("b"),
            output.index("f"),
            spatial(output),
        )
    except ValueError:
        refuse("convolution", f"dimension_numbers {text!r} are not like 'b01f_01io->b01f'")


def _numbers(numbers: str | ConvDimensionNumbers) -> ConvDimensionNumbers:
    return conv_dimension_numbers(numbers) if isinstance(numbers, str) else numbers


def _convolution(
    x: ArrayType,
    w: ArrayType,
    *,
    dimension_numbers: str | ConvDimensionNumbers,
    window_strides: Ints | None = None,
    padding: Pairs | None = None,
    lhs_dilation: Ints | None = None,
    rhs_dilation: Ints | None = None,
    window_reversal: tuple[bool, ...] | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: str = "DEFAULT",
) -> ArrayType:
    check_precision("convolution", precision)
    name, d = "convolution", _numbers(dimension_numbers)
    if x.dtype != w.dtype or x.ndim != w.ndim:
        refuse(name, f"operands must agree in element type and rank, got {x}, {w}")
    check_length(name, "spatial dimensions", d.input_spatial_dimensions, x.ndim - 2)
    features = x.shape[d.input_feature_dimension]
    outputs = w.shape[d.kernel_output_feature_dimension]
    batch = x.shape[d.input_batch_dimension]
    if features != w.shape[d.kernel_input_feature_dimension] * feature_group_count:
        refuse(name, f"{features} features of {x} do not fit kernel {w}")
    if outputs % feature_group_count or outputs % batch_group_count or batch % batch_group_count:
        refuse(name, f"groups of {feature_group_count}, {batch_group_count} do not fit {x}, {w}")
    spatial = window_shape(
        name,
        array_type(x.dtype, _extents(x, d.input_spatial_dimensions)),
        _extents(w, d.kernel_spatial_dimensions),
        window_strides,
        lhs_dilation,
        rhs_dilation,
        padding,
    )
    shape = [0] * x.ndim
    shape[d.output_batch_dimension] = batch // batch_group_count
    shape[d.output_feature_dimension] = outputs
    for axis, extent in zip(d.output_spatial_dimensions, spatial, strict=True):
        shape[axis] = extent
    return array_type(x.dtype, tuple(shape))


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


def _dot_numpy(
    x: np.ndarray,
    y: np.ndarray,
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> np.ndarray:
    """As an einsum: a letter per dimension, shared where it is batched or contracted."""
    left = list(range(x.ndim))
    right = list(range(x.ndim, x.ndim + y.ndim))
    for a, b in zip(
        (*lhs_batching_dimensions, *lhs_contracting_dimensions),
        (*rhs_batching_dimensions, *rhs_contracting_dimensions),
        strict=True,
    ):
        right[b] = left[a]
    batch = [left[axis] for axis in lhs_batching_dimensions]
    contracted = {left[axis] for axis in lhs_contracting_dimensions}
    out = batch + [n for n in left if n not in contracted and n not in batch]
    out += [n for n in right if n not in contracted and n not in batch]
    return np.einsum(x, left, y, right, out)


def _dot_attributes(
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
    precision: str = "DEFAULT",
) -> dict[str, str]:
    numbers = (
        f"lhs_batching_dimensions = {bracketed(lhs_batching_dimensions)}, "
        f"rhs_batching_dimensions = {bracketed(rhs_batching_dimensions)}, "
        f"lhs_contracting_dimensions = {bracketed(lhs_contracting_dimensions)}, "
        f"rhs_contracting_dimensions = {bracketed(rhs_contracting_dimensions)}"
    )
    return {"dot_dimension_numbers": f"#stablehlo.dot<{numbers}>", **_precision(precision)}


def _precision(precision: str) -> dict[str, str]:
    if precision == "DEFAULT":
        return {}
    one = enum("precision", precision)
    return {"precision_config": f"[{one}, {one}]"}


def _along(x: np.ndarray, axis: int, step: int, low: int, high: int) -> np.ndarray:
    """Dilate by `step`, then pad or cut, along `axis`."""
    extent = x.shape[axis]
    shape = list(x.shape)
    shape[axis] = 0 if extent == 0 else (extent - 1) * step + 1
    spread = np.zeros(shape, x.dtype)
    spread[(slice(None),) * axis + (slice(None, None, step),)] = x
    widths = [(0, 0)] * x.ndim
    widths[axis] = (max(low, 0), max(high, 0))
    padded = np.pad(spread, widths)
    cut = slice(max(-low, 0), padded.shape[axis] - max(-high, 0))
    return padded[(slice(None),) * axis + (cut,)]


def _convolution_numpy(
    x: np.ndarray,
    w: np.ndarray,
    *,
    dimension_numbers: str | ConvDimensionNumbers,
    window_strides: Ints | None = None,
    padding: Pairs | None = None,
    lhs_dilation: Ints | None = None,
    rhs_dilation: Ints | None = None,
    window_reversal: tuple[bool, ...] | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: str = "DEFAULT",
) -> np.ndarray:
    """In the layout batch, feature, spatial and out, in, spatial: a product per output position."""
    d = _numbers(dimension_numbers)
    x = np.transpose(
        x, (d.input_batch_dimension, d.input_feature_dimension, *d.input_spatial_dimensions)
    )
    w = np.transpose(
        w,
        (
            d.kernel_output_feature_dimension,
            d.kernel_input_feature_dimension,
            *d.kernel_spatial_dimensions,
        ),
    )
    count = x.ndim - 2
    ones = (1,) * count
    for axis in range(count):
        low, high = padding[axis] if padding else (0, 0)
        x = _along(x, axis + 2, (lhs_dilation or ones)[axis], low, high)
        w = _along(w, axis + 2, (rhs_dilation or ones)[axis], 0, 0)
        if window_reversal and window_reversal[axis]:
            w = np.flip(w, axis + 2)
    if batch_group_count > 1:
        parts = zip(np.split(x, batch_group_count), np.split(w, batch_group_count), strict=True)
    else:
        groups = feature_group_count
        parts = zip(np.split(x, groups, 1), np.split(w, groups), strict=True)
    strides = window_strides or ones
    made = np.concatenate([_correlate(part, kernel, strides) for part, kernel in parts], 1)
    order = (d.output_batch_dimension, d.output_feature_dimension, *d.output_spatial_dimensions)
    return np.transpose(made, np.argsort(order))


def _correlate(x: np.ndarray, w: np.ndarray, strides: Ints) -> np.ndarray:
    """Valid windows of x (n, c, ...) against w (o, c, ...), each `strides` apart."""
    window = w.shape[2:]
    reach = [n - size for n, size in zip(x.shape[2:], window, strict=True)]
    extents = [0 if r < 0 else r // s + 1 for r, s in zip(reach, strides, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *extents), x.dtype)
    for at in np.ndindex(*extents):
        cut = [slice(a * s, a * s + size) for a, s, size in zip(at, strides, window, strict=True)]
        piece = x[(slice(None), slice(None), *cut)].reshape(x.shape[0], -1)
        result[(slice(None), slice(None), *at)] = piece @ w.reshape(w.shape[0], -1).T
    return result


def _convolution_attributes(
    *,
    dimension_numbers: str | ConvDimensionNumbers,
    window_strides: Ints | None = None,
    padding: Pairs | None = None,
    lhs_dilation: Ints | None = None,
    rhs_dilation: Ints | None = None,
    window_reversal: tuple[bool, ...] | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: str = "DEFAULT",
) -> dict[str, str]:
    d = _numbers(dimension_numbers)
    fields = [
        f"{name} = {bracketed(value) if isinstance(value, tuple) else value}"
        for name in ConvDimensionNumbers.__slots__
        for value in (getattr(d, name),)
    ]
    optional = {
        "window_strides": window_strides and i64s(window_strides),
        "lhs_dilation": lhs_dilation and i64s(lhs_dilation),
        "rhs_dilation": rhs_dilation and i64s(rhs_dilation),
        "window_reversal": window_reversal and flags(window_reversal),
        "padding": padding and matrix(padding),
    }
    return {
        "dimension_numbers": f"#stablehlo.conv<raw {', '.join(fields)}>",
        "feature_group_count": i64(feature_group_count),
        "batch_group_count": i64(batch_group_count),
        **{name: text for name, text in optional.items() if text},
        **_precision(precision),
    }


def _fft_numpy(x: np.ndarray, *, fft_type: str, fft_length: Ints) -> np.ndarray:
    axes = tuple(range(x.ndim - len(fft_length), x.ndim))
    transform: Any = {
        "FFT": np.fft.fftn,
        "IFFT": np.fft.ifftn,
        "RFFT": np.fft.rfftn,
        "IRFFT": np.fft.irfftn,
    }[fft_type]
    return transform(x, fft_length, axes)


def _fft_attributes(*, fft_type: str, fft_length: Ints) -> dict[str, str]:
    return {"fft_type": enum("fft_type", fft_type), "fft_length": i64s(fft_length)}


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


def _triangular_solve_attributes(
    *,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool = False,
    transpose_a: str = "NO_TRANSPOSE",
) -> dict[str, str]:
    return {
        "left_side": flag(left_side),
        "lower": flag(lower),
        "unit_diagonal": flag(unit_diagonal),
        "transpose_a": enum("transpose", transpose_a),
    }


def _dot_samples() -> list[Sample]:
    def dims(left: Ints, right: Ints, left_batch: Ints = (), right_batch: Ints = ()) -> Any:
        return {
            "lhs_contracting_dimensions": left,
            "rhs_contracting_dimensions": right,
            "lhs_batching_dimensions": left_batch,
            "rhs_batching_dimensions": right_batch,
        }

    x, y = arange("f8", 2, 3), arange("f8", 3, 4)
    batches = (arange("f4", 3, 2, 4), arange("f4", 4, 3, 5))
    return [
        ((x, y), dims((1,), (0,))),
        ((x, y), {**dims((1,), (0,)), "precision": "HIGHEST"}),
        ((x, x), dims((), ())),
        ((x, x), dims((0, 1), (0, 1))),
        (batches, dims((2,), (0,), (0,), (1,))),
        ((x[:, :0], y[:0]), dims((1,), (0,))),
        ((x.astype("i4"), y.astype("i4")), dims((1,), (0,))),
        ((x * 1j, y + 1j), dims((1,), (0,))),
        ((np.array(2.0), np.array(3.0)), dims((), ())),
    ]


def _convolution_samples() -> list[Sample]:
    image, kernel = np.sin(arange("f8", 2, 4, 5, 6)), np.cos(arange("f8", 8, 4, 3, 2))
    last = np.sin(arange("f4", 2, 5, 6, 4)), np.cos(arange("f4", 3, 2, 4, 3))
    layout = {"dimension_numbers": "bf01_oi01->bf01"}
    every = {
        "window_strides": (1, 2),
        "padding": ((1, 0), (2, 3)),
        "lhs_dilation": (2, 1),
        "rhs_dilation": (1, 2),
    }
    return [
        ((image, kernel), layout),
        ((image, kernel), {**layout, **every}),
        ((image, kernel), {**layout, "padding": ((-1, 1), (0, 0))}),
        ((image, kernel[:, :2]), {**layout, "feature_group_count": 2}),
        ((image, kernel), {**layout, "batch_group_count": 2}),
        (last, {"dimension_numbers": "b01f_01io->b01f", "window_strides": (2, 1)}),
        ((arange("f8", 1, 2, 5), arange("f8", 3, 2, 2)), {"dimension_numbers": "bf0_oi0->bf0"}),
    ]


def _fft_samples() -> list[Sample]:
    x = np.cos(arange("f8", 3, 4, 6))
    half = np.fft.rfftn(x, axes=(1, 2))
    return [
        ((x * (1 + 1j),), {"fft_type": "FFT", "fft_length": (6,)}),
        ((x * (1 + 1j),), {"fft_type": "IFFT", "fft_length": (4, 6)}),
        ((x,), {"fft_type": "RFFT", "fft_length": (3, 4, 6)}),
        ((half,), {"fft_type": "IRFFT", "fft_length": (4, 6)}),
        ((x[0].astype("f4"),), {"fft_type": "RFFT", "fft_length": (6,)}),
    ]


def _triangle(dtype: str) -> np.ndarray:
    """Two well-conditioned matrices."""
    return (np.sin(arange("f8", 2, 3, 3)) + 4 * np.eye(3)).astype(dtype)


def _cholesky_samples() -> list[Sample]:
    a = _triangle("f8")
    spd = a @ np.swapaxes(a, 1, 2)
    return [((spd,), {"lower": True}), ((spd[0].astype("f4"),), {"lower": True})]


def _triangular_solve_samples() -> list[Sample]:
    a, b = _triangle("f8"), np.cos(arange("f8", 2, 3, 3))
    settings = [
        (True, True, False, "NO_TRANSPOSE"),
        (False, True, True, "TRANSPOSE"),
        (True, False, False, "TRANSPOSE"),
        (False, False, False, "NO_TRANSPOSE"),
    ]
    names = ("left_side", "lower", "unit_diagonal", "transpose_a")
    rows: list[Sample] = [((a, b), dict(zip(names, row, strict=True))) for row in settings]
    adjoint = dict(zip(names, (True, True, False, "ADJOINT"), strict=True))
    return [*rows, ((a * (1 + 0.5j), b * 1j), adjoint)]


dot_general = Op(
    "dot_general",
    _dot_general,
    numpy=_dot_numpy,
    emit=spelled("dot_general", _dot_attributes),
    samples=_dot_samples,
)
convolution = Op(
    "convolution",
    _convolution,
    numpy=_convolution_numpy,
    emit=spelled("convolution", _convolution_attributes),
    samples=_convolution_samples,
)
fft = Op(
    "fft",
    _fft,
    numpy=_fft_numpy,
    emit=spelled("fft", _fft_attributes),
    samples=_fft_samples,
)
cholesky = Op(
    "cholesky",
    _cholesky,
    numpy=_cholesky_numpy,
    emit=spelled("cholesky", lambda lower=True: {"lower": flag(lower)}),
    samples=_cholesky_samples,
)
triangular_solve = Op(
    "triangular_solve",
    _triangular_solve,
    numpy=_triangular_solve_numpy,
    emit=spelled("triangular_solve", _triangular_solve_attributes),
    samples=_triangular_solve_samples,
)
