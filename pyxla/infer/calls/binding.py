"""Arguments to parameters, and what CPython says of those that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError, also
from pyxla.frontend.source import SourceFunction
from pyxla.hints import similar
from pyxla.infer.lattice import Tuple

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
        out.append(Tuple(tuple(extra)))
    out.extend(values[k] if k in values else filled[k] for k in source.kwonly)
    if source.kwarg is not None:
        out.append(engine.new_dict(rest))
    return out


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
