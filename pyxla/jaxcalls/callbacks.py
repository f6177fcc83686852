"""Callbacks of JAX's in compiled code: functions on the host, which are given JAX's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

from pyxla.abstract.lattice import Const
from pyxla.hosting import told
from pyxla.infer.calls import hosted
from pyxla.infer.engine import Engine
from pyxla.lib.registry import rule
from pyxla.runtime import jaxlink


def _function(engine: Engine, callback: Any) -> tuple[str, Callable[..., Any]]:
    known = hosted.function_of(engine, callback)

    def function(*args: Any, **kwargs: Any) -> Any:
        given, named = jax.tree.map(_as_jax, (args, kwargs))
        return known(*given, **named)

    return getattr(known, "__name__", repr(known)), function


def _as_jax(x: Any) -> Any:
    return jaxlink.on_host(x) if isinstance(x, np.ndarray | np.generic | float | int) else x


def _returned(engine: Engine, types: Any) -> Any:
    return told(engine.static(types, "the types that a callback returns"))


@rule(jax.ShapeDtypeStruct)
def _struct(engine: Engine, *args: Any, **kwargs: Any) -> Any:
    given = [engine.static(x, "a type of a JAX array") for x in args]
    named = {name: engine.static(x, "a type of a JAX array") for name, x in kwargs.items()}
    return Const(jax.ShapeDtypeStruct(*given, **named))


def _asks(theirs: Callable[..., Any], options: tuple[str, ...]) -> None:
    """A function of JAX's that calls one on the host; options: what says how JAX runs it."""

    @rule(theirs)
    def called(
        engine: Engine, callback: Any, result_shape_dtypes: Any, *args: Any, **kwargs: Any
    ) -> Any:
        returned = _returned(engine, result_shape_dtypes)
        given = {name: x for name, x in kwargs.items() if name not in options}
        pure = theirs is jax.pure_callback
        return hosted.call(engine, *_function(engine, callback), args, given, returned, pure)


_asks(jax.pure_callback, ("sharding", "vmap_method"))
_asks(io_callback, ("sharding", "ordered"))


@rule(jax.debug.callback)
def _debug(
    engine: Engine,
    callback: Any,
    *args: Any,
    ordered: Any = Const(False),  # noqa: B008
    partitioned: Any = Const(False),  # noqa: B008
    **kwargs: Any,
) -> Any:
    hosted.call(engine, *_function(engine, callback), args, kwargs)
    return Const(None)
