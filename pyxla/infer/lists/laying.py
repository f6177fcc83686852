"""What columns take of the items of lists of unknown length (`infer.lists.items`), and how the
columns of items become those of wider ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import GrowingList, Heap
from pyxla.abstract.lattice import UNDEFINED, Array, Const, Ref, Scalar, is_variant
from pyxla.errors import CompileError
from pyxla.infer.joins import choices, kinds
from pyxla.infer.joins.variants import items_of
from pyxla.infer.lists import columns
from pyxla.infer.lists.item_joins import (
    BOOL,
    INT,
    KIND,
    alternatives,
    choices_of,
    opened,
    picks_of,
    place_among,
)
from pyxla.infer.lists.item_types import (
    NONE,
    UNSET,
    Block,
    Chars,
    Handle,
    Item,
    Known,
    Nested,
    Number,
    Pick,
    Row,
    Same,
    Several,
)
from pyxla.infer.lists.items import array_at, count, item_of, known_parts, leaves, parts_of
from pyxla.infer.text import codes
from pyxla.ir.core import Instr, Value
from pyxla.lib import manipulation, strings
from pyxla.lib.operands import as_array, cast
from pyxla.lib.sizes import MOST
from pyxla.ops.elementwise import compare, select
from pyxla.ops.shape import broadcast_in_dim, constant, pad, reshape
from pyxla.views.shadows import chosen, number, position

Leaf = tuple[np.dtype, tuple[int, ...]]
_WRITTEN_OUT = 1 << 20  # elements of a constant with zeros behind


def values(heap: Heap, item: Item, x: Any) -> Iterator[Value]:
    """What the columns take of `x`."""
    for leaf, held in zip(leaves(item), _held(heap, item, x), strict=True):
        yield _array(held, leaf).value


def _held(heap: Heap, item: Item, x: Any) -> Iterator[Any]:
    """As `values`, where what is known is Python's, and what nobody looks at is None."""
    if x is UNDEFINED:
        yield from [None] * count(item)
    elif isinstance(item, Row):
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
        array = array_at(heap, x)
        yield roomy(array.value, item.shape)
        for axis in item.axes:
            size = array.extents[axis] if array.extents else None
            yield array.shape[axis] if size is None else cast(size.value, INT)
    elif isinstance(item, Nested):
        yield from _nested_values(heap, item, x)
    elif isinstance(item, Several):
        yield from _one_of(heap, item, x)


def _one_of(heap: Heap, item: Several, x: Any) -> Iterator[Any]:
    """As `_held`, of one of several items."""
    if item.optional and is_variant(x, "optional"):
        yield x.tag.value
        yield from _held(heap, item.items[1], x.value)
        return
    if is_variant(x, "mixed") or is_variant(x, "optional"):
        tag = position(x.tag) if x.kind == "optional" else x.tag
        held = zip(*[_one_of(heap, item, part) for part in x.items], strict=True)
        for leaf, column in zip(leaves(item), held, strict=True):
            yield _decided(tag, column, leaf)
        return
    place = place_among(item.items, item_of(heap, x))
    yield place
    for i, inner in enumerate(item.items):
        yield from _held(heap, inner, x) if i == place else [None] * count(inner)


def _decided(tag: Scalar, column: Sequence[Any], leaf: Leaf) -> Any:
    """`column[tag]`."""
    seen = [x for x in column if x is not None]
    if len(seen) < 2:
        return seen[0] if seen else None
    return chosen(tag, [_array(seen[0] if x is None else x, leaf).value for x in column])


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
        yield cast(kinds.position_in(x, item.choices), KIND)
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


def _nested_values(heap: Heap, item: Nested, x: Any) -> Iterator[Value]:
    content: Any = heap.contents[x.cell] if isinstance(x, Ref) else None
    if isinstance(content, GrowingList):
        columns = [array_at(heap, c) for c in content.columns]
        size: Any = columns[0].extents[0] if columns[0].extents else columns[0].shape[0]
        have = content.item
    else:
        parts = parts_of(heap, x)
        yield constant(value=np.asarray(len(parts), INT))
        if item.item is not None:
            yield from laid(heap, item.item, parts, item.capacity)
        return
    yield constant(value=np.asarray(size, INT)) if isinstance(size, int) else cast(size.value, INT)
    if item.item is not None:
        yield from retyped([c.value for c in columns], have, item.item, item.capacity)


