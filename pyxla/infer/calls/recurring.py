"""Calls of functions by themselves and by each other in loops with a stack (`frontend.recursion`):
inference makes sure that they are what they look like."""

from __future__ import annotations

import types
from typing import Any

import gast

from pyxla.abstract.lattice import Compound, Const, Tuple, Unbound, is_variant
from pyxla.frontend import support
from pyxla.frontend.source import SourceFunction
from pyxla.infer import using
from pyxla.infer.calls import kept
from pyxla.infer.calls.spelled import equality_of
from pyxla.infer.calls.visiting import boxes_of, class_of
from pyxla.infer.classes import is_generated
from pyxla.infer.containers import tables
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame, Stopped
from pyxla.infer.transfer import transfer
from pyxla.ir.core import Instr
from pyxla.lib.registry import rule


@transfer("recurring")
def _recurring(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """Whether a method is the function that it looks like."""
    callee = frame.env[instr.operands[0]]
    return Const(_owner(engine, frame, callee, instr.attrs["of"]) is not None)


_SAID_OF_NONE = {
    "__iter__": "'NoneType' object is not iterable",
    "__contains__": "argument of type 'NoneType' is not iterable",
    "__len__": "object of type 'NoneType' has no len()",
    "__getitem__": "'NoneType' object is not subscriptable",
}


@rule(support.special)
def _special(engine: Engine, asking: Any, x: Any) -> Any:
    """The method that an operation on an instance calls, None of anything else."""
    names = asking.value
    names = names if isinstance(names, tuple) else support.ASKING.get(names, ())
    if names and (words := _SAID_OF_NONE.get(names[0])) is not None:
        x = using.some(engine, x, words)
    cls = class_of(engine, x)
    for name in names if cls is not None else ():
        if isinstance(method := engine.captures.member(cls, name), types.FunctionType):
            return Compound("method", (Const(method), x))
    return Const(None)


@rule(support.equality)
def _equality(engine: Engine, x: Any, y: Any) -> Any:
    """The method that `x == y` calls first, None where they are of several classes."""
    cls = class_of(engine, x)
    if cls is None or cls is not class_of(engine, y):
        return Const(None)
    if is_generated(engine.captures.member(cls, "__eq__")) and "__eq__" in vars(cls):
        return Compound("method", (Const(equality_of(cls)), x))
    return _special(engine, Const(("__eq__",)), x)


@transfer("kept")
def _kept(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """Where the results of a cached function of the group are kept."""
    results = kept.taken(engine, instr.attrs["of"])
    if instr.attrs["of"] is frame.ssa.source:
        frame.results = results
    return tables.of_data(engine, results or engine.new_dict({}))


@transfer("key")
def _key(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """What results are kept by: all arguments where other calls look for them, too, else those that
    calls do not hand on as they got them."""
    shared = instr.attrs["of"] is frame.ssa.source and frame.results is not None
    pairs = zip(instr.operands, instr.attrs["own"], strict=True)
    return Tuple(tuple([engine.use(frame.env[x]) for x, own in pairs if own or shared]))


@transfer("recur")
def _recur(engine: Engine, frame: Frame, instr: Instr) -> Any:
    owner = _owner(engine, frame, frame.env[instr.operands[0]], instr.attrs["of"])
    if owner is None:
        raise engine.refuse("a call that looks like recursion is of another function")
    return owner


def _owner(
    engine: Engine, frame: Frame, callee: Any, about: tuple[SourceFunction, bool, bool]
) -> Any:
    """What the function is called on, None as a constant where that is nothing; None where it is
    another function."""
    source, method, cached = about
    owner: Any = Const(None)
    if method:
        callee, owner = _unbound(callee)
    function = kept.uncached(callee)
    if cached is (function is callee) or not _is_of_group(engine, frame, function, source):
        return None
    return owner


def _unbound(method: Any) -> tuple[Any, Any]:
    """The function of a bound method, None of anything else; the object or class that it is of."""
    if isinstance(method, Compound) and method.kind == "method":
        function, owner = method.items
        return function, owner
    if isinstance(method, Const) and isinstance(method.value, types.MethodType):
        return Const(method.value.__func__), Const(method.value.__self__)
    return Const(None), Const(None)


def _is_of_group(engine: Engine, frame: Frame, callee: Any, source: SourceFunction) -> bool:
    """Whether this is the function of that source that the visited one takes for it."""
    value = callee.value if isinstance(callee, Const) else None
    if value is not None and not _has_defaults_of(value, source):
        return False
    if value is not None and value is frame.function:
        return source is frame.ssa.source
    found = boxes_of(engine, callee)
    if found is None or found[0] is not source or found[1] is not frame.module:
        return False
    return all(frame.boxes.get(name) == box for name, box in found[2].items())


def _has_defaults_of(function: Any, source: SourceFunction) -> bool:
    """Whether the defaults that its source has as constants are those of a function."""
    args: Any = source.node.args
    given = getattr(function, "__defaults__", None) or ()
    named = getattr(function, "__kwdefaults__", None) or {}
    pairs = list(zip(args.defaults, given, strict=False))
    pairs += [(d, named.get(a.id)) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return len(given) == len(args.defaults) and all(
        type(d.value) is type(x) and d.value == x for d, x in pairs if isinstance(d, gast.Constant)
    )


@transfer("given")
def _given(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """A parameter of one of several functions, where that is called, or its result, where that has
    returned: it has a value, or control does not come here as far as is known."""
    value = frame.env[instr.operands[0]]
    if isinstance(value, Unbound):
        raise Stopped
    return value.value if is_variant(value, "unbound") else value
