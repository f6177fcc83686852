"""Lists whose length is known at run time only: `path.append(x)` in a loop.

Where paths meet on which a list has different lengths, or a loop brings a longer one back, its
items are laid out in *columns*: hidden arrays of bounded extent, one for each number or array of an
item. An append writes one element of each.  What the columns have room for, their *capacity*, is

    on a branch         the longest of the lists
    in a counted loop   what its iterations can append, if that many are known
    in any other loop   `Options.list_capacity`

A list that may outgrow its capacity is looked after (`watch`): the program raises `ListOverflow`,
upon which it is compiled for more and run again.

An array is appended by value.  CPython's list holds the array itself: neither may be written from
then on (`Heap.kept`), but through the list, as long as nobody else has it (`infer.lists.rows`).  A
list in such a list is a `RowList`: what is written to it is written to the columns of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import by_counted_loops
from pyxla.abstract.facts.integers import minus, plus, value_of
from pyxla.abstract.heap import GrowingList, RowList
from pyxla.abstract.lattice import Array, Conflict, Const, Ref, Scalar, as_const, plain
from pyxla.errors import CompileError, ListOverflow, PoolOverflow, RowOverflow
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.room import within
from pyxla.infer.interface import Engine
from pyxla.infer.lists import capacities, columnar, rows
from pyxla.infer.lists.columnar import (
    ALIAS,
    COPY,
    capacity_of,
    element_of,
    extents_of,
    found,
    resize,
    retyped_list,
    size_of,
)
from pyxla.infer.lists.columns import front, without
from pyxla.infer.lists.item_joins import (
    INT,
    differ_in_size,
    joined_item,
    of_any_length,
    with_length,
    with_spare,
)
from pyxla.infer.lists.item_types import LISTS, Block, Handle, Item, Nested, Number
from pyxla.infer.lists.items import (
    array_at,
    at_path,
    item_of,
    objects,
    part_at,
    replaced_at,
)
from pyxla.infer.lists.laying import one, values
from pyxla.infer.lists.reading import columns_of, index_of, length, positive, read_item
from pyxla.infer.lists.rows import reached, reached_otherwise
from pyxla.ir.core import Value
from pyxla.lib.operands import cast
from pyxla.ops.index import dynamic_update_slice

# More numbers than this are not set aside for a list.
MOST = 1 << 26


class OtherShape(CompileError):
    """An array of another shape than those in a list of unknown length: were the iterations of a
    loop visited one by one, its length would be known, and its items of any shape."""


def put(
    engine: Engine, content: GrowingList, columns: Sequence[Value], size: Any, fixed: bool = False
) -> None:
    """Let the list have these columns, of its capacity, and this size; `fixed`: nothing was
    reserved, before there was room for what is new."""
    fixed = fixed or (content.size is None and size == size_of(engine.heap, content))
    for column, value in zip(content.columns, columns, strict=True):
        if content.size is None:
            engine.set_content(column.cell, _sized(value, size, fixed))
        else:
            arrays.write(engine, column, Array(value))
    _set_size(engine, content, size)


def _sized(value: Value, size: Any, fixed: bool) -> Array:
    """A column of this length; `fixed`: nothing is reserved, so that one that is known is the
    array's."""
    if isinstance(size, int) and fixed:
        return Array(front(value, size))
    return Array(value, extents_of(size, value.type.ndim))


def _set_size(engine: Engine, content: GrowingList, size: Any) -> None:
    if content.size is not None:
        arrays.write(engine, content.size, Array(cast(value_of(size), INT)))


def assign(engine: Engine, x: Ref, content: GrowingList, key: Any, new: Any) -> None:
    """`list[key] = new`."""
    content = widened(engine, x, content, new)
    index = index_of(engine, content, key, "list assignment index out of range")
    detach(engine, x)
    with engine.unchecked():
        write_item(engine, x, content, index, new)


def widened(engine: Engine, x: Ref, content: GrowingList, new: Any) -> GrowingList:
    """The content of the list `x` with items wide enough for `new`."""
    if not isinstance(new, Const) and is_part(engine.heap.contents.get(_cell(new))):
        raise in_two(engine)
    engine.rules.enter(engine, content.item, new)
    within_room(engine, content.item, new)
    capacities.limit(engine, content.item, new)
    item = with_length(item_of(engine.heap, new))
    wide = item if content.item is None else joined_item(content.item, item)
    if wide is None:
        note_sizes(engine, [content.item, item])
        held = engine.heap.contents.get(_cell(new))
        given = held is not None and engine.heap.infos[new.cell].pinned is not None
        if given and isinstance(held, (*LISTS, Conflict)):
            raise in_two(engine)
        kind_of_new = arrays.kind_of(engine, new)
        words = f"items whose number is not known are of one type each, and this is {kind_of_new}"
        kind = OtherShape if differ_in_size([content.item, item]) else CompileError
        raise engine.refuse(words, kind=kind, among=[new])
    if wide != content.item:
        known = content.item if capacities.goes_on(engine) else wide
        room = engine.row_capacity
        return retype(engine, x, with_spare(wide, room, known) if engine.loops else wide)
    return content


