"""Subscripts: `x[key]`, `x[key] = value` and `del x[key]` of containers, texts and arrays."""

from __future__ import annotations

import operator
import sys
from enum import EnumType
from types import MethodType
from typing import Any, Generic

from pyxla.abstract.heap import DictCell, GrowingList, ListCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Tuple, Unbound, is_number
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import conversions
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import special
from pyxla.infer.containers import tables
from pyxla.infer.containers.indices import as_int, place
from pyxla.infer.containers.ranges import range_item, range_part, with_bounds
from pyxla.infer.engine import Engine
from pyxla.infer.joins import choices, far, folded
from pyxla.infer.joins.kinds import may_be_array, refused
from pyxla.infer.lists import (
    choosing,
    columnar,
    growing,
    methods,
    number_lists,
    pool_rows,
    reading,
)
from pyxla.infer.raising.refusals import lacking, python_class
from pyxla.infer.text import strings
from pyxla.lib.members import member_named
from pyxla.lib.registry import lookup
from pyxla.lib.tables import located, put_among

TRUE, FALSE = Const(True), Const(False)


def content_of(engine: Engine, x: Any) -> Any:
    """What the cell of `x` holds, in columns where it is kept so; None of what has none."""
    if not isinstance(x, Ref):
        return None
    return columnar.found(engine.heap, x) or engine.content(x)


def get_item(engine: Engine, x: Any, key: Any) -> Any:
    """`x[key]`."""
    key = place(engine, x, key)
    if (grown := columnar.found(engine.heap, x)) is not None:
        if not grown.columns and reading.is_slice(key):
            return _sequence_item(engine, Tuple(()) if grown.cls is tuple else x, (), key)
        return reading.get(engine, x, grown, key)
    if (row := pool_rows.record_row(engine.heap, x, key)) is not None:
        return using.moved(engine, pool_rows.item(engine, row, key.value))
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
    if isinstance(x, Const) and isinstance(x.value, range):
        return _of_range(engine, x, key)
    items = arrays.items_of(engine, x)
    own = isinstance(x, Tuple) and engine.captures.member(x.cls, "__getitem__") is not None
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
        return range_part(engine, x, key)
    if folded.is_one_of_texts(x):
        return folded.get_item(engine, x, key) or strings.get_item(engine, x, key)
    result = special(engine, x, "__getitem__", (key,))
    if result is None:
        raise lacking(engine, x, "cannot be indexed", "{!r} object is not subscriptable")
    return result


def _of_range(engine: Engine, x: Const, key: Any) -> Any:
    """An item, or a part, of a known range."""
    if reading.is_slice(key):
        return range_part(engine, with_bounds(x), key)
    if x.value and (x.value[-1] - x.value[0]) // x.value.step >= sys.maxsize:
        raise engine.refuse("a range of more than 2**63 - 1 items is read where data says")
    size = Const(len(x.value))
    index = reading.checked(engine, as_int(engine, key), size, number_lists.out_of_range(x))
    with engine.unchecked():  # which lies between its bounds
        return range_item(engine, with_bounds(x), reading.positive(engine, index, size))


def _of_class(engine: Engine, x: Const, key: Any) -> Any:
    """`cls[key]`: a member of an enum by its name; what `__class_getitem__` says, as that of
    `Generic`; and the class for `list[int]` and the like, in annotations and calls."""
    if isinstance(x.value, EnumType):
        if using.decided_by_data(engine, key):
            members = Const(tuple(x.value.__members__.items()))
            return call(engine, Const(member_named), [members, key], {})
        return engine.fold_object(operator.getitem, (x.value, engine.static(key, "a name")))
    if issubclass(x.value, Generic):
        return Const(x.value[engine.static(key, "the class")])
    found = getattr(x.value, "__class_getitem__", None)
    if isinstance(found, MethodType):
        return call(engine, Const(found), [key], {})
    return x


