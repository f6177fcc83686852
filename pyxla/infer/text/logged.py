"""`logging`: what is logged goes to the handlers on the host, as printing does."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Const
from pyxla.errors import in_program
from pyxla.infer.engine import Engine
from pyxla.infer.text.printing import do, reader
from pyxla.ir.core import Value
from pyxla.lib.registry import rule

_LEVELS = ("debug", "info", "warning", "error", "critical")


@rule(logging.getLogger)
def _get_logger(engine: Engine, name: Any = Const(None)) -> Any:
    return Const(logging.getLogger(engine.static(name, "the name of a logger")))


def _log(engine: Engine, logger: logging.Logger, level: int, args: tuple[Any, ...]) -> Const:
    """Log a message and its arguments on the host, as from the line that asks for it."""
    values: list[Value] = []
    reads = [reader(engine, x, values) for x in args]
    loc, _ = in_program(engine.loc, engine.chain())
    file, line, function = (loc.filename, loc.lineno, loc.function) if loc else ("", 0, "")
    name = function.rpartition(".")[2]

    def log(*given: np.ndarray) -> None:
        message, *rest = [read(given) for read in reads]
        record = logger.makeRecord(
            logger.name, level, file, line, message, tuple(rest), None, name or None
        )
        logger.handle(record)

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
    level = getattr(logging, name.upper())

    @rule(getattr(logging.Logger, name))
    def method(engine: Engine, logger: Any, message: Any, *args: Any) -> Any:
        return _at_level(engine, logger, Const(level), message, *args)

    @rule(getattr(logging, name))
    def function(engine: Engine, message: Any, *args: Any) -> Any:
        if _is_enabled(engine, logging.root, level):
            do(engine, _configured)
        return _at_level(engine, Const(logging.root), Const(level), message, *args)


def _configured() -> None:
    """What functions of the module do first."""
    if not logging.root.handlers:
        logging.basicConfig()


@rule(logging.Logger.log)
def _at_level(engine: Engine, logger: Any, level: Any, message: Any, *args: Any) -> Any:
    number = engine.static(level, "the level of what is logged")
    if not _is_enabled(engine, logger.value, number):
        return Const(None)
    return _log(engine, logger.value, number, (message, *args))


for _name in _LEVELS:
    _of_level(_name)
