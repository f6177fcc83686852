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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError, ListOverflow
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import shadows
from pyxla.infer.facts import extent
from pyxla.infer.facts.deciding import by_counted_loops
from pyxla.infer.facts.integers import minus, plus, value_of
from pyxla.infer.heap import GrowingList, Heap, ListCell, RowList
from pyxla.infer.joins import choices, kinds
from pyxla.infer.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Kinds,
    Ref,
    Scalar,
    Tuple,
    Variant,
    describe,
    optional,
)
from pyxla.infer.lists import instances, rows
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
from pyxla.infer.lists.item_types import (
    LISTS,
    Block,
    Chars,
    Handle,
    Item,
    Known,
    Maybe,
    Nested,
    Pick,
    Row,
    Same,
    Several,
)
from pyxla.infer.lists.items import (
    INT,
    at_path,
    count,
    item_of,
    joined_item,
    objects,
    replaced_at,
    with_column,
)
from pyxla.infer.lists.laying import one, values
from pyxla.infer.lists.rows import KEPT, reached
from pyxla.infer.text.codes import string
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_TYPES
from pyxla.lib.operands import cast
from pyxla.ops.index import dynamic_update_slice

if TYPE_CHECKING:
    from pyxla.infer.interface import Engine

# More numbers than this are not set aside for a list.
MOST = 1 << 26
# A list in a list has room for this part of `Options.list_capacity`.
PART = 64


class OtherShape(CompileError):
    """An array of another shape than those in a list of unknown length: were the iterations of a
    loop visited one by one, its length would be known, and its items of any shape."""


# --- columns ----------------------------------------------------------------------------------


def columns_of(engine: Engine, content: GrowingList) -> list[Array]:
    """The columns by value, with their true size."""
    if content.size is None:
        return [engine.content(column) for column in content.columns]
    size = size_of(engine.heap, content)
    held = [arrays.read(engine, column).value for column in content.columns]
    if isinstance(size, int):
        return [Array(front(v, size)) for v in held]
    return [Array(v, extents_of(size, v.type.ndim)) for v in held]


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


def unpacked(engine: Engine, x: Ref) -> ListCell:
    """The items one by one, where their number is known."""
    content = found(engine.heap, x)
    size = length(engine, content)
    if not isinstance(size, Const) or content.cls is not list:
        raise needs_length(
            engine,
            content,
            "the length of this list is known at run time only, which is not supported here",
            "make it an array, np.array(the list), or start from np.zeros of a known size",
        )
    return ListCell(tuple([get(engine, x, content, Const(i)) for i in range(size.value)]))


def is_slice(key: Any) -> bool:
    return getattr(key, "kind", "") == "slice" or isinstance(getattr(key, "value", None), slice)


def _part(engine: Engine, content: GrowingList, key: Any) -> Ref:
    whole = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    columns = [
        arrays.fresh(engine, arrays.read(engine, arrays.getitem(engine, column, key)))
        for column in whole
    ]
    return guarded(engine, content, made_like(engine, content, columns))


def class_of(content: Any) -> type:
    """The class of a list, or of a tuple of unknown length."""
    return content.cls if type(content) is GrowingList else list


def frozen(engine: Engine, content: GrowingList) -> Ref:
    """`tuple(x)` of a list of unknown length."""
    columns = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    return guarded(engine, content, made_like(engine, content, columns, tuple))


def contents_item(heap: Heap, x: Ref) -> Item | None:
    """The item of a list of unknown length."""
    content = found(heap, x)
    return None if content is None else content.item


def made_of(engine: Engine, columns: Sequence[Ref], item: Item, cls: type = list) -> Ref:
    """A new list over fresh arrays, the items of other lists."""
    rows.copied(engine.heap, item, columns)
    return engine.new(GrowingList(tuple(columns), item, cls=cls))


def made_like(
    engine: Engine, content: GrowingList, columns: Sequence[Ref], cls: type | None = None
) -> Ref:
    """A new list of items of another one."""
    rows.copied(engine.heap, content.item, [*content.columns, *columns])
    made = GrowingList(
        tuple(columns), content.item, guessed=content.guessed, cls=cls or content.cls
    )
    return engine.new(made)


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
    negative = engine.rules.compare(engine, "lt", key, Const(0))
    if isinstance(negative, Const):
        picked = wrapped if negative.value else key
    else:
        picked = kinds.choose(negative, wrapped, key)
    return picked if isinstance(picked, Const) else Scalar(picked.value, extent.AT_LEAST_0)


