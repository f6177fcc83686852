"""Instances that lists of unknown length hold: `particles.append(Particle(x))` where data decides.

The instances of a *pooled* class are rows of a hidden list of tuples, the *pool*, which only grows;
a cell's content says which row it is (`heap.Pooled`). A list of instances then holds numbers of
rows (`item_types.Handle`): objects that have several names, or are in several lists or in fields of
each other, stay one. A program that is refused is tried with the classes pooled that it makes
instances of in loops, or more than once (`infer.demands`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from pyxla.abstract.heap import (
    DictCell,
    Heap,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
    SequenceIterator,
    SetCell,
    reachable,
)
from pyxla.abstract.lattice import (
    Array,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    as_const,
    has_value,
    may_be_unbound,
    value_of,
)
from pyxla.errors import CompileError, InternalError
from pyxla.frontend import stepping
from pyxla.frontend.pyops import GETATTR, SETATTR, PyOp
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.demands import Demands, Needs, Path
from pyxla.infer.interface import Engine
from pyxla.infer.joins import closures
from pyxla.infer.joins.columns import missing
from pyxla.infer.lists import columnar, growing, reading
from pyxla.infer.lists.item_joins import joined_item, joined_items
from pyxla.infer.lists.item_types import LISTS, Block
from pyxla.infer.lists.items import at_path, count, item_of, objects, replaced_at
from pyxla.infer.lists.laying import values
from pyxla.ir.core import Function, Value
from pyxla.lib.iterators import Generator, SequenceSteps
from pyxla.lib.sets import TableSet
from pyxla.lib.tables import Record, Table, record


def noted(engine: Engine, cls: type) -> None:
    """Note that an instance is made, for another attempt."""
    findings = engine.findings
    if engine.loops or cls in findings.made_of:
        if issubclass(cls, Generator):
            findings.generators.add(cls)
        elif is_container(cls):
            findings.containers.add(cls)
        elif _may_be_pooled(cls):
            findings.classes.add(cls)
    findings.made_of.add(cls)


def remedy(engine: Engine, content: Any) -> str:
    """Which demand would make a row of a pool of an object for which the program is refused."""
    findings, cls = engine.findings, container_class(content)
    if isinstance(content, LISTS):
        return "shared"
    if cls is not None:
        findings.containers.add(cls)
        findings.named.add(cls)
        return "everywhere" if cls in engine.demands.pooled else "pooled"
    cls = content.cls if isinstance(content, ObjectCell) else closures.class_of(content)
    cls = SequenceSteps if cls is SequenceIterator else cls
    if cls is not None and (_may_be_pooled(cls) or not isinstance(content, ObjectCell)):
        findings.classes.add(cls)
        findings.named.add(cls)
        return "pooled"
    return ""


def _may_be_pooled(cls: type) -> bool:
    """Whether it is a class of the user's, or that of iterators."""
    return cls is SequenceSteps or cls.__module__.partition(".")[0] not in _OWN


_OWN = frozenset({"pyxla", "contextlib", "jax"})


def is_container(cls: type) -> bool:
    """Whether instances of the class stand for a dict, a set or the like of Python's."""
    return hasattr(cls, "__pyxla_sequence__") or issubclass(cls, Record)


def container_class(content: Any) -> type | None:
    """The class that a dict, a set or the like is of in pools."""
    if isinstance(content, ObjectCell):
        return content.cls if is_container(content.cls) else None
    if isinstance(content, SetCell):
        return TableSet
    if not isinstance(content, DictCell):
        return None
    keys = tuple(content.items)
    return record(keys) if keys and all(type(key) is str for key in keys) else Table


def of_class(engine: Engine, cls: type) -> Ref | None:
    """The pool of a new instance, if there is one.  Containers may be pooled only where loops make
    them: those that hold others are made once, as a rule, and have items of other types."""
    everywhere = engine.demands.everywhere or engine.repeating or not is_container(cls)
    return engine.pools.get(cls) if everywhere else None


