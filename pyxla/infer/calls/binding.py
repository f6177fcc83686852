"""Arguments to parameters, and what CPython says of those that do not fit."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError, also
from pyxla.frontend.source import SourceFunction
from pyxla.hints import similar
from pyxla.infer.lattice import Compound, Const, Scalar, Tuple
from pyxla.infer.lists import columnar
from pyxla.lib.registry import lookup

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine


def bind(
    engine: Engine,
    source: SourceFunction,
    args: list[Any],
    kwargs: dict[str, Any],
    defaults: list[Any],
    kwdefaults: dict[str, Any],
) -> list[Any]:
    """The value of each parameter, in the order of `source.params`; as CPython binds them."""
    positional = [*source.posonly, *source.args]
    values = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    if args and is_rest(args[-1]) and not extra:
        engine.iterate(args[-1].items[0])  # which refuses a number that is not known
    rest = dict(kwargs)
    name = source.name
    for key in (*source.args, *source.kwonly):
        if key in rest:
            if key in values:
                raise _bad_call(engine, f"{name}() got multiple values for argument {key!r}")
            values[key] = rest.pop(key)
    filled = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=False))
    filled.update(kwdefaults)
    if rest and source.kwarg is None:
        key = next(iter(rest))
        hint = similar(key, [*source.args, *source.kwonly])
        raise _bad_call(engine, f"{name}() got an unexpected keyword argument {key!r}", hint)
    if extra and source.vararg is None:
        takes = _count(len(positional) - len(defaults), len(positional))
        given = f"{len(args)} {'was' if len(args) == 1 else 'were'} given"
        raise _bad_call(engine, f"{name}() takes {takes} but {given}")
    missing = [k for k in (*positional, *source.kwonly) if k not in values and k not in filled]
    for kind, names in (("positional", positional), ("keyword-only", source.kwonly)):
        if named := [key for key in missing if key in names]:
            what = _counted(named, f"required {kind} argument")
            raise _bad_call(engine, f"{name}() missing {what}")
    out = [values[k] if k in values else filled[k] for k in positional]
    if source.vararg is not None:
        out.append(_varargs(engine, extra))
    out.extend(values[k] if k in values else filled[k] for k in source.kwonly)
    if source.kwarg is not None:
        out.append(engine.new_dict(rest))
    return out


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


def _varargs(engine: Engine, extra: list[Any]) -> Any:
    """What `*args` is."""
    if not extra or not is_rest(extra[-1]):
        return Tuple(tuple(extra))
    (items,) = extra[-1].items
    if len(extra) > 1:
        items = engine.rules.binary(engine, "add", engine.new_list(extra[:-1]), items)
    return engine.rules.call(engine, Const(tuple), [items], {})


def _bad_call(engine: Engine, message: str, hint: str = "") -> CompileError:
    """The refusal of arguments that a function does not take: CPython's TypeError."""
    return engine.refuse(message, hint, kind=also(TypeError))


def _counted(names: list[str], what: str) -> str:
    """As CPython lists missing arguments: `2 required positional arguments: 'x' and 'y'`."""
    *first, last = map(repr, names)
    comma = "," if len(first) > 1 else ""
    listed = f"{', '.join(first)}{comma} and {last}" if first else last
    return f"{len(names)} {what}{'s' * (len(names) > 1)}: {listed}"


def _count(least: int, most: int) -> str:
    plural = "s" * (most != 1)
    return f"{f'from {least} to ' if least < most else ''}{most} positional argument{plural}"
