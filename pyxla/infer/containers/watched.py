"""Dicts, sets and deques that change their size while a loop reads them: CPython raises."""

from __future__ import annotations

from typing import Any

from pyxla.frontend import support
from pyxla.infer.containers import tables
from pyxla.infer.containers.structure import content_of, length
from pyxla.infer.engine import Engine
from pyxla.infer.heap import DictCell, SetCell
from pyxla.infer.lattice import Const, Ref
from pyxla.lib.registry import rule

_NONE = Const(None)
_DICT = RuntimeError("dictionary changed size during iteration")
_SET = RuntimeError("Set changed size during iteration")


def _error(engine: Engine, x: Any) -> RuntimeError | None:
    """What is raised where `x` gets another size; None where nothing is."""
    if not isinstance(x, Ref):
        return None
    if (cls := tables.found(engine.heap, x)) is not None:
        return _SET if cls in tables.SETS else _DICT
    content = content_of(engine, x)
    return {DictCell: _DICT, SetCell: _SET}.get(type(content))


@rule(support.size_of)
def _size_of(engine: Engine, x: Any) -> Any:
    watched = engine.tests(RuntimeError) and _error(engine, x) is not None
    return length(engine, x) if watched else _NONE


@rule(support.check_size)
def _check_size(engine: Engine, x: Any, size: Any) -> Any:
    error = _error(engine, x) if size is not _NONE else None
    if error is not None:
        engine.ensure(engine.rules.compare(engine, "eq", length(engine, x), size), error)
    return _NONE
