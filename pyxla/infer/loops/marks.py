"""Where the visit of a loop or a call begins, so that it can be forgotten and made anew."""

from __future__ import annotations

from pyxla.errors import Location
from pyxla.infer.frame import Frame
from pyxla.infer.interface import Engine
from pyxla.infer.joins.edges import Edge
from pyxla.ir.core import Block
from pyxla.ir.dominance import Component


class Mark:
    """What there was at `entry`, where a visit by `frame` begins: the code before it, the state,
    and how much of what visits add to; `pending` by block."""

    def __init__(self, engine: Engine, frame: Frame, entry: Edge) -> None:
        self.engine, self.frame, self.entry = engine, frame, entry
        self.pending = {block: len(edges) for block, edges in frame.pending.items()}
        self.raised, self.returns = len(engine.raised), len(frame.returns)
        self.written, self.frames = len(engine.written), len(engine.frames)
        self.size, self.state = len(entry.block.instrs), (entry.heap, entry.args, entry.env)

    def forget(self) -> None:
        """Forget what the visit left behind, but for code."""
        engine, pending = self.engine, self.frame.pending
        for block in list(pending):
            if block not in self.pending:
                del pending[block]
            else:
                del pending[block][self.pending[block] :]
        del engine.raised[self.raised :]
        del self.frame.returns[self.returns :]
        del engine.written[self.written :]
        del engine.frames[self.frames :]

    def restore(self) -> None:
        """Forget the visit."""
        self.forget()
        del self.entry.block.instrs[self.size :]
        self.entry.block.terminator = None
        self.entry.heap, self.entry.args, self.entry.env = self.state


def edges_out(engine: Engine, frame: Frame, component: Component, mark: Mark) -> list[Edge]:
    """The edges on which control left the loop, returns and exceptions included."""
    edges = [*frame.returns[mark.returns :], *[path.edge for path in engine.raised[mark.raised :]]]
    for target in dict.fromkeys(target for _, target in component.loop.exits):
        edges += frame.pending.get(target, [])[mark.pending.get(target, 0) :]
    return edges


def first_line(block: Block) -> Location | None:
    """Where the code of `block` starts."""
    return next((i.loc for i in block.instrs if i.loc is not None), block.terminator.loc)