def _is_list(engine: Engine, x: Any) -> bool:
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return isinstance(content, ListCell)


def _is_one_of(engine: Engine, content: DictCell, key: Any) -> bool:
    """Whether a key is one of those that a dict has, and data decides which."""
    several = choices.is_choice(key) and all(v in content.items for v in key.values)
    return several and using.decided_by_data(engine, key)


def _chosen(engine: Engine, x: Ref, content: DictCell, key: Any) -> Any:
    """One of the values of a dict, which are of no one type; None where the key must be known."""
    if (names := tables.names(engine, x, key)) is None:
        return None
    at = call(engine, Const(located), [names, key], {})
    return choosing.choose(engine, x, tuple(content.items.values()), at)


def _part(engine: Engine, content: ListCell, key: Any) -> Any:
    """A slice that data decides; None of one that it does not."""
    whole = engine.new(content)
    opened = methods.opened(engine, whole, *_bounds_of(key))
    return None if opened is None else reading.get(engine, whole, opened, key)


def _dict_item(engine: Engine, content: DictCell, key: Any) -> Any:
    known = engine.key(key, items=content.items.values())
    if known not in content.items:
        return engine.raise_constant(KeyError(known))
    return using.moved(engine, content.items[known])


def _sequence_item(engine: Engine, x: Any, items: tuple[Any, ...], key: Any) -> Any:
    if number_lists.is_dynamic(key):
        if (chosen := number_lists.choose(engine, x, items, key)) is not None:
            return chosen
        if isinstance(x, Ref) and (packed := methods.pack(engine, x, items, key)) is not None:
            return reading.get(engine, x, packed, key)
        if (chosen := choosing.choose(engine, x, items, key)) is not None:
            return chosen
    if reading.is_slice(key) and (isinstance(x, Ref) or not isinstance(key, Const)):
        if (part := _part(engine, ListCell(items), key)) is not None:
            of_list = isinstance(x, Ref)
            return part if of_list else engine.rules.call(engine, Const(tuple), [part], {})
    index = engine.index(key, "the index of a sequence", items)
    try:
        found = items[index]
    except (IndexError, TypeError, ValueError) as error:
        kind = number_lists.out_of_range(x).removesuffix(" index out of range")
        return engine.raise_constant(type(error)(str(error).replace("tuple", kind)))
    if not isinstance(index, slice):
        return using.moved(engine, found)
    if isinstance(x, Const):
        return Const(x.value[index])
    return engine.new(ListCell(found)) if isinstance(x, Ref) else Tuple(found)


