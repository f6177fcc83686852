"""Instances that lists of unknown length hold: `particles.append(Particle(x))` where data decides.

The instances of a *pooled* class are rows of a hidden list of tuples, the *pool*, which only grows;
a cell's content says which row it is (`heap.Pooled`). A list of instances then holds numbers of
rows (`item_types.Handle`): objects that have several names, or are in several lists or in fields of
each other, stay one. A program that is refused is tried with the classes pooled that it makes
instances of in loops, or more than once (`infer.demands`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyxla.abstract.heap import (
    DictCell,
    Heap,
    ListCell,
    ObjectCell,
    Pooled,
    SequenceIterator,
    SetCell,
    reachable,
)
from pyxla.abstract.lattice import (
    Array,
    Const,
    Ref,
    Tuple,
    Unbound,
    has_value,
    may_be_unbound,
    value_of,
)
from pyxla.errors import CompileError, InternalError
from pyxla.frozen import dataclass
from pyxla.infer.demands import Demands, Needs, Path
from pyxla.infer.interface import Engine
from pyxla.infer.joins import closures
from pyxla.infer.joins.columns import missing
from pyxla.infer.lists import columnar, growing, pool_rows, reading, record_keys
from pyxla.infer.lists.item_types import LISTS
from pyxla.infer.lists.items import count, item_of
from pyxla.infer.lists.pool_rows import COUNTS, SET
from pyxla.lib.iterators import Generator, SequenceSteps
from pyxla.lib.sets import TableSet
from pyxla.lib.tables import Record, Table, record

MOST_DICTS = 8  # of unlike keys among which branches choose


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
    return record(keys) if keys and all(map(pool_rows.is_name, keys)) else Table


def are_unlike(heap: Heap, values: Sequence[Any]) -> bool:
    """Whether these are many dicts of the caller's of which each may have keys of its own: one of
    them is chosen in a pool, as branches would be too much code."""
    refs = [x for x in values if isinstance(x, Ref) and heap.infos[x.cell].pinned is not None]
    classes = [container_class(heap.contents[x.cell]) for x in refs]
    dicts = [cls for cls in classes if cls is not None and issubclass(cls, Table | Record)]
    several = len(set(dicts)) > MOST_DICTS or Table in dicts
    return several and len(dicts) == len(values) > MOST_DICTS


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
            held, columns = engine.heap.contents[engine.pools[cls].cell], list[Array]()
            if cls is Table:  # whose lists are written without it
                held = pool_rows.grown_of(engine, engine.pools[cls])
                columns = reading.columns_of(engine, held)
            made[cls] = Given(tuple(cells.values()), held, tuple(columns))
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
    if any(pool_rows.is_in_list(engine, field) for field in fields.values()):
        raise growing.in_two(engine)
    row = Tuple(tuple([_element(cls, fields, name) for name in names]))
    held = engine.heap.contents[pool.cell]
    if type(held) is ListCell:
        size: Any = len(held.items)
        engine.set_content(pool.cell, ListCell((*held.items, row)))
    else:
        grown = pool_rows.grown_of(engine, pool)
        size = columnar.size_of(engine.heap, grown)
        growing.append(engine, pool, grown, row)
    engine.heap.contents[x.cell] = Pooled(pool, size, cls)


def _columns(engine: Engine, cls: type, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """What the columns of a pool hold: fields, those that are set later last but for keys of dicts,
    and which are set."""
    late = sorted([name for owner, name in engine.demands.late if owner is cls])
    if late:
        own = [name for name in fields if name not in late or issubclass(cls, Record)]
        return (*dict.fromkeys([*own, *late]), *[SET + name for name in late])
    items = [item_of(engine.heap, x) for x in fields.values()]
    counted = any(item is None or count(item) for item in items)
    return (*fields,) if counted else (*fields, COUNTS)


def _element(cls: type, fields: Mapping[str, Any], name: str) -> Any:
    """What the column of this name holds of a new instance."""
    if name == COUNTS:
        return Const(0)
    field = name.removeprefix(SET)
    value = fields.get(field, Unbound(field))
    if name != field:
        there = has_value(value, "unbound")
        return record_keys.first_mark(there.value) if issubclass(cls, Record) else there
    return value_of(missing(cls, name) if isinstance(value, Unbound) else value, "unbound")


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
