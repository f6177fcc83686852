"""Typed keys of `jax.random` in compiled code: arrays of them are indexed and iterated over."""

from __future__ import annotations

import operator
from typing import Any

import jax
import numpy as np

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Compound, Const
from pyxla.infer.arrays.access import shown
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.iterators import iterator
from pyxla.infer.containers.structure import sequence
from pyxla.infer.engine import Engine
from pyxla.lib.prng import KeyArray
from pyxla.lib.registry import rule


def _fields(engine: Engine, keys: Any) -> dict[str, Any]:
    return engine.content(keys).fields


def _of(engine: Engine, keys: Any, data: Any) -> Any:
    """Keys with other data, for the same generator."""
    return engine.new(ObjectCell(KeyArray, {**_fields(engine, keys), "data": data}))


@rule(KeyArray.__getitem__)
def _getitem(engine: Engine, keys: Any, index: Any) -> Any:
    data = _fields(engine, keys)["data"]
    return _of(engine, keys, call(engine, Const(operator.getitem), [data, index], {}))


@rule(KeyArray.__len__)
def _len(engine: Engine, keys: Any) -> Any:
    return Const(_rows(engine, keys))


@rule(KeyArray.__iter__)
def _iter(engine: Engine, keys: Any) -> Any:
    rows = sequence(engine, Const(range(_rows(engine, keys))))
    item = Compound("method", (Const(KeyArray.__getitem__), keys))
    return iterator(engine, Compound("map", (item, rows)))


def _rows(engine: Engine, keys: Any) -> int:
    shape, _ = shown(engine, _fields(engine, keys)["data"])
    if len(shape) < 2:
        engine.raise_constant(TypeError("len() of unsized object"))
    return shape[0]


@rule(KeyArray.reshape)
def _reshape(engine: Engine, keys: Any, *shape: Any) -> Any:
    data = _fields(engine, keys)["data"]
    wanted = [engine.static(n, "a shape") for n in shape]
    wanted = [*wanted[0]] if len(wanted) == 1 and isinstance(wanted[0], tuple) else wanted
    width = shown(engine, data)[0][-1]
    args = [data, Const((*wanted, width))]
    return _of(engine, keys, call(engine, Const(np.reshape), args, {}))


@rule(KeyArray.dtype.fget)  # type: ignore[attr-defined]
def _dtype(engine: Engine, keys: Any) -> Any:
    impl = _fields(engine, keys)["impl"].value
    return Const(jax.random.key(0, impl=impl).dtype)
