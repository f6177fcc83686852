"""Context managers that are generators: `contextlib.contextmanager`."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from pyxla.abstract.lattice import Const
from pyxla.frontend.source import SourceFunction
from pyxla.frontend.splitting import split
from pyxla.infer.calls.visiting import call_function, source_of
from pyxla.infer.engine import Engine
from pyxla.lib.interpreted import GeneratorManager, opened
from pyxla.lib.registry import rule


@rule(contextlib._GeneratorContextManager)
def _manager(engine: Engine, function: Any, args: Any, kwargs: Any) -> Any:
    if _parts(engine, function) is None:
        raise engine.refuse(
            "a context manager that is a generator yields once, not in a loop, a condition or a "
            "`with`, and is defined outside of compiled code",
            "write a class with __enter__ and __exit__",
        )
    return engine.rules.construct(engine, GeneratorManager, [function, args, kwargs], {})


def _parts(engine: Engine, function: Any) -> SourceFunction | None:
    known = function.value if isinstance(function, Const) else None
    return split(source_of(engine, known)) if isinstance(known, types.FunctionType) else None


@rule(opened)
def _opened(engine: Engine, function: Any, args: Any, kwargs: Any) -> Any:
    """Visit a generator function up to its `yield`."""
    named = dict(engine.content(kwargs).items)
    given = list(engine.iterate(args))
    return call_function(engine, function.value, given, named, _parts(engine, function))
