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
then on (`Heap.kept`).  A list in such a list is a `RowList`: what is written to it is written to
the columns of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyxla.errors import CompileError, ListOverflow
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import shadows, views
from pyxla.infer.arrays.blocks import Range
from pyxla.infer.arrays.shadows import resolve
from pyxla.infer.facts import extent
from pyxla.infer.facts.integers import minus, plus, value_of
from pyxla.infer.heap import GrowingList, Heap, ListCell, NumberList, RowList, reachable
from pyxla.infer.joins import choices, kinds
from pyxla.infer.lattice import Array, Conflict, Const, Kinds, MaybeNone, Ref, Scalar, Tuple
from pyxla.infer.lists import instances
from pyxla.infer.lists.columns import front, without
from pyxla.infer.lists.items import (
    INT,
    LISTS,
    Block,
    Handle,
    Handles,
    Item,
    Maybe,
    Nested,
    Number,
    Pick,
    Row,
    Same,
    at_path,
    count,
    item_of,
    joined_item,
    joined_items,
    laid,
    objects,
    one,
    padded,
    replaced_at,
    retyped,
    values,
    with_column,
)
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_TYPES, array_type
from pyxla.lib.operands import cast
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.shape import constant

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine

KEPT = "this object is in a list whose length is known at run time only"
ALIAS = "this list is in another list, and would be in a second one"
COPY = "append a copy: x[:]"
# Loops of no more iterations than this are unrolled rather than grow a list.
SHORT = 16
# More numbers than this are not set aside for a list.
MOST = 1 << 26
# A list in a list has room for this part of `Options.list_capacity`.
PART = 64

# --- columns ----------------------------------------------------------------------------------


