"""Sequences, lists, dicts, sets and iteration.

The structure of a container (how many items, which keys) is known while compiling; the items may be
anything.  A loop indexes a *sequence*: a container, a range, an array along its first dimension, or
`zip`, `enumerate`, `map`, `reversed` of sequences, whose items are made when they are asked for.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import smaller
from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, SetCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    as_const,
    is_variant,
    plain,
)
from pyxla.frontend import support
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import class_of, special
from pyxla.infer.containers import hashes, steps, tables
from pyxla.infer.containers.indexing import FALSE, TRUE, content_of, get_item
from pyxla.infer.containers.indices import as_int, from_end
from pyxla.infer.containers.iterators import (
    position,
    set_state,
    state_of,
    unwatched,
    use_up,
    used_up,
)
from pyxla.infer.containers.ranges import range_item, range_length, with_bounds
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.lists import columnar, pool_rows, reading
from pyxla.infer.lists.item_joins import layout_of
from pyxla.infer.lists.items import item_of
from pyxla.infer.raising.refusals import lacking
from pyxla.infer.text import strings
from pyxla.infer.text.codes import string
from pyxla.lib.interpreted import applied, applied_to_both, indexed
from pyxla.lib.iterators import stepped
from pyxla.lib.registry import rule
from pyxla.lib.sets import ADDED, KEPT, LISTED, in_order, items_in_places


def sequence(engine: Engine, x: Any) -> Any:
    """What a loop over `x` indexes."""
    x = using.some(engine, x, "'NoneType' object is not iterable")
    if columnar.found(engine.heap, x):
        return x
    if type(x) is Tuple:
        return Tuple(x.items)  # its class may have a `__getitem__`, which iteration does not call
    content = content_of(engine, x)
    if state_of(engine, x) is not None:
        return rest(engine, x)
    if isinstance(content, DictCell):
        return Tuple(tuple(Const(k) for k in using.items_in_order(engine, content)))
    if isinstance(content, SetCell):
        return Tuple(tuple(Const(k) for k in _set_order(engine, content)))
    if isinstance(content, Array):
        if not arrays.shown(engine, x)[0]:
            engine.raise_constant(TypeError("iteration over a 0-d array"))
        return x
    if (inner := tables.plain_sequence(engine, x)) is not None:
        if content.cls in tables.SETS:
            return _ordered(engine, x, content)
        return sequence(engine, inner)
    if isinstance(content, ObjectCell):
        result = special(engine, x, "__iter__", ())
        if result is not None and is_iterator(engine, result):
            return sequence(engine, call(engine, Const(stepped), [result], {}))
        if result is not None:
            return sequence(engine, result)
        if engine.captures.member(content.cls, "__getitem__") is not None:
            return sequence(engine, call(engine, Const(indexed), [x], {}))
        raise lacking(engine, x, "is not iterable", "{!r} object is not iterable")
    if isinstance(x, Const):
        if isinstance(x.value, arrays.SEQUENCES):
            return x
        if isinstance(x.value, frozenset):
            return Const(tuple(steps.ordered(x.value)))
        if hasattr(x.value, "__iter__"):
            engine.check_made_here(x.value)
            return Const(tuple(x.value))
    if isinstance(x, Compound) and x.kind in LENGTHS or isinstance(x, (Tuple, Ref)):
        return x
    if coroutines.is_generator(x):
        if coroutines.forgotten(engine, x):
            raise used_up(engine, x)
        use_up(engine, x)
        return x
    if strings.is_dynamic(x):
        return string(strings.codes_of(engine, x))
    raise lacking(engine, x, "is not iterable", "{!r} object is not iterable")


def is_iterator(engine: Engine, x: Any) -> bool:
    """Whether `x` is an iterator of a class of the user's."""
    content = content_of(engine, x)
    return isinstance(content, ObjectCell) and hasattr(content.cls, "__next__")


def _set_order(engine: Engine, content: SetCell) -> list[Any]:
    if content.steps is None and len(content.items) > 1:
        raise engine.refuse(steps.DISORDER, steps.SORT, remedy="ordered")
    return steps.ordered(steps.actual(content))


def _ordered(engine: Engine, x: Any, content: ObjectCell) -> Any:
    """The items of a set in CPython's order; where it promises none, sorted if they are texts, else
    as they were added."""
    names = using.use(engine, content.fields["names"])
    order = content.fields["order"]
    grown = columnar.found(engine.heap, names)
    items = engine.content(names).items if grown is None else ()
    if grown is None and len(items) < 2:
        return names
    kinds = [grown.item] if grown else [item_of(engine.heap, x) for x in items]
    if all(layout_of(kind) is not None for kind in kinds):
        return call(engine, Const(sorted), [names], {})
    known = order.value if isinstance(order, Const) else None
    steady = [hashes.item_is_steady(engine, x) for x in kinds if grown]
    if known == LISTED or not all(steady or [hashes.steady(engine, x) for x in items]):
        return names
    if known == ADDED:
        return call(engine, Const(in_order), [names], {})
    if known == KEPT:
        return call(engine, Const(items_in_places), [x], {})
    raise engine.refuse(
        "the order of this set, whose items are known at run time only, is not known",
        steps.SORT,
        remedy="ordered",
    )


