"""JAX's transformations of functions of the program: pyxla's own.

Options that say how JAX traces, compiles or places a function have no meaning inside a compiled
one; options that change what is computed and that pyxla has not are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax

from pyxla import api as outer
from pyxla.abstract.lattice import Const
from pyxla.grad import api
from pyxla.grad.custom import checkpoint
from pyxla.grad.vmap import vmap
from pyxla.infer.engine import Engine
from pyxla.lib.registry import RULES, rule

# JAX's transformation, and the one that it is here.
SAME: dict[Callable[..., Any], Callable[..., Any]] = {
    jax.grad: api.grad,
    jax.value_and_grad: api.value_and_grad,
    jax.jacfwd: api.jacfwd,
    jax.jacrev: api.jacrev,
    jax.hessian: api.hessian,
    jax.jvp: api.jvp,
    jax.vjp: api.vjp,
    jax.linearize: api.linearize,
    jax.checkpoint: checkpoint,
    jax.vmap: vmap,
}
WITHOUT_MEANING = frozenset(
    {"allow_int", "concrete", "policy", "prevent_cse", "static_argnums", "spmd_axis_name"}
)


def _stands_for(theirs: Callable[..., Any], ours: Callable[..., Any]) -> None:
    call = RULES[ours].function
    has = set(inspect.signature(ours).parameters)

    @rule(theirs)
    def transform(engine: Engine, *args: Any, **options: Any) -> Any:
        if "fun" in options:
            args = (options.pop("fun"), *args)
        kept = {name: x for name, x in options.items() if name in has}
        for name in options.keys() - has - WITHOUT_MEANING:
            if engine.static(options[name], name):
                raise engine.refuse(
                    f"{name} of jax.{theirs.__name__} is not supported in compiled code"
                )
        return call(engine, *args, **kept)


for theirs, ours in SAME.items():
    _stands_for(theirs, ours)


@rule(jax.jit, jax.named_call, outer.compile)
def itself(engine: Engine, fun: Any = None, **options: Any) -> Any:
    """A function that is compiled inside a compiled one is that function."""
    if "function" in options:
        fun = options["function"]
    return Const(_undecorated) if fun is None else fun


def _undecorated(function: Any) -> Any:
    return function
