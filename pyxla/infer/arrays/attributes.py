"""Attributes of arrays, and of numbers that are of one kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Compound, Const, Ref, Scalar, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import viewing
from pyxla.infer.arrays.mutating import set_shape
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.raising.refusals import missing
from pyxla.lib.interpreted import set_flat
from pyxla.lib.refused import ATTRIBUTES
from pyxla.lib.registry import lookup
from pyxla.views.bits import part
from pyxla.views.views import extend


def of_scalar(engine: Engine, x: Scalar, name: str) -> Any:
    """An attribute of a Python number."""
    descriptor = getattr(x.kind, name, None)
    if descriptor is None:
        raise missing(engine, x, x.kind.__name__, name, dir(x.kind))
    if name in ("real", "imag", "numerator", "denominator"):
        if name in ("real", "numerator") and x.kind is not complex:
            return engine.rules.binary(engine, "mul", x, Const(1))  # of a bool, the int
        if name == "denominator" or x.kind is not complex:
            return Const(1 if name == "denominator" else x.kind(0))
        half = call_object(engine, getattr(np, name), [x], {})
        return arrays.python_scalar(engine.operand(half), float)
    return Compound("method", (Const(descriptor), x))


# What 0-d arrays and NumPy scalars have alike.
SAME_IN_ARRAYS = frozenset(
    (*("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "item", "tolist", "sum", "prod"),)
    + (*("mean", "std", "var", "min", "max", "any", "all", "argmin", "argmax", "ptp"),)
)


def of_array(engine: Engine, x: Any, name: str) -> Any:
    """An attribute of an array, or of a NumPy scalar."""
    is_ref = isinstance(x, Ref)
    shape, extents = arrays.shown(engine, x) if is_ref else (x.shape, None)
    dtype = arrays.dtype_of(engine, x) if is_ref else x.dtype
    match name:
        case "shape":
            if extents is None:
                return Const(shape)
            sizes = zip(shape, extents, strict=True)
            return Tuple(tuple([Const(n) if e is None else e for n, e in sizes]))
        case "dtype":
            return Const(dtype)
        case "ndim":
            return Const(len(shape))
        case "size":
            return _size(engine, shape, extents)
        case "itemsize":
            return Const(dtype.itemsize)
        case "nbytes":
            return engine.rules.binary(
                engine, "mul", _size(engine, shape, extents), Const(dtype.itemsize)
            )
        case "strides" | "flags":
            return Const(viewing.of_layout(engine, x, name))
        case "real" | "imag":
            return part_of(engine, x, name, dtype)
        case "T" | "mT":
            function = np.transpose if name == "T" else np.matrix_transpose
            return call_object(engine, function, [x], {})
        case "flat":
            return viewing.flat(engine, x)
        case "device":
            return Const("cpu")
    if name in ATTRIBUTES:
        reason, remedy = ATTRIBUTES[name]
        raise engine.refuse(f"the attribute {name!r} is not compiled: {reason}", remedy)
    descriptor = getattr(np.ndarray, name, None)
    if descriptor is None or not callable(descriptor):
        found = None if is_ref else _of_number(x, dtype, name)
        return _of_jax_array(engine, x, name) if found is None else found
    return Compound("method", (Const(descriptor), x))


def _of_number(x: Any, dtype: np.dtype, name: str) -> Any:
    """What NumPy's real numbers have and its arrays have not; None where they have not either."""
    whole = dtype.kind in "iu"
    if name == "is_integer" and (whole or dtype.kind == "f"):
        return Compound("method", (Const(float.is_integer), arrays.python_scalar(x, float)))
    if name == "bit_count" and whole and dtype != np.uint64:
        return Compound("method", (Const(int.bit_count), arrays.python_scalar(x, int)))
    return {"numerator": x, "denominator": Const(1)}.get(name) if whole else None


def _of_jax_array(engine: Engine, x: Any, name: str) -> Any:
    """What JAX's arrays have and NumPy's have not."""
    descriptor = getattr(engine.jax.concrete, name, None)
    if (found := lookup(descriptor)) is None:
        raise missing(engine, x, arrays.kind_of(engine, x), name, dir(np.ndarray))
    if isinstance(descriptor, property):
        return found.function(engine, x)
    return Compound("method", (Const(descriptor), x))


def _size(engine: Engine, shape: tuple[int, ...], extents: Any) -> Any:
    size: Any = Const(1)
    for n, e in zip(shape, extents or (None,) * len(shape), strict=True):
        size = engine.rules.binary(engine, "mul", size, Const(n) if e is None else e)
    return size


def part_of(engine: Engine, x: Any, name: str, dtype: np.dtype) -> Any:
    """`x.real` or `x.imag`, a view where NumPy makes one."""
    if isinstance(x, Ref) and dtype.kind == "c":
        shape, extents = arrays.shown(engine, x)
        step = part(shape, extents, dtype, ("real", "imag").index(name))
        return Ref(x.cell, extend(x.view, step))
    if isinstance(x, Ref) and name == "real":
        return x
    return call_object(engine, getattr(np, name), [x], {})


def set_of_array(engine: Engine, x: Ref, name: str, value: Any) -> bool:
    """`x.name = value` of an array; False where it has no such attribute that is set."""
    match name:
        case "real" | "imag":
            half = part_of(engine, x, name, arrays.dtype_of(engine, x))
            arrays.setitem(engine, half, Const(Ellipsis), value)
        case "flat" if not (isinstance(value, Ref) and value.cell == x.cell):  # nor is `+=` one
            whole = [of_array(engine, x, "flat"), Const(slice(None)), value]
            engine.rules.call(engine, Const(set_flat), whole, {})
        case "shape":
            set_shape(engine, x, value)
        case _:
            return False
    return True
