"""Methods of lists, tuples, dicts and sets, and functions of sequences (functools, itertools)."""

from __future__ import annotations

import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pyxla.frontend import support
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call, call_library, call_method, special
from pyxla.infer.calls.standard import READERS
from pyxla.infer.classes import is_python
from pyxla.infer.containers import tables
from pyxla.infer.containers.iterators import in_steps, iterator, position, unwatched, use_up
from pyxla.infer.containers.making import dict_, has_data_keys, read_once, unknown
from pyxla.infer.containers.structure import (
    content_of,
    item,
    iterate,
    iterate_ahead,
    length,
    sequence,
    set_item,
    sliced,
    unchanged,
)
from pyxla.infer.containers.watched import read
from pyxla.infer.engine import Engine
from pyxla.infer.heap import DictCell, ListCell, ObjectCell, SequenceIterator, SetCell
from pyxla.infer.lattice import Array, Const, Live, Ref, Tuple
from pyxla.infer.lists import columnar, growing, methods, number_lists, pools
from pyxla.infer.lists.items import holds_instances
from pyxla.lib import (
    interpreted,
    sequences,
)
from pyxla.lib.iterators import next_or
from pyxla.lib.registry import REGISTRY, rule
from pyxla.lib.tables import View, fill, pairs

NOT_IN_TUPLE = "tuple.index(x): x not in tuple"

# Methods of lists, tuples, dicts and sets


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
    asked = x if tables.found(engine.heap, x) else None
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


@rule(list.extend, support.extend)
def _extend(engine: Engine, x: Any, more: Any) -> Any:
    many = columnar.found(engine.heap, x) is not None or unknown(engine, more)
    kept: Any = columnar.kept(engine.heap, more)
    if kept is None and not many:
        kept = more = Tuple(tuple(iterate(engine, more)))
    if many or methods.opened(engine, x, new=kept) is not None:
        methods.extend(engine, x, more)
        return Const(None)
    engine.set_content(x.cell, ListCell((*_items(engine, x), *iterate(engine, more))))
    return Const(None)


@rule(list.insert)
def _insert(engine: Engine, x: Any, index: Any, value: Any) -> Any:
    if (grown := methods.opened(engine, x, index, new=Tuple((value,)))) is not None:
        methods.insert(engine, x, grown, index, value)
        return Const(None)
    items = list(_items(engine, x))
    index = index if items else Const(0)
    items.insert(engine.static(index, "where to insert"), value)
    engine.set_content(x.cell, ListCell(tuple(items)))
    return Const(None)


@rule(list.pop)
def _pop(engine: Engine, x: Any, index: Any = Const(-1)) -> Any:
    if (grown := methods.opened(engine, x, index)) is not None:
        return growing.pop(engine, x, grown, index)
    items = list(_items(engine, x))
    if not items:
        return engine.raise_constant(IndexError("pop from empty list"))
    position = engine.static(index, "which item to pop")
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
    engine.set_content(x.cell, ListCell(()) if isinstance(content, ListCell) else DictCell({}))
    return Const(None)


@rule(list.reverse)
def _reverse(engine: Engine, x: Any) -> Any:
    if (grown := methods.opened(engine, x)) is not None:
        methods.reverse(engine, x, grown)
        return Const(None)
    engine.set_content(x.cell, ListCell(_items(engine, x)[::-1]))
    return Const(None)


