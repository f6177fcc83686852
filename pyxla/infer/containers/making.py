"""Containers made of what is iterated over: `tuple`, `list`, `set`, `dict`, `filter`, `tolist`."""

from __future__ import annotations

import collections
import math
import types
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell, SetCell
from pyxla.abstract.lattice import Compound, Const, Ref, Scalar, Tuple
from pyxla.frontend import support
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.coroutines import is_generator
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.library import apply
from pyxla.infer.calls.visiting import call_function, special
from pyxla.infer.containers import steps, tables
from pyxla.infer.containers.indexing import content_of, delete_item, get_item, set_item
from pyxla.infer.containers.iterators import state_of, unwatched
from pyxla.infer.containers.structure import LENGTHS, iterate, length, read_all, rest
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, entries, finding, methods, number_lists, reading, shared
from pyxla.infer.lists.columnar import MANY
from pyxla.infer.raising.check_table import verify
from pyxla.infer.raising.refusals import ITERATION, need
from pyxla.infer.text import strings
from pyxla.infer.using import decided_by_data
from pyxla.ir.types import PYTHON_DTYPES
from pyxla.lib import interpreted, sequences
from pyxla.lib.containers import namespaces_differ, namespaces_equal
from pyxla.lib.registry import REGISTRY, rule
from pyxla.lib.scalars import kind_of
from pyxla.lib.sets import TableFrozenSet, empty, forget, gather, room, tabled
from pyxla.lib.tables import (
    ONCE,
    Table,
    copied,
    fill,
    fill_all,
    in_chain,
    leaving,
    link,
    locate,
    lose,
    pairs,
    put,
    unchained,
)
from pyxla.lib.tables import find as find_key


@rule(tuple, support.to_tuple)
def _tuple(engine: Engine, x: Any = Const(())) -> Any:
    if isinstance(x, Const) and isinstance(x.value, (str, range)):
        return Const(tuple(x.value))
    if (grown := columnar.found(engine.heap, x)) is not None and grown.cls is tuple:
        return x
    x = strings.characters(engine, x) if strings.is_dynamic(x) else source(engine, x)
    grown = columnar.found(engine.heap, x)
    if grown is None and unknown(engine, x):
        x = methods.of_unknown_length(engine, x)
        grown = columnar.found(engine.heap, x)
    if grown is not None and unknown(engine, x):
        return reading.copied(engine, grown, cls=tuple)
    return Tuple(tuple(iterate(engine, x)))


@rule(types.SimpleNamespace)
def _namespace(engine: Engine, **fields: Any) -> Ref:
    return engine.new(ObjectCell(types.SimpleNamespace, fields))


@rule(types.SimpleNamespace.__eq__)
def _namespaces_equal(engine: Engine, x: Any, y: Any) -> Any:
    return call(engine, Const(namespaces_equal), [x, y], {})


@rule(types.SimpleNamespace.__ne__)
def _namespaces_differ(engine: Engine, x: Any, y: Any) -> Any:
    return call(engine, Const(namespaces_differ), [x, y], {})


def source(engine: Engine, x: Any) -> Any:
    """What is left to read of an iterator over a list of unknown length; else `x`."""
    state = state_of(engine, x)
    grown = state is not None and columnar.found(engine.heap, unwatched(state.fields["items"]))
    return rest(engine, x) if grown and unknown(engine, x) else x


@rule(list)
def list_(engine: Engine, x: Any = Const(())) -> Any:
    shared.noted(engine)
    if tables.found(engine.heap, x) is None:
        x = tables.plain_sequence(engine, x) or x
    x = source(engine, x)
    if (grown := columnar.found(engine.heap, x)) is not None:
        return reading.copied(engine, grown)
    if strings.is_dynamic(x):
        return strings.characters(engine, x)
    if unknown(engine, x):
        return methods.of_unknown_length(engine, x)
    return engine.new(ListCell(tuple(iterate(engine, x))))


