"""The walk over the blocks of a function: what arrives is merged, visited, and sent on.

Blocks are visited in weak topological order (Bourdoncle 1993); a loop is visited by the rules.
"""

from __future__ import annotations

from typing import Any

from pyxla.abstract.facts.refine import atoms, refined, together
from pyxla.abstract.heap import swept
from pyxla.abstract.lattice import Const, NeedsStatic
from pyxla.errors import CompileError, InternalError, in_program
from pyxla.infer import narrowing, using
from pyxla.infer.calls.captures import NewCapture
from pyxla.infer.calls.depth import check_depth, noted, too_deep
from pyxla.infer.demands import Exhausted, Needs
from pyxla.infer.frame import Frame, NotKnown, Stopped
from pyxla.infer.interface import Engine
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.merge import merge
from pyxla.infer.raising import catching
from pyxla.infer.raising.exceptions import caused, instance
from pyxla.infer.raising.refusals import kind_of
from pyxla.ir import core
from pyxla.ir.core import Block
from pyxla.ir.dominance import Component
from pyxla.ir.op import OpError
from pyxla.ops.elementwise import not_


def run(engine: Engine, frame: Frame) -> Any:
    """Visit a function from the current point; returns its result, or raises Stopped."""
    check_depth(engine, frame)
    engine.frames.append(frame)
    frame.first, frame.before = len(engine.heap.infos), engine.heap.contents.copy()
    outer = engine.builder.loc
    try:
        entry = frame.ssa.function.blocks[0]
        frame.pending[entry] = [Edge(engine.block, engine.heap, frame.env, (), outer)]
        walk(engine, frame, frame.ssa.flow.wto)
    except RecursionError:
        raise too_deep(engine) from None
    except CompileError as error:
        noted(engine, frame, error)
        raise
    finally:
        engine.frames.pop()
        engine.builder.loc = outer
    if not frame.returns:
        raise Stopped
    hints = [("the result", e.loc) for e in frame.returns[:1]]
    edge, (result,) = merge(engine, frame.returns, hints, frame.ssa.function)
    edge.heap = swept(edge.heap, frame.first, frame.before, (result,))
    engine.enter(edge)
    return result


def walk(engine: Engine, frame: Frame, items: tuple[Block | Component, ...]) -> None:
    """Visit these blocks and loops, those that control came to."""
    for item in items:
        if isinstance(item, Component):
            if item.header in frame.pending:
                engine.repeating += 1
                try:
                    engine.rules.loop(engine, frame, item)
                finally:
                    engine.repeating -= 1
        elif item in frame.pending:
            arrive(engine, frame, item)
            engine.visit(frame, item)


def arrive(engine: Engine, frame: Frame, block: Block) -> None:
    """Merge what leads to `block` and bind its phis."""
    edges = frame.pending.pop(block)
    if len(edges) == 1:
        (edge,) = edges
        args = edge.args
    else:
        hints = [(phi.value.hint, phi.loc) for phi in block.phis]
        edge, args = merge(engine, edges, hints, block, engine.held, frame.ssa.live_in[block])
    engine.enter(edge)
    frame.env = edge.env
    frame.assumed = edge.assumed
    for phi, value in zip(block.phis, args, strict=True):
        frame.env[phi.value] = value


def visit(engine: Engine, frame: Frame, block: Block) -> None:
    """Type the instructions of a block and leave it; what it raises lands in its pads."""
    engine.visited += len(block.instrs)
    if not engine.may_go_on(engine.visited, engine.builder.emitted):
        raise Exhausted(in_program(engine.loc, engine.chain())[0])
    if not block.pads:
        return _emit(engine, frame, block)
    state = Edge(engine.block, engine.heap, frame.env.copy(), (), None, frame.assumed)
    mark = len(engine.raised)
    pads = catching.pads(engine, state.env, block)
    outer = engine.guards
    engine.guards = (*outer, *[cls for _, classes in pads for cls in classes or ()])
    try:
        _emit(engine, frame, block)
    finally:
        engine.guards = outer
    raised, engine.raised[mark:] = engine.raised[mark:], []
    for path in raised:
        pad = catching.pad_of(path, pads)
        if pad is None:
            engine.raised.append(path)
        else:
            go(frame, block, pad, catching.landed(path, block, pad, state))