def set_item(engine: Engine, x: Any, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    key = place(engine, x, key)
    if reading.is_slice(key) and isinstance(value, Compound | Ref) and _is_any_list(engine, x):
        if _items_in(engine, value) is None:
            value = call(engine, Const(list), [value], {})
    if _set_in_list(engine, x, key, value):
        return
    if pool_rows.record_row(engine.heap, x, key) is not None:
        pool_rows.assign(engine, x, key.value, value)
        return
    content = content_of(engine, x)
    if isinstance(content, Array):
        if far.is_dynamic(value):
            value = conversions.beside(engine, value, arrays.dtype_of(engine, x))
        if not is_number(value):
            number_lists.verify_items(engine, value, arrays.dtype_of(engine, x))
        key, value = (number_lists.by_value(engine, v) for v in (key, value))
        engine.library("assignment", arrays.setitem, engine, x, key, value)
    elif isinstance(content, DictCell) and tables.opened(engine, x, key):
        special(engine, x, "__setitem__", (key, value))
    elif isinstance(content, DictCell) and _is_one_of(engine, content, key):
        call(engine, Const(put_among), [x, Const(key.values), key, value], {})
    elif isinstance(content, DictCell):
        known = engine.key(key, items=(*content.items.values(), value))
        held = {**content.items, known: value}
        if len(held) > len(content.items):
            tables.changed(engine, x, tables.CAME)
        engine.set_content(x.cell, content.holding(held))
    elif isinstance(content, ListCell):
        index = engine.index(key, "the index of a list", (*content.items, value))
        items = list(content.items)
        new = engine.iterate(value) if isinstance(index, slice) else value
        try:
            items[index] = new
        except (IndexError, TypeError, ValueError) as error:
            engine.raise_constant(error)
        engine.set_content(x.cell, ListCell(tuple(items)))
    elif may_be_array(x):
        raise refused(engine, "an assignment to an item", x)
    elif special(engine, x, "__setitem__", (key, value)) is None:
        message = "does not support item assignment"
        raise lacking(engine, x, message, f"{{!r}} object {message}")


def _set_in_list(engine: Engine, x: Any, key: Any, value: Any) -> bool:
    """`x[key] = value` of a list in columns, in which it may be kept from here on."""
    if (grown := columnar.found(engine.heap, x)) is None:
        if not _is_list(engine, x):
            return False
        part = reading.is_slice(key)
        new = _items_in(engine, value) if part else Tuple((value,))
        if number_lists.is_dynamic(key):
            _check_not_empty(engine, x)
        if new is not None:
            grown = methods.opened(engine, x, *_bounds_of(key), new=new, sized=part)
        if grown is None and number_lists.is_dynamic(key):
            grown = number_lists.opened(engine, x, value)
    if grown is None:
        return False
    if grown.cls is tuple:
        message = "'tuple' object does not support item assignment"
        engine.raise_constant(TypeError(message))
    elif reading.is_slice(key):
        methods.replace(engine, x, key, value)
    else:
        growing.assign(engine, x, grown, key, value)
    return True


def _items_in(engine: Engine, x: Any) -> Any:
    """What has the items of a list or tuple; None of anything else."""
    content = columnar.found(engine.heap, x) or content_of(engine, x)
    return x if isinstance(x, Tuple) else content if isinstance(content, _LISTS) else None


def _is_any_list(engine: Engine, x: Any) -> bool:
    return _is_list(engine, x) or columnar.found(engine.heap, x) is not None


_LISTS = ListCell, GrowingList


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
    if (row := pool_rows.record_row(engine.heap, x, key)) is not None:
        using.bound(engine, pool_rows.item(engine, row, key.value))
        pool_rows.assign(engine, x, key.value, Unbound(key.value))
        return
    content = content_of(engine, x)
    if isinstance(content, DictCell) and tables.opened(engine, x, key):
        special(engine, x, "__delitem__", (key,))
    elif isinstance(content, DictCell):
        known = engine.key(key)
        if known not in content.items:
            engine.raise_constant(KeyError(known))
        tables.shrunk(engine, x, {k: v for k, v in content.items.items() if k != known})
    elif isinstance(content, ListCell):
        rest = list(content.items)
        index = engine.index(key, "the index of a list", content.items)
        try:
            del rest[index]
        except (IndexError, TypeError, ValueError) as error:
            engine.raise_constant(error)
        engine.set_content(x.cell, ListCell(tuple(rest)))
    elif arrays.is_array(engine, x):
        raise engine.refuse(
            "elements of an array cannot be deleted",
            "make a new array without the item: np.delete(x, i), or x[keep] by a mask",
            raises=ValueError,
            words="cannot delete array elements",
        )
    elif special(engine, x, "__delitem__", (key,)) is None:
        cls = python_class(engine, x)
        number = cls is not None and cls.__module__ == "builtins" and not hasattr(cls, "__len__")
        does_not = "does not" if number else "doesn't"  # CPython has two places that say it
        words = f"{{!r}} object {does_not} support item deletion"
        raise lacking(engine, x, "does not support item deletion", words)


def _bounds_of(key: Any) -> tuple[Any, ...]:
    """The numbers in an index."""
    return key.items if isinstance(key, Compound) and key.kind == "slice" else (key,)
