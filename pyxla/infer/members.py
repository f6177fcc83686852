"""Attributes of what is one of several members of an enum, or classes: `state.value`, where data
decides which state it is."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any

from pyxla.abstract.lattice import Compound, Const, Variant, is_number
from pyxla.infer.calls.dispatch import call
from pyxla.infer.classes import is_python
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, folded
from pyxla.infer.lists import choosing

_NAMES = ("__name__", "__qualname__")


def of_choice(engine: Engine, x: Variant, name: str) -> Any:
    """`x.name`: a method is called with `x` itself, other attributes are looked up by which it
    is."""
    values = x.values
    if folded.is_one_of_texts(x) and callable(found := getattr(type(values[0]), name, None)):
        return Compound("method", (Const(found), x))
    if all(isinstance(v, type) for v in values) and name in _NAMES:
        return _looked_up(engine, x, name)
    if not all(isinstance(v, Enum) for v in values):
        return engine.use(x.conflict)
    found = {id(f): f for f in [inspect.getattr_static(type(v), name, None) for v in values]}
    descriptor = next(iter(found.values())) if len(found) == 1 else None
    if is_python(descriptor):
        return Compound("method", (engine.captures.abstract(engine, descriptor), x))
    if type(descriptor) is property and name not in ("name", "value"):
        return call(engine, engine.captures.abstract(engine, descriptor.fget), [x], {})
    return _looked_up(engine, x, name)


def _looked_up(engine: Engine, x: Variant, name: str) -> Any:
    entries = [getattr(value, name, None) for value in x.values]
    if all(type(entry) is int for entry in entries):
        return choices.lookup(x, entries)
    if all(type(entry) is str for entry in entries):
        return choices.one_of_these(x.tag, entries, x.conflict)
    items = tuple([Const(entry) for entry in entries])
    if all(map(is_number, items)) or all(type(entry) is tuple for entry in entries):
        found = choosing.picked(engine, items, x.tag)
        if found is not None:
            return found
    return engine.use(x.conflict)
