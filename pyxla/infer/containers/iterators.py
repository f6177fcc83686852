"""Iterators, of which CPython says how much was read: most are read once, which is noted; where one
is read here and there, it is made anew as one that is read in steps (`Demands.stepped`)."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.heap import ObjectCell, Pooled, SequenceIterator, reachable
from pyxla.abstract.lattice import Compound, Const, Ref
from pyxla.frontend import stepping
from pyxla.infer.calls.coroutines import FALSE, asks, is_generator, is_read, set_read
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.lists import entries, pools
from pyxla.lib import iterators
from pyxla.lib.registry import rule

# The classes of iterators that programs may ask for.
LAZY: dict[str, type] = {
    cls.__name__: type(cls.__name__, (SequenceIterator,), {"__pyxla_type__": cls})
    for cls in (zip, map, enumerate)
}
GATHER = "return a list of its items"
USED_UP = "this iterator was read before, and what is left of it is not known"


def use_up(engine: Engine, x: Any) -> None:
    """Refuse a second reading of a generator, which CPython would find empty."""
    if is_read(engine, x):
        raise used_up(engine, x)
    set_read(engine, x, True)


def read_in_steps(engine: Engine, x: Any) -> None:
    """Ask for an iterator that is read at several places to be read in steps, where it can."""
    key: Any
    if is_generator(x):
        key = x.meta[0].source
        key = None if asks(x) or stepping.to_steps(key) is None else key
    else:
        key = engine.heap.infos[x.cell].loc if isinstance(x, Ref) else None
    if key is not None and key not in engine.demands.stepped:
        raise Needs(engine.loc, stepped=frozenset({key}))


def used_up(engine: Engine, x: Any) -> Exception:
    """What is raised where an iterator is read of which it is not known what is left."""
    read_in_steps(engine, x)
    return engine.refuse(USED_UP, "make a list of it first", remedy="unrolled")


def state_of(engine: Engine, x: Any) -> ObjectCell | None:
    """The content of an iterator over a sequence; None of anything else."""
    content: Any = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    found = isinstance(content, ObjectCell) and issubclass(content.cls, SequenceIterator)
    return content if found else None


def set_state(engine: Engine, x: Ref, **fields: Any) -> None:
    """Note how much of an iterator was read; None where that is not known."""
    content: Any = engine.heap.contents[x.cell]
    engine.set_content(x.cell, ObjectCell(content.cls, {**content.fields, **fields}))


def position(engine: Engine, x: Any, content: ObjectCell) -> int:
    """How many items of an iterator were read."""
    at = content.fields["at"]
    if not isinstance(at, Const) or at.value is None:
        raise used_up(engine, x)
    return at.value


def iterator(engine: Engine, items: Any, cls: type = SequenceIterator) -> Ref:
    """An iterator over a sequence, of which nothing was read."""
    return engine.new(ObjectCell(cls, {"items": items, "at": Const(0)}))


def in_steps(engine: Engine, items: Any, pooled: bool = False) -> Ref | None:
    """An iterator over a sequence that is read in steps, if those made here are, or, `pooled`, all
    those that may be one of several."""
    cls = iterators.SequenceSteps
    if pooled:
        pools.noted(engine, cls)
    if engine.loc not in engine.demands.stepped and not (pooled and cls in engine.pools):
        return None
    made = engine.new(ObjectCell(cls, {"items": items, "at": Const(0), "ended": FALSE}))
    return entries.entered(engine, made) if pooled else made


def is_watched(x: Any) -> bool:
    """Whether it is the items of a container whose size must not change (`containers.watched`)."""
    return isinstance(x, Compound) and x.kind == "watched"


def unwatched(x: Any) -> Any:
    return x.items[0] if is_watched(x) else x


def made(engine: Engine, kind: str, parts: tuple[Any, ...]) -> Any:
    """A `zip` or the like of sequences: item by item, and once."""
    items = Compound(kind, parts)
    cls = LAZY.get(kind, SequenceIterator)
    return in_steps(engine, items) or iterator(engine, items, cls)


@rule(iterators.give)
def _give(engine: Engine, found: Any, item: Any) -> Any:
    cells = reachable(engine.heap, [item])
    if any(isinstance(engine.heap.contents.get(cell), (ObjectCell, Pooled)) for cell in cells):
        raise engine.refuse(
            "an instance that may change is an item of a generator that is a result", GATHER
        )
    engine.rules.call(engine, Const(list.append), [found, item], {})
    engine.heap.kept = engine.heap.kept | cells
    return Const(None)
