"""How deep calls may nest: recursion becomes code for each depth.

Recursion whose end is known while compiling, as in a search over positions, may be deep.  Where
data ends it, code and the time to make it grow with every level, mostly in vain: what decides is
then asked for early, and a program without it refused.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError
from pyxla.infer.facts.deciding import deciding_tests
from pyxla.ir.core import Value

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine

MAX_DEPTH = 120
MAX_UNDECIDED = 64


class TooDeep(CompileError):
    """Calls are nested too deeply.  tests: the conditions that might have ended them."""

    tests: tuple[Value, ...] = ()


def check_depth(engine: Engine, frame: Any) -> None:
    """Raise TooDeep, or ask for number arguments that decide, where no further call may begin."""
    frames = engine.frames
    if len(frames) < MAX_UNDECIDED:
        return
    function = frame.ssa.function
    undecided = sum([f.ssa.function is function and _is_undecided(f) for f in frames])
    if len(frames) < MAX_DEPTH and undecided < MAX_UNDECIDED:
        return
    refusal = too_deep(engine)
    refusal.tests = tuple(deciding_tests(engine.block))
    raise engine.demand(refusal.tests, refusal) or refusal


def _is_undecided(frame: Any) -> bool:
    """Whether the function may also be left without the call that it is at."""
    return bool(frame.returns) or any(frame.pending.values())


def too_deep(engine: Engine) -> Any:
    return engine.refuse(
        f"calls are nested too deeply ({len(engine.frames)})",
        "recursion needs a depth that constants and number arguments decide, of at most "
        f"{MAX_DEPTH} ({MAX_UNDECIDED} where data may end it earlier): use a loop",
        kind=TooDeep,
    )


# Visiting a call takes about a dozen frames of Python's, and calls nest up to `depth.MAX_DEPTH`.
RECURSION_LIMIT = 6000
_deep = threading.Lock()
_depths: list[int] = []


@contextlib.contextmanager
def deep_calls() -> Iterator[None]:
    """Raise Python's recursion limit while any thread specializes."""
    with _deep:
        _depths.append(sys.getrecursionlimit() if not _depths else _depths[0])
        sys.setrecursionlimit(max(_depths[0], RECURSION_LIMIT))
    try:
        yield
    finally:
        with _deep:
            limit = _depths.pop()
            if not _depths:
                sys.setrecursionlimit(limit)
