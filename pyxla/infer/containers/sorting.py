"""`sorted` and `list.sort`: by keys that are known while compiling, by numbers and texts with one
stable argsort, and by comparing where a function says which of two comes first."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import GrowingList, ListCell, reachable
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    is_number,
    is_variant,
    taken_apart,
)
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.classes import is_python
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import content_of, get_item
from pyxla.infer.containers.making import list_, unknown
from pyxla.infer.containers.structure import iterate, length
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.joins.kinds import has_exact, kinds_of, may_be_array
from pyxla.infer.lists import (
    choosing,
    columnar,
    entries,
    instances,
    methods,
    number_lists,
    pools,
    reading,
)
from pyxla.infer.lists.item_joins import joined_items, with_column
from pyxla.infer.lists.item_types import Row, has_own_order
from pyxla.infer.lists.items import item_of
from pyxla.infer.lists.laying import laid
from pyxla.infer.lists.sites import of_all
from pyxla.infer.operators import binary
from pyxla.infer.text import strings
from pyxla.infer.text.codes import is_texts
from pyxla.lib import sequences
from pyxla.lib.containers import Compared
from pyxla.lib.registry import rule

# Of so many objects at most one is chosen for each place; more are rows of a pool, if they can be.
MOST_PICKED = 16


@rule(functools.cmp_to_key)
def _cmp_to_key(engine: Engine, function: Any) -> Any:
    return call(engine, Const(functools.partial), [Const(Compared), function], {})


def _comparison(key: Any) -> Any:
    """The function that compares, of a key made by `functools.cmp_to_key`; None of others."""
    if isinstance(key, Compound) and key.kind == "partial":
        made = key.items[0]
        if isinstance(made, Const) and made.value is Compared:
            return key.items[1]
    return None


@rule(sorted)
def _sorted(engine: Engine, x: Any, *, key: Any = Const(None), reverse: Any = Const(False)) -> Any:
    function = None if isinstance(key, Const) and key.value is None else key
    if (comparison := _comparison(function)) is not None:
        made = list_(engine, tables.unordered(engine, x))
        call(engine, Const(sequences.sort_by), [made, comparison, reverse], {})
        return made
    kept = number_lists.flat(engine, x) if function is None else None
    if kept is not None and arrays.dtype_of(engine, kept[0]).kind in "if":
        return _sorted_numbers(engine, *kept, bool(engine.static(reverse, "reverse")))
    if columnar.found(engine.heap, x) is not None or unknown(engine, x) or _are_rows(engine, x):
        return _sorted_growing(engine, x, function, bool(engine.static(reverse, "reverse")))
    items = iterate(engine, x if function else tables.unordered(engine, x))
    keys = [i if function is None else call(engine, function, [i], {}) for i in items]
    descending = bool(engine.static(reverse, "reverse"))
    if len(items) < 2:
        return engine.new(ListCell(tuple(items)))
    try:
        known = [engine.python_object(k) for k in keys]
    except LookupError:
        keys = [strings.by_characters(engine, k) for k in keys]
        rows = _rows(engine, keys)
        known = _deciding(rows)
        if known is None:
            return _network(engine, items, keys, rows, descending)
    order = sorted(range(len(items)), key=known.__getitem__, reverse=descending)
    return engine.new(ListCell(tuple([items[i] for i in order])))


def _are_rows(engine: Engine, x: Any) -> bool:
    """Whether a list of known length holds many rows of one pool, or tuples of one type with
    numbers that are not known."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    items = content.items if isinstance(content, ListCell) else ()
    if len(items) > MOST_PICKED:
        entries.all_dicts(engine, items)
    if len(items) <= choosing.MOST:
        return False
    if (pools_ := instances.pools_of(engine, items)) is not None:
        return len(set(pools_)) == 1
    if not all(isinstance(x, Tuple) for x in items):
        return False
    item = joined_items([item_of(engine.heap, x) for x in items]) if _are_values(items) else None
    return isinstance(item, Row) and not all(_is_known(part) for x in items for part in x.items)


def _sorted_growing(engine: Engine, x: Any, function: Any, descending: bool) -> Any:
    """A list of unknown length, in order."""
    x = tables.unordered(engine, x)
    given = columnar.found(engine.heap, x)
    made = list_(engine, x) if given is None else reading.copied(engine, given)
    if methods.opened(engine, made) is None:
        methods.laid_out(engine, made)
    if columnar.found(engine.heap, made) is not None:
        methods.sort(engine, made, function, descending)
    return made


def _rows(engine: Engine, keys: list[Any]) -> list[Any]:
    """Keys that all are lists as tuples, which compare alike."""
    if not all(_is_list(engine, key) for key in keys):
        return keys
    if any(columnar.found(engine.heap, key) for key in keys):  # of unknown length, or arrays
        return keys
    return [Tuple(tuple(iterate(engine, key))) for key in keys]


def _is_list(engine: Engine, x: Any) -> bool:
    return isinstance(content_of(engine, x), (ListCell, GrowingList))


