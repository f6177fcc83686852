"""What the caller sees of objects: which arrays are views of one another, and how NumPy makes
those; which lists and arrays are in lists that he gets, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pyxla.abstract.heap import Heap, Pooled, RowList, references
from pyxla.abstract.lattice import Array, Const, Ref, Scalar, plain
from pyxla.abstract.nested import item_of_row
from pyxla.infer.lists.columnar import found
from pyxla.infer.lists.items import classes_in, path_of
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


# Where an object is: the cell of the list or pool that it is in, and the steps from there; a step
# is an int or the value that says which item.
Place = tuple[int, tuple[Any, ...]]


def place(heap: Heap, x: Ref) -> Place:
    """Where an object is; its own cell, and no steps, where it is in no list of unknown length."""
    if (held := _held_in(heap, x)) is None:
        return x.cell, ()
    parent, index, path = held
    cell, steps = place(heap, parent)
    return cell, (*steps, index.value if isinstance(index, Scalar) else plain(index), *path)


def _held_in(heap: Heap, x: Ref) -> tuple[Ref, Any, tuple[int, ...]] | None:
    """The list that a list, or an array that was taken out of one, is in, and where."""
    content = heap.contents.get(x.cell)
    if type(content) is RowList:
        return content.parent, content.index, content.path
    home = heap.infos[x.cell].home if isinstance(content, Array) else None
    whole = None if home is None or not home.is_current(heap) else found(heap, home.parent)
    if home is None or whole is None or home.column not in whole.columns:
        return None
    path = path_of(whole.item, whole.columns.index(home.column))
    return None if path is None else (home.parent, home.index, path)


def places(heap: Heap, pools: Mapping[type, Ref], roots: Iterable[Any]) -> dict[Place, Ref]:
    """Where all is that the caller gets; what is in a list only where it is got by itself."""
    known: dict[Place, Ref] = {}
    stack = list(roots)
    while stack:
        x = stack.pop()
        if isinstance(x, Ref):
            at = place(heap, x)
            content: Any = heap.contents.get(x.cell)
            if at not in known and content is not None:
                known[at] = x
                item = item_of_row(heap, content) if type(content) is RowList else None
                stack += [pools[cls] for cls in classes_in(item)]
                stack += [] if type(content) is RowList and content.cls is None else [content]
        elif isinstance(x, Pooled):
            stack.append(x.pool)
        elif isinstance(x, RowList):
            stack.append(x.parent)  # a pool
        elif not isinstance(x, Array | Const | Scalar):
            stack += [pools[cls] for cls in classes_in(getattr(x, "item", None))]
            stack += x.parts
    return known


def base(known: Collection[Place], at: Place) -> Place | None:
    """What the object at a place is to be taken from, so that it is one for the caller with what
    else he gets; None where nothing else can be that object."""
    cell, steps = at
    if not steps:
        return None
    within = [(cell, steps[:n]) for n in range(len(steps)) if (cell, steps[:n]) in known]
    if within:
        return within[-1]
    others = [other for c, other in known if c == cell and other[: len(steps)] != steps]
    return (cell, ()) if any(_may_be_one(steps, other) for other in others) else None


def _may_be_one(steps: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether two ways may lead to one object, or one of them to what is in the other's."""
    return not any(
        type(x) is int and type(y) is int and x != y for x, y in zip(steps, others, strict=False)
    )
