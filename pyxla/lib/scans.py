"""Methods of ufuncs, and what is built on them: `reduce`, `accumulate`, `outer`, `reduceat`, `at`;
`cumsum`, `cumprod`, `diff`.

Accumulation is a loop over the axis that carries one slice: XLA keeps the result in place, and it
compiles in a fraction of the time of a parallel scan.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import as_dtype, loop_types, result_type
from pyxla.ir.build import current
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import array_type
from pyxla.lib import kernels as k
from pyxla.lib.masks import listed
from pyxla.lib.operands import (
    BOOL,
    INT,
    as_array,
    as_value,
    broadcast_to,
    cast,
    literal,
    normalize_axis,
    splat,
)
from pyxla.lib.reductions import (
    accumulate_all,
    accumulator,
    extremum,
    fold,
    highest,
    keep,
    lowest,
    masked,
    reduced_axes,
    without_nan,
)
from pyxla.lib.registry import implements
from pyxla.lib.ufuncs import KERNELS, apply
from pyxla.ops import elementwise as op
from pyxla.ops import shape as shapes
from pyxla.ops.control import while_
from pyxla.ops.index import dynamic_slice, dynamic_update_slice

# fmt: off
COMPUTATIONS: dict[Any, str] = {
    np.add: "add", np.multiply: "multiply", np.maximum: "maximum", np.minimum: "minimum",
    np.bitwise_and: "and", np.bitwise_or: "or", np.bitwise_xor: "xor",
    np.logical_and: "and", np.logical_or: "or", np.logical_xor: "xor",
}
# fmt: on


def scan(kernel: Callable[[Value, Value], Value], x: Value, axis: int) -> Value:
    """out[i] = kernel(out[i - 1], x[i]) along `axis`."""
    shape = x.type.shape
    if shape[axis] < 2 or 0 in shape:
        return x
    sizes = tuple([1 if i == axis else n for i, n in enumerate(shape)])
    zero = literal(0, INT)

    def starts(i: Value) -> list[Value]:
        return [i if j == axis else zero for j in range(len(shape))]

    def unfinished(i: Value, carry: Value, out: Value) -> Value:
        return k.lt(i, literal(shape[axis], INT))

    def step(i: Value, carry: Value, out: Value) -> tuple[Value, ...]:
        carry = kernel(carry, dynamic_slice(x, *starts(i), slice_sizes=sizes))
        out = dynamic_update_slice(out, carry, *starts(i))
        return op.add(i, literal(1, INT)), carry, out

    first = shapes.slice(
        x, start_indices=(0,) * len(shape), limit_indices=sizes, strides=(1,) * len(shape)
    )
    types = (array_type(INT), first.type, x.type)
    builder = current()
    regions = (builder.region(types, unfinished), builder.region(types, step))
    return while_(literal(1, INT), first, x, regions=regions)[2]


# --- Methods of ufuncs ---------------------------------------------------------------------------


def _loop_dtype(ufunc: np.ufunc, dtype: np.dtype, asked: Any) -> np.dtype:
    """What a method of `ufunc` computes in; sums and products of small ints in 64 bits."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise OpError(f"np.{ufunc.__name__} has no reductions: it does not combine two operands")
    if asked is not None:
        return as_dtype(asked)
    if ufunc in (np.add, np.multiply):
        return accumulator(dtype)
    types = loop_types(ufunc, (dtype, dtype))
    return BOOL if types[-1] == BOOL else types[0]


def ufunc_reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """`ufunc.reduce`: XLA's reduction where the ufunc is associative, else element by element."""
    x = as_array(array)
    axes = reduced_axes(axis, x.ndim)
    found = _loop_dtype(ufunc, x.dtype, dtype)
    if len(axes) > 1 and not _is_reorderable(ufunc, found):
        raise OpError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified",
            ValueError,
        )
    value = cast(x.value, found)
    if where is not True and ufunc.identity is None and initial is None:
        raise OpError(f"np.{ufunc.__name__}.reduce with where= needs initial=")
    reduced = _fold_known if ufunc in COMPUTATIONS else _fold_in_order
    return Array(keep(reduced(ufunc, value, axes, initial, where), x.shape, axes, keepdims))