def read_item(
    engine: Engine,
    item: Item,
    columns: Iterator[Ref],
    index: Any,
    parent: Ref | None,
    path: tuple[int, ...] = (),
) -> Any:
    """The item at `index` of the list `parent`; lists in it are copies where that is None."""
    if isinstance(item, (Same, Known)):
        return Const(item.value)
    if isinstance(item, Row):
        parts = tuple(
            [
                read_item(engine, inner, columns, index, parent, (*path, i))
                for i, inner in enumerate(item.items)
            ]
        )
        if item.cls is range:
            return Compound("range", parts)
        if item.cls is not list:
            return Tuple(parts, item.cls)
        return Ref(engine.heap.new(ListCell(parts), engine.loc, read_only=KEPT))
    if isinstance(item, Nested):
        own = [next(columns) for _ in range(count(item))]
        return _row(engine, item, own, index, parent, path)
    column = next(columns)
    element = arrays.getitem(engine, column, index)
    if isinstance(item, Chars):
        return _text_at(engine, item, element, columns, index)
    if isinstance(item, Pick):
        which = arrays.python_scalar(element, int)
        return choices.one_of_these(shadows.one_of(which.value, len(item.values)), item.values)
    if isinstance(item, Maybe):
        inner = read_item(engine, item.item, columns, index, parent, path)
        return optional(inner, arrays.python_scalar(element, bool))
    if isinstance(item, Several):
        return _one_of(engine, item, columns, index, element)
    if isinstance(item, Block):
        if isinstance(element, Ref):
            element = arrays.read(engine, element)
        home = rows.taken_from(engine, parent, column, index)
        return arrays.fresh(engine, element, read_only=KEPT, home=home)
    if isinstance(item, Handle) and not item.tagged:
        return instances.at_row(engine, item.classes[0], element)
    if isinstance(item, Handle):
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


def _one_of(
    engine: Engine, item: Several, columns: Iterator[Ref], index: Any, which: Any
) -> Variant:
    """The item at `index`, which is one of several."""
    parts = [read_item(engine, inner, columns, index, None) for inner in item.items]
    tag = shadows.one_of(arrays.python_scalar(which, int).value, len(parts))
    names = " or ".join(map(describe, parts))
    return Variant("mixed", tag, tuple(parts), Conflict(f"this may be {names}", demand="apart"))


def _text_at(engine: Engine, item: Chars, first: Any, columns: Iterator[Ref], index: Any) -> Any:
    """The text at `index`, of which `first` is what the first column has."""
    if item.fixed:
        return string(arrays.read(engine, first))
    row = arrays.read(engine, arrays.getitem(engine, next(columns), index))
    size = arrays.python_scalar(first, int)
    bounded = Scalar(size.value, extent.IntFact(0, item.capacity))
    return string(Array(row.value, (bounded,)))


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
        inner = [Array(e.value, extents_of(bounded, e.ndim)) for e in inner]
    made = made_of(engine, [arrays.fresh(engine, e) for e in inner], item.item)
    rows.copied(engine.heap, item.item, columns)
    if shared:  # with a list that has this one too
        _keep(engine, made)
    return made


def needs_length(
    engine: Engine, content: GrowingList | None, message: str, hint: str = ""
) -> Exception:
    """What is raised where a list of unknown length will not do: a demand for the length, where
    number arguments decide it."""
    refusal = engine.refuse(message, hint, remedy="unrolled")
    size = None if content is None else size_of(engine.heap, content)
    return (engine.demand((size.value,), refusal) if isinstance(size, Scalar) else None) or refusal


def assign(engine: Engine, x: Ref, content: GrowingList, key: Any, new: Any) -> None:
    """`list[key] = new`."""
    content = widened(engine, x, content, new)
    index = index_of(engine, content, key, "list assignment index out of range")
    detach(engine, x)
    write_item(engine, x, content, index, new)


