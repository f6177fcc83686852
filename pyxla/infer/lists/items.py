"""What the items of a list of unknown length are, and how one is laid out in columns.

Number   a number: one column; of several kinds (`infer.joins.kinds`), a second says which, and
         where ints of 64 bits are among floats, a third has these
Block    an array: a column of blocks
Row      a tuple, or a list of known length whose items are of several types: theirs, in order
Nested   a list: a column of lengths, and its items' columns with a dimension more
Maybe    what may be None: a column of whether it is not, and the item's
Same     a constant that is no number: none
Known    an int or bool that is known: none
Pick     one of several texts or members of an enum: a column of which
Chars    a text that data makes: a column of lengths, unless they are all of one, and one of rows of
         code points (`lib.strings`)
Handle   an instance: a column of which row of the pool of its class (`infer.lists.pools`) it is; of
         one of several classes: one of which, before
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from pyxla.frontend.support import Open
from pyxla.infer.arrays import views
from pyxla.infer.arrays.shadows import chosen, number, resolve
from pyxla.infer.heap import GrowingList, Heap, ListCell, NumberList, Pooled, RowList
from pyxla.infer.joins import choices, kinds
from pyxla.infer.joins.joined import joined_number_type
from pyxla.infer.joins.variants import items_of
from pyxla.infer.lattice import (
    Array,
    Compound,
    Const,
    Reading,
    Ref,
    Scalar,
    Tuple,
    is_number,
    is_variant,
    number_type,
)
from pyxla.infer.lists.sites import Meeting, is_list, pooled_together, sites_of
from pyxla.infer.text import codes
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import PYTHON_DTYPES, PYTHON_TYPES, ArrayType, array_type
from pyxla.lib import manipulation, strings
from pyxla.lib.operands import as_array, cast
from pyxla.ops.shape import constant, pad, reshape

INT, BOOL = PYTHON_DTYPES[int], PYTHON_DTYPES[bool]


@dataclass(frozen=True, slots=True)
class Number:
    """A number held as this type of rank 0 (weak: a Python scalar); `choices` are its kinds, where
    there are several."""

    type: ArrayType
    choices: tuple[Any, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether ints have a column of their own beside that of the wider type."""
        return kinds.mixes(self.choices)


@dataclass(frozen=True, slots=True)
class Block:
    """An array."""

    dtype: np.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple, a list (`cls` is list) of so many items, or a range: where it starts and stops, and
    its step."""

    cls: type
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """A list with room for `capacity` items (`item` is None where none was seen yet), `fixed` of
    which it has, or None where that is known at run time only; `sites`, where such lists are made,
    if that is known."""

    item: Any
    capacity: int
    fixed: int | None
    sites: Meeting | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Maybe:
    """`item`, or None."""

    item: Any


@dataclass(frozen=True, slots=True)
class Same:
    """A constant that is no number."""

    value: Any


@dataclass(frozen=True, slots=True)
class Known:
    """This int or bool, as long as it is no other, in a frame (`frontend.recursion`)."""

    cls: type
    value: int


@dataclass(frozen=True, slots=True)
class Pick:
    """One of these texts or members of an enum."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Chars:
    """A text of code points of this type, with room for `capacity`, or (`fixed`) of this length."""

    dtype: np.dtype
    capacity: int
    fixed: bool


@dataclass(frozen=True, slots=True)
class Handle:
    """An instance of one of these classes."""

    classes: tuple[type, ...]

    @property
    def tagged(self) -> bool:
        """Whether there is a column of which class it is."""
        return len(self.classes) > 1


NONE = Same(None)
_PICKED = (str, Enum)
_FUNCTIONS = (FunctionType, BuiltinFunctionType, np.ufunc)
_CONSTANTS = (*_PICKED, type(None), type, *_FUNCTIONS, range, Reading)
LISTS = (ListCell, GrowingList, NumberList)
Item = Number | Block | Row | Nested | Maybe | Same | Known | Pick | Chars | Handle


