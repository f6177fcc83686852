"""Views of arrays that nobody else refers to, as arrays of their own: `x = (a @ x.T).T` in a loop.

What a name holds at the header of a loop is an array, whole or through one view; iterations bring
back other arrays.  A view whose array cannot be reached in another way is as good as a new array of
its elements, but for the order of these in memory, which the new array keeps (`CellInfo.strides`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyxla.abstract.heap import reachable, shadowed
from pyxla.abstract.lattice import Array, Ref
from pyxla.infer.engine import Engine
from pyxla.ir.build import Builder, building
from pyxla.views import views


def compact(engine: Engine, edge: Any, live: Iterable[Any], fixed: Iterable[Any]) -> None:
    """Give names on `edge` arrays of their own where they are the only views of some.

    fixed: what loops around this one take for what it was where they began.
    """
    names = [edge.env[value] for value in live if value in edge.env]
    refs = [x for x in (*edge.args, *names) if isinstance(x, Ref)]
    lone = {x.cell: x for x in refs if x.view and _may_move(engine, edge.heap, x)}
    lone = {c: x for c, x in lone.items() if all(r.view == x.view for r in refs if r.cell == c)}
    if not lone:
        return
    outer = reachable(edge.heap, [edge.env[value] for value in fixed if value in edge.env])
    rest = [x for x in (*edge.args, *names) if not (isinstance(x, Ref) and x.cell in lone)]
    held = reachable(edge.heap, [*rest, *engine.held(), *engine.captures.pinned])
    held |= shadowed(edge.heap)
    edge.heap = edge.heap.copy()
    new = {cell: _copied(edge, x) for cell, x in lone.items() if cell not in held | outer}
    edge.args = tuple([_moved(x, new) for x in edge.args])
    edge.env = {value: _moved(x, new) for value, x in edge.env.items()}


def _may_move(engine: Engine, heap: Any, x: Ref) -> bool:
    info = heap.infos[x.cell]
    free = info.pinned is None and not info.read_only and x.cell not in engine.jax_cells
    unshared = x.cell not in heap.entangled and x.cell not in heap.kept
    whole = isinstance(heap.contents.get(x.cell), Array)
    return free and unshared and whole and all(step.writable for step in x.view)


def _copied(edge: Any, x: Ref) -> Ref:
    content, info = edge.heap.contents[x.cell], edge.heap.infos[x.cell]
    strides = info.strides
    if strides != views.MIXED:
        strides = views.layout(content.type, x.view, strides).strides
    with building(Builder(edge.block.instrs, edge.loc)):
        array = views.apply(x.view, content)
    return Ref(edge.heap.new(array, info.loc, strides=strides, otherwise=info.otherwise))


def _moved(x: Any, new: dict[int, Ref]) -> Any:
    return new.get(x.cell, x) if isinstance(x, Ref) else x
