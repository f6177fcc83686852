"""The abstract heap: what mutable Python objects hold at one point of the program.

A mutable object is a *cell*, a number; the heap maps it to its content, which is immutable, so that
saving the heap at a branch is copying a dict.  Writing replaces the content: this is `mem2reg` on
Python objects (Cytron et al. 1991), and it leaves no mutation in the typed program.

    Array        content of an array cell: its current value
    ListCell     content of a list: its items
    NumberList   content of a list of numbers that is indexed at run time
    DictCell     content of a dict: known keys, in order
    ObjectCell   content of an instance: its fields
    SetCell      content of a set: its constants
    BoxCell      content of a variable shared with a nested function
    Shadow       content of an array cell that is one of several others, chosen at run time

Where a reference may be either of two cells, the merge makes a new cell.  If an old one is still
held by someone, it becomes a shadow of the new; where that is not possible they are *entangled*:
reading is exact, writing is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyxla.errors import Location
from pyxla.infer.lattice import Array, Compound, Conflict, Const, MaybeUnbound, Ref, Scalar, Tuple


@dataclass(frozen=True, slots=True)
class ListCell:
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class NumberList:
    """A list of numbers, or of such lists, kept as the array that `data` shows: of Python's numbers
    if `python`, else of NumPy's scalars (`pyxla.infer.number_lists`)."""

    data: Ref
    python: bool


@dataclass(frozen=True, slots=True)
class SetCell:
    """A set of constants."""

    items: frozenset[Any]


@dataclass(frozen=True, slots=True)
class DictCell:
    """`items` is never mutated in place; keys are plain hashable constants."""

    items: dict[Any, Any]


@dataclass(frozen=True, slots=True)
class ObjectCell:
    """An instance of `cls`; `fields` is never mutated in place."""

    cls: type
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BoxCell:
    value: Any


@dataclass(frozen=True, slots=True)
class Shadow:
    """Content of an array that lives on under other names: it is now what `cells[selector]` is.

    Buffers that were swapped (`a, b = b, a`) are merged cells from then on, and someone else, the
    caller for one, still holds the old one; which of them it is, is known at run time.
    """

    selector: Any
    cells: tuple[int, ...]


Content = (
    Array | ListCell | NumberList | SetCell | DictCell | ObjectCell | BoxCell | Shadow | Conflict
)


@dataclass(slots=True)
class CellInfo:
    """What never changes of a cell: where it was made, and why it cannot be written, if so.

    `pinned` cells are reachable by the caller (arguments and captures): `pinned` is their path;
    `strides` are those of the caller's array where it is not in C order.
    """

    loc: Location | None = None
    read_only: str = ""
    pinned: Any = None
    strides: tuple[int, ...] | None = None


class Heap:
    """Cell contents at one point, over a table of cell facts shared by the whole compilation."""

    __slots__ = ("contents", "entangled", "infos")

    def __init__(
        self,
        infos: list[CellInfo],
        contents: dict[int, Content] | None = None,
        entangled: dict[int, str] | None = None,
    ) -> None:
        self.infos = infos
        self.contents: dict[int, Content] = {} if contents is None else contents
        self.entangled: dict[int, str] = {} if entangled is None else entangled

    def copy(self) -> Heap:
        return Heap(self.infos, self.contents.copy(), self.entangled)

    def new(self, content: Content, loc: Location | None = None, **info: Any) -> int:
        """A fresh cell."""
        cell = len(self.infos)
        self.infos.append(CellInfo(loc, **info))
        self.contents[cell] = content
        return cell

    def entangle(self, cells: set[int], reason: str) -> None:
        """Refuse writes to `cells` from here on."""
        self.entangled = {**self.entangled, **dict.fromkeys(cells, reason)}


def shadowed(heap: Heap) -> set[int]:
    """The cells that shadows point to."""
    contents = heap.contents.values()
    return {cell for content in contents if isinstance(content, Shadow) for cell in content.cells}


def swept(heap: Heap, first: int, roots: Iterable[Any]) -> Heap:
    """`heap` without the cells from `first` on that neither `roots` nor older cells lead to.

    Cells that the caller can reach (`CellInfo.pinned`) count as older.
    """
    infos, contents = heap.infos, heap.contents
    young = [cell for cell in contents if cell >= first and infos[cell].pinned is None]
    if not young:
        return heap
    live = list(roots)
    spared = set(young)
    for cell, content in contents.items():
        kind = type(content)
        if kind is Shadow:
            live.extend([Ref(target) for target in content.cells])
        elif kind is not Array and cell not in spared:
            live.append(content)
    spared -= reachable(heap, live)
    if not spared:
        return heap
    kept = {cell: content for cell, content in contents.items() if cell not in spared}
    return Heap(infos, kept, heap.entangled)


def parts(x: Any) -> tuple[Any, ...]:
    """The abstract values directly inside an abstract value or a content."""
    if isinstance(x, Tuple | ListCell | Compound):
        return x.items
    if isinstance(x, DictCell):
        return tuple(x.items.values())
    if isinstance(x, ObjectCell):
        return tuple(x.fields.values())
    if isinstance(x, NumberList):
        return (x.data,)
    if isinstance(x, BoxCell | MaybeUnbound):
        return (x.value,)
    return ()


def reachable(heap: Heap, roots: Iterable[Any]) -> set[int]:
    """The cells that can be reached from abstract values `roots`."""
    contents = heap.contents
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        x = stack.pop()
        kind = type(x)
        if kind is Ref:
            if x.cell not in seen:
                seen.add(x.cell)
                if x.cell in contents:
                    stack.append(contents[x.cell])
        elif kind not in _LEAVES:
            stack.extend(parts(x))
    return seen


_LEAVES = frozenset({Array, Const, Scalar})