@rule(list.copy, dict.copy, copy.copy)
def _copy(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is not None:
        return growing.copied(engine, grown)
    if (kept := number_lists.flat(engine, x)) is not None:
        return number_lists.copied(engine, kept)
    content = content_of(engine, x)
    if isinstance(content, Array):
        return x if engine.is_jax(x) else arrays.fresh(engine, arrays.read(engine, x))
    if content is None:
        return x
    if isinstance(content, DictCell | SetCell):
        return tables.made(engine, content)
    made = engine.new(content)
    return pools.entered(engine, made) if isinstance(content, ObjectCell) else made


@rule(copy.deepcopy)
def _deepcopy(engine: Engine, x: Any) -> Any:
    return _deeply(engine, x, {})


def _deeply(engine: Engine, x: Any, made: dict[int, Any]) -> Any:
    """A copy of `x` and all that is in it; `made`: the copies so far, by cell."""
    if isinstance(x, Tuple):
        return Tuple(tuple([_deeply(engine, i, made) for i in x.items]), x.cls)
    if not isinstance(x, Ref) or x.view:
        return _copy(engine, x)
    if x.cell not in made:
        content = content_of(engine, x)
        if isinstance(content, ListCell | DictCell | ObjectCell):
            made[x.cell] = engine.new(content)  # which may be in it
            engine.set_content(made[x.cell].cell, _parts_copied(engine, content, made))
            if isinstance(content, ObjectCell):
                made[x.cell] = pools.entered(engine, made[x.cell])
        else:
            made[x.cell] = _grown_copied(engine, x)
    return made[x.cell]


def _parts_copied(engine: Engine, content: Any, made: dict[int, Any]) -> Any:
    match content:
        case ListCell(items):
            return ListCell(tuple([_deeply(engine, i, made) for i in items]))
        case DictCell(items):
            return content.holding({k: _deeply(engine, v, made) for k, v in items.items()})
        case _:
            fields = {k: _deeply(engine, v, made) for k, v in content.fields.items()}
            return ObjectCell(content.cls, fields)


def _grown_copied(engine: Engine, x: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is None:
        return _copy(engine, x)
    if holds_instances(grown.item):
        raise engine.refuse("deepcopy of a list of instances, or lists", "copy them one by one")
    return growing.copied(engine, grown, deep=True)


@rule(dataclasses.asdict)
def _asdict(engine: Engine, x: Any, *, dict_factory: Any = Const(dict)) -> Any:
    def record(fields: dict[str, Any]) -> Any:
        if isinstance(dict_factory, Const) and dict_factory.value is dict:
            return engine.new(DictCell(fields))
        pairs = [Tuple((Const(name), value)) for name, value in fields.items()]
        return call(engine, dict_factory, [engine.new(ListCell(tuple(pairs)))], {})

    return _rebuilt(engine, x, record)


@rule(dataclasses.astuple)
def _astuple(engine: Engine, x: Any, *, tuple_factory: Any = Const(tuple)) -> Any:
    def record(fields: dict[str, Any]) -> Any:
        if isinstance(tuple_factory, Const) and tuple_factory.value is tuple:
            return Tuple(tuple(fields.values()))
        return call(engine, tuple_factory, [engine.new(ListCell(tuple(fields.values())))], {})

    return _rebuilt(engine, x, record)


def _rebuilt(engine: Engine, x: Any, record: Callable[[dict[str, Any]], Any]) -> Any:
    """A copy of an instance, and of what is in it, with records in the place of instances."""
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and dataclasses.is_dataclass(content.cls):
        names = [f.name for f in dataclasses.fields(content.cls)]
        return record({n: _rebuilt(engine, content.fields[n], record) for n in names})
    if isinstance(x, Tuple):
        return Tuple(tuple([_rebuilt(engine, i, record) for i in x.items]), x.cls)
    if type(content) is ListCell:
        return engine.new(ListCell(tuple([_rebuilt(engine, i, record) for i in content.items])))
    if type(content) is DictCell:
        items = {k: _rebuilt(engine, v, record) for k, v in content.items.items()}
        return engine.new(content.holding(items))
    return _deepcopy(engine, x)


@rule(list.index, tuple.index)
def _index(engine: Engine, x: Any, value: Any, *bounds: Any) -> Any:
    if bounds:
        return call(engine, Const(sequences.index_in), [x, value, *bounds], {})
    return first(engine, x, value, _not_in(x, value))


def first(engine: Engine, x: Any, value: Any, missing: ValueError) -> Any:
    """Where `value` is in `x` first; `missing` is raised where it is not.

    Matches that are known at run time only are looked through from the end.
    """
    if (grown := columnar.found(engine.heap, x)) is not None:
        return methods.index(engine, grown, value)
    rules = engine.rules
    same = [
        rules.truth(engine, rules.compare(engine, "eq", candidate, value))
        for candidate in iterate(engine, x)
    ]
    known = next((i for i, s in enumerate(same) if isinstance(s, Const) and s.value), None)
    open_ = [i for i, s in enumerate(same[:known]) if not isinstance(s, Const)]
    if not open_:
        return engine.raise_constant(missing) if known is None else Const(known)
    if known is None:
        found: Any = Const(False)
        for i in open_:
            found = rules.either(engine, found, same[i])
        methods.ensure_found(engine, found, value, missing)
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
    return ValueError(methods.NOT_IN_LIST if isinstance(x, Ref) else NOT_IN_TUPLE)


@rule(list.count, tuple.count)
def _count(engine: Engine, x: Any, value: Any) -> Any:
    if (grown := columnar.found(engine.heap, x)) is not None:
        return methods.count_of(engine, grown, value)
    total: Any = Const(0)
    for candidate in iterate(engine, x):
        same = engine.rules.truth(engine, engine.rules.compare(engine, "eq", candidate, value))
        total = engine.rules.binary(engine, "add", total, same)
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


@rule(dict.keys)
def _keys(engine: Engine, x: Any) -> Live:
    return Live("keys", (x,))


@rule(dict.values)
def _values(engine: Engine, x: Any) -> Live:
    return Live("values", (x,))


@rule(dict.items)
def _dict_items(engine: Engine, x: Any) -> Live:
    return Live("items", (x,))


def seen(engine: Engine, view: Live) -> Any:
    """What a view of a dict shows now."""
    (x,) = view.items
    if tables.found(engine.heap, x) is not None:
        fields = engine.content(x).fields
        names, data = fields["names"], fields["data"]
        if view.kind == "items":
            return call(engine, Const(pairs), [names, data], {})
        return names if view.kind == "keys" else data
    held = content_of(engine, x).in_order(engine)
    if view.kind == "values":
        return Tuple(tuple(held.values()))
    keys = [Const(k) for k in held]
    if view.kind == "keys":
        return Tuple(tuple(keys), View)
    return Tuple(tuple(map(Tuple, zip(keys, held.values(), strict=True))), View)


@of_tables(dict.get)
def _get(engine: Engine, x: Any, key: Any, default: Any = Const(None)) -> Any:
    return content_of(engine, x).items.get(engine.key(key), default)


@of_tables(dict.setdefault)
def _setdefault(engine: Engine, x: Any, key: Any, default: Any = Const(None)) -> Any:
    known = engine.key(key)
    if known not in content_of(engine, x).items:
        set_item(engine, x, key, default)
    return content_of(engine, x).items[known]


@of_tables(dict.update)
def _update(engine: Engine, x: Any, other: Any = None, /, **named: Any) -> Any:
    new = dict(named)
    other = None if other is None else read_once(engine, other)
    if other is not None and not named and has_data_keys(engine, other):
        source = call_method(engine, other, "items", []) if _is_mapping(engine, other) else other
        return call(engine, Const(fill), [x, source], {})
    if other is not None:
        new = {**content_of(engine, dict_(engine, other)).items, **named}
    content = content_of(engine, x)
    engine.set_content(x.cell, content.holding({**content.items, **new}))
    return Const(None)


rule(support.update)(_update)


def _is_mapping(engine: Engine, x: Any) -> bool:
    return (
        isinstance(content_of(engine, x), DictCell) or tables.plain_sequence(engine, x) is not None
    )


@of_tables(dict.popitem)
def _popitem(engine: Engine, x: Any) -> Any:
    items = content_of(engine, x).in_order(engine)
    if not items:
        return engine.raise_constant(KeyError("popitem(): dictionary is empty"))
    *rest, (key, value) = items.items()
    engine.set_content(x.cell, DictCell(dict(rest)))
    return Tuple((Const(key), value))


@of_tables(dict.pop)
def _dict_pop(engine: Engine, x: Any, key: Any, *default: Any) -> Any:
    content = content_of(engine, x)
    items = dict(content.items)
    known = engine.key(key)
    if known not in items:
        return default[0] if default else engine.raise_constant(KeyError(known))
    value = items.pop(known)
    engine.set_content(x.cell, content.holding(items))
    return value


@rule(sequences.reserve)
def _reserve(engine: Engine, x: Any, more: Any, size: Any) -> Any:
    return methods.reserve(engine, x, more, size)


@rule(sequences.append_reserved)
def _append_reserved(engine: Engine, x: Any, new: Any) -> Any:
    return methods.append_reserved(engine, x, new)


@rule(sequences.truncate)
def _truncate(engine: Engine, x: Any, size: Any) -> Any:
    return methods.truncate(engine, x, size)


# Functions of sequences


def _is_counted_by_data(engine: Engine, x: Any) -> bool:
    """Whether the number of items is known at run time only: a loop of the program reads them."""
    return columnar.found(engine.heap, x) is not None or unknown(engine, x)


@rule(functools.reduce)
def _reduce(engine: Engine, function: Any, x: Any, *initial: Any) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[functools.reduce]), [function, x, *initial], {})
    items = [*initial, *iterate(engine, x)]
    if not items:
        message = "reduce() of empty iterable with no initial value"
        return engine.raise_constant(TypeError(message))
    return functools.reduce(lambda a, b: call(engine, function, [a, b], {}), items)


