"""Copies of containers, arrays and instances, and records made of instances."""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, RowList, SetCell
from pyxla.abstract.lattice import NONE, Array, Const, Ref, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import class_of, special
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, entries, reading
from pyxla.infer.lists.items import holds_instances
from pyxla.lib.registry import rule


@rule(copy.copy)
def _copied(engine: Engine, x: Any) -> Any:
    made = _as_defined(engine, x, "__copy__")
    return _copy(engine, x) if made is None else made


@rule(list.copy, dict.copy)
def _copy(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is not None:
        return x if grown.cls is tuple else reading.copied(engine, grown)
    content = content_of(engine, x)
    if isinstance(content, Array):
        return x if engine.is_jax(x) else arrays.fresh(engine, arrays.read(engine, x))
    if content is None:
        return x
    if isinstance(content, DictCell | SetCell):
        return tables.made(engine, content)
    if not isinstance(content, ObjectCell):
        return engine.new(content)
    if (over := getattr(content.cls, "__pyxla_sequence__", None)) in content.fields:
        held = _copy(engine, content.fields[over])  # what a deque, say, is over is its own
        content = ObjectCell(content.cls, {**content.fields, over: held})
    return entries.entered(engine, engine.new(content))


def _as_defined(engine: Engine, x: Any, name: str, *args: Any) -> Any:
    """What the class of `x` makes in the place of a copy; None where it says nothing of that.

    https://docs.python.org/3/library/copy.html
    """
    if (cls := class_of(engine, x)) is None:
        return None
    if isinstance(engine.captures.member(cls, name), FunctionType):
        return special(engine, x, name, args)
    pickled = partial(_pickles, engine, cls)
    if isinstance(x, Ref) and (found := next(filter(pickled, _PICKLING), None)):
        raise engine.refuse(
            f"instances of {cls.__name__} are copied as its {found} says",
            f"give it a method {name}, or copy its fields one by one",
        )
    return None


_PICKLING = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs_ex__")


def _pickles(engine: Engine, cls: type, name: str) -> bool:
    """Whether the class has this method itself, not from the standard library, as slots have."""
    found = engine.captures.member(cls, name)
    return isinstance(found, FunctionType) and found.__module__ not in sys.stdlib_module_names


class _Memo:
    """What `__deepcopy__` is given: the copies so far, by cell."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}

    def get(self, engine: Engine, x: Ref) -> Any:
        """The copy of `x`, if it was made on the way here, and not in an earlier pass of a loop."""
        found = self.made.get(x.cell)
        gone = isinstance(found, Ref) and found.cell not in engine.heap.contents
        return None if gone else found


@rule(copy.deepcopy)
def _deepcopy(engine: Engine, x: Any, memo: Any = NONE) -> Any:
    if isinstance(memo, Const) and isinstance(memo.value, _Memo):
        return _deeply(engine, x, memo.value)
    if type(engine.heap.contents.get(getattr(x, "cell", None))) is RowList and memo == NONE:
        return _grown_copied(engine, x)
    if memo != NONE and engine.content(memo) != DictCell({}):
        raise engine.refuse("deepcopy with copies made before", "leave `memo` out")
    return _deeply(engine, x, _Memo())


def _deeply(engine: Engine, x: Any, memo: _Memo) -> Any:
    """A copy of `x` and all that is in it."""
    made = memo.made
    if isinstance(x, Tuple):
        copied = _as_defined(engine, x, "__deepcopy__", Const(memo))
        return copied or Tuple(tuple([_deeply(engine, i, memo) for i in x.items]), x.cls)
    if not isinstance(x, Ref) or x.view:
        return _copy(engine, x)
    if (found := memo.get(engine, x)) is not None:
        return found
    if (own := _as_defined(engine, x, "__deepcopy__", Const(memo))) is not None:
        made[x.cell] = own
        return own
    row, content = engine.heap.contents[x.cell], content_of(engine, x)
    if type(row) is RowList and row.cls is None:  # of the copy of what it is in
        made[x.cell] = engine.new(
            dataclasses.replace(row, parent=_deeply(engine, row.parent, memo))
        )
    elif isinstance(content, ListCell | DictCell | ObjectCell):
        made[x.cell] = engine.new(content)  # which may be in it
        engine.set_content(made[x.cell].cell, _parts_copied(engine, content, memo))
        if isinstance(content, ObjectCell):
            made[x.cell] = entries.entered(engine, made[x.cell])
    else:
        made[x.cell] = _grown_copied(engine, x)
    return made[x.cell]


def _parts_copied(engine: Engine, content: Any, memo: _Memo) -> Any:
    match content:
        case ListCell(items):
            return ListCell(tuple([_deeply(engine, i, memo) for i in items]))
        case DictCell(items):
            return content.holding({k: _deeply(engine, v, memo) for k, v in items.items()})
        case _:
            fields = {k: _deeply(engine, v, memo) for k, v in content.fields.items()}
            return ObjectCell(content.cls, fields)


def _grown_copied(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is None:
        return _copy(engine, x)
    if holds_instances(grown.item):
        raise engine.refuse("deepcopy of a list of instances, or lists", "copy them one by one")
    return reading.copied(engine, grown, deep=True, cls=grown.cls)


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
    content = content_of(engine, x)
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