def laid(heap: Heap, item: Item, xs: Sequence[Any], capacity: int) -> list[Value]:
    """Columns with room for `capacity` items that hold `xs`."""
    rows = [list(_held(heap, item, x)) for x in xs]
    columns = []
    for k, leaf in enumerate(leaves(item)):
        held = [row[k] for row in rows]
        if any(isinstance(x, Value) for x in held):
            value = manipulation.stack([_array(x, leaf) for x in held]).value
        else:
            value = constant(value=_known(held, leaf))
        columns.append(padded(value, capacity))
    return columns


def _known(held: Sequence[Any], leaf: Leaf) -> np.ndarray:
    """A column of what is known of all items."""
    dtype, shape = leaf
    if None in held:
        held = [np.zeros(shape, dtype) if x is None else x for x in held]
    return np.asarray(held, dtype).reshape(len(held), *shape)


def _array(x: Any, leaf: Leaf) -> Array:
    dtype, shape = leaf
    if isinstance(x, Value):
        return Array(x)
    return as_array(np.zeros(shape, dtype) if x is None else x, dtype)


def padded(x: Value, capacity: int, axis: int = 0) -> Value:
    """`x` with zeros behind, so that there are `capacity` along `axis`."""
    more = capacity - x.type.shape[axis]
    if more <= 0:
        return x
    known = isinstance(x.owner, Instr) and x.owner.op is constant
    shape = [capacity if d == axis else n for d, n in enumerate(x.type.shape)]
    if (known or not x.type.size) and math.prod(shape) <= _WRITTEN_OUT:
        wide = np.zeros(shape, x.type.dtype)
        if known:
            wide[tuple(map(slice, x.type.shape))] = x.owner.attrs["value"]
        return constant(value=wide)
    none = (0,) * x.type.ndim
    high = tuple([more if d == axis else 0 for d in range(x.type.ndim)])
    zero = constant(value=np.zeros((), x.type.dtype))
    return pad(x, zero, edge_padding_low=none, edge_padding_high=high, interior_padding=none)


def roomy(x: Value, shape: Sequence[int], depth: int = 0) -> Value:
    """`x` with zeros behind, so that there is `shape` behind `depth` dimensions."""
    for axis, capacity in enumerate(shape, depth):
        x = padded(x, capacity, axis)
    return x


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
    if old == UNSET:
        yield from _zeros(new, front)
        return
    if isinstance(old, Known) and isinstance(new, Number):
        value_, old = old.value, opened(old)
        rest = iter([constant(value=np.full(front, value_, old.type.dtype))])
    if isinstance(new, Number):
        value = next(rest)
        yield cast(value, new.type.dtype)
        if old.choices:
            which = next(rest)
        if new.choices:
            places = [new.choices.index(kind) for kind in choices_of(old)]
            yield _tags(which if old.choices else None, places, value.type.shape, KIND)
        if new.exact:
            yield cast(next(rest) if old.exact else value, INT)
    elif isinstance(new, Several) or isinstance(old, Several):
        yield from _retyped_several(rest, old, new, depth, front)
    elif isinstance(new, Row) and isinstance(old, Same):
        for bound in known_parts(old.value)[: count(new)]:
            yield constant(value=np.full(front, bound, INT))
    elif isinstance(new, Row):
        for a, b in zip(old.items, new.items, strict=True):
            yield from _retyped(rest, a, b, depth, front)
    elif isinstance(new, Nested) and isinstance(old, Row):
        yield constant(value=np.full(front, len(old.items), INT))
        parts = [_retyped(rest, part, new.item, depth, front) for part in old.items]
        for column in zip(*map(list, parts), strict=True) if parts else ():
            yield padded(
                manipulation.stack(list(map(Array, column)), depth).value, new.capacity, depth
            )
        if not parts and new.item is not None:
            yield from _zeros(new.item, (*front, new.capacity))
    elif isinstance(new, Nested):
        yield next(rest)
        inner = (*front, new.capacity)
        if new.item is not None and old.item is None:
            yield from _zeros(new.item, inner)
        elif new.item is not None:
            for value in _retyped(rest, old.item, new.item, depth + 1, (*front, old.capacity)):
                yield padded(columns.front(value, new.capacity, depth), new.capacity, depth)
    elif isinstance(new, Block):
        yield roomy(next(rest), new.shape, depth)
        for axis in new.axes:
            full = constant(value=np.full(front, old.shape[axis], INT))
            yield next(rest) if axis in old.axes else full
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
        places = choices.places_of(picks_of(old), new.values)
        yield _tags(next(rest) if isinstance(old, Pick) else None, places, front)


