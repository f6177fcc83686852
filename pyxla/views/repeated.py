"""Views that show elements more than once: broadcasting and sliding windows, both read-only."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pyxla.abstract.lattice import Array, NeedsStatic
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib.indexing import equal_sizes
from pyxla.ops.elementwise import add, multiply
from pyxla.ops.filled import number
from pyxla.ops.index import gather_along
from pyxla.ops.shape import broadcast_in_dim, constant, iota, pad, reshape, transpose
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Shape, reshaped
from pyxla.views.views import Extents, Sized, Step, require_full


@dataclass(frozen=True, slots=True)
class Broadcast(Sized):
    """`np.broadcast_to`: base dimension `d` is result dimension `dims[d]`."""

    shape: Shape
    dims: Shape
    extents: Extents = None

    writable = False

    def apply(self, base: Array) -> Array:
        value = broadcast_in_dim(base.value, shape=self.shape, broadcast_dimensions=self.dims)
        return Array(value, self.extents)

    def strided(self, layout: np.ndarray) -> np.ndarray:
        return np.broadcast_to(layout, self.shape)


@dataclass(frozen=True, slots=True)
class Windows(Step):
    """`sliding_window_view`: `sizes[k]` neighbours along `axes[k]` become a new last dimension."""

    base: Shape
    sizes: Shape
    axes: Shape

    writable = False
    extents = None

    @property
    def shape(self) -> Shape:
        kept = list(self.base)
        for size, axis in zip(self.sizes, self.axes, strict=True):
            kept[axis] -= size - 1
        return (*kept, *self.sizes)

    def apply(self, base: Array) -> Array:
        value = base.value
        for size, axis in zip(self.sizes, self.axes, strict=True):
            value = _windows(value, size, axis)
        return Array(value)

    def strided(self, layout: np.ndarray) -> np.ndarray:
        moved = [layout.strides[axis] for axis in self.axes]
        return as_strided(layout, self.shape, (*layout.strides, *moved))


@dataclass(frozen=True, slots=True)
class Strided(Step):
    """`as_strided` of an array in C order: element `i` is at `first + sum(i * steps)`."""

    first: int
    shape: Shape
    steps: Shape

    extents = None

    def apply(self, base: Array) -> Array:
        flat = reshaped(base.value, (base.value.type.size,))
        at = number(self.first, I64.dtype, self.shape)
        for d, step in enumerate(self.steps):
            if step and self.shape[d] > 1:
                along = iota(dtype=I64.dtype, shape=self.shape, dimension=d)
                at = add(at, multiply(along, number(step, I64.dtype, self.shape)))
        return Array(gather_along(flat, at))

    def update(self, base: Array, new: Array) -> Array:
        raise OpError("writing through as_strided is not compiled: write to the array itself")

    def strided(self, layout: np.ndarray) -> np.ndarray:
        size = layout.dtype.itemsize
        return as_strided(layout, self.shape, [step * size for step in self.steps])


def _windows(x: Value, size: int, axis: int) -> Value:
    """`size` copies of length n, read in rows of n + 1: each row begins one element later."""
    shape = x.type.shape
    n = shape[axis]
    rest = shape[:axis] + shape[axis + 1 :]
    order = tuple([d for d in range(len(shape)) if d != axis])
    last = transpose(x, permutation=(*order, axis))
    dims = (*range(len(rest)), len(rest) + 1)
    copies = broadcast_in_dim(last, shape=(*rest, size, n), broadcast_dimensions=dims)
    flat = reshape(copies, shape=(*rest, size * n))
    nothing = (0,) * len(rest)
    flat = pad(
        flat,
        constant(value=np.zeros((), x.type.dtype)),
        edge_padding_low=(*nothing, 0),
        edge_padding_high=(*nothing, size),
        interior_padding=(*nothing, 0),
    )
    skewed = reshape(flat, shape=(*rest, size, n + 1))
    skewed = slice_(
        skewed,
        start_indices=(0,) * (len(rest) + 2),
        limit_indices=(*rest, size, n - size + 1),
    )
    back = list(range(len(rest)))
    back.insert(axis, len(rest) + 1)
    return transpose(skewed, permutation=(*back, len(rest)))


def broadcast(shape: Shape, extents: Extents, target: Shape, sizes: Extents = None) -> Broadcast:
    """`np.broadcast_to` a shape with the extents `sizes`.  Where data decides a size, it must be
    known to be that of the target, or to be 1."""
    offset = len(target) - len(shape)
    if offset >= 0 and (extents is not None or sizes is not None):
        rest = zip(target[offset:], (sizes or (None,) * len(target))[offset:], strict=True)
        own = zip(shape, extents or (None,) * len(shape), strict=True)
        for (bound, size), (stored, e) in zip(rest, own, strict=True):
            have, wanted = stored if e is None else e, bound if size is None else size
            if have is wanted or (isinstance(have, int) and (have == 1 or isinstance(wanted, int))):
                continue
            if stored != bound or not equal_sizes(have, wanted):
                raise NeedsStatic(wanted if e is None else e, "the size of a dimension")
    if offset < 0 or any(n not in (1, m) for n, m in zip(shape, target[offset:], strict=True)):
        raise OpError(
            f"operands could not be broadcast together with remapped shapes {shape} and {target}",
            ValueError,
        )
    return Broadcast(target, tuple(range(offset, len(target))), sizes)


def strided(size: int, first: int, shape: Shape, steps: Shape) -> Strided:
    """`as_strided` of `size` elements in C order."""
    if 0 not in shape:
        ends = [(n - 1) * step for n, step in zip(shape, steps, strict=True)]
        low = first + sum([min(end, 0) for end in ends])
        high = first + sum([max(end, 0) for end in ends])
        if low < 0 or high >= size:
            raise OpError("these strides lead beyond the ends of the array")
    return Strided(first, shape, steps)


def windows(shape: Shape, extents: Extents, sizes: Shape, axes: Shape) -> Windows:
    """`sliding_window_view`."""
    require_full(extents)
    for size, axis in zip(sizes, axes, strict=True):
        if size > shape[axis]:
            raise OpError("window shape cannot be larger than input array shape")
    return Windows(shape, tuple(sizes), tuple(axes))
