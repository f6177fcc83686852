"""Instructions on one of several values of no one type (`lattice.Either`): visited for each.

The program branches before the instruction, and meets again after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyxla.errors import CompileError
from pyxla.infer.arrays.shadows import number
from pyxla.infer.engine import Engine, Frame, Stopped
from pyxla.infer.facts.refine import places, refined, settled
from pyxla.infer.joins.merge import Edge, merge
from pyxla.infer.lattice import Const, Either, Scalar
from pyxla.infer.raising import catching
from pyxla.ir.core import Block, Branch, Instr
from pyxla.ops.elementwise import compare


def visit(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """What an instruction gives, for each of what its operands may be."""
    x = _operand(engine, frame, instr)
    if x is None:
        return engine.transfer[instr.op.name](engine, frame, instr)
    env, assumed = frame.env, frame.assumed
    among = places(x, assumed)
    edges, possible = [], []
    for place in _branches(engine, x, among):
        frame.env, frame.assumed = settled(env, x, place), assumed
        try:
            result = _visit_one(engine, frame, instr)
        except Stopped:
            continue
        results = (result,) if len(instr.results) == 1 else tuple(result or ())
        edges.append(Edge(engine.block, engine.heap, {}, results, engine.loc))
        possible.append(place)
    frame.env, frame.assumed = env, assumed
    if not edges:
        raise Stopped
    given = list(zip(*[edge.args for edge in edges], strict=True))
    edge, results = _met(engine, instr, edges)
    engine.enter(edge)
    if len(possible) < len(among) or len(possible) == 1:
        learned = (("AMONG", x, tuple(possible)),)
        env.update(refined(env, learned) or {})
        frame.assumed += learned
    found = [_telling(x, possible, *pair) for pair in zip(results, given, strict=True)]
    return found[0] if len(instr.results) == 1 else found


def _visit_one(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """As `visit`, where an operand is one of its items: what that does not have is raised there."""
    outer = engine.guards
    engine.guards = (*outer, AttributeError, TypeError)
    try:
        return visit(engine, frame, instr)
    except CompileError as error:
        same = catching.as_raised(engine, error)
        if same is None:
            raise
        engine.raise_(same)
    finally:
        engine.guards = outer


def _operand(engine: Engine, frame: Frame, instr: Instr) -> Either | None:
    """The first operand that is one of several."""
    for operand in instr.operands:
        value = frame.env[operand]
        if type(getattr(value, "value", None)) is Either:  # a name that may be unbound
            value = frame.env[operand] = engine.use(value)
        if type(value) is Either:
            return value
    return None


def _branches(engine: Engine, x: Either, among: list[int]) -> Iterator[int]:
    """Go on where `x` is each of the items at these places in turn."""
    for place in among[:-1]:
        hit = compare(x.selector.value, number(place), direction="EQ")
        here, other = Block(), Block()
        engine.block.terminator = Branch(hit, here, other, engine.loc)
        here.preds, other.preds = [engine.block], [engine.block]
        heap = engine.heap
        engine.enter(Edge(here, heap.copy(), {}))
        yield place
        engine.enter(Edge(other, heap, {}))
    yield among[-1]


def _telling(x: Either, possible: list[int], result: Any, given: tuple[Any, ...]) -> Any:
    """A bool that `x` decides, as one that tells which of its items `x` is."""
    bools = isinstance(result, Scalar) and result.kind is bool
    if not bools or not all(isinstance(value, Const) for value in given):
        return result
    sides = []
    for outcome in (True, False):
        among = [p for p, value in zip(possible, given, strict=True) if value.value is outcome]
        sides.append((("AMONG", x, tuple(among)),))
    return Scalar(result.value, result.fact, ("implies", *sides))


def _met(engine: Engine, instr: Instr, edges: list[Edge]) -> tuple[Edge, tuple[Any, ...]]:
    hints = [(result.hint, instr.loc) for result in instr.results]
    pinned, policy = engine.captures.pinned, engine.policy
    return merge(
        edges, (), hints, engine.in_use, pinned, instr, engine.exact, policy.grows, policy.apart
    )