def start(engine: Engine, classes: Any) -> None:
    """Make the pools of classes, empty, where the program starts."""
    for cls in sorted(classes, key=_place):
        engine.pools[cls] = engine.new(ListCell(()))
    engine.captures.pinned.extend(engine.pools.values())


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments at `paths` are the first rows of a pool, which held `content` then, and
    `columns` if that is in columns."""

    paths: tuple[Path, ...]
    content: Any
    columns: tuple[Array, ...] = ()


def given(engine: Engine, paths: Mapping[int, Path]) -> dict[type, Given]:
    """Make the instances and dicts that are arguments (cell -> path, those that are in others
    first) the first rows of the pools of their classes."""
    rows: dict[type, dict[int, Path]] = {}
    for cell, path in paths.items():
        cls = class_of_object(engine.heap.contents[cell])
        if cls in engine.pools:
            rows.setdefault(cls, {})[cell] = path
    made = {}
    for cls, cells in rows.items():
        if len(cells) > 1 or engine.demands.everywhere or not is_container(cls):
            for cell in cells:
                enter(engine, Ref(cell), engine.pools[cls])
            content = engine.heap.contents[engine.pools[cls].cell]
            made[cls] = Given(tuple(cells.values()), content)
    return made


def noted_arguments(engine: Engine, cells: Iterable[int]) -> None:
    """Note the classes of arguments, for another attempt."""
    for cell in cells:
        if cls := class_of_object(engine.heap.contents[cell]):
            noted(engine, cls)


def class_of_object(content: Any) -> type | None:
    """The class that an instance, or a dict with keys that are text, is of in pools."""
    if isinstance(content, DictCell):
        cls = container_class(content)
        return cls if cls is not None and issubclass(cls, Record) else None
    return content.cls if isinstance(content, ObjectCell) else None


def holds_arrays(heap: Heap, content: Any) -> bool:
    """Whether a dict or an instance has arrays, which are written in place more freely where it is
    no row."""
    held = [heap.contents.get(x.cell) for x in content.parts if isinstance(x, Ref)]
    return any(type(x) is Array for x in held)


def _place(cls: type) -> tuple[Any, ...]:
    """Where a class comes in an order that is the same in every process."""
    return cls.__module__, cls.__qualname__, getattr(cls, "__pyxla_keys__", ())


def clearer(first: CompileError, later: CompileError, tried: Demands) -> CompileError:
    """Of two refusals the one that says more: where lists of instances differ in length, why these
    cannot be in a pool."""
    if not tried.pooled or tried.shared or isinstance(later, InternalError) or later.loc is None:
        return first
    return later if first.message.count("a list of ") > 1 else first


def enter(engine: Engine, x: Ref, pool: Ref) -> None:
    """Make `x` a row of a pool."""
    content: Any = engine.heap.contents[x.cell]
    if isinstance(content, DictCell):
        cls, fields = container_class(content), content.items
    else:
        cls, fields = content.cls, content.fields
    for field in fields.values():
        engine.rules.enter(engine, None, field)
    if (names := engine.pool_fields.get(cls)) is None:
        names = engine.pool_fields[cls] = _columns(engine, cls, fields)
    late = {name.removeprefix(SET) for name in names if name.startswith(SET)}
    unlike = {name for name, x in fields.items() if name not in names or may_be_unbound(x)}
    unlike |= ({*names} - {COUNTS, *[SET + name for name in late]}) - {*fields}
    if unlike - late:
        raise Needs(engine.loc, late=frozenset([(cls, name) for name in unlike]))
    if any(isinstance(field, Ref) and _is_in_list(engine, field) for field in fields.values()):
        raise growing.in_two(engine)
    row = Tuple(tuple([_element(cls, fields, name) for name in names]))
    held = engine.heap.contents[pool.cell]
    if type(held) is ListCell:
        size: Any = len(held.items)
        engine.set_content(pool.cell, ListCell((*held.items, row)))
    else:
        grown = _grown(engine, pool)
        size = columnar.size_of(engine.heap, grown)
        growing.append(engine, pool, grown, row)
    engine.heap.contents[x.cell] = Pooled(pool, size, cls)


def _columns(engine: Engine, cls: type, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """What the columns of a pool hold: fields, those that are set later last, and which are set."""
    late = sorted([name for owner, name in engine.demands.late if owner is cls])
    if late:
        own = [name for name in fields if name not in late]
        return (*own, *late, *[SET + name for name in late])
    items = [item_of(engine.heap, x) for x in fields.values()]
    counted = any(item is None or count(item) for item in items)
    return (*fields,) if counted else (*fields, COUNTS)


def items_of_fields(engine: Engine, cls: type) -> dict[str, Any]:
    """What the fields are of instances in the pool of a class."""
    held = _grown(engine, engine.pools[cls])
    return dict(zip(engine.pool_fields[cls], held.item.items, strict=True))


def _element(cls: type, fields: Mapping[str, Any], name: str) -> Any:
    """What the column of this name holds of a new instance."""
    if name == COUNTS:
        return Const(0)
    field = name.removeprefix(SET)
    value = fields.get(field, Unbound(field))
    if name != field:
        return has_value(value, "unbound")
    return value_of(missing(cls, name) if isinstance(value, Unbound) else value, "unbound")


# Before the name of a field that is set later, if ever: the column of whether it is.
SET = "?"
# A number in rows of instances that hold none: a pool without a column has no length.
COUNTS = ""


def _is_in_list(engine: Engine, x: Ref) -> bool:
    return growing.is_part(engine.heap.contents.get(x.cell))


def class_of_row(heap: Heap, x: Any) -> type | None:
    """The class of an instance that is a row of a pool, without reading the row: what may be None
    has none, maybe."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return content.cls if type(content) is Pooled and not issubclass(content.cls, Record) else None


def outlined(engine: Engine, row: Pooled, name: str = COUNTS) -> ObjectCell:
    """An instance with its class and the names of its fields, of which one is read."""
    names = engine.pool_fields[row.cls]
    columns = {name, SET + name} & {*names} - {COUNTS}
    read = {x: _row(engine, row, (names.index(x),)) for x in sorted(columns)}
    return ObjectCell(row.cls, _fields(row.cls, dict.fromkeys(names) | read))


