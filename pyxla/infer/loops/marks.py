"""What a pass of a loop, or a call, adds to: how much there was before it, and what it left."""

from __future__ import annotations

from typing import NamedTuple

from pyxla.errors import Location
from pyxla.infer.frame import Frame
from pyxla.infer.interface import Engine
from pyxla.infer.joins.edges import Edge
from pyxla.ir.core import Block
from pyxla.ir.dominance import Component


class Mark(NamedTuple):
    """How much there was before a pass, of what a pass adds to; `pending` by block."""

    pending: dict[Block, int]
    raised: int
    returns: int
    written: int
    frames: int


def marked(engine: Engine, frame: Frame) -> Mark:
    """What there is now."""
    return Mark(
        pending={block: len(edges) for block, edges in frame.pending.items()},
        raised=len(engine.raised),
        returns=len(frame.returns),
        written=len(engine.written),
        frames=len(engine.frames),
    )


def reset(engine: Engine, frame: Frame, mark: Mark) -> None:
    """Forget what a pass left behind."""
    for block in list(frame.pending):
        if block not in mark.pending:
            del frame.pending[block]
        else:
            del frame.pending[block][mark.pending[block] :]
    del engine.raised[mark.raised :]
    del frame.returns[mark.returns :]
    del engine.written[mark.written :]
    del engine.frames[mark.frames :]


def edges_out(engine: Engine, frame: Frame, component: Component, mark: Mark) -> list[Edge]:
    """The edges on which control left the loop, returns and exceptions included."""
    edges = [*frame.returns[mark.returns :], *[path.edge for path in engine.raised[mark.raised :]]]
    for target in dict.fromkeys(target for _, target in component.loop.exits):
        edges += frame.pending.get(target, [])[mark.pending.get(target, 0) :]
    return edges


def first_line(block: Block) -> Location | None:
    """Where the code of `block` starts."""
    return next((i.loc for i in block.instrs if i.loc is not None), block.terminator.loc)
