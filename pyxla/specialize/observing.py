"""What inference finds on its way, for those who look: the types of expressions and names, the
calls.

    with observed() as found:
        compilation.at("typed")
    found.types[span]

Of the attempts of an inference the last counts, and of the passes of a loop.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from pyxla.abstract.lattice import Compound, Const
from pyxla.errors import in_program
from pyxla.frontend import support
from pyxla.frontend.source import SourceFunction
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.joins.conflicts import quoted, shown
from pyxla.ir.core import Instr

# (file, first line, first column, last line, last column) of an expression
Span = tuple[str, int, int, int, int]
SUPPORT = support.__name__
MOST = 4  # types of one expression that are kept


class Observed:
    """types: of expressions, by their span; one for each way of calls that leads there.  names:
    of variables, by function, name and line.  calls: who calls whom, at which line.  homes: for
    lines of the library that is Python, the user's lines that call it.  sources: functions that
    were visited, in order.
    """

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Forget an attempt."""
        self._types: dict[Span, dict[Any, str]] = {}
        self._names: dict[tuple[str, str, int], dict[Any, str]] = {}
        self.calls: dict[str, dict[tuple[int, str], None]] = {}
        self.homes: dict[tuple[str, int], set[Any]] = {}
        self.sources: dict[SourceFunction, None] = {}

    @property
    def types(self) -> dict[Span, list[str]]:
        return {span: _distinct(found) for span, found in self._types.items()}

    @property
    def names(self) -> dict[tuple[str, str, int], list[str]]:
        return {key: _distinct(found) for key, found in self._names.items()}

    def watching(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """A transfer function whose results are noted."""

        def watched(engine: Engine, frame: Frame, instr: Instr) -> Any:
            self.visit(engine, frame, instr)
            result = rule(engine, frame, instr)
            if len(instr.results) == 1 and instr.loc is not None:
                self.note(engine, frame, instr, result)
            return result

        return watched

    def visit(self, engine: Engine, frame: Frame, instr: Instr) -> None:
        source = frame.ssa.source
        self.sources.setdefault(source)
        chain = engine.chain()
        home, _ = in_program(instr.loc, chain)
        if instr.loc is not None and home not in (None, instr.loc):
            self.homes.setdefault((instr.loc.filename, instr.loc.lineno), set()).add(home)
        if instr.op.name == "call" and instr.loc is not None:
            callee = _name(frame.env.get(instr.operands[0]))
            if callee and not _is_support(frame, instr):
                self.calls.setdefault(source.qualname, {})[instr.loc.lineno, callee] = None

    def note(self, engine: Engine, frame: Frame, instr: Instr, result: Any) -> None:
        loc, way = instr.loc, tuple(map(str, engine.chain()))
        text = shown(result, engine)
        if text in ("mutable object", "None"):  # what is not told, and what statements give
            return
        if not _is_support(frame, instr):
            span = loc.filename, loc.lineno, loc.col, loc.end_lineno, loc.end_col
            self._types.setdefault(span, {})[way] = text
        hint = instr.results[0].hint
        if quoted(hint):
            key = frame.ssa.source.qualname, hint, loc.lineno
            self._names.setdefault(key, {})[way] = text


def _is_support(frame: Frame, instr: Instr) -> bool:
    """Whether desugaring made this, for which there is no expression in the source."""
    if instr.op.name != "call":
        return False
    callee = frame.env.get(instr.operands[0])
    return isinstance(callee, Const) and getattr(callee.value, "__module__", "") == SUPPORT


def _distinct(found: dict[Any, str]) -> list[str]:
    return list(dict.fromkeys(found.values()))[:MOST]


def _name(callee: Any) -> str:
    """What a callee is called."""
    if isinstance(callee, Const):
        function = callee.value
        module = getattr(function, "__module__", None) or ""
        name = getattr(function, "__qualname__", None) or getattr(function, "__name__", "")
        return f"{module}.{name}" if module.startswith(("numpy", "jax")) else name
    if isinstance(callee, Compound):
        source = next((x for x in (callee.meta, *callee.items) if type(x) is SourceFunction), None)
        return getattr(source, "qualname", "")
    return ""


class _Here(threading.local):
    def __init__(self) -> None:
        self.found: Observed | None = None


_here = _Here()


@contextlib.contextmanager
def observed() -> Iterator[Observed]:
    """What inferences in this thread find."""
    before, _here.found = _here.found, Observed()
    try:
        yield _here.found
    finally:
        _here.found = before


def watch(engine: Engine) -> None:
    """Note what an engine finds, if anyone looks."""
    found = _here.found
    if found is not None:
        found.start()
        engine.transfer = {name: found.watching(rule) for name, rule in engine.transfer.items()}
