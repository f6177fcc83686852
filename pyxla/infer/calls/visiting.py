"""Python functions, closures and methods, which are visited in the place of the call."""

from __future__ import annotations

import types
from typing import Any

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Compound, Const, NeedsStatic, Ref, Tuple
from pyxla.errors import CompileError
from pyxla.frontend.pyops import ATTRIBUTES
from pyxla.frontend.recursion import to_loops
from pyxla.frontend.source import SourceFunction, source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.infer import walking
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.binding import bind
from pyxla.infer.calls.captures import variable_value
from pyxla.infer.calls.depth import Start, TooDeep, needs_stack
from pyxla.infer.calls.summaries import summarized
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.lists import columnar, pool_rows


def call_function(
    engine: Engine,
    function: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    source: SourceFunction | None = None,
) -> Any:
    """A Python function, visited in the place of the call; as `source` has it, if given."""
    source = source or source_of(engine, function)
    captures = engine.captures
    captures.guard_function(function)
    defaults = [captures.abstract(engine, d) for d in function.__defaults__ or ()]
    named = {k: captures.abstract(engine, d) for k, d in (function.__kwdefaults__ or {}).items()}
    boxes = _captured(engine, function)
    return activate(
        engine, source, args, kwargs, defaults, named, boxes, function.__globals__, function
    )


def _captured(engine: Engine, function: types.FunctionType) -> dict[str, Any]:
    """The boxes of a function's closure, by name."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: engine.captures.box(engine, cell, name) for name, cell in cells}


def boxes_of(engine: Engine, function: Any) -> tuple[SourceFunction, Any, dict[str, Any]] | None:
    """The source of a function, its globals, and the boxes of its closure; None of what is none."""
    if isinstance(function, Const) and isinstance(function.value, types.FunctionType):
        value = function.value
        engine.captures.guard_function(value)
        return source_of(engine, value), value.__globals__, _captured(engine, value)
    if not isinstance(function, Compound) or function.kind != "function":
        return None
    source, freevars, _, _, module = function.meta
    items = function.items[len(function.items) - len(freevars) :]
    boxes = {n: box for n, box in zip(freevars, items, strict=True) if n != ATTRIBUTES}
    return source, module.value, boxes


def _boxes_of_group(
    engine: Engine, boxes: dict[str, Any], group: frozenset[SourceFunction]
) -> dict[str, Any]:
    """The boxes of a function, and those of the others of its group that lead there."""
    found, new = dict(boxes), [box for name, box in boxes.items() if name != ATTRIBUTES]
    while new:
        inside = boxes_of(engine, variable_value(engine.content(new.pop())))
        if inside is not None and inside[0] in group:
            more = {name: box for name, box in inside[2].items() if name not in found}
            found |= more
            new += more.values()
    return found


def source_of(engine: Engine, function: types.FunctionType) -> SourceFunction:
    """The source of a function that is called here; where there is none, the error says so here."""
    try:
        return source_function(function)
    except CompileError as error:
        if engine.loc is None or not engine.frames:
            raise
        known = error.loc is not None
        raise CompileError(
            error.message,
            error.loc if known else engine.loc,
            notes=error.notes,
            hint=error.hint,
            chain=[*engine.chain(), engine.loc] if known else engine.chain(),
        ) from error


def call_closure(engine: Engine, closure: Compound, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A function defined in compiled code."""
    source, freevars, defaults, kwdefaults, module = closure.meta
    items = list(closure.items)
    positional, items = items[:defaults], items[defaults:]
    named, items = dict(zip(kwdefaults, items, strict=False)), items[len(kwdefaults) :]
    boxes = dict(zip(freevars, items, strict=True))
    return activate(engine, source, args, kwargs, positional, named, boxes, module.value, None)


def activate(
    engine: Engine,
    source: SourceFunction,
    args: list[Any],
    kwargs: dict[str, Any],
    defaults: list[Any],
    kwdefaults: dict[str, Any],
    boxes: dict[str, Any],
    module: dict[str, Any],
    function: Any,
) -> Any:
    """Visit a function with its arguments bound; anew, as loops with a stack, where it is found to
    need one."""
    try:
        group = next((g for g in engine.demands.stacks if source in g), frozenset())
        loops = to_loops(source, group) if group else None
        if loops is not None:
            boxes = _boxes_of_group(engine, boxes, group)
        ssa = loops if loops is not None and boxes.keys() >= {*loops.freevars} else to_ssa(source)
    except CompileError as error:
        error.chain = (*engine.chain(), *([engine.loc] if engine.loc and engine.frames else []))
        raise
    bound = bind(engine, source, args, kwargs, defaults, kwdefaults)
    env = dict(zip(ssa.function.params, bound, strict=True))
    frame = Frame(ssa, env, module, dict(boxes), function, engine.loc)
    if ssa.generator:
        return coroutines.generator(engine, frame)
    start = Start(engine, frame)
    try:
        if not engine.frames:
            return walking.run(engine, frame)
        return summarized(engine, frame, (source, function), [*bound, *boxes.values()])
    except (TooDeep, NeedsStatic) as request:
        if not needs_stack(start, request):
            raise
    start.restore()
    return activate(engine, source, args, kwargs, defaults, kwdefaults, boxes, module, function)


def special(
    engine: Engine, x: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
) -> Any:
    """The special method `name` of an instance called on `args`; None where there is none."""
    cls = class_of(engine, x)
    if cls is None:
        return None
    found = engine.captures.member(cls, name)
    if found is None:
        return None
    result = engine.rules.call_member(engine, cls, name, found, x, list(args), kwargs or {})
    if isinstance(result, Const) and result.value is NotImplemented:
        return None
    return result


def call_method(engine: Engine, x: Any, name: str) -> Any:
    """`x.name()` of an instance of the user's."""
    result = special(engine, x, name, ())
    if result is None:
        raise engine.refuse(f"{arrays.kind_of(engine, x)} has no method {name}")
    return result


def class_of(engine: Engine, x: Any) -> type | None:
    """The user's class of an instance, else None."""
    if (cls := pool_rows.class_of_row(engine.heap, x)) is not None:
        return cls
    if isinstance(x, Ref):
        content = columnar.found(engine.heap, x) or engine.content(x)
        return content.cls if isinstance(content, ObjectCell) else None
    if isinstance(x, Tuple) and x.cls is not tuple:
        return x.cls
    return None