def item_of(heap: Heap, x: Any) -> Item | None:
    """What `x` is as an item of a list; None where it cannot be one here."""
    if is_number(x):
        several = kinds.kinds_of(x)
        return Number(number_type(x), several if len(several) > 1 else ())
    if isinstance(x, Const):
        if isinstance(x.value, tuple):
            return _row(type(x.value), [item_of(heap, Const(i)) for i in x.value])
        return Same(x.value) if isinstance(x.value, _CONSTANTS) else None
    if choices.is_choice(x):
        return picked(x.values)
    if (layout := codes.layout(x)) is not None:
        return Chars(*layout)
    if isinstance(x, Tuple):
        return (
            _row(x.cls, [item_of(heap, i) for i in x.items])
            if x.cls is not Open
            else _open(heap, x)
        )
    if isinstance(x, Compound) and x.kind == "range" and isinstance(x.items[2], Const):
        return _row(range, [*[item_of(heap, i) for i in x.items[:2]], Same(x.items[2].value)])
    if is_variant(x, "optional"):
        inner = item_of(heap, x.value)
        return Maybe(inner) if _may_be_none(inner) else None
    if is_variant(x, "mixed"):
        return _of_instances([item_of(heap, item) for item in x.items])
    return _of_reference(heap, x) if isinstance(x, Ref) else None


def _of_instances(items: Sequence[Any]) -> Handle | None:
    """One of several items that are instances."""
    if not all(isinstance(item, Handle) for item in items):
        return None
    classes = functools.reduce(choices.joined, [item.classes for item in items])
    pooled_together(classes)
    return Handle(tuple(classes))


def picked(values: Sequence[Any]) -> Pick | None:
    """One of `values` as an item: texts, or members of enums."""
    return Pick(tuple(values)) if all(isinstance(v, str | Enum) for v in values) else None


def picks_of(item: Any) -> tuple[Any, ...] | None:
    """What an item may be that is a text or a member of an enum."""
    if isinstance(item, Pick):
        return item.values
    return (item.value,) if isinstance(item, Same) and isinstance(item.value, _PICKED) else None


def with_column(item: Item | None) -> Item | None:
    """A text or a member of an enum as the one that an item may be: a list has columns."""
    picks = picks_of(item)
    return item if picks is None else Pick(picks)


def _may_be_none(item: Any) -> bool:
    """Whether an item is a number, a tuple of numbers or an instance: None is one of them too."""
    row = isinstance(item, Row) and all(isinstance(i, Number) for i in item.items)
    return row or isinstance(item, (Number, Chars, Handle))


def holds_instances(item: Any) -> bool:
    """Whether an instance is in an item."""
    if isinstance(item, (Nested, Maybe)):
        return holds_instances(item.item)
    if isinstance(item, Row):
        return any(map(holds_instances, item.items))
    return isinstance(item, Handle)


def _of_reference(heap: Heap, x: Ref) -> Item | None:
    content = heap.contents.get(x.cell)
    if isinstance(content, Pooled) or (isinstance(content, RowList) and content.cls):
        return Handle((content.cls,))
    if isinstance(content, LISTS) and (sites := heap.infos[x.cell].sites):
        meeting = heap.infos[x.cell].asked = heap.infos[x.cell].asked or Meeting(sites)
        item = _of_list(heap, x, content)
        return replace(item, sites=meeting) if isinstance(item, Nested) else item
    return _of_list(heap, x, content)


def _of_list(heap: Heap, x: Ref, content: Any) -> Item | None:
    """What a list, or an array, is as an item."""
    if isinstance(content, ListCell):
        found = [item_of(heap, i) for i in content.items]
        if not found:
            return Nested(None, 0, 0)
        common = with_column(joined_items(found))
        return _row(list, found) if common is None else Nested(common, len(found), len(found))
    if isinstance(content, GrowingList):
        if content.cls is tuple:
            return None
        array = resolve(heap, heap.contents[content.columns[0].cell])
        known = array.shape[0] if array.extents is None else None
        return Nested(content.item, array.shape[0], known)
    if isinstance(content, NumberList):
        array = array_at(heap, content.data)
        if array.ndim > 1 or array.extents is not None or content.data.view:
            return None  # the row of another list would be in two
        number_ = Number(array_type(array.dtype, (), content.python))
        return Nested(number_, array.shape[0], array.shape[0])
    array = array_at(heap, x)
    return Block(array.dtype, array.shape) if array is not None and not array.extents else None


def _row(cls: type, items: Sequence[Item | None]) -> Item | None:
    return None if None in items else Row(cls, tuple(items))


def array_at(heap: Heap, x: Ref) -> Array | None:
    """The array that `x` shows, by value."""
    content = heap.contents.get(x.cell)
    array = resolve(heap, content) if content is not None else None
    return views.apply(x.view, array) if isinstance(array, Array) else None


