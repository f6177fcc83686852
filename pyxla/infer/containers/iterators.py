"""Iterators, of which CPython says how much was read: most are read once, which is noted; where one
is read here and there, it is made anew as one that is read in steps (`Demands.stepped`)."""

from __future__ import annotations

from typing import Any

from pyxla.errors import Location
from pyxla.frontend import stepping
from pyxla.infer.calls.coroutines import FALSE, asks, is_generator, is_read, set_read
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.heap import ObjectCell, Pooled, SequenceIterator, reachable
from pyxla.infer.lattice import Compound, Const, Ref
from pyxla.lib import iterators
from pyxla.lib.registry import rule

ONCE = frozenset({"zip", "map", "enumerate", "reversed", "transposed", "generator"})
GATHER = "return a list of its items"
USED_UP = "this iterator was read before, and what is left of it is not known"


def use_up(engine: Engine, x: Any) -> None:
    """Refuse a second reading of `x`, which CPython would find empty."""
    if is_generator(x):
        if is_read(engine, x):
            raise used_up(engine, x)
        set_read(engine, x, True)
        return
    if id(x) in engine.used_up:
        raise used_up(engine, x)
    engine.used_up[id(x)] = x
    made = getattr(x, "meta", None)
    if made is not None and not set(engine.loops) <= set(made):
        read_in_steps(engine, x)
        raise engine.refuse(
            "an iterator made before this loop is read in each iteration of it: it would be empty "
            "after the first",
            "make it where it is read, or make a list of it first",
        )


def read_in_steps(engine: Engine, x: Any) -> None:
    """Ask for an iterator that is read at several places to be read in steps, where it can."""
    key: Any
    if is_generator(x):
        key = x.meta[0].source
        key = None if asks(x) or stepping.to_steps(key) is None else key
    elif isinstance(x, Ref):
        key = engine.heap.infos[x.cell].loc
    else:
        parts = getattr(x, "meta", None) or ()
        key = next((part for part in parts if isinstance(part, Location)), None)
    if key is not None and key not in engine.demands.stepped:
        raise Needs(engine.loc, stepped=frozenset({key}))


def used_up(engine: Engine, x: Any) -> Exception:
    """What is raised where an iterator is read of which it is not known what is left."""
    read_in_steps(engine, x)
    return engine.refuse(USED_UP, "make a list of it first", remedy="unrolled")


def position(engine: Engine, x: Any, content: ObjectCell) -> int:
    """How many items of an iterator were read."""
    at = content.fields["at"]
    if not isinstance(at, Const) or at.value is None:
        raise used_up(engine, x)
    return at.value


def iterator(engine: Engine, items: Any) -> Ref:
    """An iterator over a sequence, of which nothing was read."""
    return engine.new(ObjectCell(SequenceIterator, {"items": items, "at": Const(0)}))


def in_steps(engine: Engine, items: Any) -> Ref | None:
    """An iterator over a sequence that is read in steps, if those made here are."""
    if engine.loc not in engine.demands.stepped:
        return None
    fields = {"items": items, "at": Const(0), "ended": FALSE}
    return engine.new(ObjectCell(iterators.SequenceSteps, fields))


def is_watched(x: Any) -> bool:
    """Whether it is the items of a container whose size must not change (`containers.watched`)."""
    return isinstance(x, Compound) and x.kind == "watched"


def unwatched(x: Any) -> Any:
    return x.items[0] if is_watched(x) else x


def made(engine: Engine, kind: str, parts: tuple[Any, ...]) -> Any:
    """A `zip` or the like of sequences: item by item, and once."""
    x = Compound(kind, parts, (engine.loc, *engine.loops))
    return in_steps(engine, x) or x


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
