"""What rows of pools hold (`infer.lists.pools`): the fields of instances, the items of dicts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from types import FunctionType
from typing import Any

from pyxla.abstract.heap import (
    DictCell,
    GrowingList,
    Heap,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
)
from pyxla.abstract.lattice import (
    UNDEFINED,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    as_const,
    has_value,
    value_of,
)
from pyxla.abstract.nested import of_unlike
from pyxla.errors import CompileError
from pyxla.frontend import stepping
from pyxla.frontend.pyops import CONST, GETATTR, SETATTR, SETITEM, PyOp
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.infer import using
from pyxla.infer.demands import Needs
from pyxla.infer.interface import Engine
from pyxla.infer.joins.columns import missing
from pyxla.infer.lists import columnar, growing, reading, record_keys
from pyxla.infer.lists.item_joins import joined_item, joined_items
from pyxla.infer.lists.item_types import Block
from pyxla.infer.lists.items import at_path, count, item_of, objects, replaced_at
from pyxla.infer.lists.laying import values
from pyxla.ir.core import Function, Instr, Value
from pyxla.lib.tables import Record

# Before the name of a field that is set later, if ever: the column of whether it is.
SET = "?"
# A number in rows of instances that hold none: a pool without a column has no length.
COUNTS = ""


def items_of_fields(engine: Engine, cls: type) -> dict[str, Any]:
    """What the fields are of instances in the pool of a class."""
    held = grown_of(engine, engine.pools[cls])
    return dict(zip(engine.pool_fields[cls], held.item.items, strict=True))


def is_name(key: Any) -> bool:
    """Whether a key of a dict may be the name of a column."""
    return type(key) is str and key[:1] not in (COUNTS, SET)


def is_in_list(engine: Engine, x: Any) -> bool:
    return isinstance(x, Ref) and growing.is_part(engine.heap.contents.get(x.cell))


def class_of_row(heap: Heap, x: Any) -> type | None:
    """The class of an instance that is a row of a pool, without reading the row: what may be None
    has none, maybe."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content.cls if type(content) is Pooled and not issubclass(content.cls, Record) else None


def record_row(heap: Heap, x: Any, key: Any = None) -> Pooled | None:
    """The row of a pool that a dict is; None of others, and where `key`, which is asked for, is not
    known."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if type(content) is not Pooled or not issubclass(content.cls, Record):
        return None
    return content if key is None or (type(key) is Const and is_name(key.value)) else None


def comes_and_goes(engine: Engine, row: Pooled) -> bool:
    """Whether a row is a dict that has keys which come and go."""
    marked = any(name.startswith(SET) for name in engine.pool_fields[row.cls])
    return marked and issubclass(row.cls, Record)


def outlined(engine: Engine, row: Pooled, name: str = COUNTS) -> ObjectCell:
    """An instance with its class and the names of its fields, of which one is read."""
    names = engine.pool_fields[row.cls]
    return ObjectCell(row.cls, _fields(row.cls, dict.fromkeys(names) | _read(engine, row, name)))


def item(engine: Engine, row: Pooled, key: str) -> Any:
    """What a dict has of a key, which may be unbound."""
    return record_keys.item(engine, *_parted(_read(engine, row, key)), key)


def length(engine: Engine, row: Pooled) -> Any:
    """How many keys a dict has."""
    fields, marks = _parted(dict.fromkeys(engine.pool_fields[row.cls]))
    size: Any = Const(len(fields) - len(marks))
    for key in marks:
        there = has_value(item(engine, row, key), "unbound")
        size = engine.rules.binary(engine, "add", size, there)
    return size


def _read(engine: Engine, row: Pooled, name: str) -> dict[str, Any]:
    """The columns of one name."""
    names = engine.pool_fields[row.cls]
    columns = {name, SET + name} & {*names} - {COUNTS}
    return {x: _row(engine, row, (names.index(x),)) for x in sorted(columns)}


def _parted(held: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of fields by name, and those that say whether there is one."""
    fields = {name: x for name, x in held.items() if name != COUNTS and not name.startswith(SET)}
    marks = {name.removeprefix(SET): x for name, x in held.items() if name.startswith(SET)}
    return fields, marks