@rule(math.prod)
def _prod(engine: Engine, x: Any, *, start: Any = Const(1)) -> Any:
    if not arrays.is_array(engine, x) and unknown(engine, x):
        return call(engine, Const(sequences.product), [tables.unordered(engine, x), start], {})
    if not arrays.is_array(engine, x):
        times = functools.partial(engine.rules.binary, engine, "mul")
        return functools.reduce(times, iterate(engine, x), start)
    return call_library(engine, math.prod, REGISTRY[math.prod], [x], {"start": start})


@rule(math.fsum)
def _fsum(engine: Engine, x: Any) -> Any:
    if not arrays.is_array(engine, x) and unknown(engine, x):
        x = call(engine, Const(list), [tables.unordered(engine, x)], {})
    x = number_lists.by_value(engine, x)
    return call_library(engine, math.fsum, REGISTRY[math.fsum], [x], {})


_BY_DATA = {**READERS, itertools.zip_longest: interpreted.zip_longest}


def _static_iterator(make: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """An itertools function of sequences of known length: it combines, whatever the items are."""

    def function(engine: Engine, *xs: Any, **options: Any) -> Any:
        if make in _BY_DATA and any(_is_counted_by_data(engine, x) for x in xs):
            return call(engine, Const(_BY_DATA[make]), list(xs), options)
        plain = []
        for x in xs:
            number = isinstance(x, Const) and (isinstance(x.value, int) or x.value is None)
            plain.append(x.value if number else iterate_ahead(engine, x))
        static = {k: engine.static(v, k) for k, v in options.items() if k != "fillvalue"}
        if make is itertools.zip_longest:
            static["fillvalue"] = options.get("fillvalue", Const(None))
        rows = list(make(*plain, **static))
        found = [Tuple(row) if isinstance(row, tuple) else row for row in rows]
        return iterator(engine, Tuple(tuple(found)))

    return function


for _make in (itertools.chain, itertools.zip_longest, itertools.pairwise):
    rule(_make)(_static_iterator(_make))


@rule(heapq.merge)
def _merge(engine: Engine, *xs: Any, **options: Any) -> Any:
    classes = [getattr(content_of(engine, x), "cls", None) for x in xs]
    once = [cls is SequenceIterator or hasattr(cls, "__next__") for cls in classes]
    if any(once) or any(map(coroutines.is_generator, xs)):
        raise engine.refuse("heapq.merge reads iterators in turn", "make lists of them before")
    return call(engine, Const(interpreted.merge), list(xs), options)


@rule(itertools.islice)
def _islice(engine: Engine, x: Any, *bounds: Any) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[itertools.islice]), [x, *bounds], {})
    return sliced(engine, x, *[engine.static(b, "a bound of islice") for b in bounds])


