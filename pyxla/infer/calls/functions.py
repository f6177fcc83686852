"""Functions that stand for others: those of `functools.wraps`, and of `singledispatch`."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.infer.calls.states import CountState
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.lattice import Compound, Const, is_variant

# What a wrapper takes over.
TAKEN = ("__name__", "__module__", "__doc__")
# Of what `functools.singledispatch` makes.
SINGLE = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def call_wrapper(
    engine: Engine, items: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call `functools.wraps(wrapped)(wrapper)`; `items` are wrapper and wrapped."""
    return engine.rules.call(engine, items[0], args, kwargs)


def is_wrapper(x: Any) -> bool:
    return isinstance(x, Compound) and x.kind == "transformed" and x.meta is call_wrapper


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