def read_all(engine: Engine, x: Any) -> None:
    """Note that all items of `x` are read: what is left of an iterator are none."""
    if (content := state_of(engine, x)) is not None:
        fields = {"items": Tuple(()), "at": Const(0)}
        engine.set_content(x.cell, ObjectCell(content.cls, fields))


def iterate_ahead(engine: Engine, x: Any) -> list[Any]:
    """All items of `x`, for what reads them one by one: of an iterator, how many is not known."""
    content = state_of(engine, x)
    items = iterate(engine, x)
    if content is not None:
        set_state(engine, x, items=content.fields["items"], at=Const(None))
    return items


def first_items(engine: Engine, x: Ref, count: int) -> list[Any]:
    """The items that are left of an iterator, no more than `count`: others it keeps."""
    content: Any = state_of(engine, x)
    unchanged(engine, content)
    at, items = position(engine, x, content), unwatched(content.fields["items"])
    size = engine.static(length(engine, items), "the number of items")
    set_state(engine, x, at=Const(at + count if at + count <= size else sys.maxsize))
    return [item(engine, items, Const(i)) for i in range(at, min(at + count, size))]


def rest(engine: Engine, x: Ref) -> Any:
    """What a loop over an iterator reads; how much of it is not known after it."""
    content: Any = state_of(engine, x)
    unchanged(engine, content)
    at, items = position(engine, x, content), content.fields["items"]
    items = unwatched(items) if at else items
    set_state(engine, x, at=Const(None))
    if at and columnar.found(engine.heap, items) is not None:
        return get_item(engine, items, Const(slice(at, None)))
    return Tuple(tuple(iterate(engine, items)[at:])) if at else items


def length(engine: Engine, x: Any) -> Any:
    """`len(x)` of a sequence: a Const or an int Scalar."""
    if choices.is_choice(x):
        return choices.lookup(x, [len(value) for value in x.values])
    if isinstance(x, Const):
        try:
            return Const(len(x.value))
        except TypeError as error:
            raise engine.refuse(str(error), raises=TypeError, words=str(error)) from None
    if (grown := columnar.found(engine.heap, x)) is not None:
        return reading.length(engine, grown)
    if (row := pool_rows.record_row(engine.heap, x)) is not None:
        return pool_rows.length(engine, row)
    content = content_of(engine, x)
    if isinstance(content, Array):
        shape, extents = arrays.shown(engine, x)
        if not shape:
            engine.raise_constant(TypeError("len() of unsized object"))
        return Const(shape[0]) if extents is None or extents[0] is None else extents[0]
    if isinstance(x, Tuple):
        return Const(len(x.items))
    if isinstance(content, (ListCell, DictCell, SetCell)):
        return Const(len(content.items))
    if isinstance(x, Compound) and x.kind in LENGTHS:
        return LENGTHS[x.kind](engine, x)
    if strings.is_dynamic(x):
        return strings.length(engine, x)
    result = special(engine, x, "__len__", ())
    if result is None:
        raise lacking(engine, x, "has no len()", "object of type {!r} has no len()")
    own = engine.captures.member(class_of(engine, x), "__len__")
    if getattr(own, "__module__", "").startswith(
        "pyxla."
    ):  # of what stands for a container of Python's
        return result
    size = as_int(engine, result)
    there = engine.rules.compare(engine, "ge", size, Const(0))
    engine.ensure(there, ValueError("__len__() should return >= 0"))
    return size


@rule(len, operator.length_hint)
def _len(engine: Engine, x: Any) -> Any:
    return length(engine, x)


def _shortest(engine: Engine, x: Compound) -> Any:
    sizes = [plain(length(engine, part)) for part in x.in_step]
    return as_const(functools.reduce(smaller, sizes))


LENGTHS: dict[str, Callable[..., Any]] = {
    "range": range_length,
    "zip": _shortest,
    "enumerate": _shortest,
    "reversed": lambda engine, x: _reversed_length(engine, *x.items),
    "map": _shortest,
}


_APPLIED = applied, applied_to_both
# How item `i` of a compound sequence is made, and whether there is one, by kind.
ITEMS: dict[str, Callable[..., Any]] = {}
TESTS: dict[str, Callable[..., Any]] = {}


@rule(support.has_item)
def has_item(engine: Engine, x: Any, i: Any, asked: Any = TRUE) -> Any:
    """Whether the loop over `x` has an item `i >= 0`.  asked: whether CPython asks that at all."""
    if _has_length(x):
        return engine.rules.compare(engine, "lt", i, as_const(_stop(engine, x)))
    if coroutines.is_generator(x):
        return coroutines.has_more(engine, x)
    if x.kind in TESTS:
        return TESTS[x.kind](engine, x, i, asked)
    if x.kind == "enumerate":
        return has_item(engine, x.items[0], i, asked)
    if x.kind == "reversed":
        return _has_reversed(engine, x, i, asked)
    found: Any = TRUE
    for part in x.in_step:
        more = has_item(engine, part, i, engine.rules.both(engine, asked, found))
        found = engine.rules.both(engine, found, more)
        if found == FALSE:
            break
    return found