def _retyped_several(
    rest: Iterator[Value], old: Any, new: Any, depth: int, front: Any
) -> Iterator[Value]:
    """As `_retyped`, where one of several items was, or is."""
    items, into = alternatives(old), alternatives(new)
    places = [place_among(into, item) for item in items]
    tags = next(rest) if isinstance(old, Several) else None
    if isinstance(new, Several) and new.optional:
        known = tuple(items) != (NONE,)
        yield tags if len(items) > 1 else constant(value=np.full(front, known, BOOL))
    elif isinstance(new, Several):
        yield _tags(None if tags is None else cast(tags, INT), places, front)
    held = [[next(rest) for _ in range(count(item))] for item in items]
    for i, inner in enumerate(into):
        here = [k for k, place in enumerate(places) if place == i]
        made = [list(_retyped(iter(held[k]), items[k], inner, depth, front)) for k in here]
        yield from _at_tags(tags, here, made) if made else _zeros(inner, front)


def _at_tags(
    tags: Value | None, places: Sequence[int], made: Sequence[Sequence[Value]]
) -> Iterator[Value]:
    """Columns that are those of `made`, each where the tag is its place."""
    for first, *others in zip(*made, strict=True):
        for place, other in zip(places[1:], others, strict=True):
            at = constant(value=np.full(tags.type.shape, place, tags.type.dtype))
            here = compare(tags, at, direction="EQ")
            axes = tuple(range(here.type.ndim))
            here = broadcast_in_dim(here, shape=first.type.shape, broadcast_dimensions=axes)
            first = select(here, other, first)
        yield first


def _zeros(item: Item, front: Any) -> Iterator[Value]:
    """Columns of which nobody looks at what they have."""
    if math.prod(front) > MOST:
        raise CompileError(
            "lists in each other that each grow would have room for too many items",
            hint="keep the items of all in one list, with which of the lists each is in",
        )
    for dtype, shape in leaves(item):
        yield constant(value=np.zeros((*front, *shape), dtype))


def _tags(old: Value | None, places: Sequence[Any], front: Any, dtype: np.dtype = INT) -> Value:
    """A column of tags, where item `i` of what it was of is at `places[i]` now; old: its tags, or
    None where there was one item."""
    if old is None:
        return constant(value=np.full(front, places[0], dtype))
    return old if list(places) == list(range(len(places))) else kinds.moved(old, places)


def _texts(rest: Iterator[Value], old: Any, front: Any) -> tuple[Value, Value]:
    """The lengths and code points of the texts in the next columns."""
    if isinstance(old, Pick):
        return strings.table_of(next(rest), old.values)
    if isinstance(old, Same):
        return strings.table_of(constant(value=np.zeros(front, INT)), (old.value,))
    sizes = constant(value=np.full(front, old.capacity, INT)) if old.fixed else next(rest)
    return sizes, next(rest)


def one(value: Value) -> Value:
    """`value` as a column of one element."""
    return reshape(value, shape=(1, *value.type.shape))
