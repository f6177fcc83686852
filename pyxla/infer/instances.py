"""Instances are made, copied with changes, and their members called."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell
from pyxla.abstract.lattice import Compound, Const, Ref, Tuple
from pyxla.infer import generated
from pyxla.infer.calls.dispatch import call, call_object
from pyxla.infer.calls.executed import static_arguments
from pyxla.infer.classes import defines, is_generated, is_python, need_constructible
from pyxla.infer.engine import Engine
from pyxla.infer.lists import entries, pools
from pyxla.infer.raising import exceptions
from pyxla.lib.containers import Dict
from pyxla.lib.lists import List
from pyxla.lib.registry import lookup, rule


def construct(engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`cls(*args, **kwargs)` for a user's class."""
    if defines(type(cls), "__call__"):
        return call_object(engine, type(cls).__call__, [Const(cls), *args], kwargs)
    return _made(engine, cls, args, kwargs)


@rule(type.__call__)
def _called(engine: Engine, cls: Any, *args: Any, **kwargs: Any) -> Any:
    """`super().__call__()` in a `__call__` of a metaclass of the user's."""
    return _made(engine, engine.static(cls, "the class of an instance"), [*args], kwargs)


def _made(engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What `type.__call__` makes."""
    need_constructible(engine, cls)
    if issubclass(cls, BaseException):
        return _construct_exception(engine, cls, args, kwargs)
    if inspect.isabstract(cls):
        engine.fold_object(object.__new__, (cls,))  # which raises
    new = engine.captures.member(cls, "__new__")
    if isinstance(new, staticmethod) and is_python(new.__func__) and not is_generated(new.__func__):
        return _made_by(engine, new.__func__, cls, args, kwargs)
    if issubclass(cls, tuple):
        return _tuple_of(engine, cls, args, kwargs)
    x = _instance(engine, cls)
    init = engine.captures.member(cls, "__init__")
    if init is None:
        if args or kwargs:
            raise engine.refuse(f"{cls.__name__}() takes no arguments")
        return entries.made(engine, x)
    call_member(engine, cls, "__init__", init, x, args, kwargs)
    return entries.made(engine, x)


def _instance(engine: Engine, cls: type) -> Ref:
    """An instance without attributes."""
    pools.noted(engine, cls)
    held = {}
    if issubclass(cls, Dict | List):
        empty = DictCell({}) if issubclass(cls, Dict) else ListCell(())
        held = {cls.__pyxla_sequence__: engine.new(empty)}
    return engine.new(ObjectCell(cls, held))


@rule(object.__new__)
def _new(engine: Engine, cls: Any, *args: Any, **kwargs: Any) -> Ref:
    """`super().__new__(cls)` in a `__new__` of the user's."""
    known = engine.static(cls, "the class of an instance")
    need_constructible(engine, known)
    if (args or kwargs) and known.__new__ is not object.__new__:
        message = "object.__new__() takes exactly one argument (the type to instantiate)"
        engine.raise_constant(TypeError(message))
    return _instance(engine, known)


def _made_by(engine: Engine, new: Any, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What the user's `__new__` returns, initialized if it is an instance of `cls`."""
    before = set(engine.heap.contents)
    x = call_object(engine, new, [Const(cls), *args], kwargs)
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if not isinstance(content, ObjectCell) or not issubclass(content.cls, cls):
        return x
    if (init := engine.captures.member(content.cls, "__init__")) is not None:
        call_member(engine, content.cls, "__init__", init, x, args, kwargs)
    return x if x.cell in before else entries.made(engine, x)


def _construct_exception(
    engine: Engine, cls: type, args: list[Any], kwargs: dict[str, Any]
) -> Compound:
    own = isinstance(engine.captures.member(cls, "__init__"), types.FunctionType)
    if not own and issubclass(cls, _PARTICULAR) and not kwargs:
        cls = _class_made(engine, cls, args)
    if kwargs and not own:
        raise engine.refuse(f"{cls.__name__}() takes no keyword arguments", "give them by position")
    given = (*args, exceptions.named(kwargs)) if kwargs else tuple(args)
    made = Compound("exception", given, cls)
    if own:
        _check_construction(engine, made)
    return made


def _check_construction(engine: Engine, x: Compound) -> None:
    """Raise what the `__init__` of an exception raises; what it sets is asked for when it is read,
    by another visit, so that it may not change anything else."""
    mark, new = len(engine.written), len(engine.heap.infos)
    initialized(engine, x)
    if any(cell < new for cell in engine.written[mark:]):
        raise engine.refuse(
            f"the `__init__` of {x.meta.__name__} changes more than the exception",
            "do that where the exception is raised",
        )


def initialized(engine: Engine, x: Compound) -> Ref:
    """An exception as an object with the attributes that its `__init__` sets."""
    args, kwargs = exceptions.arguments(x)
    made = engine.new(ObjectCell(x.meta, {"args": exceptions.args_of(x)}))
    init = engine.captures.member(x.meta, "__init__")
    if isinstance(init, types.FunctionType):
        call_member(engine, x.meta, "__init__", init, made, list(args), kwargs)
    return made


# Exceptions that look at what they are called with.
_PARTICULAR = (OSError, UnicodeError, SyntaxError, BaseExceptionGroup)


def _class_made(engine: Engine, cls: type, args: list[Any]) -> type:
    """What CPython makes of `cls(*args)`, if it does: `OSError(2, ...)` is a FileNotFoundError."""
    known = static_arguments(engine, args, {})
    if known is not None:
        return engine.fold_object(lambda *given: type(cls(*given)), known[0]).value
    if cls is not OSError or not 2 <= len(args) <= 5:
        return cls
    if not isinstance(args[0], Const):
        what = "the class of this OSError depends on its first argument"
        raise engine.refuse(what, "raise a subclass of it, such as FileNotFoundError")
    return type(OSError(args[0].value, ""))


@rule(tuple.__new__)
def _new_tuple(engine: Engine, cls: Any, iterable: Any = Const(()), /) -> Any:
    """`tuple.__new__(cls, iterable)`."""
    known = engine.static(cls, "the class of an instance")
    need_constructible(engine, known)
    return Tuple(tuple(engine.iterate(iterable)), known)


def tuple_new(cls: type, *args: Any, **kwargs: Any) -> None:
    """The `__new__` of a named tuple, as `super` finds it."""


@rule(tuple_new)
def _new_named(engine: Engine, cls: Any, *args: Any, **kwargs: Any) -> Any:
    known = engine.static(cls, "the class of an instance")
    return _tuple_of(engine, known, list(args), kwargs)


def _tuple_of(engine: Engine, cls: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """An instance of a class that derives from `tuple`, as its base makes it."""
    fields = getattr(cls, "_fields", None)
    if fields is None:
        return call_object(engine, tuple.__new__, [Const(cls), *args], kwargs)
    values = dict(zip(fields, args, strict=False))
    values.update(kwargs)
    for name, default in cls._field_defaults.items():
        if name not in values:
            values[name] = engine.captures.abstract(engine, default)
    if set(values) != set(fields) or len(args) > len(fields):
        raise engine.refuse(f"{cls.__name__}() takes the fields {', '.join(fields)}")
    return Tuple(tuple([values[f] for f in fields]), cls)


def call_member(
    engine: Engine,
    cls: type,
    name: str,
    found: Any,
    x: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Call the class attribute `found` on the instance `x`; dataclass methods have no source."""
    if is_generated(found):
        return generated.called(engine, cls, name, x, args, kwargs)
    if isinstance(found, staticmethod):
        return call_object(engine, found.__func__, args, kwargs)
    if isinstance(found, classmethod):
        return call_object(engine, found.__func__, [Const(cls), *args], kwargs)
    if is_python(found) or lookup(found) is not None:
        return call_object(engine, found, [x, *args], kwargs)
    return call(engine, engine.captures.abstract(engine, found), args, kwargs)


def replace(engine: Engine, x: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace(x, **changes)` and `NamedTuple._replace`."""
    if isinstance(x, Tuple):
        fields = x.cls._fields  # type: ignore[attr-defined]
        if unknown := set(changes) - set(fields):
            raise engine.refuse(f"got unexpected field names: {sorted(unknown)}")
        pairs = zip(fields, x.items, strict=True)
        return Tuple(tuple([changes.get(f, item) for f, item in pairs]), x.cls)
    content = engine.content(x)
    names = [f.name for f in dataclasses.fields(content.cls) if f.init]
    values = {n: content.fields[n] for n in names} | changes
    return construct(engine, content.cls, [], values)


def exception_init(self: Any, *args: Any) -> None:
    """`BaseException.__init__`, as `super` finds it."""


def object_init(*args: Any, **kwargs: Any) -> None:
    """`object.__init__`, as `super` finds it: it accepts what cooperating classes pass."""
