"""Functions of sequences: those of functools and itertools, `iter` and `next`."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import sys
from typing import Any

from pyxla.abstract.heap import ObjectCell, SequenceIterator
from pyxla.abstract.lattice import Compound, Const, Ref, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.library import call_library
from pyxla.infer.calls.standard import READERS
from pyxla.infer.calls.visiting import call_method, special
from pyxla.infer.containers import structure, tables
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.containers.iterators import (
    in_steps,
    iterator,
    position,
    set_state,
    state_of,
    unwatched,
)
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.watched import read
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, number_lists
from pyxla.infer.raising.refusals import need
from pyxla.lib import heaps, interpreted, sequences
from pyxla.lib.iterators import next_or
from pyxla.lib.registry import REGISTRY, rule


def _is_counted_by_data(engine: Engine, x: Any) -> bool:
    """Whether the number of items is known at run time only: a loop of the program reads them."""
    return columnar.found(engine.heap, x) is not None or unknown(engine, x)


@rule(functools.reduce)
def _reduce(engine: Engine, function: Any, x: Any, *initial: Any) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[functools.reduce]), [function, x, *initial], {})
    items = [*initial, *structure.iterate(engine, x)]
    if not items:
        message = "reduce() of empty iterable with no initial value"
        return engine.raise_constant(TypeError(message))
    return functools.reduce(lambda a, b: call(engine, function, [a, b], {}), items)


@rule(math.prod)
def _prod(engine: Engine, x: Any, *, start: Any = Const(1)) -> Any:
    if not arrays.is_array(engine, x) and unknown(engine, x):
        return call(engine, Const(sequences.product), [tables.unordered(engine, x), start], {})
    if not arrays.is_array(engine, x):
        times = functools.partial(engine.rules.binary, engine, "mul")
        return functools.reduce(times, structure.iterate(engine, x), start)
    return call_library(engine, math.prod, REGISTRY[math.prod], [x], {"start": start})


@rule(math.fsum)
def _fsum(engine: Engine, x: Any) -> Any:
    if not arrays.is_array(engine, x) and unknown(engine, x):
        x = call(engine, Const(list), [tables.unordered(engine, x)], {})
    x = number_lists.by_value(engine, x)
    return call_library(engine, math.fsum, REGISTRY[math.fsum], [x], {})


@rule(heapq.merge)
def _merge(engine: Engine, *xs: Any, **options: Any) -> Any:
    classes = [getattr(content_of(engine, x), "cls", None) for x in xs]
    once = [cls is SequenceIterator or hasattr(cls, "__next__") for cls in classes]
    if any(once) or any(map(coroutines.is_generator, xs)):
        raise engine.refuse("heapq.merge reads iterators in turn", "make lists of them before")
    return call(engine, Const(heaps.merge), list(xs), options)


@rule(itertools.tee)
def _tee(engine: Engine, x: Any, n: Any = Const(2)) -> Any:
    if state_of(engine, x) is not None or coroutines.is_generator(x):
        x = call(engine, Const(list), [x], {})
    items = structure.sequence(engine, x)
    return Tuple(tuple([iterator(engine, items) for _ in range(engine.static(n, "n"))]))


@rule(itertools.repeat)
def _repeat(engine: Engine, object: Any, times: Any = None) -> Any:
    given = [object] if times is None else [object, times]
    return call(engine, Const(interpreted.repeat), given, {})


@rule(iter)
def _iter(engine: Engine, x: Any, *sentinel: Any) -> Any:
    if sentinel:
        return call(engine, Const(interpreted.until), [x, *sentinel], {})
    return _iterator(engine, x, pooled=True)


def _iterator(engine: Engine, x: Any, pooled: bool = False) -> Any:
    if coroutines.is_generator(x):
        return x
    if state_of(engine, x) is not None:
        return x
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and _makes_iterators(content.cls):
        made = special(engine, x, "__iter__", ())
        if made is not None:
            found = content_of(engine, made)
            steps = isinstance(found, ObjectCell) and hasattr(found.cls, "__next__")
            return made if steps else _iterator(engine, made, pooled)
    items = read(engine, x)
    pooled = pooled and (not isinstance(items, Compound) or items.kind == "range")
    return in_steps(engine, items, pooled) or iterator(engine, items)


def _makes_iterators(cls: type) -> bool:
    """Whether the `__iter__` of a class is the user's, or that of an iterator."""
    return not cls.__module__.startswith("pyxla.") or hasattr(cls, "__next__")


@rule(next)
def _next(engine: Engine, x: Any, *default: Any) -> Any:
    """Of an iterator: its first item."""
    need(engine, x, ["__next__"], "is not an iterator", "{!r} object is not an iterator")
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and hasattr(content.cls, "__next__"):
        if default:
            return call(engine, Const(next_or), [x, *default], {})
        return call_method(engine, x, "__next__")
    at, source = 0, x
    if (state := state_of(engine, x)) is not None:
        at, source = position(engine, x, state), state.fields["items"]
        structure.unchanged(engine, state)
        source = unwatched(source)
        set_state(engine, x, at=Const(at + 1))
    else:
        source = structure.sequence(engine, x)
    items = arrays.items_of(engine, source)
    if items is None:
        size = structure.length(engine, source)
        if unknown(engine, source) and default:
            if state is not None and isinstance(source, Ref):  # it may have ended, and get longer
                set_state(engine, x, at=Const(None))
            return call(engine, Const(sequences.item_or), [source, Const(at), *default], {})
        if unknown(engine, source):
            there = engine.rules.compare(engine, "gt", size, Const(at))
            engine.ensure(there, StopIteration())
            return structure.item(engine, source, Const(at))
        size = engine.static(size, "the number of items")
        found = at < size
        return structure.item(engine, source, Const(at)) if found else _stopped(engine, x, default)
    return items[at] if at < len(items) else _stopped(engine, x, default)


def _stopped(engine: Engine, x: Any, default: tuple[Any, ...]) -> Any:
    """What `next` does at the end of an iterator, which has nothing more, whatever is appended."""
    if state_of(engine, x) is not None:
        set_state(engine, x, at=Const(sys.maxsize))
    return default[0] if default else engine.raise_constant(StopIteration())
