"""Functions that stand for others: those of `functools.wraps`, and of `singledispatch`."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Compound, Const, Ref, is_variant
from pyxla.frontend.pyops import ATTRIBUTES
from pyxla.guards.states import CountState
from pyxla.infer.calls import kept
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.lib.variables import Attributes

# What a wrapper takes over.
TAKEN = ("__name__", "__module__", "__doc__")
# Of what `functools.singledispatch` makes.
SINGLE = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def call_wrapper(
    engine: Engine, items: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call `functools.wraps(wrapped)(wrapper)`; `items` are wrapper and wrapped."""
    return engine.rules.call(engine, items[0], args, kwargs)


def attributes_of(x: Any) -> Ref | None:
    """Where the attributes are of a function that was made by a `def` inside, if it has any."""
    if is_wrapper(x):
        return attributes_of(x.items[0])
    is_made = isinstance(x, Compound) and x.kind == "function" and ATTRIBUTES in x.meta[1]
    return x.items[-1] if is_made else None


def owner(engine: Engine, x: Any, name: str) -> Any:
    """What has the attribute `name` of `x`: where it was assigned, the attributes of a function."""
    held = attributes_of(x)
    return x if held is None or name not in engine.content(held).fields else held


def take_over(engine: Engine, wrapper: Any, wrapped: Any) -> None:
    """Give a function the attributes of the one that it wraps."""
    own, other = attributes_of(wrapper), attributes_of(wrapped)
    if other is not None and engine.content(other).fields and own is None:
        words = "a function that a decorator gave attributes is wrapped"
        raise engine.refuse(words, "write the wrapper as a decorated function: @functools.wraps(f)")
    if own is not None:
        kept = engine.content(own).fields
        fields = {name: x for name, x in kept.items() if name not in TAKEN}
        fields |= engine.content(other).fields if other is not None else {}
        if fields != kept:
            engine.set_content(own.cell, ObjectCell(Attributes, fields))


def is_wrapper(x: Any) -> bool:
    return isinstance(x, Compound) and x.kind == "transformed" and x.meta is call_wrapper


def told(engine: Engine, x: Compound, name: str) -> Any:
    """What a function, a partial or a function whose results are kept says of itself; None of
    others, and other names."""
    if x.kind == "partial" and name == "func":
        return x.items[0]
    if x.kind == "function" and name == "__name__":
        return Const(x.meta[0].name)
    if x.kind == "function" and name == "__module__":
        return Const(x.meta[-1].value.get("__name__"))
    if x.kind == "cached" and name == "__wrapped__":
        return x.items[0]
    if x.kind == "cached" and name == "cache_clear":
        return Compound("transformed", (x,), kept.clear)
    if x.kind == "cached" and name in ("cache_info", "cache_parameters"):
        words = (
            "how many results of a function are kept, and how often they were used, is not known"
        )
        raise engine.refuse(words, "count the calls in the function")
    return None


def call_single(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function of `functools.singledispatch`."""
    if not args:
        raise engine.refuse(f"{value.__name__} requires at least 1 positional argument")
    return engine.rules.call(engine, Const(_chosen(engine, value, args[0])), args, kwargs)


def call_single_method(
    engine: Engine, items: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call a method of `functools.singledispatchmethod`; `items` are that and the instance."""
    method, self_ = items
    if not args:
        raise engine.refuse("a singledispatchmethod requires at least 1 positional argument")
    function = _chosen(engine, method.value.dispatcher, args[0])
    if isinstance(function, staticmethod | classmethod):
        raise engine.refuse("static and class methods of singledispatchmethod are not supported")
    return engine.rules.call(engine, Const(function), [self_, *args], kwargs)


def _chosen(engine: Engine, value: Any, x: Any) -> Any:
    """The implementation for `x`, by its class."""
    if is_variant(x, "optional") or choices.is_choice(x):
        raise engine.refuse(
            "which implementation is called depends on the path taken", "test for it before"
        )
    engine.captures.state(id(value), lambda: CountState(value.registry))
    return value.dispatch(engine.rules.type_of(engine, x))
