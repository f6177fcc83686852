"""Products of arrays of bounded extent: zeros past the true sizes of what is summed over.

Both operands are filled, since what lies there may be NaN; the other dimensions keep their extents.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import OpError
from pyxla.lib import products
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    bounded,
    common,
    elementwise,
    equal_sizes,
    extents_of,
    filled,
    fitted,
    plainly,
    resized_to,
    strategy,
)
from pyxla.lib.indexing import true_size
from pyxla.lib.meetings import meet
from pyxla.lib.operands import Shape, as_array, normalize_axes
from pyxla.lib.prefixes import LARGE, by_part, by_size
from pyxla.ops.filled import anything, is_anything
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import pad


def contracting(x: Array, y: Array, left: Shape, right: Shape) -> tuple[Array, Array]:
    """`x` and `y` with zeros past their extents along `left` and `right`, of the same bounds."""
    x, y = filled(x, left, 0), filled(y, right, 0)
    for i, j in zip(left, right, strict=True):
        n, m = x.shape[i], y.shape[j]
        x, y = resized_to(x, i, min(n, m)), resized_to(y, j, min(n, m))
    return x, y


def _kept(x: Array, axes: Shape) -> list[Scalar | None]:
    return [e for d, e in enumerate(extents_of(x)) if d not in axes]


def _product(function: Function, x: Array, y: Array, kept: Sequence[Any], **options: Any) -> Array:
    """The product of matrices and vectors; blocks are shifted into place after it, not before."""
    moves = []
    if x.ndim == 2 and y.ndim <= 2:
        x, move = _unshifted(x, 0)
        moves.append((0, move))
    if y.ndim == 2 and x.ndim <= 2:
        y, move = _unshifted(y, 1)
        moves.append((x.ndim - 1, move))
    value = plainly(function, Array(x.value), Array(y.value), **options).value
    for axis, move in moves:
        value = value if move is None else _shifted(value, axis, move)
    return bounded(value, kept)


def _unshifted(x: Array, axis: int) -> tuple[Array, Value | None]:
    """A matrix as it was before its elements were moved along `axis`, and by how much.

    `views.blocks` reads a block that sticks out of an array where it fits, and moves the
    elements; anything may be where they were.
    """
    moving = x.value.owner
    if not isinstance(moving, Instr) or moving.op is not dynamic_slice:
        return x, None
    padding = moving.operands[0].owner
    if not isinstance(padding, Instr) or padding.op is not pad:
        return x, None
    if not is_anything(padding.operands[1]):
        return x, None
    before, after = padding.attrs["edge_padding_low"], padding.attrs["edge_padding_high"]
    if any(before) or any(padding.attrs["interior_padding"]) or after[1 - axis]:
        return x, None
    return Array(padding.operands[0], x.extents), moving.operands[1 + axis]


def _shifted(x: Value, axis: int, by: Value) -> Value:
    """The elements from position `by` on, then anything."""
    shape, fill = x.type.shape, anything(x.type.dtype)
    none = (0,) * len(shape)
    after = tuple([n if d == axis else 0 for d, n in enumerate(shape)])
    padded = pad(x, fill, edge_padding_low=none, edge_padding_high=after, interior_padding=none)
    starts = [by if d == axis else value_of(0) for d in range(len(shape))]
    return dynamic_slice(padded, *starts, slice_sizes=shape)


@strategy(products.matmul, OPERATORS["matmul"])
def _matmul(function: Function, x1: Any, x2: Any, /, **options: Any) -> Array:
    x, y = as_array(x1), as_array(x2)
    if not x.shape or not y.shape:
        raise OpError("matmul: operands must have at least one dimension; use * for scalars")
    left, right = x.ndim - 1, max(y.ndim - 2, 0)
    _check(x, y, left, right)

    def compute(x: Array, y: Array) -> Array:
        x, y = contracting(x, y, (left,), (right,))
        x, y, head = _stacks(x, y)
        rows = _kept(x, (left,))[-1:][: x.ndim > 1]
        columns = _kept(y, (right,))[-1:][: y.ndim > 1]
        return _product(function, x, y, [*head, *rows, *columns], **options)

    return _by_size(x, y, left, right, compute)


def _by_size(x: Array, y: Array, left: int, right: int, compute: Callable[..., Array]) -> Array:
    """`compute(x, y)`, a sum over `left` and `right`, for the smallest bound that will do."""
    for size in (extents_of(x)[left], extents_of(y)[right]):
        if size is not None:
            return by_size((x, y), (left, right), size, compute)
    if x.ndim == 1 and y.ndim == 2 and (rows := _large(y, 1 - right)) is not None:
        return by_part(y, 1 - right, rows, lambda part: compute(x, part))
    if x.ndim == 2 and y.ndim == 1 and (rows := _large(x, 1 - left)) is not None:
        return by_part(x, 1 - left, rows, lambda part: compute(part, y))
    return compute(x, y)


def _large(x: Array, axis: int) -> Scalar | None:
    """The extent of a matrix of which it pays to leave out what is not real."""
    return extents_of(x)[axis] if x.size >= LARGE else None


def _check(x: Array, y: Array, left: int, right: int) -> None:
    """Refuse sizes that are known to differ; others are to be equal."""
    n, m = true_size(x, left), true_size(y, right)
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise OpError(f"shapes {x.shape} and {y.shape} do not fit: {n} (dim {left}) != {m}")
    meet(n, m)


def _stacks(x: Array, y: Array) -> tuple[Array, Array, list[Scalar | None]]:
    """Stacks of matrices, broadcast with each other; the extents of their common dimensions."""
    heads = [extents_of(x)[: max(x.ndim - 2, 0)], extents_of(y)[: max(y.ndim - 2, 0)]]
    count = max(map(len, heads))
    if all(e is None for head in heads for e in head):
        return x, y, [None] * count
    found: list[Scalar | None] = []
    for d in range(count):
        places = [(z, d - count + len(h)) for z, h in zip((x, y), heads, strict=True)]
        size, bound = common(
            [(true_size(z, axis), z.shape[axis]) for z, axis in places if axis >= 0]
        )
        x, y = [z if axis < 0 else _along(z, axis, size, bound) for z, axis in places]
        found.append(size if isinstance(size, Scalar) else None)
    return x, y, found


def _along(x: Array, axis: int, size: Any, bound: int) -> Array:
    return Array(fitted(x.value, axis, true_size(x, axis), size, bound), x.extents)


@strategy(products.dot, products.inner)
def _dot(function: Function, a: Any, b: Any, out: Any = None) -> Array:
    x, y = as_array(a), as_array(b)
    if not x.shape or not y.shape:
        return elementwise(function, a, b)
    left, right = x.ndim - 1, y.ndim - 1 if function is products.inner else max(y.ndim - 2, 0)
    _check(x, y, left, right)

    def compute(x: Array, y: Array) -> Array:
        x, y = contracting(x, y, (left,), (right,))
        return _product(function, x, y, _kept(x, (left,)) + _kept(y, (right,)))

    return _by_size(x, y, left, right, compute)


@strategy(products.vdot)
def _vdot(function: Function, a: Any, b: Any, /) -> Array:
    x, y = as_array(a), as_array(b)
    if x.ndim != y.ndim or not x.shape:
        raise OpError(NOT_SUPPORTED)
    axes = tuple(range(x.ndim))
    if x.ndim > 1 and not all(equal_sizes(true_size(x, d), true_size(y, d)) for d in axes):
        raise OpError(NOT_SUPPORTED)
    _check(x, y, 0, 0)
    x, y = contracting(x, y, axes, axes)
    return _product(function, x, y, ())


@strategy(products.outer)
def _outer(function: Function, a: Any, b: Any, *args: Any, **kwargs: Any) -> Array:
    x, y = as_array(a), as_array(b)
    if any(z.ndim != 1 and z.extents is not None for z in (x, y)):
        raise OpError(NOT_SUPPORTED)
    kept = [extents_of(z)[0] if z.ndim == 1 else None for z in (x, y)]
    result = plainly(function, Array(x.value), Array(y.value), *args, **kwargs)
    return bounded(result.value, kept)


@strategy(products.tensordot)
def _tensordot(function: Function, a: Any, b: Any, axes: Any = 2) -> Array:
    x, y = as_array(a), as_array(b)
    if isinstance(axes, tuple | list):
        left, right = normalize_axes(axes[0], x.ndim), normalize_axes(axes[1], y.ndim)
    else:
        count = operator.index(axes)
        left, right = tuple(range(x.ndim - count, x.ndim)), tuple(range(count))
    for i, j in zip(left, right, strict=True):
        _check(x, y, i, j)
    x, y = contracting(x, y, left, right)
    return _product(function, x, y, _kept(x, left) + _kept(y, right), axes=(left, right))


@strategy(products.einsum)
def _einsum(function: Function, subscripts: Any, *operands: Any, **options: Any) -> Array:
    if not isinstance(subscripts, str):
        raise OpError(NOT_SUPPORTED)
    xs = [as_array(x) for x in operands]
    inputs, output = products.parse_einsum(subscripts, [x.ndim for x in xs])
    for label in dict.fromkeys("".join(inputs)):
        places = [(i, d) for i, s in enumerate(inputs) for d, c in enumerate(s) if c == label]
        size, bound = common([(true_size(xs[i], d), xs[i].shape[d]) for i, d in places])
        extent = size if isinstance(size, Scalar) else None
        for i, d in places:
            x = _along(xs[i], d, size, bound)
            own = list(extents_of(x))
            own[d] = extent if x.shape[d] == bound else None
            xs[i] = bounded(x.value, own)
            if label not in output:
                xs[i] = filled(xs[i], (d,), 0)
    kept = [_extent_of(label, inputs, xs) for label in output]
    result = plainly(function, subscripts, *[Array(x.value) for x in xs], **options)
    return bounded(result.value, kept)


def _extent_of(label: str, inputs: Sequence[str], xs: Sequence[Array]) -> Scalar | None:
    for labels, x in zip(inputs, xs, strict=True):
        if label in labels and extents_of(x)[labels.index(label)] is not None:
            return extents_of(x)[labels.index(label)]
    return None
