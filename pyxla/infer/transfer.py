"""Transfer functions: what each operation of `frontend.pyops` does to abstract values.

Layered as constants first (CPython computes them), then numbers and arrays (library operators),
then containers, then objects with special methods.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pyxla.abstract.heap import DictCell, ListCell, ObjectCell
from pyxla.abstract.lattice import (
    Compound,
    Const,
    Live,
    Ref,
    Tuple,
    Unbound,
    Variant,
    may_be_unbound,
)
from pyxla.frontend.pyops import ATTRIBUTES
from pyxla.frontend.support import Open, sequence
from pyxla.infer import using
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import binding, closures, spreading
from pyxla.infer.calls.captures import variable_value
from pyxla.infer.calls.dispatch import call
from pyxla.infer.comparisons import compare
from pyxla.infer.containers import lazy, steps, tables
from pyxla.infer.containers.indexing import set_item
from pyxla.infer.containers.outside import looked_into
from pyxla.infer.containers.unpacking import unpacked
from pyxla.infer.containers.watched import settled
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.lists import rows, shared
from pyxla.infer.objects import delete_attribute, get_attribute, set_attribute
from pyxla.infer.operators import binary, inplace, truth, unary
from pyxla.infer.raising import postponed
from pyxla.infer.raising.refusals import ITERATION, need
from pyxla.infer.text.pieces import formatted, written
from pyxla.ir.core import Instr
from pyxla.lib.variables import Attributes

Transfer = Callable[[Engine, Frame, Instr], Any]
TRANSFER: dict[str, Transfer] = {}


def transfer(name: str) -> Callable[[Transfer], Transfer]:
    def register(function: Transfer) -> Transfer:
        TRANSFER[name] = function
        return function

    return register


@transfer("const")
def _const(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return Const(instr.attrs["value"])


@transfer("global")
def _global(engine: Engine, frame: Frame, instr: Instr) -> Any:
    found = looked_into(engine, frame, instr, frame.module)
    return found or engine.captures.read_global(engine, frame, instr.attrs["name"])


@transfer("global_set")
def _global_set(engine: Engine, frame: Frame, instr: Instr) -> None:
    value, name = frame.env[instr.operands[0]], instr.attrs["name"]
    if isinstance(value, Unbound):
        raise engine.refuse(f"`del` of the global variable {name!r}", "assign None to it")
    engine.captures.assign(engine, frame.module, name, engine.use(value))


@transfer("unbound")
def _unbound(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return Unbound(instr.attrs["name"], instr.loc)


@transfer("bound")
def _bound(engine: Engine, frame: Frame, instr: Instr) -> None:
    using.bound(engine, frame.env[instr.operands[0]])


@transfer("box")
def _box(engine: Engine, frame: Frame, instr: Instr) -> Any:
    name = instr.attrs["name"]
    box = frame.boxes[name] = closures.variable(engine, frame.ssa.source, name)
    return box


@transfer("free_box")
def _free_box(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return frame.boxes[instr.attrs["name"]]


@transfer("box_get")
def _box_get(engine: Engine, frame: Frame, instr: Instr) -> Any:
    box = instr.operands[0]
    value = variable_value(engine.content(frame.env[box]))
    if may_be_unbound(value) and box.owner.op.name == "free_box":
        value = _unbound_outside(value)
    return using.moved(engine, value)


def _unbound_outside(x: Any) -> Any:
    """A variable of a function around this one that may be unbound, with what CPython says here."""
    unbound = x if isinstance(x, Unbound) else x.items[0]
    where = "where it is not associated with a value in enclosing scope"
    error = NameError(f"cannot access free variable {unbound.name!r} {where}")
    found = Unbound(unbound.name, None, error)
    return found if x is unbound else Variant("unbound", x.tag, (found, x.value))


@transfer("box_set")
def _box_set(engine: Engine, frame: Frame, instr: Instr) -> None:
    box, value = (frame.env[v] for v in instr.operands)
    closures.assign(engine, box, value)


@transfer("function")
def _function(engine: Engine, frame: Frame, instr: Instr) -> Any:
    operands = tuple([frame.env[v] for v in instr.operands])
    attrs = instr.attrs
    meta = (attrs["function"], attrs["freevars"], attrs["defaults"], attrs["kwdefaults"])
    if ATTRIBUTES in attrs["freevars"]:
        operands = (*operands, engine.new(ObjectCell(Attributes, {})))
    made = Compound("function", operands, (*meta, engine.module_of(frame)))
    return closures.entered(engine, made, [frame.env[box] for box in attrs["final"]])


# What reads a dict's view item by item, or says which it is.
_READERS = frozenset({sequence, zip, enumerate, reversed, map, iter})
_READERS |= {print, str, repr, format}
_FUNCTIONS = frozenset(map(type, _READERS))


@transfer("call")
def _call(engine: Engine, frame: Frame, instr: Instr) -> Any:
    env = frame.env
    use = engine.use
    operands = instr.operands
    callee = using.some(engine, env[operands[0]], "'NoneType' object is not callable")
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    if instr.attrs["layout"] == ("star",) and isinstance(callee, Const) and callee.value is zip:
        found = lazy.zipped(engine, use(env[operands[1]]))
        if found is not None:
            return found
    if type(callee) is Const and type(callee.value) in _FUNCTIONS and callee.value in _READERS:
        use = functools.partial(_held, engine)
    for kind, operand in zip(instr.attrs["layout"], operands[1:], strict=True):
        value = use(env[operand])
        if kind in ("pos", "star") and args and binding.is_rest(args[-1]):
            binding.add_to_rest(engine, args[-1], kind, value)
        elif kind == "pos":
            args.append(value)
        elif kind == "star":
            value = spreading.further(engine, callee, value)
            args.extend([value] if binding.is_rest(value) else engine.iterate(value))
        elif kind == "kwstar":
            kwargs.update(_keywords(engine, value))
        else:
            kwargs[kind[3:]] = value
    if args and binding.is_rest(args[-1]):
        callee = spreading.of_rest(callee)
    return call(engine, callee, args, kwargs)


def _keywords(engine: Engine, value: Any) -> dict[str, Any]:
    value = tables.held_by(engine, value)
    content = engine.content(value) if isinstance(value, Ref) else None
    if isinstance(content, DictCell):
        return content.items
    raise engine.refuse(f"argument after ** must be a dict, not {arrays.kind_of(engine, value)}")


@transfer("binary")
def _binary(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return _operated(engine, binary, instr, *_operands(engine, frame, instr))


def _operated(engine: Engine, function: Callable[..., Any], instr: Instr, x: Any, y: Any) -> Any:
    attrs = instr.attrs
    if "within" in attrs or "ends" in attrs:
        return postponed.compute(engine, function, attrs, attrs["op"], x, y)
    return function(engine, attrs["op"], x, y)


_OF_ONE = frozenset({"contains", "not_contains", "is_", "is_not"})


def _operands(engine: Engine, frame: Frame, instr: Instr) -> list[Any]:
    """The operands, where a view of a dict whose keys data decides is as good as a set."""
    values = [frame.env[v] for v in instr.operands]
    found = [engine.use(x) for x in values]
    views = [x for x in values if type(x) is Live]
    if not views or instr.attrs["op"] in _OF_ONE:
        return found
    if not any(tables.found(engine.heap, *view.items) for view in views):
        return found
    pairs = zip(values, found, strict=True)
    return [
        call(engine, Const(set), [x], {}) if type(v) is Live and v.kind != "values" else x
        for v, x in pairs
    ]


@transfer("inplace")
def _inplace(engine: Engine, frame: Frame, instr: Instr) -> Any:
    x, y = (engine.use(frame.env[v]) for v in instr.operands)
    return _operated(engine, inplace, instr, x, y)


@transfer("unary")
def _unary(engine: Engine, frame: Frame, instr: Instr) -> Any:
    attrs, x = instr.attrs, engine.use(frame.env[instr.operands[0]])
    op = attrs["op"]
    if "within" in attrs and postponed.is_int(x):  # `~x` is `-1 - x`
        zero = Const(0 if op == "neg" else -1)
        return postponed.compute(engine, lambda *_: unary(engine, op, x), attrs, "sub", zero, x)
    return unary(engine, op, x)


@transfer("truth")
def _truth(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return truth(engine, engine.use(frame.env[instr.operands[0]]))


@transfer("compare")
def _compare(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return compare(engine, instr.attrs["op"], *_operands(engine, frame, instr))


@transfer("getattr")
def _getattr(engine: Engine, frame: Frame, instr: Instr) -> Any:
    name = instr.attrs["name"]
    x = _owner(engine, frame.env[instr.operands[0]], name)
    if isinstance(x, Const) and isinstance(x.value, ModuleType):
        if (table := looked_into(engine, frame, instr, vars(x.value))) is not None:
            return table
    return rows.take(engine, x, name, get_attribute(engine, x, name))


def _owner(engine: Engine, x: Any, name: str) -> Any:
    """What has the attribute `name`, which None has not."""
    return using.some(engine, x, f"'NoneType' object has no attribute {name!r}", AttributeError)


@transfer("setattr")
def _setattr(engine: Engine, frame: Frame, instr: Instr) -> None:
    x, value = (frame.env[v] for v in instr.operands)
    x, value = _owner(engine, x, instr.attrs["name"]), engine.use(value)
    closures.noted(engine, value)
    if not rows.is_put_back(engine, x, instr.attrs["name"], value):
        set_attribute(engine, x, instr.attrs["name"], value)


@transfer("delattr")
def _delattr(engine: Engine, frame: Frame, instr: Instr) -> None:
    name = instr.attrs["name"]
    delete_attribute(engine, _owner(engine, frame.env[instr.operands[0]], name), name)


@transfer("tuple")
def _tuple(engine: Engine, frame: Frame, instr: Instr) -> Any:
    cls = instr.attrs.get("cls", tuple)
    values = [frame.env[v] for v in instr.operands]
    if cls is Open:
        if any(map(may_be_unbound, values)):
            raise engine.refuse(
                "a variable that may be unbound is read after the function calls itself, or yields"
            )
        values = [settled(engine, value) for value in values]
    return Tuple(tuple([_held(engine, value) for value in values]), cls)


def _held(engine: Engine, x: Any) -> Any:
    """A part of a display: a view of a dict goes on to show what is in it."""
    return x if isinstance(x, Live) else engine.use(x)


@transfer("list")
def _list(engine: Engine, frame: Frame, instr: Instr) -> Any:
    shared.noted(engine)
    return engine.new(ListCell(tuple([_held(engine, frame.env[v]) for v in instr.operands])))


@transfer("set")
def _set(engine: Engine, frame: Frame, instr: Instr) -> Any:
    items = [engine.use(frame.env[v]) for v in instr.operands]
    if tables.compares(engine, *items):
        return call(engine, Const(set), [Tuple(tuple(items))], {})
    keys = [engine.key(x, "a set item") for x in items]
    return tables.made(engine, steps.displayed(keys, engine.functions()))


@transfer("dict")
def _dict(engine: Engine, frame: Frame, instr: Instr) -> Any:
    values = [engine.use(frame.env[v]) for v in instr.operands]
    if tables.compares(engine, *values[::2]):
        made = tables.made(engine, DictCell({}))
        for key, value in zip(values[::2], values[1::2], strict=True):
            set_item(engine, made, key, value)
        return made
    keys = [engine.key(k) for k in values[::2]]
    return tables.made(engine, DictCell(dict(zip(keys, values[1::2], strict=True))))


@transfer("unpack")
def _unpack(engine: Engine, frame: Frame, instr: Instr) -> Any:
    words = "cannot unpack non-iterable {} object"
    x = using.some(engine, frame.env[instr.operands[0]], words.format("NoneType"))
    need(engine, x, ITERATION, "cannot be unpacked", words)
    return unpacked(engine, x, **instr.attrs)


@transfer("format")
def _format(engine: Engine, frame: Frame, instr: Instr) -> Any:
    x = _held(engine, frame.env[instr.operands[0]])
    return formatted(engine, x, instr.attrs["conversion"], instr.attrs["spec"])


@transfer("join")
def _join(engine: Engine, frame: Frame, instr: Instr) -> Any:
    return written(engine, [engine.use(frame.env[value]) for value in instr.operands])


@transfer("refuse")
def _refuse(engine: Engine, frame: Frame, instr: Instr) -> Any:
    raise engine.refuse(instr.attrs["message"], instr.attrs["hint"])
