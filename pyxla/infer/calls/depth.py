"""How deep calls may nest: recursion becomes code for each depth.

Recursion whose end is known while compiling, as in a search over positions, may be deep.  Where
data ends it, code and the time to make it grow with every level, or with several calls on each of
them as a power of the depth, mostly in vain: what decides is then asked for early; without it,
the function is made loops with a stack (`frontend.recursion`).  A call of which no more is known
than of the one that it is in has an end that data decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyxla import journal
from pyxla.abstract.facts.deciding import by_arguments, deciding_tests, depends_on
from pyxla.abstract.joined import all_equal
from pyxla.abstract.lattice import Array, Const, NeedsStatic, Ref, Scalar
from pyxla.errors import CompileError, is_own
from pyxla.frontend.recursion import to_loops
from pyxla.frontend.source import SourceFunction
from pyxla.frozen import dataclass
from pyxla.infer.demands import Needs
from pyxla.infer.interface import Engine
from pyxla.infer.joins.edges import Edge
from pyxla.infer.loops.marks import Mark
from pyxla.ir.core import Value, reached

MAX_DEPTH = 120
# Calls where another function of the program needed a stack: recursion over the same data, often.
MAX_BESIDE = 16
MAX_DEMANDS = 8
# Instructions made in one call, copies of summaries among them, where a loop with a stack would be
# shorter.
MAX_MADE = 3000


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
    """Calls are nested too deeply.  tests: the conditions that might have ended them.  many: there
    are too many of them, at all depths together.  group: the function that was to be called, with
    those that it called and that call it."""

    tests: tuple[Value, ...] = ()
    many: bool = False
    group: frozenset[SourceFunction] = frozenset()


def check_depth(engine: Engine, frame: Any) -> None:
    """Raise TooDeep, or ask for number arguments that decide, where no further call may begin."""
    frames, function = engine.frames, frame.ssa.function
    check_code(engine, frame)
    frame.began, frame.given = engine.visited, tuple(frame.env.values())
    undecided = [f for f in frames if f.ssa.function is function and _is_undecided(f)]
    engine.activations[function] += bool(undecided)
    if not undecided and len(frames) < MAX_DEPTH:
        return
    if _is_endless(frames, function):
        raise engine.refuse(
            f"{frame.ssa.source.name} calls itself on every path: only an exception would end that",
            "let an `if` return without the call",
        )
    stackable = _stackable(frame, frames)
    most = LIMITS[stackable]
    calls = MAX_BESIDE if engine.demands.stacks else most.calls
    own = is_own(frame.ssa.source.file)  # which calls itself for what is in a tuple, too
    few = engine.activations[function] <= calls * (1 + own)
    long = len(undecided) > most.deep and engine.visited - undecided[0].began > most.visited
    now = engine.heap.contents
    repeats = stackable and any(_Repeats(outer, frame, now).all for outer in undecided)
    ends = len(frames) < MAX_DEPTH and len(undecided) < most.nested and not repeats
    if ends and few and not long:
        return
    refusal = too_deep(engine, "as deep as data says" if repeats else "")
    refusal.group = _group(frame, frames)
    refusal.many = not few
    if refusal.many:  # numbers that would be asked for, one after the other, are as much data
        raise refusal
    tests: Iterator[Value] = itertools.chain(
        deciding_tests(engine.block), _tests_of_source(undecided)
    )
    if repeats:  # a loop around needs no unrolling for it
        tests = filter(by_arguments, tests)
    refusal.tests = tuple(tests)
    # What unrolls a loop for a value may lead here in each iteration, at each depth.
    engine.findings.deep += 1
    asked = engine.findings.deep <= MAX_DEMANDS
    raise (engine.demand(refusal.tests, refusal) if asked else None) or refusal


def check_code(engine: Engine, frame: Any, more: int = 0) -> None:
    """Raise TooDeep where calls of a function in its own calls, copied ones among them, are so much
    code, with `more` instructions for `frame`, that a loop with a stack would be shorter."""
    frame.made = engine.builder.made
    frames = engine.frames
    outermost = next((f for f in frames if f.ssa.function is frame.ssa.function), frame)
    if frame.made + more - outermost.made > MAX_MADE and _stackable(frame, frames):
        refusal = too_deep(engine, "and are much code")
        refusal.group = _group(frame, frames)
        raise refusal


def _tests_of_source(frames: Sequence[Any]) -> Iterator[Value]:
    """The conditions that decided that control comes to the calls of itself that are open, as the
    function has them: where code of what it called has paths that met again since."""
    for frame in reversed(frames):
        for cond in deciding_tests(frame.position[0]):
            test = frame.env.get(cond)
            if isinstance(test, Scalar):
                yield test.value


def _group(frame: Any, frames: Sequence[Any]) -> frozenset[SourceFunction]:
    """A function with those that it calls, and that come to this call of it; by itself where loops
    with a stack cannot do what they do."""
    found = {frame.ssa.source}
    for outer in reversed([f for f in frames if f is not frame]):
        if outer.ssa.source is frame.ssa.source:
            break
        found.add(outer.ssa.source)
    group = frozenset(found)
    plain = to_loops(frame.ssa.source, group) is not None
    return group if plain else frozenset({frame.ssa.source})


def _stackable(frame: Any, frames: Sequence[Any]) -> bool:
    """Whether loops with a stack can do what a function that comes to a call of itself does."""
    return to_loops(frame.ssa.source, _group(frame, frames)) is not None


def noted(engine: Engine, frame: Any, error: CompileError) -> None:
    """Remember a function that calls itself, and is refused in such a call: as long as data says,
    or for loops in it that a stack would not unroll."""
    outer = [f for f in engine.frames[:-1] if f.ssa.source is frame.ssa.source]
    if any(map(_is_undecided, outer)) or (outer and "stacks" in error.remedy):
        engine.findings.recursive.setdefault(_group(frame, engine.frames), error)


def _is_undecided(frame: Any) -> bool:
    """Whether the function may also be left without the call that it is at."""
    return bool(frame.returns) or frame.split or any(frame.pending.values())


def _is_endless(frames: Sequence[Any], function: Any) -> bool:
    """Whether a function, of which a call is about to begin inside of calls, comes to a call of
    itself on every path, as do those in between."""
    calls = [i for i, f in enumerate(frames) if f.ssa.function is function]
    return bool(calls) and all(_is_certain(frame) for frame in frames[calls[-1] :])


def _is_certain(frame: Any) -> bool:
    """Whether all paths of a function lead to the call that it is at, whatever its values are."""
    if frame.split:
        return False
    at = frame.position[0]
    ways = reached([frame.ssa.function.blocks[0]], lambda block: [] if block is at else block.succs)
    return all(block.succs or block is at for block in ways)


def too_deep(engine: Engine, depth: str = "") -> Any:
    return engine.refuse(
        f"calls are nested too deeply ({depth or len(engine.frames)})",
        "recursion needs a depth that constants and number arguments decide, of at most "
        f"{MAX_DEPTH} ({LIMITS[False].nested} where data may end it earlier), or calls of a "
        "function by itself, outside of `try`, of plain arguments",
        kind=TooDeep,
    )


class Start(Mark):
    """Where a call begins, so that it can be visited anew."""

    def __init__(self, engine: Engine, frame: Any) -> None:
        super().__init__(engine, frame, Edge(engine.block, engine.heap, {}))
        self.entangled, self.kept = engine.heap.entangled, engine.heap.kept
        self.activations = engine.activations.copy()
        builder = engine.builder
        made = builder.emitted, builder.copied
        self.counts = (engine.visited, *made, engine.findings.iterations)

    def restore(self) -> None:
        """Go back to where the call begins, which writes to the heap as it is there."""
        super().restore()
        engine, heap = self.engine, self.entry.heap
        heap.contents, heap.entangled, heap.kept = self.frame.before, self.entangled, self.kept
        engine.activations = self.activations
        builder = engine.builder
        engine.visited, builder.emitted, builder.copied, engine.findings.iterations = self.counts
        engine.enter(self.entry)


def needs_stack(start: Start, request: TooDeep | NeedsStatic) -> bool:
    """Whether a visit, which began at `start`, was given up since its function calls itself too
    deeply, and nothing but a stack is left to do about it, which the function gets."""
    engine, frame = start.engine, start.frame
    deep: Any = request.otherwise if isinstance(request, NeedsStatic) else request
    if not isinstance(deep, TooDeep) or frame.ssa.source not in deep.group:
        return False
    if any(outer.ssa.source in deep.group for outer in engine.frames) or not frame.position:
        return False
    if deep.many and start.activations[frame.ssa.function]:
        return False  # the calls before this one are to have a stack as well
    if isinstance(request, NeedsStatic) and _is_of_loops(engine, request.scalar.value):
        return False  # which may be unrolled
    answer = engine.answer(request)
    if not isinstance(answer, Needs) or not answer.demands.stacks:
        return False
    journal.note("restart", answer.why, answer.loc)
    engine.demands = engine.findings.demands = engine.demands | answer.demands
    return True


def _is_of_loops(engine: Engine, value: Value) -> bool:
    """Whether a number is another one in each iteration of a loop around."""
    heads = {frame.heads.get(header) for frame in engine.frames for header in engine.loops}
    return any(head is not None and depends_on(value, head) for head in heads)


class _Repeats:
    """Whether no more is known where a function is called than where it was called before: the
    same constants, and all else of the same types."""

    def __init__(self, outer: Any, inner: Any, contents: Mapping[int, Any]) -> None:
        self.before, self.now = outer.before, contents
        self.met: set[tuple[int, int]] = set()
        self.all = all(map(self.value, outer.given, inner.given)) and all(
            map(self._cell, outer.before, outer.before)
        )

    def value(self, x: Any, y: Any) -> bool:
        if x is y and not isinstance(x, Ref):
            return True
        if isinstance(x, Const) and isinstance(y, Const):
            return all_equal([x.value, y.value])
        if isinstance(x, (Array, Scalar)) and isinstance(y, (Array, Scalar)):
            return x.type == y.type
        if isinstance(x, Ref) and isinstance(y, Ref):
            shown = [ref.view[-1].shape if ref.view else None for ref in (x, y)]
            return shown[0] == shown[1] and self._cell(x.cell, y.cell)
        return x.is_like(y) and all(map(self.value, x.parts, y.parts))

    def _cell(self, before: int, now: int) -> bool:
        x, y = self.before.get(before), self.now.get(now)
        if (before, now) in self.met or (x is y and before == now) or None in (x, y):
            return True
        self.met.add((before, now))
        return self.value(x, y)
