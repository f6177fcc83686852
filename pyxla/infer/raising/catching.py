"""Exceptions on their way: noted where they are raised, and landed where a `try` takes them.

A path that raises ends, and is noted in `Engine.raised` with the heap there.  When a block inside a
`try` has been visited, what was noted meanwhile, in calls too, becomes edges to its pads, and what
none of them takes stays noted: it is for the callers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.abstract.lattice import Compound, Conflict, Const, Variant
from pyxla.errors import CompileError, Location, RefusedPath, in_program, is_own, said
from pyxla.frozen import dataclass
from pyxla.infer.frame import Frame
from pyxla.infer.interface import Engine
from pyxla.infer.joins.edges import Edge, Env
from pyxla.infer.raising import asked
from pyxla.infer.raising.exceptions import alternatives, classes_of, instance, takes
from pyxla.infer.raising.faults import Raises
from pyxla.ir import core
from pyxla.ir.core import Block, Phi
from pyxla.ir.op import OpError
from pyxla.ops.elementwise import compare, not_
from pyxla.views.shadows import number

_MISTAKES = (AttributeError, NameError, TypeError)
Pads = Sequence[tuple[Block, tuple[type, ...] | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A path that raises: where, what (an abstract exception), and the heap there.

    refusal: of what certainly raises, for a program that never returns.  calls: those that led
    there, outermost first.  before: what names have that are of the same exception, which has a
    cause since.
    """

    edge: Edge
    exception: Any
    loc: Location | None
    catchable: bool = True
    refusal: CompileError | None = None
    calls: tuple[Location, ...] = ()
    before: Any = None


def pads(engine: Engine, env: Env, block: Block) -> Pads:
    """Where exceptions of `block` land, and of which classes (None: any)."""
    return [(pad, _classes(engine, env, block, pad)) for pad in block.pads]


def pad_of(path: Raised, pads: Pads) -> Block | None:
    """The innermost pad that takes what a path raises."""
    if not path.catchable:
        return None
    return next((pad for pad, classes in pads if takes(classes, path.exception)), None)


def landed(path: Raised, block: Block, pad: Block, state: Edge) -> Edge:
    """The edge to `pad`, where names are as they were in `state`, at the beginning of `block`.

    What may be raised again there keeps the line where it was raised first.
    """
    found = path.exception
    if pad.instrs[0].attrs.get("again"):
        found = Compound("exception", found.items, found.meta, path.loc)
    names = state.env.copy()
    if path.before is not None:
        names.update({name: found for name, x in names.items() if x is path.before})
    names[pad.phis[0].args[block]] = found
    return Edge(path.edge.block, path.edge.heap, names, (), path.loc, state.assumed)


def _classes(engine: Engine, env: Env, block: Block, pad: Block) -> tuple[type, ...] | None:
    """The classes of exceptions of `block` that land in `pad`; None: all."""
    if not pad.instrs[0].operands:
        return None
    found: list[type] = []
    for value in pad.instrs[0].operands:
        if isinstance(value.owner, Phi) and value.owner.block is pad:
            value = value.owner.args[block]
        classes = classes_of(env[value])
        if classes is None:
            raise engine.refuse(
                "the classes that an `except` clause names are not known while compiling",
                "name classes of exceptions, or a tuple of them",
            )
        found.extend(classes)
    return tuple(found)


def throw(
    engine: Engine,
    exception: Any,
    catchable: bool = True,
    refusal: CompileError | None = None,
    before: Any = None,
) -> None:
    """Note that the current path ends with `exception`; one path for each that it may be."""
    found = instance(exception, engine.loc)
    items = alternatives(found)
    for place in branches(engine, found, range(len(items))):
        last = place + 1 == len(items)
        _note(engine, items[place], catchable, refusal if last else None, before)


def raise_unless(engine: Engine, condition: Any, error: Any, catchable: bool) -> None:
    """Go on where `condition` holds; the other path raises."""
    good, bad = Block(), Block()
    engine.block.terminator = core.Branch(condition.value, good, bad, engine.loc)
    good.preds = [engine.block]
    bad.preds = [engine.block]
    engine.block, engine.builder.instrs = bad, bad.instrs
    error = error.make() if isinstance(error, Raises) else error
    if isinstance(error, BaseException):
        error = Compound("exception", tuple([Const(a) for a in error.args]), type(error))
    throw(engine, error, catchable)
    engine.block, engine.builder.instrs = good, good.instrs


def branches(engine: Engine, x: Variant, among: Sequence[int]) -> Iterator[int]:
    """Go on where `x` is each of the items at these places in turn."""
    for place in among[:-1]:
        tag = x.tag.value
        if x.tag.kind is bool:
            hit = tag if place else not_(tag)
        else:
            hit = compare(tag, number(place), direction="EQ")
        here, other = Block(), Block()
        engine.block.terminator = core.Branch(hit, here, other, engine.loc)
        here.preds, other.preds = [engine.block], [engine.block]
        heap = engine.heap
        engine.enter(Edge(here, heap.copy(), {}))
        yield place
        engine.enter(Edge(other, heap, {}))
    yield among[-1]


