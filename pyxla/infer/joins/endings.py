"""How a visited function ends: the paths that return and those that raise, brought together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from pyxla.abstract.heap import (
    DictCell,
    GrowingList,
    Heap,
    ListCell,
    ObjectCell,
    reachable,
    shadowed,
)
from pyxla.abstract.lattice import UNDEFINED, Array, Const, Ref, Scalar, Tuple, Variant
from pyxla.errors import MOST_ITEMS, CompileError, ListOverflow, Location
from pyxla.frozen import dataclass
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Stopped
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.merge import merge
from pyxla.infer.raising.catching import Raised
from pyxla.ir.build import Builder, building
from pyxla.views.shadows import renumbered

_PARTED = (ListCell, DictCell, ObjectCell)
_DEPTH = 3  # how deep in containers one looks
_NONE: Mapping[int, Any] = MappingProxyType({})


def visited(engine: Engine, visit: Callable[[], Any]) -> list[Edge]:
    """The edge on which `visit` returns, its result the second operand; none where it raises."""
    try:
        result = visit()
    except Stopped:
        return []
    return [Edge(engine.block, engine.heap, {}, (Const(0), result), engine.loc)]


@dataclass(slots=True)
class Ended:
    """How a function ends.

    status: None where nothing is raised; else 0, or k for `raised[k - 1]`, an int.  result:
    UNDEFINED where it never returns.  parted: of containers of the caller's, by their cells, that
    paths leave with no one structure: a Variant of references to what each then is.
    """

    status: Any
    result: Any
    raised: list[Raised]
    parted: dict[int, Any]


def ended(
    engine: Engine, edges: list[Edge], raised: list[Raised], callers: Mapping[int, Any] = _NONE
) -> Ended:
    """Go on where the function has returned (`visited`) or raised.

    callers: the caller's containers: cells and what was in them before.
    """
    if not raised and not edges:
        raise _endless(engine)
    if not raised:
        engine.enter(edges[0])
        _, result = edges[0].args
        return Ended(None, result, [], {})
    if not edges and (refusal := next((p.refusal for p in raised if p.refusal), None)):
        raise refusal
    slots = [_slot(path.exception, i) for i, path in enumerate(raised)]
    places = {slot: i for i, slot in enumerate(dict.fromkeys(s for s in slots if s is not None))}
    width = len(places)
    for edge in edges:
        edge.args = (*edge.args, *[UNDEFINED] * width)
    returned = edges[0].heap if edges else None
    for i, path in enumerate(raised):
        parts: list[Any] = [UNDEFINED] * width
        if slots[i] is not None:
            parts[places[slots[i]]] = Tuple(path.exception.items)
        edge = path.edge
        if returned is not None:
            edge.heap = _without_lost(engine, edge.heap, path.exception, returned)
        edge.args = (Const(i + 1), UNDEFINED, *parts)
        edges.append(edge)
    parted = _parted(edges, callers)
    several = len(edges[0].args) - width - 2
    names = ["status", "the result", *["the exception"] * width, *["an argument"] * several]
    hints: list[tuple[str, Location | None]] = [(name, None) for name in names]
    held, grows = partial(_held, engine), bool(engine.pools)
    edge, args = merge(engine, edges, hints, ended, held, grows=grows)
    engine.enter(edge)
    status, result, *rest = args
    merged = [
        Raised(
            p.edge,
            p.exception if slot is None else p.exception.rebuild(rest[places[slot]].items),
            p.loc,
            calls=p.calls,
            before=p.before,
        )
        for p, slot in zip(raised, slots, strict=True)
    ]
    refs = iter(rest[width:])
    for cell, group in parted.items():
        items = tuple([next(refs) for _ in set(group)])
        with building(Builder(engine.block.instrs, engine.loc)):
            tag = renumbered(status, group, len(items))
        parted[cell] = Variant("mixed", tag, items)
    return Ended(status, result, merged, parted)


def _endless(engine: Engine) -> Exception:
    """What is raised for a function that never returns: lists that may outgrow their capacity need
    more, as where a loop goes on until one is longer than that."""
    overflows = [x for x in engine.faults.surprises.values() if isinstance(x, ListOverflow)]
    rooms = [x.room(engine) for x in overflows]
    if rooms and all(capacity <= MOST_ITEMS for _, capacity in rooms):
        return Needs(engine.loc, capacities=frozenset(rooms))
    return CompileError("this function never returns", engine.loc)


def _slot(exception: Any, i: int) -> Any:
    """Where the arguments of the i-th exception are merged with those of others like it, as the
    status tells them apart; None of one that is known."""
    args = exception.items
    if all(isinstance(a, Const) for a in args):
        return None
    if all(isinstance(a, Scalar) and a.kinds is None for a in args):
        return exception.kind, exception.meta, *[a.value.type for a in args]
    return i


def _parted(edges: list[Edge], callers: Mapping[int, Any]) -> dict[int, Any]:
    """The caller's containers that have no one structure at the ends of `edges`, which get an
    operand for each that there is: a reference to a cell of its own.  Of each, by status, which."""
    heaps = [edge.heap for edge in edges]
    groups: dict[int, Any] = {}
    statuses = [edge.args[0].value for edge in edges]
    for cell, before in callers.items():
        if type(before) is Array:  # which paths may leave as a shadow, too
            continue
        contents = [edge.heap.contents[cell] for edge in edges]
        kinds: list[tuple[Any, Heap]] = []
        places = []
        for content, edge in zip(contents, edges, strict=True):
            alike = [
                i for i, kind in enumerate(kinds) if _alike(*kind, content, edge.heap, callers)
            ]
            if not alike:
                kinds.append((content, edge.heap))
            places.append(alike[0] if alike else len(kinds) - 1)
        if len(kinds) == 1:
            continue
        groups[cell] = [0] * (max(statuses) + 1)
        for edge, status, content, place in zip(edges, statuses, contents, places, strict=True):
            groups[cell][status] = place
            edge.heap = edge.heap.copy()
            edge.heap.contents[cell] = before
            operands: list[Any] = [UNDEFINED] * len(kinds)
            own = _by_itself(content, edge, heaps, callers)
            operands[place] = Ref(edge.heap.new(own, edge.loc))
            edge.args = (*edge.args, *operands)
    return groups


def _alike(
    x: Any, x_heap: Heap, y: Any, y_heap: Heap, callers: Collection[int], depth: int = _DEPTH
) -> bool:
    """Whether two contents of a container have what can be joined.  What is in it may be one of the
    caller's, which is looked at by itself."""
    if type(x) is GrowingList and type(y) is GrowingList:
        return x.item == y.item
    if not isinstance(x, _PARTED) or not isinstance(y, _PARTED):
        return type(x) is type(y)
    return x.is_like(y) and all(
        _same_type(a, x_heap, b, y_heap, callers, depth)
        for a, b in zip(x.parts, y.parts, strict=True)
    )


