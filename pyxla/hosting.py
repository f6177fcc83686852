"""`pyxla.host`: functions that CPython runs in the middle of a compiled program."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from pyxla.abstract.lattice import Compound, Const
from pyxla.errors import CompileError
from pyxla.infer.calls import hosted
from pyxla.infer.calls.hosted import UNTOLD, Told
from pyxla.infer.engine import Engine
from pyxla.lib.registry import rule
from pyxla.runtime.descriptions import ArgArray, ArgDict, ArgList, ArgScalar, ArgStatic, ArgTuple
from pyxla.types import describe


class Host:
    """A function that programs call on the host; called outside of them, just the function."""

    __pyxla_constant__ = True

    def __init__(self, function: Callable[..., Any], told: Any) -> None:
        functools.update_wrapper(self, function)
        self.function, self.told = function, told

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __pyxla_inline__(self, engine: Engine, args: Any, kwargs: Any) -> Any:
        name = getattr(self.function, "__name__", repr(self.function))
        return hosted.call(engine, name, self.function, args, kwargs, self.told)


def host(function: Any = None, *, returns: Any = UNTOLD) -> Any:
    """`function`, which CPython runs where a compiled program calls it, once for each call.

    function: any callable; without it, what marks one: `@pyxla.host(returns=...)`.
    returns: the type of what it returns, `float`, `pyxla.f64[3]`, a `jax.ShapeDtypeStruct`, None,
    or a tuple, list or dict of types.  Else the annotation of its result says; if that says
    nothing, a program may call it, and not use what it returns.

    Calls are in order with each other and with `print`.  Arguments are numbers, texts, arrays (of
    their shapes in the program: copies that cannot be written), and containers of these; a result
    is a copy.  What the function raises is raised where the program calls it: TypeError, if it
    returns something else than was told.  CompileError where `returns` is no type.

    >>> import numpy as np, pyxla
    >>> seen = []
    >>> @pyxla.host
    ... def measure(i: int, x) -> float:
    ...     seen.append(i)
    ...     return float(np.median(x))
    >>> @pyxla.compile
    ... def total(x):
    ...     return sum([measure(i, x * i) for i in range(3)])
    >>> total(np.array([1.0, 2.0, 4.0])), seen
    (6.0, [0, 1, 2])
    """
    if function is None:
        return functools.partial(host, returns=returns)
    if not callable(function):
        raise CompileError(
            f"pyxla.host takes a function, not a {type(function).__name__}",
            hint="name the type of its result: pyxla.host(f, returns=float)",
        )
    return Host(function, _annotated(function) if returns is UNTOLD else told(returns))


@rule(host)
def _host(engine: Engine, function: Any = Const(None), *, returns: Any = Const(UNTOLD)) -> Any:  # noqa: B008
    if isinstance(function, Const) and function.value is None:
        return Compound("partial", (Const(host), returns), (0, ("returns",)))
    made = host(
        hosted.function_of(engine, function),
        returns=engine.static(returns, "the type of what the host returns"),
    )
    return Const(made)


def told(returns: Any) -> Any:
    """The type of a result, as inference takes it."""
    (arg,), *_ = describe((returns,))
    return _of(arg, returns)


def _annotated(function: Any) -> Any:
    try:
        found = inspect.signature(function, eval_str=True).return_annotation
        return UNTOLD if found is inspect.Signature.empty else told(found)
    except Exception:  # annotations are any code, which says other things as well
        return UNTOLD


hosted.ANNOTATED["of"] = _annotated


def _of(arg: Any, returns: Any) -> Any:
    match arg:
        case ArgArray(type, kind):
            return Told(type, kind)
        case ArgScalar(type, _, kind):
            return Told(type, kind)
        case ArgTuple(cls, items):
            parts = [_of(item, returns) for item in items]
            return tuple(parts) if cls is tuple else cls(*parts)
        case ArgList(items):
            return [_of(item, returns) for item in items]
        case ArgDict(keys, values):
            return {k: _of(value, returns) for k, value in zip(keys, values, strict=True)}
        case ArgStatic(None):
            return None
    raise CompileError(
        f"returns={returns!r} is not the type of a result of the host",
        hint="types are float, int, pyxla.f64[3], jax.ShapeDtypeStruct(...), None, and tuples, "
        "lists and dicts of these",
    )
