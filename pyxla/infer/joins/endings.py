"""How a visited function ends: the paths that return and those that raise, brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyxla.errors import CompileError, Location
from pyxla.infer.engine import Engine, Stopped
from pyxla.infer.heap import Heap, reachable, shadowed
from pyxla.infer.joins.merge import Edge, merge
from pyxla.infer.lattice import UNDEFINED, Array, Const
from pyxla.infer.raising.catching import Raised


def visited(engine: Engine, visit: Callable[[], Any]) -> list[Edge]:
    """The edge on which `visit` returns, its result the second operand; none where it raises."""
    try:
        result = visit()
    except Stopped:
        return []
    return [Edge(engine.block, engine.heap, {}, (Const(0), result), engine.loc)]


def ended(engine: Engine, edges: list[Edge], raised: list[Raised]) -> tuple[Any, Any, list[Raised]]:
    """Go on where the function has returned (`visited`) or raised: (status, result, exceptions).

    status: None where nothing is raised; else 0, or k for `raised[k - 1]`, an int.  result:
    UNDEFINED where it never returns.
    """
    if not raised and not edges:
        raise CompileError("this function never returns", engine.loc)
    if not raised:
        engine.enter(edges[0])
        _, result = edges[0].args
        return None, result, []
    width = len(raised)
    for edge in edges:
        edge.args = (*edge.args, *[UNDEFINED] * width)
    returned = edges[0].heap if edges else None
    for i, path in enumerate(raised):
        parts: list[Any] = [UNDEFINED] * width
        parts[i] = path.exception
        edge = path.edge
        if returned is not None:
            edge.heap = _without_lost(engine, edge.heap, path.exception, returned)
        edge.args = (Const(i + 1), UNDEFINED, *parts)
        edges.append(edge)
    names = ["status", "the result", *["the exception"] * width]
    hints: list[tuple[str, Location | None]] = [(name, None) for name in names]
    pinned, grows = engine.captures.pinned, bool(engine.pools)
    how = ended, engine.exact, grows, engine.policy.apart
    edge, args = merge(edges, (), hints, lambda: _held(engine), pinned, *how)
    engine.enter(edge)
    status, result, *exceptions = args
    merged = [Raised(p.edge, e, p.loc) for p, e in zip(raised, exceptions, strict=True)]
    return status, result, merged


def _without_lost(engine: Engine, heap: Heap, exception: Any, returned: Heap) -> Heap:
    """`heap` of a path that raises without the containers that nobody has any more then, if any of
    them is not as it is when the function returns: a dict that was being filled."""
    containers = {c: content for c, content in heap.contents.items() if type(content) is not Array}
    others = returned.contents
    if all(others.get(cell, content) is content for cell, content in containers.items()):
        return heap
    seen = reachable(heap, [exception, *_held(engine), *engine.captures.pinned]) | shadowed(heap)
    lost = {c for c in containers if c not in seen and heap.infos[c].pinned is None}
    kept = {cell: content for cell, content in heap.contents.items() if cell not in lost}
    return Heap(heap.infos, kept, heap.entangled, heap.kept)


def _held(engine: Engine) -> Iterator[Any]:
    """What the callers still need, and may need: the innermost of them is at a call."""
    yield from engine.held()
    if engine.frames:
        yield from engine.frames[-1].env.values()
