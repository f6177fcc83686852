"""Warnings of users, and filters that say what becomes of them: Python on the host, as printing.

NumPy's own warnings are not raised.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, ObjectCell
from pyxla.abstract.lattice import Const
from pyxla.errors import Location
from pyxla.infer.engine import Engine
from pyxla.infer.objects import type_of
from pyxla.infer.raising.exceptions import is_exception
from pyxla.infer.text.printing import do, reader
from pyxla.ir.core import Value
from pyxla.lib.interpreted import CatchWarnings, leave_warnings, local_warnings
from pyxla.lib.registry import rule

_entered = threading.local()
# What was warned of already, by file.
_registries: dict[str, dict[Any, Any]] = {}


@rule(warnings.warn)
def _warn(
    engine: Engine,
    message: Any,
    category: Any = Const(None),
    stacklevel: Any = Const(1),
    source: Any = Const(None),
) -> Any:
    kind = engine.static(category, "the category of a warning") or UserWarning
    if is_exception(message):
        kind = type_of(engine, message)
    where = _place(engine, engine.static(stacklevel, "stacklevel"))
    values: list[Value] = []
    read = reader(engine, message, values)
    registry = _registries.setdefault(where.filename, {})

    def warn(*given: np.ndarray) -> None:
        warnings.warn_explicit(read(given), kind, where.filename, where.lineno, registry=registry)

    do(engine, warn, values)
    return Const(None)


def _place(engine: Engine, level: int) -> Location:
    """The line that is blamed: that of the call, or of a caller, as far as these are compiled."""
    places = [engine.loc, *reversed(engine.chain())]
    return places[min(max(level, 1), len(places)) - 1]


def _setting(target: Callable[..., Any]) -> None:
    @rule(target)
    def call(engine: Engine, *args: Any, **options: Any) -> Any:
        given = [engine.static(x, "a filter of warnings") for x in args]
        named = {name: engine.static(x, "a filter of warnings") for name, x in options.items()}
        do(engine, lambda: target(*given, **named))
        return Const(None)


_setting(warnings.simplefilter)
_setting(warnings.filterwarnings)
_setting(warnings.resetwarnings)


def _contexts() -> list[Any]:
    if not hasattr(_entered, "contexts"):
        _entered.contexts = []
    return _entered.contexts


@rule(warnings.catch_warnings)
def _catch_warnings(engine: Engine, **options: Any) -> Any:
    return engine.new(ObjectCell(CatchWarnings, {"options": engine.new(DictCell(options))}))


@rule(local_warnings)
def _enter(engine: Engine, options: Any) -> Any:
    named = engine.python_object(options)
    if named.get("record"):
        raise engine.refuse("warnings are not recorded in compiled code", "record them outside")

    def enter() -> None:
        context = warnings.catch_warnings(**named)
        context.__enter__()
        _contexts().append(context)

    do(engine, enter)
    return Const(None)


@rule(leave_warnings)
def _leave(engine: Engine) -> Any:
    do(engine, lambda: _contexts().pop().__exit__())
    return Const(None)
