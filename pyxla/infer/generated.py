"""The methods that `@dataclass` generates: `__init__`, `__repr__`, `__eq__`, `__hash__`, those that
order."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Const, Ref, Tuple
from pyxla.errors import Location
from pyxla.hints import similar
from pyxla.infer.calls.dispatch import call, call_object
from pyxla.infer.calls.spelled import equality_of, holds
from pyxla.infer.classes import is_generated, is_python
from pyxla.infer.engine import Engine
from pyxla.infer.joins import kinds
from pyxla.infer.lists import columnar, pool_rows, shared
from pyxla.lib.interpreted import fields_shown


def called(
    engine: Engine, cls: type, name: str, x: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The result of a method that `@dataclass` made."""
    if name == "__init__":
        _dataclass_init(engine, cls, x, args, kwargs)
        return Const(None)
    fields = [f.name for f in dataclasses.fields(cls) if f.compare]
    content = engine.content(x)
    found = args and isinstance(args[0], Ref) and columnar.found(engine.heap, args[0]) is None
    other = engine.content(args[0]) if found else None
    if name in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__"):
        if not isinstance(other, ObjectCell) or other.cls is not content.cls:
            return Const(NotImplemented)
        if name == "__eq__" and x.cell == args[0].cell:  # its fields are the same objects
            return Const(True)
        rows = [[c.fields[f] for f in fields] for c in (content, other)]
        pooled = pool_rows.class_of_row(engine.heap, x) is cls
        if name == "__eq__" and pooled and any(holds(engine, v, cls) for row in rows for v in row):
            return call_object(engine, equality_of(cls), [x, args[0]], {})
        if name == "__eq__" and sys.version_info >= (3, 13):
            same = engine.rules.compare(engine, "is_", x, args[0])
            return _first(engine, same, Const(True), _equal_in_turn(engine, *rows))
        return engine.rules.compare(engine, name.strip("_"), *[Tuple(tuple(row)) for row in rows])
    if name == "__hash__":
        hashed = [content.fields[f] for f in hashed_fields(cls)]
        return call(engine, Const(hash), [Tuple(tuple(hashed))], {})
    if name == "__repr__":
        shown = [f.name for f in dataclasses.fields(cls) if f.repr]
        pairs = [Tuple((Const(f), content.fields[f])) for f in shown]
        given = [Const(content.cls.__qualname__), Tuple(tuple(pairs))]
        return call(engine, Const(fields_shown), given, {})
    raise engine.refuse(f"{cls.__name__}.{name} is not supported in compiled code")


def hashed_fields(cls: Any) -> list[str]:
    """The fields of which `@dataclass` makes a hash."""
    fields = dataclasses.fields(cls)
    return [f.name for f in fields if (f.compare if f.hash is None else f.hash)]


def _equal_in_turn(engine: Engine, xs: list[Any], ys: list[Any]) -> Any:
    """`x0 == y0 and x1 == y1 and ...`, as `__eq__` is from Python 3.13 on (tuples before)."""
    tests = [engine.rules.compare(engine, "eq", x, y) for x, y in zip(xs, ys, strict=True)]
    result = tests.pop() if tests else Const(True)
    for test in reversed(tests):
        result = _first(engine, test, result, test)
    return result


def _first(engine: Engine, test: Any, x: Any, y: Any) -> Any:
    """`x if test else y`, of truth values."""
    known = engine.rules.truth(engine, test)
    if isinstance(known, Const):
        return x if known.value else y
    found = kinds.choose(known, x, y)
    if found is None:
        raise engine.refuse("what `==` of instances gives is of one type or another")
    return found


def _dataclass_init(
    engine: Engine, cls: type, x: Ref, args: list[Any], kwargs: dict[str, Any]
) -> None:
    fields = list(cls.__dataclass_fields__.values())  # type: ignore[attr-defined]
    fields = [f for f in fields if f._field_type.name != "_FIELD_CLASSVAR"]
    positional = [f for f in fields if f.init and not f.kw_only]
    if len(args) > len(positional):
        raise engine.refuse(
            f"{cls.__name__}() takes {len(positional)} positional arguments but {len(args)} "
            "were given"
        )
    given = {f.name: a for f, a in zip(positional, args, strict=False)}
    for key, value in kwargs.items():
        if key in given or key not in [f.name for f in fields if f.init]:
            words = f"{cls.__name__}() got an unexpected keyword argument {key!r}"
            raise engine.refuse(words, similar(key, [f.name for f in fields if f.init]))
        given[key] = value
    values: dict[str, Any] = {}
    initvars = []
    for f in fields:
        value = given.get(f.name)
        if value is None:
            value = _field_default(engine, cls, f)
        if f._field_type.name == "_FIELD_INITVAR":
            initvars.append(value)
        elif value is not None:
            values[f.name] = value
    content = engine.content(x)  # of a derived class, where `super` calls this
    if any(_is_set_by_python(engine, content.cls, name) for name in values):
        frozen = cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
        for name, value in values.items():
            assign = object.__setattr__ if frozen else setattr
            call_object(engine, assign, [x, Const(name), value], {})
    else:
        engine.set_content(x.cell, ObjectCell(content.cls, {**content.fields, **values}))
    after = engine.captures.member(content.cls, "__post_init__")
    if after is not None:
        call_object(engine, after, [x, *initvars], {})


def _is_set_by_python(engine: Engine, cls: type, name: str) -> bool:
    """Whether a property, a descriptor or the class decides what `self.name = value` does."""
    own = engine.captures.member(cls, "__setattr__")
    found = engine.captures.member(cls, name)
    described = isinstance(found, property) or is_python(getattr(type(found), "__set__", None))
    return described or (is_python(own) and not is_generated(own))


def _field_default(engine: Engine, cls: type, f: Any) -> Any:
    if f.default is not dataclasses.MISSING:
        return engine.captures.abstract(engine, f.default)
    if f.default_factory is not dataclasses.MISSING:
        made = call(engine, engine.captures.abstract(engine, f.default_factory), [], {})
        place = Location(cls.__module__, 0, function=f"{cls.__qualname__}.{f.name}")
        return shared.made(engine, made, place)
    if not f.init:
        return None
    raise engine.refuse(f"{cls.__name__}() missing required argument: {f.name!r}")