def _deciding(keys: list[Any]) -> list[Any] | None:
    """What decides the order of tuples that differ in what is known at their start."""
    if not all(isinstance(key, Tuple) and not _orders_itself(key) for key in keys):
        return None
    starts = [
        tuple([part.value for part in itertools.takewhile(_is_known, key.items)]) for key in keys
    ]
    common = min([len(start) for start in starts])
    starts = [start[:common] for start in starts]
    try:
        return starts if len(set(starts)) == len(starts) else None
    except TypeError:
        return None


def _is_known(x: Any) -> bool:
    return isinstance(x, Const)


def _sorted_numbers(engine: Engine, x: Ref, python: bool, descending: bool) -> Ref:
    """A list of the numbers in a column, in order."""
    order = _order(engine, [x], descending)
    return number_lists.listed(engine, get_item(engine, x, order), python)


def _network(
    engine: Engine, items: list[Any], keys: list[Any], rows: list[Any], descending: bool
) -> Any:
    """Items by keys known at run time: one stable argsort of the columns that their `rows` have,
    and what it picks."""
    if any(columnar.found(engine.heap, x) for x in items) or any(map(_orders_itself, keys)):
        return _compared(engine, items, keys, descending)
    columns = list(_columns(rows))
    if not columns or not all(is_number(x) for column in columns for x in column):
        if all(_have_order(engine, key) for key in keys) or all(map(_may_have_none, keys)):
            return _compared(engine, items, keys, descending)
        raise engine.refuse(
            "sorted() by keys known at run time only, which are not all numbers",
            "sort an array of the keys with np.argsort",
            remedy="unrolled",
        )
    by = [
        call(engine, Const(np.array), [engine.new(ListCell(tuple(column)))], {})
        for column in columns
    ]
    order = _order(engine, by, descending)
    return _picked(engine, items, order)


def _compared(engine: Engine, items: list[Any], keys: list[Any], descending: bool) -> Any:
    """Items that are arrays, or by keys that are compared by their `<`, as in a list of unknown
    length."""
    made = engine.new(ListCell(tuple(items)))
    by = made if keys == items else engine.new(ListCell(tuple(keys)))
    if len({class_of(engine, item) for item in items}) > 1:  # which are no rows of one pool
        ranked = call(engine, Const(sequences.ranked), [by, Const(descending)], {})
        order = call(engine, Const(np.array), [ranked], {})
        return _picked(engine, items, order)
    methods.laid_out(engine, made)
    methods.sort_by(engine, made, by, descending)
    return made


def _orders_itself(key: Any) -> bool:
    """Whether a key is a tuple of a class with an order of its own, or has one."""
    if not isinstance(key, Tuple):
        return False
    return has_own_order(key.cls) or any(map(_orders_itself, key.items))


def _have_order(engine: Engine, key: Any) -> bool:
    """Whether `<` of keys is code of its own: they are lists, instances or tuples with such."""
    if isinstance(key, Tuple):
        return any(_have_order(engine, part) for part in key.items)
    if _is_list(engine, key):
        return True
    cls = class_of(engine, key)
    return cls is not None and engine.captures.member(cls, "__lt__") is not None


def _may_have_none(key: Any) -> bool:
    """Whether it is a tuple of numbers and None: where those before None are equal, `<` raises."""
    return isinstance(key, Tuple) and all([is_number(x) or _maybe_none(x) for x in key.items])


def _maybe_none(x: Any) -> bool:
    return is_variant(x, "optional") or (isinstance(x, Const) and x.value is None)


