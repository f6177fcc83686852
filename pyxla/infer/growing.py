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
then on (`Heap.kept`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyxla.errors import ListOverflow
from pyxla.infer import arrays, extent, views
from pyxla.infer.heap import GrowingList, Heap, ListCell
from pyxla.infer.integers import minus, plus, value_of
from pyxla.infer.joined import joined_number_type
from pyxla.infer.lattice import Array, Const, Ref, Scalar, Tuple, is_number, number_type
from pyxla.infer.shadows import resolve
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_DTYPES, ArrayType
from pyxla.lib import manipulation
from pyxla.lib.operands import as_array, cast
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.shape import constant, pad, reshape

KEPT = "this object is in a list whose length is known at run time only"
# Loops of no more iterations than this are unrolled rather than grow a list.
SHORT = 16
# More numbers than this are not set aside for a list.
MOST = 1 << 26
_PYTHON = {dtype: python for python, dtype in PYTHON_DTYPES.items()}

# --- items ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number of this type of rank 0; weak: a Python scalar."""

    type: ArrayType


@dataclass(frozen=True, slots=True)
class Block:
    """An array."""

    dtype: np.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple, or a list (`cls` is list) of so many items."""

    cls: type
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """A constant that is no number."""

    value: Any


Item = Number | Block | Row | Same


def item_of(heap: Heap, x: Any) -> Item | None:
    """What `x` is as an item of a list; None where it cannot be one here."""
    if is_number(x):
        return Number(number_type(x))
    if isinstance(x, Const):
        if isinstance(x.value, tuple):
            return _row(type(x.value), [item_of(heap, Const(i)) for i in x.value])
        return Same(x.value) if isinstance(x.value, str | type(None)) else None
    if isinstance(x, Tuple):
        return _row(x.cls, [item_of(heap, i) for i in x.items])
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if isinstance(content, ListCell):
        return _row(list, [item_of(heap, i) for i in content.items])
    if isinstance(x, Ref):
        array = _array(heap, x)
        if array is not None and array.extents is None:
            return Block(array.dtype, array.shape)
    return None


def _row(cls: type, items: Sequence[Item | None]) -> Item | None:
    return None if None in items else Row(cls, tuple(items))


def _array(heap: Heap, x: Ref) -> Array | None:
    content = heap.contents.get(x.cell)
    array = resolve(heap, content) if content is not None else None
    return views.apply(x.view, array) if isinstance(array, Array) else None


def joined_item(x: Item | None, y: Item | None) -> Item | None:
    """The item that holds both."""
    if x == y or x is None or y is None:
        return x if y == x else None
    if isinstance(x, Number) and isinstance(y, Number):
        wide = joined_number_type([_sample(x), _sample(y)])
        return None if wide is None else Number(wide)
    if isinstance(x, Row) and isinstance(y, Row) and x.cls is y.cls:
        if len(x.items) == len(y.items):
            return _row(x.cls, [joined_item(a, b) for a, b in zip(x.items, y.items, strict=True)])
    return None


def _sample(item: Number) -> Any:
    value = Value(item.type)
    return Scalar(value) if item.type.weak else Array(value)


def leaves(item: Item) -> Iterator[Number | Block]:
    """The numbers and arrays of an item, a column each."""
    if isinstance(item, Row):
        for inner in item.items:
            yield from leaves(inner)
    elif not isinstance(item, Same):
        yield item


def _column_type(leaf: Number | Block) -> tuple[np.dtype, tuple[int, ...]]:
    return (leaf.type.dtype, ()) if isinstance(leaf, Number) else (leaf.dtype, leaf.shape)


def _values(heap: Heap, item: Item, x: Any) -> Iterator[Value]:
    """What the columns take of `x`."""
    if isinstance(item, Row):
        for inner, part in zip(item.items, _parts(heap, x), strict=True):
            yield from _values(heap, inner, part)
    elif isinstance(item, Number):
        yield cast(as_array(x.value if isinstance(x, Const) else x).value, item.type.dtype)
    elif isinstance(item, Block):
        yield _array(heap, x).value


def _parts(heap: Heap, x: Any) -> Sequence[Any]:
    if isinstance(x, Const):
        return [Const(i) for i in x.value]
    content: Any = x if isinstance(x, Tuple) else heap.contents[x.cell]
    return content.items


def _blocks(heap: Heap, x: Any) -> Iterator[int]:
    """The cells of the arrays and lists in an item."""
    if isinstance(x, Ref):
        yield x.cell
    if isinstance(x, Tuple) or (isinstance(x, Ref) and isinstance(heap.contents[x.cell], ListCell)):
        for part in _parts(heap, x):
            yield from _blocks(heap, part)


# --- columns ----------------------------------------------------------------------------------


def found(heap: Heap, x: Any) -> GrowingList | None:
    """The content of a list that is kept in columns."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content if type(content) is GrowingList else None


def size_of(heap: Heap, content: GrowingList) -> Any:
    """How many items there are: an int or a Scalar."""
    array = resolve(heap, heap.contents[content.columns[0].cell])
    return array.shape[0] if array.extents is None else array.extents[0]


def capacity_of(heap: Heap, content: GrowingList) -> int:
    return resolve(heap, heap.contents[content.columns[0].cell]).shape[0]


def length(engine: Any, content: GrowingList) -> Any:
    """`len(x)`."""
    size = size_of(engine.heap, content)
    return Const(size) if isinstance(size, int) else size


def get(engine: Any, content: GrowingList, key: Any) -> Any:
    """`x[key]`."""
    if _is_slice(key):
        return _part(engine, content, key)
    index = _index(engine, content, key, "list index out of range")
    return _read(engine, content.item, iter(content.columns), index)


def _is_slice(key: Any) -> bool:
    return getattr(key, "kind", "") == "slice" or isinstance(getattr(key, "value", None), slice)


def _part(engine: Any, content: GrowingList, key: Any) -> Ref:
    columns = [
        arrays.fresh(engine, arrays.read(engine, arrays.getitem(engine, column, key)))
        for column in content.columns
    ]
    return engine.new(GrowingList(tuple(columns), content.item))


def _index(engine: Any, content: GrowingList, key: Any, message: str) -> Any:
    if isinstance(key, Array) and not key.shape and key.dtype.kind in "iu":
        key = arrays.python_scalar(key, int)
    known = isinstance(key, Const) and hasattr(type(key.value), "__index__")
    if not known and not (isinstance(key, Scalar) and key.kind is int):
        raise engine.refuse("list indices must be integers or slices")
    if engine.tests(IndexError):
        size, compare = length(engine, content), engine.rules.compare
        low = compare(engine, "ge", key, engine.rules.binary(engine, "sub", Const(0), size))
        high = compare(engine, "lt", key, size)
        engine.ensure(engine.rules.both(engine, low, high), IndexError(message))
    return key


def _read(engine: Any, item: Item, columns: Iterator[Ref], index: Any) -> Any:
    if isinstance(item, Same):
        return Const(item.value)
    if isinstance(item, Row):
        parts = tuple([_read(engine, inner, columns, index) for inner in item.items])
        if item.cls is not list:
            return Tuple(parts, item.cls)
        return Ref(engine.heap.new(ListCell(parts), engine.loc, read_only=KEPT))
    element = arrays.getitem(engine, next(columns), index)
    if isinstance(item, Block):
        if isinstance(element, Ref):
            element = arrays.read(engine, element)
        return arrays.fresh(engine, element, read_only=KEPT)
    return arrays.python_scalar(element, _PYTHON[item.type.dtype]) if item.type.weak else element


def assign(engine: Any, content: GrowingList, key: Any, x: Any) -> None:
    """`list[key] = x`."""
    new = item_of(engine.heap, x)
    if _is_slice(key) or joined_item(content.item, new) != content.item:
        raise engine.refuse("an item of another type is put into a list of unknown length")
    index = _index(engine, content, key, "list assignment index out of range")
    values = list(_values(engine.heap, content.item, x))
    _keep(engine, x)
    for column, value in zip(content.columns, values, strict=True):
        arrays.setitem(engine, column, index, Array(value))


def append(engine: Any, x: Ref, content: GrowingList, new: Any) -> None:
    """`list.append(new)`."""
    item = item_of(engine.heap, new)
    wide = joined_item(content.item, item)
    if wide is None:
        raise engine.refuse("the items of a list of unknown length are of one type each")
    if wide != content.item:
        content = _retyped(engine.heap, content, wide)
        engine.heap.contents[x.cell] = content
    engine.check_writable(x)
    size, capacity = size_of(engine.heap, content), capacity_of(engine.heap, content)
    if not _has_room(engine, content, size, capacity):
        _resize(engine.heap, content, capacity + 1)
    values = list(_values(engine.heap, content.item, new))
    _keep(engine, new)
    for column, value in zip(content.columns, values, strict=True):
        array = engine.content(column)
        one = reshape(value, shape=(1, *value.type.shape))
        starts = [value_of(size), *[value_of(0)] * value.type.ndim]
        written = dynamic_update_slice(array.value, one, *starts)
        engine.set_content(column.cell, Array(written, _extents(plus(size, 1), written.type.ndim)))


def _has_room(engine: Any, content: GrowingList, size: Any, capacity: int) -> bool:
    high = extent.upper(size)
    if high is not None and high < capacity:
        return True
    if content.loop is None or content.loop not in engine.loops:
        return False
    if content.watched == "append":
        test = engine.rules.compare(engine, "lt", Scalar(value_of(size)), Const(capacity))
        engine.ensure(test, ListOverflow(capacity))
    return True


def _extents(size: Any, ndim: int) -> tuple[Any, ...]:
    if isinstance(size, int):
        size = Scalar(constant(value=np.asarray(size), weak=True), extent.fact(size))
    return (size, *[None] * (ndim - 1))


def _keep(engine: Any, x: Any) -> None:
    cells = set(_blocks(engine.heap, x))
    if cells - engine.heap.kept:
        engine.heap.kept = engine.heap.kept | cells


def pop(engine: Any, content: GrowingList, index: Any) -> Any:
    """`list.pop()` and `list.pop(0)`."""
    first = isinstance(index, Const) and index.value == 0
    if not first and not (isinstance(index, Const) and index.value == -1):
        raise engine.refuse(
            "an item inside a list of unknown length is removed", "pop the first or the last"
        )
    size = size_of(engine.heap, content)
    if engine.tests(IndexError):
        test = engine.rules.compare(engine, "gt", length(engine, content), Const(0))
        engine.ensure(test, IndexError("pop from empty list"))
    at = Const(0) if first else Scalar(value_of(minus(size, 1)), extent.IntFact(0, None))
    item = _read(engine, content.item, iter(content.columns), at)
    for column in content.columns:
        array = engine.content(column)
        value = manipulation.roll(Array(array.value), -1, 0).value if first else array.value
        rest = _extents(minus(size, 1), value.type.ndim)
        engine.set_content(column.cell, Array(value, rest))
    return item


def clear(engine: Any, x: Ref, content: GrowingList) -> None:
    for column in content.columns:
        value = engine.content(column).value
        engine.set_content(column.cell, Array(value, _extents(0, value.type.ndim)))


def copied(engine: Any, content: GrowingList) -> Ref:
    """A new list of the same items."""
    columns = [arrays.fresh(engine, engine.content(column)) for column in content.columns]
    return engine.new(GrowingList(tuple(columns), content.item))


def numbers(content: GrowingList) -> tuple[Ref, bool] | None:
    """The column of a list of numbers, and whether they are Python's."""
    item = content.item
    return (content.columns[0], item.type.weak) if isinstance(item, Number) else None


def as_columns(engine: Any, content: GrowingList) -> Array:
    """The list as the array that NumPy makes of it."""
    item = content.item
    columns = [engine.content(column) for column in content.columns]
    if isinstance(item, Number | Block):
        return columns[0]
    flat = isinstance(item, Row) and all(isinstance(i, Number | Block) for i in item.items)
    if not flat or len({c.shape for c in columns}) > 1:
        raise engine.refuse("a list of such items does not become an array here")
    whole = manipulation.stack([Array(c.value) for c in columns], axis=1)
    return Array(whole.value, (*(columns[0].extents or (None,)), *[None] * (whole.ndim - 1)))


def spelled(item: Item) -> Any:
    """As `runtime.outcome.OutGrown` says it."""
    if isinstance(item, Row):
        return item.cls, tuple([spelled(inner) for inner in item.items])
    if isinstance(item, Same):
        return [item.value]
    if isinstance(item, Block):
        return "array"
    return "python" if item.type.weak else "numpy"


# --- loops ------------------------------------------------------------------------------------


def grow(engine: Any, head: Any, entry: Any, back: Any) -> bool:
    """Give the lists that a loop lengthens room where it starts; whether there are any."""
    pairs = {
        (x.cell, y.cell)
        for x, y in zip(entry.args, back.args, strict=True)
        if isinstance(x, Ref) and isinstance(y, Ref)
    }
    cells = entry.heap.contents
    pairs |= {(cell, cell) for cell, content in cells.items() if type(content) in _LISTS}
    return any([_grow(engine, head, entry, back, *pair) for pair in sorted(pairs)])


def _grow(engine: Any, head: Any, entry: Any, back: Any, first: int, last: int) -> bool:
    contents = [e.heap.contents.get(c) for e, c in ((entry, first), (back, last))]
    if not all(type(c) in _LISTS for c in contents):
        return False
    before, after = contents
    room = [room_of(e.heap, c) for e, c in zip((entry, back), contents, strict=True)]
    item = common_item(list(zip((entry, back), contents, strict=True)))
    settled = type(before) is type(after) and room[0] >= room[1]
    if item is None or (settled and (type(before) is ListCell or before.item == item)):
        return False
    counted, trips = _trips(head, entry, back)
    few = trips is not None and (trips <= SHORT or _holds_lists(item))
    if few and type(before) is ListCell:
        return False
    capacity, watched = engine.list_capacity, "exit" if counted else "append"
    step = max(room[1] - room[0], 1)
    if trips is not None and room[0] + trips * step <= MOST // _numbers(item):
        capacity, watched = room[0] + trips * step, ""
    entry.heap = entry.heap.copy()
    with building(Builder(entry.block.instrs, entry.loc)):
        made = laid_out(entry.heap, before, item, max(capacity, room[0]))
    made = replace(made, loop=head.header, watched=watched, step=step)
    entry.heap.contents[first] = made
    engine.lists.grew = True
    return True


def _holds_lists(item: Item) -> bool:
    """Whether items are lists, which programs go on to write."""
    return isinstance(item, Row) and (item.cls is list or any(map(_holds_lists, item.items)))


def _numbers(item: Item) -> int:
    """How many numbers an item has."""
    return sum([math.prod(_column_type(leaf)[1]) for leaf in leaves(item)])


def _trips(head: Any, entry: Any, back: Any) -> tuple[bool, int | None]:
    """Whether a counter that goes up by one ends the loop, and how often it can at most."""
    test = getattr(head.test, "test", None)
    if test is None or test[0] != "LT" or not isinstance(test[1], Scalar):
        return False, None
    for x, first, after in zip(head.args, entry.args, back.args, strict=True):
        if isinstance(x, Scalar) and x.value is test[1].value and isinstance(after, Scalar | int):
            if extent.difference(after, x) != 1:
                return False, None
            low = extent.lower(first.value if isinstance(first, Const) else first)
            high = extent.upper(test[2].value if isinstance(test[2], Const) else test[2])
            return True, None if low is None or high is None else max(high - low, 0)
    return False, None


def doubtful(head: Any, entry: Any, back: Any) -> list[int]:
    """Lists of which an iteration may append more than room was made for."""
    cells = []
    for cell, content in entry.heap.contents.items():
        if type(content) is GrowingList and content.loop is head.header and not content.watched:
            first, last = found(head.heap, Ref(cell)), found(back.heap, Ref(cell))
            if not (first and last and _within_step(head, back, first, last, content.step)):
                cells.append(cell)
    return cells


def watch(engine: Any, entry: Any, cells: Iterable[int]) -> None:
    """Look after these lists of a loop where it ends."""
    entry.heap = entry.heap.copy()
    for cell in cells:
        content = replace(entry.heap.contents[cell], watched="exit")
        entry.heap.contents[cell] = content
        if capacity_of(entry.heap, content) < engine.list_capacity:
            with building(Builder(entry.block.instrs, entry.loc)):
                _resize(entry.heap, content, engine.list_capacity)


def _within_step(head: Any, back: Any, first: Any, last: Any, step: int) -> bool:
    gap = extent.distance(size_of(back.heap, last), size_of(head.heap, first))[1]
    return gap is not None and gap <= step


def watch_exits(engine: Any, edges: Iterable[Any], header: Any) -> None:
    """After a loop, raise where a list outgrew the room that was made for it there."""
    for edge in edges:
        for content in list(edge.heap.contents.values()):
            if type(content) is not GrowingList or content.loop is not header:
                continue
            if content.watched == "exit":
                capacity = capacity_of(edge.heap, content)
                size = size_of(edge.heap, content)
                engine.enter(edge)
                test = engine.rules.compare(engine, "le", Scalar(value_of(size)), Const(capacity))
                engine.ensure(test, ListOverflow(capacity))
                edge.block = engine.block


# --- where paths meet -------------------------------------------------------------------------


def unify(states: Sequence[Any], columns: Iterable[Sequence[Any]]) -> bool:
    """Keep lists that differ in length among `states` (edges) in columns; whether there are any.

    columns: what one name is in each state.
    """
    first = states[0].heap.contents
    same = [[Ref(cell)] * len(states) for cell, x in first.items() if type(x) in _LISTS]
    return any([_unify(states, refs) for refs in [*columns, *same]])


_LISTS = (ListCell, GrowingList)


def _unify(states: Sequence[Any], refs: Sequence[Any]) -> bool:
    if not all(isinstance(x, Ref) for x in refs):
        return False
    contents = [s.heap.contents.get(x.cell) for s, x in zip(states, refs, strict=True)]
    if not all(type(c) in _LISTS for c in contents):
        return False
    sizes = {len(c.items) if type(c) is ListCell else None for c in contents}
    items = {c.item for c in contents if type(c) is GrowingList}
    if (len(sizes) == 1 and None not in sizes) or (sizes == {None} and len(items) == 1):
        return False
    pairs = list(zip(states, contents, strict=True))
    item = common_item(pairs)
    if item is None:
        return False
    room = max([room_of(s.heap, c) for s, c in pairs])
    for (state, content), x in zip(pairs, refs, strict=True):
        if type(content) is GrowingList and content.item == item:
            continue
        state.heap = state.heap.copy()
        with building(Builder(state.block.instrs, state.loc)):
            state.heap.contents[x.cell] = laid_out(state.heap, content, item, room)
    return True


def common_item(pairs: Sequence[tuple[Any, Any]]) -> Item | None:
    """The item that holds those of all lists, `(state, content)` each."""
    found_: list[Item | None] = []
    for state, content in pairs:
        if type(content) is GrowingList:
            found_.append(content.item)
        else:
            found_ += [item_of(state.heap, x) for x in content.items]
    if not found_:
        return None
    item = found_[0]
    for other in found_[1:]:
        item = joined_item(item, other)
    return item if item is not None and any(True for _ in leaves(item)) else None


def room_of(heap: Heap, content: Any) -> int:
    return len(content.items) if type(content) is ListCell else capacity_of(heap, content)


def laid_out(heap: Heap, content: Any, item: Item, capacity: int) -> GrowingList:
    """A list in columns of this capacity at least."""
    if type(content) is GrowingList:
        made = _retyped(heap, content, item)
        if capacity > capacity_of(heap, made):
            _resize(heap, made, capacity)
        return made
    rows = [list(_values(heap, item, x)) for x in content.items]
    for x in content.items:
        heap.kept = heap.kept | set(_blocks(heap, x))
    columns = []
    for k, leaf in enumerate(leaves(item)):
        dtype, shape = _column_type(leaf)
        value = _stacked([row[k] for row in rows], dtype, shape)
        value = _padded(value, max(capacity, 1))
        columns.append(Ref(heap.new(Array(value, _extents(len(rows), value.type.ndim)))))
    return GrowingList(tuple(columns), item)


def _stacked(values: list[Value], dtype: np.dtype, shape: tuple[int, ...]) -> Value:
    if not values:
        return constant(value=np.zeros((0, *shape), dtype))
    return manipulation.stack([Array(v) for v in values]).value


def _padded(x: Value, capacity: int) -> Value:
    more = capacity - x.type.shape[0]
    if more <= 0:
        return x
    none = (0,) * x.type.ndim
    zero = constant(value=np.zeros((), x.type.dtype))
    high = (more, *none[1:])
    return pad(x, zero, edge_padding_low=none, edge_padding_high=high, interior_padding=none)


def _resize(heap: Heap, content: GrowingList, capacity: int) -> None:
    for column in content.columns:
        array = resolve(heap, heap.contents[column.cell])
        extents = array.extents or _extents(array.shape[0], array.ndim)
        heap.contents[column.cell] = Array(_padded(array.value, capacity), extents)


def _retyped(heap: Heap, content: GrowingList, item: Item) -> GrowingList:
    """The list with numbers wide enough for `item`."""
    columns = []
    for column, leaf in zip(content.columns, leaves(item), strict=True):
        array = resolve(heap, heap.contents[column.cell])
        value = cast(array.value, _column_type(leaf)[0])
        columns.append(Ref(heap.new(Array(value, array.extents))))
    return replace(content, columns=tuple(columns), item=item)
