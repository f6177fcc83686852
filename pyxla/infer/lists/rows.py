"""Arrays that are items of lists of unknown length, written in place: `total[k] += x`.

Such a list holds the numbers of its arrays; an array that is taken out of it is a copy, which knows
its `Home`.  A write to the copy is one to the list as well.  That is what CPython does as long as
nobody else has the array, and the list is as it was when the copy was taken.

Lists that have an array in common are known by their columns: `~column.cell` is among `Heap.kept`
then, on paths where it is so.  Where it is not known which lists these are (`shared`), no array is
written in a whole attempt, in whatever order things happen.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.abstract.heap import (
    GrowingList,
    Heap,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
    reachable,
)
from pyxla.abstract.lattice import Array, Ref, Scalar
from pyxla.errors import CompileError
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.interface import Engine
from pyxla.infer.lists.item_types import Block, Item, Row, Several

KEPT = "this object is in a list whose length is known at run time only"


def reached(engine: Engine, heap: Heap | None = None) -> set[int]:
    """The cells that the program may still look at."""
    engine.heap.infos.moves += 1
    return reachable(
        engine.heap if heap is None else heap, [*engine.in_use(), *engine.captures.pinned]
    )


def reached_otherwise(engine: Engine, cell: int) -> set[int]:
    """The cells that the program may still look at, if nothing were in a list."""
    heap = engine.heap
    return reached(engine, Heap(heap.infos, {**heap.contents, cell: ListCell(())}))


@dataclass(eq=False, slots=True)
class Home:
    """What an array was taken from: `index` of a column of the list `parent`.

    seen: contents of the column with which the copy is as the list has it.
    """

    parent: Ref
    column: Ref
    index: Any
    seen: list[Any]

    def is_current(self, heap: Heap) -> bool:
        now = heap.contents.get(self.column.cell)
        return any(now is content for content in self.seen)


def taken_from(engine: Engine, parent: Ref | None, column: Ref, index: Any) -> Home | None:
    """The home of a copy of the array at `index` of a column; None where it cannot have one."""
    if parent is None or column.view:
        return None
    return Home(parent, column, index, [engine.heap.contents[column.cell]])


def shared(heap: Heap) -> None:
    """Note that an array in a list of unknown length may be in a second place."""
    heap.infos.shared = True
    if heap.infos.written is not None:
        raise CompileError(KEPT, heap.infos.written, hint="copy the array before writing to it")


def held(heap: Heap, cell: int, columns: Sequence[Ref] = ()) -> None:
    """Note that the array of a cell is in a list, of these columns if that is known, from now on,
    and is not written but there."""
    info = heap.infos[cell]
    alone = type(heap.contents.get(cell)) is Array and cell not in heap.entangled
    alone &= cell not in heap.infos.jax_cells
    if alone and info.home is not None and columns:
        in_common(heap, [info.home.column, *columns])
    elif not alone or cell in heap.kept or info.pinned is not None or info.read_only:
        shared(heap)
    heap.kept = heap.kept | {cell}


def in_common(heap: Heap, columns: Sequence[Ref]) -> None:
    """Note that lists of these columns have an array in common."""
    heap.kept = heap.kept | {~column.cell for column in columns}


def copied(heap: Heap, item: Item | None, columns: Sequence[Ref]) -> None:
    """Note that the items of a list are in another one too."""
    if _has_arrays(item):
        in_common(heap, columns)


def _has_arrays(item: Any) -> bool:
    if isinstance(item, Row | Several):
        return any(map(_has_arrays, item.items))
    return isinstance(item, Block)


def is_writable(engine: Engine, cell: int) -> bool:
    """Whether an array may be written that was taken out of a list: the list is as it was then, and
    nobody can tell the copy from the array."""
    heap = engine.heap
    home = heap.infos[cell].home
    if home is None or heap.infos.shared or not home.is_current(heap):
        return False
    if ~home.column.cell in heap.kept:
        return False
    for other in _others(engine, cell):
        info = heap.infos[other]
        if other in heap.kept or (info.read_only and info.home is None):
            return False
        if info.home is not None and info.home.column == home.column:
            if not info.home.is_current(heap):
                return False
    engine.check_writable(home.parent)
    return True


def _others(engine: Engine, cell: int) -> Iterator[int]:
    """The cells of other arrays that somebody still has."""
    contents = engine.heap.contents
    for other in reached(engine):
        if other != cell and type(contents.get(other)) is Array:
            yield other


def write_back(engine: Engine, cell: int) -> None:
    """What was written to an array is written to the list that it was taken from, if it was, and to
    all other copies of what the list has there."""
    heap = engine.heap
    infos, home = heap.infos, heap.infos[cell].home
    if home is None:
        return
    infos.written = infos.written or engine.loc
    copies = {c: infos[c].home for c in _others(engine, cell) if infos[c].home is not None}
    copies = {c: h for c, h in copies.items() if h.column == home.column and h.is_current(heap)}
    whole: Any = heap.contents[cell]
    arrays.setitem(engine, home.column, home.index, Array(whole.value))
    now = heap.contents[home.column.cell]
    home.seen.append(now)
    for other, its in copies.items():
        found = arrays.getitem(engine, its.column, its.index)
        now_there = arrays.read(engine, found) if isinstance(found, Ref) else found
        copy: Any = heap.contents[other]
        heap.contents[other] = Array(now_there.value, copy.extents)
        engine.written.append(other)
        its.seen.append(now)


def take(engine: Engine, x: Any, key: Any, found: Any) -> Any:
    """`found`, which the program got from `x` by `key`."""
    heap = engine.heap
    if isinstance(found, Ref) and not found.view and _is_plain(engine, x):
        if type(heap.contents.get(found.cell)) is Array:
            info = heap.infos[found.cell]
            # A copy is seen on paths behind this point only; the array itself is on others too.
            state = None if info.home else [engine.block, *_state(heap, x)]
            info.taken = (*info.taken, (x, key, state))
    return found


def is_put_back(engine: Engine, x: Any, key: Any, value: Any) -> bool:
    """Whether `x` gets what it has there: the array that was taken out, and written since."""
    if not isinstance(value, Ref) or value.view:
        return False
    heap, info = engine.heap, engine.heap.infos[value.cell]
    for where, by, state in info.taken:
        if where == x and _is_same(by, key):
            if info.home is not None:
                return info.home.is_current(heap)
            now = [engine.block, *_state(heap, x)]
            return len(now) == len(state) and all(map(operator.is_, now, state))
    return False


def _is_same(x: Any, y: Any) -> bool:
    """Whether two keys are one; more may be known of the second."""
    if isinstance(x, Scalar) and isinstance(y, Scalar):
        return x.value is y.value
    return x is y or x == y


def _state(heap: Heap, x: Ref) -> list[Any]:
    """What `x` holds, but for the numbers in arrays."""
    contents = [heap.contents[cell] for cell in sorted(reachable(heap, [x]))]
    return [content for content in contents if type(content) is not Array]


def _is_plain(engine: Engine, x: Any) -> bool:
    """Whether assigning to an item or field of `x` does no more than that."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if isinstance(content, (GrowingList, Pooled, RowList)):
        return True
    stands_in = isinstance(content, ObjectCell) and content.cls.__module__.startswith("pyxla.lib.")
    return stands_in and issubclass(content.cls, dict)
