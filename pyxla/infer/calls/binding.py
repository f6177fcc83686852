"""Arguments to parameters, and what CPython says of those that do not fit."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from pyxla.abstract.lattice import Compound, Const, Tuple
from pyxla.errors import CompileError
from pyxla.frontend import support
from pyxla.frontend.source import SourceFunction, once
from pyxla.hints import parameters
from pyxla.infer.engine import Engine
from pyxla.lib import sequences


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
    binder = types.FunctionType(_binder(source), {}, argdefs=tuple(defaults))
    binder.__kwdefaults__, binder.__qualname__ = kwdefaults, source.qualname
    if args and is_rest(args[-1]) and (source.vararg is None or len(args) <= most):
        args = _spread(engine, source, binder, args, kwargs)
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


def _spread(
    engine: Engine,
    source: SourceFunction,
    binder: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
) -> list[Any]:
    """The arguments, of which the last are items of a list: one for each parameter that is left."""
    *given, last = args
    (items,) = last.items
    left = [*source.posonly, *source.args][len(given) :]
    optional = len(binder.__defaults__ or ()) and bool(left)
    if optional or not {*left}.isdisjoint(kwargs) or not (given or left):
        engine.iterate(items)  # which refuses a number that is not known
    few = [_said(binder, [*given, *[None] * n], kwargs) for n in range(len(left))]
    many = None
    if source.vararg is None:
        number = len(given) + len(left) + 1
        before, _, after = _said(binder, [None] * number, kwargs).rpartition(str(number))
        many = Tuple((Const(before), Const(len(given)), Const(after)))
    check = [items, Tuple(tuple(map(Const, few))), many or Const(None)]
    engine.rules.call(engine, Const(sequences.check_given), check, {})
    with engine.unchecked():
        place = range(len(left))
        found = [
            engine.rules.call(engine, Const(support.item), [items, Const(i)], {}) for i in place
        ]
        if many is None:
            key = Const(slice(len(left), None))
            more = engine.rules.call(engine, Const(operator.getitem), [items, key], {})
            found.append(Compound("rest", (more,)))
    return [*given, *found]


def _said(binder: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> str:
    """What CPython says of arguments that are too few, or too many."""
    try:
        binder(*args, **kwargs)
    except TypeError as error:
        return str(error)
    raise AssertionError


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
