"""Calls of JAX's functions whose own code is merged into the module (`lib.foreign`).

JAX traces them apart from the program.  A function of the program that it called then would be
traced, too, and what that reads besides its arguments would be frozen in the module: only
functions of JAX's, and builtins, are passed on.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Array, Const, Ref
from pyxla.infer.engine import Engine
from pyxla.lib.foreign import call_jax

REMEDY = (
    "pass a function of JAX's (jnp.add), or what jax.jit made of yours outside of compiled code, "
    "or write the loop; jax.grad, jax.vmap, lax.scan, pyxla.hlo.reduce and their like do take it"
)


def call_foreign(engine: Engine, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A JAX function: its own code, merged into the module; results do not mutate."""
    name = getattr(value, "__name__", None) or repr(value)
    operands = [_passed(engine, name, engine.operand(a)) for a in args]
    named = {k: _passed(engine, name, engine.operand(a)) for k, a in kwargs.items()}
    wide = engine.wide() or _is_wide(operands) or _is_wide(named)
    function = value if wide else engine.jax.narrowed(value)
    engine.captures.constants[engine.jax.scope] = engine.scope
    result = engine.library(name, call_jax, function, tuple(operands), named)
    engine.strides = None  # whatever the operands are, JAX gives new arrays
    return engine.abstract(result)


def _is_wide(x: Any) -> bool:
    """Whether an array of doubles is given: JAX then computes with doubles all the way."""
    if isinstance(x, Array):
        return x.dtype in _DOUBLES
    items = x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else ()
    return any(map(_is_wide, items))


_DOUBLES = (np.dtype(np.float64), np.dtype(np.complex128))


def _passed(engine: Engine, name: str, x: Any) -> Any:
    """An operand as JAX takes it, functions in it as they are; refuses those of the program."""
    if isinstance(x, tuple):
        items = [_passed(engine, name, item) for item in x]
        return tuple.__new__(type(x), items)
    if isinstance(x, list):
        return [_passed(engine, name, item) for item in x]
    if isinstance(x, dict):
        return {key: _passed(engine, name, item) for key, item in x.items()}
    if isinstance(x, Ref) and isinstance(content := engine.content(x), ObjectCell):
        raise engine.refuse(
            f"{name} of JAX does not take instances of {content.cls.__name__} in compiled code",
            "make a function of arrays outside, apply = jax.jit(model.apply), and pass its arrays "
            "as a tuple or a dict",
        )
    callee = getattr(x, "__pyxla_callee__", None)
    known = callee.value if isinstance(callee, Const) else x
    if not callable(known) or isinstance(known, type):
        return x
    ours = callee is not None and known is x
    if isinstance(known, types.BuiltinFunctionType):
        return known
    if ours or not engine.captures.is_foreign(known):
        raise engine.refuse(f"{name} of JAX does not take functions of the program", REMEDY)
    return known
