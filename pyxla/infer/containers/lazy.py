"""`zip`, `enumerate`, `map` and `reversed`: items are made when they are asked for."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Compound, Const, Ref, plain
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import class_of, special
from pyxla.infer.classes import is_python
from pyxla.infer.containers.indexing import get_item
from pyxla.infer.containers.iterators import LAZY, USED_UP, iterator, made, state_of, unwatched
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.structure import ITEMS, LENGTHS, length, rest, sequence
from pyxla.infer.containers.watched import read
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar
from pyxla.infer.lists.item_types import Row
from pyxla.infer.lists.pools import is_container
from pyxla.lib import sequences
from pyxla.lib.interpreted import backwards
from pyxla.lib.registry import rule
from pyxla.lib.zipping import zip_strictly


@rule(zip)
def _zip(engine: Engine, *xs: Any, strict: Any = None) -> Any:
    if not xs:
        return Const(())
    if len(xs) > 1 and state_of(engine, xs[0]) is not None:
        if all(isinstance(x, Ref) and x.cell == xs[0].cell for x in xs) and strict is None:
            return _in_turn(engine, rest(engine, xs[0]), len(xs))
    if strict is not None and engine.static(strict, "whether zip is strict"):
        parts = [sequence(engine, x) for x in xs]
        if any(map(coroutines.is_generator, parts)):
            return _lazy(engine, zip, tuple(parts), strict=strict)
        lengths = [length(engine, x) for x in parts]
        sizes = list(map(plain, lengths))
        if any(extent.difference(sizes[0], n) != 0 for n in sizes[1:]):
            return call(engine, Const(zip_strictly), parts, {})
        return _lazy(engine, zip, tuple(parts))
    return _lazy(engine, zip, tuple([read(engine, x) for x in xs]))


def _in_turn(engine: Engine, items: Any, count: int) -> Any:
    """`zip(it, it, ...)` of one iterator over `items`, which takes one after the other."""
    return _lazy(engine, zip, tuple([_every(engine, items, k, count) for k in range(count)]))


def _every(engine: Engine, items: Any, first: int, step: int) -> Any:
    """`items[first::step]`."""
    if isinstance(items, Compound) and items.kind == "range":
        start, stop, own = items.items
        times = functools.partial(engine.rules.binary, engine, "mul", own)
        begin = engine.rules.binary(engine, "add", start, times(Const(first)))
        return Compound("range", (begin, stop, times(Const(step))))
    if isinstance(items, Compound) and items.kind in LENGTHS:
        raise engine.refuse(USED_UP, "make a list of it first", remedy="unrolled")
    return sequence(engine, get_item(engine, items, Const(slice(first, None, step))))


@rule(enumerate)
def _enumerate(engine: Engine, x: Any, start: Any = Const(0)) -> Any:
    return _lazy(engine, enumerate, (read(engine, x), start))


def _lazy(engine: Engine, kind: type, parts: tuple[Any, ...], **options: Any) -> Any:
    """`kind(*parts)` of sequences, item by item; of a generator another generator."""
    found = [x for x in parts if coroutines.is_generator(x)]
    if not found:
        return made(engine, kind.__name__, parts)
    for x in found:
        coroutines.set_read(engine, x, False)
    return call(engine, Const(kind), [unwatched(x) for x in parts], options)


@rule(reversed)
def _reversed(engine: Engine, x: Any) -> Any:
    cls = class_of(engine, x)
    if cls is not None and not is_container(cls):
        own = engine.captures.member(cls, "__reversed__")
        if is_python(own):
            return special(engine, x, "__reversed__", ())
        if own is None and engine.captures.member(cls, "__getitem__") is not None:
            return call(engine, Const(backwards), [x], {})
    found = read(engine, x, backwards=True)  # which may get longer
    return made(engine, "reversed", (found, length(engine, found)))


@rule(map)
def _map(engine: Engine, function: Any, *xs: Any) -> Any:
    return _lazy(engine, map, (function, *[read(engine, x) for x in xs]))


def zipped(engine: Engine, rows: Any) -> Any:
    """`zip(*rows)`: tuples of as many items as there are rows; None where that number is known."""
    if not unknown(engine, rows):
        return None
    taken = call(engine, Const(list), [rows], {})  # whatever becomes of the list that they were in
    return iterator(engine, Compound("transposed", (taken,)), LAZY["zip"])


def _length(engine: Engine, x: Compound) -> Any:
    return call(engine, Const(sequences.shortest), list(x.items), {})


def _item(engine: Engine, x: Compound, i: Any) -> Any:
    item = getattr(columnar.found(engine.heap, x.items[0]), "item", None)
    if isinstance(item, Row) and any(part != item.items[0] for part in item.items):
        i = Const(engine.static(i, "which column, where they are of several types,"))
    with engine.unchecked():
        column = call(engine, Const(sequences.column), [*x.items, i], {})
    return call(engine, Const(tuple), [column], {})


LENGTHS["transposed"] = _length
ITEMS["transposed"] = _item
