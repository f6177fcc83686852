"""Ops that fold elements together: reductions over dimensions and over windows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import BOOL, ArrayType, array_type
from pyxla.ops import batching, check
from pyxla.ops.check import listed
from pyxla.ops.computation import (
    REDUCERS,
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
from pyxla.ops.contribution import Contribution, Sum
from pyxla.ops.elementwise import (
    DIRECTIONS,
    ORDERS,
    add,
    compare,
    convert,
    divide,
    multiply,
    select,
)
from pyxla.ops.filled import broadcast_in_dim, constant, filled, spread, zeros
from pyxla.ops.shape import concatenate, reshape, slice, transpose
from pyxla.ops.spell import i64s, matrix

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Types = ArrayType | tuple[ArrayType, ...]


def _halves(op: str, operands: tuple[ArrayType, ...]) -> tuple[tuple[ArrayType, ...], ...]:
    """Arrays and their initial values; all arrays of one shape, each init of its element type."""
    count = len(operands) // 2
    check.require(count > 0 and len(operands) % 2 == 0, op, "operands: arrays, then as many inits")
    xs, inits = operands[:count], operands[count:]
    for x, init in zip(xs, inits, strict=True):
        if init.shape or init.dtype != x.dtype:
            check.refuse(op, f"the init of {x} must be a scalar of its element type, got {init}")
        if x.shape != xs[0].shape:
            check.refuse(op, f"operands must have one shape, got {listed(xs)}")
    return xs, inits


def _reduce(
    *operands: ArrayType,
    dimensions: Ints,
    computation: str = "",
    in_order: bool = False,
    regions: tuple[Region, ...] = (),
) -> Types:
    xs, _ = _halves("reduce", operands)
    check.check_axes("reduce", "dimensions", dimensions, xs[0].ndim)
    check_computation("reduce", computation, regions, xs)
    shape = tuple([n for axis, n in enumerate(xs[0].shape) if axis not in dimensions])
    results = tuple([array_type(x.dtype, shape) for x in xs])
    return results if len(results) > 1 else results[0]


def window_shape(
    op: str,
    x: ArrayType,
    window_dimensions: Ints,
    window_strides: Ints | None = None,
    base_dilations: Ints | None = None,
    window_dilations: Ints | None = None,
    padding: Pairs | None = None,
) -> Ints:
    """How many windows there are along each dimension."""
    ones = (1,) * x.ndim
    shape = []
    settings: dict[str, Any] = {
        "window_dimensions": window_dimensions,
        "window_strides": window_strides or ones,
        "base_dilations": base_dilations or ones,
        "window_dilations": window_dilations or ones,
        "padding": padding or ((0, 0),) * x.ndim,
    }
    for what, values in settings.items():
        check.check_length(op, what, values, x.ndim)
    for extent, *row in zip(x.shape, *settings.values(), strict=True):
        window, stride, base, dilation, (low, high) = row
        if min(window, stride, base, dilation) < 1:
            check.refuse(op, "window dimensions, strides and dilations must be positive")
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
    shape = window_shape(name, x, window_dimensions, window_strides, padding=padding)
    if source.dtype != x.dtype or source.shape != shape:
        check.refuse(name, f"source {source} must have {x}'s element type and shape {list(shape)}")
    if init.shape or init.dtype != x.dtype:
        check.refuse(name, f"the init of {x} must be a scalar of its element type, got {init}")
    if regions:
        check.require(len(regions) == 2, name, "select and computation: two names or two functions")
        check_region(name, regions[0], element_types([x, x]), (BOOL,))
        check_region(name, regions[1], element_types([x, x]), element_types([x]))
        return x
    check.require(select in ORDERS, name, f"select must be one of {', '.join(ORDERS)}: {select!r}")
    check_computation(name, computation, regions, [x])
    return x


def _reduce_numpy(
    *operands: np.ndarray,
    dimensions: Ints,
    computation: str = "",
    in_order: bool = False,
    regions: Sequence[Elementwise] = (),
) -> Any:
    count = len(operands) // 2
    xs, inits = operands[:count], operands[count:]
    if not regions:
        (x,), (init,) = xs, inits
        if in_order:
            rows = np.moveaxis(x, dimensions[0], 0)
            rows = np.concatenate([np.full((1, *rows.shape[1:]), init, x.dtype), rows])
            return np.add.accumulate(rows)[-1]
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
    window_strides: Ints | None = None,
    base_dilations: Ints | None = None,
    window_dilations: Ints | None = None,
    padding: Pairs | None = None,
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
    *operands: np.ndarray, computation: str = "", regions: Sequence[Elementwise] = (), **window: Any
) -> Any:
    count = len(operands) // 2
    xs, inits = operands[:count], operands[count:]
    shape = window_shape("reduce_window", array_type(xs[0].dtype, xs[0].shape), **window)
    results = tuple([np.full(shape, init, x.dtype) for x, init in zip(xs, inits, strict=True)])
    combine = elementwise_numpy(computation, regions)
    for at, seen in _windows(xs[0].shape, shape, **window):
        for position in seen:
            _accumulate(combine, results, at, [x[position] for x in xs])
    return results if count > 1 else results[0]


def _window_attributes(computation: str = "", **window: Any) -> dict[str, str]:
    given = {name: value for name, value in window.items() if value}
    return {name: (matrix if name == "padding" else i64s)(value) for name, value in given.items()}


def _select_and_scatter_numpy(
    x: np.ndarray,
    source: np.ndarray,
    init: np.ndarray,
    *,
    select: str = "",
    computation: str = "",
    regions: Sequence[Elementwise] = (),
    **window: Any,
) -> np.ndarray:
    chooses = regions[0] if regions else lambda a, b: (DIRECTIONS[select](a, b),)
    combine = elementwise_numpy(computation, regions[1:])
    result = np.full(x.shape, init, x.dtype)
    for at, seen in _windows(x.shape, source.shape, **window):
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
    attributes = _window_attributes(**{k: x for k, x in attrs.items() if k in _WINDOW})
    regions = instr.regions or (
        selector(attrs["select"], dtype),
        combiner(attrs["computation"], dtype),
    )
    return e.op("stablehlo.select_and_scatter", instr, operands, attributes, regions)


# --- Derivatives ---------------------------------------------------------------------------------


def named(instr: Instr, operands: int = 2) -> str:
    """The name of the computation of an op on one array, with so many operands."""
    if len(instr.operands) != operands or instr.regions:
        raise OpError(
            f"{instr.op.name} has a derivative rule for one array and a computation with a name"
        )
    return instr.attrs["computation"]


def _over(value: Value, instr: Instr) -> Value:
    """A reduction's result, at each element it was made from."""
    x = instr.operands[0].type
    gone = instr.attrs["dimensions"]
    kept = tuple([axis for axis in range(x.ndim) if axis not in gone])
    return broadcast_in_dim(value, shape=x.shape, broadcast_dimensions=kept)


