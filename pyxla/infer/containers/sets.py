"""Methods of sets of constants."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.abstract.heap import SetCell, Step
from pyxla.abstract.lattice import Const
from pyxla.guards.places import is_steady
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers import steps, tables
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.containers.making import constants_of, read_once
from pyxla.infer.containers.methods import of_tables
from pyxla.infer.engine import Engine

_MAKING = ("union", "intersection", "difference", "symmetric_difference", "copy")
_TESTS = ("issubset", "issuperset", "isdisjoint")
_UPDATES = ("update", *(f"{name}_update" for name in _MAKING[1:4]))


def set_method(name: str, engine: Engine, x: Any, *others: Any) -> Any:
    """A method that takes other collections."""
    content = content_of(engine, x)
    others = tuple([read_once(engine, other) for other in others])
    args = [constants_of(engine, other) for other in others]
    if None in args:
        return _by_table(name, engine, x, content, others)
    step = Step(name, tuple(args))
    try:
        if name in _TESTS:
            return Const(getattr(steps.actual(content), name)(*map(steps.given, args)))
        found = steps.after(content, step)
    except Exception as error:  # noqa: BLE001 - whatever CPython raises, the program raises
        return engine.raise_constant(error)
    if name in _MAKING:
        return tables.made(engine, found)
    engine.set_content(x.cell, found)
    return Const(None)


def _by_table(name: str, engine: Engine, x: Any, content: SetCell, others: Any) -> Any:
    """The method of a set whose items data decides."""
    table = tables.table_of(engine.heap, content)
    if name in _UPDATES:
        engine.set_content(x.cell, table)
        return call(engine, Const(getattr(table.cls, name)), [x, *others], {})
    return call(engine, Const(getattr(table.cls, name)), [engine.new(table), *others], {})


@of_tables(set.add)
def _add(engine: Engine, x: Any, item: Any) -> Any:
    return _step(engine, x, Step("add", (engine.key(item),)))


@of_tables(set.discard)
def _discard(engine: Engine, x: Any, item: Any) -> Any:
    return _step(engine, x, Step("discard", (engine.key(item),)))


@of_tables(set.remove)
def _remove(engine: Engine, x: Any, item: Any) -> Any:
    known = engine.key(item)
    if known not in content_of(engine, x).items:
        return engine.raise_constant(KeyError(known))
    return _step(engine, x, Step("discard", (known,)))


@of_tables(set.clear)
def _clear(engine: Engine, x: Any) -> Any:
    return _step(engine, x, Step("clear"))


@of_tables(set.pop)
def _pop(engine: Engine, x: Any) -> Any:
    content = content_of(engine, x)
    if not content.items:
        return engine.raise_constant(KeyError("pop from an empty set"))
    if content.steps is None:
        raise engine.refuse(steps.DISORDER, steps.SORT)
    held = steps.actual(content)
    steady = all(map(is_steady, held))
    item = held.pop() if steady else steps.ordered(held)[0]
    _step(engine, x, Step("pop") if steady else Step("discard", (item,)))
    return Const(item)


def _step(engine: Engine, x: Any, step: Step) -> Const:
    engine.set_content(x.cell, steps.after(content_of(engine, x), step))
    return Const(None)


for _name in (*_MAKING, *_TESTS, *_UPDATES):
    of_tables(getattr(set, _name))(functools.partial(set_method, _name))
