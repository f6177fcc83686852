"""NumPy functions that are rules: those that call the user's functions or iterate, and those
that only ask for types and shapes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.polynomial import polyutils

from pyxla.abstract.lattice import Array, Compound, Const, Scalar
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import orders
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.calls.library import apply
from pyxla.infer.containers.comparing import sequence_kind
from pyxla.infer.containers.iterators import iterator
from pyxla.infer.containers.structure import length, sequence
from pyxla.infer.engine import Engine
from pyxla.ir.op import OpError
from pyxla.lib import drivers
from pyxla.lib.masks import constant_of
from pyxla.lib.operands import as_array, cast
from pyxla.lib.registry import FOLDABLE, REGISTRY, rule
from pyxla.lib.sorting import known_numbers
from pyxla.lib.walks import unsupported

COMPLETE = Const(-1)


# --- Types and shapes ----------------------------------------------------------------------------


def _stand_in(engine: Engine, x: Any) -> Any:
    """An array of the type of `x`, without its elements; other objects as they are known."""
    found = engine.operand(x)
    if isinstance(found, Array):
        return np.broadcast_to(np.zeros((), found.dtype), found.shape)
    return engine.static(x, "this argument")


@rule(np.common_type)
def common_type(engine: Engine, *xs: Any) -> Any:
    dtypes = [as_array(engine.bounded_operand(x)).dtype for x in xs]
    return engine.fold_object(np.common_type, [np.empty(0, dtype) for dtype in dtypes])


@rule(np.min_scalar_type)
def min_scalar_type(engine: Engine, a: Any) -> Any:
    if arrays.is_array(engine, a) and arrays.shown(engine, a)[0]:
        return Const(arrays.dtype_of(engine, a))
    known = engine.static(a, "the number of np.min_scalar_type")
    return engine.fold_object(np.min_scalar_type, [known])


@rule(np.einsum_path)
def einsum_path(engine: Engine, *operands: Any, **kwargs: Any) -> Any:
    named = {name: engine.static(x, name) for name, x in kwargs.items()}
    return engine.fold_object(np.einsum_path, [_stand_in(engine, x) for x in operands], named)


def _as_int(engine: Engine, x: Any, desc: Any) -> Any:
    known = constant_of(engine.operand(x)) if arrays.is_array(engine, x) else None
    return Const(int(engine.static(x, str(engine.static(desc))) if known is None else known))


FOLDABLE.update((normalize_axis_index, normalize_axis_tuple))
if hasattr(polyutils, "_as_int"):
    rule(polyutils._as_int)(_as_int)


_MONOTONICITY = np.digitize._implementation.__globals__["_monotonicity"]  # type: ignore[attr-defined]


@rule(_MONOTONICITY)
def monotonicity(engine: Engine, bins: Any) -> Any:
    ndim = len(arrays.shown(engine, bins)[0])
    if ndim != 1:
        depth = "too deep" if ndim else "of too small depth"
        engine.raise_constant(ValueError(f"object {depth} for desired array"))
    known = known_numbers(engine.bounded_operand(bins))
    if known is not None:
        return engine.fold_object(_MONOTONICITY, [known])
    return call_object(engine, drivers.monotonicity, [bins], {})


@rule(np.block)
def block(engine: Engine, arrays: Any) -> Any:
    return _of_blocks(engine, arrays)


def _of_blocks(engine: Engine, given: Any) -> Any:
    """Lists are blocks, also those that are kept as arrays; arrays are not."""
    if _is_known(engine, given):
        made = apply(engine, "block", REGISTRY[np.block], [given], {})
        laid = orders.of_function(engine, np.block, [given], {}, made)
        return arrays.fresh(engine, made, strides=laid)
    return call_object(engine, drivers.block, [given], {})


def _is_known(engine: Engine, x: Any) -> bool:
    """Whether `x` is no list, or one of known items, all through."""
    items = arrays.items_of(engine, x)
    if sequence_kind(engine, x) is not list:
        return True
    return items is not None and all(_is_known(engine, item) for item in items)


@rule(np.linalg.matrix_power)
def matrix_power(engine: Engine, a: Any, n: Any) -> Any:
    """NumPy's own, which takes apart the exponent, unless that is known at run time only."""
    known = not isinstance(n, Scalar)
    function = np.linalg.matrix_power._implementation if known else drivers.matrix_power  # type: ignore[attr-defined]
    return call_object(engine, function, [a, n], {})