@rule(np.ndarray.tolist)
def _tolist(engine: Engine, x: Any, _library: Any = REGISTRY[np.ndarray.tolist]) -> Any:
    """Python scalars in nested lists, which stay an array where they are many."""
    if arrays.is_array(engine, x) and not engine.is_jax(x):
        shape, extents = arrays.shown(engine, x)
        if extents is not None and len(shape) > 1:
            return call(engine, Const(sequences.rows_listed), [x], {})
        size = math.prod(shape)
        if extents is not None or (size > MANY and engine.findings.allows(size, True)):
            dtype = PYTHON_DTYPES[kind_of(arrays.dtype_of(engine, x))]
            data = call(engine, Const(np.ndarray.astype), [x, Const(dtype)], {})
            verify(engine, _library.function, [engine.bounded_operand(x)], {}, None)
            return number_lists.listed(engine, data, True)
    return engine.abstract(apply(engine, "tolist", _library, [x], {}))


def read_once(engine: Engine, x: Any) -> Any:
    """`x`, or what is left of it where that can be read only once, for what looks at it twice."""
    if is_generator(x):
        return call(engine, Const(list), [x], {})
    if state_of(engine, x) is None:
        return x
    items = rest(engine, x)
    read_all(engine, x)
    once = isinstance(items, Compound) and not unknown(engine, items)
    return Tuple(tuple(iterate(engine, items))) if once else items


@rule(interpreted.sequences_of)
def _sequences_of(engine: Engine, parts: Any) -> Any:
    return Tuple(tuple([read_once(engine, x) for x in iterate(engine, parts)]))


def unknown(engine: Engine, x: Any) -> bool:
    """Whether a loop of the program reads the items of `x`: their number is known at run time only,
    and can only be, or they are many, made of data when they are asked for."""
    if isinstance(x, (Const, Tuple, Scalar)):
        return False
    if (inner := tables.plain_sequence(engine, x)) is not None:
        return unknown(engine, inner)
    if (grown := columnar.found(engine.heap, x)) is not None:
        size = reading.length(engine, grown)
        return not isinstance(size, Const) or size.value > MANY
    content = content_of(engine, x)
    if (state := state_of(engine, x)) is not None:
        return state.fields["at"].value is not None and unknown(engine, state.fields["items"])
    if strings.is_dynamic(x):
        return isinstance(strings.length(engine, x), Scalar)
    if isinstance(x, Compound) and x.kind not in LENGTHS:
        return False
    if isinstance(content, (ListCell, DictCell, SetCell, ObjectCell)):
        return False
    size = length(engine, x)
    if isinstance(size, Const):
        return isinstance(x, Compound) and size.value > MANY and _is_made(engine, x)
    return isinstance(size, Scalar) and decided_by_data(engine, size)


def _is_made(engine: Engine, x: Any) -> bool:
    """Whether each item of a sequence is made in the same way from its place."""
    if isinstance(x, Compound) and x.kind in LENGTHS:
        parts = {"map": x.items[1:], "zip": x.items, "range": ()}.get(x.kind, x.items[:1])
        return x.kind != "arrangement" and all(_is_made(engine, part) for part in parts)
    if isinstance(x, Const):
        return isinstance(x.value, range)
    return arrays.is_array(engine, x) or columnar.found(engine.heap, x) is not None


@rule(set, support.to_set)
def _set(engine: Engine, x: Any = Const(())) -> Any:
    x = read_once(engine, x)
    items = constants_of(engine, x)
    if items is None:
        return call(engine, Const(gather), [_empty(engine), x], {})
    return tables.made(engine, steps.made(items))


@rule(empty)
def _empty(engine: Engine) -> Ref:
    return _followed(engine, tables.made(engine, SetCell(frozenset())))


def _followed(engine: Engine, x: Ref) -> Ref:
    return tables.of_data(engine, x) if engine.demands.ordered else x