def note_sizes(engine: Engine, items: Sequence[Item | None]) -> None:
    """Note that arrays of several sizes would be items of one list."""
    if differ_in_size(items):
        engine.findings.sized = True
        engine.findings.sizing.update(engine.loops)


def within_room(engine: Engine, item: Item | None, new: Any) -> None:
    """Cut the arrays of `new` to the room that `item` has for them; the program raises where they
    are longer."""
    heap = engine.heap
    if not heap.infos.room or item is None or (own := item_of(heap, new)) is None:
        return
    for cell, block, path in list(objects(heap, own, new)):
        have = part_at(item, path)
        if not isinstance(block, Block) or not isinstance(have, Block):
            continue
        sizes = list(zip(block.shape, have.shape))
        shape = [m if n > m >= heap.infos.room else n for n, m in sizes]
        if len(block.shape) == len(have.shape) and shape != list(block.shape):
            heap.contents[cell] = within(engine, array_at(heap, Ref(cell)), shape)


def in_two(engine: Engine) -> Exception:
    """What is raised where a list would be in two lists of unknown length."""
    return engine.refuse(ALIAS, COPY, remedy="shared")


def is_part(content: Any) -> bool:
    """Whether a list is part of another one, and so cannot be part of a second."""
    return type(content) is RowList and content.cls is None


def _cell(x: Any) -> int | None:
    return x.cell if isinstance(x, Ref) else None


def write_item(engine: Engine, x: Ref, content: GrowingList, index: Any, new: Any) -> None:
    """Put `new`, which the item type holds, at `index`."""
    engine.check_writable(x)
    written = list(values(engine.heap, content.item, new))
    hold(engine, x, content, index, new)
    put_at(engine, content, index, written)


def put_at(engine: Engine, content: GrowingList, index: Any, written: Sequence[Value]) -> None:
    """Write these values to the columns of a list, at `index`, which is in order."""
    for column, value in zip(content.columns, written, strict=True):
        if content.size is not None:
            place = element_of(engine.heap, column, plain(index))
            arrays.write(engine, place, Array(value))
        else:
            arrays.setitem(engine, column, index, Array(value))


def retype(engine: Engine, x: Ref, item: Item) -> GrowingList:
    """Give the list `x` wider items."""
    heap = engine.heap
    content: Any = heap.contents[x.cell]
    if type(content) is RowList:
        outer = found(heap, content.parent)
        old: Any = at_path(outer.item, content.path)[0]
        room = max(old.capacity, 1) if old.fixed is not None else old.capacity
        new = replace(old, item=item, capacity=room)
        retype(engine, content.parent, replaced_at(outer.item, content.path, new))
    else:
        heap.contents[x.cell] = retyped_list(heap, content, item)
    return found(heap, x)


def append(engine: Engine, x: Ref, content: GrowingList, new: Any, reserved: bool = False) -> None:
    """`list.append(new)`; `reserved`: `make_room` made room, unless a loop looks after it, or one
    made the length known, and the room what is needed for that."""
    content = widened(engine, x, content, new)
    fixed = isinstance(size_of(engine.heap, content), int)
    if not reserved or fixed or content.size is not None or looked_after(engine, content):
        content = with_room(engine, x, content)
    engine.check_writable(x)
    size = size_of(engine.heap, content)
    if content.size is not None:
        write_item(engine, x, content, as_const(size), new)
        _set_size(engine, content, plus(size, 1))
        return
    written = list(values(engine.heap, content.item, new))
    hold(engine, x, content, size, new)
    for column, value in zip(content.columns, written, strict=True):
        array = engine.content(column)
        starts = [value_of(size), *[value_of(0)] * value.type.ndim]
        longer = dynamic_update_slice(array.value, one(value), *starts)
        engine.set_content(column.cell, _sized(longer, plus(size, 1), fixed))