@rule(np.ndarray.to_device)
def to_device(engine: Engine, x: Any, device: Any, **kwargs: Any) -> Any:
    if engine.static(device, "the device") != "cpu":
        engine.raise_constant(ValueError(f"Unsupported device: {device.value}."))
    return x


@rule(np.ndarray.__array_wrap__)
def array_wrap(engine: Engine, x: Any, made: Any) -> Any:
    return made


# --- Iteration -----------------------------------------------------------------------------------


def _item(function: Any, shape: tuple[int, ...]) -> Const:
    return Const(functools.partial(function, shape))


@rule(np.ndindex)
def ndindex(engine: Engine, *shape: Any) -> Any:
    known = tuple([engine.static(n, "an extent of np.ndindex") for n in shape])
    if len(known) == 1 and isinstance(known[0], tuple):
        known = known[0]
    if any(n < 0 for n in known):
        engine.raise_constant(ValueError("negative dimensions are not allowed"))
    count = sequence(engine, Const(range(int(np.prod(known, dtype=int)))))
    return iterator(engine, Compound("map", (_item(drivers.indices, known), count)))


@rule(np.ndenumerate)
def ndenumerate(engine: Engine, arr: Any) -> Any:
    x = arr if arrays.is_array(engine, arr) else call_object(engine, np.asarray, [arr], {})
    shape, extents = arrays.shown(engine, x)
    if extents is not None:
        raise OpError("an array whose size is known at run time only is not enumerated")
    flat = call_object(engine, np.ndarray.reshape, [x, COMPLETE], {})
    count = sequence(engine, Const(range(int(np.prod(shape, dtype=int)))))
    return iterator(engine, Compound("map", (_item(drivers.numbered, shape), count, flat)))


@rule(unsupported)
def of_nditer(engine: Engine, what: Any) -> Any:
    """The refusal of what `lib.walks` has not."""
    reason = f"np.nditer is not compiled for {engine.static(what)}"
    raise engine.refuse(reason, "loop over x.flat or np.ndindex(x.shape)")


@rule(np.fromiter)
def fromiter(engine: Engine, iterable: Any, dtype: Any, count: Any = COMPLETE) -> Any:
    found = np.dtype(engine.static(dtype, "the dtype"))
    wanted = engine.static(count, "count")
    items = sequence(engine, iterable)
    if coroutines.is_generator(items):  # of an instance
        coroutines.set_read(engine, items, False)  # it is `list` that reads it
        items = call_object(engine, list, [items], {})
    if arrays.is_array(engine, items):
        if len(arrays.shown(engine, items)[0]) > 1:
            engine.raise_constant(ValueError("setting an array element with a sequence."))
        size = engine.static(length(engine, items), "the number of items")
        value = cast(as_array(engine.operand(items)).value, found)
    else:
        listed = [engine.operand(x) for x in engine.iterate(items)]
        size = len(listed)
        value = as_array(listed, found).value
    if wanted > size:
        engine.raise_constant(
            ValueError(f"iterator too short: Expected {wanted} but iterator had only {size} items.")
        )
    array = arrays.fresh(engine, Array(value))
    stop = Const(slice(wanted if wanted >= 0 else None))
    cut = engine.rules.call(engine, Const(np.ndarray.__getitem__), [array, stop], {})
    return cut if wanted >= 0 else array


# --- np.piecewise --------------------------------------------------------------------------------