@rule(forget)
def _forget(engine: Engine, x: Any) -> Any:
    """What sets are made of where data decides the items, and so in another order than CPython."""
    content = content_of(engine, x)
    if isinstance(content, SetCell) and not engine.demands.ordered:
        engine.set_content(x.cell, replace(content, steps=None))
    return Const(None)


@rule(tabled)
def _tabled(engine: Engine, x: Any) -> Any:
    if not engine.demands.ordered:
        return x
    if isinstance(x, Const) and isinstance(x.value, frozenset):
        return tables.of_data(engine, engine.new(steps.made(x.value)))
    content = content_of(engine, x)
    return tables.of_data(engine, engine.new(content)) if isinstance(content, SetCell) else x


@rule(frozenset)
def _frozenset(engine: Engine, x: Any = Const(())) -> Any:
    x = read_once(engine, x)
    items = constants_of(engine, x)
    if items is None or TableFrozenSet in engine.pools:
        items = _followed(engine, engine.new(SetCell(frozenset())))  # the frozenset is in a pool
        return tables.frozen(engine, call(engine, Const(gather), [items, x], {}))
    if isinstance(items, SetCell) and items.steps is None:
        raise engine.refuse(steps.DISORDER, steps.SORT)
    return Const(frozenset(steps.given(items)))


@rule(support.displayed_set)
def _displayed(engine: Engine, x: Any) -> Any:
    return Const(steps.frozen(engine.static(x), engine.functions()))


def constants_of(engine: Engine, x: Any) -> Any:
    """The items of a collection, as `steps` takes them; None where some are no constants."""
    if isinstance(x, Const) and isinstance(x.value, frozenset):
        return x.value
    content = content_of(engine, x)
    if isinstance(content, SetCell):
        return content
    if tables.found(engine.heap, x) or unknown(engine, x):
        return None
    items = iterate(engine, x)
    if tables.compares(engine, *items):
        return None
    keys = [engine.key(item) for item in items]
    return steps.Keys(keys) if isinstance(content, DictCell) else tuple(keys)


@rule(dict)
def dict_(engine: Engine, x: Any = None, /, **named: Any) -> Any:
    items: dict[Any, Any] = {}
    x = None if x is None else tables.held_by(engine, read_once(engine, x))
    if not named and (table := tables.table_in(engine, x)) is not None:
        return _copied(engine, table)
    if x is not None and not named and has_data_keys(engine, x):
        return call(engine, Const(fill), [tables.made(engine, DictCell({})), x], {})
    if x is not None:
        content = content_of(engine, x)
        if isinstance(content, DictCell):
            return tables.made(engine, content.holding({**content.items, **named}))
        elif isinstance(content, ObjectCell) and engine.captures.member(content.cls, "keys"):
            for key in iterate(engine, special(engine, x, "keys", ())):
                items[engine.key(key)] = get_item(engine, x, key)
        else:
            for at, pair in enumerate(iterate(engine, x)):
                element = f"dictionary update sequence element #{at}"
                words = f"cannot convert {element} to a sequence"
                need(engine, pair, ITERATION, "is no pair", words)
                parts = iterate(engine, pair)
                if len(parts) != 2:
                    message = f"{element} has length {len(parts)}; 2 is required"
                    return engine.raise_constant(ValueError(message))
                key, value = parts
                items[engine.key(key)] = value
    return tables.made(engine, DictCell({**items, **named}))


@rule(copied)
def _copied(engine: Engine, table: Ref) -> Ref:
    """Its lists are copied as they are: lists and the like among the values stay what they are."""
    fields = {
        name: list_(engine, x) if isinstance(x, Ref) else x
        for name, x in engine.content(table).fields.items()
    }
    return entries.entered(engine, engine.new(ObjectCell(Table, fields)))


def has_data_keys(engine: Engine, x: Any) -> bool:
    """Whether what `dict` is called with has keys that data decides; it counts as not read."""
    heap, engine.heap = engine.heap, engine.heap.copy()
    found = _has_data_keys(engine, x)
    engine.heap = heap
    return found