def with_room(engine: Engine, x: Ref, content: GrowingList) -> GrowingList:
    """The content of `x` with room for one item more."""
    size, capacity = size_of(engine.heap, content), capacity_of(engine.heap, content)
    if content.size is not None:
        content = unfixed(engine, x, content, more=1)
        row = engine.heap.contents[x.cell]  # whose items may be known, so that it has no columns
        outer: Any = found(engine.heap, row.parent)
        capacity = at_path(outer.item, row.path)[0].capacity
        test = engine.rules.compare(engine, "lt", Scalar(value_of(size)), Const(capacity))
        engine.ensure(test, RowOverflow(engine.row_capacity))
    elif not _has_room(engine, content, size, capacity):
        resize(engine.heap, content, capacity + 1)
    return content


def unfixed(engine: Engine, x: Ref, content: GrowingList, more: int = 0) -> GrowingList:
    """The content of `x`, whose length may change from now on: a row has room for that, and one of
    a known length for `more` than that."""
    if content.size is None:
        return content
    row = engine.heap.contents[x.cell]
    outer = found(engine.heap, row.parent)
    item: Any = at_path(outer.item, row.path)[0]
    room = engine.row_capacity
    if item.fixed is None and item.capacity >= room:
        return content
    if item.fixed is not None and item.fixed + more > room:
        room += item.fixed
    wide = replace(item, capacity=max(item.capacity, room), fixed=None)
    new = replaced_at(outer.item, row.path, wide)
    retype(engine, row.parent, new)
    return found(engine.heap, x)


def write_all(engine: Engine, x: Ref, row: RowList, items: Sequence[Any]) -> None:
    """Let a list in a list, which had items of several types, have others, and more or fewer."""
    outer: Any = found(engine.heap, row.parent)
    wide = of_any_length(at_path(outer.item, row.path)[0])
    if not isinstance(wide, Nested):
        raise engine.refuse("a list in a list gets longer, and its items are of no one type")
    retype(engine, row.parent, replaced_at(outer.item, row.path, wide))
    _set_size(engine, unfixed(engine, x, found(engine.heap, x)), 0)
    for new in items:
        append(engine, x, found(engine.heap, x), new)


def make_room(engine: Engine, x: Ref, content: GrowingList, more: Any, size: Any) -> None:
    """Make room in `x` for `more` items at most, of which there will be `size`."""
    capacity = capacity_of(engine.heap, content)
    if _has_room(engine, content, minus(plain(size), 1), capacity):
        return
    highs = extent.upper(plain(size)), extent.upper(plain(more))
    needed = capacity if highs[1] is None else capacity + highs[1]
    resize(engine.heap, content, needed if highs[0] is None else min(needed, highs[0]))
    if is_open(engine, more) and highs[1] is not None:
        engine.heap.contents[x.cell] = replace(content, guessed=content.guessed + highs[1])


def is_open(engine: Engine, count: Any) -> bool:
    """Whether data decides a number of items or iterations, of which a bound is a guess then."""
    return isinstance(count, Scalar) and not by_counted_loops(count.value, engine.heads())


def looked_after(engine: Engine, content: GrowingList) -> bool:
    """Whether a loop that is being visited made room for what it appends."""
    return content.room is not None and content.room.visit in engine.visits


def _has_room(engine: Engine, content: GrowingList, size: Any, capacity: int) -> bool:
    """Whether there is room for one item more than `size`."""
    high = extent.upper(size)
    if high is not None and high < capacity:
        return True
    if not looked_after(engine, content):
        return False
    if content.room.watched == "append":
        test = engine.rules.compare(engine, "lt", Scalar(value_of(size)), Const(capacity))
        engine.ensure(test, _overflow(engine, content)(capacity))
    return True


def _overflow(engine: Engine, content: GrowingList) -> type[ListOverflow]:
    """What the program raises where a list has no more room."""
    held = [engine.heap.contents[ref.cell] for ref in engine.pools.values()]
    own = [x for x in held if type(x) is GrowingList and x.columns == content.columns]
    return PoolOverflow if own else ListOverflow


def capacity_for(engine: Engine, cell: int) -> int:
    """The capacity of a list that a loop of unknown length makes longer."""
    pooled = any(ref.cell == cell for ref in engine.pools.values())
    return engine.pool_capacity if pooled else engine.list_capacity


def lasting(engine: Engine, content: GrowingList) -> None:
    """Raise where the list outgrew its room, before it gets shorter: the loop that looks after it
    where it ends would not see it.  One that relies on how much longer an iteration makes it is
    told how long it was."""
    room = content.room
    while room is not None:
        if room.watched == "exit" and room.visit in engine.visits:
            ensure_room(engine, content)
            return
        if not room.watched:
            room.visit.peaks.append((content.columns[0].cell, size_of(engine.heap, content)))
        room = room.outer