def joined_items(items: Sequence[Item | None]) -> Item | None:
    """The item that holds each of `items`."""
    found = items[0]
    for other in items[1:]:
        found = joined_item(found, other)
    return found


def _open(heap: Heap, x: Tuple) -> Item | None:
    """The variables of a call that is open: ints stay known; there is a column."""
    known = [isinstance(i, Const) and type(i.value) in (int, bool) for i in x.items]
    items = [
        Known(type(i.value), i.value) if fixed else item_of(heap, i)
        for i, fixed in zip(x.items, known, strict=True)
    ]
    row = _row(x.cls, items)
    return row if row is None or count(row) else _row(x.cls, list(map(_opened, items)))


def _opened(x: Item | None) -> Item | None:
    """An int that is known as one that is not, and a range, but for its step."""
    if isinstance(x, Known):
        return Number(array_type(PYTHON_DTYPES[x.cls], (), True))
    if isinstance(x, Same) and isinstance(x.value, range):
        return Row(range, (_INT, _INT, Same(x.value.step)))
    return x


_INT = Number(array_type(INT, (), True))


def joined_item(x: Item | None, y: Item | None) -> Item | None:
    """The item that holds both."""
    _meet(x, y)
    if x == y or x is None or y is None:
        return x if y == x else None
    x, y = _opened(x), _opened(y)
    bare = [i.item if isinstance(i, Maybe) else i for i in (x, y) if i != NONE]
    if len(bare) < 2 or isinstance(x, Maybe) or isinstance(y, Maybe):
        inner = joined_items(bare)
        return Maybe(inner) if _may_be_none(inner) else None
    if isinstance(x, Number) and isinstance(y, Number):
        return _joined_numbers(x, y)
    picks = picks_of(x), picks_of(y)
    if None not in picks:
        return picked(choices.joined(*picks))
    if None not in (layouts := [layout_of(i) for i in (x, y)]):
        return Chars(*codes.common(layouts))
    if (instances := _of_instances([x, y])) is not None:
        return instances
    if isinstance(x, Nested) and isinstance(y, Nested):
        inner = x.item or y.item
        if x.item is not None and y.item is not None:
            inner = joined_item(x.item, y.item)
            if inner is None:
                return None
        fixed = x.fixed if x.fixed == y.fixed else None
        return Nested(inner, max(x.capacity, y.capacity), fixed, x.sites or y.sites)
    if isinstance(x, Row) and isinstance(y, Row) and x.cls is y.cls:
        if len(x.items) == len(y.items):
            return _row(x.cls, [joined_item(a, b) for a, b in zip(x.items, y.items, strict=True)])
    return None


def layout_of(item: Any) -> Any:
    """How the code points of a text lie (`codes.layout`); None of items of other kinds."""
    if isinstance(item, Chars):
        return item.dtype, item.capacity, item.fixed
    picks = picks_of(item)
    if not picks or not all(type(text) is str for text in picks):
        return None
    return codes.common([codes.layout(Const(text)) for text in picks])


def _meet(x: Any, y: Any) -> None:
    """Note that lists of these places in the program are items of one list."""
    if x is y:
        return
    if isinstance(x, Nested) and isinstance(y, Nested):
        if x.sites is not None and y.sites is not None:
            x.sites.unite(y.sites)
        _meet(x.item, y.item)
    elif isinstance(x, Row) and isinstance(y, Row):
        for a, b in zip(x.items, y.items, strict=False):
            _meet(a, b)
    elif isinstance(x, Nested) and isinstance(y, Handle) and x.sites is not None:
        for cls in filter(is_list, y.classes):
            x.sites.unite(Meeting(sites_of(cls)))
    elif isinstance(x, Handle) and isinstance(y, Nested):
        _meet(y, x)


def _joined_numbers(x: Number, y: Number) -> Number | None:
    wide = joined_number_type([_sample(x), _sample(y)], several=True)
    several = tuple(choices.joined(choices_of(x), choices_of(y)))
    return None if wide is None else Number(wide, several if len(several) > 1 else ())


def choices_of(item: Number) -> tuple[Any, ...]:
    """The kinds that a number may be of."""
    if item.choices:
        return item.choices
    return (PYTHON_TYPES[item.type.dtype] if item.type.weak else item.type.dtype.type,)