def _fields(cls: type, held: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an instance by what the columns hold of it."""
    fields = {name: x for name, x in held.items() if name != COUNTS and not name.startswith(SET)}
    for name in fields:
        match held.get(SET + name), missing(cls, name):
            case Const(value=False), Unbound() as unbound:
                fields[name] = unbound
            case Scalar() as there, Unbound() as unbound:
                fields[name] = Variant("unbound", there, (unbound, fields[name]))
    return fields


def shown(engine: Engine, row: Pooled) -> ObjectCell | DictCell:
    """An instance with the fields, a dict with the items, that it has now."""
    found = _row(engine, row)
    held = dict(zip(engine.pool_fields[row.cls], found.items, strict=True))
    fields = _fields(row.cls, held)
    return DictCell(fields) if issubclass(row.cls, Record) else ObjectCell(row.cls, fields)


def replace(engine: Engine, row: Pooled, content: Any) -> None:
    """Let an instance in a pool have the fields, a dict the items, of `content`."""
    before = shown(engine, row)
    if type(content) is not type(before):
        raise engine.refuse("an instance that is in a list is made anew")
    if isinstance(content, ObjectCell):
        unbound = {name: Unbound(name) for name in before.fields}
        had, held = before.fields, {**unbound, **content.fields}
    else:
        had, held = before.items, content.items
        if held.keys() != had.keys():
            engine.findings.keyed.add(row.cls)
            raise engine.refuse(
                "the keys of a dict that is one of several change",
                "give each all of its keys where it is made, or use keys that are numbers",
                remedy="keyed",
            )
    for name, value in held.items():
        if not _is_same(engine.heap, value, had.get(name)):
            _assign(engine, row, name, value)


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
    grown = _grown(engine, row.pool)
    part, before = at_path(grown.item, path)
    columns = iter(grown.columns[before:])
    with engine.unchecked():
        return reading.read_item(engine, part, columns, as_const(row.index), row.pool, path)


def _grown(engine: Engine, pool: Ref) -> Any:
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


def want(engine: Engine, values: Iterable[Any]) -> None:
    """Note the classes of instances, dicts of text keys and closures that values lead to, and of
    which there is no pool."""
    values = list(values)
    found = sorted(reachable(engine.heap, values) & engine.heap.contents.keys())
    contents = [engine.heap.contents[cell] for cell in found]
    for content in contents:
        if class_of_object(content) is not None:
            remedy(engine, content)
    called = closures.classes_in([*values, *contents])
    engine.findings.classes.update(called)
    engine.findings.named.update(called)


_FIELDS = "instances with such fields are not chosen among at run time"


def assign(engine: Engine, x: Ref, name: str, value: Any) -> None:
    """`x.name = value`."""
    row: Any = engine.heap.contents[x.cell]
    _assign(engine, row, name, value)


def _asked_in_turn(engine: Engine, cls: type, names: Iterable[str]) -> set[tuple[type, str]]:
    """Fields that would be asked for one after the other: those that `__init__`, with the methods
    that it calls, gives instances that it put in a list before; if these are generators, in what
    they keep what is read behind each `yield`."""
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
    names = engine.pool_fields[row.cls]
    engine.rules.enter(engine, None, value)
    unbound = isinstance(value, Unbound)
    if name not in names or (unbound and SET + name not in names):
        further = _asked_in_turn(engine, row.cls, names)
        raise Needs(engine.loc, late=frozenset({(row.cls, name), *further}))
    if SET + name in names:
        _put(engine, row, SET + name, Const(not unbound))
    _put(engine, row, name, value_of(missing(row.cls, name), "unbound") if unbound else value)


def _put(engine: Engine, row: Pooled, name: str, value: Any) -> None:
    place = engine.pool_fields[row.cls].index(name)
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
    if isinstance(value, Ref) and _is_in_list(engine, value):
        raise growing.in_two(engine)
    growing.within_room(engine, grown.item.items[place], value)
    new = item_of(heap, value)
    wide = None if new is None else joined_item(grown.item.items[place], new)
    if wide is None:
        growing.note_sizes(engine, [grown.item.items[place], new])
        raise engine.refuse("the fields of instances in a list are of one type each", among=[value])
    if wide != grown.item.items[place]:
        grown = growing.retype(engine, row.pool, replaced_at(grown.item, (place,), wide))
    part, before = at_path(grown.item, (place,))
    written = list(values(heap, part, value))
    if any(not isinstance(kind, Block) for _, kind, _ in objects(heap, part, value)):
        growing.detach(engine, row.pool)
    growing.hold_parts(engine, row.pool, objects(heap, part, value, (place,)), as_const(row.index))
    columns = grown.columns[before : before + count(part)]
    with engine.unchecked():
        for column, element in zip(columns, written, strict=True):
            arrays.setitem(engine, column, as_const(row.index), Array(element))


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
