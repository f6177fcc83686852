"""Subscripts: `x[key]`, assigned and deleted too, and slices; where the key may be None as well."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.heap import DictCell, ObjectCell, Pooled, RowList
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Tuple,
    describe,
    is_number,
    is_variant,
)
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.containers.indexing import delete_item, get_item, set_item
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.joins import kinds
from pyxla.infer.lists import reading
from pyxla.infer.lists.item_types import LISTS
from pyxla.infer.lists.rows import is_put_back, take
from pyxla.infer.operands import REMEDY_NONE
from pyxla.infer.transfer import transfer
from pyxla.ir.core import Instr, Value
from pyxla.lib.interpreted import set_flat
from pyxla.lib.keys import KINDS


@transfer("getitem")
def _getitem(engine: Engine, frame: Frame, instr: Instr) -> Any:
    x, key = (frame.env[v] for v in instr.operands)
    x = using.some(engine, x, "'NoneType' object is not subscriptable")
    return take(engine, x, key, get_item(engine, x, _index(engine, x, key)))


def _index(engine: Engine, x: Any, key: Any) -> Any:
    """The index of an item.  None means a new axis to arrays, which changes the type of the result:
    what may be None is taken for a number, and the program raises where it is not."""
    key = engine.use(key)
    if reading.is_slice(key) and class_of(engine, x) is None:
        key = _between_numbers(engine, key)
    if isinstance(x, Array) or arrays.is_array(engine, x):
        if isinstance(key, Tuple):
            items = [_number(engine, _between_numbers(engine, k)) for k in key.items]
            return Tuple(tuple(items), key.cls)
        return _number(engine, key)
    name = "tuple" if isinstance(x, Tuple) else "list"
    words = f"{name} indices must be integers or slices, not {{}}"
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else x
    if is_variant(key, "optional"):
        key = _not_none(engine, content, key, words.format("NoneType"))
    return kinds.as_one_int(engine, key, words) if isinstance(content, _SEQUENCES) else key


_SEQUENCES = (*LISTS, RowList, Tuple)


_NEW_AXIS = TypeError("an index of an array is None here, which would be a new axis")


def _not_none(engine: Engine, content: Any, key: Any, error: str) -> Any:
    """A key that may be None where that is none of the keys, or is an error."""
    if isinstance(content, DictCell):
        if None in content.items:
            raise engine.refuse(f"{describe(key)} is a key of a dict that has None", REMEDY_NONE)
        return using.some(engine, key, KeyError(None))
    if isinstance(content, (ObjectCell, Pooled)):  # which says itself what its keys are
        return key
    return using.some(engine, key, error)


def _between_numbers(engine: Engine, key: Any) -> Any:
    """A slice with a number where an end may be None: one that is past all items."""
    if not isinstance(key, Compound) or key.kind != "slice":
        return key
    words = "slice indices must be integers or None or have an __index__ method"
    key = key.rebuild(tuple([kinds.as_one_int(engine, part, words) for part in key.items]))
    *ends, step = key.items
    for part in key.items:
        if is_variant(part, "optional") and (part is step or not isinstance(step, Const)):
            raise engine.refuse(f"a slice has an end that is {describe(part)}", REMEDY_NONE)
    down = isinstance(step, Const) and step.value is not None and step.value < 0
    past = (2**63 - 1, -(2**63)) if down else (0, 2**63 - 1)
    closed = [
        kinds.choose(end.tag, end.value, Const(limit)) if is_variant(end, "optional") else end
        for end, limit in zip(ends, past, strict=True)
    ]
    return key.rebuild((*closed, step))


def _number(engine: Engine, x: Any) -> Any:
    if is_variant(x, "optional"):
        engine.ensure(x.tag, _NEW_AXIS, catchable=False)
        x = x.value
    return kinds.as_index(engine, x, IndexError(KINDS))


@transfer("setitem")
def _setitem(engine: Engine, frame: Frame, instr: Instr) -> None:
    x, key, value = (frame.env[v] for v in instr.operands)
    x = using.some(engine, x, "'NoneType' object does not support item assignment")
    if _is_flat(instr.operands[0]) and not is_number(value):
        call(engine, Const(set_flat), [x, key, engine.use(value)], {})
    elif not is_put_back(engine, x, key, value):
        set_item(engine, x, _index(engine, x, key), engine.use(value))


def _is_flat(x: Value) -> bool:
    """Whether this is `a.flat`, an array to all but those who write to it."""
    return isinstance(x.owner, Instr) and x.owner.attrs.get("name") == "flat"


@transfer("delitem")
def _delitem(engine: Engine, frame: Frame, instr: Instr) -> None:
    x, key = (frame.env[v] for v in instr.operands)
    x = using.some(engine, x, "'NoneType' object does not support item deletion")
    delete_item(engine, x, _index(engine, x, key))


@transfer("slice")
def _slice(engine: Engine, frame: Frame, instr: Instr) -> Any:
    parts = tuple([engine.use(frame.env[v]) for v in instr.operands])
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*[p.value for p in parts]))
    return Compound("slice", parts)