def _has_length(x: Any) -> bool:
    """Whether `i` is less than something where `x` has an item `i`, and no more is to be asked."""
    if coroutines.is_generator(x):
        return False
    if not isinstance(x, Compound):
        return True
    if x.kind in ("enumerate", "zip", "map"):
        return all(map(_has_length, x.in_step))
    return x.kind not in TESTS and x.kind != "reversed"


def _stop(engine: Engine, x: Any) -> Any:
    """What `i` is less than where `x`, which has a length, has an item `i`."""
    if isinstance(x, Compound):
        if x.kind in ("enumerate", "zip", "map"):
            stops = [_stop(engine, part) for part in x.in_step]
            return functools.reduce(smaller, stops)
        if x.kind == "range":
            start, stop, step = x.items
            if isinstance(step, Const) and step.value == 1:
                return plain(engine.rules.binary(engine, "sub", stop, start))
    return plain(length(engine, x))


def unchanged(engine: Engine, content: ObjectCell) -> None:
    """Raise where the container that an iterator reads has another size than it had."""
    items, at = content.fields["items"], content.fields["at"]
    if items is not unwatched(items):
        has_item(engine, items, at)


def _is_listed(engine: Engine, x: Any) -> bool:
    """Whether it is a list of known length, which may be another one later."""
    return isinstance(x, Ref) and isinstance(content_of(engine, x), ListCell)


def _reversed_length(engine: Engine, items: Any, size: Any) -> Any:
    """None are left of a list that got shorter: the first place asked for is not there."""
    shorter = _is_listed(engine, items) and length(engine, items).value < size.value
    return Const(0) if shorter else size


def _has_reversed(engine: Engine, x: Compound, i: Any, asked: Any) -> Any:
    items, size = x.items
    if isinstance(items, Compound) and items.kind in TESTS:
        return TESTS[items.kind](engine, items, i, asked)
    more = engine.rules.compare(engine, "lt", i, size)
    if columnar.found(engine.heap, items) is None and not _is_listed(engine, items):
        return more
    now = length(engine, items)
    if now == size:
        return more
    place = engine.rules.binary(engine, "sub", size, i)  # counted from 1
    there = engine.rules.compare(engine, "le", place, now)
    return engine.rules.both(engine, more, there)


@rule(support.item)
def item(engine: Engine, x: Any, i: Any) -> Any:
    """Item `i` of a sequence, which is in range."""
    if coroutines.is_generator(x):
        return coroutines.current(engine, x)
    if isinstance(x, Const) and isinstance(x.value, range) and not isinstance(i, Const):
        x = with_bounds(x)
    if isinstance(x, Compound):
        if x.kind in ITEMS:
            return ITEMS[x.kind](engine, x, i)
        match x.kind:
            case "range":
                with engine.unchecked():
                    return range_item(engine, x, i)
            case "zip":
                return Tuple(tuple([item(engine, s, i) for s in x.items]))
            case "enumerate":
                number = engine.rules.binary(engine, "add", x.items[1], i)
                return Tuple((number, item(engine, x.items[0], i)))
            case "reversed":
                return item(engine, x.items[0], from_end(engine, x.items[1], i))
            case "map":
                function, given = x.items[0], [item(engine, s, i) for s in x.items[1:]]
                if len(given) <= len(_APPLIED) and any(is_variant(v, "mixed") for v in given):
                    return call(engine, Const(_APPLIED[len(given) - 1]), [function, *given], {})
                return call(engine, function, given, {})
    if isinstance(content_of(engine, x), Array):
        i = _known_in_range(engine, x, i)
    with engine.unchecked():
        return get_item(engine, x, i)


def iterate(engine: Engine, x: Any) -> list[Any]:
    """All items of `x`, whose number must be known."""
    found = sequence(engine, x)
    read_all(engine, x)
    if coroutines.is_generator(found):
        coroutines.set_read(engine, found, False)
        found = call(engine, Const(list), [found], {})
    if (grown := columnar.found(engine.heap, found)) is not None:
        if isinstance(reading.length(engine, grown), Scalar):
            engine.content(found)  # refuses
    items = arrays.items_of(engine, found)
    if items is not None:
        return [using.moved(engine, i) for i in items]
    count = engine.static(length(engine, found), "the number of items")
    return [item(engine, found, Const(i)) for i in range(count)]


def _known_in_range(engine: Engine, x: Any, i: Any) -> Any:
    """Position `i` of the array `x`, which is in range."""
    if isinstance(i, Scalar):
        shape, _ = arrays.shown(engine, x)
        return Scalar(i.value, extent.meet(extent.fact(i), 0, max(shape[0] - 1, 0)))
    return i