def _note(
    engine: Engine,
    exception: Compound,
    catchable: bool,
    refusal: CompileError | None,
    before: Any,
) -> None:
    loc, calls = in_program(engine.loc, engine.chain())
    if exception.origin is not None:
        loc, calls = exception.origin, ()
    edge = Edge(engine.block, engine.heap.copy(), {}, (), loc)
    engine.raised.append(Raised(edge, exception, loc, catchable, refusal, calls, before))


def noted(engine: Engine, frame: Frame, targets: Sequence[Block], envs: Sequence[Env]) -> Any:
    """Of a branch of the library's own Python, one side of which raises what CPython raises by
    itself: that side, and the site at which it is noted as a fault; None of others."""
    if engine.faults.noted is None or not frame.module.get("__name__", "").startswith("pyxla.lib"):
        return None
    sides = [i for i, target in enumerate(targets) if isinstance(target.terminator, core.Raise)]
    if len(sides) != 1 or targets[sides[0]].phis:
        return None
    (side,) = sides
    mark, position = len(engine.raised), frame.position
    here = Edge(engine.block, engine.heap, frame.env, (), engine.loc)
    assumed = frame.assumed
    scratch = Edge(Block("scratch"), engine.heap.copy(), dict(envs[side]), (), engine.loc)
    engine.enter(scratch)
    frame.env = scratch.env
    engine.visit(frame, targets[side])
    paths = engine.raised[mark:]
    del engine.raised[mark:]
    engine.enter(here)
    frame.env, frame.position, frame.assumed = here.env, position, assumed
    if len(paths) != 1 or engine.catches(kind := paths[0].exception.meta):
        return None
    site = paths[0].loc, kind
    return None if engine.faults.in_place(site) else (side, site)


def instead(engine: Engine, frame: Frame, refusal: CompileError) -> tuple[Compound, CompileError]:
    """What the program raises where the instruction that `frame` is at is refused, and the refusal
    with NumPy's words; raises that where the program does not."""
    error = asked.refusal(engine, frame, refusal)
    if not _may_be_another(frame) and (same := _as_raised(engine, error)) is not None:
        return same, error
    if (path := left_out(engine, error.loc)) is None:
        if error.alone is None:
            error.alone = not any([frame.pending or frame.returns for frame in engine.frames])
        raise error from refusal.__cause__
    certain = error.words is not None and not (_may_be_another(frame) or _is_own(engine))
    if certain:
        engine.findings.left_out[path[1]] = error.raises
        return _exception(error), error
    return path


def _is_own(engine: Engine) -> bool:
    return engine.loc is None or is_own(engine.loc)


def left_out(engine: Engine, *locs: Location | None) -> tuple[Compound, CompileError] | None:
    """What is raised where the program comes to a place that nothing lifts the refusal of, and that
    refusal."""
    for error in engine.demands.refused:
        if error.loc in locs:
            engine.findings.left_out.setdefault(error, None)
            told = Const(error.message), Const(error.hint), Const(type(error).also)
            return Compound("exception", told, RefusedPath), error
    return None


def _may_be_another(frame: Frame) -> bool:
    """Whether the instruction has numbers that may be of other types than it is refused for."""
    block, index = frame.position
    operands = block.instrs[index].operands if 0 <= index < len(block.instrs) else ()
    given = [y for v in operands for x in [frame.env.get(v)] for y in getattr(x, "items", (x,))]
    return any(getattr(x, "kinds", None) is not None for x in given)


def _as_raised(engine: Engine, error: CompileError) -> Compound | None:
    """What the program raises in the place of a refusal, where that is certain: no other path
    matters to it.  A mistake in the program, such as a misspelt name or what is no type for an
    operation, is refused all the same, if nothing takes it, and so is what the library's own
    Python comes to."""
    kind = error.raises
    caught = kind is not None and issubclass(kind, engine.guards)
    if kind is None or (not caught and (_is_own(engine) or issubclass(kind, _MISTAKES))):
        return None
    if caught and error.same is None:
        return Compound("exception", (_caught(error, kind),), kind)
    return _exception(error)


def _exception(error: CompileError) -> Compound:
    """The exception that CPython and NumPy raise in the place of a refusal."""
    kind = error.raises
    if error.same is not None:
        return Compound("exception", tuple(map(Const, error.same.args)), kind)
    name, _, _ = error.message.partition(": ")
    text = said(error.__cause__) if isinstance(error.__cause__, OpError) else error.message
    message = error.words or text.removeprefix(f"{name}: ")
    return Compound("exception", (Const(message),), kind)


def _caught(error: CompileError, kind: type[Exception]) -> Any:
    """The message of an exception, which a handler may read."""
    if error.words is not None:
        return Const(error.words)
    return Conflict(
        f"the text of this {kind.__name__} is not CPython's word for word",
        hint="catch the exception without reading its text, or raise one of your own",
    )
