"""Ops of linear algebra: products, convolution, FFT, triangular factors."""

from __future__ import annotations

from dataclasses import dataclass

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

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def _extents(x: ArrayType, axes: Ints) -> Ints:
    return tuple([x.shape[axis] for axis in axes])


def _rest(x: ArrayType, taken: Ints) -> Ints:
    return tuple([n for axis, n in enumerate(x.shape) if axis not in taken])


def _dot_general(
    x: ArrayType,
    y: ArrayType,
    *,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_batching_dimensions: Ints = (),
    rhs_batching_dimensions: Ints = (),
) -> ArrayType:
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
) -> ArrayType:
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


dot_general = Op("dot_general", _dot_general)
convolution = Op("convolution", _convolution)
fft = Op("fft", _fft)
cholesky = Op("cholesky", _cholesky)
triangular_solve = Op("triangular_solve", _triangular_solve)