def _sample(item: Number) -> Any:
    value = Value(item.type)
    return Scalar(value) if item.type.weak else Array(value)


def leaves(item: Item) -> Iterator[tuple[np.dtype, tuple[int, ...]]]:
    """The columns of an item: dtype and shape of an element each."""
    if isinstance(item, Row):
        for inner in item.items:
            yield from leaves(inner)
    elif isinstance(item, Maybe):
        yield BOOL, ()
        yield from leaves(item.item)
    elif isinstance(item, Nested):
        yield INT, ()
        for dtype, shape in leaves(item.item) if item.item is not None else ():
            yield dtype, (item.capacity, *shape)
    elif isinstance(item, Number):
        yield item.type.dtype, ()
        if item.choices:
            yield INT, ()
        if item.exact:
            yield INT, ()
    elif isinstance(item, Pick):
        yield INT, ()
    elif isinstance(item, Chars):
        if not item.fixed:
            yield INT, ()
        yield item.dtype, (item.capacity,)
    elif isinstance(item, Handle):
        yield from [(INT, ())] * (1 + item.tagged)
    elif isinstance(item, Block):
        yield item.dtype, item.shape


def count(item: Item | None) -> int:
    """How many columns an item has."""
    return 0 if item is None else sum([1 for _ in leaves(item)])


def values(heap: Heap, item: Item, x: Any) -> Iterator[Value]:
    """What the columns take of `x`."""
    for (dtype, _), held in zip(leaves(item), _held(heap, item, x), strict=True):
        yield _array(held, dtype).value


def _held(heap: Heap, item: Item, x: Any) -> Iterator[Any]:
    """As `values`, where what is known is Python's."""
    if isinstance(item, Row):
        for inner, part in zip(item.items, parts_of(heap, x), strict=True):
            yield from _held(heap, inner, part)
    elif isinstance(item, Number):
        yield from _number(item, x)
    elif isinstance(item, Pick):
        where = choices.position(x, item.values)
        yield where.value if isinstance(where, Const) else cast(where.value, INT)
    elif isinstance(item, Chars):
        text = codes.fitted(x, (item.dtype, item.capacity, item.fixed))
        if not item.fixed:
            yield strings.size(text)
        yield text.value
    elif isinstance(item, Handle):
        given = items_of(x, "mixed")
        if item.tagged:
            places = [item.classes.index(_class_of(heap, one)) for one in given]
            yield cast(_chosen(x, [number(place) for place in places]), INT)
        yield _chosen(x, [_row_of(heap, one) for one in given])
    elif isinstance(item, Block):
        yield array_at(heap, x).value
    elif isinstance(item, Nested):
        yield from _nested_values(heap, item, x)
    elif isinstance(item, Maybe):
        known = not (isinstance(x, Const) and x.value is None)
        yield x.tag.value if is_variant(x, "optional") else known
        bare = x.value if is_variant(x, "optional") else x
        yield from _held(heap, item.item, bare) if known else [0] * count(item.item)


def _number(item: Number, x: Any) -> Iterator[Any]:
    """As `_held`, of a number."""
    if isinstance(x, Const):
        yield x.value
        if item.choices:
            yield item.choices.index(type(x.value))
        if item.exact:
            yield int(x.value) if isinstance(x.value, int | np.int64) else 0
        return
    yield cast(as_array(x).value, item.type.dtype)
    if item.choices:
        yield cast(kinds.position_in(x, item.choices), INT)
    if item.exact:
        yield cast(kinds.exact_of(x).value, INT)


def _class_of(heap: Heap, x: Ref) -> type:
    row: Any = heap.contents[x.cell]
    return row.cls


def _row_of(heap: Heap, x: Ref) -> Value:
    """The row of the pool that an instance is."""
    row: Any = heap.contents[x.cell]
    return cast(as_array(row.index).value, INT)


def _chosen(x: Any, found: Sequence[Value]) -> Value:
    return chosen(x.tag, found) if is_variant(x, "mixed") else found[0]


