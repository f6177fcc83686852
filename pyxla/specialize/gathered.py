"""Generator functions that users compile: all items are made at once, and read from a generator.

Who reads them sees what CPython's generator would show: one that takes what is sent to it, returns
a value, prints, or writes to arguments, globals or random state is refused, and one that raises is
run by CPython, as the items before come first (`api`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import gast

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Const
from pyxla.errors import CompileError
from pyxla.frontend.source import SourceFunction, source_function
from pyxla.infer.containers.iterators import GATHER
from pyxla.infer.engine import Engine
from pyxla.ir.core import Function
from pyxla.lib import iterators
from pyxla.lib.iterators import Gathered, gather
from pyxla.ops.foreign import host_call
from pyxla.runtime import outcome as out

_REFUSED = "a generator that {} cannot be a result: all its items are made at once"


def gathered(engine: Engine, function: Any, made: Any) -> Any:
    """What the caller of `function` gets, which returned `made`."""
    if not inspect.isgeneratorfunction(function):
        return made
    while isinstance(function, functools.partial):
        function = function.func
    source = source_function(getattr(function, "__func__", function))
    if (reason := _shows(source)) is not None:
        raise engine.refuse(_REFUSED.format(reason), GATHER)
    try:
        items = engine.rules.call(engine, Const(gather), [made], {})
    except CompileError as error:
        error.loc = source.loc if error.filename == iterators.__file__ else error.loc
        raise
    return engine.new(ObjectCell(Gathered, {"items": items}))


def check(function: Any, program: Function, outcome: out.Outcome) -> None:
    """Refuse a generator whose reader would see that all of it ran at once."""
    if not inspect.isgeneratorfunction(function):
        return
    if any(instr.op is host_call for instr in program.instrs):
        raise CompileError(_REFUSED.format("prints"), hint=GATHER)
    if outcome.writes or outcome.stores:
        raise CompileError(_REFUSED.format("writes to what its caller sees"), hint=GATHER)


def _shows(source: SourceFunction) -> str | None:
    """What of a generator function its reader sees besides the items."""
    body = source.node.body
    nodes = list(_own(body if isinstance(body, list) else [body]))
    plain = {id(node.value) for node in nodes if isinstance(node, gast.Expr)}
    if any(isinstance(n, gast.Return) and n.value is not None for n in nodes):
        return "returns a value"
    if any(isinstance(n, gast.Yield) and id(n) not in plain for n in nodes):
        return "takes what is sent to it"
    return None


def _own(nodes: Iterable[gast.AST]) -> Iterator[gast.AST]:
    """The nodes of a body, without those of functions in it."""
    for node in nodes:
        if not isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
            yield node
            yield from _own(gast.iter_child_nodes(node))
