"""How lists of unknown length (`infer.lists.growing`) lie in columns, and others become such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import GrowingList, Heap, ListCell, RowList, reachable
from pyxla.abstract.lattice import Array, Ref, Scalar
from pyxla.errors import CompileError
from pyxla.infer.arrays import access as arrays
from pyxla.infer.lists import rows
from pyxla.infer.lists.item_joins import INT, joined_items, with_length
from pyxla.infer.lists.item_types import Block, Item, Nested
from pyxla.infer.lists.items import array_at, at_path, count, item_of, objects
from pyxla.infer.lists.laying import laid, padded, retyped
from pyxla.infer.lists.sites import Meeting
from pyxla.ir.build import Builder, building
from pyxla.ops.shape import constant
from pyxla.views import views
from pyxla.views.blocks import Range
from pyxla.views.shadows import shown

# An array of more elements than this is one as a list too, which is changed in columns; loops of
# the program read the items of lists with more.
MANY = 64

ALIAS = "this list is in another list, and would be in a second one"
COPY = "append a copy: x[:]"


def found(heap: Heap, x: Any) -> GrowingList | None:
    """The content of a list that is kept in columns, or of a row of one."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if type(content) is GrowingList:
        return content
    return row_content(heap, content) if type(content) is RowList else None


def over(heap: Heap, data: Ref, item: Item, sites: Sequence[Meeting] = ()) -> GrowingList:
    """A list of `item`s, or of lists of one length of such, over an array; `sites` of the lists of
    lists, the innermost last."""
    array = array_at(heap, data)
    columns = [data]
    for axis in range(array.ndim - 1, 0, -1):
        size = array.shape[axis]
        item = Nested(item, size, size, sites[axis - 1] if sites else None)
        sizes = constant(value=np.full(array.shape[:axis], size, INT))
        columns.insert(0, Ref(heap.new(Array(sizes))))
    return GrowingList(tuple(columns), item)


def row_content(heap: Heap, row: RowList) -> GrowingList | None:
    """A row as a list over views of the columns of the list that it is in; None where its items are
    of several types each, and where paths made of that what does not fit together."""
    outer = found(heap, row.parent)
    if outer is None:
        return None
    item, before = at_path(outer.item, row.path)
    if not isinstance(item, Nested):
        return None
    columns = [
        element_of(heap, column, row.index)
        for column in outer.columns[before : before + count(item)]
    ]
    return GrowingList(tuple(columns[1:]), item.item, size=columns[0], fixed=item.fixed)


def whole(heap: Heap, x: Ref) -> Ref:
    """The list that a list is in, which is in no other; `x` where it is in none."""
    row = heap.contents.get(x.cell)
    return whole(heap, row.parent) if type(row) is RowList else x


def is_in(content: Any, cell: int) -> bool:
    """Whether a list is a row of the list at `cell`, which is no pool."""
    return type(content) is RowList and content.parent.cell == cell and content.cls is None


def element_of(heap: Heap, column: Ref, index: Any) -> Ref:
    shape = column.view[-1].shape if column.view else shown(heap, column).shape
    ranges = (Range(index, 1), *[Range(0, n) for n in shape[1:]])
    step = views.BasicIndex(shape, ranges, tuple(range(1, len(shape))))
    return Ref(column.cell, views.extend(column.view, step))


def size_of(heap: Heap, content: GrowingList) -> Any:
    """How many items there are: an int or a Scalar."""
    if content.size is not None:
        if content.fixed is not None:
            return content.fixed
        held = shown(heap, content.size)
        return Scalar(arrays.python_scalar(held, int).value, extent.IntFact(0, None))
    array = shown(heap, content.columns[0])
    return array.shape[0] if array.extents is None else array.extents[0]


def capacity_of(heap: Heap, content: GrowingList) -> int:
    if not content.columns:
        return 0
    column = content.columns[0]
    if column.view:
        return column.view[-1].shape[0]
    return shown(heap, column).shape[0]


def extents_of(size: Any, ndim: int) -> tuple[Any, ...]:
    if isinstance(size, int):
        size = Scalar(constant(value=np.asarray(size), weak=True), extent.fact(size))
    return (size, *[None] * (ndim - 1))


def length_of(heap: Heap, content: Any) -> int | None:
    """How many items a list has, where that is known."""
    if type(content) is ListCell:
        return len(content.items)
    with building(Builder([], None)):  # of a shadow's sizes, where no one looks at which it is
        size = size_of(heap, content)
    return size if isinstance(size, int) else None


def common_item(pairs: Sequence[tuple[Any, Any]]) -> Item | None:
    """The item that holds those of all lists, `(state, content)` each."""
    found_ = [item for state, content in pairs for item in items_of(state.heap, content)]
    item = with_length(joined_items(found_)) if found_ else None
    return item if item is not None and count(item) else None


