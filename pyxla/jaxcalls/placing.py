"""Where arrays lie, in compiled code: `pyxla.shard`, `jax.device_put` and their like.

All are `jax.lax.with_sharding_constraint`, which JAX lowers for the mesh that is in scope.  A mesh
with explicit axes is one of automatic axes inside: what a result lies like, XLA decides.
"""

from __future__ import annotations

from typing import Any

import jax
from jax.sharding import PartitionSpec, Sharding

from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.lattice import Array, Const, Ref
from pyxla.lib.foreign import call_jax
from pyxla.lib.registry import rule
from pyxla.runtime import placement


@rule(placement.shard)
def shard(engine: Engine, x: Any, *spec: Any) -> Any:
    """The array itself, whose contents lie so from here on."""
    where = tuple([engine.static(part, "where an array lies") for part in spec])
    one: Any = where[0] if len(where) == 1 else None
    if not isinstance(one, Sharding):
        one = placement.described(where)
    engine.captures.constants[engine.jax.scope] = engine.scope
    if isinstance(one, PartitionSpec) and jax.sharding.get_abstract_mesh().empty:
        return x
    if not arrays.is_array(engine, x):
        return x
    made = _constrained(engine, x, one)
    if not isinstance(x, Ref) or engine.is_jax(x):
        return engine.abstract(made)
    arrays.write(engine, x, made)
    return x


@rule(jax.device_put, jax.sharding.reshard)
def moved(engine: Engine, x: Any, device: Any = Const(None), **_: Any) -> Any:  # noqa: B008
    """A JAX array; where it lies is said for several devices only."""
    where = engine.static(device, "where an array lies")
    if not isinstance(where, Sharding | PartitionSpec):
        return engine.abstract(
            engine.library("device_put", call_jax, _same, (engine.operand(x),), {})
        )
    return engine.abstract(_constrained(engine, x, where))


def _constrained(engine: Engine, x: Any, where: Any) -> Array:
    engine.captures.constants[engine.jax.scope] = engine.scope
    operands = engine.operand(x), where
    return engine.library("shard", call_jax, jax.lax.with_sharding_constraint, operands, {})


def _same(x: Any) -> Any:
    return jax.numpy.asarray(x)
