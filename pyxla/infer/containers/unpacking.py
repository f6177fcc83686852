"""`a, b = items` and `a, *b = items`: as many items as there are names; no more than one beyond
them of what is read once, as in CPython."""

from __future__ import annotations

import sys
from typing import Any

from pyxla.abstract.heap import ListCell, ObjectCell
from pyxla.abstract.lattice import Compound, Const, Tuple
from pyxla.frontend.support import Open
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.coroutines import is_generator, set_read
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.indexing import content_of, get_item
from pyxla.infer.containers.iterators import state_of
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.structure import first_items, is_iterator, item, iterate, rest, sequence
from pyxla.infer.containers.watched import resumed
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar
from pyxla.lib import sequences


def unpacked(engine: Engine, x: Any, before: int, after: int, starred: bool) -> Any:
    """What the names get: those `before` a star, the list that it gets, those `after` it."""
    x = _of_all(engine, x, before, before + after) if starred else _of_few(engine, x, before)
    sized = columnar.found(engine.heap, x) is not None or arrays.is_array(engine, x)
    if (sized or getattr(x, "kind", "") == "transposed") and unknown(engine, x):
        return _of_unknown_length(engine, x, before, after, starred)
    items = list(iterate(engine, x))
    if isinstance(x, Tuple) and x.cls is Open:
        items = [resumed(engine, item) for item in items]
    if not starred:
        if len(items) != before:
            word = "too many" if len(items) > before else "not enough"
            told = len(items) < before or sys.version_info >= (3, 14)
            got = f", got {len(items)}" if told else ""
            message = f"{word} values to unpack (expected {before}{got})"
            return engine.raise_constant(ValueError(message))
        return items[0] if before == 1 else items
    if len(items) < before + after:
        least = f"at least {before + after}, got {len(items)}"
        message = f"not enough values to unpack (expected {least})"
        return engine.raise_constant(ValueError(message))
    middle = engine.new(ListCell(tuple(items[before : len(items) - after])))
    found = [*items[:before], middle, *items[len(items) - after :]]
    return found[0] if len(found) == 1 else found


def _of_all(engine: Engine, x: Any, before: int, least: int) -> Any:
    """All items of `x`, for names of which one has a star."""
    if is_iterator(engine, x):
        return call(engine, Const(sequences.unpacked), [x, Const(before), Const(least)], {})
    once = state_of(engine, x) is not None
    if is_generator(x) or ((once or isinstance(x, Compound)) and unknown(engine, x)):
        return call(engine, Const(list), [x], {})
    return x


def _of_few(engine: Engine, x: Any, count: int) -> Any:
    """`x`, or as many items of what is read once."""
    content = content_of(engine, x)
    once = state_of(engine, x) is not None
    if isinstance(content, ObjectCell) and not once and not is_iterator(engine, x):
        x = sequence(engine, x)
        if is_generator(x):
            set_read(engine, x, False)
    if once and getattr(content.fields["items"], "kind", "") == "transposed":
        return rest(engine, x)  # columns, which may be of several types
    if once and not unknown(engine, x):
        return Tuple(tuple(first_items(engine, x, count + 1)))
    if (
        once
        or is_generator(x)
        or is_iterator(engine, x)
        or (isinstance(x, Compound) and unknown(engine, x))
    ):
        return call(engine, Const(sequences.first_of), [x, Const(count)], {})
    return x


def _of_unknown_length(engine: Engine, x: Any, before: int, after: int, starred: bool) -> Any:
    """The parts of a list of unknown length."""
    call(engine, Const(sequences.check_unpacked), [x, Const(before + after), Const(starred)], {})
    with engine.unchecked():
        first = [item(engine, x, Const(i)) for i in range(before)]
        if starred:
            middle = get_item(engine, x, Const(slice(before, -after or None)))
            first += [call(engine, Const(list), [middle], {})]
            first += [get_item(engine, x, Const(i)) for i in range(-after, 0)]
    return first[0] if len(first) == 1 else first
