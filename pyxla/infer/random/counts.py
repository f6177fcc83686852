"""How many numbers are drawn: sizes and shapes that are known, and those that data decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, Scalar, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.lib.operands import as_shape


def shape_of(engine: Engine, size: Any) -> tuple[int, ...] | None:
    """A size as a shape; None for a single number."""
    known = engine.operand(size)
    return None if known is None else as_shape(known)


def of_any_size(engine: Engine, size: Any, dtype: np.dtype) -> Any:
    """An array for numbers of which data decides how many there are; None where it does not."""
    if not is_of_any_size(size):
        return None
    return call_object(engine, np.empty, [size, Const(dtype)], {})


def is_of_any_size(size: Any) -> bool:
    """Whether a size, or a number of a shape, is computed where the program runs."""
    sizes = size.items if isinstance(size, Tuple) else (size,)
    return any(isinstance(x, Scalar | Array) and not getattr(x, "shape", ()) for x in sizes)


def shape_of_out(
    engine: Engine, out: Any, shape: tuple[int, ...] | None, dtype: np.dtype
) -> tuple[int, ...]:
    if not arrays.is_array(engine, out) or arrays.dtype_of(engine, out) != dtype:
        engine.raise_constant(
            TypeError(f"Supplied output array has the wrong type. Expected {dtype.name}")
        )
    found = arrays.shown(engine, out)[0]
    if shape is not None and shape != found:
        engine.raise_constant(ValueError("size must match out.shape when used together"))
    return found


def check_size(engine: Engine, own: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Raise NumPy's ValueError where parameters of shape `own` do not broadcast to `shape`."""
    try:
        fits = np.broadcast_shapes(shape, own) == shape
    except ValueError as error:
        engine.raise_constant(error)
    if not fits:
        engine.raise_constant(
            ValueError(
                f"Output size {shape} is not compatible with broadcast dimensions of inputs {own}."
            )
        )