def ensure_room(engine: Engine, content: GrowingList) -> None:
    """Raise where the list outgrew its room."""
    capacity = capacity_of(engine.heap, content)
    size = Scalar(value_of(size_of(engine.heap, content)))
    test = engine.rules.compare(engine, "le", size, Const(capacity))
    engine.ensure(test, _overflow(engine, content)(capacity))


def confine(engine: Engine, x: Ref, parts: Iterable[Any]) -> None:
    """Keep a new list that a loop makes of `parts` within the room that lists have: a loop that
    makes it of itself would need several times the room in each iteration."""
    content = found(engine.heap, x)
    if content is None or not engine.loops:
        return
    held = [found(engine.heap, part) for part in parts]
    room = max([capacity_of(engine.heap, c) for c in held if c is not None], default=0)
    cut(engine, content, max(room, engine.list_capacity))


def cut(engine: Engine, content: GrowingList, room: int) -> None:
    """Keep a list within this room; the program raises where it is longer."""
    if capacity_of(engine.heap, content) <= room:
        return
    size = length(engine, content)
    engine.ensure(engine.rules.compare(engine, "le", size, Const(room)), ListOverflow(room))
    within = Scalar(value_of(plain(size)), extent.meet(extent.fact(plain(size)), 0, room))
    for column, array in zip(content.columns, columns_of(engine, content), strict=True):
        held = Array(front(array.value, room), extents_of(within, array.value.type.ndim))
        engine.heap.contents[column.cell] = held


def hold(engine: Engine, x: Ref, content: GrowingList, index: Any, new: Any) -> None:
    """See to the objects in an item that is put at `index`: an array may not be written any more,
    a list is from now on the row of this one."""
    hold_parts(engine, x, objects(engine.heap, content.item, new), index)


def hold_parts(engine: Engine, x: Ref, parts: Iterable[Any], index: Any) -> None:
    """See to these objects (`items.objects`) in the item of `x` at `index`."""
    heap = engine.heap
    for cell, item, path in list(parts):
        if isinstance(item, Block):
            rows.held(heap, cell, found(heap, x).columns)
            continue
        pinned = heap.infos[cell].pinned is not None
        if cell in heap.kept or pinned or cell not in heap.contents:  # put there twice
            if sites := heap.infos[cell].sites:
                engine.findings.ask(sites)
            raise in_two(engine)
        engine.check_distinct(Ref(cell))
        if columnar.inside(heap, cell, item):
            columnar.hold_inside(heap, cell, item, reached_otherwise(engine, cell))
        if cell not in reached(engine):
            del heap.contents[cell]
        else:
            heap.contents[cell] = RowList(x, plain(index), path)


def detach(engine: Engine, x: Ref) -> None:
    """Items of `x` are moved: lists that were among them and have names are not known any more."""
    heap = engine.heap
    content = found(heap, x)
    heap.infos.moves += content is None or not isinstance(content.item, Number | Handle)
    rows = [c for c, r in heap.contents.items() if type(r) is RowList and r.parent.cell == x.cell]
    if not rows:
        return
    live = reached(engine)
    for cell in rows:
        if cell in live:
            reason = "this list was in a list whose items were moved since"
            hint = "take the list out again after they moved"
            heap.contents[cell] = Conflict(reason, hint=hint, demand="shared")
        else:
            del heap.contents[cell]


def pop(engine: Engine, x: Ref, content: GrowingList, index: Any) -> Any:
    """`list.pop(index)`."""
    content = unfixed(engine, x, content)
    size = size_of(engine.heap, content)
    if content.item is None:
        return engine.raise_constant(IndexError("pop from empty list"))
    last = isinstance(index, Const) and index.value == -1
    if engine.tests(IndexError) or content.size is not None:
        test = engine.rules.compare(engine, "gt", length(engine, content), Const(0))
        engine.ensure(test, IndexError("pop from empty list"))
    if last:
        at: Any = Scalar(value_of(minus(size, 1)), extent.AT_LEAST_0)
    else:
        at = index_of(engine, content, index, "pop index out of range")
        at = positive(engine, at, length(engine, content))
    engine.check_writable(x)
    item = read_item(engine, content.item, iter(content.columns), at, None)
    shorten(engine, x, content, minus(size, 1), None if last else value_of(plain(at)))
    return item


def shorten(
    engine: Engine, x: Ref, content: GrowingList, size: Any, removed: Value | None = None
) -> None:
    """Leave `size` items of the list `x`: the first, or all but the one at `removed`."""
    engine.check_writable(x)
    content = unfixed(engine, x, content)
    lasting(engine, content)
    detach(engine, x)
    held: Sequence[Value] = [array.value for array in columns_of(engine, content)]
    held = held if removed is None else without(held, removed, value_of(size))
    put(engine, content, held, size)
