"""Ops that fold elements together: reductions, windows, sorting, batch statistics."""

from __future__ import annotations

from pyxla.ir.core import Region
from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, I32, ArrayType, array_type
from pyxla.ops.check import (
    COMPLEXES,
    FLOATS,
    check_axes,
    check_axis,
    check_dtype,
    check_length,
    check_same,
    listed,
    refuse,
    require,
)
from pyxla.ops.computation import check_computation, check_region, element_types

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Types = ArrayType | tuple[ArrayType, ...]


def _halves(op: str, operands: tuple[ArrayType, ...]) -> tuple[tuple[ArrayType, ...], ...]:
    """Arrays and their initial values; all arrays of one shape, each init of its element type."""
    count = len(operands) // 2
    require(count > 0 and len(operands) % 2 == 0, op, "operands: arrays, then as many inits")
    xs, inits = operands[:count], operands[count:]
    for x, init in zip(xs, inits, strict=True):
        if init.shape or init.dtype != x.dtype:
            refuse(op, f"the init of {x} must be a scalar of its element type, got {init}")
        if x.shape != xs[0].shape:
            refuse(op, f"operands must have one shape, got {listed(xs)}")
    return xs, inits


def _reduce(
    *operands: ArrayType,
    dimensions: Ints,
    computation: str = "",
    regions: tuple[Region, ...] = (),
) -> Types:
    xs, _ = _halves("reduce", operands)
    check_axes("reduce", "dimensions", dimensions, xs[0].ndim)
    check_computation("reduce", computation, regions, xs)
    shape = tuple([n for axis, n in enumerate(xs[0].shape) if axis not in dimensions])
    results = tuple([array_type(x.dtype, shape) for x in xs])
    return results if len(results) > 1 else results[0]


