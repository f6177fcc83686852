"""Closures that are rows of a pool, where data decides which of those of a function is called.

Those of one nested function are instances of a class of its own (`infer.lists.pools`), whose fields
are its default values and variables.  A variable that nobody assigns any more (`frontend.final`) is
kept as what it holds, one that is assigned is an instance itself; those that all closures of the
function share are no fields.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from pyxla.abstract.heap import BoxCell, ObjectCell
from pyxla.abstract.lattice import Compound, Ref, Unbound, is_number
from pyxla.frontend.source import SourceFunction
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.joins.closures import class_of, class_of_variable
from pyxla.infer.lists import entries, pool_rows
from pyxla.lib.variables import Partial, Variable


def noted(engine: Engine, x: Any) -> None:
    """Note a closure that an object holds, for another attempt: it may be one of several there."""
    if (cls := class_of(x)) is not None:
        engine.findings.classes.add(cls)


def variable(engine: Engine, source: SourceFunction, name: str) -> Ref:
    """The variable of a call that its nested functions share."""
    unbound, cls = Unbound(name, engine.loc), class_of_variable(source, name)
    if cls not in engine.pools:
        return Ref(engine.heap.new(BoxCell(unbound), engine.loc))
    return entries.entered(engine, engine.new(ObjectCell(cls, {name: unbound})))


def assign(engine: Engine, box: Ref, value: Any) -> None:
    """Give a variable that nested functions share a value."""
    if (cls := pool_rows.class_of_row(engine.heap, box)) is not None:
        pool_rows.assign(engine, box, cls.FIELDS[0], value)  # type: ignore[attr-defined]
        return
    outside = isinstance(engine.content(box), ObjectCell)
    content = ObjectCell(Variable, {"value": engine.use(value)}) if outside else BoxCell(value)
    engine.set_content(box.cell, content)


def entered(engine: Engine, closure: Compound, final: Iterable[Ref] = ()) -> Any:
    """The new closure, in the pool of those of its function, if there is one; `final`: its
    variables that the function around it does not assign any more."""
    cls = class_of(closure)
    if cls is None or cls not in engine.pools:
        return closure
    contents, infos = engine.heap.contents, engine.heap.infos
    boxes = {
        i: x.cell
        for i, x in enumerate(closure.items)
        if isinstance(x, Ref) and type(contents.get(x.cell)) is BoxCell
    }
    cells = {box.cell for box in final} | {cell for cell in boxes.values() if infos[cell].final}
    kept = {i for i, cell in boxes.items() if cell in cells}
    shared = {
        i: closure.items[i]
        for i, cell in boxes.items()
        if (cls, str(i)) not in engine.demands.apart
        and not (i in kept and _is_own(engine, contents[cell]))
    }
    meta, before, places = engine.closures.setdefault(cls, (closure.meta, shared, {*boxes}))
    differ = {i for i, x in before.items() if closure.items[i] != x}
    if differ:
        raise _needed(engine, cls, closure, differ, kept)
    if meta != closure.meta or places != {*boxes} or before.keys() != shared.keys():
        return closure
    if boxes.keys() - shared.keys() - kept:
        return closure
    engine.captures.pinned.extend(shared.values())
    fields = {
        str(i): contents[boxes[i]].value if i in boxes else x
        for i, x in enumerate(closure.items)
        if i not in shared
    }
    return entries.entered(engine, engine.new(ObjectCell(cls, fields)))


def _is_own(engine: Engine, box: Any) -> bool:
    """Whether each closure has the variable for itself: it is a number or an instance, mostly."""
    return is_number(box.value) or pool_rows.class_of_row(engine.heap, box.value) is not None


def _needed(
    engine: Engine, cls: type, closure: Compound, places: Iterable[int], kept: Container[int]
) -> Needs:
    """What is asked for where closures of a function have each their own variables."""
    source, freevars = closure.meta[:2]
    assigned = {}
    for i in places:
        if i not in kept:
            name, owner = freevars[i - len(closure.items)], source.outer
            while name in owner.freevars:
                owner = owner.outer
            assigned[class_of_variable(owner, name)] = name
    return Needs(
        engine.loc,
        apart=frozenset([(cls, str(i)) for i in places]),
        pooled=frozenset(assigned),
        late=frozenset(assigned.items()),
    )


def of_row(engine: Engine, x: Any) -> Compound | None:
    """The closure that a row of a pool is; None of all else."""
    cls = pool_rows.class_of_row(engine.heap, x)
    if cls is None or cls not in engine.closures:
        return None
    meta, shared, boxes = engine.closures[cls]
    fields = engine.content(x).fields
    held: dict[int, Any] = {int(i): field for i, field in fields.items()}
    made = {i: _box(engine, field) if i in boxes else field for i, field in held.items()}
    items = [x for _, x in sorted({**shared, **made}.items())]
    return Compound("partial" if issubclass(cls, Partial) else "function", tuple(items), meta)


def _box(engine: Engine, value: Any) -> Ref:
    """A variable that nobody assigns any more."""
    box = engine.new(BoxCell(value))
    engine.heap.infos[box.cell].final = True
    return box
