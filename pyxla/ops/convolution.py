"""Convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import check_length, refuse
from pyxla.ops.contract import (
    bilinear_jvp,
    check_precision,
    extents_along,
    precision_attribute,
    product,
)
from pyxla.ops.contribution import Contribution
from pyxla.ops.reduce import window_shape
from pyxla.ops.shape import fold, merged, reverse, split, transpose, unfold
from pyxla.ops.spell import bracketed, flags, i64, i64s, matrix

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


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
        array_type(x.dtype, extents_along(x, d.input_spatial_dimensions)),
        extents_along(w, d.kernel_spatial_dimensions),
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
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: str = "DEFAULT",
    **window: Any,
) -> dict[str, str]:
    d = _numbers(dimension_numbers)
    fields = [
        f"{name} = {bracketed(value) if isinstance(value, tuple) else value}"
        for name in ConvDimensionNumbers.__slots__
        for value in (getattr(d, name),)
    ]
    return {
        "dimension_numbers": f"#stablehlo.conv<raw {', '.join(fields)}>",
        "feature_group_count": i64(feature_group_count),
        "batch_group_count": i64(batch_group_count),
        **{name: _SPELLED.get(name, i64s)(value) for name, value in window.items() if value},
        **precision_attribute(precision),
    }


_SPELLED: dict[str, Callable[..., str]] = {"window_reversal": flags, "padding": matrix}


def _convolution_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    c = _Conv(instr)
    lhs = _input_cotangent(c, ct) if wanted[0] else None
    return lhs, _kernel_cotangent(c, ct) if wanted[1] else None


class _Conv:
    """The settings of a convolution, all of them."""

    def __init__(self, instr: Instr) -> None:
        attrs = instr.attrs
        self.x, self.w = instr.operands
        self.d = d = _numbers(attrs["dimension_numbers"])
        count = len(d.input_spatial_dimensions)
        ones = (1,) * count
        self.strides = attrs.get("window_strides") or ones
        self.padding = attrs.get("padding") or ((0, 0),) * count
        self.lhs_dilation = attrs.get("lhs_dilation") or ones
        self.rhs_dilation = attrs.get("rhs_dilation") or ones
        self.reversal = attrs.get("window_reversal") or (False,) * count
        self.feature_groups = attrs.get("feature_group_count", 1)
        self.batch_groups = attrs.get("batch_group_count", 1)
        self.precision = attrs.get("precision", "DEFAULT")
        out = instr.results[0].type
        self.reach = _reach(self.x.type, d.input_spatial_dimensions, self.lhs_dilation)
        self.window = _reach(self.w.type, d.kernel_spatial_dimensions, self.rhs_dilation)
        self.made = _reach(out, d.output_spatial_dimensions, self.strides)


def _reach(x: ArrayType, axes: tuple[int, ...], steps: Sequence[int]) -> list[int]:
    """The extents along `axes` with `steps` between elements."""
    extents = extents_along(x, axes)
    return [n and (n - 1) * step + 1 for n, step in zip(extents, steps, strict=True)]


def _grouped(x: Value, source: int, target: int, count: int) -> Value:
    """Move `count` groups of dimension `source` in front of dimension `target`."""
    x = split(x, source, count)
    kept = [axis for axis in range(x.type.ndim) if axis != source]
    at = kept.index(target if target < source else target + 1)
    order = (*kept[:at], source, *kept[at:])
    return merged(transpose(x, permutation=order), at)


def _input_cotangent(c: _Conv, ct: Value) -> Value:
    """A convolution with the kernel the other way round, strides as dilation.

    The kernel is reversed by itself: XLA:CPU has no fast code for windows that are reversed.
    """
    d, w = c.d, c.w
    groups = max(c.feature_groups, c.batch_groups)
    outputs, inputs = d.kernel_output_feature_dimension, d.kernel_input_feature_dimension
    if groups > 1:
        w = _grouped(w, outputs, inputs, groups)
    axes = zip(d.kernel_spatial_dimensions, c.reversal, strict=True)
    turned = [axis for axis, flipped in axes if not flipped and w.type.shape[axis] > 1]
    if turned:
        w = reverse(w, dimensions=tuple(turned))
    padding = []
    for n, window, size, (low, _) in zip(c.reach, c.window, c.made, c.padding, strict=True):
        before = window - low - 1
        padding.append((before, n + window - 1 - size - before))
    numbers = ConvDimensionNumbers(
        d.output_batch_dimension,
        d.output_feature_dimension,
        d.output_spatial_dimensions,
        outputs,
        inputs,
        d.kernel_spatial_dimensions,
        d.input_batch_dimension,
        d.input_feature_dimension,
        d.input_spatial_dimensions,
    )
    made = convolution(
        ct,
        w,
        dimension_numbers=numbers,
        window_strides=c.lhs_dilation,
        padding=tuple(padding),
        lhs_dilation=c.strides,
        rhs_dilation=c.rhs_dilation,
        feature_group_count=groups,
        precision=c.precision,
    )
    if c.batch_groups > 1:
        made = _grouped(made, d.input_feature_dimension, d.input_batch_dimension, c.batch_groups)
    return made


def _kernel_cotangent(c: _Conv, ct: Value) -> Value:
    """The input convolved with the cotangent: batches take the place of features."""
    d = c.d
    padding = tuple(
        [
            (low, made + window - n - 1 - low)
            for n, window, made, (low, _) in zip(c.reach, c.window, c.made, c.padding, strict=True)
        ]
    )
    numbers = ConvDimensionNumbers(
        d.input_feature_dimension,
        d.input_batch_dimension,
        d.input_spatial_dimensions,
        d.output_batch_dimension,
        d.output_feature_dimension,
        d.output_spatial_dimensions,
        d.kernel_input_feature_dimension,
        d.kernel_output_feature_dimension,
        d.kernel_spatial_dimensions,
    )
    made = convolution(
        c.x,
        ct,
        dimension_numbers=numbers,
        window_strides=c.rhs_dilation,
        padding=padding,
        lhs_dilation=c.lhs_dilation,
        rhs_dilation=c.strides,
        feature_group_count=c.batch_groups,
        batch_group_count=c.feature_groups,
        precision=c.precision,
    )
    flipped = [a for a, r in zip(d.kernel_spatial_dimensions, c.reversal, strict=True) if r]
    return reverse(made, dimensions=tuple(flipped)) if flipped else made


def _convolution_batch(instr: Instr, operands: Sequence[Value], size: int) -> Value:
    """Lanes of the input are batches, those of the kernel features, those of both groups."""
    x, w = operands
    d = _numbers(instr.attrs["dimension_numbers"])
    varies = batching.is_batched(instr, operands)
    features = instr.attrs.get("feature_group_count", 1)
    batches = instr.attrs.get("batch_group_count", 1)
    kernel, place = d.kernel_output_feature_dimension, d.output_feature_dimension
    if all(varies):
        w = fold(w, kernel)
        if batches > 1:
            x = fold(x, d.input_batch_dimension)
            groups = {"batch_group_count": size * batches}
        else:
            x = fold(x, d.input_feature_dimension)
            groups = {"feature_group_count": size * features}
        return unfold(convolution(x, w, **{**instr.attrs, **groups}), place, size)
    if varies[0]:
        x = _fold_in_groups(x, d.input_batch_dimension, batches)
        return unfold(convolution(x, w, **instr.attrs), d.output_batch_dimension, size)
    groups = max(features, batches)
    made = convolution(x, _fold_in_groups(w, kernel, groups), **instr.attrs)
    return _unfold_from_groups(made, place, size, groups)


def _fold_in_groups(x: Value, axis: int, groups: int) -> Value:
    """As `fold`, below the groups that the dimension consists of."""
    if groups == 1:
        return fold(x, axis)
    return merged(fold(split(x, axis + 1, groups), axis + 1), axis)


def _unfold_from_groups(x: Value, axis: int, size: int, groups: int) -> Value:
    if groups == 1:
        return unfold(x, axis, size)
    return merged(unfold(split(x, axis, groups), axis + 1, size), axis + 1)


convolution = Op(
    "convolution",
    _convolution,
    numpy=_convolution_numpy,
    emit=product("convolution", _convolution_attributes),
    jvp=bilinear_jvp,
    vjp=_convolution_vjp,
    batch=_convolution_batch,
)
