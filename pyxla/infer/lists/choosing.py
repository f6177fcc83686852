"""One of the items of a sequence of anything, where data decides which."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.heap import Heap, ListCell
from pyxla.abstract.lattice import (
    Compound,
    Const,
    Ref,
    Tuple,
    as_const,
    is_number,
    taken_apart,
)
from pyxla.errors import CompileError, InternalError
from pyxla.infer.arrays import access as arrays
from pyxla.infer.demands import SHORT
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far
from pyxla.infer.joins.variants import is_function
from pyxla.infer.lists import columnar, instances, number_lists, pools, reading
from pyxla.infer.lists.item_types import Number
from pyxla.infer.text.codes import is_texts
from pyxla.infer.using import by_loops, decided_by_data
from pyxla.lib import sequences
from pyxla.lib.sets import TableSet
from pyxla.lib.tables import Table
from pyxla.views import shadows

# Items that are no numbers are compared with the index one after the other.
MOST = 64


def choose(engine: Engine, x: Any, items: tuple[Any, ...], key: Any) -> Any:
    """`x[key]` of a sequence of these items: tuples are chosen item by item, numbers are read from
    an array, and for others there are branches; None where the key must be known."""
    # A few known texts decide what else is known, as which keys a dict has.
    few = len(items) <= SHORT and all(map(choices.is_constant, items)) and by_loops(engine, key)
    if few and not engine.findings.long:
        return None
    comparing = engine.frames[-1].function is sequences.item  # its loop is to be unrolled
    by_data = few or (not comparing and decided_by_data(engine, key))
    costly = not by_data and not all([is_plain(engine.heap, item) for item in items])
    if not items or not (by_data or engine.findings.allows(len(items), True, costly)):
        return None
    reading.checked(engine, key, Const(len(items)), number_lists.out_of_range(x))
    found = picked(engine, items, key, by_data)
    if found is None and (not by_data or _wait(engine, items)):
        _want_pool(engine, items)
    return found


def _want_pool(engine: Engine, items: tuple[Any, ...]) -> None:
    """Note sets or dicts of which a loop reads one after the other, and which are in no pool."""
    contents = [engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None for x in items]
    classes: set[Any] = set(map(pools.container_class, contents))
    if pools.are_unlike(engine.heap, items):
        classes = {Table}
    if len(classes) == 1 and classes <= {Table, TableSet} - engine.demands.pooled:
        engine.findings.containers |= classes
        engine.findings.pooling.update(engine.findings.loops)


def is_plain(heap: Heap, x: Any) -> bool:
    """Whether an item is a number, a character, or a tuple or list of such."""
    x = taken_apart(x)
    if isinstance(x, Tuple):
        return all([is_plain(heap, item) for item in x.items])
    if isinstance(x, Ref):
        if (kept := columnar.found(heap, x)) is not None:
            return isinstance(number_lists.number_in(kept.item), Number)
        held = heap.contents.get(x.cell)
        items = held.items if type(held) is ListCell else ()
        return bool(items) and number_lists.item_of_numbers(heap, items) is not None
    character = isinstance(x, Const) and type(x.value) is str and len(x.value) == 1
    return is_number(x) or character or far.is_dynamic(x)


def picked(engine: Engine, items: tuple[Any, ...], key: Any, by_data: bool = True) -> Any:
    """`items[key]` for a key in range; None where items are functions, or too many.

    by_data: else branches would be more code than the loop that the key counts, unrolled.
    """
    if len(items) == 1:
        return items[0]
    if (lows := far.rests(items)) is not None:
        low = picked(engine, lows, key, by_data)
        return None if low is None else far.made(far.WORD, low)
    if (cls := _row_class(items)) is not None:
        columns = zip(*[arrays.items_of(engine, item) for item in items], strict=True)
        chosen = [picked(engine, column, key, by_data) for column in columns]
        return None if None in chosen else Tuple(tuple(chosen), cls)
    if (pools_ := instances.pools_of(engine, items)) is not None:
        rows: list[Any] = [engine.heap.contents[item.cell] for item in items]
        number = picked(engine, tuple([as_const(row.index) for row in rows]), key, by_data)
        if len(classes := list(dict.fromkeys(pools_))) == 1:
            return instances.at_row(engine, classes[0], number)
        which = picked(engine, tuple([Const(classes.index(c)) for c in pools_]), key, by_data)
        return instances.of_one_class(engine, classes, which, number)
    found = number_lists.choose(engine, Tuple(items), items, key)
    if found is None and all(map(is_number, items)):
        found = number_lists.choose(engine, engine.new(ListCell(items)), items, key)
    if (
        found is None
        and by_data
        and all(type(x) is Const and choices.is_constant(x) for x in items)
    ):
        return _constant(engine, items, key)
    if found is None and by_data and len(items) <= MOST and not _wait(engine, items):
        if engine.demands.case_split or not any(map(_has_parts, items)):
            return _by_branches(engine, items, key)
        if all(map(is_function, items)):
            words = "this is one of several functions, and data decides which"
            raise engine.refuse(words, "choose by `if`", remedy="case_split")
    return found


def _wait(engine: Engine, items: tuple[Any, ...]) -> bool:
    """Whether these will be rows of a pool, in another attempt."""
    return Table not in engine.demands.pooled and pools.are_unlike(engine.heap, items)


def _constant(engine: Engine, items: tuple[Any, ...], key: Any) -> Any:
    """One of known texts or members of enums, whose numbers are read from an array."""
    own = [item.value for item in items]
    values = choices.united(own)
    places = tuple(map(Const, choices.places_of(own, values)))
    tag = shadows.one_of(picked(engine, places, key).value, len(values))
    return choices.one_of_these(tag, values)


def _by_branches(engine: Engine, items: tuple[Any, ...], key: Any) -> Any:
    """None where the items are of no one type."""
    try:
        return engine.rules.call(engine, Const(sequences.item), [Tuple(items), key], {})
    except InternalError:
        raise
    except CompileError:
        return None


def _has_parts(x: Any) -> bool:
    """Whether an item is a function, a generator or the like."""
    return is_function(x) or (isinstance(x, Compound) and not is_texts(x))


def _row_class(items: tuple[Any, ...]) -> type | None:
    """The class of tuples that are of one class and length."""
    classes = {_tuple_class(item) for item in items}
    return None if len(classes) > 1 else next(iter(classes))[0]


def _tuple_class(item: Any) -> tuple[type | None, int]:
    item = taken_apart(item)
    return (item.cls, len(item.items)) if isinstance(item, Tuple) else (None, 0)