def window_shape(
    op: str,
    x: ArrayType,
    window_dimensions: Ints,
    window_strides: Ints | None,
    base_dilations: Ints | None,
    window_dilations: Ints | None,
    padding: Pairs | None,
) -> Ints:
    """How many windows there are along each dimension."""
    ones = (1,) * x.ndim
    shape = []
    settings = {
        "window_dimensions": window_dimensions,
        "window_strides": window_strides or ones,
        "base_dilations": base_dilations or ones,
        "window_dilations": window_dilations or ones,
        "padding": padding or ((0, 0),) * x.ndim,
    }
    for what, values in settings.items():
        check_length(op, what, values, x.ndim)
    for extent, *row in zip(x.shape, *settings.values(), strict=True):
        window, stride, base, dilation, (low, high) = row
        if min(window, stride, base, dilation) < 1:
            refuse(op, "window dimensions, strides and dilations must be positive")
        padded = low + (0 if extent == 0 else (extent - 1) * base + 1) + high
        reach = (window - 1) * dilation + 1
        shape.append(0 if reach > padded else (padded - reach) // stride + 1)
    return tuple(shape)


def _reduce_window(
    *operands: ArrayType,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    base_dilations: Ints | None = None,
    window_dilations: Ints | None = None,
    padding: Pairs | None = None,
    computation: str = "",
    regions: tuple[Region, ...] = (),
) -> Types:
    xs, _ = _halves("reduce_window", operands)
    check_computation("reduce_window", computation, regions, xs)
    shape = window_shape(
        "reduce_window",
        xs[0],
        window_dimensions,
        window_strides,
        base_dilations,
        window_dilations,
        padding,
    )
    results = tuple([array_type(x.dtype, shape) for x in xs])
    return results if len(results) > 1 else results[0]


SELECTORS = ("GE", "GT", "LE", "LT")


def _select_and_scatter(
    x: ArrayType,
    source: ArrayType,
    init: ArrayType,
    *,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    padding: Pairs | None = None,
    select: str = "",
    computation: str = "",
    regions: tuple[Region, ...] = (),
) -> ArrayType:
    name = "select_and_scatter"
    shape = window_shape(name, x, window_dimensions, window_strides, None, None, padding)
    if source.dtype != x.dtype or source.shape != shape:
        refuse(name, f"source {source} must have {x}'s element type and shape {list(shape)}")
    if init.shape or init.dtype != x.dtype:
        refuse(name, f"the init of {x} must be a scalar of its element type, got {init}")
    if regions:
        require(len(regions) == 2, name, "two regions are needed: select and scatter")
        check_region(name, regions[0], element_types([x, x]), (BOOL,))
        check_region(name, regions[1], element_types([x, x]), element_types([x]))
        return x
    require(select in SELECTORS, name, f"select must be one of {', '.join(SELECTORS)}: {select!r}")
    check_computation(name, computation, regions, [x])
    return x


def _sort(
    *xs: ArrayType,
    dimension: int,
    is_stable: bool = True,
    comparator: str = "",
    regions: tuple[Region, ...] = (),
) -> Types:
    require(bool(xs), "sort", "at least one operand is needed")
    check_axis("sort", "dimension", dimension, xs[0].ndim)
    for x in xs:
        if x.shape != xs[0].shape:
            refuse("sort", f"operands must have one shape, got {listed(xs)}")
    if regions:
        pairs = [element for element in element_types(xs) for _ in range(2)]
        check_region("sort", regions[0], pairs, (BOOL,))
    elif comparator not in ("LT", "GT"):
        refuse("sort", f"comparator must be a region, LT or GT, got {comparator!r}")
    return xs if len(xs) > 1 else xs[0]


def _top_k(x: ArrayType, k: int) -> Types:
    require(x.ndim > 0 and 0 <= k <= x.shape[-1], "top_k", f"k {k} does not fit {x}")
    if x.dtype in COMPLEXES:
        refuse("top_k", f"complex elements have no order, got {x}")
    shape = (*x.shape[:-1], k)
    return array_type(x.dtype, shape), array_type(INDEX_DTYPE, shape)


INDEX_DTYPE = I32.dtype


def _check_features(op: str, x: ArrayType, feature_index: int, *vectors: ArrayType) -> ArrayType:
    """The type of one number per feature."""
    check_dtype(op, x, FLOATS)
    check_axis(op, "feature_index", feature_index, x.ndim)
    vector = array_type(x.dtype, (x.shape[feature_index],))
    for other in vectors:
        check_same(op, vector, other)
    return vector


def _batch_norm_training(
    x: ArrayType, scale: ArrayType, offset: ArrayType, *, epsilon: float, feature_index: int
) -> Types:
    vector = _check_features("batch_norm_training", x, feature_index, scale, offset)
    return x, vector, vector


def _batch_norm_inference(
    x: ArrayType,
    scale: ArrayType,
    offset: ArrayType,
    mean: ArrayType,
    variance: ArrayType,
    *,
    epsilon: float,
    feature_index: int,
) -> ArrayType:
    _check_features("batch_norm_inference", x, feature_index, scale, offset, mean, variance)
    return x


def _batch_norm_grad(
    x: ArrayType,
    scale: ArrayType,
    mean: ArrayType,
    variance: ArrayType,
    grad_output: ArrayType,
    *,
    epsilon: float,
    feature_index: int,
) -> Types:
    vector = _check_features("batch_norm_grad", x, feature_index, scale, mean, variance)
    check_same("batch_norm_grad", x, grad_output)
    return x, vector, vector


reduce = Op("reduce", _reduce)
reduce_window = Op("reduce_window", _reduce_window)
select_and_scatter = Op("select_and_scatter", _select_and_scatter)
sort = Op("sort", _sort)
top_k = Op("top_k", _top_k)
batch_norm_training = Op("batch_norm_training", _batch_norm_training)
batch_norm_inference = Op("batch_norm_inference", _batch_norm_inference)
batch_norm_grad = Op("batch_norm_grad", _batch_norm_grad)
