"""The capacity of lists that are put in lists, in dicts or in fields of instances in pools.

Each of their columns has a dimension for every list around an element, so that the capacities are
multiplied: where these are guesses, of `Options.list_capacity` each, a list in a list in an
instance would be gigabytes.  One that is too large for that has room for `row_capacity` in each
dimension where it is put in; the program raises `RowOverflow` where that is not enough, and is
compiled again with more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.heap import GrowingList
from pyxla.abstract.lattice import Array, Const, Scalar, as_const
from pyxla.errors import RowOverflow
from pyxla.infer.arrays import access as arrays
from pyxla.infer.interface import Engine
from pyxla.infer.lists.columnar import extents_of, size_of
from pyxla.infer.lists.columns import front
from pyxla.infer.lists.item_joins import is_value
from pyxla.infer.lists.item_types import Item, Nested, Row
from pyxla.infer.lists.items import cells, count, item_of, leaves, part_at
from pyxla.infer.lists.laying import retyped
from pyxla.infer.lists.reading import columns_of
from pyxla.lib import masks, strings
from pyxla.lib.operands import like, weak
from pyxla.ops.elementwise import compare, not_, or_

# Passes of a loop after which what got longer in each of them is expected to go on so.
PATIENCE = 3
# Times `list_capacity` that a column may have in an item: a guess of one dimension, with a few
# numbers in each place, is as lists of lists always were.
FEW = 4


def goes_on(engine: Engine) -> bool:
    """Whether a loop does not settle: what is put in a list may be a little longer than what was
    taken out of it, and so get longer with every pass."""
    return any([visit.passes > PATIENCE for visit in engine.visits])


def is_large(engine: Engine, item: Item) -> bool:
    """Whether a column of an item has more elements than a list of such is to multiply: more than a
    few lists of numbers would have."""
    most = max([math.prod(shape) for _, shape in leaves(item)], default=0)
    return most > FEW * engine.list_capacity


def limit(engine: Engine, item: Item | None, new: Any) -> None:
    """Cut the lists of `new`, which is put in a list of `item`s, where they are large; and, to the
    room that `item` has for them, tuples of unknown length, which loops may lengthen again and
    again, and lists where one does (`goes_on`)."""
    own = item_of(engine.heap, new)
    for cell, part, path in list(cells(engine.heap, own, new)) if own is not None else ():
        content, have = engine.heap.contents[cell], part_at(item, path)
        if type(content) is not GrowingList or not isinstance(part, Nested):
            continue
        if part.cls is list and is_large(engine, part):
            _make_modest(engine, cell, part, have)
        elif engine.loops and isinstance(have, Nested) and (is_value(part) or goes_on(engine)):
            if part.capacity > have.capacity >= engine.row_capacity:
                _shorten(engine, cell, have.capacity)


def modest(item: Any, have: Any, room: int, depth: int = 2) -> Any:
    """`item` with room for so many items in lists of unknown length in it, and in those in these,
    or for as many as there is in `have`."""
    if isinstance(item, Row):
        held = have.items if isinstance(have, Row) and len(have.items) == len(item.items) else ()
        held = held or (None,) * len(item.items)
        parts = [modest(x, y, room, depth) for x, y in zip(item.items, held, strict=True)]
        return replace(item, items=tuple(parts))
    if not isinstance(item, Nested) or item.cls is tuple or not depth:
        return item
    had = have if isinstance(have, Nested) else Nested(None, 0, None)
    capacity = (
        item.capacity if item.fixed is not None else min(item.capacity, max(room, had.capacity))
    )
    return replace(item, item=modest(item.item, had.item, room, depth - 1), capacity=capacity)


def _make_modest(engine: Engine, cell: int, part: Nested, have: Any) -> None:
    """Let the list in `cell` have no more room than `row_capacity`, and the lists in it."""
    content: Any = engine.heap.contents[cell]
    made = modest(part, have, engine.row_capacity)
    if made.item != part.item:
        size, columns = size_of(engine.heap, content), columns_of(engine, content)
        pairs = zip(columns, _lengths(part.item), _lengths(made.item), strict=True)
        for column, old, new in pairs:
            if old != new:
                _ensure_all(engine, column, new)
        values = retyped([column.value for column in columns], part.item, made.item)
        extents = [extents_of(size, value.type.ndim) for value in values]
        held = [arrays.fresh(engine, Array(*both)) for both in zip(values, extents, strict=True)]
        content = replace(content, columns=tuple(held), item=made.item)
        engine.heap.contents[cell] = content
    if content.guessed and made.capacity < part.capacity:
        _shorten(engine, cell, made.capacity)


def _lengths(item: Any) -> Iterator[int | None]:
    """For how many items there is room in the lists of which each column of an item is the length;
    None of other columns."""
    if isinstance(item, Row):
        for inner in item.items:
            yield from _lengths(inner)
    elif isinstance(item, Nested):
        yield item.capacity
        yield from [None] * (count(item) - 1)
    else:
        yield from [None] * count(item)


def _ensure_all(engine: Engine, lengths: Array, room: int) -> None:
    """Raise where one of the lists that there are is longer."""
    fits = compare(lengths.value, like(lengths.value, room), direction="LE")
    real = masks.within(lengths)
    fits = fits if real is None else or_(fits, not_(real))
    fine = Scalar(weak(strings.all_of(fits), bool).value)
    engine.ensure(fine, RowOverflow(engine.row_capacity))


def _shorten(engine: Engine, cell: int, room: int) -> None:
    """Let the list in `cell` have room for so many items."""
    content: Any = engine.heap.contents[cell]
    size = size_of(engine.heap, content)
    fits = engine.rules.compare(engine, "le", as_const(size), Const(room))
    engine.ensure(fits, RowOverflow(engine.row_capacity))
    sizes = Scalar(value_of(size), extent.meet(extent.fact(size), 0, room))
    columns = [front(array.value, room) for array in columns_of(engine, content)]
    made = [arrays.fresh(engine, Array(v, extents_of(sizes, v.type.ndim))) for v in columns]
    engine.heap.contents[cell] = replace(content, columns=tuple(made), guessed=0)
