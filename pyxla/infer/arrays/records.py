"""Structured arrays that programs make (`lib.records`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import ListCell, ObjectCell
from pyxla.abstract.lattice import Const, Ref, Tuple, taken_apart
from pyxla.infer.engine import Engine
from pyxla.lib import objects
from pyxla.lib.records import (
    FIELD,
    FUNCTIONS,
    NamedRecords,
    Record,
    Records,
    build,
    column,
    element,
    is_names,
    is_structured,
    part,
    records,
)
from pyxla.lib.registry import rule

_FILLED = (np.zeros, np.empty, np.ones)
_FUNCTIONS = FUNCTIONS.keys() | objects.FUNCTIONS.keys()


def created(engine: Engine, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`function(..., dtype)` where the dtype has fields; None where this is no such call."""
    if function not in _FILLED and function is not np.array:
        return None
    dtype = _with_fields(engine, kwargs.get("dtype", args[1] if len(args) > 1 else None))
    if dtype is None:
        return None
    cls = records(dtype)
    if cls is None or set(kwargs) - {"dtype"} or len(args) > 2:
        raise engine.refuse(
            f"structured arrays of {dtype} are not made so in compiled code",
            "use fields that are plain numbers, of names that arrays do not have as attributes",
        )
    names = dtype.names or ()
    given = [args[0]] * len(names)
    if function is np.array:
        rows = [taken_apart(row) for row in engine.iterate(args[0])]
        if not all(isinstance(row, Tuple) and len(row.items) == len(names) for row in rows):
            raise engine.refuse("a structured array is made of a list of tuples")
        given = [engine.new_list([row.items[i] for row in rows]) for i in range(len(names))]
    fields = zip(given, [dtype[name] for name in names], strict=True)
    return _build(engine, cls, [_column(engine, function, x, field) for x, field in fields])


def _column(engine: Engine, function: Any, x: Any, field: np.dtype) -> Any:
    """The array of one field; x: its elements, or the shape of the structured array."""
    given = {"dtype": Const(field.base)}
    if not field.ndim or function is np.array:
        return engine.rules.call(engine, Const(function), [x], given)
    inner = Tuple(tuple(map(Const, field.shape)))
    return engine.rules.call(engine, Const(column), [Const(function), x, inner], given)


def applied(engine: Engine, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What one of NumPy's functions gives for structured arrays and arrays of objects; None where
    this is no such call, or has other options."""
    if function not in _FUNCTIONS or not args:
        return None
    first = taken_apart(args[0])
    held = engine.heap.contents.get(first.cell) if isinstance(first, Ref) else first
    if isinstance(held, ListCell | Tuple) and held.items:
        first = held.items[0]
    content = engine.heap.contents.get(first.cell) if isinstance(first, Ref) else None
    cls = content.cls if isinstance(content, ObjectCell) else None
    own = getattr(cls, "__pyxla_functions__", {}).get(function)
    if own is None:
        return None
    names = own.__code__.co_varnames[: own.__code__.co_argcount]
    if len(args) > len(names) or set(kwargs) - set(names[len(args) :]):
        return None
    return engine.rules.call(engine, Const(own), args, kwargs)


def _build(engine: Engine, cls: Any, columns: Sequence[Any]) -> Any:
    names = [FIELD + name for name in cls.__pyxla_names__]
    return engine.new(ObjectCell(cls, dict(zip(names, columns, strict=True))))


@rule(build)
def _built(engine: Engine, cls: Any, columns: Any) -> Any:
    return _build(engine, cls.value, engine.iterate(columns))


@rule(is_names)
def _is_names(engine: Engine, key: Any) -> Any:
    content = engine.content(key) if isinstance(key, Ref) else None
    first = content.items[0] if isinstance(content, ListCell) and content.items else None
    return Const(isinstance(first, Const) and isinstance(first.value, str))


@rule(part)
def _part(engine: Engine, array: Any, names: Any) -> Any:
    content = engine.content(array)
    found = [engine.static(name) for name in engine.iterate(names)]
    try:
        dtype = content.cls.__pyxla_dtype__[found]
    except (KeyError, ValueError) as error:
        return engine.raise_constant(error)
    cls = records(dtype, issubclass(content.cls, NamedRecords))
    return _build(engine, cls, [content.fields[FIELD + name] for name in found])


@rule(element)
def _element(engine: Engine, array: Any, at: Any) -> Any:
    cls = engine.content(array).cls.__pyxla_element__
    return engine.new(ObjectCell(cls, {"__pyxla_array__": array, "__pyxla_at__": at}))


@rule(is_structured)
def _is_structured(engine: Engine, x: Any, array: Any) -> Any:
    content = engine.content(x) if isinstance(x, Ref) else None
    cls = content.cls if isinstance(content, ObjectCell) else type(None)
    return Const(issubclass(cls, Records if array.value else Record))


def _with_fields(engine: Engine, x: Any) -> np.dtype | None:
    """The dtype that an argument says, if it has fields."""
    if x is None:
        return None
    try:
        known = engine.python_object(x)
        dtype = np.dtype(known) if isinstance(known, np.dtype | list) else None
    except (LookupError, TypeError, ValueError):
        return None
    return dtype if dtype is not None and dtype.names else None