def _emit(engine: Engine, frame: Frame, block: Block) -> None:
    """Type the instructions of a block and leave it, unless one of them ends the path."""
    env = frame.env
    frame.position = (block, -1)
    transfer = engine.transfer
    step = engine.rules.case_split if engine.demands.case_split else engine.shared
    builder = engine.builder
    narrow = narrowing.is_asked(engine, frame)
    try:
        for index, instr in enumerate(block.instrs):
            builder.loc = instr.loc
            frame.position = (block, index)
            first = len(engine.heap.infos)
            result = (step or transfer[instr.op.name])(engine, frame, instr)
            if narrow:
                result = narrowing.of(engine, result, first)
            if instr.results:
                if len(instr.results) == 1:
                    env[instr.results[0]] = result
                else:
                    env.update(zip(instr.results, result, strict=True))
        leave(engine, frame, block)
    except Stopped:
        return
    except NeedsStatic as need:
        if need.loc is None:
            need.loc, need.chain = in_program(engine.loc, engine.chain())
        if (path := catching.left_out(engine, need.loc)) is None:
            raise
        catching.throw(engine, path[0], refusal=path[1])
    except (NewCapture, Needs, NotKnown, RecursionError):
        raise
    except (CompileError, OpError) as refusal:
        if isinstance(refusal, OpError):
            refusal = engine.refuse(str(refusal), **kind_of(refusal))
        same, error = catching.instead(engine, frame, refusal)
        catching.throw(engine, same, refusal=error)
    except MemoryError as error:
        raise engine.refuse(
            "what this makes while compiling does not fit in memory",
            "make an array of that size instead of Python objects",
        ) from error
    except Exception as error:
        raise InternalError(error, engine.loc, engine.chain()) from error


def leave(engine: Engine, frame: Frame, block: Block) -> None:
    """Send on the state at the end of a block."""
    terminator = block.terminator
    loc = engine.builder.loc = terminator.loc or engine.builder.loc
    if isinstance(terminator, core.Jump):
        edge = Edge(engine.block, engine.heap, frame.env, (), loc, frame.assumed)
        go(frame, block, terminator.target, edge)
    elif isinstance(terminator, core.Branch):
        branch(engine, frame, block, terminator)
    elif isinstance(terminator, core.Return):
        value = using.moved(engine, frame.env[terminator.operands[0]])
        frame.returns.append(Edge(engine.block, engine.heap, {}, (value,), loc))
    else:
        before, *cause = [_made(engine, frame.env[x]) for x in terminator.operands]
        error = before = instance(before, engine.loc)
        if frame.module.get("__name__", "").startswith("pyxla.lib"):
            cause = []  # what CPython raises by itself has none
        for x in cause:
            known = isinstance(x, Const) and x.value is not None
            error = caused(error, instance(x, engine.loc) if known else x)
        catching.throw(engine, error, before=before)
        raise Stopped


def _made(engine: Engine, x: Any) -> Any:
    """An exception that is raised, made where its class is named."""
    x = engine.use(x)
    if isinstance(x, Const) and isinstance(x.value, type):
        return engine.rules.call(engine, x, [], {})
    return x


def go(frame: Frame, source: Block, target: Block, edge: Edge) -> None:
    """Send `edge` along source -> target, with the operands of the target's phis."""
    env = edge.env
    edge.args = tuple([env[phi.args[source]] for phi in target.phis])
    frame.pending.setdefault(target, []).append(edge)


def branch(engine: Engine, frame: Frame, block: Block, terminator: core.Branch) -> None:
    """Send on the state to where a condition says, or what is known of each side to both."""
    cond = engine.use(frame.env[terminator.cond])
    if isinstance(cond, Const):
        target = terminator.if_true if cond.value else terminator.if_false
        edge = Edge(engine.block, engine.heap, frame.env, (), engine.loc, frame.assumed)
        go(frame, block, target, edge)
        return
    targets = terminator.if_true, terminator.if_false
    learned = atoms(cond, True), atoms(cond, False)
    envs = [refined(frame.env, side, frame.assumed) for side in learned]
    if envs[0] is None and envs[1] is None:
        envs = [None, frame.env]  # facts exclude that control comes here: any side will do
    side = envs.index(None) ^ 1 if None in envs else None  # facts exclude the other one
    if side is None and (found := catching.noted(engine, frame, targets, envs)) is not None:
        side = found[0] ^ 1
        engine.faults.note(found[1], cond.value if side == 0 else not_(cond.value))
    if side is not None:
        edge = Edge(engine.block, engine.heap, envs[side], (), engine.loc)
        edge.assumed = together(frame.assumed, learned[side])
        go(frame, block, targets[side], edge)
        return
    blocks = Block(), Block()
    engine.findings.branched.append(cond.value)
    engine.block.terminator = core.Branch(cond.value, *blocks, engine.loc)
    heaps = engine.heap, engine.heap.copy()
    for side in (0, 1):
        blocks[side].preds.append(engine.block)
        edge = Edge(blocks[side], heaps[side], envs[side], (), engine.loc)
        edge.assumed = together(frame.assumed, learned[side])
        go(frame, block, targets[side], edge)
