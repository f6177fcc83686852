"""Regions of ops from functions of the program: the computation of a `reduce`, the body of a loop.

A function that is handed to an op is visited in a graph of its own, with the caller's heap to read.
Where it branches or loops that graph is the region, and outlining makes it straight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.abstract.lattice import Scalar
from pyxla.infer.arrays.room import with_room
from pyxla.infer.interface import Engine
from pyxla.infer.raising.faults import Faults
from pyxla.ir.build import Builder
from pyxla.ir.core import Block, Function, Region, Return, Value
from pyxla.ir.dominance import reverse_postorder
from pyxla.ir.types import ArrayType


class EngineBuilder(Builder):
    """The engine's insertion point; zero: what `infer.exact` adds."""

    __slots__ = ("engine", "zero")

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.block.instrs)
        self.engine = engine
        self.zero: Value | None = None

    def room(self, size: Scalar) -> Scalar | None:
        return with_room(self.engine, size)

    def region(self, types: Sequence[ArrayType], body: Callable[..., Any]) -> Region:
        """The region that `body` makes of fresh parameters; it may visit functions."""
        engine, instrs = self.engine, self.instrs
        block, heap = engine.block, engine.heap
        known, written, raised = len(heap.infos), len(engine.written), len(engine.raised)
        params = tuple([Value(t) for t in types])
        entry = engine.block = Block("computation")
        self.instrs = entry.instrs
        engine.heap = heap.copy()
        # Nothing can be noted from inside: what it computes is not the program's data flow.
        checks, engine.checks = engine.checks, False
        faults, engine.faults = engine.faults, Faults()
        try:
            made = body(*params)
            last = engine.block
        finally:
            engine.checks, engine.faults = checks, faults
            engine.block, engine.heap, self.instrs = block, heap, instrs
        if len(engine.raised) > raised:
            raise engine.refuse("the computation of an op cannot raise")
        if any(cell < known for cell in engine.written[written:]):
            raise engine.refuse("the computation of an op cannot write to what is outside of it")
        results = made if type(made) is tuple else (made,)
        if last is entry:
            return Region(params, entry.instrs, results)
        last.terminator = Return(results, self.loc)
        return graph(entry, params, self.loc)  # type: ignore[return-value]


def graph(entry: Block, params: tuple[Value, ...], loc: Any, name: str = "computation") -> Function:
    """What can be reached from `entry`, as a function."""
    blocks = reverse_postorder(entry)
    reached = set(blocks)
    for block in blocks:
        block.preds = [pred for pred in block.preds if pred in reached]
        for phi in block.phis:
            phi.args = {pred: value for pred, value in phi.args.items() if pred in reached}
    return Function(name, params, blocks, loc)
