"""`functools.wraps` in compiled code."""

from __future__ import annotations

import functools
from typing import Any

from pyxla.abstract.lattice import Compound, Const
from pyxla.infer.calls.functions import call_wrapper, take_over
from pyxla.infer.engine import Engine
from pyxla.infer.objects import get_attribute, set_attribute
from pyxla.lib.registry import rule

_OPTIONS = "wraps() and update_wrapper() are supported without `assigned` and `updated`"


@rule(functools.update_wrapper)
def _update_wrapper(engine: Engine, wrapper: Any, wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    """A function that looks like another; an instance is given its name."""
    if args or kwargs:
        raise engine.refuse(_OPTIONS)
    if isinstance(wrapper, Compound | Const):
        take_over(engine, wrapper, wrapped)
        return Compound("transformed", (wrapper, wrapped), call_wrapper)
    for name in ("__name__", "__module__"):
        set_attribute(engine, wrapper, name, get_attribute(engine, wrapped, name))
    set_attribute(engine, wrapper, "__wrapped__", wrapped)
    return wrapper


@rule(functools.wraps)
def _wraps(engine: Engine, wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    if args or kwargs:
        raise engine.refuse(_OPTIONS)
    return Compound("transformed", (wrapped,), _call_wraps)


def _call_wraps(engine: Engine, items: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _update_wrapper(engine, *args, *items, **kwargs)
