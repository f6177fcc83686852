"""Where arrays lie, in compiled code: `pyxla.shard`, `jax.device_put` and their like.

All are `jax.lax.with_sharding_constraint`, which JAX lowers for the mesh that is in scope.  A mesh
with explicit axes is one of automatic axes inside: what a result lies like, XLA decides.
"""

from __future__ import annotations

from typing import Any

import jax
from jax.sharding import PartitionSpec, Sharding

from pyxla.abstract.heap import DictCell, ListCell
from pyxla.abstract.lattice import Array, Const, Ref, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
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


@rule(placement.results)
def results(engine: Engine, x: Any, where: Any) -> Any:
    """The result of a program, arrays where the specifications say, which may end early."""
    return _each(engine, x, engine.static(where, "out_shardings"))


def _each(engine: Engine, x: Any, where: Any) -> Any:
    if where is None:
        return x
    leaf = isinstance(where, Sharding | PartitionSpec)
    if isinstance(x, Tuple):
        parts = [where] * len(x.items) if leaf else list(where)
        _check(engine, len(parts), len(x.items))
        items = [_each(engine, item, part) for item, part in zip(x.items, parts, strict=True)]
        return Tuple(tuple(items), x.cls)
    held = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if isinstance(held, ListCell | DictCell):
        keyed = isinstance(held, DictCell)
        keys = list(held.items) if keyed else list(range(len(held.items)))
        parts = [where] * len(keys) if leaf else [where[key] for key in keys]
        made = [_each(engine, held.items[key], part) for key, part in zip(keys, parts, strict=True)]
        after: Any = dict(zip(keys, made, strict=True)) if keyed else tuple(made)
        engine.heap.contents[x.cell] = type(held)(after)
        return x
    return shard(engine, x, Const(where)) if leaf else x


def _check(engine: Engine, given: int, there: int) -> None:
    if given != there:
        raise engine.refuse(f"out_shardings has {given} entries, and there are {there} results")


def _constrained(engine: Engine, x: Any, where: Any) -> Array:
    engine.captures.constants[engine.jax.scope] = engine.scope
    operands = engine.operand(x), where
    return engine.library("shard", call_jax, jax.lax.with_sharding_constraint, operands, {})


def _same(x: Any) -> Any:
    return jax.numpy.asarray(x)
