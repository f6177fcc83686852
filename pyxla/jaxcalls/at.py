"""`x.at[index].set(y)` and its like: JAX's own code, which writes to a copy.

Masks and slices whose bounds are known at run time only, which JAX refuses while it traces, are
NumPy's assignment to a copy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Compound, Const, Ref, Scalar, Tuple
from pyxla.infer.arrays.access import dtype_of
from pyxla.infer.calls.dispatch import call
from pyxla.infer.calls.jax_functions import call_foreign
from pyxla.infer.engine import Engine
from pyxla.lib.registry import rule
from pyxla.runtime import jaxlink


class Indexer:
    """`x.at`."""

    array: Any

    def __getitem__(self, index: Any) -> Any: ...


class Place:
    """`x.at[index]`; its methods are JAX's."""

    array: Any
    index: Any


# Each update, and NumPy's counterpart.
UPDATES: dict[str, Any] = {
    "set": None,
    "apply": None,
    "get": None,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "mul": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}


@rule(jaxlink.ARRAY.at)
def _at(engine: Engine, x: Any) -> Any:
    return engine.new(ObjectCell(Indexer, {"array": x}))


@rule(Indexer.__getitem__)
def _place(engine: Engine, indexer: Any, index: Any) -> Any:
    array = engine.content(indexer).fields["array"]
    return engine.new(ObjectCell(Place, {"array": array, "index": index}))


def _method(name: str) -> None:
    def method(self: Place, *values: Any, **options: Any) -> Any: ...

    setattr(Place, name, method)

    @rule(method)
    def update(engine: Engine, place: Any, *values: Any, **options: Any) -> Any:
        fields = engine.content(place).fields
        return _updated(engine, name, [fields["array"], fields["index"], *values], options)


for name in UPDATES:
    _method(name)


def _updated(engine: Engine, name: str, args: list[Any], options: dict[str, Any]) -> Any:
    """`x.at[index].name(*values, **options)` for the arguments (x, index, *values)."""
    x, index, *values = args
    if name == "apply":
        found = _updated(engine, "get", [x, index], {})
        return _updated(engine, "set", [x, index, call(engine, values[0], [found], {})], options)
    if not _is_only_numpy(engine, index):
        return call_foreign(engine, _updater(name), args, options)
    if options:
        raise engine.refuse(
            f"{', '.join(options)} of .at[] with a mask, or slices that are known at run time only",
            "leave it out: nothing is out of bounds there",
        )
    if name in ("set", "get"):
        return call(engine, Const(_set if name == "set" else _get), args, {})
    return call(engine, Const(_update), [Const(UPDATES[name]), *args], {})


def _is_only_numpy(engine: Engine, index: Any) -> bool:
    """Whether an index is a mask or has slices known at run time only, which JAX refuses."""
    items = index.items if isinstance(index, Tuple) else (index,)
    slices = [x for x in items if isinstance(x, Compound) and x.kind == "slice"]
    masks = [x for x in items if isinstance(x, Ref) and dtype_of(engine, x).kind == "b"]
    return bool(masks) or any(isinstance(bound, Scalar) for x in slices for bound in x.items)


@functools.cache
def _updater(method: str) -> Callable[..., Any]:
    """`x.at[index].method(*values)` as a function."""

    def update(x: Any, index: Any, *values: Any, **options: Any) -> Any:
        return getattr(x.at[index], method)(*values, **options)

    update.__name__ = f"at_{method}"
    return update


def _set(array: Any, index: Any, values: Any) -> Any:
    copy = array.copy()
    copy[index] = values
    return copy


def _get(array: Any, index: Any) -> Any:
    return array[index].copy()


def _update(function: Any, array: Any, index: Any, values: Any) -> Any:
    copy = array.copy()
    copy[index] = function(copy[index], values)
    return copy


@rule(jaxlink.ARRAY.block_until_ready, jax.block_until_ready)
def _block_until_ready(engine: Engine, x: Any) -> Any:
    return x
