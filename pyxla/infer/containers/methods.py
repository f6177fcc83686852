"""Methods of lists, tuples, dicts and sets."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, GrowingList, ListCell, ObjectCell, Pooled, SetCell
from pyxla.abstract.lattice import Const, Live, Ref, Tuple
from pyxla.frontend import support
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.standard import asks, is_seen
from pyxla.infer.calls.visiting import call_method
from pyxla.infer.classes import is_python
from pyxla.infer.containers import tables
from pyxla.infer.containers.comparing import alike
from pyxla.infer.containers.indexing import FALSE, content_of, get_item, set_item
from pyxla.infer.containers.indices import as_int
from pyxla.infer.containers.iterators import state_of
from pyxla.infer.containers.making import dict_, has_data_keys, read_once, unknown
from pyxla.infer.containers.structure import item, iterate, length
from pyxla.infer.containers.watched import read
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices
from pyxla.infer.joins.kinds import NO_INT
from pyxla.infer.lists import columnar, finding, growing, methods, pool_rows
from pyxla.infer.objects import get_attribute
from pyxla.infer.raising.refusals import need
from pyxla.infer.using import items_in_order, some
from pyxla.lib import sequences
from pyxla.lib.containers import Deque
from pyxla.lib.registry import rule
from pyxla.lib.tables import ByKey, View, fill, pairs

NOT_IN_TUPLE = "tuple.index(x): x not in tuple"


def _items(engine: Engine, x: Any) -> tuple[Any, ...]:
    return engine.content(x).items


def of_tables(*targets: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a method of dicts or sets, which is another one where data decides the keys."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            rule(target)(functools.partial(_of_table, function, target.__name__))
        return function

    return register


def _of_table(function: Any, name: str, engine: Engine, x: Any, /, *args: Any, **named: Any) -> Any:
    if name == "pop" and len(args) > 2:
        words = f"pop expected at most 2 arguments, got {len(args)}"
        raise engine.refuse(words, raises=TypeError, words=words)
    asked = x if tables.found(engine.heap, x) else None
    if args and pool_rows.record_row(engine.heap, x, args[0]) and name in vars(ByKey):
        return call(engine, Const(vars(ByKey)[name]), [x, *args], named)
    if asked is None and args and name in _KEYED:
        asked = _asked(engine, x, args[0], name in _READS)
    if asked is None:
        return function(engine, x, *args, **named)
    member = getattr(tables.found(engine.heap, asked), name)
    if not is_python(member):
        raise engine.refuse(f"{name}() of a dict or set of which data decides the items")
    return call(engine, Const(member), [asked, *args], named)


def _asked(engine: Engine, x: Any, key: Any, reads: bool) -> Any:
    if reads:
        return tables.looked(engine, x, key)
    return x if tables.opened(engine, x, key) else None


_READS = frozenset({"get"})
_KEYED = _READS | {"setdefault", "pop", "add", "discard", "remove"}


@rule(support.appends)
def _appends(engine: Engine, x: Any) -> Const:
    content = content_of(engine, x)
    if isinstance(content, (ListCell, GrowingList)):
        return Const(True)
    cls = getattr(content, "cls", None)
    extend = engine.captures.member(cls, "extend") if cls is not None else None
    return Const(extend in (list.extend, Deque.extend))


@rule(support.extend_by_one)
def _extend_by_one(engine: Engine, x: Any, value: Any) -> Any:
    if isinstance(content_of(engine, x), (ListCell, GrowingList)):
        return _append(engine, x, value)
    return call(engine, get_attribute(engine, x, "append"), [value], {})


@rule(list.append, support.append)
def _append(engine: Engine, x: Any, value: Any) -> Any:
    if (grown := methods.opened(engine, x, new=Tuple((value,)))) is not None:
        growing.append(engine, x, grown, value)
        return Const(None)
    content = content_of(engine, x)
    if isinstance(content, SetCell) or tables.found(engine.heap, x):
        return call(engine, Const(set.add), [x, value], {})
    engine.set_content(x.cell, ListCell((*_items(engine, x), value)))
    return Const(None)


def _is_read_by_its_class(engine: Engine, x: Any) -> bool:
    """Whether `x` is an instance whose class says how it is read."""
    if type(engine.heap.contents.get(getattr(x, "cell", None))) not in (ObjectCell, Pooled):
        return False
    known = tables.found(engine.heap, x) is not None or state_of(engine, x) is not None
    return not known and tables.plain_sequence(engine, x) is None


@rule(list.extend, support.extend)
def _extend(engine: Engine, x: Any, more: Any) -> Any:
    if _is_read_by_its_class(engine, more):  # which may look at the list, or raise
        return call(engine, Const(sequences.extend), [x, more], {})
    many = columnar.found(engine.heap, x) is not None or unknown(engine, more)
    if not many and state_of(engine, more) is not None:  # what makes an item may look at the list
        items = read(engine, more)
        for i in range(engine.static(length(engine, items), "the number of items")):
            _append(engine, x, item(engine, items, Const(i)))
        return Const(None)
    kept: Any = columnar.found(engine.heap, more)
    if kept is None and not many:
        kept = more = Tuple(tuple(iterate(engine, more)))
    if many or methods.opened(engine, x, new=kept) is not None:
        methods.extend(engine, x, more)
        return Const(None)
    engine.set_content(x.cell, ListCell((*_items(engine, x), *iterate(engine, more))))
    return Const(None)


def _position(engine: Engine, index: Any) -> Any:
    """Where an item is put, or taken from."""
    return as_int(engine, some(engine, index, NO_INT.format("NoneType")))


@rule(list.insert)
def _insert(engine: Engine, x: Any, index: Any, value: Any) -> Any:
    index = _position(engine, index)
    if (grown := methods.opened(engine, x, index, new=Tuple((value,)))) is not None:
        methods.insert(engine, x, grown, index, value)
        return Const(None)
    items = list(_items(engine, x))
    index = index if items else Const(0)
    items.insert(engine.static(index, "where to insert", items=(*items, value)), value)
    engine.set_content(x.cell, ListCell(tuple(items)))
    return Const(None)


@rule(list.pop)
def _pop(engine: Engine, x: Any, index: Any = Const(-1)) -> Any:
    index = _position(engine, index)
    if (grown := methods.opened(engine, x, index)) is not None:
        return growing.pop(engine, x, grown, index)
    items = list(_items(engine, x))
    if not items:
        return engine.raise_constant(IndexError("pop from empty list"))
    position = engine.static(index, "which item to pop", items=items)
    try:
        value = items.pop(position)
    except IndexError as error:
        return engine.raise_constant(error)
    engine.set_content(x.cell, ListCell(tuple(items)))
    return value


@rule(list.clear, dict.clear)
def _clear(engine: Engine, x: Any) -> Any:
    if (grown := methods.opened(engine, x)) is not None:
        growing.shorten(engine, x, grown, 0)
        return Const(None)
    content = content_of(engine, x)
    is_list = isinstance(content, ListCell)
    if is_list:
        engine.set_content(x.cell, ListCell(()))
    else:
        tables.shrunk(engine, x, {})
    return Const(None)


@rule(list.reverse)
def _reverse(engine: Engine, x: Any) -> Any:
    if (grown := methods.opened(engine, x)) is not None:
        methods.reverse(engine, x, grown)
        return Const(None)
    engine.set_content(x.cell, ListCell(_items(engine, x)[::-1]))
    return Const(None)


@rule(list.index, tuple.index)
def _index(engine: Engine, x: Any, value: Any, *bounds: Any) -> Any:
    if bounds:
        return call(engine, Const(sequences.index_in), [x, value, *bounds], {})
    return first(engine, x, value, _not_in(x, value))


def first(engine: Engine, x: Any, value: Any, missing: ValueError) -> Any:
    """Where `value` is in `x` first; `missing` is raised where it is not.

    Matches that are known at run time only are looked through from the end.
    """
    if (grown := methods.opened(engine, x)) is not None:
        return finding.index(engine, grown, value, missing)
    rules = engine.rules
    if is_seen(engine, x, "__eq__") or asks(engine, value, "__eq__"):
        at = call(engine, Const(sequences.position), [x, value, Const(False)], {})
        there = rules.compare(engine, "ge", at, Const(0))
        finding.ensure_found(engine, there, value, missing)
        return at
    same = [alike(engine, candidate, value) for candidate in iterate(engine, x)]
    known = next((i for i, s in enumerate(same) if isinstance(s, Const) and s.value), None)
    open_ = [i for i, s in enumerate(same[:known]) if not isinstance(s, Const)]
    if not open_:
        if known is not None:
            return Const(known)
        finding.ensure_found(engine, FALSE, value, missing)
        return engine.raise_constant(missing)
    if known is None:
        found: Any = Const(False)
        for i in open_:
            found = rules.either(engine, found, same[i])
        finding.ensure_found(engine, found, value, missing)
    result: Any = Const(len(same) if known is None else known)
    for i in reversed(open_):
        chosen = call(engine, Const(np.where), [same[i], Const(i), result], {})
        result = call(engine, Const(int), [chosen], {})
    return result


def _not_in(x: Any, value: Any) -> ValueError:
    """What CPython raises where `value` is not in a list or tuple, as far as that is known."""
    if isinstance(x, Ref) and isinstance(value, Const):
        try:
            [].index(value.value)
        except ValueError as error:
            return error
    return ValueError(finding.NOT_IN_LIST if isinstance(x, Ref) else NOT_IN_TUPLE)


@rule(list.count, tuple.count)
def _count(engine: Engine, x: Any, value: Any) -> Any:
    if (grown := methods.opened(engine, x)) is not None:
        return finding.count_of(engine, grown, value)
    total: Any = Const(0)
    for candidate in iterate(engine, x):
        total = engine.rules.binary(engine, "add", total, alike(engine, candidate, value))
    return total


@rule(list.remove)
def _remove(engine: Engine, x: Any, value: Any) -> Any:
    if (grown := methods.opened(engine, x, value)) is not None:
        methods.remove(engine, x, grown, value)
        return Const(None)
    place = first(engine, x, value, ValueError("list.remove(x): x not in list"))
    if (grown := methods.opened(engine, x, place)) is not None:
        methods.remove_at(engine, x, grown, place)
        return Const(None)
    index = engine.static(place, "which item to remove")
    items = _items(engine, x)
    engine.set_content(x.cell, ListCell(items[:index] + items[index + 1 :]))
    return Const(None)


for _name in ("keys", "values", "items"):
    rule(getattr(dict, _name))(lambda engine, x, _name=_name: Live(_name, (x,)))


def seen(engine: Engine, view: Live) -> Any:
    """What a view of a dict shows now."""
    (x,) = view.items
    if tables.found(engine.heap, x) is not None:
        fields = engine.content(x).fields
        names, data = fields["names"], fields["data"]
        if view.kind == "items":
            return call(engine, Const(pairs), [names, data], {})
        return names if view.kind == "keys" else data
    held = items_in_order(engine, content_of(engine, tables.held_by(engine, x)))
    if view.kind == "values":
        return Tuple(tuple(held.values()))
    keys = [Const(k) for k in held]
    if view.kind == "keys":
        return Tuple(tuple(keys), View)
    return Tuple(tuple(map(Tuple, zip(keys, held.values(), strict=True))), View)


@of_tables(dict.get)
def _get(engine: Engine, x: Any, key: Any, default: Any = Const(None)) -> Any:
    items = content_of(engine, x).items
    return items.get(engine.key(key, items=items.values()), default)


@of_tables(dict.setdefault)
def _setdefault(engine: Engine, x: Any, key: Any, default: Any = Const(None)) -> Any:
    if choices.is_choice(key) and {*key.values} <= content_of(engine, x).items.keys():
        return get_item(engine, x, key)  # it is there, whichever it is
    known = engine.key(key, items=(*content_of(engine, x).items.values(), default))
    if known not in content_of(engine, x).items:
        set_item(engine, x, key, default)
    return content_of(engine, x).items[known]


@of_tables(dict.update)
def _update(engine: Engine, x: Any, other: Any = None, /, **named: Any) -> Any:
    new = dict(named)
    other = None if other is None else read_once(engine, other)
    if other is not None and not named and has_data_keys(engine, other):
        source = call_method(engine, other, "items") if _is_mapping(engine, other) else other
        return call(engine, Const(fill), [x, source], {})
    if other is not None:
        new = {**content_of(engine, dict_(engine, other)).items, **named}
    if pool_rows.record_row(engine.heap, x) is not None:
        for key, value in new.items():
            set_item(engine, x, Const(key), value)
        return Const(None)
    content = content_of(engine, x)
    engine.set_content(x.cell, content.holding({**content.items, **new}))
    return Const(None)


@rule(support.update)
def _update_starred(engine: Engine, x: Any, mapping: Any) -> Any:
    """`{**mapping}`."""
    need(engine, mapping, ["keys"], "is not a mapping", "{!r} object is not a mapping")
    return _of_table(_update, "update", engine, x, mapping)


def _is_mapping(engine: Engine, x: Any) -> bool:
    x = tables.held_by(engine, x)
    return isinstance(content_of(engine, x), DictCell) or tables.table_in(engine, x) is not None


@of_tables(dict.popitem)
def _popitem(engine: Engine, x: Any) -> Any:
    items = items_in_order(engine, content_of(engine, x))
    if not items:
        return engine.raise_constant(KeyError("popitem(): dictionary is empty"))
    *rest, (key, value) = items.items()
    tables.shrunk(engine, x, dict(rest))
    return Tuple((Const(key), value))


@of_tables(dict.pop)
def _dict_pop(engine: Engine, x: Any, key: Any, *default: Any) -> Any:
    content = content_of(engine, x)
    items = dict(content.items)
    known = engine.key(key, items=items.values())
    if known not in items:
        return default[0] if default else engine.raise_constant(KeyError(known))
    value = items.pop(known)
    tables.shrunk(engine, x, items)
    return value


rule(sequences.reserve)(methods.reserve)
rule(sequences.append_reserved)(methods.append_reserved)
rule(sequences.truncate)(methods.truncate)
