"""The classes of closures that are rows of a pool (`infer.calls.closures`)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from pyxla.abstract.lattice import Compound, Const, Ref, Structure, Tuple, Variant
from pyxla.frontend.pyops import ATTRIBUTES
from pyxla.frontend.source import SourceFunction, once
from pyxla.lib.variables import Closure, Partial, Variable


def class_of(x: Any) -> type | None:
    """The class of a function made by a `def` in the program, or by `functools.partial`; None of
    all else, and of one that has attributes of its own."""
    if not isinstance(x, Compound):
        return None
    if x.kind == "partial":
        function = x.items[0].value if isinstance(x.items[0], Const) else None
        return _class_of_partials(function, x.meta)
    is_plain = x.kind == "function" and ATTRIBUTES not in x.meta[1]
    return _class_of(x.meta[0]) if is_plain else None


@once("closures")
def _class_of(source: SourceFunction) -> type:
    """The class of the closures of one function; its name says where it comes among pools."""
    return type(f"{source.qualname}:{source.node.lineno}", (Closure,), {})


@functools.lru_cache(4096)
def _class_of_partials(function: Any, meta: tuple[int, tuple[str, ...]]) -> type:
    name = getattr(function, "__qualname__", "")
    return type(f"{name}:{meta[0]}:{','.join(meta[1])}", (Partial,), {})


@once("variables")
def _variables_of(source: SourceFunction) -> dict[str, type]:
    return {}


def class_of_variable(source: SourceFunction, name: str) -> type:
    """The class of a variable of a function as an instance of which each call makes one."""
    known = _variables_of(source)
    if name not in known:
        known[name] = type(
            f"{source.qualname}:{source.node.lineno}.{name}", (Variable,), {"FIELDS": (name,)}
        )
    return known[name]


def classes_in(values: Iterable[Any]) -> Iterator[type]:
    """The classes of the closures that are in values."""
    for x in values:
        if (cls := class_of(x)) is not None:
            yield cls
        elif isinstance(x, Structure):
            yield from classes_in(x.parts)


def objects_in(x: Any) -> Iterator[Any]:
    """The objects in a tuple or a method, and closures; those that a value may be."""
    if isinstance(x, Ref) or class_of(x) is not None:
        yield x
        return
    for part in x.items if isinstance(x, (Tuple, Compound, Variant)) else ():
        yield from objects_in(part)
