"""Which item of a list a value is, which item holds two of them, and what columns it has.

The kinds of items are in `infer.lists.item_types`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.heap import GrowingList, Heap, ListCell, Pooled, RowList, Shadow
from pyxla.abstract.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Const,
    Ref,
    Tuple,
    is_beyond,
    is_number,
    is_variant,
    number_type,
)
from pyxla.frontend.support import Open
from pyxla.infer.joins import choices, far, kinds
from pyxla.infer.lists.item_joins import (
    AN_INT,
    BOOL,
    INT,
    KIND,
    is_method,
    is_value,
    joined_items,
    opened,
    picked,
    place_among,
    with_column,
)
from pyxla.infer.lists.item_types import (
    CONSTANTS,
    LISTS,
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
from pyxla.infer.lists.sites import Meeting
from pyxla.infer.text import codes
from pyxla.views.shadows import shown

# What is made of its parts when it is asked for.
LAZY = ("zip", "enumerate", "reversed", "map")
MADE = ("text", "method", *LAZY)


def item_of(heap: Heap, x: Any) -> Item | None:
    """What `x` is as an item of a list; None where it cannot be one here."""
    if x is UNDEFINED:
        return UNSET
    if is_beyond(x):
        return Same(x.value)
    if is_number(x) and not choices.is_member(x):
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
        return Row(x.meta, (AN_INT,))
    if isinstance(x, Compound) and x.kind in MADE:
        held = [item_of(heap, i) for i in x.items]
        fit = None not in held if x.kind != "text" else all(map(_is_shown, held))
        return Made(x.kind, tuple(held), x.meta) if fit else None
    if isinstance(x, Compound) and x.kind == "range" and isinstance(x.items[2], Const):
        return _row(range, [*[item_of(heap, i) for i in x.items[:2]], Same(x.items[2].value)])
    if is_variant(x, "optional") or is_variant(x, "mixed"):
        return joined_items([item_of(heap, item) for item in x.items])
    return _of_reference(heap, x) if isinstance(x, Ref) else None


def _is_shown(item: Item | None) -> bool:
    """Whether a text may be made of such items, in a list."""
    return isinstance(item, (Number, Pick, Chars))


def are_numbers(item: Any, letters: str = "iufb") -> bool:
    """Whether items are numbers of one of these kinds, or tuples of such."""
    if isinstance(item, Row):
        return item.cls is tuple and all([are_numbers(inner, letters) for inner in item.items])
    return isinstance(item, Number) and not item.choices and item.type.dtype.kind in letters


def classes_in(item: Any) -> Iterator[type]:
    """The classes of the instances in an item."""
    for inner in _inside(item):
        if isinstance(inner, Handle):
            yield from inner.classes


def holds_instances(item: Any) -> bool:
    """Whether an instance is in an item."""
    return any(True for _ in classes_in(item))


def holds_methods(item: Any) -> bool:
    """Whether a bound method is in an item."""
    return any(map(is_method, _inside(item)))


def holds_tuples(item: Any) -> bool:
    """Whether a tuple of unknown length is in an item, of others than numbers."""
    held = [inner.item for inner in _inside(item) if isinstance(inner, Nested)]
    return not all(inner is None or are_numbers(inner) for inner in held)


def holds_blocks(item: Any) -> bool:
    """Whether an array is in an item."""
    return any(isinstance(inner, Block) for inner in _inside(item))


def holds_sizes(item: Any) -> bool:
    """Whether an array is in an item whose size data decides."""
    return any(isinstance(inner, Block) and inner.axes for inner in _inside(item))


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
        return replace(item, sites=meeting) if isinstance(item, (Nested, Row)) else item
    return _of_list(heap, x, content)


def _of_list(heap: Heap, x: Ref, content: Any) -> Item | None:
    """What a list, or an array, is as an item."""
    if isinstance(content, ListCell):
        found = [item_of(heap, i) for i in content.items]
        if not found:
            return Nested(None, 0, 0)
        common = with_column(joined_items(found))
        unlike = common is None or isinstance(common, Several)
        return _row(list, found) if unlike else Nested(common, len(found), len(found))
    if isinstance(content, GrowingList):
        array = shown(heap, content.columns[0])
        known = array.shape[0] if array.extents is None else None
        found_ = Nested(content.item, array.shape[0], known, cls=content.cls)
        return found_ if content.cls is list or is_value(found_) else None
    array = array_at(heap, x)
    if array is None:
        return None
    sizes = array.extents or ()
    axes = tuple([d for d, x in enumerate(sizes) if x is not None])
    return Block(array.dtype, array.shape, axes, heap.infos.room)


def _row(cls: type, items: Sequence[Item | None]) -> Item | None:
    return None if None in items else Row(cls, tuple(items))


def array_at(heap: Heap, x: Ref) -> Array | None:
    """The array that `x` shows, by value."""
    return shown(heap, x) if isinstance(heap.contents.get(x.cell), Array | Shadow) else None


def _open(heap: Heap, x: Tuple) -> Item | None:
    """The variables of a call that is open: ints stay known; there is a column."""
    row = _row(x.cls, [_held_open(heap, i) for i in x.items])
    if row is None or count(row):
        return row
    return _row(x.cls, [opened(item_of(heap, i)) for i in x.items])


def _held_open(heap: Heap, x: Any) -> Item | None:
    """A variable of a call that is open: what is known of it while all such calls agree."""
    if isinstance(x, Const) and type(x.value) in (int, bool) and not is_beyond(x):
        return Known(type(x.value), x.value)
    if isinstance(x, Const) and type(x.value) is tuple:
        return _row(tuple, [_held_open(heap, Const(i)) for i in x.value])
    if isinstance(x, Compound) and x.kind in LAZY:
        held = [_held_open(heap, i) for i in x.items]
        return None if None in held else Made(x.kind, tuple(held), x.meta)
    return item_of(heap, x)


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
            yield KIND, ()
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
        yield from [(INT, ())] * len(item.axes)


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
    return filter(lambda found: not is_value(found[1]), cells(heap, item, x, path))


def cells(heap: Heap, item: Item, x: Any, path: tuple[int, ...] = ()) -> Iterator[Any]:
    """As `objects`, with the tuples of unknown length among them."""
    if x is UNDEFINED:
        return
    if isinstance(item, Several):
        if is_variant(x, "mixed") or is_variant(x, "optional"):
            for part in x.items:
                yield from cells(heap, item, part, path)
            return
        place = place_among(item.items, item_of(heap, x))
        yield from cells(heap, item.items[place], x, (*path, place))
    kept = isinstance(item, (Block, Nested)) or (isinstance(item, Row) and item.cls is list)
    if kept and isinstance(x, Ref):
        yield x.cell, item, path
    if isinstance(item, Row):
        for i, (inner, part) in enumerate(zip(item.items, parts_of(heap, x), strict=True)):
            yield from cells(heap, inner, part, (*path, i))


def part_at(item: Any, path: tuple[int, ...]) -> Any:
    """The part of an item at `path`; None where it has none."""
    for step in path:
        parts = getattr(item, "items", ())
        item = parts[step] if step < len(parts) and isinstance(item, Row) else None
    return item


def at_path(item: Item, path: tuple[int, ...]) -> tuple[Item, int]:
    """The part of an item at `path`, and how many columns come before it."""
    before = 0
    for step in path:
        parts: Sequence[Any] = item.items  # type: ignore[union-attr]
        before += sum([count(inner) for inner in parts[:step]])
        item = parts[step]
    return item, before


def path_of(item: Any, column: int) -> tuple[int, ...] | None:
    """The path to the array of which the elements are in that column; None where it is one of
    several things."""
    if not isinstance(item, Row):
        return () if isinstance(item, Block) and column == 0 else None
    for step, inner in enumerate(item.items):
        if column < count(inner):
            path = path_of(inner, column)
            return None if path is None else (step, *path)
        column -= count(inner)
    return None


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
        return {"list": spelled(item.item, pool), "columns": count(item.item), "cls": item.cls}
    if isinstance(item, Several):
        return {"several": [spelled(inner, pool) for inner in item.items]}
    if isinstance(item, Same):
        return [None if item == UNSET else item.value]
    if isinstance(item, Pick):
        return {"picks": item.values}
    if isinstance(item, Chars):
        return {"text": not item.fixed}
    if isinstance(item, Handle):
        numbers = tuple(map(pool, item.classes))
        return {"pools": numbers} if item.tagged else {"pool": numbers[0]}
    if isinstance(item, Block):
        return {"array": item.axes}
    if item is None:
        return [None]
    if item.choices:
        return {"kinds": item.choices, "exact": item.exact}
    return "python" if item.type.weak else "numpy"
