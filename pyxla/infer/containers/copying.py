"""Copies of containers, arrays and instances, and records made of instances."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import by_items
from pyxla.infer.engine import Engine
from pyxla.infer.heap import DictCell, ListCell, ObjectCell, SetCell
from pyxla.infer.lattice import Array, Const, Ref, Tuple
from pyxla.infer.lists import columnar, number_lists, pools, reading
from pyxla.infer.lists.items import holds_instances
from pyxla.lib.registry import rule


@rule(list.copy, dict.copy, copy.copy)
def _copy(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is not None:
        return reading.copied(engine, grown)
    if (kept := number_lists.flat(engine, x)) is not None:
        return number_lists.copied(engine, kept)
    content = by_items(engine, x)
    if isinstance(content, Array):
        return x if engine.is_jax(x) else arrays.fresh(engine, arrays.read(engine, x))
    if content is None:
        return x
    if isinstance(content, DictCell | SetCell):
        return tables.made(engine, content)
    made = engine.new(content)
    return pools.entered(engine, made) if isinstance(content, ObjectCell) else made


@rule(copy.deepcopy)
def _deepcopy(engine: Engine, x: Any) -> Any:
    return _deeply(engine, x, {})


def _deeply(engine: Engine, x: Any, made: dict[int, Any]) -> Any:
    """A copy of `x` and all that is in it; `made`: the copies so far, by cell."""
    if isinstance(x, Tuple):
        return Tuple(tuple([_deeply(engine, i, made) for i in x.items]), x.cls)
    if not isinstance(x, Ref) or x.view:
        return _copy(engine, x)
    if x.cell not in made:
        kept = number_lists.packed(engine.heap, x)
        content = None if kept is not None else by_items(engine, x)
        if kept is not None:
            made[x.cell] = number_lists.copied_deeply(engine, kept, made)
        elif isinstance(content, ListCell | DictCell | ObjectCell):
            made[x.cell] = engine.new(content)  # which may be in it
            engine.set_content(made[x.cell].cell, _parts_copied(engine, content, made))
            if isinstance(content, ObjectCell):
                made[x.cell] = pools.entered(engine, made[x.cell])
        else:
            made[x.cell] = _grown_copied(engine, x)
    return made[x.cell]


def _parts_copied(engine: Engine, content: Any, made: dict[int, Any]) -> Any:
    match content:
        case ListCell(items):
            return ListCell(tuple([_deeply(engine, i, made) for i in items]))
        case DictCell(items):
            return content.holding({k: _deeply(engine, v, made) for k, v in items.items()})
        case _:
            fields = {k: _deeply(engine, v, made) for k, v in content.fields.items()}
            return ObjectCell(content.cls, fields)


def _grown_copied(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is None:
        return _copy(engine, x)
    if holds_instances(grown.item):
        raise engine.refuse("deepcopy of a list of instances, or lists", "copy them one by one")
    return reading.copied(engine, grown, deep=True)


@rule(dataclasses.asdict)
def _asdict(engine: Engine, x: Any, *, dict_factory: Any = Const(dict)) -> Any:
    def record(fields: dict[str, Any]) -> Any:
        if isinstance(dict_factory, Const) and dict_factory.value is dict:
            return engine.new(DictCell(fields))
        pairs = [Tuple((Const(name), value)) for name, value in fields.items()]
        return call(engine, dict_factory, [engine.new(ListCell(tuple(pairs)))], {})

    return _rebuilt(engine, x, record)


@rule(dataclasses.astuple)
def _astuple(engine: Engine, x: Any, *, tuple_factory: Any = Const(tuple)) -> Any:
    def record(fields: dict[str, Any]) -> Any:
        if isinstance(tuple_factory, Const) and tuple_factory.value is tuple:
            return Tuple(tuple(fields.values()))
        return call(engine, tuple_factory, [engine.new(ListCell(tuple(fields.values())))], {})

    return _rebuilt(engine, x, record)


def _rebuilt(engine: Engine, x: Any, record: Callable[[dict[str, Any]], Any]) -> Any:
    """A copy of an instance, and of what is in it, with records in the place of instances."""
    content = by_items(engine, x)
    if isinstance(content, ObjectCell) and dataclasses.is_dataclass(content.cls):
        names = [f.name for f in dataclasses.fields(content.cls)]
        return record({n: _rebuilt(engine, content.fields[n], record) for n in names})
    if isinstance(x, Tuple):
        return Tuple(tuple([_rebuilt(engine, i, record) for i in x.items]), x.cls)
    if type(content) is ListCell:
        return engine.new(ListCell(tuple([_rebuilt(engine, i, record) for i in content.items])))
    if type(content) is DictCell:
        items = {k: _rebuilt(engine, v, record) for k, v in content.items.items()}
        return engine.new(content.holding(items))
    return _deepcopy(engine, x)