def _sum(x: Value, dimensions: Ints) -> Value:
    zero = zeros(array_type(x.type.dtype))
    return reduce(x, zero, dimensions=dimensions, computation="add")


def _reduce_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    """Linear for `add`; otherwise the sum of partial derivatives times tangents."""
    slopes = _slopes(instr, [t is not None for t in tangents])
    x, init = tangents
    total = None
    if x is not None:
        part = x if slopes[0] is None else _part(instr, x, slopes[0])
        total = _sum(part, instr.attrs["dimensions"])
    if init is not None:
        start = spread(init, instr.results[0].type.shape)
        part = start if slopes[1] is None else multiply(start, slopes[1])
        total = part if total is None else add(total, part)
    return total


def _part(instr: Instr, t: Value, slope: Value) -> Value:
    """Of an extremum: nothing of what is not it, however large its tangent."""
    part = multiply(t, slope)
    if instr.attrs["computation"] == "multiply":
        return part
    zero = zeros(slope.type)
    return select(compare(slope, zero, direction="EQ"), zero, part)


def _reduce_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    slopes = _slopes(instr, wanted)
    x = init = None
    if wanted[0]:
        spread = _over(ct, instr)
        x = spread if slopes[0] is None else multiply(spread, slopes[0])
    if wanted[1]:
        part = ct if slopes[1] is None else multiply(ct, slopes[1])
        init = Sum(part, tuple(range(ct.type.ndim)))
    return x, init


def _slopes(instr: Instr, wanted: Sequence[bool]) -> tuple[Value | None, Value | None]:
    """Partial derivatives by the elements and by the init; None for one everywhere.

    `maximum` and `minimum`: shared equally among all that are the extremum.  That is found again
    of the elements as they are here: in the reverse of a loop they may be computed anew, and be
    rounded another way than they were when the extremum was taken.
    """
    computation = named(instr)
    if computation == "add":
        return None, None
    if computation == "multiply":
        return _products_of_others(instr)
    x, init = instr.operands
    y = reduce(x, init, **instr.attrs)
    mine = convert(compare(x, _over(y, instr), direction="EQ"), dtype=x.type.dtype)
    count = _sum(mine, instr.attrs["dimensions"])
    if not wanted[1]:
        return divide(mine, _over(count, instr)), None
    start = convert(compare(spread(init, y.type.shape), y, direction="EQ"), dtype=x.type.dtype)
    count = add(count, start)
    return divide(mine, _over(count, instr)), divide(start, count)


