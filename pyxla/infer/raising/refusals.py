"""What is told of a library function's refusal: the kind of the exception, and its operands.

A function of the library refuses with `OpError`, which carries what NumPy raises in its place, or
with an exception as NumPy has it.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from pyxla.errors import CompileError, Location, also
from pyxla.hints import members, owner, similar
from pyxla.infer.arrays import access as arrays
from pyxla.infer.interface import Engine
from pyxla.ir.core import Instr, Phi, Value
from pyxla.ir.op import OpError
from pyxla.lib.containers import actual

ITERATION = ("__iter__", "__getitem__")


# What library functions raise; all but `OpError`, our own, as NumPy does: the first that fits.
REFUSALS = (
    *(OpError, np.exceptions.AxisError, LinAlgError),
    *(IndexError, ValueError, TypeError, OverflowError),
)


def kind_of(error: Exception) -> dict[str, Any]:
    """How `refuse` makes of what a library function raises an error of the same kind."""
    if isinstance(error, OpError):
        return {"raises": error.raises, "words": error.words}
    return {"kind": also(next(k for k in REFUSALS if isinstance(error, k)))}


def origins(values: list[Value], here: Location | None) -> list[tuple[str, Location | None]]:
    """Where operands come from, those made at `here` left out."""
    notes = []
    for value in dict.fromkeys(values):
        if isinstance(value.owner, (Instr, Phi)):
            if value.owner.loc not in (None, here):
                notes.append((f"{value.type} comes from here", value.owner.loc))
        elif value.hint:
            notes.append((f"{value.type} is argument {value.hint!r}", None))
    return notes


def python_class(engine: Engine, x: Any) -> type | None:
    """The class that CPython gives `x`, where that is known."""
    if getattr(x, "kinds", None) is not None:
        return None
    try:
        cls = actual(engine.rules.type_of(engine, x))
    except CompileError:
        return None
    own = cls is object or cls.__module__.startswith("pyxla.")
    return None if own else cls


def full_name(cls: type) -> str:
    """The name of a class in CPython's messages, which those of modules in C often give in full."""
    if issubclass(cls, int):
        return cls.__name__
    try:
        int.__new__(cls)  # type: ignore[type-var]
    except TypeError as error:  # "int.__new__(numpy.ndarray): numpy.ndarray is not a subtype"
        return str(error).partition("(")[2].partition(")")[0]
    raise AssertionError(cls)


def made_of(engine: Engine, made: Any, cls: type, words: str) -> Any:
    """What a special method made, to be of this class; words: what CPython says of another one,
    with its name in the place of `{}`."""
    found = python_class(engine, made)
    if found is not None and not issubclass(found, cls):
        return engine.raise_constant(TypeError(words.format(full_name(found))))
    return made


def lacking(engine: Engine, x: Any, message: str, words: str) -> CompileError:
    """What is raised where `x` does not have an operation; words: what CPython says then, with the
    name of its class in the place of `{}`."""
    cls = python_class(engine, x)
    told = None if cls is None else words.format(full_name(cls))
    return engine.refuse(f"{arrays.kind_of(engine, x)} {message}", raises=TypeError, words=told)


def is_of_class(cls: type, name: str) -> bool:
    """Whether instances that have no such field have the attribute: from their class."""
    return hasattr(cls, name) and not isinstance(getattr(cls, name), types.MemberDescriptorType)


def missing(
    engine: Engine, x: Any, kind: str, name: str, known: Iterable[str] = ()
) -> CompileError:
    """What is raised where `x` has no attribute of this name; known: names that it has."""
    message = f"{kind} has no attribute {name!r}"
    cls = python_class(engine, x)
    hint = owner(name) or similar(name, known)
    if not hint:
        keyed = f"items of a dict are taken by their keys: [{name!r}]"
        hint = keyed if cls is dict else members(known)
    if cls is None or is_of_class(cls, name):  # CPython has it
        return engine.refuse(message, hint, also(AttributeError))
    words = f"{full_name(cls)!r} object has no attribute {name!r}"
    return engine.refuse(message, hint, raises=AttributeError, words=words)


# Classes of Python's and NumPy's whose instances, made of nothing, say what all of them say.
_PLAIN = (int, float, complex, str, bytes, list, dict, set, frozenset, type(None), np.generic)


def unsettable(engine: Engine, x: Any, name: str) -> CompileError:
    """What is raised where the attribute of this name cannot be set."""
    cls = python_class(engine, x)
    words = None if cls is None else _said_by_sample(cls, name)
    message = f"cannot set attribute {name!r} of {arrays.kind_of(engine, x)}"
    return engine.refuse(message, raises=AttributeError if words else None, words=words)


def _said_by_sample(cls: type, name: str) -> str | None:
    """What CPython says to `x.name = value`, asked with another `x` of this class; None where it
    lets it be set, or calls Python for it."""
    found = inspect.getattr_static(cls, name, None)
    ways = cls.__setattr__, getattr(type(found), "__set__", None), getattr(found, "fset", None)
    if any(isinstance(way, types.FunctionType) for way in ways):
        return None
    try:
        if issubclass(cls, tuple):
            setattr(tuple.__new__(cls), name, None)
        elif issubclass(cls, _PLAIN):
            setattr(cls(), name, None)
    except AttributeError as error:
        return str(error)
    except Exception:  # there is no instance made of nothing
        pass
    return None


def need(engine: Engine, x: Any, methods: Sequence[str], message: str, words: str) -> None:
    """Refuse `x` if its class certainly has none of these methods."""
    cls = python_class(engine, x)
    if cls is not None and not any(hasattr(cls, name) for name in methods):
        raise lacking(engine, x, message, words)