def found(heap: Heap, x: Any) -> GrowingList | None:
    """The content of a list that is kept in columns, or of a row of one."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if type(content) is GrowingList:
        return content
    return row_content(heap, content) if type(content) is RowList else None


def row_content(heap: Heap, row: RowList) -> GrowingList | None:
    """A row as a list over views of the columns of the list that it is in; None where paths made
    of that what does not fit together."""
    outer = found(heap, row.parent)
    if outer is None:
        return None
    item, before = at_path(outer.item, row.path)
    columns = [
        _element(heap, column, row.index) for column in outer.columns[before : before + count(item)]
    ]
    return GrowingList(tuple(columns[1:]), item.item, size=columns[0], fixed=item.fixed)


def _element(heap: Heap, column: Ref, index: Any) -> Ref:
    shape = (
        column.view[-1].shape if column.view else resolve(heap, heap.contents[column.cell]).shape
    )
    ranges = (Range(index, 1), *[Range(0, n) for n in shape[1:]])
    step = views.BasicIndex(shape, ranges, tuple(range(1, len(shape))))
    return Ref(column.cell, views.extend(column.view, step))


def size_of(heap: Heap, content: GrowingList) -> Any:
    """How many items there are: an int or a Scalar."""
    if content.size is not None:
        if content.fixed is not None:
            return content.fixed
        held = views.apply(content.size.view, resolve(heap, heap.contents[content.size.cell]))
        return Scalar(arrays.python_scalar(held, int).value, extent.IntFact(0, None))
    array = resolve(heap, heap.contents[content.columns[0].cell])
    return array.shape[0] if array.extents is None else array.extents[0]


def capacity_of(heap: Heap, content: GrowingList) -> int:
    if not content.columns:
        return 0
    column = content.columns[0]
    if column.view:
        return column.view[-1].shape[0]
    return resolve(heap, heap.contents[column.cell]).shape[0]


def columns_of(engine: Engine, content: GrowingList) -> list[Array]:
    """The columns by value, with their true size."""
    if content.size is None:
        return [engine.content(column) for column in content.columns]
    size = size_of(engine.heap, content)
    held = [arrays.read(engine, column).value for column in content.columns]
    if isinstance(size, int):
        return [Array(front(v, size)) for v in held]
    return [Array(v, _extents(size, v.type.ndim)) for v in held]


def put(engine: Engine, content: GrowingList, columns: Sequence[Value], size: Any) -> None:
    """Let the list have these columns, of its capacity, and this size."""
    for column, value in zip(content.columns, columns, strict=True):
        if content.size is None:
            engine.set_content(column.cell, Array(value, _extents(size, value.type.ndim)))
        else:
            arrays.write(engine, column, Array(value))
    _set_size(engine, content, size)


def _set_size(engine: Engine, content: GrowingList, size: Any) -> None:
    if content.size is not None:
        arrays.write(engine, content.size, Array(cast(value_of(size), INT)))


def length(engine: Engine, content: GrowingList) -> Any:
    """`len(x)`."""
    size = size_of(engine.heap, content)
    return Const(size) if isinstance(size, int) else size


def get(engine: Engine, x: Ref, content: GrowingList, key: Any) -> Any:
    """`x[key]`."""
    if is_slice(key):
        return _part(engine, content, key)
    index = index_of(engine, content, key, f"{content.cls.__name__} index out of range")
    parent = x if content.cls is list else None
    return read_item(engine, content.item, iter(content.columns), index, parent)


def is_slice(key: Any) -> bool:
    return getattr(key, "kind", "") == "slice" or isinstance(getattr(key, "value", None), slice)


def _part(engine: Engine, content: GrowingList, key: Any) -> Ref:
    whole = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    columns = [
        arrays.fresh(engine, arrays.read(engine, arrays.getitem(engine, column, key)))
        for column in whole
    ]
    return guarded(engine, content, made_of(engine, columns, content.item, content.cls))


def class_of(content: Any) -> type:
    """The class of a list, or of a tuple of unknown length."""
    return content.cls if type(content) is GrowingList else list


def frozen(engine: Engine, content: GrowingList) -> Ref:
    """`tuple(x)` of a list of unknown length."""
    columns = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    return guarded(engine, content, made_of(engine, columns, content.item, tuple))


def contents_item(heap: Heap, x: Ref) -> Item | None:
    """The item of a list of unknown length."""
    content = found(heap, x)
    return None if content is None else content.item


def made_of(engine: Engine, columns: Sequence[Ref], item: Item, cls: type = list) -> Ref:
    """A new list over fresh arrays."""
    return engine.new(GrowingList(tuple(columns), item, cls=cls))


def index_of(engine: Engine, content: GrowingList, key: Any, message: str) -> Any:
    """`key` as a Python int; the program raises IndexError where it is out of range."""
    if isinstance(key, Array) and not key.shape and key.dtype.kind in "iu":
        key = arrays.python_scalar(key, int)
    known = isinstance(key, Const) and hasattr(type(key.value), "__index__")
    if not known and not (isinstance(key, Scalar) and key.kind is int):
        raise engine.refuse("list indices must be integers or slices")
    size, compare = length(engine, content), engine.rules.compare
    if engine.tests(IndexError):
        low = compare(engine, "ge", key, engine.rules.binary(engine, "sub", Const(0), size))
        high = compare(engine, "lt", key, size)
        engine.ensure(engine.rules.both(engine, low, high), IndexError(message))
    if content.item is None:
        return engine.raise_constant(IndexError(message))
    return _from_front(engine, content, key)


def _from_front(engine: Engine, content: GrowingList, key: Any) -> Any:
    """An index counted from the front, where a view of the column has a size of its own."""
    if content.size is None:
        return key
    low = extent.lower(key.value if isinstance(key, Const) else key)
    if low is not None and low >= 0:
        return key
    return positive(engine, key, length(engine, content))


def positive(engine: Engine, key: Any, size: Any) -> Any:
    """`key`, or `key + size` where it is negative, as an int that is not."""
    wrapped = engine.rules.binary(engine, "add", key, size)
    low = extent.lower(key.value if isinstance(key, Const) else key)
    if low is not None and low >= 0:
        return key
    if isinstance(key, Const) or isinstance(wrapped, Const):
        return wrapped if isinstance(wrapped, Const) else Scalar(wrapped.value, extent.AT_LEAST_0)
    negative = engine.rules.compare(engine, "lt", key, Const(0))
    picked = kinds.choose(negative, wrapped, key)
    return Scalar(picked.value, extent.AT_LEAST_0)


def read_item(
    engine: Engine,
    item: Item,
    columns: Iterator[Ref],
    index: Any,
    parent: Ref | None,
    path: tuple[int, ...] = (),
) -> Any:
    """The item at `index` of the list `parent`; lists in it are copies where that is None."""
    if isinstance(item, Same):
        return Const(item.value)
    if isinstance(item, Row):
        parts = tuple(
            [
                read_item(engine, inner, columns, index, parent, (*path, i))
                for i, inner in enumerate(item.items)
            ]
        )
        if item.cls is not list:
            return Tuple(parts, item.cls)
        return Ref(engine.heap.new(ListCell(parts), engine.loc, read_only=KEPT))
    if isinstance(item, Nested):
        own = [next(columns) for _ in range(count(item))]
        return _row(engine, item, own, index, parent, path)
    element = arrays.getitem(engine, next(columns), index)
    if isinstance(item, Pick):
        which = arrays.python_scalar(element, int)
        return choices.one_of_these(shadows.one_of(which.value, len(item.values)), item.values)
    if isinstance(item, Maybe):
        inner = read_item(engine, item.item, columns, index, parent, path)
        return MaybeNone(inner, arrays.python_scalar(element, bool))
    if isinstance(item, Block):
        if isinstance(element, Ref):
            element = arrays.read(engine, element)
        return arrays.fresh(engine, element, read_only=KEPT)
    if isinstance(item, Handle):
        return instances.at_row(engine, item.cls, element)
    if isinstance(item, Handles):
        row = arrays.getitem(engine, next(columns), index)
        return instances.of_one_class(engine, item.classes, element, row)
    weak = item.type.weak
    found_ = arrays.python_scalar(element, PYTHON_TYPES[item.type.dtype]) if weak else element
    if not item.choices:
        return found_
    which = arrays.python_scalar(arrays.getitem(engine, next(columns), index), int)
    selector = Scalar(which.value, extent.IntFact(0, len(item.choices) - 1))
    exact = None
    if item.exact:
        exact = arrays.python_scalar(arrays.getitem(engine, next(columns), index), int)
    return kinds.with_kinds(found_, Kinds(item.choices, selector, (), exact))


def _row(
    engine: Engine, item: Nested, columns: list[Ref], index: Any, parent: Ref | None, path: Any
) -> Ref:
    """The list at `index` of a list of lists."""
    if parent is not None:
        outer = found(engine.heap, parent)
        at = positive(engine, index, length(engine, outer))
        return engine.new(RowList(parent, at.value if isinstance(at, Const) else at, path))
    shared = any(c.cell in engine.heap.kept for c in columns)
    held = [arrays.fresh(engine, arrays.read(engine, c)) for c in columns]
    elements = [arrays.getitem(engine, c, index) for c in held]
    size = arrays.python_scalar(elements[0], int)
    inner = [arrays.read(engine, e) if isinstance(e, Ref) else e for e in elements[1:]]
    if not inner:
        return engine.new(ListCell(()))
    if item.fixed is None:
        bounded = Scalar(size.value, extent.IntFact(0, item.capacity))
        inner = [Array(e.value, _extents(bounded, e.ndim)) for e in inner]
    made = made_of(engine, [arrays.fresh(engine, e) for e in inner], item.item)
    if shared:  # with a list that has this one too
        _keep(engine, made)
    return made


def assign(engine: Engine, x: Ref, content: GrowingList, key: Any, new: Any) -> None:
    """`list[key] = new`."""
    content = widened(engine, x, content, new)
    index = index_of(engine, content, key, "list assignment index out of range")
    detach(engine, x)
    write_item(engine, x, content, index, new)


def widened(engine: Engine, x: Ref, content: GrowingList, new: Any) -> GrowingList:
    """The content of the list `x` with items wide enough for `new`."""
    if not isinstance(new, Const) and is_part(engine.heap.contents.get(_cell(new))):
        raise engine.refuse(ALIAS, COPY)
    engine.rules.enter(engine, content.item, new)
    item = with_column(item_of(engine.heap, new))
    wide = item if content.item is None else joined_item(content.item, item)
    if wide is None:
        given = isinstance(new, Ref) and engine.heap.infos[new.cell].pinned is not None
        if given and isinstance(engine.heap.contents[new.cell], (*LISTS, Conflict)):
            raise engine.refuse(ALIAS, COPY)
        raise engine.refuse("the items of a list of unknown length are of one type each")
    if wide != content.item:
        return retype(engine, x, wide)
    return content


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
    for column, value in zip(content.columns, written, strict=True):
        if content.size is not None:
            place = _element(engine.heap, column, value_at(index))
            arrays.write(engine, place, Array(value))
        else:
            arrays.setitem(engine, column, index, Array(value))


def value_at(index: Any) -> Any:
    return index.value if isinstance(index, Const) else index


def retype(engine: Engine, x: Ref, item: Item) -> GrowingList:
    """Give the list `x` wider items."""
    heap = engine.heap
    content: Any = heap.contents[x.cell]
    if type(content) is RowList:
        outer = found(heap, content.parent)
        old, _ = at_path(outer.item, content.path)
        room = max(old.capacity, 1) if old.fixed is not None else old.capacity
        new = Nested(item, room, old.fixed)
        retype(engine, content.parent, replaced_at(outer.item, content.path, new))
    else:
        heap.contents[x.cell] = _retyped(heap, content, item)
    return found(heap, x)


def append(engine: Engine, x: Ref, content: GrowingList, new: Any) -> None:
    """`list.append(new)`."""
    content = widened(engine, x, content, new)
    content = with_room(engine, x, content)
    engine.check_writable(x)
    size = size_of(engine.heap, content)
    if content.size is not None:
        write_item(engine, x, content, Const(size) if isinstance(size, int) else size, new)
        _set_size(engine, content, plus(size, 1))
        return
    written = list(values(engine.heap, content.item, new))
    hold(engine, x, content, size, new)
    for column, value in zip(content.columns, written, strict=True):
        array = engine.content(column)
        starts = [value_of(size), *[value_of(0)] * value.type.ndim]
        longer = dynamic_update_slice(array.value, one(value), *starts)
        engine.set_content(column.cell, Array(longer, _extents(plus(size, 1), longer.type.ndim)))


def with_room(engine: Engine, x: Ref, content: GrowingList) -> GrowingList:
    """The content of `x` with room for one item more."""
    size, capacity = size_of(engine.heap, content), capacity_of(engine.heap, content)
    if content.size is not None:
        content = unfixed(engine, x, content)
        capacity = capacity_of(engine.heap, content)
        test = engine.rules.compare(engine, "lt", Scalar(value_of(size)), Const(capacity))
        engine.ensure(test, ListOverflow(engine.list_capacity))
    elif not _has_room(engine, content, size, capacity):
        resize(engine.heap, content, capacity + 1)
    return content


def unfixed(engine: Engine, x: Ref, content: GrowingList) -> GrowingList:
    """The content of `x`, whose length may change from now on: a row has room for that."""
    if content.size is None:
        return content
    row = engine.heap.contents[x.cell]
    outer = found(engine.heap, row.parent)
    item, _ = at_path(outer.item, row.path)
    room = max(engine.list_capacity // PART, 1)
    if item.fixed is None and item.capacity >= room:
        return content
    new = replaced_at(outer.item, row.path, Nested(item.item, max(item.capacity, room), None))
    retype(engine, row.parent, new)
    return found(engine.heap, x)


def _has_room(engine: Engine, content: GrowingList, size: Any, capacity: int) -> bool:
    high = extent.upper(size)
    if high is not None and high < capacity:
        return True
    room = content.room
    if room is None or room.visit not in engine.visits:
        return False
    if room.watched == "append":
        test = engine.rules.compare(engine, "lt", Scalar(value_of(size)), Const(capacity))
        engine.ensure(test, ListOverflow(capacity))
    return True


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
    engine.ensure(test, ListOverflow(capacity))


def confine(engine: Engine, x: Ref, parts: Iterable[Any]) -> None:
    """Keep a new list that a loop makes of `parts` within the room that lists have: a loop that
    makes it of itself would need several times the room in each turn."""
    content = found(engine.heap, x)
    if content is None or not engine.loops:
        return
    held = [found(engine.heap, part) for part in parts]
    room = max([capacity_of(engine.heap, c) for c in held if c is not None], default=0)
    room = max(room, engine.list_capacity)
    if room < capacity_of(engine.heap, content):
        size = length(engine, content)
        engine.ensure(engine.rules.compare(engine, "le", size, Const(room)), ListOverflow(room))
        columns = [front(array.value, room) for array in columns_of(engine, content)]
        fact = extent.meet(extent.fact(value_at(size)), 0, room)
        put(engine, content, columns, Scalar(value_of(value_at(size)), fact))


def _extents(size: Any, ndim: int) -> tuple[Any, ...]:
    if isinstance(size, int):
        size = Scalar(constant(value=np.asarray(size), weak=True), extent.fact(size))
    return (size, *[None] * (ndim - 1))


def hold(engine: Engine, x: Ref, content: GrowingList, index: Any, new: Any) -> None:
    """See to the objects in an item that is put at `index`: an array may not be written any more,
    a list is from now on the row of this one."""
    hold_parts(engine, x, objects(engine.heap, content.item, new), index)


def hold_parts(engine: Engine, x: Ref, parts: Iterable[Any], index: Any) -> None:
    """See to these objects (`items.objects`) in the item of `x` at `index`."""
    heap = engine.heap
    for cell, item, path in list(parts):
        if not isinstance(item, Nested):
            heap.kept = heap.kept | {cell}
            continue
        if cell in heap.kept or heap.infos[cell].pinned is not None:
            raise engine.refuse(ALIAS, COPY)
        engine.check_distinct(Ref(cell))
        live = [*engine.in_use(), *engine.captures.pinned]
        if cell not in reachable(heap, live):
            del heap.contents[cell]
        else:
            heap.contents[cell] = RowList(x, value_at(index), path)


def detach(engine: Engine, x: Ref) -> None:
    """Items of `x` are moved: lists that were among them and have names are not known any more."""
    heap = engine.heap
    rows = [c for c, r in heap.contents.items() if type(r) is RowList and r.parent.cell == x.cell]
    if not rows:
        return
    live = reachable(heap, [*engine.in_use(), *engine.captures.pinned])
    for cell in rows:
        if cell in live:
            reason = "this list was in a list whose items were moved since"
            heap.contents[cell] = Conflict(reason, hint="take the list out again after they moved")
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
    lasting(engine, content)
    item = read_item(engine, content.item, iter(content.columns), at, None)
    detach(engine, x)
    held = [array.value for array in columns_of(engine, content)]
    moved = held if last else [without(v, value_of(value_at(at))) for v in held]
    put(engine, content, moved, minus(size, 1))
    return item


def clear(engine: Engine, x: Ref, content: GrowingList) -> None:
    engine.check_writable(x)
    content = unfixed(engine, x, content)
    lasting(engine, content)
    detach(engine, x)
    put(engine, content, [array.value for array in columns_of(engine, content)], 0)


def copied(engine: Engine, content: GrowingList, deep: bool = False) -> Ref:
    """A new list of the same items; `deep`: lists among them are copied too."""
    if not content.columns:
        return engine.new(ListCell(()))
    columns = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    made = made_of(engine, columns, content.item)
    return made if deep else guarded(engine, content, made)


def guarded(engine: Engine, content: GrowingList, made: Ref) -> Ref:
    """`made`, a list of items of another one: lists that are in two lists cannot be written, as
    long as somebody has the other."""
    if holds_lists(content.item):
        live = reachable(engine.heap, [*engine.in_use(), *engine.captures.pinned])
        if any(column.cell in live for column in content.columns):
            _keep(engine, made, *content.columns)
    return made


def _keep(engine: Engine, made: Ref, *columns: Ref) -> None:
    content: Any = engine.heap.contents[made.cell]
    cells = {column.cell for column in (*columns, *content.columns)}
    engine.heap.kept = engine.heap.kept | cells


def holds_lists(item: Any) -> bool:
    """Whether lists that are written are in an item."""
    if isinstance(item, Row):
        return any(map(holds_lists, item.items))
    return isinstance(item, Nested)


# --- laying out -------------------------------------------------------------------------------


def length_of(heap: Heap, content: Any) -> int | None:
    """How many items a list has, where that is known."""
    if type(content) is ListCell:
        return len(content.items)
    with building(Builder([], None)):  # of a shadow's sizes, where no one looks at which it is
        size = room_of(heap, content) if type(content) is NumberList else size_of(heap, content)
    return size if isinstance(size, int) else None


def common_item(pairs: Sequence[tuple[Any, Any]]) -> Item | None:
    """The item that holds those of all lists, `(state, content)` each."""
    found_ = [item for state, content in pairs for item in items_of(state.heap, content)]
    item = with_column(joined_items(found_)) if found_ else None
    return item if item is not None and count(item) else None


def items_of(heap: Heap, content: Any) -> list[Item | None]:
    """What the items of a list are."""
    if type(content) is GrowingList:
        return [content.item]
    if type(content) is NumberList:
        return [_number_of(heap, content)]
    return [item_of(heap, x) for x in content.items]


def _number_of(heap: Heap, content: NumberList) -> Number | None:
    """The item of a list of numbers that is kept as an array, and is no row of another."""
    array = resolve(heap, heap.contents[content.data.cell])
    if content.data.view or array.ndim != 1 or array.extents is not None:
        return None
    return Number(array_type(array.dtype, (), content.python))


def room_of(heap: Heap, content: Any) -> int:
    if type(content) is NumberList:
        return resolve(heap, heap.contents[content.data.cell]).shape[0]
    return len(content.items) if type(content) is ListCell else capacity_of(heap, content)


def laid_out(heap: Heap, x: Ref, item: Item, capacity: int, sized: bool = True) -> GrowingList:
    """The list `x` in columns of this capacity at least; `sized` if its length will change."""
    content: Any = heap.contents[x.cell]
    if type(content) is NumberList:
        data = Ref(heap.new(resolve(heap, heap.contents[content.data.cell])))
        content = GrowingList((data,), _number_of(heap, content))
    if type(content) is GrowingList:
        made = _retyped(heap, content, item)
        if sized and capacity >= capacity_of(heap, made):
            resize(heap, made, capacity)
        return made
    held = laid(heap, item, content.items, max(capacity, 1))
    _hold_all(heap, x, item, content.items)
    columns = []
    for value in held:
        plain = not sized and len(content.items) == value.type.shape[0]
        extents = None if plain else _extents(len(content.items), value.type.ndim)
        columns.append(Ref(heap.new(Array(value, extents))))
    return GrowingList(tuple(columns), item)


def _hold_all(heap: Heap, x: Ref, item: Item, items: Sequence[Any]) -> None:
    """The objects in the items of a list that becomes columns: lists are its rows."""
    for i, part in enumerate(items):
        for cell, kind, path in list(objects(heap, item, part)):
            if isinstance(kind, Nested):
                if type(heap.contents[cell]) is RowList or cell in heap.entangled:
                    raise CompileError(ALIAS, heap.infos[cell].loc, hint=COPY)
                heap.contents[cell] = RowList(x, i, path)
            else:
                heap.kept = heap.kept | {cell}


def resize(heap: Heap, content: GrowingList, capacity: int) -> None:
    """Make room for so many items, which may change in number."""
    for column in content.columns:
        array = resolve(heap, heap.contents[column.cell])
        extents = array.extents or _extents(array.shape[0], array.ndim)
        heap.contents[column.cell] = Array(padded(array.value, capacity), extents)


def _retyped(heap: Heap, content: GrowingList, item: Item) -> GrowingList:
    """The list with items wide enough for `item`."""
    if item == content.item:
        return content
    held = [resolve(heap, heap.contents[column.cell]) for column in content.columns]
    columns = []
    for value in retyped([array.value for array in held], content.item, item):
        extents = held[0].extents and (held[0].extents[0], *[None] * (value.type.ndim - 1))
        columns.append(Ref(heap.new(Array(value, extents))))
    if any(column.cell in heap.kept for column in content.columns):
        heap.kept = heap.kept | {column.cell for column in columns}
    return replace(content, columns=tuple(columns), item=item)