def _nested_values(heap: Heap, item: Nested, x: Ref) -> Iterator[Value]:
    content: Any = heap.contents[x.cell]
    if isinstance(content, NumberList):
        array = array_at(heap, content.data)
        inner = Number(array_type(array.dtype, (), content.python))
        columns, have = [array], inner
        size: Any = array.shape[0]
    elif isinstance(content, GrowingList):
        columns = [array_at(heap, c) for c in content.columns]
        size = columns[0].extents[0] if columns[0].extents else columns[0].shape[0]
        have = content.item
    else:
        yield constant(value=np.asarray(len(content.items), INT))
        if item.item is not None:
            yield from laid(heap, item.item, content.items, item.capacity)
        return
    yield constant(value=np.asarray(size, INT)) if isinstance(size, int) else cast(size.value, INT)
    if item.item is not None:
        yield from retyped([c.value for c in columns], have, item.item, item.capacity)


def laid(heap: Heap, item: Item, xs: Sequence[Any], capacity: int) -> list[Value]:
    """Columns with room for `capacity` items that hold `xs`."""
    rows = [list(_held(heap, item, x)) for x in xs]
    columns = []
    for k, (dtype, shape) in enumerate(leaves(item)):
        held = [row[k] for row in rows]
        if any(isinstance(x, Value) for x in held):
            value = manipulation.stack([_array(x, dtype) for x in held]).value
        else:
            value = constant(value=np.asarray(held, dtype).reshape(len(held), *shape))
        columns.append(padded(value, capacity))
    return columns


def _array(x: Any, dtype: np.dtype) -> Array:
    return Array(x) if isinstance(x, Value) else as_array(x, dtype)


def padded(x: Value, capacity: int, axis: int = 0) -> Value:
    """`x` with zeros behind, so that there are `capacity` along `axis`."""
    more = capacity - x.type.shape[axis]
    if more <= 0:
        return x
    known = isinstance(x.owner, Instr) and x.owner.op is constant
    if known or not x.type.size:
        shape = [capacity if d == axis else n for d, n in enumerate(x.type.shape)]
        wide = np.zeros(shape, x.type.dtype)
        if known:
            wide[tuple(map(slice, x.type.shape))] = x.owner.attrs["value"]
        return constant(value=wide)
    none = (0,) * x.type.ndim
    high = tuple([more if d == axis else 0 for d in range(x.type.ndim)])
    zero = constant(value=np.zeros((), x.type.dtype))
    return pad(x, zero, edge_padding_low=none, edge_padding_high=high, interior_padding=none)


def retyped(
    columns: Sequence[Value], old: Item, new: Item, capacity: int | None = None
) -> list[Value]:
    """Columns of `old` items as columns of `new` ones, which hold them; each has dimensions in
    front, `capacity` of the first of them."""
    rest = iter(columns)
    front = columns[0].type.shape
    made = list(_retyped(rest, old, new, 1, front[:1]))
    return made if capacity is None else [padded(c, capacity) for c in made]


def _retyped(rest: Iterator[Value], old: Any, new: Any, depth: int, front: Any) -> Iterator[Value]:
    """The next columns of `rest`, which have `depth` dimensions, `front`, before an element's."""
    if isinstance(old, Known) and isinstance(new, Number):
        value_, old = old.value, _opened(old)
        rest = iter([constant(value=np.full(front, value_, old.type.dtype))])
    if isinstance(new, Number):
        value = next(rest)
        yield cast(value, new.type.dtype)
        if old.choices:
            which = next(rest)
        if new.choices:
            places = [new.choices.index(kind) for kind in choices_of(old)]
            yield _tags(which if old.choices else None, places, value.type.shape)
        if new.exact:
            yield cast(next(rest) if old.exact else value, INT)
    elif isinstance(new, Row) and isinstance(old, Same):
        for bound in (old.value.start, old.value.stop):
            yield constant(value=np.full(front, bound, INT))
    elif isinstance(new, Row):
        for a, b in zip(old.items, new.items, strict=True):
            yield from _retyped(rest, a, b, depth, front)
    elif isinstance(new, Nested):
        yield next(rest)
        inner = (*front, new.capacity)
        if new.item is not None and old.item is None:
            for dtype, shape in leaves(new.item):
                yield constant(value=np.zeros((*inner, *shape), dtype))
        elif new.item is not None:
            for value in _retyped(rest, old.item, new.item, depth + 1, (*front, old.capacity)):
                yield padded(value, new.capacity, depth)
    elif isinstance(new, Maybe):
        if isinstance(old, Maybe):
            yield next(rest)
        else:
            yield constant(value=np.full(front, old != NONE, BOOL))
        if old == NONE:
            for dtype, shape in leaves(new.item):
                yield constant(value=np.zeros((*front, *shape), dtype))
        else:
            bare = old.item if isinstance(old, Maybe) else old
            yield from _retyped(rest, bare, new.item, depth, front)
    elif isinstance(new, Block):
        yield next(rest)
    elif isinstance(new, Handle):
        if new.tagged:
            places = [new.classes.index(cls) for cls in old.classes]
            yield _tags(next(rest) if old.tagged else None, places, front)
        yield next(rest)
    elif isinstance(new, Chars):
        sizes, rows = _texts(rest, old, front)
        if not new.fixed:
            yield sizes
        yield padded(cast(rows, new.dtype), new.capacity, depth)
    elif isinstance(new, Pick):
        places = [choices.index_of(v, new.values) for v in picks_of(old)]
        yield _tags(next(rest) if isinstance(old, Pick) else None, places, front)