def _products_of_others(instr: Instr) -> tuple[Value, Value]:
    """By a tree of products, up and down again: no division, so that zeros are no exception."""
    (x, init), gone = instr.operands, instr.attrs["dimensions"]
    kept = [axis for axis in range(x.type.ndim) if axis not in gone]
    order = (*gone, *kept)
    rest = tuple([x.type.shape[axis] for axis in kept])
    count = math.prod([x.type.shape[axis] for axis in gone])
    flat = reshape(transpose(x, permutation=order), shape=(count, *rest))
    rows, halves = flat, []
    while rows.type.shape[0] > 1:
        rows = _even(rows)
        half = rows.type.shape[0] // 2
        left, right = _rows(rows, 0, half), _rows(rows, half, 2 * half)
        halves.append((left, right))
        rows = multiply(left, right)
    product = reshape(rows, shape=rest) if count else filled(array_type(x.type.dtype, rest), 1)
    others = spread(init, (flat if count < 2 else rows).type.shape)
    for left, right in reversed(halves):
        size = left.type.shape[0]
        parts = multiply(_rows(others, 0, size), right), multiply(_rows(others, 0, size), left)
        others = concatenate(*parts, dimension=0)
    shape = tuple([x.type.shape[axis] for axis in order])
    others = reshape(_rows(others, 0, count), shape=shape)
    inverse = tuple([order.index(axis) for axis in range(len(order))])
    return transpose(others, permutation=inverse), product


def _rows(x: Value, start: int, stop: int) -> Value:
    zeros = (0,) * (x.type.ndim - 1)
    limits = (stop, *x.type.shape[1:])
    return slice(x, start_indices=(start, *zeros), limit_indices=limits)


def _even(rows: Value) -> Value:
    """With a row of ones more where their number is odd."""
    if rows.type.shape[0] % 2 == 0:
        return rows
    one = filled(array_type(rows.type.dtype, (1, *rows.type.shape[1:])), 1)
    return concatenate(rows, one, dimension=0)


def _window_settings(instr: Instr) -> list[tuple[int, ...]]:
    """(extent, window, stride, base dilation, window dilation, low) per dimension."""
    x, attrs = instr.operands[0].type, instr.attrs
    ones = (1,) * x.ndim
    return list(
        zip(
            x.shape,
            attrs["window_dimensions"],
            attrs.get("window_strides") or ones,
            attrs.get("base_dilations") or ones,
            attrs.get("window_dilations") or ones,
            [low for low, _ in attrs.get("padding") or ((0, 0),) * x.ndim],
            strict=True,
        )
    )


def _reduce_window_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    computation = named(instr)
    pairs = zip(instr.operands, tangents, strict=True)
    tx, t_init = [zeros(x.type) if t is None else t for x, t in pairs]
    if computation == "add":
        return reduce_window(tx, t_init, **instr.attrs)
    if tangents[1] is not None:
        raise OpError("reduce_window has a derivative rule for the init of sums only")
    return _choose(instr.operands[0], tx, instr)


def _choose(x: Value, t: Value, instr: Instr) -> Value:
    """In each window the element of `t` where `x` is the extremum, the first of equals."""
    direction = _selector(instr)
    element = array_type(x.type.dtype)
    first = filled(element, -np.inf if direction == "GE" else np.inf)

    def better(a: Value, s: Value, b: Value, u: Value) -> tuple[Value, Value]:
        stays = compare(a, b, direction=direction)
        return select(stays, a, b), select(stays, s, u)

    region = current().region([element] * 4, better)
    attrs = {name: value for name, value in instr.attrs.items() if name in _WINDOW}
    return reduce_window(x, t, first, zeros(element), regions=(region,), **attrs)[1]


_WINDOW = ("window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding")
_CHOICE = {"maximum": "GE", "minimum": "LE"}


def _selector(instr: Instr) -> str:
    if instr.op is select_and_scatter:
        return instr.attrs["select"]
    direction = _CHOICE.get(named(instr))
    if direction is None:
        raise OpError(f"reduce_window with {instr.attrs['computation']} has no derivative rule")
    return direction


def _reduce_window_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    if named(instr) == "add":
        return _spread_windows(instr, ct), Sum(ct, tuple(range(ct.type.ndim)))
    if wanted[1]:
        raise OpError("reduce_window has a derivative rule for the init of sums only")
    x, attrs = instr.operands[0], instr.attrs
    if any(row[3:5] != (1, 1) for row in _window_settings(instr)):
        raise OpError("reduce_window with dilation has a derivative rule for sums only")
    settings = {name: attrs[name] for name in _WINDOW if attrs.get(name) and "dil" not in name}
    zero = zeros(array_type(x.type.dtype))
    select_ = _selector(instr)
    made = select_and_scatter(x, ct, zero, select=select_, computation="add", **settings)
    return made, None