def _fields(cls: type, held: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an instance by what the columns hold of it."""
    fields, marks = _parted(held)
    for name in fields:
        there = Const(False) if fields[name] is UNDEFINED else marks.get(name)
        match there, missing(cls, name):
            case Const(value=False), Unbound() as unbound:
                fields[name] = unbound
            case Scalar() as there, Unbound() as unbound:
                fields[name] = Variant("unbound", there, (unbound, fields[name]))
    return fields


def shown(engine: Engine, row: Pooled) -> ObjectCell | DictCell:
    """An instance with the fields, a dict with the items, that it has now."""
    found = _row(engine, row)
    held = dict(zip(engine.pool_fields[row.cls], found.items, strict=True))
    if issubclass(row.cls, Record):
        return DictCell(record_keys.items(engine, row.cls, *_parted(held)))
    return ObjectCell(row.cls, _fields(row.cls, held))


def replace(engine: Engine, x: Ref, content: Any) -> None:
    """Let an instance in a pool have the fields, a dict the items, of `content`; or a list in a
    list its items, which are of several types."""
    row: Any = engine.heap.contents[x.cell]
    before: Any = engine.content(x)
    if type(content) is not type(before):
        raise engine.refuse("an instance that is in a list is made anew")
    if type(row) is RowList:
        _replace_items(engine, x, row, before.items, content.items)
        return
    had, held = [x.fields if isinstance(x, ObjectCell) else x.items for x in (before, content)]
    unbound = {name: Unbound(name) for name in had}
    for name, value in {**unbound, **held}.items():
        if not _is_same(engine.heap, value, had.get(name)):
            _assign(engine, row, name, value)


def _replace_items(engine: Engine, x: Ref, row: RowList, had: Any, held: Any) -> None:
    engine.check_writable(x)
    if len(had) != len(held) or not of_unlike(engine.heap, row):
        growing.write_all(engine, x, row, held)
        return
    for i, (old, new) in enumerate(zip(had, held, strict=True)):
        if not _is_same(engine.heap, new, old):
            engine.rules.enter(engine, None, new)
            grown = columnar.found(engine.heap, row.parent)
            _write(engine, row.parent, grown, row.index, (*row.path, i), new)


def _is_same(heap: Heap, x: Any, y: Any) -> bool:
    """Whether two values are one, or one list in another."""
    if isinstance(x, Ref) and isinstance(y, Ref):
        held = heap.contents[x.cell]
        return x == y or (type(held) is RowList and held == heap.contents[y.cell])
    return x is y


def _row(engine: Engine, row: Pooled, path: tuple[int, ...] = ()) -> Any:
    """All fields of an instance, or the one at `path`.  A row is in its pool, without a check."""
    held = engine.heap.contents[row.pool.cell]
    if type(held) is ListCell and isinstance(row.index, int):
        whole = held.items[row.index]
        return whole.items[path[0]] if path else whole
    grown = grown_of(engine, row.pool)
    part, before = at_path(grown.item, path)
    columns = iter(grown.columns[before:])
    with engine.unchecked():
        return reading.read_item(engine, part, columns, as_const(row.index), row.pool, path)


def grown_of(engine: Engine, pool: Ref) -> Any:
    """The pool in columns."""
    held = engine.heap.contents[pool.cell]
    if type(held) is ListCell:
        items = columnar.items_of(engine.heap, held)
        item = joined_items(items) if items else None
        if item is None or not count(item):
            growing.note_sizes(engine, items)
            raise engine.refuse(_FIELDS, among=held.items)
        return columnar.keep(engine.heap, pool, item)
    grown = columnar.found(engine.heap, pool)
    if grown is None:  # what paths made of it does not fit together
        engine.use(held)
        raise engine.refuse(_FIELDS)
    return grown


_FIELDS = "instances with such fields are not chosen among at run time"


def assign(engine: Engine, x: Ref, name: str, value: Any) -> None:
    """`x.name = value`, or `x[name] = value` of a dict; del of it, where the value is unbound."""
    row: Any = engine.heap.contents[x.cell]
    _assign(engine, row, name, value)


def _asked_in_turn(engine: Engine, cls: type, names: Sequence[str]) -> set[tuple[type, str]]:
    """Fields that would be asked for one after the other: of dicts those that the function sets,
    too; else those that `__init__`, with the methods that it calls, gives instances that it put in
    a list before; if these are generators, in what they keep what is read behind each `yield`."""
    if issubclass(cls, Record):
        return {(cls, key) for key in {*_keys_set(engine)} - {*names}}
    found = {(cls, field) for field in _given_by_init(engine, cls) - {*names}}
    for generator, made in engine.generators.items() if cls in engine.generators else ():
        graph = stepping.to_steps(made.meta[0].source).function
        kept = {name for name, _ in _named(graph, SETATTR) if name.startswith(stepping.FRAME)}
        found |= {(generator, name) for name in kept}
    return found


def _given_by_init(engine: Engine, cls: type) -> set[str]:
    """The fields that `__init__` assigns, and the methods that it may call."""
    methods, fields, work = set[str](), set[str](), ["__init__"]
    while work:
        method = engine.captures.member(cls, work.pop())
        if not isinstance(method, FunctionType):
            continue
        with contextlib.suppress(CompileError):
            graph = to_ssa(source_function(method)).function
            own = graph.params[:1]
            fields |= {name for name, of in _named(graph, SETATTR) if of in own}
            called = {name for name, of in _named(graph, GETATTR) if of in own} - methods
            methods |= called
            work += called
    return fields


def _named(graph: Function, op: PyOp) -> Iterator[tuple[str, Value]]:
    """The fields that a function reads or assigns, and of what."""
    for instr in [instr for block in graph.blocks for instr in block.instrs]:
        if instr.op is op:
            yield instr.attrs["name"], instr.operands[0]


def _assign(engine: Engine, row: Pooled, name: str, value: Any) -> None:
    names, cls = engine.pool_fields[row.cls], row.cls
    engine.rules.enter(engine, None, value)
    unbound = isinstance(value, Unbound)
    if name not in names or (unbound and SET + name not in names):
        _check_key(engine, row, name)
        further = _asked_in_turn(engine, cls, names)
        raise Needs(engine.loc, late=frozenset({(cls, name), *further}))
    if SET + name in names:
        _put(engine, row, SET + name, _mark(engine, row, name, not unbound))
    _put(engine, row, name, value_of(missing(cls, name), "unbound") if unbound else value)


def _check_key(engine: Engine, row: Pooled, key: Any) -> None:
    """Where the keys that come or go are not text, dicts are in no pool."""
    if issubclass(row.cls, Record) and not is_name(key):
        raise record_keys.unlike(engine, row.cls)


def _keys_set(engine: Engine) -> Iterator[str]:
    """The keys that the function which is visited sets in what it sets one in now."""
    frame = engine.frames[-1]
    block, index = frame.position
    of = block.instrs[index].operands[:1] if index >= 0 else []
    for instr in [instr for block in frame.ssa.function.blocks for instr in block.instrs]:
        if instr.op is SETITEM and instr.operands[:1] == of:
            key = instr.operands[1].owner
            known = key.attrs["value"] if isinstance(key, Instr) and key.op is CONST else None
            yield from [known] if is_name(known) else ()


def _mark(engine: Engine, row: Pooled, name: str, there: bool) -> Any:
    """What says of a field whether it is there."""
    if not issubclass(row.cls, Record):
        return Const(there)
    if not (isinstance(row.index, int) or using.by_loops(engine, row.index)):
        engine.findings.chosen.add(row.cls)
    if not there:
        return record_keys.first_mark(there)
    each = record_keys.in_each_iteration(engine)
    before = engine.findings.came.setdefault(row.cls, {})
    before[name] = before.get(name, True) and each
    names = [x for x in engine.pool_fields[row.cls] if x.startswith(SET)]
    marks = {x.removeprefix(SET): _read(engine, row, x.removeprefix(SET))[x] for x in names}
    return record_keys.next_mark(engine, marks, name)


def _put(engine: Engine, row: Pooled, name: str, value: Any) -> None:
    place = engine.pool_fields[row.cls].index(name)
    held = engine.heap.contents[row.pool.cell]
    if type(held) is ListCell and isinstance(row.index, int):
        fields = list(held.items[row.index].items)
        fields[place] = value
        rows = [*held.items[: row.index], Tuple(tuple(fields)), *held.items[row.index + 1 :]]
        engine.set_content(row.pool.cell, ListCell(tuple(rows)))
        return
    _write(engine, row.pool, grown_of(engine, row.pool), row.index, (place,), value)


def _write(
    engine: Engine, x: Ref, grown: GrowingList, index: Any, path: tuple[int, ...], value: Any
) -> None:
    """Put `value` at `path` of the item at `index` of the list or pool `x`."""
    heap = engine.heap
    if is_in_list(engine, value):
        raise growing.in_two(engine)
    had = at_path(grown.item, path)[0]
    growing.within_room(engine, had, value)
    new = item_of(heap, value)
    wide = None if new is None else joined_item(had, new)
    if wide is None:
        growing.note_sizes(engine, [had, new])
        raise engine.refuse("the fields of instances in a list are of one type each", among=[value])
    if wide != had:
        grown = growing.retype(engine, x, replaced_at(grown.item, path, wide))
    part, before = at_path(grown.item, path)
    written = list(values(heap, part, value))
    if any(not isinstance(kind, Block) for _, kind, _ in objects(heap, part, value)):
        growing.detach(engine, x)
    growing.hold_parts(engine, x, objects(heap, part, value, path), as_const(index))
    columns = grown.columns[before : before + count(part)]
    with engine.unchecked():
        growing.put_at(engine, replaced(grown, columns=columns), as_const(index), written)


def same(engine: Engine, x: Ref, y: Ref) -> Any:
    """`x is y` of an instance in a pool, or of a list in a list, and another, a bool."""
    (home, keys), (other, others) = [_home(engine.heap, ref) for ref in (x, y)]
    same_: Any = Const(home == other and home is not None)
    for pair in zip(keys, others, strict=True) if same_.value else ():
        same_ = engine.rules.both(engine, same_, engine.rules.compare(engine, "eq", *pair))
    return same_


def _home(heap: Heap, x: Ref) -> tuple[Any, list[Any]]:
    """Where the rows are of which this is one, and which of them it is: in the list, and in each
    that this is in."""
    row: Any = heap.contents[x.cell]
    if type(row) is Pooled:
        return row.pool.cell, [as_const(row.index)]
    home: Any = None
    keys: list[Any] = []
    while type(row) is RowList:
        home, keys = (row.parent.cell, row.path, home and home[1:]), [*keys, as_const(row.index)]
        row = heap.contents.get(row.parent.cell)
    return home, keys
