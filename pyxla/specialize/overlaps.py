"""Arguments that share memory in part, as views of one buffer.

What NumPy's strides say of an array is said again as steps (`views.views`) over the elements
between the lowest and the highest address: a slice, a reshape to nested strides, a slice of that,
and an order of dimensions.  Strides that do not nest (`A` and its diagonal) have no such steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.views.blocks import Range, Shape
from pyxla.views.reshaping import Reshape
from pyxla.views.views import BasicIndex, View, extend

# (leaf, offset in bytes, (shape, strides, dtype)), as `runtime.sharing.Memory` has it.
Member = tuple[int, int, tuple[Shape, Shape, str]]


class _Lines:
    """An array as dimensions of decreasing stride, counted in elements, from its lowest one."""

    def __init__(self, member: Member) -> None:
        _, offset, (shape, strides, dtype) = member
        size = np.dtype(dtype).itemsize
        self.whole = all(n % size == 0 for n in (offset, *strides))
        steps = [stride // size for stride in strides]
        self.shape = shape
        self.start = offset // size
        self.start += sum((n - 1) * s for n, s in zip(shape, steps, strict=True) if s < 0)
        order = [d for d, n in enumerate(shape) if n > 1]
        self.order = sorted(order, key=lambda d: (-abs(steps[d]), d))
        self.steps = [abs(steps[d]) for d in self.order]
        self.counts = [shape[d] for d in self.order]
        self.back = [steps[d] < 0 for d in self.order]

    @property
    def nested(self) -> bool:
        """Whether each dimension lies within one step of the one before."""
        pairs = zip(self.steps, self.steps[1:], self.counts[1:], strict=False)
        inside = all(outer % inner == 0 and n <= outer // inner for outer, inner, n in pairs)
        return self.whole and inside and 0 not in self.steps

    @property
    def end(self) -> int:
        """How many elements the buffer must have."""
        if len(self.order) < 2:
            return self.start + sum((n - 1) * s for n, s in zip(self.counts, self.steps)) + 1
        return self.start + self.counts[0] * self.steps[0]

    def view(self, length: int) -> View:
        """What the array shows of a buffer of `length` elements."""
        if len(self.order) < 2:
            step = self.steps[0] if self.order else 1
            return self._index((), (length,), [self._range(0, self.start, step)], [])
        padded = self.counts[0] * self.steps[0]
        outer = [s // t for s, t in zip(self.steps, self.steps[1:], strict=False)]
        nested = (self.counts[0], *outer, self.steps[-1])
        cut = BasicIndex((length,), (Range(self.start, padded),), (0,))
        chain = extend(extend((), cut), Reshape((padded,), nested))
        ranges = [self._range(k, 0, 1) for k in range(len(self.order))]
        return self._index(chain, nested, ranges, [Range(0, 1)])

    def _range(self, k: int, start: int, step: int) -> Range:
        count = self.counts[k] if self.order else 1
        if self.order and self.back[k]:
            return Range(start + (count - 1) * step, count, -step)
        return Range(start, count, step)

    def _index(self, chain: View, base: Shape, ranges: list[Range], rest: list[Range]) -> View:
        dims = [self.order.index(d) if d in self.order else None for d in range(len(self.shape))]
        return extend(chain, BasicIndex(base, (*ranges, *rest), tuple(dims)))


def shared_buffer(group: Sequence[Member]) -> tuple[int, list[View]] | None:
    """The size of a buffer, and what each member of `group` shows of it; None where there is no
    buffer of elements, or no such views."""
    lines = [_Lines(member) for member in group]
    if len({layout[2] for _, _, layout in group}) > 1 or not all(line.nested for line in lines):
        return None
    length = max(line.end for line in lines)
    return length, [line.view(length) for line in lines]