def _columns(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """What decides the order of keys, the first first: the parts of tuples, and for texts where
    they are among all of them."""
    rows = [_parts(key) for key in keys]
    if rows and all(row is not None and len(row) == len(rows[0] or ()) for row in rows):
        for column in zip(*[row or () for row in rows], strict=True):
            yield from _columns(column)
        return
    texts = [choices.values_of(key) for key in keys]
    if all(own is not None and all(type(v) is str for v in own) for own in texts):
        union = sorted(choices.united(*[own or () for own in texts]))
        yield [choices.position(key, union) for key in keys]
    elif (by := strings.sorting(keys)) is not None:
        yield from by
    else:
        yield [_unlike(key) for key in keys]


def _unlike(key: Any) -> Any:
    """A number that may be an int or a float as a float, where that is as large."""
    several = is_number(key) and set(kinds_of(key)) <= {bool, int, float}
    mixed = several and len(kinds_of(key)) > 1 and not has_exact(key)
    return Scalar(key.value) if mixed and isinstance(key, Scalar) else key


def _parts(x: Any) -> Sequence[Any] | None:
    x = taken_apart(x)
    return x.items if isinstance(x, Tuple) else None


def _order(engine: Engine, by: list[Any], descending: bool) -> Any:
    """Where what comes first, second and so on is: by columns, equal rows as they are."""
    backwards = Const(slice(None, None, -1))
    if descending:
        by = [get_item(engine, x, backwards) for x in by]
    if len(by) == 1:
        order = call(engine, Const(np.argsort), by, {"kind": Const("stable")})
    else:
        order = call(engine, Const(np.lexsort), [Tuple(tuple(reversed(by)))], {})
    if not descending:
        return order
    last = binary(engine, "sub", length(engine, order), Const(1))
    return binary(engine, "sub", last, get_item(engine, order, backwards))


def _picked(engine: Engine, items: list[Any], order: Any) -> Ref:
    """`[items[i] for i in order]`: values are laid out in columns, which are put in order each as a
    whole, and stay columns where they are many; of objects, one is chosen for each place."""
    item = joined_items([item_of(engine.heap, x) for x in items]) if _are_values(items) else None
    with engine.unchecked():  # the places are in range
        if (layout := with_column(item)) is not None:
            held = laid(engine.heap, layout, items, len(items))
            columns = [get_item(engine, arrays.fresh(engine, Array(v)), order) for v in held]
            if len(items) > choosing.MOST:
                return reading.made_of(engine, columns, layout)
            places = [Const(i) for i in range(len(items))]
            found = [reading.read_item(engine, layout, iter(columns), i, None) for i in places]
            return engine.new(ListCell(tuple(found)))
        if engine.demands.pooled or not _are_better_rows(engine, items):
            chosen = [get_item(engine, order, Const(i)) for i in range(len(items))]
            found = [choosing.picked(engine, tuple(items), place) for place in chosen]
            if None not in found:
                return engine.new(ListCell(tuple(found)))
    infos = [engine.heap.infos[x.cell] for x in items if isinstance(x, Ref)]
    if infos and (sites := of_all(infos)):
        engine.findings.ask(sites)
    remedies = {pools.remedy(engine, content) for content in _contents(engine, items)}
    raise engine.refuse(
        "sorted() puts objects in an order known at run time only",
        "sort numbers, or tuples of numbers, of one type",
        remedy=" ".join(sorted(remedies | {"case_split", "arrays"})),
    )


def _are_better_rows(engine: Engine, items: Sequence[Any]) -> bool:
    """Whether these are so many objects that rows of a pool are less code, and may be such."""
    contents = _contents(engine, items)
    objects = [x for x in contents if pools.class_of_object(x) is not None]
    if len(items) <= MOST_PICKED or any(pools.holds_arrays(engine.heap, x) for x in objects):
        return False
    return bool(_remedies(engine, contents))


def _contents(engine: Engine, items: Sequence[Any]) -> list[Any]:
    return [engine.heap.contents[x.cell] for x in items if isinstance(x, Ref)]


def _remedies(engine: Engine, contents: Sequence[Any]) -> list[str]:
    return sorted({pools.remedy(engine, content) for content in contents} - {"", "shared"})


def _are_values(items: Sequence[Any]) -> bool:
    """Whether there is no object in `items` whose identity matters."""
    return all(_are_values(x.items) if isinstance(x, Tuple) else _is_value(x) for x in items)


def _is_value(x: Any) -> bool:
    if isinstance(x, Const) or is_texts(x) or choices.is_choice(x):
        return True
    return is_number(x) and not may_be_array(x)


def _may_look(engine: Engine, key: Any, x: Any) -> bool:
    """Whether a key function leads to the list that it sorts."""
    held = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if type(held) not in (ListCell, GrowingList):
        return False
    known = isinstance(key, Const) and not is_python(key.value)
    outside = not known and x in engine.captures.places.values()
    return outside or x.cell in reachable(engine.heap, [key])


def _sort_apart(engine: Engine, x: Ref, options: dict[str, Any]) -> None:
    """`x.sort(key=key)` where the key may look at `x`, which has no items meanwhile."""
    held, mark = engine.heap.contents[x.cell], len(engine.raised)
    items = reading.copied(engine, held) if isinstance(held, GrowingList) else engine.new(held)
    engine.set_content(x.cell, ListCell(()))
    try:
        made = _sorted(engine, items, **options)
    finally:
        for path in engine.raised[mark:]:
            path.edge.heap.contents[x.cell] = held
    left = engine.rules.compare(engine, "eq", length(engine, x), Const(0))
    engine.set_content(x.cell, content_of(engine, made))
    engine.ensure(left, ValueError("list modified during sort"))


@rule(list.sort)
def _sort(engine: Engine, x: Any, **options: Any) -> Any:
    if "key" in options and _may_look(engine, options["key"], x):
        _sort_apart(engine, x, options)
        return Const(None)
    if (comparison := _comparison(options.get("key"))) is not None:
        down = options.get("reverse", Const(False))
        return call(engine, Const(sequences.sort_by), [x, comparison, down], {})
    if columnar.found(engine.heap, x) is not None:
        key = options.get("key", Const(None))
        function = None if isinstance(key, Const) and key.value is None else key
        down = engine.static(options.get("reverse", Const(False)), "reverse")
        methods.sort(engine, x, function, bool(down))
        return Const(None)
    result = _sorted(engine, x, **options)
    engine.set_content(x.cell, content_of(engine, result))
    return Const(None)
