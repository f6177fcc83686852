"""Sequences, lists, dicts, sets and iteration.

The structure of a container (how many items, which keys) is known while compiling; the items may be
anything.  A loop indexes a *sequence*: a container, a range, an array along its first dimension, or
`zip`, `enumerate`, `map`, `reversed` of sequences, whose items are made when they are asked for.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from enum import EnumType
from types import MethodType
from typing import Any

from pyxla.frontend import support
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call, special
from pyxla.infer.containers import steps, tables
from pyxla.infer.containers.indices import as_int, from_end, place
from pyxla.infer.containers.iterators import (
    ONCE,
    iterator,
    position,
    unwatched,
    use_up,
    used_up,
)
from pyxla.infer.engine import Engine
from pyxla.infer.facts import extent
from pyxla.infer.heap import (
    DictCell,
    ListCell,
    NumberList,
    ObjectCell,
    SequenceIterator,
    SetCell,
)
from pyxla.infer.joins import choices, folded
from pyxla.infer.joins.kinds import may_be_array, refused
from pyxla.infer.lattice import Array, Compound, Const, Ref, Scalar, Tuple, is_variant
from pyxla.infer.lists import choosing, columnar, growing, methods, number_lists
from pyxla.infer.lists.items import item_of, layout_of
from pyxla.infer.text import strings
from pyxla.infer.text.codes import string
from pyxla.lib.interpreted import (
    applied,
    applied_to_both,
    indexed,
    item_of_range,
    part_of_range,
)
from pyxla.lib.iterators import stepped
from pyxla.lib.registry import lookup, rule
from pyxla.lib.tables import in_order, located

TRUE, FALSE = Const(True), Const(False)


def content_of(engine: Engine, x: Any) -> Any:
    if not isinstance(x, Ref):
        return None
    return columnar.found(engine.heap, x) or engine.content(x)


# Indexing


def get_item(engine: Engine, x: Any, key: Any) -> Any:
    """`x[key]`."""
    key = place(engine, x, key)
    if (grown := columnar.found(engine.heap, x)) is not None:
        return growing.get(engine, x, grown, key)
    if (kept := number_lists.packed(engine.heap, x)) is not None:
        found = number_lists.get(engine, kept, key)
        if found is not None:
            return found
    content = content_of(engine, x)
    if isinstance(x, Array) or isinstance(content, Array):
        array = arrays.fresh(engine, x) if isinstance(x, Array) else x
        key = number_lists.by_value(engine, key)
        return engine.library("indexing", arrays.getitem, engine, array, key)
    if isinstance(content, DictCell):
        if choices.is_choice(key) and all(v in content.items for v in key.values):
            items = tuple([engine.use(content.items[v]) for v in key.values])
            found = choosing.choose(engine, x, items, key.tag)
            if found is not None:
                return found
        if (asked := tables.looked(engine, x, key)) is not None:
            return special(engine, asked, "__getitem__", (key,))
        if (chosen := _chosen(engine, x, content, key)) is not None:
            return chosen
        return _dict_item(engine, content, key)
    if isinstance(x, Const) and isinstance(key, Const) and isinstance(x.value, (tuple, str, range)):
        return engine.fold_object(operator.getitem, (x.value, key.value))
    if strings.is_opened(engine, x, key):
        return strings.get_item(engine, x, key)
    items = arrays.items_of(engine, x)
    own = isinstance(x, Tuple) and x.cls is not tuple and "__getitem__" in x.cls.__dict__
    if items is not None and not own:
        return _sequence_item(engine, x, items, key)
    if isinstance(x, Const) and isinstance(x.value, type):
        return _of_class(engine, x, key)
    if isinstance(x, Const):
        indexing = getattr(type(x.value), "__getitem__", None)
        if lookup(indexing) is not None:
            return engine.rules.call(engine, Const(indexing), [x, key], {})
        return engine.fold_object(operator.getitem, (x.value, engine.static(key, "the index")))
    if isinstance(x, Compound) and x.kind == "range":
        return _of_range(engine, x, key)
    if folded.is_one_of_texts(x):
        return folded.get_item(engine, x, key) or strings.get_item(engine, x, key)
    result = special(engine, x, "__getitem__", (key,))
    if result is None:
        raise _lacking(engine, x, "cannot be indexed", "{} object is not subscriptable")
    return result


def _lacking(engine: Engine, x: Any, message: str, words: str) -> Exception:
    """What is raised where `x` does not have an operation; words: what CPython says then, behind
    the name of its class."""
    cls = engine.rules.type_of(engine, x) if isinstance(x, Scalar | Const) else None
    told = None if cls is None else words.format(f"{cls.__name__!r}")
    kind = arrays.kind_of(engine, x)
    return engine.refuse(f"{kind} {message}", raises=TypeError, words=told)


def _of_class(engine: Engine, x: Const, key: Any) -> Any:
    """`cls[key]`: a member of an enum by its name; what `__class_getitem__` says; and the class for
    `list[int]` and the like, in annotations and calls."""
    if isinstance(x.value, EnumType):
        return engine.fold_object(operator.getitem, (x.value, engine.static(key, "a name")))
    found = getattr(x.value, "__class_getitem__", None)
    if isinstance(found, MethodType):
        return call(engine, Const(found), [key], {})
    return x


def _is_list(engine: Engine, x: Any) -> bool:
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return isinstance(content, (ListCell, NumberList))


def _chosen(engine: Engine, x: Ref, content: DictCell, key: Any) -> Any:
    """One of the values of a dict, which are of no one type; None where the key must be known."""
    if (names := tables.names(engine, x, key)) is None:
        return None
    at = call(engine, Const(located), [names, key], {})
    return choosing.choose(engine, x, tuple(content.items.values()), at)


def _dict_item(engine: Engine, content: DictCell, key: Any) -> Any:
    known = engine.key(key)
    if known not in content.items:
        return engine.raise_constant(KeyError(known))
    return engine.moved(content.items[known])


def _sequence_item(engine: Engine, x: Any, items: tuple[Any, ...], key: Any) -> Any:
    if number_lists.is_dynamic(key):
        if (chosen := number_lists.choose(engine, x, items, key)) is not None:
            return chosen
        if isinstance(x, Ref) and (packed := methods.pack(engine, x, items, key)) is not None:
            return growing.get(engine, x, packed, key)
        if (chosen := choosing.choose(engine, x, items, key)) is not None:
            return chosen
    if growing.is_slice(key) and isinstance(x, Ref):
        part = engine.new(ListCell(items))
        if (opened := methods.opened(engine, part, *_bounds_of(key))) is not None:
            return growing.get(engine, part, opened, key)
    index = engine.index(key, "the index of a sequence", items)
    try:
        found = items[index]
    except (IndexError, TypeError, ValueError) as error:
        kind = number_lists.out_of_range(x).removesuffix(" index out of range")
        return engine.raise_constant(type(error)(str(error).replace("tuple", kind)))
    if not isinstance(index, slice):
        return engine.moved(found)
    if isinstance(x, Const):
        return Const(x.value[index])
    return engine.new(ListCell(found)) if isinstance(x, Ref) else Tuple(found)


def set_item(engine: Engine, x: Any, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    key = place(engine, x, key)
    if _set_in_list(engine, x, key, value):
        return
    content = content_of(engine, x)
    if isinstance(content, Array):
        key, value = (number_lists.by_value(engine, v) for v in (key, value))
        engine.library("assignment", arrays.setitem, engine, x, key, value)
    elif isinstance(content, DictCell) and tables.opened(engine, x, key):
        special(engine, x, "__setitem__", (key, value))
    elif isinstance(content, DictCell):
        held = {**content.items, engine.key(key): value}
        engine.set_content(x.cell, content.holding(held))
    elif isinstance(content, ListCell):
        index = engine.index(key, "the index of a list", (*content.items, value))
        items = list(content.items)
        new = engine.iterate(value) if isinstance(index, slice) else value
        try:
            items[index] = new
        except (IndexError, TypeError) as error:
            engine.raise_constant(error)
        engine.set_content(x.cell, ListCell(tuple(items)))
    elif may_be_array(x):
        raise refused(engine, "an assignment to an item", x)
    elif special(engine, x, "__setitem__", (key, value)) is None:
        kind = arrays.kind_of(engine, x)
        raise engine.refuse(f"{kind} does not support item assignment")


def _set_in_list(engine: Engine, x: Any, key: Any, value: Any) -> bool:
    """`x[key] = value` of a list in columns or an array, as which it may be kept from here on."""
    if (grown := columnar.found(engine.heap, x)) is None:
        if not _is_list(engine, x):
            return False
        if number_lists.assign(engine, x, key, value):
            return True
        new = _items_in(engine, value) if growing.is_slice(key) else Tuple((value,))
        if number_lists.is_dynamic(key):
            _check_not_empty(engine, x)
        grown = None if new is None else methods.opened(engine, x, *_bounds_of(key), new=new)
    if grown is None:
        return False
    if grown.cls is tuple:
        message = "'tuple' object does not support item assignment"
        engine.raise_constant(TypeError(message))
    elif growing.is_slice(key):
        methods.replace(engine, x, key, value)
    else:
        growing.assign(engine, x, grown, key, value)
    return True


def _items_in(engine: Engine, x: Any) -> Any:
    """What has the items of a list or tuple; None of anything else."""
    content = columnar.kept(engine.heap, x) or content_of(engine, x)
    return x if isinstance(x, Tuple) else content if _is_list(engine, x) else None


def _check_not_empty(engine: Engine, x: Ref) -> None:
    content = engine.heap.contents[x.cell]
    if isinstance(content, ListCell) and not content.items:
        engine.raise_constant(IndexError("list assignment index out of range"))


def delete_item(engine: Engine, x: Any, key: Any) -> None:
    """`del x[key]`."""
    key = place(engine, x, key)
    if (grown := methods.opened(engine, x, *_bounds_of(key))) is not None:
        if grown.cls is tuple:
            engine.raise_constant(TypeError("'tuple' object doesn't support item deletion"))
        methods.delete(engine, x, grown, key)
        return
    content = content_of(engine, x)
    if isinstance(content, DictCell) and tables.opened(engine, x, key):
        special(engine, x, "__delitem__", (key,))
    elif isinstance(content, DictCell):
        known = engine.key(key)
        if known not in content.items:
            engine.raise_constant(KeyError(known))
        items = {k: v for k, v in content.items.items() if k != known}
        engine.set_content(x.cell, content.holding(items))
    elif isinstance(content, ListCell):
        rest = list(content.items)
        index = engine.index(key, "the index of a list", content.items)
        try:
            del rest[index]
        except (IndexError, TypeError) as error:
            engine.raise_constant(error)
        engine.set_content(x.cell, ListCell(tuple(rest)))
    elif special(engine, x, "__delitem__", (key,)) is None:
        raise engine.refuse(f"{arrays.kind_of(engine, x)} does not support item deletion")


def _bounds_of(key: Any) -> tuple[Any, ...]:
    """The numbers in an index."""
    return key.items if isinstance(key, Compound) and key.kind == "slice" else (key,)


# Sequences


def sequence(engine: Engine, x: Any) -> Any:
    """What a loop over `x` indexes."""
    x = engine.some(x, "'NoneType' object is not iterable")
    if number_lists.packed(engine.heap, x) or columnar.found(engine.heap, x):
        return x
    content = content_of(engine, x)
    if isinstance(content, ObjectCell) and content.cls is SequenceIterator:
        return rest(engine, x, content)
    if isinstance(x, Compound) and x.kind in ONCE:
        use_up(engine, x)
    if isinstance(content, ListCell) and id(content) in engine.used_up:
        use_up(engine, content)  # a generator expression of which `next` was asked for
    if isinstance(content, DictCell):
        return Tuple(tuple(Const(k) for k in content.in_order(engine)))
    if isinstance(content, SetCell):
        return Tuple(tuple(Const(k) for k in _set_order(engine, content)))
    if isinstance(content, Array):
        if not arrays.shown(engine, x)[0]:
            engine.raise_constant(TypeError("iteration over a 0-d array"))
        return x
    if (inner := tables.plain_sequence(engine, x)) is not None:
        if content.cls in tables.SETS:
            return _ordered(engine, content)
        return sequence(engine, inner)
    if isinstance(content, ObjectCell):
        result = special(engine, x, "__iter__", ())
        if result is not None and _steps(engine, result):
            return sequence(engine, call(engine, Const(stepped), [result], {}))
        if result is not None:
            return sequence(engine, result)
        if engine.captures.member(content.cls, "__getitem__") is not None:
            return sequence(engine, call(engine, Const(indexed), [x], {}))
        raise engine.refuse(
            f"{arrays.kind_of(engine, x)} cannot be iterated over",
            "define __iter__ to return a list, tuple, range or array",
        )
    if isinstance(x, Const):
        if isinstance(x.value, arrays.SEQUENCES):
            return x
        if isinstance(x.value, frozenset):
            return Const(tuple(steps.ordered(x.value)))
        if hasattr(x.value, "__iter__"):
            return Const(tuple(x.value))
    if isinstance(x, Compound) and x.kind in LENGTHS or isinstance(x, (Tuple, Ref)):
        return x
    if coroutines.is_generator(x):
        if coroutines.forgotten(engine, x):
            raise used_up(engine, x)
        return x
    if strings.is_dynamic(x):
        return string(strings.codes_of(engine, x))
    raise _lacking(engine, x, "is not iterable", "{} object is not iterable")


def _steps(engine: Engine, x: Any) -> bool:
    """Whether `x` is an iterator of a class of the user's."""
    content = content_of(engine, x)
    return isinstance(content, ObjectCell) and hasattr(content.cls, "__next__")


