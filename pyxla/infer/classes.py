"""Which classes of the user's compiled code takes apart: those that make their instances, and find
attributes, as Python does."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import weakref
from typing import Any

import numpy as np

from pyxla.abstract.lattice import FUNCTIONS, Compound, Const
from pyxla.infer.engine import Engine
from pyxla.lib.containers import actual, reads_itself
from pyxla.lib.variables import Variable

# Immutable or mutable values, of which an instance of a derived class would be one.
_BUILTIN = (dict, list, set, frozenset, int, float, complex, str, bytes, np.ndarray)


# Those that are defined inside functions: they were made while compiling, once for all calls.
LOCAL: weakref.WeakSet[type] = weakref.WeakSet()


@functools.lru_cache(maxsize=512)
def defines(cls: type, name: str) -> bool:
    """Whether a class of the user's defines `name` in Python."""
    found = inspect.getattr_static(cls, name, None)
    function = getattr(found, "__func__", found)
    return is_python(function) and not is_generated(function)


def need_plain(engine: Engine, cls: type, name: str) -> None:
    """Refuse what the class `cls` does in its own way."""
    if defines(cls, name):
        raise engine.refuse(
            f"classes that define {name} are not supported ({cls.__name__})",
            "make the instance outside, and pass the numbers and arrays in it as arguments",
        )


def need_constructible(engine: Engine, cls: type) -> None:
    """Refuse classes whose instances are made in a way of their own."""
    if issubclass(cls, BaseException):
        need_plain(engine, cls, "__new__")
    if issubclass(cls, tuple) and reads_itself(cls):
        raise engine.refuse(
            f"tuples that define __iter__, __len__ or __bool__ are not supported ({cls.__name__})",
            "give the method a name of its own",
        )
    if hasattr(cls, "__pyxla_fill__"):  # its items are read as those of its dict
        need_plain(engine, actual(cls), "__iter__")
    for base in () if cls.__module__.startswith("pyxla.") else _BUILTIN:
        if issubclass(cls, base):
            raise engine.refuse(
                f"classes derived from {base.__name__} are not supported ({cls.__name__})",
                f"keep the {base.__name__} in a field, and define the methods that are needed",
            )


def is_python(function: Any) -> bool:
    """Whether it is a function in Python, which may be compiled for itself."""
    return isinstance(function, types.FunctionType) or hasattr(function, "__pyxla_function__")


def is_frozen(cls: type, method: Any, name: str) -> bool:
    """Whether the `__setattr__` that a frozen dataclass has does not let `name` be set: of its own
    instances any, of those of classes derived from it its fields."""
    owner = next(base for base in cls.__mro__ if vars(base).get("__setattr__") is method)
    return owner is cls or name in [f.name for f in dataclasses.fields(owner)]


def is_generated(method: Any) -> bool:
    """Whether `@dataclass` or `namedtuple` generated a method, so that it has no source."""
    function = getattr(method, "__wrapped__", method)  # __repr__ is wrapped against recursion
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename != "<string>":
        return False
    return code.co_qualname.startswith(("__create_fn__.", "<lambda>"))


def has_get(found: Any) -> bool:
    """Whether a class attribute is an instance of a user's class with `__get__`."""
    return is_python(getattr(type(found), "__get__", None)) and not hasattr(
        found, "__pyxla_function__"
    )


# Objects outside whose attributes may be variables of the program.
_OWNERS = (type, types.FunctionType, types.ModuleType)


def assigned(engine: Engine, owner: Any, name: str) -> Any:
    """Who has the attribute `name` that is read of `owner`, where the program assigns to it."""
    if isinstance(owner, type):
        found = engine.captures.member(owner, name)
        found = engine.captures.member(type(owner), name) if found is None else found
        return found.owner if isinstance(found, Variable) else None
    return owner if (id(owner), name) in engine.captures.variables else None


def can_assign(engine: Engine, owner: Any, name: str, value: Any) -> bool:
    """Whether `owner.name = value` assigns to a variable outside that holds plain values: neither
    what instances bind, nor what a metaclass looks after."""
    if not isinstance(owner, _OWNERS) or name.startswith("__"):
        return False
    if isinstance(owner, type) and owner in LOCAL:
        words = (
            f"the attribute {name!r} of {owner.__name__}, a class inside a function, is assigned"
        )
        raise engine.refuse(
            words,
            "keep it in a variable of the function, or define the class at module level",
        )
    held = value.value if isinstance(value, Const) else None
    held = value.kind in FUNCTIONS if isinstance(value, Compound) else hasattr(held, "__get__")
    if held or hasattr(vars(owner).get(name), "__get__"):
        return False
    if isinstance(owner, type):
        need_plain(engine, type(owner), "__setattr__")
        return inspect.getattr_static(type(owner), name, None) is None
    return True
