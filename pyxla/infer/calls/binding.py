"""Arguments to parameters, and what CPython says of those that do not fit."""

from __future__ import annotations

import inspect
import types
from typing import Any

from pyxla.errors import CompileError
from pyxla.frontend.source import SourceFunction, once
from pyxla.hints import parameters
from pyxla.infer.engine import Engine
from pyxla.infer.lattice import Compound, Const, Scalar, Tuple
from pyxla.infer.lists import columnar
from pyxla.lib.registry import lookup


def bind(
    engine: Engine,
    source: SourceFunction,
    args: list[Any],
    kwargs: dict[str, Any],
    defaults: list[Any],
    kwdefaults: dict[str, Any],
) -> list[Any]:
    """The value of each parameter, in the order of `source.params`; as CPython binds them."""
    most = len(source.posonly) + len(source.args)
    if args and is_rest(args[-1]) and len(args) <= most:
        engine.iterate(args[-1].items[0])  # which refuses a number that is not known
    binder = types.FunctionType(_binder(source), {}, argdefs=tuple(defaults))
    binder.__kwdefaults__, binder.__qualname__ = kwdefaults, source.qualname
    try:
        bound = binder(*args, **kwargs)
    except TypeError as error:
        raise _bad_call(engine, source, kwargs, str(error)) from None
    out = list(bound)
    if source.vararg is not None:
        out[most] = _varargs(engine, out[most])
    if source.kwarg is not None:
        out[-1] = engine.new_dict(out[-1])
    return out


@once("binder")
def _binder(source: SourceFunction) -> types.CodeType:
    """Of a function with the parameters of `source` that returns them: CPython binds them."""
    starred = [f"*{source.vararg}"] if source.vararg else ["*"] if source.kwonly else []
    named = [f"**{source.kwarg}"] if source.kwarg else []
    only = [*source.posonly, "/"] if source.posonly else []
    params = ", ".join([*only, *source.args, *starred, *source.kwonly, *named])
    code = compile(f"lambda {params}: ({', '.join([*source.params, ''])})", "", "eval")
    return next(part for part in code.co_consts if isinstance(part, types.CodeType))


def takes_rest(engine: Engine, callee: Any, x: Any) -> bool:
    """Whether a call takes `*x` of a list of unknown length as it is: the callee is a function of
    the user's, or a class, that takes any number of arguments."""
    grown = columnar.found(engine.heap, x)
    if grown is None or not isinstance(columnar.size_of(engine.heap, grown), Scalar):
        return False
    while isinstance(callee, Compound) and callee.kind == "method":
        callee = callee.items[0]
    if isinstance(callee, Compound):
        return callee.kind == "function" and callee.meta[0].vararg is not None
    function = callee.value if isinstance(callee, Const) else None
    if isinstance(function, type) and engine.captures.constructs(function):
        function = engine.captures.member(function, "__init__")
    if not isinstance(function, types.FunctionType) or lookup(function) is not None:
        return False
    any_number = bool(function.__code__.co_flags & inspect.CO_VARARGS)
    return any_number and not engine.captures.is_foreign(function)


def rest(engine: Engine, x: Any) -> Compound:
    """The items of a list as further arguments, whose number is known at run time only."""
    return Compound("rest", (engine.rules.call(engine, Const(list), [x], {}),))


def add_to_rest(engine: Engine, further: Compound, kind: str, x: Any) -> None:
    """Let `x`, or its items where it is given with a star, follow."""
    add = Const(list.append if kind == "pos" else list.extend)
    engine.rules.call(engine, add, [*further.items, x], {})


def is_rest(x: Any) -> bool:
    """Whether an argument stands for several of which the number is not known."""
    return isinstance(x, Compound) and x.kind == "rest"


def _varargs(engine: Engine, extra: tuple[Any, ...]) -> Any:
    """What `*args` is."""
    if not extra or not is_rest(extra[-1]):
        return Tuple(extra)
    (items,) = extra[-1].items
    if len(extra) > 1:
        items = engine.rules.binary(engine, "add", engine.new_list([*extra[:-1]]), items)
    return engine.rules.call(engine, Const(tuple), [items], {})


def _bad_call(
    engine: Engine, source: SourceFunction, kwargs: dict[str, Any], message: str
) -> CompileError:
    """The refusal of arguments that a function does not take: CPython's TypeError."""
    known = (*source.args, *source.kwonly)
    wrong = next((name for name in kwargs if name not in known), "")
    hint = parameters(wrong, known) if known else "it takes no arguments"
    return engine.refuse(message, hint, raises=TypeError, words=message)
