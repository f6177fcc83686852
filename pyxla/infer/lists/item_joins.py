"""Which item of a list holds two items (`infer.lists.items`)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from pyxla.abstract.joined import joined_number_type
from pyxla.abstract.lattice import Array, Const, Reading, Scalar
from pyxla.infer.joins import choices, far
from pyxla.infer.lists.item_types import (
    MOST,
    NONE,
    PICKED,
    UNSET,
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
KIND = np.dtype(np.int8)  # of a column of which of its kinds a number is
# A text has room for so many characters where a tuple has room for an item: as one in a loop.
CHARACTERS = 8


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
    """A text or a member of an enum as the one that an item may be, the empty tuple as one of
    unknown length: a list has columns."""
    if item == Row(tuple, ()):
        return of_any_length(item)
    picks = picks_of(item)
    return item if picks is None else Pick(picks)


def with_length(item: Item | None) -> Item | None:
    """As `with_column`, and None as the one that an item may be: a list of it has a length."""
    return Several((NONE,)) if item == NONE else with_column(item)


def is_value(item: Any) -> bool:
    """Whether an item has no array and no list: nobody writes to what is taken out of it."""
    if isinstance(item, (Row, Several)):
        return getattr(item, "cls", None) is not list and all(map(is_value, item.items))
    if isinstance(item, Nested):
        return item.cls is tuple and (item.item is None or is_value(item.item))
    reading = isinstance(item, Same) and isinstance(item.value, Reading)
    return item is not None and not reading and not isinstance(item, Block)


def is_method(item: Any) -> bool:
    return isinstance(item, Made) and item.cls == "method"


def joined_items(items: Sequence[Item | None]) -> Item | None:
    """The item that holds each of `items`."""
    return _at_once(items) or functools.reduce(joined_item, items)


def _at_once(items: Sequence[Any]) -> Item | None:
    """As `joined_items`, of tuples column by column, and of known texts: one after the other, each
    of these would be compared with all before it."""
    first = items[0]
    if all([isinstance(x, Same) and isinstance(x.value, PICKED) for x in items]):
        values = choices.united([x.value for x in items])
        return picked(values) if len(values) > 1 else first
    if all([type(x) is Row and isinstance(x.cls, type) and x.cls is not list for x in items]):
        if len({(x.cls, len(x.items)) for x in items}) == 1:
            columns = [joined_items(column) for column in zip(*[x.items for x in items])]
            return None if None in columns else Row(first.cls, tuple(columns))
    return None


def opened(x: Item | None) -> Item | None:
    """An int that is known as one that is not, and a range, but for its step."""
    if isinstance(x, Known):
        return Number(array_type(PYTHON_DTYPES[x.cls], (), True))
    if isinstance(x, Same) and isinstance(x.value, range):
        return Row(range, (AN_INT, AN_INT, Same(x.value.step)))
    return x


AN_INT = Number(array_type(INT, (), True))


def joined_item(x: Item | None, y: Item | None) -> Item | None:
    """The item that holds both."""
    _meet(x, y)
    if x == y or x is None or y is None:
        return x if y == x else None
    if UNSET in (x, y):
        return y if x == UNSET else x
    x, y = opened(x), opened(y)
    return _common(x, y) or _several(x, y)


def _common(x: Any, y: Any) -> Item | None:
    """The item of one type that holds both, which are not the same."""
    if isinstance(x, Number) and isinstance(y, Number):
        return _joined_numbers(x, y)
    if None not in (several := {far_of(x), far_of(y)}) and len(several) == 1:
        return Row(several.pop(), (AN_INT,))
    picks = picks_of(x), picks_of(y)
    if None not in picks:
        return picked(choices.joined(*picks))
    if None not in (layouts := [layout_of(i) for i in (x, y)]):
        return Chars(*codes.common(layouts))
    if (instances := _of_instances([x, y])) is not None:
        return instances
    if isinstance(x, Row) and type(x) is type(y) and replace(x, items=y.items) == y:
        if len(x.items) == len(y.items) and (not is_method(x) or x.items[0] == y.items[0]):
            items = [joined_item(a, b) for a, b in zip(x.items, y.items, strict=True)]
            return (
                None if None in items else replace(x, items=tuple(items), sites=x.sites or y.sites)
            )
    rows = isinstance(x, Row) and isinstance(y, Row)
    if not rows or x.cls is y.cls is list or of_numbers(x) or of_numbers(y):
        x, y = of_any_length(x), of_any_length(y)
    if isinstance(x, Nested) and isinstance(y, Nested) and x.cls is y.cls:
        inner = x.item or y.item
        if x.item is not None and y.item is not None:
            inner = joined_item(x.item, y.item)
            if inner is None:
                return None
        fixed = x.fixed if x.fixed == y.fixed else None
        return Nested(inner, max(x.capacity, y.capacity), fixed, x.sites or y.sites, x.cls)
    if isinstance(x, Block) and isinstance(y, Block):
        return _joined_blocks(x, y)
    return None


def with_spare(item: Any, room: int, before: Any) -> Any:
    """An item in which tuples of unknown length have room for so many items at least; so have lists
    that are longer than `before`, and texts that are for as many characters as one in a loop.
    Tuples of more lengths than before are of unknown length."""
    if isinstance(item, Several) and len(item.items) > len(alternatives(before)):
        found = _of_no_length(item.items)
        item = Several(tuple(sorted(found, key=_rank))) if len(found) > 1 else found[0]
    if isinstance(item, Nested) and item.fixed is None:
        held = before if isinstance(before, Nested) else item
        inner = with_spare(item.item, room, held.item)
        spare = item.cls is tuple or item.capacity > held.capacity
        return replace(item, item=inner, capacity=max(item.capacity, room * spare))
    if isinstance(item, Chars) and isinstance(before, Chars) and item.capacity > before.capacity:
        return replace(item, capacity=max(item.capacity, CHARACTERS * room))
    if isinstance(item, Row | Several):
        parts = before.items if type(before) is type(item) else ()
        pairs = itertools.zip_longest(item.items, parts[: len(item.items)])
        return replace(item, items=tuple([with_spare(x, room, then) for x, then in pairs]))
    return item


def of_numbers(item: Any) -> bool:
    """Whether an item is a tuple of numbers alone, or of such, or an empty one; tuples of text are
    often told apart by their first item, and stay so, several of them, up to `MOST`."""
    return isinstance(item, Row) and all(
        isinstance(i, (Number, Known)) or of_numbers(i) for i in item.items
    )


def of_any_length(x: Any) -> Any:
    """A tuple whose items are of one type as one of unknown length, of which it may be one; a list
    of unlike items likewise."""
    if not isinstance(x, Row) or not (x.cls is list or (x.cls is tuple and is_value(x))):
        return x
    item = joined_items([opened(i) for i in x.items]) if x.items else None
    if x.cls is list:
        size = len(x.items)
        return x if item is None else Nested(with_column(item), size, size, x.sites)
    if x.items and (item is None or isinstance(item, Several)):
        return x
    return Nested(with_column(item), len(x.items), len(x.items), cls=tuple)


def _joined_blocks(x: Block, y: Block) -> Block | None:
    """Arrays of two sizes, of which data decides one, or for which there is to be room."""
    sized = {*x.axes, *y.axes}
    if x.dtype != y.dtype or len(x.shape) != len(y.shape) or (not sized and x.room is None):
        return None
    shape = list(map(max, x.shape, y.shape))
    if x.room:
        longer = [d for d in sized if y.shape[d] > x.shape[d]]
        shape = [n + x.room if d in longer else m for d, (n, m) in enumerate(zip(x.shape, shape))]
    axes = sized | {d for d, sizes in enumerate(zip(x.shape, y.shape)) if len({*sizes}) > 1}
    return Block(x.dtype, tuple(shape), tuple(sorted(axes)), x.room)


def differ_in_size(items: Sequence[Item | None]) -> bool:
    """Whether items have no type in common for the sizes of their arrays alone."""
    return joined_items(items) is None and joined_items(list(map(_of_any_size, items))) is not None


def _of_any_size(item: Any) -> Any:
    if isinstance(item, Block):
        return replace(item, room=0)
    if isinstance(item, Nested):
        return replace(item, item=_of_any_size(item.item))
    if isinstance(item, (Row, Several)):
        return replace(item, items=tuple(map(_of_any_size, item.items)))
    return item


def _several(x: Item, y: Item) -> Item | None:
    """One of the items that `x` and `y` may be."""
    found = list(alternatives(x))
    for item in alternatives(y):
        wide: Any = item  # which may have a type in common with several
        while (place := place_among(found, wide)) < len(found):
            wide = joined_items([found.pop(place), wide])
        found.append(wide)
    if len(found) > MOST:
        found = _of_no_length(found)
    arrays = [item for item in found if not is_value(item)]
    if len(found) > MOST or len(arrays) > 1 or not all(isinstance(x, Block) for x in arrays):
        return None
    return Several(tuple(sorted(found, key=_rank))) if len(found) > 1 else with_length(found[0])


def _of_no_length(items: Sequence[Any]) -> list[Any]:
    """Items, the tuples of one type and many lengths among them as one of unknown length."""
    tuples = [i for i in items if isinstance(of_any_length(i), Nested) and is_value(i)]
    one = joined_items(list(map(of_any_length, tuples))) if tuples else None
    return list(items) if one is None else [one, *[i for i in items if i not in tuples]]


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
    if is_method(item):
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
    sites = getattr(x, "sites", None)
    if sites is not None and getattr(y, "sites", None) is not None:
        sites.unite(y.sites)
    if isinstance(x, Nested) and isinstance(y, Nested):
        _meet(x.item, y.item)
    elif isinstance(x, Row) and isinstance(y, Row):
        for a, b in zip(x.items, y.items, strict=False):
            _meet(a, b)
    elif isinstance(y, Handle) and sites is not None:
        for cls in filter(is_list, y.classes):
            sites.unite(Meeting(sites_of(cls)))
    elif isinstance(x, Handle) and not isinstance(y, Handle):
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