@functools.cache
def _is_reorderable(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    """Whether NumPy reduces along several axes at once, of which it asks NumPy."""
    try:
        ufunc.reduce(np.ones((1, 1), dtype), axis=(0, 1))
    except ValueError:
        return False
    return True


def _fold_known(
    ufunc: np.ufunc, x: Value, axes: tuple[int, ...], initial: Any, where: Any
) -> Value:
    dtype, computation = x.type.dtype, COMPUTATIONS[ufunc]
    if ufunc in (np.add, np.multiply):
        return accumulate_all(x, axes, dtype, computation, ufunc.identity, initial, where)
    if ufunc.identity is None:
        return extremum(x, axes, computation, initial, where)
    neutral = np.asarray(ufunc.identity).astype(dtype)  # all bits, of `bitwise_and`
    start = literal(neutral if initial is None else initial, dtype)
    return fold(masked(x, where, neutral), axes, start, computation)


def _fold_in_order(
    ufunc: np.ufunc, x: Value, axes: tuple[int, ...], initial: Any, where: Any
) -> Value:
    """One axis at a time, from `initial`, the identity or else the first element on."""
    initial = ufunc.identity if initial is None else initial
    x = masked(x, where, initial if ufunc.identity is None else ufunc.identity)
    for axis in sorted(axes, reverse=True):
        if initial is not None:
            edge = tuple([1 if i == axis else n for i, n in enumerate(x.type.shape)])
            first = broadcast_to(as_value(initial, x.type.dtype), edge)
            x = shapes.concatenate(first, x, dimension=axis)
        if not x.type.shape[axis]:
            raise OpError(f"zero-size array to reduction operation {ufunc.__name__}", ValueError)
        last = scan(partial(_same_dtype, ufunc), x, axis)
        x = take_one(last, x.type.shape[axis] - 1, axis)
    return x


def _same_dtype(ufunc: np.ufunc, x: Value, y: Value) -> Value:
    return cast(apply(ufunc, x, y), x.type.dtype)


def cut(x: Value, start: int, stop: int, axis: int, step: int = 1) -> Value:
    """`x[..., start:stop:step, ...]` along `axis`, for bounds that are not negative."""
    shape = x.type.shape
    start, stop = min(start, shape[axis]), min(stop, shape[axis])
    if (start, stop, step) == (0, shape[axis], 1):
        return x
    return shapes.slice(
        x,
        start_indices=tuple([start if i == axis else 0 for i in range(len(shape))]),
        limit_indices=tuple([max(start, stop) if i == axis else n for i, n in enumerate(shape)]),
        strides=tuple([step if i == axis else 1 for i in range(len(shape))]),
    )


def take_one(x: Value, index: int, axis: int) -> Value:
    """`x[..., index, ...]` along `axis`."""
    shape = x.type.shape
    return shapes.reshape(cut(x, index, index + 1, axis), shape=shape[:axis] + shape[axis + 1 :])


def ufunc_accumulate(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Array:
    x = as_array(array)
    axis = normalize_axis(axis, x.ndim)
    found = _loop_dtype(ufunc, x.dtype, dtype)
    return Array(scan(partial(_same_dtype, ufunc), cast(x.value, found), axis))


def ufunc_reduceat(
    ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Array:
    """Reductions of the slices between indices, or of one element where the next is no larger."""
    x = as_array(array)
    axis = normalize_axis(axis, x.ndim)
    indices = listed(indices)
    if (indices.size if isinstance(indices, Array) else len(indices)) == 0:
        shape = tuple([0 if d == axis else n for d, n in enumerate(x.shape)])
        return Array(splat(0, ufunc_reduce(ufunc, x, axis, dtype).dtype, shape))
    if isinstance(indices, Array):
        return reduce_spans(ufunc, x, indices.value, x.shape[axis], axis, dtype)
    bounds = [operator.index(i) for i in indices]
    # Sums of these begin with their first element, so that they may be -0.0.
    zeros = {"f": -0.0, "c": complex(-0.0, -0.0)} if ufunc is np.add else {}
    initial = zeros.get(x.dtype.kind)
    pieces = []
    for i, start in enumerate(bounds):
        stop = bounds[i + 1] if i + 1 < len(bounds) else x.shape[axis]
        part = cut(x.value, start, max(stop, start + 1), axis)
        reduced = ufunc_reduce(ufunc, Array(part), axis, dtype, keepdims=True, initial=initial)
        pieces.append(reduced.value)
    return Array(shapes.concatenate(*pieces, dimension=axis))


def reduce_spans(
    ufunc: np.ufunc, x: Array, starts: Value, size: Int, axis: int, dtype: Any
) -> Array:
    """`ufunc.reduceat` at indices known at run time: each is a reduction under a mask."""
    if ufunc not in NEUTRAL:
        raise OpError(f"np.{ufunc.__name__}.reduceat needs indices known while compiling")
    starts = cast(starts, INT)
    (count,), n = starts.type.shape, x.shape[axis]
    end = shapes.reshape(value_of(size), shape=(1,))
    rest = shapes.slice(starts, start_indices=(1,), limit_indices=(count,))
    stops = op.maximum(
        shapes.concatenate(rest, end, dimension=0), op.add(starts, k.like(starts, 1))
    )
    places = shapes.iota(dtype=INT, shape=(count, n), dimension=1)
    after, before = [
        shapes.broadcast_in_dim(v, shape=(count, n), broadcast_dimensions=(0,))
        for v in (starts, stops)
    ]
    inside = op.and_(
        op.compare(places, after, direction="GE"), op.compare(places, before, direction="LT")
    )
    found = _loop_dtype(ufunc, x.dtype, dtype)
    shape = (*x.shape[:axis], count, *x.shape[axis:])
    value = shapes.broadcast_in_dim(
        cast(x.value, found),
        shape=shape,
        broadcast_dimensions=tuple([d + (d >= axis) for d in range(x.ndim)]),
    )
    inside = shapes.broadcast_in_dim(inside, shape=shape, broadcast_dimensions=(axis, axis + 1))
    other = splat(NEUTRAL[ufunc](found), found, shape)
    return ufunc_reduce(ufunc, Array(op.select(inside, value, other)), axis + 1, dtype)


# What changes no result.
NEUTRAL: dict[Any, Callable[[np.dtype], Any]] = {
    np.add: lambda dtype: 0,
    np.multiply: lambda dtype: 1,
    np.maximum: lowest,
    np.minimum: highest,
    np.logical_or: lambda dtype: 0,
    np.logical_and: lambda dtype: 1,
    np.bitwise_or: lambda dtype: 0,
    np.bitwise_xor: lambda dtype: 0,
}


def _register() -> None:
    for ufunc in KERNELS:
        if ufunc.nin == 2 and ufunc.nout == 1:
            implements(ufunc.reduce)(partial(ufunc_reduce, ufunc))
            implements(ufunc.accumulate)(partial(ufunc_accumulate, ufunc))
            implements(ufunc.reduceat)(partial(ufunc_reduceat, ufunc))


_register()


# --- Cumulative functions ------------------------------------------------------------------------


def _cumulative(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
        x = as_array(a)
        if axis is None or not x.shape:
            axis = 0 if axis is None else normalize_axis(axis, 1)
            x = Array(shapes.reshape(x.value, shape=(x.size,)))
        return ufunc_accumulate(ufunc, x, axis, dtype, out)

    return call


cumsum = implements(np.cumsum, np.ndarray.cumsum)(_cumulative(np.add))
cumprod = implements(np.cumprod, np.ndarray.cumprod)(_cumulative(np.multiply))


@implements(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
    return cumsum(without_nan(as_array(a), 0), axis, dtype, out)


@implements(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
    return cumprod(without_nan(as_array(a), 1), axis, dtype, out)


@implements(np.diff, same=True)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Array:
    x = as_array(a)
    axis = normalize_axis(axis, x.ndim)
    if operator.index(n) < 0:
        raise OpError(f"order must be non-negative but got {n}")
    parts = [_edge(prepend, x, axis), x, _edge(append, x, axis)]
    present = [part for part in parts if part is not None]
    if len(present) > 1:
        dtype = result_type(*present)
        x = Array(shapes.concatenate(*[cast(p.value, dtype) for p in present], dimension=axis))
    subtract = np.not_equal if x.dtype == BOOL else np.subtract
    for _ in range(operator.index(n)):
        size = x.shape[axis]
        later, earlier = cut(x.value, min(1, size), size, axis), x.value
        earlier = cut(earlier, 0, max(size - 1, 0), axis)
        x = Array(apply(subtract, later, earlier))
    return x


def _edge(edge: Any, x: Array, axis: int) -> Array | None:
    """What `diff` puts before or after: a number counts as one slice."""
    if edge is None:
        return None
    edge = as_array(edge)
    if edge.ndim == 0:
        shape = tuple([1 if i == axis else n for i, n in enumerate(x.shape)])
        return Array(broadcast_to(edge.value, shape))
    return edge