def _has_data_keys(engine: Engine, x: Any) -> bool:
    if (inner := tables.plain_sequence(engine, x)) is not None:
        return tables.found(engine.heap, x) is not None or _has_data_keys(engine, inner)
    content = content_of(engine, x)
    if isinstance(content, (DictCell, ObjectCell)):
        return False
    if unknown(engine, x):
        return True
    pairs = [iterate(engine, pair) for pair in iterate(engine, x)]
    return any(pair and tables.compares(engine, pair[0]) for pair in pairs)


@rule(collections.OrderedDict.fromkeys)
def _ordered_from_keys(engine: Engine, iterable: Any, value: Any = Const(None)) -> Any:
    made = call(engine, Const(collections.OrderedDict), [], {})
    return call(engine, Const(fill_all), [made, read_once(engine, iterable), value], {})


@rule(dict.fromkeys)
def _fromkeys(engine: Engine, keys: Any, value: Any = Const(None)) -> Any:
    made, keys = tables.made(engine, DictCell({})), read_once(engine, keys)
    if unknown(engine, keys) or tables.compares(engine, *iterate(engine, keys)):
        return call(engine, Const(fill_all), [made, keys, value], {})
    for key in iterate(engine, keys):
        set_item(engine, made, key, value)
    return made


@rule(slice, support.slice)
def _slice(engine: Engine, *args: Any) -> Any:
    parts = {1: (Const(None), *args, Const(None)), 2: (*args, Const(None))}.get(len(args), args)
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*[p.value for p in parts]))
    return Compound("slice", tuple(parts))


@rule(locate)
def _locate(engine: Engine, names: Any, key: Any) -> Any:
    if columnar.found(engine.heap, names) is None:
        held = arrays.items_of(engine, names)
        if any(tables.instances(engine, x) for x in (key, *held)):
            return call_function(engine, locate, [names, key], {})
    return finding.place(engine, names, key)


@rule(find_key)
def _find(engine: Engine, table: Any, key: Any) -> Any:
    tables.check_sought(engine, key, tables.found(engine.heap, table))
    key = strings.by_characters(engine, key)
    if tables.is_chained(engine, table, key):
        return call(engine, Const(in_chain), [table, key], {})
    return _locate(engine, call(engine, Const(getattr), [table, Const("names")], {}), key)


@rule(put)
def _put(engine: Engine, table: Any, key: Any) -> Any:
    tables.check_hash(engine, key, tables.found(engine.heap, table))
    key = strings.by_characters(engine, key)
    tables.changed(engine, table, tables.CAME)
    names = call(engine, Const(getattr), [table, Const("names")], {})
    call(engine, call(engine, Const(getattr), [names, Const("append")], {}), [key], {})
    if tables.is_chained(engine, table, key):
        call(engine, Const(link), [table], {})
    return Const(None)


@rule(leaving)
def _leaving(engine: Engine, table: Any, key: Any) -> Any:
    _unchained(engine, table)
    return _find(engine, table, key)


@rule(unchained)
def _unchained(engine: Engine, table: Any) -> Const:
    engine.findings.leaves = True
    if tables.has_chains(engine, table):
        raise engine.refuse("a key leaves a large dict or set, whose keys are in chains")
    return Const(None)


@rule(lose)
def _lose(engine: Engine, table: Ref, at: Any) -> Const:
    tables.changed(engine, table, tables.LEFT)
    fields = engine.content(table).fields
    if "left" in fields:
        more = engine.rules.binary(engine, "add", fields["left"], Const(ONCE))
        call(engine, Const(setattr), [table, Const("left"), more], {})
    if isinstance(at, Const) and at.value is None:
        call(engine, Const(list.clear), [fields["names"]], {})
    else:
        delete_item(engine, fields["names"], at)
    return Const(None)


rule(pairs)(methods.zipped)
rule(room)(methods.room)