@rule(itertools.tee)
def _tee(engine: Engine, x: Any, n: Any = Const(2)) -> Any:
    content = content_of(engine, x)
    read = isinstance(content, ObjectCell) and content.cls is SequenceIterator
    if read or coroutines.is_generator(x):
        x = call(engine, Const(list), [x], {})
    items = sequence(engine, x)
    return Tuple(tuple([iterator(engine, items) for _ in range(engine.static(n, "n"))]))


@rule(itertools.chain.from_iterable)
def _chain_from(engine: Engine, x: Any) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[itertools.chain.from_iterable]), [x], {})
    parts = iterate_ahead(engine, x)
    if any(_is_counted_by_data(engine, part) for part in parts):
        return call(engine, Const(READERS[itertools.chain]), parts, {})
    items = [i for part in parts for i in iterate_ahead(engine, part)]
    return iterator(engine, Tuple(tuple(items)))


@rule(itertools.accumulate)
def _accumulate(
    engine: Engine, x: Any, func: Any = Const(None), *, initial: Any = Const(None)
) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[itertools.accumulate]), [x, func], {"initial": initial})
    known = isinstance(func, Const) and func.value is None
    function = Const(operator.add) if known else func
    some = not (isinstance(initial, Const) and initial.value is None)
    out: list[Any] = [initial] if some else []
    for value in iterate_ahead(engine, x):
        out.append(call(engine, function, [out[-1], value], {}) if out else value)
    return iterator(engine, Tuple(tuple(out)))


