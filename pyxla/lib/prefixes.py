"""Work in proportion to true sizes: what a reduction needs of a bounded array, and no more.

A sum over `x[a[i]:a[i + 1]]` reads a few elements, but the bound is all of `x`.  `by_size` compiles
the reduction for a few bounds, each a fraction of the next, and takes the smallest that holds the
true size at run time.  `prefix` computes the first elements of a value anew from what it is
computed from, so that slices, gathers and elementwise ops become as short as the bound:

    prefix(exp(A[i, a:b]), 0, 64)   ->   exp(A[i, a:a+64])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import I32, I64
from pyxla.lib.masks import ELEMENTWISE, resized
from pyxla.ops.control import case
from pyxla.ops.elementwise import add, compare, convert, maximum, minimum, subtract
from pyxla.ops.filled import is_anything
from pyxla.ops.index import dynamic_slice, gather
from pyxla.ops.shape import broadcast_in_dim, iota, pad, reshape, transpose
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Shape

# Bounds below the first are not worth a choice; below a quarter of the bound, and down to the
# second, each is a fraction of the next.
WORTHWHILE = 4096
SMALLEST = 128
RATIO = 8
# A product with a matrix of so many elements is made for parts of it.
LARGE = 1 << 16
PARTS = 8
_LIMIT = 64


def by_size(
    xs: Sequence[Array], axes: Sequence[int], size: Scalar, compute: Callable[..., Array]
) -> Array:
    """`compute(*xs)`, where `xs[k]` counts along `axes[k]` only up to `size`."""
    bound = min([x.shape[axis] for x, axis in zip(xs, axes, strict=True)])
    counts = [bound]
    if bound >= WORTHWHILE:
        counts = [-(-bound * part // 4) for part in (1, 2, 3, 4)]
    while bound >= WORTHWHILE and counts[0] > SMALLEST:
        counts.insert(0, -(-counts[0] // RATIO))
    if len(counts) == 1:
        return compute(*xs)
    kept: list[Array] = []

    def shortened(count: int) -> Value:
        found = [
            Array(prefix(x.value, axis, count), x.extents) for x, axis in zip(xs, axes, strict=True)
        ]
        result = compute(*found)
        kept.append(result)
        return result.value

    return Array(_chosen(counts, size, shortened), kept[0].extents if kept else None)


def by_part(x: Array, axis: int, size: Scalar, compute: Callable[[Array], Array]) -> Array:
    """`compute(x)`, one element for each of `x` along `axis`, for the part that holds `size`."""
    bound = x.shape[axis]
    counts = [-(-bound * (part + 1) // PARTS) for part in range(PARTS)]
    kept: list[Array] = []

    def shortened(count: int) -> Value:
        result = compute(Array(prefix(x.value, axis, count), x.extents))
        kept.append(result)
        return _cut(result.value, 0, bound)

    return Array(_chosen(counts, size, shortened), kept[0].extents if kept else None)


def _chosen(counts: Sequence[int], size: Scalar, made: Callable[[int], Value]) -> Value:
    """`made(count)` for the smallest count that `size` does not exceed, or the last."""
    builder = current()
    index = value_of(0)
    for count in counts[:-1]:
        exceeds = compare(size.value, value_of(count), direction="GT")
        index = add(index, convert(exceeds, dtype=I64.dtype, weak=True))
    regions = [builder.region((), functools.partial(made, count)) for count in counts]
    results = case(convert(index, dtype=I32.dtype), widest=True, regions=tuple(regions))
    return results[0] if isinstance(results, tuple) else results


def prefix(value: Value, axis: int, count: int) -> Value:
    """`value`, of which elements at and past `count` along `axis` do not matter, cut there."""
    return _prefix(value, axis, count, {})


def _prefix(value: Value, axis: int, count: int, done: dict[tuple[Value, int], Value]) -> Value:
    key = (value, axis)
    if key not in done:
        made = None
        owner = value.owner
        if isinstance(owner, Instr) and len(done) < _LIMIT:
            made = _again(owner, value, axis, count, done)
        done[key] = made if made is not None else _cut(value, axis, count)
    return done[key]


def _cut(value: Value, axis: int, count: int) -> Value:
    return resized(value, _with(value.type.shape, axis, count))


def _with(shape: Shape, axis: int, count: int) -> Shape:
    return tuple([count if d == axis else n for d, n in enumerate(shape)])


def _again(
    owner: Instr, value: Value, axis: int, count: int, done: dict[tuple[Value, int], Value]
) -> Value | None:
    """The prefix of what an instruction computes, by the same instruction; None: it is cut."""
    shape, attrs = _with(value.type.shape, axis, count), owner.attrs
    if id(owner.op) in ELEMENTWISE and not owner.regions:
        if any(v.type.shape not in ((), value.type.shape) for v in owner.operands):
            return None
        parts = [_prefix(v, axis, count, done) if v.type.shape else v for v in owner.operands]
        return owner.op(*parts, **attrs)
    if owner.op is iota:
        return iota(dtype=attrs["dtype"], shape=shape, dimension=attrs["dimension"])
    if owner.op is dynamic_slice:
        return _block(owner, axis, count)
    if owner.op is slice_ and owner.attrs["strides"][axis] == 1:
        last = owner.attrs["start_indices"][axis] + count
        limits = _with(owner.attrs["limit_indices"], axis, last)
        return slice_(owner.operands[0], **{**attrs, "limit_indices": limits})
    if owner.op not in (broadcast_in_dim, reshape, transpose, gather):
        return None
    found = _source_axis(owner, value, axis)
    if found is None:
        return None
    source, inner = found
    parts = list(owner.operands)
    if inner is not None:
        parts[source] = _prefix(parts[source], inner, count, done)
    changed: dict[str, Any] = {k: shape if k == "shape" else v for k, v in attrs.items()}
    return owner.op(*parts, **changed)


def _source_axis(owner: Instr, value: Value, axis: int) -> tuple[int, int | None] | None:
    """Which operand, and which dimension of it (None: none), dimension `axis` comes from."""
    attrs = owner.attrs
    if owner.op is transpose:
        return 0, attrs["permutation"][axis]
    if owner.op is broadcast_in_dim:
        dims, old = attrs["broadcast_dimensions"], owner.operands[0].type.shape
        inner = dims.index(axis) if axis in dims else None
        return 0, None if inner is None or old[inner] == 1 else inner
    if owner.op is gather:
        if axis in attrs["offset_dims"] or attrs.get("operand_batching_dims"):
            return None
        batch = [d for d in range(value.type.ndim) if d not in attrs["offset_dims"]]
        inner = batch.index(axis)
        return 1, inner + (inner >= attrs["index_vector_dim"])
    old, new = owner.operands[0].type.shape, value.type.shape
    wide = [[d for d, n in enumerate(s) if n != 1] for s in (old, new)]
    if [old[d] for d in wide[0]] != [new[d] for d in wide[1]] or axis not in wide[1]:
        return None
    return 0, wide[0][wide[1].index(axis)]


def _block(owner: Instr, axis: int, count: int) -> Value | None:
    """The prefix of a block that a dynamic slice reads, perhaps pushed back into place.

    `views.blocks` reads a block that may stick out of the array where it fits, and shifts it
    back by a slice of it padded with anything.
    """
    source, *starts = owner.operands
    inner = source.owner
    if isinstance(inner, Instr) and inner.op is pad:
        return _shifted(owner, inner, axis, count)
    sizes = owner.attrs["slice_sizes"]
    most = value_of(source.type.shape[axis] - sizes[axis])
    starts[axis] = maximum(minimum(starts[axis], most), value_of(0))
    return dynamic_slice(source, *starts, slice_sizes=_with(sizes, axis, count))


def _shifted(owner: Instr, padding: Instr, axis: int, count: int) -> Value | None:
    """As `_block`, of a block padded behind along `axis` and cut out from `offset` on."""
    block = padding.operands[0].owner
    low, high = padding.attrs["edge_padding_low"], padding.attrs["edge_padding_high"]
    plain = is_anything(padding.operands[1]) and not any(padding.attrs["interior_padding"])
    if not isinstance(block, Instr) or block.op is not dynamic_slice or low[axis] or not plain:
        return None
    source, *starts = block.operands
    sizes, size = block.attrs["slice_sizes"], source.type.shape[axis]
    if count > size:
        return None
    offsets = list(owner.operands[1:])
    inside = maximum(minimum(starts[axis], value_of(size - sizes[axis])), value_of(0))
    wanted = add(inside, offsets[axis])
    starts[axis] = minimum(wanted, value_of(size - count))
    offsets[axis] = minimum(subtract(wanted, starts[axis]), value_of(count))
    short = dynamic_slice(source, *starts, slice_sizes=_with(sizes, axis, count))
    padded = pad(
        short,
        padding.operands[1],
        edge_padding_low=low,
        edge_padding_high=_with(high, axis, count),
        interior_padding=(0,) * len(low),
    )
    return dynamic_slice(
        padded, *offsets, slice_sizes=_with(owner.attrs["slice_sizes"], axis, count)
    )
