"""Which item of a list a value is, which item holds two of them, and what columns it has.

The kinds of items are in `infer.lists.item_types`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from pyxla.frontend.support import Open
from pyxla.infer.arrays.shadows import shown
from pyxla.infer.heap import GrowingList, Heap, ListCell, Pooled, RowList, Shadow
from pyxla.infer.joins import choices, far, kinds
from pyxla.infer.joins.joined import joined_number_type
from pyxla.infer.lattice import (
    Array,
    Compound,
    Const,
    Reading,
    Ref,
    Scalar,
    Tuple,
    is_beyond,
    is_number,
    is_variant,
    number_type,
)
from pyxla.infer.lists.item_types import (
    CONSTANTS,
    LISTS,
    MOST,
    NONE,
    PICKED,
    Block,
    Chars,
    Handle,
    Item,
    Known,
    Made,
    Nested,
    Number,
    Pick,
    Row,
    Same,
    Several,
)
from pyxla.infer.lists.sites import Meeting, is_list, pooled_together, sites_of
from pyxla.infer.text import codes
from pyxla.ir.core import Value
from pyxla.ir.types import PYTHON_DTYPES, PYTHON_TYPES, Far, array_type

INT, BOOL = PYTHON_DTYPES[int], PYTHON_DTYPES[bool]


def item_of(heap: Heap, x: Any) -> Item | None:
    """What `x` is as an item of a list; None where it cannot be one here."""
    if is_beyond(x):
        return Same(x.value)
    if is_number(x):
        several = kinds.kinds_of(x)
        return Number(number_type(x), several if len(several) > 1 else ())
    if isinstance(x, Const):
        if isinstance(x.value, tuple):
            return _row(type(x.value), [item_of(heap, Const(i)) for i in x.value])
        return Same(x.value) if isinstance(x.value, CONSTANTS) else None
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
    if far.is_dynamic(x):
        return Row(x.meta, (_INT,))
    if isinstance(x, Compound) and x.kind in ("text", "method"):
        held = [item_of(heap, i) for i in x.items]
        fit = None not in held if x.kind == "method" else all(map(_is_shown, held))
        return Made(x.kind, tuple(held), x.meta) if fit else None
    if isinstance(x, Compound) and x.kind == "range" and isinstance(x.items[2], Const):
        return _row(range, [*[item_of(heap, i) for i in x.items[:2]], Same(x.items[2].value)])
    if is_variant(x, "optional") or is_variant(x, "mixed"):
        return joined_items([item_of(heap, item) for item in x.items])
    return _of_reference(heap, x) if isinstance(x, Ref) else None


def _is_shown(item: Item | None) -> bool:
    """Whether a text may be made of such items, in a list."""
    return isinstance(item, (Number, Pick, Chars))


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
    return (item.value,) if isinstance(item, Same) and isinstance(item.value, PICKED) else None


def far_of(item: Any) -> Far | None:
    """The type of an item that is an int of more than 64 bits (`infer.joins.far`)."""
    if isinstance(item, Same) and far.is_far(x := Const(item.value)):
        return far.apart(x).meta
    return item.cls if isinstance(item, Row) and isinstance(item.cls, Far) else None


def with_column(item: Item | None) -> Item | None:
    """A text or a member of an enum as the one that an item may be: a list has columns."""
    picks = picks_of(item)
    return item if picks is None else Pick(picks)


def is_value(item: Any) -> bool:
    """Whether an item has no array and no list: nobody writes to what is taken out of it."""
    if isinstance(item, (Row, Several)):
        return getattr(item, "cls", None) is not list and all(map(is_value, item.items))
    reading = isinstance(item, Same) and isinstance(item.value, Reading)
    return item is not None and not reading and not isinstance(item, (Block, Nested))


def are_numbers(item: Any, letters: str = "iufb") -> bool:
    """Whether items are numbers of one of these kinds, or tuples of such."""
    if isinstance(item, Row):
        return item.cls is tuple and all([are_numbers(inner, letters) for inner in item.items])
    return isinstance(item, Number) and not item.choices and item.type.dtype.kind in letters


def holds_instances(item: Any) -> bool:
    """Whether an instance is in an item."""
    return any(isinstance(inner, Handle) for inner in _inside(item))


def holds_methods(item: Any) -> bool:
    """Whether a bound method is in an item."""
    return any(map(_is_method, _inside(item)))


def holds_blocks(item: Any) -> bool:
    """Whether an array is in an item."""
    return any(isinstance(inner, Block) for inner in _inside(item))


def _is_method(item: Any) -> bool:
    return isinstance(item, Made) and item.cls == "method"


def _inside(item: Any) -> Iterator[Any]:
    """An item, and all that it is made of."""
    yield item
    for inner in (item.item,) if isinstance(item, Nested) else getattr(item, "items", ()):
        yield from _inside(inner)


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
        array = shown(heap, content.columns[0])
        known = array.shape[0] if array.extents is None else None
        return Nested(content.item, array.shape[0], known)
    array = array_at(heap, x)
    return Block(array.dtype, array.shape) if array is not None and not array.extents else None


def _row(cls: type, items: Sequence[Item | None]) -> Item | None:
    return None if None in items else Row(cls, tuple(items))


def array_at(heap: Heap, x: Ref) -> Array | None:
    """The array that `x` shows, by value."""
    return shown(heap, x) if isinstance(heap.contents.get(x.cell), Array | Shadow) else None


def joined_items(items: Sequence[Item | None]) -> Item | None:
    """The item that holds each of `items`."""
    found = items[0]
    for other in items[1:]:
        found = joined_item(found, other)
    return found


def _open(heap: Heap, x: Tuple) -> Item | None:
    """The variables of a call that is open: ints stay known; there is a column."""
    known = [
        isinstance(i, Const) and type(i.value) in (int, bool) and not is_beyond(i) for i in x.items
    ]
    items = [
        Known(type(i.value), i.value) if fixed else item_of(heap, i)
        for i, fixed in zip(x.items, known, strict=True)
    ]
    row = _row(x.cls, items)
    return row if row is None or count(row) else _row(x.cls, list(map(opened, items)))


def opened(x: Item | None) -> Item | None:
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
    x, y = opened(x), opened(y)
    return _common(x, y) or _several(x, y)


def _common(x: Any, y: Any) -> Item | None:
    """The item of one type that holds both, which are not the same."""
    if isinstance(x, Number) and isinstance(y, Number):
        return _joined_numbers(x, y)
    if None not in (several := {far_of(x), far_of(y)}) and len(several) == 1:
        return Row(several.pop(), (_INT,))
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
    if isinstance(x, Row) and type(x) is type(y) and replace(x, items=y.items) == y:
        if len(x.items) == len(y.items) and (not _is_method(x) or x.items[0] == y.items[0]):
            items = [joined_item(a, b) for a, b in zip(x.items, y.items, strict=True)]
            return None if None in items else replace(x, items=tuple(items))
    return None


def _several(x: Item, y: Item) -> Several | None:
    """One of the items that `x` and `y` may be."""
    found = list(alternatives(x))
    for item in alternatives(y):
        place = place_among(found, item)
        found[place : place + 1] = [joined_items([*found[place : place + 1], item])]
    if len(found) > MOST or not all(map(is_value, found)):
        return None
    return Several(tuple(sorted(found, key=_rank)))


def alternatives(item: Item) -> Sequence[Any]:
    """The items that an item may be, of which each has a type of its own."""
    return item.items if isinstance(item, Several) else (item,)


def place_among(items: Sequence[Any], item: Any) -> int:
    """Where that of `items` is that has a common type with `item`; the end if none has."""
    alike = (i for i, x in enumerate(items) if x == item or _common(opened(x), item) is not None)
    return next(alike, len(items))


def _rank(item: Any) -> Any:
    """What decides where among several items one comes: nothing that changes as it gets wider."""
    kind = Chars if layout_of(item) is not None else type(item)
    of = str(getattr(item.cls, "__name__", item.cls)) if isinstance(item, Row) else ""
    told = getattr(item, "value", getattr(item, "meta", ""))
    if _is_method(item):
        told = getattr(item.items[0], "value", None)
        told = getattr(told, "__qualname__", told)
    return item != NONE, kind.__name__, of, len(getattr(item, "items", ())), repr(told)


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
    elif isinstance(item, Several):
        yield BOOL if item.optional else INT, ()
        for inner in item.items:
            yield from leaves(inner)
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


def known_parts(x: Any) -> Sequence[Any]:
    """The parts of a known tuple or range, or of an int of more than 64 bits."""
    if isinstance(x, int):
        return [far.rest(Const(x)).value]
    return (x.start, x.stop, x.step) if isinstance(x, range) else x


def parts_of(heap: Heap, x: Any) -> Sequence[Any]:
    """The items of a tuple or list."""
    if isinstance(x, Const):
        return list(map(Const, known_parts(x.value)))
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
    if isinstance(item, Made):
        return {"pieces": item.meta, "of": [spelled(inner, pool) for inner in item.items]}
    if isinstance(item, Row):
        return item.cls, tuple([spelled(inner, pool) for inner in item.items])
    if isinstance(item, Nested):
        return {"list": spelled(item.item, pool), "columns": count(item.item)}
    if isinstance(item, Several):
        return {"several": [spelled(inner, pool) for inner in item.items]}
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
