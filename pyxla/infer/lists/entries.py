"""When instances of pooled classes become rows of their pools (`infer.lists.pools`).

Most instances are gone soon after they are made (`p.pos + v * dt`), and are never in a list: what
they hold stays numbers.  One becomes a row where it is put in a list, a dict or a row, or where it
meets rows, instances of other classes, or instances that refer to others.  Those of a class of
which one name may be one of several that are still in use are rows from the start
(`Demands.born`), as are containers, generators and closures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, Pooled, reachable
from pyxla.abstract.lattice import Compound, Ref, Tuple, Variant, value_of
from pyxla.infer.interface import Engine
from pyxla.infer.joins.columns import of_same, with_parts
from pyxla.infer.joins.edges import Edge
from pyxla.infer.lists import pools


def new(engine: Engine, cls: type, fields: dict[str, Any]) -> Ref:
    """A new instance that has its fields from the start."""
    pools.noted(engine, cls)
    return made(engine, engine.new(ObjectCell(cls, fields)))


def made(engine: Engine, x: Ref) -> Ref:
    """The new instance `x`, in the pool of its class if it is a row from the start."""
    content: Any = engine.heap.contents[x.cell]
    waits = _waits(engine, content) and content.cls not in engine.demands.born
    return x if waits else entered(engine, x)


def remedy(engine: Engine, contents: Iterable[Any]) -> str:
    """Which demands would make rows, from the start, of objects among which a name chooses."""
    found = next(filter(None, [pools.remedy(engine, content) for content in contents]), "")
    return "pooled born" if found == "pooled" else found


def entered(engine: Engine, x: Ref) -> Ref:
    """The new instance `x`, in the pool of its class, if that has one and it is not there yet."""
    content: Any = engine.heap.contents[x.cell]
    pool = None if type(content) is Pooled else pools.of_class(engine, content.cls)
    if pool is not None:
        pools.enter(engine, x, pool)
    return x


def before(engine: Engine, content: Any, cell: int | None = None) -> None:
    """Before a cell holds `content`: instances enter their pools that a list or dict will hold, and
    one that will lead to itself."""
    if isinstance(content, ListCell | DictCell):
        old: Any = None if cell is None else engine.heap.contents[cell]
        held = set(map(id, old.parts)) if type(old) is type(content) else ()
        put(engine, [x for x in content.parts if id(x) not in held])
    elif cell is not None and _waits(engine, content):
        had: Any = engine.heap.contents[cell]
        fields = had.fields if type(had) is ObjectCell else {}
        new = [x for name, x in content.fields.items() if x is not fields.get(name)]
        if cell in reachable(engine.heap, new):
            put(engine, [Ref(cell)])


def put(engine: Engine, values: Iterable[Any]) -> None:
    """Before these are put in a list, or in a row: instances among them enter their pools."""
    for x in values:
        if isinstance(x, Tuple | Compound | Variant):
            put(engine, x.parts)
        elif isinstance(x, Ref) and _may_enter(engine, x):
            _enter(engine, x)


def _enter(engine: Engine, x: Ref) -> None:
    engine.check_distinct(x)
    cls: Any = pools.class_of_object(engine.heap.contents[x.cell])
    pools.enter(engine, x, engine.pools[cls])


def unify(
    engine: Engine,
    edges: Sequence[Any],
    columns: Iterable[Sequence[Any]],
    only: int | None = None,
) -> None:
    """Let instances enter their pools on `edges` that meet others on which they, or what one name
    is there, are rows, or that may nest in each other (`_are_several`).

    columns: what one name is on each edge.  only: the edge on which they may.
    """
    if engine.pools.keys() <= engine.demands.born:
        return
    rows = {cell for e in edges for cell, x in e.heap.contents.items() if type(x) is Pooled}
    same = [[Ref(cell)] * len(edges) for cell in sorted(rows)]
    held = [part for c in columns for part in with_parts(edges, c)]
    for column in [*held, *same, *of_same(edges, (ObjectCell,))]:
        pairs = list(zip(edges, [value_of(x, "optional") for x in column], strict=True))
        pairs = [(edge, x) for edge, x in pairs if isinstance(x, Ref)]
        if any(_is_row(edge, x) for edge, x in pairs) or _are_several(engine, pairs):
            for edge, x in pairs:
                if only is None or edge is edges[only]:
                    _enter_on(engine, edge, x)


def before_loop(engine: Engine, edge: Any, items: Iterable[Any]) -> None:
    """As `all_dicts`, of those that a loop will read one after the other."""
    if waiting := _waiting(engine, edge.heap, items):
        _on(engine, edge, lambda: all_dicts(engine, waiting))


def all_dicts(engine: Engine, items: Iterable[Any]) -> None:
    """Let dicts enter the pool that such have by then: they may have got keys since they were
    made."""
    for x in _waiting(engine, engine.heap, items):
        _enter(engine, x)


def _waiting(engine: Engine, heap: Any, items: Iterable[Any]) -> list[Ref]:
    """The dicts among `items`, if all of them may enter pools."""
    held = {x.cell: heap.contents.get(x.cell) for x in items if isinstance(x, Ref)}
    dicts = {cell: x for cell, x in held.items() if type(x) is DictCell}
    fit = all(pools.class_of_object(x) in engine.pools for x in dicts.values())
    return list(map(Ref, dicts)) if fit else []


def _is_row(edge: Any, x: Ref) -> bool:
    return type(edge.heap.contents.get(x.cell)) is Pooled


def _are_several(engine: Engine, pairs: Sequence[tuple[Any, Ref]]) -> bool:
    """Whether one name is one of several instances that differ in class, or refer to others: what
    they are together might nest deeper with each iteration of a loop."""
    met = {x.cell: edge.heap.contents.get(x.cell) for edge, x in pairs}
    contents: list[Any] = [x for x in met.values() if _waits(engine, x)]
    fields = [x for content in contents for x in content.fields.values() if isinstance(x, Ref)]
    nests = any(_waits(engine, e.heap.contents.get(x.cell)) for e, _ in pairs for x in fields)
    return len(contents) > 1 and (nests or len({x.cls for x in contents}) > 1)


def _enter_on(engine: Engine, edge: Any, x: Ref) -> None:
    """Let `x` enter its pool at the end of a path, if it is not there yet."""
    if _may_enter(engine, x, edge.heap):
        _on(engine, edge, lambda: put(engine, [x]))


def _on(engine: Engine, edge: Any, change: Callable[[], Any]) -> None:
    """Change what there is at the end of a path."""
    here = Edge(engine.block, engine.heap, {})
    engine.enter(edge)
    try:
        engine.heap = edge.heap = edge.heap.copy()
        change()
        edge.block = engine.block
    finally:
        engine.enter(here)


def _waits(engine: Engine, content: Any) -> bool:
    """Whether it is an instance that is no row of the pool of its class yet."""
    cls = content.cls if type(content) is ObjectCell else None
    return cls in engine.pools and not pools.is_container(cls)


def _may_enter(engine: Engine, x: Ref, heap: Any = None) -> bool:
    """Whether it is such an instance, and was made in the program."""
    heap = heap or engine.heap
    made_here = heap.infos[x.cell].pinned is None and x.cell not in engine.frozen
    return made_here and _waits(engine, heap.contents.get(x.cell))