@rule(itertools.starmap)
def _starmap(engine: Engine, function: Any, x: Any) -> Any:
    if _is_counted_by_data(engine, x):
        return call(engine, Const(READERS[itertools.starmap]), [function, x], {})
    rows = [call(engine, function, iterate(engine, row), {}) for row in iterate_ahead(engine, x)]
    return iterator(engine, Tuple(tuple(rows)))


@rule(itertools.repeat)
def _repeat(engine: Engine, x: Any, times: Any = None) -> Any:
    if times is None:
        return call(engine, Const(interpreted.repeat), [x], {})
    items = (x,) * engine.static(times, "the number of repetitions")
    return iterator(engine, Tuple(items))


@rule(iter, support.once)
def _iter(engine: Engine, x: Any) -> Any:
    if coroutines.is_generator(x):
        return x
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and content.cls is SequenceIterator:
        return x
    if isinstance(content, ObjectCell) and _makes_iterators(content.cls):
        made = special(engine, x, "__iter__", ())
        if made is not None:
            return made if made is x else _iter(engine, made)
    items = read(engine, x)
    return in_steps(engine, items) or iterator(engine, items)


def _makes_iterators(cls: type) -> bool:
    """Whether the `__iter__` of a class is the user's, or that of an iterator."""
    return not cls.__module__.startswith("pyxla.") or hasattr(cls, "__next__")


@rule(next)
def _next(engine: Engine, x: Any, *default: Any) -> Any:
    """Of an iterator, or of a comprehension just made: its first item."""
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and hasattr(content.cls, "__next__"):
        if default:
            return call(engine, Const(next_or), [x, *default], {})
        return call_method(engine, x, "__next__", [])
    at, source = 0, x
    if isinstance(content, ObjectCell) and content.cls is SequenceIterator:
        at, source = position(engine, x, content), content.fields["items"]
        unchanged(engine, content)
        source = unwatched(source)
        fields = {**content.fields, "at": Const(at + 1)}
        engine.set_content(x.cell, ObjectCell(SequenceIterator, fields))
    elif isinstance(content, ListCell):
        use_up(engine, content)
    else:
        source = sequence(engine, x)
    items = arrays.items_of(engine, source)
    if items is None:
        size = length(engine, source)
        if unknown(engine, source) and default:
            return call(engine, Const(sequences.item_or), [source, Const(at), *default], {})
        if unknown(engine, source):
            there = engine.rules.compare(engine, "gt", size, Const(at))
            engine.ensure(there, StopIteration())
            return item(engine, source, Const(at))
        size = engine.static(size, "the number of items")
        return item(engine, source, Const(at)) if at < size else _stopped(engine, default)
    return items[at] if at < len(items) else _stopped(engine, default)


def _stopped(engine: Engine, default: tuple[Any, ...]) -> Any:
    return default[0] if default else engine.raise_constant(StopIteration())
