"""`logging`: what is logged goes to the handlers on the host, as printing does."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.infer.engine import Engine
from pyxla.infer.lattice import Const
from pyxla.infer.text.printing import do, reader
from pyxla.ir.core import Value
from pyxla.lib.registry import rule

_LEVELS = ("debug", "info", "warning", "error", "critical")


@rule(logging.getLogger)
def _get_logger(engine: Engine, name: Any = Const(None)) -> Any:
    return Const(logging.getLogger(engine.static(name, "the name of a logger")))


def _log(engine: Engine, function: Callable[..., None], args: tuple[Any, ...]) -> Const:
    """Call `function` of the message and its arguments on the host."""
    values: list[Value] = []
    reads = [reader(engine, x, values) for x in args]

    def log(*given: np.ndarray) -> None:
        function(*[read(given) for read in reads])

    do(engine, log, values)
    return Const(None)


def _is_enabled(engine: Engine, logger: logging.Logger, level: int) -> bool:
    """Whether what is logged at this level goes anywhere; another answer later is noticed."""
    engine.captures.guard(logger.manager.__dict__, "_disable", logger.manager.disable)
    each: logging.Logger | None = logger
    while each is not None:
        for name in ("level", "disabled"):
            engine.captures.guard(each.__dict__, name, getattr(each, name))
        each = each.parent
    return logger.isEnabledFor(level)


def _of_level(name: str) -> None:
    @rule(getattr(logging.Logger, name))
    def method(engine: Engine, logger: Any, message: Any, *args: Any) -> Any:
        if not _is_enabled(engine, logger.value, getattr(logging, name.upper())):
            return Const(None)
        return _log(engine, getattr(logger.value, name), (message, *args))

    @rule(getattr(logging, name))
    def function(engine: Engine, message: Any, *args: Any) -> Any:
        return _log(engine, getattr(logging, name), (message, *args))


for _name in _LEVELS:
    _of_level(_name)


@rule(logging.Logger.log)
def _at_level(engine: Engine, logger: Any, level: Any, message: Any, *args: Any) -> Any:
    number = engine.static(level, "the level of what is logged")
    if not _is_enabled(engine, logger.value, number):
        return Const(None)
    return _log(engine, lambda *given: logger.value.log(number, *given), (message, *args))