def _tags(old: Value | None, places: Sequence[Any], front: Any) -> Value:
    """A column of tags, where item `i` of what it was of is at `places[i]` now; old: its tags, or
    None where there was one item."""
    if old is None:
        return constant(value=np.full(front, places[0], INT))
    return old if list(places) == list(range(len(places))) else kinds.moved(old, places)


def _texts(rest: Iterator[Value], old: Any, front: Any) -> tuple[Value, Value]:
    """The lengths and code points of the texts in the next columns."""
    if isinstance(old, Pick):
        return strings.table_of(next(rest), old.values)
    if isinstance(old, Same):
        return strings.table_of(constant(value=np.zeros(front, INT)), (old.value,))
    sizes = constant(value=np.full(front, old.capacity, INT)) if old.fixed else next(rest)
    return sizes, next(rest)


def parts_of(heap: Heap, x: Any) -> Sequence[Any]:
    """The items of a tuple or list."""
    if isinstance(x, Const):
        r = x.value
        return [Const(i) for i in ((r.start, r.stop, r.step) if isinstance(r, range) else r)]
    content: Any = x if isinstance(x, (Tuple, Compound)) else heap.contents[x.cell]
    return content.items


def objects(heap: Heap, item: Item, x: Any, path: tuple[int, ...] = ()) -> Iterator[Any]:
    """The cells of arrays and lists in an item, what they are and where: `(cell, item, path)`."""
    if isinstance(item, (Block, Nested)) or (isinstance(item, Row) and item.cls is list):
        yield x.cell, item, path
    if isinstance(item, Row):
        for i, (inner, part) in enumerate(zip(item.items, parts_of(heap, x), strict=True)):
            yield from objects(heap, inner, part, (*path, i))


def at_path(item: Item, path: tuple[int, ...]) -> tuple[Item, int]:
    """The part of an item at `path`, and how many columns come before it."""
    before = 0
    for step in path:
        parts: Sequence[Any] = item.items  # type: ignore[union-attr]
        before += sum([count(inner) for inner in parts[:step]])
        item = parts[step]
    return item, before


def replaced_at(item: Any, path: tuple[int, ...], new: Item) -> Item:
    """`item` with another part at `path`."""
    if not path:
        return new
    parts: list[Any] = list(item.items)
    parts[path[0]] = replaced_at(parts[path[0]], path[1:], new)
    return replace(item, items=tuple(parts))


def spelled(item: Item | None, pool: Callable[[type], int]) -> Any:
    """As `runtime.outcome.OutGrown` says it; `pool`: the number of the pool of a class."""
    if isinstance(item, Row):
        return item.cls, tuple([spelled(inner, pool) for inner in item.items])
    if isinstance(item, Nested):
        return {"list": spelled(item.item, pool), "columns": count(item.item)}
    if isinstance(item, Maybe):
        return {"maybe": spelled(item.item, pool)}
    if isinstance(item, Same):
        return [item.value]
    if isinstance(item, Pick):
        return {"picks": item.values}
    if isinstance(item, Chars):
        return {"text": not item.fixed}
    if isinstance(item, Handle):
        numbers = tuple(map(pool, item.classes))
        return {"pools": numbers} if item.tagged else {"pool": numbers[0]}
    if isinstance(item, Block):
        return "array"
    if item is None:
        return [None]
    if item.choices:
        return {"kinds": item.choices, "exact": item.exact}
    return "python" if item.type.weak else "numpy"


def one(value: Value) -> Value:
    """`value` as a column of one element."""
    return reshape(value, shape=(1, *value.type.shape))
