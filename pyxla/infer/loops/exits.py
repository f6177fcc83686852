"""What is known behind a loop, once a pass over it fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyxla.abstract.lattice import NeedsStatic, is_none, is_variant, may_be_unbound
from pyxla.errors import CompileError
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.joins import kinds
from pyxla.infer.joins.edges import Edge
from pyxla.infer.lists import growth
from pyxla.infer.loops.header import LoopHead
from pyxla.infer.loops.marks import Mark, edges_out
from pyxla.ir.core import Block, replaced
from pyxla.ir.dominance import Component


def leave(
    engine: Engine,
    frame: Frame,
    component: Component,
    entry: Edge,
    head: LoopHead,
    back: Edge,
    mark: Mark,
) -> None:
    """What is known behind a loop, of which a pass fits."""
    leaving = edges_out(engine, frame, component, mark)
    head.restore(back, leaving)
    growth.settle(head, entry, back, _ended(frame, component, mark))
    growth.watch_exits(engine, leaving, head.visit)
    _retype(frame, component, head.retyped, mark.pending)
    _bind(engine, frame, component, entry, head, back)
    _settle_kinds(engine, frame, component, entry, head, back)


def _retype(
    frame: Frame, component: Component, retyped: dict[int, Any], before: dict[Block, int]
) -> None:
    """Names that the loop does not read leave it as what they turned out to be at its header."""
    places = {component.header.phis[i].value: new for i, new in retyped.items()}
    if not places:
        return
    for source, target in component.loop.exits:
        for k, phi in enumerate(target.phis):
            new = places.get(phi.args[source])
            if new is None:
                continue
            for edge in frame.pending.get(target, [])[before.get(target, 0) :]:
                edge.args = replaced(edge.args, k, new)


def _ended(frame: Frame, component: Component, mark: Mark) -> list[Edge]:
    """The edges on which control left the loop by its test."""
    outside = [t for t in component.header.terminator.targets if t not in component.loop.blocks]
    return [
        edge
        for target in outside
        if len(target.preds) == 1
        for edge in frame.pending.get(target, [])[mark.pending.get(target, 0) :]
    ]


def _goes_in(engine: Engine, frame: Frame, component: Component, entry: Edge) -> bool:
    """Whether the first test of the loop is known to enter it."""
    mark = Mark(engine, frame, entry)
    scratch = Block("scratch")
    engine.enter(Edge(scratch, entry.heap.copy(), {}))
    frame.env, frame.assumed = dict(entry.env), entry.assumed
    header = component.header
    for phi, value in zip(header.phis, entry.args, strict=True):
        frame.env[phi.value] = value
    try:
        engine.visit(frame, header)
    except (CompileError, NeedsStatic):
        pass
    targets = header.terminator.targets if header.terminator else ()
    reached = [b for b in targets if len(frame.pending.get(b, ())) > mark.pending.get(b, 0)]
    mark.forget()
    return len(reached) == 1 and reached[0] in component.loop.blocks


def _bind(
    engine: Engine, frame: Frame, component: Component, entry: Edge, head: LoopHead, back: Edge
) -> None:
    """Names that each iteration binds, or binds to what is not None, are bound after a loop that is
    entered for certain, and not None."""
    bound = {}
    for x, y in zip(head.args, back.args, strict=True):
        there = is_variant(x, "optional") and is_none(y) is False
        if there or (is_variant(x, "unbound") and not may_be_unbound(y)):
            bound[id(x)] = x.value
    if bound and _goes_in(engine, frame, component, entry):
        for edge in _tested(frame, component):
            edge.args = tuple([bound.get(id(a), a) for a in edge.args])


def _tested(frame: Frame, component: Component) -> Iterator[Edge]:
    """The edges out of the loop by its test."""
    for target in component.header.terminator.targets:
        if target not in component.loop.blocks:
            yield from frame.pending.get(target, ())


def _settle_kinds(
    engine: Engine, frame: Frame, component: Component, entry: Edge, head: LoopHead, back: Edge
) -> None:
    """After a loop that is entered for certain, numbers are of the kind that it brings back."""
    pairs = zip(head.args, back.args, strict=True)
    known = [(x, kinds.settled(x, y)) for x, y in pairs if getattr(x, "kinds", None)]
    settled = {id(x): y for x, y in known if y is not None}
    if settled and _goes_in(engine, frame, component, entry):
        for edge in _tested(frame, component):
            edge.args = tuple([settled.get(id(a), a) for a in edge.args])
            edge.env = {key: settled.get(id(a), a) for key, a in edge.env.items()}


def entangle(frame: Frame, component: Component, cells: set[int], reason: str) -> None:
    """Behind a loop, refuse writes to `cells`."""
    for _, target in component.loop.exits:
        for edge in frame.pending.get(target, ()):
            edge.heap.entangle(cells, reason, (component.header,))