def _set_order(engine: Engine, content: SetCell) -> list[Any]:
    if content.steps is None and len(content.items) > 1:
        raise engine.refuse(steps.DISORDER, steps.SORT)
    return steps.ordered(steps.actual(content))


def _ordered(engine: Engine, content: ObjectCell) -> Any:
    """The items of a set in CPython's order; texts, for which it promises none, sorted."""
    names, changed = content.fields["names"], content.fields["changed"]
    grown = columnar.found(engine.heap, names)
    items = engine.content(names).items if grown is None else ()
    if grown is None and (len(items) < 2 or tables.keeps_order(engine, items)):
        return names
    if isinstance(changed, Const) and changed.value is False:  # they are in this order
        return names
    kinds = [grown.item] if grown else [item_of(engine.heap, x) for x in items]
    if all(layout_of(kind) is not None for kind in kinds):
        return call(engine, Const(sorted), [names], {})
    only_added = isinstance(changed, Const) and changed.value is None
    if not only_added or not all(map(methods.are_ints, kinds)):
        raise engine.refuse(
            "the order of this set, whose items are known at run time only, is not known",
            "iterate over sorted(s), or use a dict, which keeps its order",
        )
    return call(engine, Const(in_order), [names], {})


def read_all(engine: Engine, x: Any) -> None:
    """Note that all items of `x` are read: what is left of an iterator are none."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if isinstance(content, ObjectCell) and content.cls is SequenceIterator:
        fields = {"items": Tuple(()), "at": Const(0)}
        engine.set_content(x.cell, ObjectCell(SequenceIterator, fields))
        if (source := content.fields.get("source")) is not None:
            _stop_at(engine, source, content.fields["end"])


def _stop_at(engine: Engine, x: Ref, at: Const) -> None:
    """Note how many items of an iterator were read; None where that is not known."""
    content = engine.heap.contents[x.cell]
    engine.set_content(x.cell, ObjectCell(SequenceIterator, {**content.fields, "at": at}))


def iterate_ahead(engine: Engine, x: Any) -> list[Any]:
    """All items of `x`, for what reads them one by one: of an iterator, how many is not known."""
    content = content_of(engine, x)
    items = iterate(engine, x)
    if isinstance(content, ObjectCell) and content.cls is SequenceIterator:
        fields = {"items": content.fields["items"], "at": Const(None)}
        engine.set_content(x.cell, ObjectCell(SequenceIterator, fields))
    return items


def sliced(engine: Engine, x: Any, *bounds: int | None) -> Ref:
    """`itertools.islice`; where all of it is read, it is known what is left of an iterator `x`."""
    content = content_of(engine, x)
    partly = isinstance(content, ObjectCell) and content.cls is SequenceIterator
    at = position(engine, x, content) if partly else 0
    items = iterate_ahead(engine, x)
    found = iterator(engine, Tuple(tuple(itertools.islice(items, *bounds))))
    if partly:
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        end = len(items) if stop is None else min(max(start or 0, stop), len(items))
        fields = engine.heap.contents[found.cell].fields
        kept = {**fields, "source": x, "end": Const(at + end)}
        engine.set_content(found.cell, ObjectCell(SequenceIterator, kept))
    return found


def rest(engine: Engine, x: Ref, content: ObjectCell) -> Any:
    """What a loop over an iterator reads; how much of it is not known after it."""
    unchanged(engine, content)
    at, items = position(engine, x, content), content.fields["items"]
    items = unwatched(items) if at else items
    engine.set_content(x.cell, ObjectCell(SequenceIterator, {**content.fields, "at": Const(None)}))
    if at and columnar.found(engine.heap, items) is not None:
        return get_item(engine, items, Const(slice(at, None)))
    return Tuple(tuple(iterate(engine, items)[at:])) if at else items


def length(engine: Engine, x: Any) -> Any:
    """`len(x)` of a sequence: a Const or an int Scalar."""
    if choices.is_choice(x):
        return choices.lookup(x, [len(value) for value in x.values])
    if isinstance(x, Const):
        try:
            return Const(len(x.value))
        except TypeError as error:
            raise engine.refuse(str(error), raises=TypeError) from None
    if (grown := columnar.found(engine.heap, x)) is not None:
        return growing.length(engine, grown)
    if (kept := number_lists.packed(engine.heap, x)) is not None:
        return Const(arrays.shown(engine, kept.data)[0][0])
    content = content_of(engine, x)
    if isinstance(content, Array):
        shape, extents = arrays.shown(engine, x)
        if not shape:
            engine.raise_constant(TypeError("len() of unsized object"))
        return Const(shape[0]) if extents is None or extents[0] is None else extents[0]
    if isinstance(x, Tuple):
        return Const(len(x.items))
    if isinstance(content, (ListCell, DictCell, SetCell)):
        return Const(len(content.items))
    if isinstance(x, Compound) and x.kind in LENGTHS:
        return LENGTHS[x.kind](engine, x)
    if strings.is_dynamic(x):
        return strings.length(engine, x)
    result = special(engine, x, "__len__", ())
    if result is None:
        raise _lacking(engine, x, "has no len()", "object of type {} has no len()")
    return result


@rule(len, operator.length_hint)
def _len(engine: Engine, x: Any) -> Any:
    return length(engine, x)


def _range_length(engine: Engine, x: Compound) -> Any:
    start, stop, step = x.items
    binary = engine.rules.binary
    step_ = engine.static(step, "the step of a range") if isinstance(step, Const) else None
    if step_ is None:
        return _signed_length(engine, start, stop, step)
    gap = binary(engine, "sub", stop, start) if step_ > 0 else binary(engine, "sub", start, stop)
    if abs(step_) != 1:
        size = Const(abs(step_))
        gap = binary(engine, "add", gap, Const(abs(step_) - 1))
        gap = binary(engine, "floordiv", gap, size)
    low = extent.lower(gap.value if isinstance(gap, Const) else gap)
    if low is not None and low >= 0:
        return gap
    return call(engine, Const(max), [gap, Const(0)], {})


def _signed_length(engine: Engine, start: Any, stop: Any, step: Any) -> Any:
    """`max(0, ceil((stop - start) / step))` for a step of unknown sign (floor of negated)."""
    binary = engine.rules.binary
    gap = binary(engine, "sub", start, stop)
    count = engine.rules.negative(engine, binary(engine, "floordiv", gap, step))
    return call(engine, Const(max), [count, Const(0)], {})


def _direction(step: Any) -> int:
    """The sign of the step of a range, 0 where it is not known or there is none."""
    found = extent.fact(step.value if isinstance(step, Const) else step)
    return int(found.lo is not None and found.lo > 0) - int(found.hi is not None and found.hi < 0)


def range_item(engine: Engine, x: Compound, i: Any) -> Any:
    """`start + i * step`, known to lie between start and stop."""
    start, stop, step = x.items
    binary = engine.rules.binary
    offset = i if isinstance(step, Const) and step.value == 1 else binary(engine, "mul", i, step)
    zero = isinstance(start, Const) and start.value == 0
    value = offset if zero else binary(engine, "add", start, offset)
    direction = _direction(step)
    if not isinstance(value, Scalar) or not direction:
        return value
    ends = [p.value if isinstance(p, Const) else p for p in (start, stop)]
    if direction > 0:
        high = extent.upper(ends[1])
        low, high = extent.lower(ends[0]), None if high is None else high - 1
    else:
        low = extent.lower(ends[1])
        low, high = None if low is None else low + 1, extent.upper(ends[0])
    return Scalar(value.value, extent.meet(extent.fact(value), low, high))


def _shortest(engine: Engine, x: Compound) -> Any:
    return call(engine, Const(min), [Tuple(tuple([length(engine, s) for s in x.items]))], {})


LENGTHS: dict[str, Callable[..., Any]] = {
    "range": _range_length,
    "zip": _shortest,
    "enumerate": lambda engine, x: length(engine, x.items[0]),
    "reversed": lambda engine, x: x.items[1],
    "map": lambda engine, x: _shortest(engine, Compound("zip", x.items[1:])),
}


_APPLIED = applied, applied_to_both
# How item `i` of a compound sequence is made, and whether there is one, by kind.
ITEMS: dict[str, Callable[..., Any]] = {}
TESTS: dict[str, Callable[..., Any]] = {}


@rule(support.has_item)
def has_item(engine: Engine, x: Any, i: Any, asked: Any = TRUE) -> Any:
    """Whether the loop over `x` has an item `i >= 0`.  asked: whether CPython asks that at all."""
    if coroutines.is_generator(x):
        return coroutines.has_more(engine, x)
    if isinstance(x, Compound) and x.kind in TESTS:
        return TESTS[x.kind](engine, x, i, asked)
    if isinstance(x, Compound) and x.kind == "enumerate":
        return has_item(engine, x.items[0], i, asked)
    if isinstance(x, Compound) and x.kind == "reversed":
        return _has_reversed(engine, x, i, asked)
    if isinstance(x, Compound) and x.kind in ("zip", "map"):
        found: Any = TRUE
        for part in x.items if x.kind == "zip" else x.items[1:]:
            more = has_item(engine, part, i, engine.rules.both(engine, asked, found))
            found = engine.rules.both(engine, found, more)
            if found == FALSE:
                break
        return found
    if isinstance(x, Compound) and x.kind == "range" and x.items[2:] == (x.items[2],):
        step = x.items[2]
        if isinstance(step, Const) and step.value == 1:
            gap = engine.rules.binary(engine, "sub", x.items[1], x.items[0])
            return engine.rules.compare(engine, "lt", i, gap)
    return engine.rules.compare(engine, "lt", i, length(engine, x))


def unchanged(engine: Engine, content: ObjectCell) -> None:
    """Raise where the container that an iterator reads has another size than it had."""
    items, at = content.fields["items"], content.fields["at"]
    if items is not unwatched(items):
        has_item(engine, items, at)


def _has_reversed(engine: Engine, x: Compound, i: Any, asked: Any) -> Any:
    items, size = x.items
    if isinstance(items, Compound) and items.kind in TESTS:
        return TESTS[items.kind](engine, items, i, asked)
    more = engine.rules.compare(engine, "lt", i, size)
    if columnar.found(engine.heap, items) is None:
        return more
    place = engine.rules.binary(engine, "sub", size, i)  # counted from 1
    there = engine.rules.compare(engine, "le", place, length(engine, items))
    return engine.rules.both(engine, more, there)


@rule(support.item)
def item(engine: Engine, x: Any, i: Any) -> Any:
    """Item `i` of a sequence, which is in range."""
    if coroutines.is_generator(x):
        return coroutines.current(engine, x)
    if isinstance(x, Const) and isinstance(x.value, range) and not isinstance(i, Const):
        r = x.value
        x = Compound("range", (Const(r.start), Const(r.stop), Const(r.step)))
    if isinstance(x, Compound):
        if x.kind in ITEMS:
            return ITEMS[x.kind](engine, x, i)
        match x.kind:
            case "range":
                with engine.unchecked():
                    return range_item(engine, x, i)
            case "zip":
                return Tuple(tuple([item(engine, s, i) for s in x.items]))
            case "enumerate":
                with engine.unchecked():
                    number = engine.rules.binary(engine, "add", x.items[1], i)
                return Tuple((number, item(engine, x.items[0], i)))
            case "reversed":
                return item(engine, x.items[0], from_end(engine, x.items[1], i))
            case "map":
                function, given = x.items[0], [item(engine, s, i) for s in x.items[1:]]
                if len(given) <= len(_APPLIED) and any(is_variant(v, "mixed") for v in given):
                    return call(engine, Const(_APPLIED[len(given) - 1]), [function, *given], {})
                return call(engine, function, given, {})
    if columnar.found(engine.heap, x) is None and isinstance(content_of(engine, x), Array):
        i = _known_in_range(engine, x, i)
    with engine.unchecked():
        return get_item(engine, x, i)


def _known_in_range(engine: Engine, x: Any, i: Any) -> Any:
    if isinstance(i, Scalar):
        shape, _ = arrays.shown(engine, x)
        return Scalar(i.value, extent.meet(extent.fact(i), 0, max(shape[0] - 1, 0)))
    return i


def _of_range(engine: Engine, x: Compound, key: Any) -> Any:
    """`range(...)[key]`, for numbers of run time."""
    if isinstance(key, Const) and isinstance(key.value, slice):
        parts = [Const(part) for part in (key.value.start, key.value.stop, key.value.step)]
    elif isinstance(key, Compound) and key.kind == "slice":
        parts = list(key.items)
    else:
        return call(engine, Const(item_of_range), [x, as_int(engine, key)], {})
    return call(engine, Const(part_of_range), [x, *parts], {})


def iterate(engine: Engine, x: Any) -> list[Any]:
    """All items of `x`, whose number must be known."""
    found = sequence(engine, x)
    read_all(engine, x)
    if coroutines.is_generator(found):
        coroutines.set_read(engine, found, False)
        found = call(engine, Const(list), [found], {})
    if (grown := columnar.found(engine.heap, found)) is not None:
        if isinstance(growing.length(engine, grown), Scalar):
            engine.content(found)  # refuses
    items = arrays.items_of(engine, found)
    if items is not None:
        return [engine.moved(i) for i in items]
    count = engine.static(length(engine, found), "the number of items")
    return [item(engine, found, Const(i)) for i in range(count)]


# Constructors


@rule(range)
def _range(engine: Engine, *args: Any) -> Any:
    bounds = [as_int(engine, a) for a in args]
    if all(isinstance(b, Const) for b in bounds):
        return engine.fold_object(range, tuple(b.value for b in bounds))
    if len(bounds) == 1:
        bounds = [Const(0), *bounds]
    if len(bounds) == 2:
        bounds.append(Const(1))
    if engine.tests(ValueError) and not _direction(bounds[2]):
        nonzero = engine.rules.compare(engine, "ne", bounds[2], Const(0))
        engine.ensure(nonzero, ValueError("range() arg 3 must not be zero"))
    return Compound("range", tuple(bounds))
