"""Methods and functions of lists whose length is known at run time only (`infer.lists.growing`).

What moves items works on whole columns; what looks at them one by one is Python that is visited
(`pyxla.lib.sequences`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import minus, plus, value_of
from pyxla.abstract.heap import GrowingList, ListCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple, plain
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.engine import Engine
from pyxla.infer.joins import kinds
from pyxla.infer.lists import columnar, entries, growing, reading, rows
from pyxla.infer.lists.columnar import found, size_of
from pyxla.infer.lists.columns import INT, front, inserted, places, spread
from pyxla.infer.lists.finding import place_of
from pyxla.infer.lists.growing import detach, put
from pyxla.infer.lists.item_joins import joined_items
from pyxla.infer.lists.item_types import (
    Chars,
    Item,
    Nested,
    Number,
    Pick,
    Row,
    Same,
    compares_itself,
)
from pyxla.infer.lists.items import count
from pyxla.infer.lists.laying import padded, values
from pyxla.infer.lists.reading import columns_of, index_of, length, positive
from pyxla.infer.using import decided_by_data
from pyxla.ir.core import Value
from pyxla.lib import sequences, strings
from pyxla.lib.operands import cast
from pyxla.ops.elementwise import subtract
from pyxla.ops.shape import constant

_NOTHING = Tuple(())


def opened(
    engine: Engine, x: Any, *keys: Any, new: Any = _NOTHING, sized: bool = True
) -> GrowingList | None:
    """The content of a list in columns, as one becomes that data-decided `keys` change, or that
    gets as many items as data says; `new`: what has the items that are put in it; `sized` if its
    length may change."""
    content = found(engine.heap, x)
    held = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if content is not None or not isinstance(held, ListCell):
        return content
    grows = sized and isinstance(new, GrowingList) and not isinstance(length(engine, new), Const)
    if not grows and not (keys and held.items and decided_by_data(engine, *keys)):
        return None
    entries.put(engine, (*held.items, *getattr(new, "items", ())))
    items = columnar.items_of(engine.heap, held)
    items += columnar.items_of(engine.heap, new)
    item = joined_items(items)
    if item is None or not count(item):
        growing.note_sizes(engine, items)
        return None
    engine.findings.kept.update(engine.loops)
    return columnar.keep(engine.heap, x, item, sized=sized)


def extend(engine: Engine, x: Ref, more: Any) -> None:
    """`list.extend(more)`."""
    listed = found(engine.heap, more)
    plain = listed is None or listed.cls is tuple
    how = sequences.extend if plain else sequences.extend_by_list
    call(engine, Const(how), [x, more], {})


def insert(engine: Engine, x: Ref, content: GrowingList, index: Any, new: Any) -> None:
    """`list.insert(index, new)`."""
    content = growing.widened(engine, x, content, new)
    fixed = isinstance(size_of(engine.heap, content), int)
    content = growing.with_room(engine, x, content)
    engine.check_writable(x)
    size = size_of(engine.heap, content)
    at = _clamped(engine, index, length(engine, content))
    detach(engine, x)
    written = list(values(engine.heap, content.item, new))
    held = columns_of(engine, content)
    moved = [inserted(array.value, at, value) for array, value in zip(held, written, strict=True)]
    put(engine, content, moved, plus(size, 1), fixed)
    growing.hold(engine, x, content, Scalar(at, extent.AT_LEAST_0), new)


def _clamped(engine: Engine, index: Any, size: Any) -> Value:
    """Where `insert` puts an item."""
    if isinstance(index, Array):
        index = arrays.python_scalar(index, int)
    at = call(engine, Const(sequences.place), [index, size, Const(0)], {})
    return constant(value=np.asarray(at.value)) if isinstance(at, Const) else at.value


def delete(engine: Engine, x: Ref, content: GrowingList, key: Any) -> None:
    """`del x[key]`."""
    if _steps(key):
        _delete_in_steps(engine, x, content, key)
        return
    if reading.is_slice(key):
        replace(engine, x, key, Tuple(()))
        return
    engine.check_writable(x)
    index = index_of(engine, content, key, "list assignment index out of range")
    at = positive(engine, index, length(engine, content))
    remove_at(engine, x, content, at)


def remove_at(engine: Engine, x: Ref, content: GrowingList, index: Any) -> None:
    """`del x[index]`, which is in range and not negative."""
    content = growing.unfixed(engine, x, content)
    size = minus(size_of(engine.heap, content), 1)
    growing.shorten(engine, x, content, size, value_of(plain(index)))


def replace(engine: Engine, x: Ref, key: Any, new: Any) -> None:
    """`x[start:stop] = new`."""
    parts = _bounds(key)
    if _steps(key):
        call(engine, Const(sequences.replace_in_steps), [x, *parts, new], {})
    else:
        call(engine, Const(sequences.replace), [x, parts[0], parts[1], new], {})


def _bounds(key: Any) -> Sequence[Any]:
    if isinstance(key, Const):
        return [Const(p) for p in (key.value.start, key.value.stop, key.value.step)]
    return key.items


def _steps(key: Any) -> bool:
    """Whether a slice has a step."""
    if not reading.is_slice(key):
        return False
    step = _bounds(key)[2]
    return not (isinstance(step, Const) and step.value in (None, 1))


def _in_steps(engine: Engine, content: GrowingList, key: Any) -> tuple[int, range]:
    """How many items a list of known length has, and where those of a slice are."""
    size = length(engine, content)
    if not (isinstance(size, Const) and isinstance(key, Const) and content.size is None):
        raise engine.refuse("a slice with a step of a list of unknown length is deleted")
    if key.value.step == 0:
        engine.raise_constant(ValueError("slice step cannot be zero"))
    return size.value, range(size.value)[key.value]


def _delete_in_steps(engine: Engine, x: Ref, content: GrowingList, key: Any) -> None:
    engine.check_writable(x)
    size, gone = _in_steps(engine, content, key)
    detach(engine, x)
    kept = np.delete(np.arange(size), gone)
    order = arrays.fresh(engine, Array(constant(value=kept)))
    columns = [_taken(engine, array.value, order) for array in columns_of(engine, content)]
    put(engine, content, columns, len(kept), fixed=True)


def truncate(engine: Engine, x: Ref, size: Any) -> Any:
    """`sequences.truncate`."""
    content = found(engine.heap, x)
    if content is None:
        items = engine.content(x).items
        engine.set_content(x.cell, ListCell(items[: engine.static(size, "a length")]))
        return Const(None)
    growing.shorten(engine, x, content, plain(size))
    return Const(None)


def reserve(engine: Engine, x: Ref, more: Any, size: Any) -> Any:
    """`sequences.reserve`: a loop of appends needs no more room in each iteration then.  A row of
    another list has the room that it has."""
    content = found(engine.heap, x)
    if content is not None and content.size is None:
        growing.make_room(engine, x, content, more, size)
    return Const(None)


def append_reserved(engine: Engine, x: Ref, new: Any) -> Any:
    """`sequences.append_reserved`."""
    content = found(engine.heap, x)
    if content is None:
        return call(engine, Const(list.append), [x, new], {})
    growing.append(engine, x, content, new, reserved=True)
    return Const(None)


def remove(engine: Engine, x: Ref, content: GrowingList, value: Any) -> None:
    """`list.remove(value)`."""
    at = place_of(engine, content, value)
    there = engine.rules.compare(engine, "ge", at, Const(0))
    engine.ensure(there, ValueError("list.remove(x): x not in list"))
    remove_at(engine, x, content, at)


# --- order ------------------------------------------------------------------------------------


def reverse(engine: Engine, x: Ref, content: GrowingList) -> None:
    """`list.reverse()`."""
    engine.check_writable(x)
    detach(engine, x)
    size = size_of(engine.heap, content)
    held = [array.value for array in columns_of(engine, content)]
    if held:
        last = spread(cast(value_of(minus(size, 1)), INT), held[0])
        order = arrays.fresh(engine, Array(subtract(last, places(held[0]))))
        put(engine, content, [_taken(engine, v, order) for v in held], size)


def _taken(engine: Engine, column: Value, order: Ref) -> Value:
    held = arrays.fresh(engine, Array(column))
    return arrays.read(engine, arrays.getitem(engine, held, order)).value


def sort(engine: Engine, x: Ref, key: Any, reverse_: bool) -> None:
    """`list.sort(key=key, reverse=reverse_)`: stable."""
    listed = x if key is None else call(engine, Const(sequences.keyed), [x, key], {})
    sort_by(engine, x, listed, reverse_)


def sort_by(engine: Engine, x: Ref, listed: Ref, reverse_: bool) -> None:
    """Put a list in the order of its keys, `listed`."""
    keys = opened(engine, listed) or laid_out(engine, listed)
    content = found(engine.heap, x)
    if content.item is None or keys.item is None:
        return
    engine.check_writable(x)
    detach(engine, x)
    if _columns_decide(keys.item):
        order = _order_by_columns(engine, keys, reverse_)
    else:
        ranked = call(engine, Const(sequences.ranked), [listed, Const(reverse_)], {})
        order = call(engine, Const(np.array), [ranked], {})
    if order is None:
        return
    room = columnar.capacity_of(engine.heap, content)  # that of the keys may be another
    places_ = padded(front(arrays.read(engine, order).value, room), room)
    whole = arrays.fresh(engine, Array(places_))
    held = columns_of(engine, content)
    size = size_of(engine.heap, content)
    put(engine, content, [_taken(engine, column.value, whole) for column in held], size)


def _order_by_columns(engine: Engine, keys: GrowingList, reverse_: bool) -> Ref | None:
    """Where what comes first, second and so on is; None where all are alike."""
    order = None
    for column in reversed(list(_sorting(engine, keys.item, iter(columns_of(engine, keys))))):
        shown = arrays.fresh(engine, column)
        if column.ndim == 2:
            first = call(engine, Const(np.arange), [length(engine, keys)], {})
            given = [shown, first if order is None else order, Const(reverse_)]
            order = call(engine, Const(sequences.ordered_by_rows), given, {})
            continue
        shown = shown if order is None else _picked(engine, shown, order)
        if reverse_:
            flip = np.invert if column.dtype.kind in "biu" else np.negative
            shown = call(engine, Const(flip), [shown], {})
        step = call(engine, Const(np.argsort), [shown], {"kind": Const("stable")})
        order = step if order is None else _picked(engine, order, step)
    return order


def _picked(engine: Engine, x: Ref, order: Ref) -> Ref:
    return arrays.getitem(engine, x, order)


def laid_out(engine: Engine, x: Ref) -> GrowingList:
    """A list of known length, in columns."""
    held = engine.heap.contents[x.cell]
    item = columnar.common_item([(engine, held)])
    if item is None:
        raise engine.refuse("the keys of a list of unknown length are of one type each")
    return columnar.keep(engine.heap, x, item)


def _columns_decide(item: Item) -> bool:
    """Whether columns tell the order of items, without a look at one after the other."""
    if isinstance(item, Row):
        plain = item.cls is not str and not compares_itself(item)
        return plain and all(map(_columns_decide, item.items))
    if isinstance(item, Nested):
        return isinstance(item.item, Number) and item.fixed is not None
    if isinstance(item, Pick):
        return all(type(value) is str for value in item.values)
    return isinstance(item, (Number, Chars, Same))


# Texts of more characters than this are ordered by a loop over their parts.
_SHORT = 64


def _sorting(engine: Engine, item: Item, columns: Iterator[Array]) -> Iterator[Array]:
    """The columns that decide the order of items, the first one first; of long texts all together,
    as rows."""
    if isinstance(item, Number):
        yield next(columns)
        if item.choices:
            next(columns)
        if item.exact:
            yield next(columns)
    elif isinstance(item, Pick):
        ranks = [sorted(item.values).index(value) for value in item.values]
        column = next(columns)
        yield Array(kinds.moved(column.value, ranks), column.extents)
    elif isinstance(item, Row):
        for inner in item.items:
            yield from _sorting(engine, inner, columns)
    elif isinstance(item, Nested):
        own = [next(columns) for _ in range(count(item))][1]
        for i in range(item.fixed):
            one = arrays.getitem(
                engine, arrays.fresh(engine, own), Tuple((Const(slice(None)), Const(i)))
            )
            yield arrays.read(engine, one)
    elif isinstance(item, Chars):
        sizes = None if item.fixed else next(columns)
        rows = next(columns)
        held = rows.value if sizes is None else strings.cleared(sizes.value, rows.value)
        if held.type.shape[1] > _SHORT:
            yield Array(strings.keys(held), rows.extents and (rows.extents[0], None))
        else:
            for key in strings.key_columns(held):
                yield Array(key, rows.extents and rows.extents[:1])
        if sizes is not None:
            yield sizes


def pack(engine: Engine, x: Ref, items: Sequence[Any], key: Any) -> GrowingList | None:
    """Keep a list of lists, which data-decided `key` indexes, in columns from here on."""
    heap = engine.heap
    if not items or not all(isinstance(i, Ref) and not i.view for i in items):
        return None
    if not decided_by_data(engine, key) and not engine.findings.allows(len(items), True):
        return None
    lists = [heap.contents.get(i.cell) for i in items]
    if not all(isinstance(c, (ListCell, GrowingList)) for c in lists):
        return None
    cells = {i.cell for i in items} | {x.cell}
    if len(cells) <= len(items) or any(heap.infos[c].pinned is not None for c in cells):
        return None
    item = columnar.common_item([(engine, heap.contents[x.cell])])
    if item is None:
        return None
    engine.findings.kept.update(engine.loops)
    return columnar.keep(heap, x, item)


def of_unknown_length(engine: Engine, x: Any) -> Ref:
    """A list of what a sequence of unknown length has."""
    return call(engine, Const(sequences.listed), [x], {})


def zipped(engine: Engine, *lists: Ref) -> Any:
    """The tuples of the items of lists of one length; where lists are among the items, which
    programs may go on to write, what a loop reads."""
    held = [found(engine.heap, x) for x in lists]
    items = [reading.contents_item(engine.heap, x) for x in lists]
    if any(item is None or reading.holds_lists(item) for item in items) or None in held:
        return Compound("zip", tuple(lists))
    columns = [arrays.fresh(engine, c) for content in held for c in columns_of(engine, content)]
    for content, item in zip(held, items, strict=True):
        rows.copied(engine.heap, item, content.columns)
    return reading.made_of(engine, columns, Row(tuple, tuple(items)))


def room(engine: Engine, names: Ref) -> Const:
    """`lib.tables.room`."""
    held = columnar.found(engine.heap, names) or engine.heap.contents[names.cell]
    return Const(columnar.room_of(engine.heap, held))