def items_of(heap: Heap, content: Any) -> list[Item | None]:
    """What the items of a list are."""
    if type(content) is GrowingList:
        return [content.item]
    with building(Builder([], None)):  # of what views show only the types count
        return [item_of(heap, x) for x in content.items]


def room_of(heap: Heap, content: Any) -> int:
    return len(content.items) if type(content) is ListCell else capacity_of(heap, content)


def keep(heap: Heap, x: Ref, item: Item, capacity: int = 1, sized: bool = False) -> GrowingList:
    """Keep the list `x` in columns from here on."""
    made = heap.contents[x.cell] = _laid_out(heap, x, item, capacity, sized)
    return made


def _laid_out(heap: Heap, x: Ref, item: Item, capacity: int, sized: bool) -> GrowingList:
    """The list `x` in columns of this capacity at least; `sized` if its length will change."""
    content: Any = heap.contents[x.cell]
    if type(content) is GrowingList:
        made = retyped_list(heap, content, item)
        if sized and capacity >= capacity_of(heap, made):
            resize(heap, made, capacity)
        return made
    loc = heap.infos[x.cell].loc
    held = laid(heap, item, content.items, max(capacity, 1))
    _hold_all(heap, x, item, content.items)
    columns = []
    for value in held:
        plain = not sized and len(content.items) == value.type.shape[0]
        extents = None if plain else extents_of(len(content.items), value.type.ndim)
        columns.append(Ref(heap.new(Array(value, extents), loc)))
    heap.infos[x.cell].laid = content, tuple([heap.contents[ref.cell] for ref in columns])
    return GrowingList(tuple(columns), item)


def _hold_all(
    heap: Heap, x: Ref, item: Item, items: Sequence[Any], live: set[int] | None = None
) -> None:
    """The objects in the items of a list that becomes columns: lists are its rows.  live: those
    that anybody may still look at."""
    for i, part in enumerate(items):
        for cell, kind, path in list(objects(heap, item, part)):
            if live is not None and live.isdisjoint(reachable(heap, [Ref(cell)])):
                continue
            if not isinstance(kind, Block):
                if type(heap.contents[cell]) is RowList or cell in heap.entangled:
                    raise CompileError(ALIAS, heap.infos[cell].loc, hint=COPY, remedy="shared")
                hold_inside(heap, cell, kind, live)
                heap.contents[cell] = RowList(x, i, path)
            else:
                rows.held(heap, cell)


def hold_inside(heap: Heap, cell: int, item: Item, live: set[int] | None = None) -> None:
    """See to the objects in a list that becomes a row of another: lists are rows of this one."""
    held = inside(heap, cell, item)
    if heap.infos[cell].pinned is None and any(heap.infos[c].pinned is not None for c in held):
        raise CompileError(ALIAS, heap.infos[cell].loc, hint=COPY, remedy="shared")
    content: Any = heap.contents[cell]
    if held:
        _hold_all(heap, Ref(cell), item.item, content.items, live)  # type: ignore[union-attr]


def inside(heap: Heap, cell: int, item: Item) -> list[int]:
    """The cells of the objects in a list that is in no columns, if its items are of one type:
    others have their own places in the item of the list that it is put in."""
    content: Any = heap.contents[cell]
    if type(content) is not ListCell or not isinstance(item, Nested) or item.item is None:
        return []
    return [cell for part in content.items for cell, *_ in objects(heap, item.item, part)]


def resize(heap: Heap, content: GrowingList, capacity: int) -> None:
    """Make room for so many items, which may change in number."""
    for column in content.columns:
        array = shown(heap, column)
        extents = array.extents or extents_of(array.shape[0], array.ndim)
        heap.contents[column.cell] = Array(padded(array.value, capacity), extents)


def retyped_list(heap: Heap, content: GrowingList, item: Item) -> GrowingList:
    """The list with items wide enough for `item`."""
    if item == content.item:
        return content
    held = [shown(heap, column) for column in content.columns]
    loc = heap.infos[content.columns[0].cell].loc if held else None
    columns = []
    for value in retyped([array.value for array in held], content.item, item):
        extents = held[0].extents and (held[0].extents[0], *[None] * (value.type.ndim - 1))
        columns.append(Ref(heap.new(Array(value, extents), loc)))
    if any(column.cell in heap.kept for column in content.columns):
        heap.kept = heap.kept | {column.cell for column in columns}
    if any(~column.cell in heap.kept for column in content.columns):
        rows.in_common(heap, columns)
    return replace(content, columns=tuple(columns), item=item)