def widened(engine: Engine, x: Ref, content: GrowingList, new: Any) -> GrowingList:
    """The content of the list `x` with items wide enough for `new`."""
    if not isinstance(new, Const) and is_part(engine.heap.contents.get(_cell(new))):
        raise in_two(engine)
    engine.rules.enter(engine, content.item, new)
    item = with_column(item_of(engine.heap, new))
    wide = item if content.item is None else joined_item(content.item, item)
    if wide is None:
        given = isinstance(new, Ref) and engine.heap.infos[new.cell].pinned is not None
        if given and isinstance(engine.heap.contents[new.cell], (*LISTS, Conflict)):
            raise in_two(engine)
        words = "the items of a list of unknown length are of one type each"
        kind = OtherShape if _differ_in_shape(content.item, item) else CompileError
        raise engine.refuse(words, kind=kind)
    if wide != content.item:
        return retype(engine, x, wide)
    return content


def _differ_in_shape(x: Item | None, y: Item | None) -> bool:
    """Whether items have arrays of other shapes, and nothing else that differs in kind."""
    if isinstance(x, Row) and isinstance(y, Row) and len(x.items) == len(y.items):
        pairs = [p for p in zip(x.items, y.items, strict=True) if joined_item(*p) is None]
        return all(_differ_in_shape(*pair) for pair in pairs)
    return isinstance(x, Block) and isinstance(y, Block)


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
    for column, value in zip(content.columns, written, strict=True):
        if content.size is not None:
            place = element_of(engine.heap, column, value_at(index))
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
        write_item(engine, x, content, Const(size) if isinstance(size, int) else size, new)
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
    item: Any = at_path(outer.item, row.path)[0]
    room = max(engine.list_capacity // PART, 1)
    if item.fixed is None and item.capacity >= room:
        return content
    new = replaced_at(
        outer.item, row.path, replace(item, capacity=max(item.capacity, room), fixed=None)
    )
    retype(engine, row.parent, new)
    return found(engine.heap, x)


def make_room(engine: Engine, x: Ref, content: GrowingList, more: Any, size: Any) -> None:
    """Make room in `x` for `more` items at most, of which there will be `size`."""
    capacity = capacity_of(engine.heap, content)
    if _has_room(engine, content, minus(value_at(size), 1), capacity):
        return
    highs = extent.upper(value_at(size)), extent.upper(value_at(more))
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
    makes it of itself would need several times the room in each iteration."""
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


def hold(engine: Engine, x: Ref, content: GrowingList, index: Any, new: Any) -> None:
    """See to the objects in an item that is put at `index`: an array may not be written any more,
    a list is from now on the row of this one."""
    hold_parts(engine, x, objects(engine.heap, content.item, new), index)


def hold_parts(engine: Engine, x: Ref, parts: Iterable[Any], index: Any) -> None:
    """See to these objects (`items.objects`) in the item of `x` at `index`."""
    heap = engine.heap
    for cell, item, path in list(parts):
        if not isinstance(item, Nested):
            rows.held(heap, cell, found(heap, x).columns)
            continue
        if cell in heap.kept or heap.infos[cell].pinned is not None:
            raise in_two(engine)
        engine.check_distinct(Ref(cell))
        if cell not in reached(engine):
            del heap.contents[cell]
        else:
            heap.contents[cell] = RowList(x, value_at(index), path)


def detach(engine: Engine, x: Ref) -> None:
    """Items of `x` are moved: lists that were among them and have names are not known any more."""
    heap = engine.heap
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
    shorten(engine, x, content, minus(size, 1), None if last else value_of(value_at(at)))
    return item


def shorten(
    engine: Engine, x: Ref, content: GrowingList, size: Any, removed: Value | None = None
) -> None:
    """Leave `size` items of the list `x`: the first, or all but the one at `removed`."""
    engine.check_writable(x)
    content = unfixed(engine, x, content)
    lasting(engine, content)
    detach(engine, x)
    held = [array.value for array in columns_of(engine, content)]
    put(engine, content, held if removed is None else [without(v, removed) for v in held], size)


def copied(engine: Engine, content: GrowingList, deep: bool = False) -> Ref:
    """A new list of the same items; `deep`: lists among them are copied too."""
    if not content.columns:
        return engine.new(ListCell(()))
    columns = [arrays.fresh(engine, array) for array in columns_of(engine, content)]
    made = made_like(engine, content, columns, list)
    return made if deep else guarded(engine, content, made)


def guarded(engine: Engine, content: GrowingList, made: Ref) -> Ref:
    """`made`, a list of items of another one: lists that are in two lists cannot be written, as
    long as somebody has the other."""
    if holds_lists(content.item):
        live = reached(engine)
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