def _same_type(
    x: Any, x_heap: Heap, y: Any, y_heap: Heap, callers: Collection[int], depth: int
) -> bool:
    """Whether what two items of containers refer to, if they do, can be joined."""
    if not isinstance(x, Ref) or not isinstance(y, Ref) or (x == y and x.cell in callers):
        return True
    one, other = x_heap.contents.get(x.cell), y_heap.contents.get(y.cell)
    if isinstance(one, Array) and isinstance(other, Array):
        return x == y or (not x.view and not y.view and one.type == other.type)
    if one is other and x_heap is y_heap:
        return True
    return depth == 0 or _alike(one, x_heap, other, y_heap, callers, depth - 1)


def _by_itself(
    content: Any, edge: Edge, heaps: Sequence[Heap], callers: Collection[int], depth: int = _DEPTH
) -> Any:
    """A container at the end of a path as it is there: what is in it, and is another thing at the
    end of other paths, is its own."""
    if not isinstance(content, _PARTED) or not depth:
        return content
    heap, parts = edge.heap, list(content.parts)
    for i, x in enumerate(parts):
        if not isinstance(x, Ref) or x.cell in callers:
            continue
        inner = heap.contents[x.cell]
        if not all(
            _same_type(x, heap, x, h, callers, depth) for h in heaps if x.cell in h.contents
        ):
            own = _by_itself(inner, edge, heaps, callers, depth - 1)
            parts[i] = Ref(heap.new(own, edge.loc))
    return content.rebuild(parts)


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
