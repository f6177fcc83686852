"""Closures that are rows of a pool, where data decides which of those of a function is called.

Those of one nested function are instances of a class of its own (`infer.lists.pools`), whose fields
are its default values and variables.  A variable that nobody assigns any more (`frontend.final`) is
kept as what it holds, one that is assigned is an instance itself; those that all closures of the
function share are no fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyxla.abstract.heap import BoxCell, ObjectCell
from pyxla.abstract.lattice import Compound, Ref, Unbound, is_number
from pyxla.frontend.source import SourceFunction
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.joins.closures import class_of, class_of_variable
from pyxla.infer.lists import pools
from pyxla.lib.variables import Partial


def noted(engine: Engine, x: Any) -> None:
    """Note a closure that an object holds, for another attempt: it may be one of several there."""
    if (cls := class_of(x)) is not None:
        engine.findings.classes.add(cls)


def variable(engine: Engine, source: SourceFunction, name: str) -> Ref:
    """The variable of a call that its nested functions share."""
    unbound, cls = Unbound(name, engine.loc), class_of_variable(source, name)
    if cls not in engine.pools:
        return Ref(engine.heap.new(BoxCell(unbound), engine.loc))
    return pools.entered(engine, engine.new(ObjectCell(cls, {"value": unbound})))


def entered(engine: Engine, closure: Compound, final: Iterable[Ref] = ()) -> Any:
    """The new closure, in the pool of those of its function, if there is one; `final`: its
    variables that the function around it does not assign any more."""
    contents, infos = engine.heap.contents, engine.heap.infos
    for box in final:
        infos[box.cell].final = True
    cls = class_of(closure)
    if cls is None or cls not in engine.pools:
        return closure
    boxes = {
        i: x.cell
        for i, x in enumerate(closure.items)
        if isinstance(x, Ref) and type(contents.get(x.cell)) is BoxCell
    }
    shared = {i: closure.items[i] for i in boxes if not _is_apart(engine, cls, i, closure)}
    meta, before, places = engine.closures.setdefault(cls, (closure.meta, shared, {*boxes}))
    differ = {i for i, x in before.items() if closure.items[i] != x}
    if differ:
        raise _needed(engine, cls, closure, differ)
    if meta != closure.meta or places != {*boxes} or before.keys() != shared.keys():
        return closure
    if any(not infos[boxes[i]].final for i in boxes.keys() - shared.keys()):
        return closure
    engine.captures.pinned.extend(shared.values())
    fields = {
        str(i): contents[boxes[i]].value if i in boxes else x
        for i, x in enumerate(closure.items)
        if i not in shared
    }
    return pools.entered(engine, engine.new(ObjectCell(cls, fields)))


def _is_apart(engine: Engine, cls: type, place: int, closure: Compound) -> bool:
    """Whether each closure has this variable for itself: it is a number or an instance, as a rule,
    that nobody assigns any more."""
    box = closure.items[place].cell
    if (cls, str(place)) in engine.demands.apart:
        return True
    value = engine.heap.contents[box].value
    own = is_number(value) or pools.class_of_row(engine.heap, value) is not None
    return own and engine.heap.infos[box].final


def _needed(engine: Engine, cls: type, closure: Compound, places: Iterable[int]) -> Needs:
    """What is asked for where closures of a function have each their own variables."""
    source, freevars = closure.meta[:2]
    names = [freevars[i - len(closure.items)] for i in places]
    assigned = set()
    for i, name in zip(places, names, strict=True):
        if not engine.heap.infos[closure.items[i].cell].final:
            owner = source.outer
            while name in owner.freevars:
                owner = owner.outer
            assigned.add(class_of_variable(owner, name))
    return Needs(
        engine.loc,
        apart=frozenset([(cls, str(i)) for i in places]),
        pooled=frozenset(assigned),
        late=frozenset([(each, "value") for each in assigned]),
    )


def of_row(engine: Engine, x: Any) -> Compound | None:
    """The closure that a row of a pool is; None of all else."""
    cls = pools.class_of_row(engine.heap, x)
    if cls is None or cls not in engine.closures:
        return None
    meta, shared, boxes = engine.closures[cls]
    fields = engine.content(x).fields
    held: dict[int, Any] = {int(i): field for i, field in fields.items()}
    made = {i: engine.new(BoxCell(field)) if i in boxes else field for i, field in held.items()}
    items = [x for _, x in sorted({**shared, **made}.items())]
    return Compound("partial" if issubclass(cls, Partial) else "function", tuple(items), meta)
