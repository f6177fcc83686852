"""Instances that lists of unknown length hold: `particles.append(Particle(x))` where data decides.

The instances of a *pooled* class are rows of a hidden list of tuples, the *pool*, which only grows;
a cell's content says which row it is (`heap.Pooled`). A list of instances then holds numbers of
rows (`items.Handle`): objects that have several names, or are in several lists or in fields of each
other, stay one. A program that is refused is tried with the classes pooled that it makes instances
of in loops, or more than once (`infer.lists.policy.Policy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError, InternalError
from pyxla.infer.arrays import access as arrays
from pyxla.infer.heap import ListCell, ObjectCell, Pooled, RowList
from pyxla.infer.lattice import Array, Const, MaybeUnbound, Ref, Tuple, Unbound
from pyxla.infer.lists import growing
from pyxla.infer.lists.items import (
    Block,
    at_path,
    count,
    item_of,
    joined_item,
    joined_items,
    objects,
    replaced_at,
    values,
)
from pyxla.infer.lists.policy import Policy

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine


def noted(engine: Engine, cls: type) -> None:
    """Note that an instance is made, for another attempt."""
    made = engine.findings.made_of
    if not cls.__module__.startswith(_OWN) and (engine.loops or cls in made):
        engine.findings.classes.add(cls)
    made.add(cls)


_OWN = ("pyxla.", "numpy", "contextlib", "random", "jax")


def start(engine: Engine, classes: Any) -> None:
    """Make the pools of classes, empty, where the program starts."""
    for cls in sorted(classes, key=lambda cls: (cls.__module__, cls.__qualname__)):
        engine.pools[cls] = engine.new(ListCell(()))
    engine.captures.pinned.extend(engine.pools.values())


def clearer(first: CompileError, later: CompileError, policy: Policy) -> CompileError:
    """Of two refusals the one that says more: where lists of instances differ in length, why these
    cannot be in a pool."""
    if not policy.pooled or isinstance(later, InternalError) or later.loc is None:
        return first
    return later if first.message.count("a list of ") > 1 else first


def entered(engine: Engine, x: Ref) -> Ref:
    """The new instance `x`, in the pool of its class, if that has one."""
    content = engine.heap.contents[x.cell]
    pool = engine.pools.get(content.cls)
    if pool is None:
        return x
    fields = content.fields
    names = engine.pool_fields.setdefault(content.cls, tuple(fields))
    if set(names) != fields.keys() or any(map(_is_unbound, fields.values())):
        raise engine.refuse(
            f"instances of {content.cls.__name__} in a list have fields of their own"
        )
    row = Tuple(tuple([fields[name] for name in names]))
    held = engine.heap.contents[pool.cell]
    if type(held) is ListCell:
        size: Any = len(held.items)
        engine.set_content(pool.cell, ListCell((*held.items, row)))
    else:
        grown = growing.found(engine.heap, pool)
        size = growing.size_of(engine.heap, grown)
        growing.append(engine, pool, grown, row)
    engine.heap.contents[x.cell] = Pooled(pool, size, content.cls)
    return x


def _is_unbound(x: Any) -> bool:
    return isinstance(x, (Unbound, MaybeUnbound))


def shown(engine: Engine, row: Pooled) -> ObjectCell:
    """An instance with the fields that it has now."""
    found = _row(engine, row)
    return ObjectCell(row.cls, dict(zip(engine.pool_fields[row.cls], found.items, strict=True)))


def _row(engine: Engine, row: Pooled) -> Tuple:
    held = engine.heap.contents[row.pool.cell]
    if type(held) is ListCell and isinstance(row.index, int):
        return held.items[row.index]
    grown = _grown(engine, row.pool)
    return growing.read_item(engine, grown.item, iter(grown.columns), _key(row), row.pool)


def _key(row: Pooled) -> Any:
    return Const(row.index) if isinstance(row.index, int) else row.index


def _grown(engine: Engine, pool: Ref) -> Any:
    """The pool in columns."""
    held = engine.heap.contents[pool.cell]
    if type(held) is ListCell:
        items = growing.items_of(engine.heap, held)
        item = joined_items(items) if items else None
        if item is None or not count(item):
            raise engine.refuse("instances with such fields are not chosen among at run time")
        made = growing.laid_out(engine.heap, pool, item, 1, sized=False)
        engine.heap.contents[pool.cell] = made
    return growing.found(engine.heap, pool)


def assign(engine: Engine, x: Ref, name: str, value: Any) -> None:
    """`x.name = value`."""
    row: Any = engine.heap.contents[x.cell]
    names = engine.pool_fields[row.cls]
    if name not in names:
        raise engine.refuse(
            f"{name!r} is set of an instance that is in a list, and was not when it was made",
            "set all fields in __init__",
        )
    place = names.index(name)
    held = engine.heap.contents[row.pool.cell]
    if type(held) is ListCell and isinstance(row.index, int):
        fields = list(held.items[row.index].items)
        fields[place] = value
        rows = [*held.items[: row.index], Tuple(tuple(fields)), *held.items[row.index + 1 :]]
        engine.set_content(row.pool.cell, ListCell(tuple(rows)))
        return
    _write(engine, row, place, value)


def _write(engine: Engine, row: Pooled, place: int, value: Any) -> None:
    heap, grown = engine.heap, _grown(engine, row.pool)
    if isinstance(value, Ref) and type(heap.contents.get(value.cell)) is RowList:
        raise engine.refuse(growing.ALIAS, "append a copy: x[:]")
    new = item_of(heap, value)
    wide = None if new is None else joined_item(grown.item.items[place], new)
    if wide is None:
        raise engine.refuse("the fields of instances in a list are of one type each")
    if wide != grown.item.items[place]:
        grown = growing.retype(engine, row.pool, replaced_at(grown.item, (place,), wide))
    part, before = at_path(grown.item, (place,))
    written = list(values(heap, part, value))
    if any(not isinstance(kind, Block) for _, kind, _ in objects(heap, part, value)):
        growing.detach(engine, row.pool)
    growing.hold_parts(engine, row.pool, objects(heap, part, value, (place,)), _key(row))
    for column, element in zip(grown.columns[before : before + count(part)], written, strict=True):
        arrays.setitem(engine, column, _key(row), Array(element))


def same(engine: Engine, x: Ref, y: Ref) -> Any:
    """`x is y` of an instance in a pool and another, a bool."""
    rows: list[Any] = [engine.heap.contents[ref.cell] for ref in (x, y)]
    if not all(type(row) is Pooled for row in rows) or rows[0].pool.cell != rows[1].pool.cell:
        return Const(False)
    return engine.rules.compare(engine, "eq", *map(_key, rows))