def _spread_windows(instr: Instr, ct: Value) -> Value:
    """Each element gets the cotangents of the windows that see it: a sum over windows again."""
    padding = []
    for row, count in zip(_window_settings(instr), ct.type.shape, strict=True):
        extent, window, stride, base, dilation, low = row
        before = (window - 1) * dilation - low
        spread = 0 if count == 0 else (count - 1) * stride + 1
        after = (extent - 1) * base + (window - 1) * dilation + 1 - before - spread
        padding.append((before, after))
    attrs, ones = instr.attrs, (1,) * ct.type.ndim
    return reduce_window(
        ct,
        zeros(array_type(ct.type.dtype)),
        window_dimensions=attrs["window_dimensions"],
        window_strides=attrs.get("base_dilations") or ones,
        base_dilations=attrs.get("window_strides") or ones,
        window_dilations=attrs.get("window_dilations") or ones,
        padding=tuple(padding),
        computation="add",
    )


def _select_and_scatter_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value | None:
    """Linear in the source; where it goes depends on the array piecewise constantly."""
    _check_choice(instr)
    if tangents[1] is None and tangents[2] is None:
        return None
    x, *linear = instr.operands
    given = [zeros(v.type) if t is None else t for v, t in zip(linear, tangents[1:], strict=True)]
    return select_and_scatter(x, *given, **instr.attrs)


def _select_and_scatter_vjp(
    instr: Instr, ct: Value, wanted: Sequence[bool]
) -> tuple[Contribution, ...]:
    _check_choice(instr)
    source = _choose(instr.operands[0], ct, instr) if wanted[1] else None
    return None, source, Sum(ct, tuple(range(ct.type.ndim)))


def _check_choice(instr: Instr) -> None:
    named = not instr.regions and instr.attrs["computation"] == "add"
    if not named or instr.attrs["select"] not in ("GE", "LE"):
        raise OpError("select_and_scatter has a derivative rule for sums, chosen by GE or LE, only")


# --- Batching -------------------------------------------------------------------------------------


def _reduce_batch(instr: Instr, operands: Sequence[Value], size: int) -> Any:
    """Where the inits differ, they are combined with what the elements make."""
    count = len(operands) // 2
    xs, inits = operands[:count], operands[count:]
    flags = batching.is_batched(instr, operands)
    dimensions = batching.later(instr.attrs["dimensions"])
    if not any(flags[count:]):
        whole = [x if f else batching.spread(x, size) for x, f in zip(xs, flags, strict=False)]
        attrs = {**instr.attrs, "dimensions": dimensions}
        return reduce(*whole, *inits, regions=instr.regions, **attrs)
    if instr.regions:
        return None
    computation, (x,) = instr.attrs["computation"], xs
    x = x if flags[0] else batching.spread(x, size)
    start = constant(value=batching.neutral(computation, x.type.dtype))
    made = reduce(x, start, dimensions=dimensions, computation=computation)
    return REDUCERS[computation](batching.along(inits[0], made.type.shape[1:]), made)


def _windows_batch(instr: Instr, operands: Sequence[Value], size: int) -> Any:
    """Windows one lane wide."""
    count = len(operands) // 2 if instr.op is reduce_window else 2
    flags = batching.is_batched(instr, operands)
    if any(flags[count:]):
        return None
    pairs = zip(operands[:count], flags, strict=False)
    xs = [x if flag else batching.spread(x, size) for x, flag in pairs]
    attrs = dict(instr.attrs)
    for name in _WINDOW:
        if attrs.get(name):
            attrs[name] = ((0, 0) if name == "padding" else 1, *attrs[name])
    return instr.op(*xs, *operands[count:], regions=instr.regions, **attrs)


# in_order: a sum along one dimension adds one after the other, on a CPU (`lower.cpu.ordered`).
reduce = Op(
    "reduce",
    _reduce,
    numpy=_reduce_numpy,
    emit=computing("reduce", lambda dimensions, **_: {"dimensions": i64s(dimensions)}),
    blocks=elementwise_blocks,
    jvp=_reduce_jvp,
    vjp=_reduce_vjp,
    batch=_reduce_batch,
)
reduce_window = Op(
    "reduce_window",
    _reduce_window,
    numpy=_reduce_window_numpy,
    emit=computing("reduce_window", _window_attributes),
    blocks=elementwise_blocks,
    jvp=_reduce_window_jvp,
    vjp=_reduce_window_vjp,
    batch=_windows_batch,
)
select_and_scatter = Op(
    "select_and_scatter",
    _select_and_scatter,
    numpy=_select_and_scatter_numpy,
    emit=_emit_select_and_scatter,
    blocks=lambda x, *_, **attrs: {
        "select": element_types([x, x]),
        "computation": element_types([x, x]),
    },
    jvp=_select_and_scatter_jvp,
    vjp=_select_and_scatter_vjp,
    batch=_windows_batch,
)
