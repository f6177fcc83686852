"""`hash`: of numbers, of tuples of them, and of instances whose class says what theirs is.

Hashes of texts and of addresses differ from process to process: CPython promises no order for a set
of such (`steady`), and a program that asks for one is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pyxla.abstract.heap import ObjectCell, Pooled
from pyxla.abstract.lattice import Const, Ref
from pyxla.guards.places import is_steady
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.executed import static_arguments
from pyxla.infer.calls.visiting import call_function, special
from pyxla.infer.classes import is_generated
from pyxla.infer.containers import tables
from pyxla.infer.engine import Engine
from pyxla.infer.generated import hashed_fields
from pyxla.infer.lists import pool_rows
from pyxla.infer.lists.item_types import Handle, Known, Made, Nested, Number, Row, Same, Several
from pyxla.infer.lists.items import item_of
from pyxla.lib.registry import rule
from pyxla.lib.sets import NO_PLACE, as_hash, hash_computed, hash_of, place


def steady(engine: Engine, x: Any) -> bool:
    """Whether the hash of a key is the same in every process."""
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if isinstance(content, ObjectCell):
        return _of_instance(content.cls, lambda name: steady(engine, content.fields[name]))
    return item_is_steady(engine, item_of(engine.heap, x))


def item_is_steady(engine: Engine, item: Any) -> bool:
    """The same of an item of a list."""
    if isinstance(item, Handle):
        return all([_of_row(engine, cls) for cls in item.classes])
    if isinstance(item, Nested):
        return item.item is None or item_is_steady(engine, item.item)
    if isinstance(item, (Row, Several)):
        own = isinstance(item, Row) and _has_own(item.cls)
        return not isinstance(item, Made) and (own or _all(engine, item.items))
    if isinstance(item, Same):
        return is_steady(item.value) or (item.value is None and sys.version_info >= (3, 12))
    return isinstance(item, (Number, Known))


def _all(engine: Engine, items: Any) -> bool:
    return all([item_is_steady(engine, item) for item in items])


def _of_row(engine: Engine, cls: type) -> bool:
    fields = pool_rows.items_of_fields(engine, cls)
    return _of_instance(cls, lambda name: item_is_steady(engine, fields.get(name)))


def _of_instance(cls: type, field_is_steady: Callable[[str], bool]) -> bool:
    """Whether instances of a class have such hashes: those that say for themselves what they are
    are asked, and refused where they ask for one that has not."""
    if cls.__hash__ is object.__hash__:
        return False
    return not is_generated(cls.__hash__) or all(map(field_is_steady, hashed_fields(cls)))


def _has_own(cls: Any) -> bool:
    return isinstance(cls, type) and cls.__hash__ is not tuple.__hash__


@rule(hash, hash_of)
def _hash(engine: Engine, x: Any) -> Any:
    tables.check_hash(engine, x, dict)
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    own = content.cls if isinstance(content, (ObjectCell, Pooled)) else getattr(x, "cls", tuple)
    if own is not tuple and own.__hash__ not in (object.__hash__, tuple.__hash__):
        return call(engine, Const(as_hash), [special(engine, x, "__hash__", ())], {})
    if (known := static_arguments(engine, [x], {})) is not None:  # kept where it is steady
        return engine.fold_object(hash, *known)
    if not steady(engine, x) or arrays.is_array(engine, x):
        what = "this hash is not compiled: it differs from process to process"
        raise engine.refuse(what, "compare the objects, or use them as keys of a dict")
    return call(engine, Const(hash_computed), [x], {})


@rule(place)
def _place(engine: Engine, table: Any, key: Any) -> Any:
    if not steady(engine, key):
        return Const(NO_PLACE)
    return call_function(engine, place, [table, key], {})
