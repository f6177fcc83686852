"""Arrays as their caller sees them: which are views of one another, and how NumPy makes those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pyxla.abstract.heap import Heap, references
from pyxla.views.bits import Bits, Part
from pyxla.views.blocks import Range
from pyxla.views.repeated import Broadcast, Windows
from pyxla.views.reshaping import Diagonal, Reshape
from pyxla.views.views import BasicIndex, View

Steps = tuple[tuple[str, Any], ...]


def numpy_steps(view: View) -> Steps | None:
    """What makes `view` of the array itself, in the words of `runtime.outcome.OutView`; None where
    it depends on numbers known at run time, or repeats elements in another way."""
    steps: list[tuple[str, Any]] = []
    for step in view:
        if isinstance(step, BasicIndex) and all(map(_is_known, step.ranges)):
            steps += _indexing(step)
        elif step.scalars():
            return None
        elif isinstance(step, Reshape):
            steps.append(("reshape", step.target))
        elif isinstance(step, Part):
            steps.append((("real", "imag")[step.which], None))
        elif isinstance(step, Bits):
            steps.append(("view", step.dtype))
        elif isinstance(step, Windows):
            steps.append(("windows", (step.sizes, step.axes)))
        elif isinstance(step, Broadcast):
            steps.append(("broadcast", step.shape))
        elif isinstance(step, Diagonal):
            steps.append(("diagonal", (step.offset, *step.axes, step.writable)))
        else:
            return None
    return tuple(steps)


def _is_known(r: Range) -> bool:
    return type(r.start) is int and r.extent is None


def _indexing(step: BasicIndex) -> Iterable[tuple[str, Any]]:
    kept = [d for d in step.dims if d is not None]
    key = [_slice(r) if d in kept else r.start for d, r in enumerate(step.ranges)]
    yield "getitem", (*key, ...)
    axes = tuple([sorted(kept).index(d) for d in kept])
    if axes != tuple(range(len(axes))):
        yield "transpose", axes
    if len(kept) < len(step.dims):
        yield "getitem", tuple([None if d is None else slice(None) for d in step.dims])


def _slice(r: Range) -> slice:
    if r.count == 0:
        return slice(0, 0)
    last = r.start + (r.count - 1) * r.step
    if r.step > 0:
        return slice(r.start, last + 1, r.step)
    return slice(r.start, last - 1 if last else None, r.step)


def shared_cells(heap: Heap, roots: Iterable[Any]) -> set[int]:
    """The cells that the caller gets several references to, which differ in their views."""
    counts = Counter([cell for cell, _ in {(x.cell, x.view) for x in references(heap, roots)}])
    return {cell for cell, count in counts.items() if count > 1}
