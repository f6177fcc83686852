"""Ops that fold elements together: reductions, windows, sorting, batch statistics."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, I32, ArrayType, array_type
from pyxla.ops import computation as computations
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
from pyxla.ops.computation import (
    UFUNCS,
    Elementwise,
    check_computation,
    check_region,
    combiner,
    computing,
    element_types,
    elementwise_blocks,
    elementwise_numpy,
    selector,
)
from pyxla.ops.elementwise import DIRECTIONS, add, compare, multiply
from pyxla.ops.evaluate import evaluate
from pyxla.ops.samples import Sample, arange, array
from pyxla.ops.spell import flag, i64, i64s, matrix, spelled

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
        require(len(regions) == 2, name, "select and computation: two names or two functions")
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


def _reduce_numpy(
    *operands: np.ndarray,
    dimensions: Ints,
    computation: str = "",
    regions: Sequence[Elementwise] = (),
) -> Any:
    count = len(operands) // 2
    xs, inits = operands[:count], operands[count:]
    if not regions:
        (x,), (init,) = xs, inits
        return UFUNCS[computation].reduce(x, dimensions, dtype=x.dtype, initial=init[()])
    shape = tuple([n for axis, n in enumerate(xs[0].shape) if axis not in dimensions])
    results = tuple([np.full(shape, init, x.dtype) for x, init in zip(xs, inits, strict=True)])
    for position in np.ndindex(xs[0].shape):
        at = tuple([p for axis, p in enumerate(position) if axis not in dimensions])
        _accumulate(regions[0], results, at, [x[position] for x in xs])
    return results if count > 1 else results[0]


def _accumulate(
    combine: Elementwise, results: Sequence[np.ndarray], at: Ints, new: Sequence[np.ndarray]
) -> None:
    """results[at] = combine(results[at], new)."""
    old = [result[at] for result in results]
    for result, value in zip(results, combine(*old, *new), strict=True):
        result[at] = value


def _windows(
    shape: Ints,
    result_shape: Ints,
    window_dimensions: Ints,
    window_strides: Ints | None,
    base_dilations: Ints | None,
    window_dilations: Ints | None,
    padding: Pairs | None,
) -> Iterator[tuple[Ints, list[Ints]]]:
    """Each window's position, and the positions of the elements it sees (padding left out)."""
    ones = (1,) * len(shape)
    strides, bases = window_strides or ones, base_dilations or ones
    dilations, edges = window_dilations or ones, padding or ((0, 0),) * len(shape)
    rows = list(zip(shape, strides, bases, dilations, edges, strict=True))
    for at in np.ndindex(result_shape):
        seen = []
        for offset in np.ndindex(window_dimensions):
            spread = [
                a * stride + o * dilation - low
                for a, o, (_, stride, _, dilation, (low, _)) in zip(at, offset, rows, strict=True)
            ]
            inside = all(
                s >= 0 and s % base == 0 and s // base < n
                for s, (n, _, base, _, _) in zip(spread, rows, strict=True)
            )
            if inside:
                seen.append(tuple([s // row[2] for s, row in zip(spread, rows, strict=True)]))
        yield at, seen


def _reduce_window_numpy(
    *operands: np.ndarray,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    base_dilations: Ints | None = None,
    window_dilations: Ints | None = None,
    padding: Pairs | None = None,
    computation: str = "",
    regions: Sequence[Elementwise] = (),
) -> Any:
    count = len(operands) // 2
    xs, inits = operands[:count], operands[count:]
    settings = (window_dimensions, window_strides, base_dilations, window_dilations, padding)
    shape = window_shape("reduce_window", array_type(xs[0].dtype, xs[0].shape), *settings)
    results = tuple([np.full(shape, init, x.dtype) for x, init in zip(xs, inits, strict=True)])
    combine = elementwise_numpy(computation, regions)
    for at, seen in _windows(xs[0].shape, shape, *settings):
        for position in seen:
            _accumulate(combine, results, at, [x[position] for x in xs])
    return results if count > 1 else results[0]


def _reduce_window_attributes(
    *,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    base_dilations: Ints | None = None,
    window_dilations: Ints | None = None,
    padding: Pairs | None = None,
    computation: str = "",
) -> dict[str, str]:
    optional = {
        "window_strides": window_strides,
        "base_dilations": base_dilations,
        "window_dilations": window_dilations,
    }
    attributes = {name: i64s(values) for name, values in optional.items() if values}
    attributes["window_dimensions"] = i64s(window_dimensions)
    if padding:
        attributes["padding"] = matrix(padding)
    return attributes


def _select_and_scatter_numpy(
    x: np.ndarray,
    source: np.ndarray,
    init: np.ndarray,
    *,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    padding: Pairs | None = None,
    select: str = "",
    computation: str = "",
    regions: Sequence[Elementwise] = (),
) -> np.ndarray:
    chooses = regions[0] if regions else lambda a, b: (DIRECTIONS[select](a, b),)
    combine = elementwise_numpy(computation, regions[1:])
    result = np.full(x.shape, init, x.dtype)
    settings = (window_dimensions, window_strides, None, None, padding)
    for at, seen in _windows(x.shape, source.shape, *settings):
        if not seen:
            continue
        chosen = seen[0]
        for position in seen[1:]:
            if not chooses(x[chosen], x[position])[0]:
                chosen = position
        _accumulate(combine, (result,), chosen, [source[at]])
    return result


def _emit_select_and_scatter(e: Any, instr: Any, operands: Any) -> Any:
    attrs, dtype = instr.attrs, instr.operands[0].type.dtype
    attributes = _reduce_window_attributes(
        window_dimensions=attrs["window_dimensions"],
        window_strides=attrs.get("window_strides"),
        padding=attrs.get("padding"),
    )
    regions = instr.regions or (
        selector(attrs["select"], dtype),
        combiner(attrs["computation"], dtype),
    )
    return e.op("stablehlo.select_and_scatter", instr, operands, attributes, regions)


def _select_and_scatter_blocks(x: ArrayType, *_: ArrayType, **attrs: Any) -> dict[str, Any]:
    return {"select": element_types([x, x]), "computation": element_types([x, x])}


def _sort_numpy(
    *xs: np.ndarray,
    dimension: int,
    is_stable: bool = True,
    comparator: str = "",
    regions: Sequence[Elementwise] = (),
) -> Any:
    """Row by row, with the comparator as the order."""
    before = regions[0] if regions else _comparing(comparator, xs)
    moved = [np.moveaxis(x, dimension, -1) for x in xs]
    results = [np.empty_like(x) for x in moved]

    def order(a: int, b: int) -> int:
        pairs_ab = [cell for row in rows for cell in (row[a], row[b])]
        pairs_ba = [cell for row in rows for cell in (row[b], row[a])]
        return -1 if before(*pairs_ab)[0] else int(bool(before(*pairs_ba)[0]))

    for position in np.ndindex(moved[0].shape[:-1]):
        rows = [x[position] for x in moved]
        permutation = sorted(range(len(rows[0])), key=functools.cmp_to_key(order))
        for result, row in zip(results, rows, strict=True):
            result[position] = row[permutation]
    restored = tuple([np.moveaxis(result, -1, dimension) for result in results])
    return restored if len(xs) > 1 else restored[0]


def _comparing(direction: str, xs: Sequence[np.ndarray]) -> Elementwise:
    region = computations.comparator(direction, tuple([x.dtype for x in xs]))
    return functools.partial(_evaluated, region)


def _evaluated(region: Region, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
    return evaluate(region, arguments)


def _emit_sort(e: Any, instr: Any, operands: Any) -> Any:
    attrs = instr.attrs
    attributes = {
        "dimension": i64(attrs["dimension"]),
        "is_stable": flag(attrs.get("is_stable", True)),
    }
    dtypes = tuple([value.type.dtype for value in instr.operands])
    regions = instr.regions or (computations.comparator(attrs["comparator"], dtypes),)
    return e.op("stablehlo.sort", instr, operands, attributes, regions)


def _sort_blocks(*xs: ArrayType, **_: Any) -> dict[str, Any]:
    return {"comparator": [element for element in element_types(xs) for _ in range(2)]}


def _top_k_numpy(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest of each row, largest first, NaN counting as largest; ties by position."""
    order = np.argsort(np.flip(x, -1), axis=-1, kind="stable")
    order = (x.shape[-1] - 1 - np.flip(order, -1))[..., :k]
    return np.take_along_axis(x, order, -1), order.astype(np.int32)


def _feature_axes(x: np.ndarray, feature_index: int) -> tuple[Ints, tuple[Any, ...]]:
    """The other axes, and the index that spreads a vector over the feature axis."""
    others = tuple([axis for axis in range(x.ndim) if axis != feature_index])
    spread = tuple([slice(None) if axis == feature_index else None for axis in range(x.ndim)])
    return others, spread


def _batch_norm_inference_numpy(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
    feature_index: int,
) -> np.ndarray:
    _, spread = _feature_axes(x, feature_index)
    deviation = np.sqrt(variance + epsilon)[spread]
    result = scale[spread] * (x - mean[spread]) / deviation + offset[spread]
    return result.astype(x.dtype)


def _batch_norm_training_numpy(
    x: np.ndarray, scale: np.ndarray, offset: np.ndarray, *, epsilon: float, feature_index: int
) -> tuple[np.ndarray, ...]:
    axes, _ = _feature_axes(x, feature_index)
    mean, variance = x.mean(axes), x.var(axes)
    normal = _batch_norm_inference_numpy(
        x, scale, offset, mean, variance, epsilon=epsilon, feature_index=feature_index
    )
    return normal, mean, variance


def _batch_norm_grad_numpy(
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    grad_output: np.ndarray,
    *,
    epsilon: float,
    feature_index: int,
) -> tuple[np.ndarray, ...]:
    """Ioffe and Szegedy (2015), section 3, with the sums over all axes but the features'."""
    axes, spread = _feature_axes(x, feature_index)
    count = x.size // max(x.shape[feature_index], 1)
    deviation = np.sqrt(variance + epsilon)
    centered = x - mean[spread]
    grad_offset = grad_output.sum(axes)
    grad_scale = (grad_output * centered).sum(axes) / deviation
    inner = count * grad_output - grad_offset[spread]
    inner = inner - centered * (grad_scale / deviation)[spread]
    grad_operand = (scale / deviation / count)[spread] * inner
    return tuple([part.astype(x.dtype) for part in (grad_operand, grad_scale, grad_offset)])


def _batch_norm_attributes(epsilon: float, feature_index: int) -> dict[str, str]:
    return {"epsilon": f"{float(epsilon)!r} : f32", "feature_index": i64(feature_index)}


ZERO, ONE, INF = np.array(0.0), np.array(1.0), np.array(np.inf)
X = array(np.dtype("f8"), (2, 3))


def _total(*operands: Value) -> tuple[Value, ...]:
    """(sum, product) of pairs: a computation on two arrays at once."""
    a, b, c, d = operands
    return add(a, c), multiply(b, d)


def _reduce_samples() -> list[Sample]:
    rows: list[Sample] = [
        ((X, init), {"dimensions": dims, "computation": name})
        for name, init in (("add", ZERO), ("multiply", ONE), ("maximum", -INF), ("minimum", INF))
        for dims in ((0,), (0, 1), ())
    ]
    ints, flags = array(np.dtype("i4"), (2, 3)), array(np.dtype(bool), (2, 3))
    logical = (("and", -1, True), ("or", 0, False), ("xor", 0, False))
    for name, number, truth in logical:
        attrs = {"dimensions": (1,), "computation": name}
        rows += [((ints, np.array(number, "i4")), attrs), ((flags, np.array(truth)), attrs)]
    return [
        *rows,
        ((X[:0], ONE), {"dimensions": (0,), "computation": "add"}),
        ((X * 1j, np.array(0j)), {"dimensions": (0,), "computation": "add"}),
        ((X, ONE), {"dimensions": (1,), "computation": lambda a, b: add(a, multiply(b, b))}),
        ((X, ints, ZERO, np.array(1, "i4")), {"dimensions": (0,), "computation": _total}),
    ]


def _reduce_window_samples() -> list[Sample]:
    grid = arange("f8", 4, 5)
    full = {
        "window_dimensions": (2, 3),
        "window_strides": (1, 2),
        "base_dilations": (2, 1),
        "window_dilations": (1, 2),
        "padding": ((1, 0), (2, 1)),
    }
    return [
        ((grid, ZERO), {"window_dimensions": (2, 2), "computation": "add"}),
        ((grid, ZERO), {**full, "computation": "add"}),
        ((grid, -INF), {**full, "computation": "maximum"}),
        ((grid[0], ZERO), {"window_dimensions": (7,), "computation": "add"}),
        ((grid[:0], ZERO), {"window_dimensions": (1, 2), "computation": "add"}),
        ((grid, ONE), {**full, "computation": lambda a, b: add(a, multiply(b, b))}),
        ((grid, grid, ZERO, ONE), {"window_dimensions": (2, 2), "computation": _total}),
    ]


def _select_and_scatter_samples() -> list[Sample]:
    grid = np.array([[1.0, 5, 2, 0], [3, 4, 9, 9], [7, 6, 8, 1]])
    window = {"window_dimensions": (2, 2), "window_strides": (1, 2)}
    padded = {**window, "padding": ((1, 0), (0, 0))}
    functions = {
        "select": lambda a, b: compare(a, b, direction="LE"),
        "computation": lambda a, b: add(a, b),
    }
    named = {"select": "GE", "computation": "add"}
    return [
        ((grid, arange("f8", 2, 2) + 1, ZERO), {**window, **named}),
        ((grid, arange("f8", 3, 2) + 1, ONE), {**padded, **named}),
        ((grid, arange("f8", 2, 2) + 1, ZERO), {**window, **functions}),
    ]


def _sort_samples() -> list[Sample]:
    x = np.array([[3.0, np.nan, -1, 3, -np.inf], [0.0, -0.0, np.inf, np.nan, 2]])
    tags = arange("i4", 2, 5)
    z = np.array([2 + 1j, complex(np.nan, 1), complex(1, np.nan), 2 - 1j, complex(np.nan, 0), 1])
    return [
        ((x,), {"dimension": 1, "comparator": "LT"}),
        ((x,), {"dimension": 0, "comparator": "GT"}),
        ((x, tags), {"dimension": 1, "comparator": "LT"}),
        ((x, tags), {"dimension": 1, "comparator": "GT"}),
        ((z,), {"dimension": 0, "comparator": "LT"}),
        ((x > 0, tags), {"dimension": 1, "comparator": "LT"}),
        ((tags[:, :0],), {"dimension": 1, "comparator": "LT"}),
        ((tags,), {"dimension": 1, "comparator": lambda a, b: compare(b, a, direction="LT")}),
    ]


def _batch_norm_samples(extra: Sequence[str]) -> Callable[[], list[Sample]]:
    def samples() -> list[Sample]:
        rows: list[Sample] = []
        for dtype, feature_index in (("f8", 1), ("f4", 0)):
            x = np.sin(arange(dtype, 4, 3, 2))
            vector = np.abs(np.cos(arange(dtype, x.shape[feature_index]))) + 1
            operands = [x, *[np.cos(x) if part == "grad" else vector for part in extra]]
            attrs = {"epsilon": 0.0009765625, "feature_index": feature_index}
            rows.append((tuple(operands), attrs))
        return rows

    return samples


reduce = Op(
    "reduce",
    _reduce,
    numpy=_reduce_numpy,
    emit=computing("reduce", lambda dimensions, computation="": {"dimensions": i64s(dimensions)}),
    blocks=elementwise_blocks,
    samples=_reduce_samples,
)
reduce_window = Op(
    "reduce_window",
    _reduce_window,
    numpy=_reduce_window_numpy,
    emit=computing("reduce_window", _reduce_window_attributes),
    blocks=elementwise_blocks,
    samples=_reduce_window_samples,
)
select_and_scatter = Op(
    "select_and_scatter",
    _select_and_scatter,
    numpy=_select_and_scatter_numpy,
    emit=_emit_select_and_scatter,
    blocks=_select_and_scatter_blocks,
    samples=_select_and_scatter_samples,
)
sort = Op(
    "sort",
    _sort,
    numpy=_sort_numpy,
    emit=_emit_sort,
    blocks=_sort_blocks,
    samples=_sort_samples,
)
top_k = Op(
    "top_k",
    _top_k,
    numpy=_top_k_numpy,
    emit=lambda e, instr, operands: e.op(
        "chlo.top_k", instr, operands, {"k": i64(instr.attrs["k"])}
    ),
    samples=lambda: [
        ((np.array([[3.0, 1, 3, 2], [-1, 5, 0, 5]]),), {"k": 2}),
        ((arange("i4", 2, 3),), {"k": 3}),
        ((arange("i4", 2, 3),), {"k": 0}),
    ],
)
batch_norm_training = Op(
    "batch_norm_training",
    _batch_norm_training,
    numpy=_batch_norm_training_numpy,
    emit=spelled("batch_norm_training", _batch_norm_attributes),
    samples=_batch_norm_samples(("scale", "offset")),
)
batch_norm_inference = Op(
    "batch_norm_inference",
    _batch_norm_inference,
    numpy=_batch_norm_inference_numpy,
    emit=spelled("batch_norm_inference", _batch_norm_attributes),
    samples=_batch_norm_samples(("scale", "offset", "mean", "variance")),
)
batch_norm_grad = Op(
    "batch_norm_grad",
    _batch_norm_grad,
    numpy=_batch_norm_grad_numpy,
    emit=spelled("batch_norm_grad", _batch_norm_attributes),
    samples=_batch_norm_samples(("scale", "mean", "variance", "grad")),
)
