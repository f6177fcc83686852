"""How deep calls may nest: recursion becomes code for each depth.

Recursion whose end is known while compiling, as in a search over positions, may be deep.  Where
data ends it, code and the time to make it grow with every level, or with several calls on each of
them as a power of the depth, mostly in vain: what decides is then asked for early; without it,
the function is made loops with a stack (`frontend.recursion`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError
from pyxla.frontend.recursion import to_loops
from pyxla.infer.facts.deciding import deciding_tests
from pyxla.ir.core import Value

if TYPE_CHECKING:
    from pyxla.frontend.source import SourceFunction
    from pyxla.infer.interface import Engine

MAX_DEPTH = 120
# Calls where another function of the program needed a stack: recursion over the same data, often.
MAX_BESIDE = 16
MAX_DEMANDS = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a function by itself, where data may end it.  nested: calls in each other.  calls: at all
    depths together.  visited: instructions in the outermost one, where over `deep` are nested."""

    nested: int
    calls: int
    visited: int
    deep: int


# By whether loops with a stack can do what the function does.
LIMITS = {True: Limits(24, 96, 1000, 5), False: Limits(64, 128, 2000, 6)}


class TooDeep(CompileError):
    """Calls are nested too deeply.  tests: the conditions that might have ended them.  source: the
    function that was to be called."""

    tests: tuple[Value, ...] = ()
    source: SourceFunction | None = None


def check_depth(engine: Engine, frame: Any) -> None:
    """Raise TooDeep, or ask for number arguments that decide, where no further call may begin."""
    frames, function = engine.frames, frame.ssa.function
    frame.began = engine.visited
    undecided = [f for f in frames if f.ssa.function is function and _is_undecided(f)]
    engine.activations[function] += bool(undecided)
    if not undecided and len(frames) < MAX_DEPTH:
        return
    most = LIMITS[to_loops(frame.ssa.source) is not None]
    few = engine.activations[function] <= (MAX_BESIDE if engine.demands.stacks else most.calls)
    long = len(undecided) > most.deep and engine.visited - undecided[0].began > most.visited
    if len(frames) < MAX_DEPTH and len(undecided) < most.nested and few and not long:
        return
    refusal = too_deep(engine)
    refusal.source = frame.ssa.source
    if not few:  # numbers that would be asked for, one after the other, are as much data
        raise refusal
    refusal.tests = tuple(deciding_tests(engine.block))
    # What unrolls a loop for a value may lead here in each iteration, at each depth.
    engine.findings.deep += 1
    asked = engine.findings.deep <= MAX_DEMANDS
    raise (engine.demand(refusal.tests, refusal) if asked else None) or refusal


def noted(engine: Engine, frame: Any, error: CompileError) -> None:
    """Remember a function that calls itself as long as data says, and is refused in such a call."""
    source, findings = frame.ssa.source, engine.findings
    outer = [f for f in engine.frames[:-1] if f.ssa.source is source]
    if any(map(_is_undecided, outer)):
        findings.recursive.setdefault(source, error)


def _is_undecided(frame: Any) -> bool:
    """Whether the function may also be left without the call that it is at."""
    return bool(frame.returns) or any(frame.pending.values())


def too_deep(engine: Engine) -> Any:
    return engine.refuse(
        f"calls are nested too deeply ({len(engine.frames)})",
        "recursion needs a depth that constants and number arguments decide, of at most "
        f"{MAX_DEPTH} ({LIMITS[False].nested} where data may end it earlier), or calls of a "
        "function by itself, outside of `try`, of plain arguments",
        kind=TooDeep,
    )
