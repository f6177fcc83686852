"""Sizes known at run time only: where they meet, they fit, or the program raises as NumPy does."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

import pyxla.lib.everything  # noqa: F401 - the functions that are asked about
from pyxla.infer.facts import extent
from pyxla.infer.facts.integers import Int, times, value_of
from pyxla.infer.lattice import Array, Scalar
from pyxla.infer.raising.faults import exception
from pyxla.lib import kernels as k
from pyxla.lib.operands import is_short_int, normalize_axes
from pyxla.lib.registry import LIBRARY
from pyxla.lib.sequences import NO_MAXIMUM, NO_MINIMUM
from pyxla.ops import elementwise as op

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine

LARGEST = 2**63 - 1
_ZERO = "zero-size array to reduction operation {} which has no identity"
_EMPTY = "attempt to get {} of an empty sequence"
_JOINING = [LIBRARY[f] for f in (np.concatenate, np.vstack, np.hstack, np.dstack)]
# What reductions of nothing raise.
REDUCTIONS = {
    LIBRARY[np.max]: ValueError(_ZERO.format("maximum")),
    LIBRARY[np.min]: ValueError(_ZERO.format("minimum")),
    LIBRARY[np.argmax]: ValueError(_EMPTY.format("argmax")),
    LIBRARY[np.argmin]: ValueError(_EMPTY.format("argmin")),
    LIBRARY[max]: ValueError(NO_MAXIMUM),
    LIBRARY[min]: ValueError(NO_MINIMUM),
    LIBRARY[np.stack]: ValueError("need at least one array to stack"),
    **dict.fromkeys(_JOINING, ValueError("need at least one array to concatenate")),
}


def verify_reduction(engine: Engine, function: Any, operands: Any, named: dict[str, Any]) -> None:
    """The dimensions that are reduced are not empty, or there is another value; lists of arrays to
    join are not, along their first dimension."""
    if not operands or not isinstance(operands[0], Array) or {"initial", "default"} & named.keys():
        return
    x = operands[0]
    axis = named.get("axis", operands[1] if len(operands) > 1 else None)
    axis = 0 if function in (*_JOINING, LIBRARY[np.stack]) else axis
    for d in normalize_axes(axis, x.ndim) if x.extents else ():
        size = x.extents[d]
        if size is not None and (extent.lower(size) or 0) <= 0:
            positive = k.gt(value_of(size), value_of(0))
            engine.ensure(Scalar(positive), REDUCTIONS[function])


def verify_fits(engine: Engine, x: Any, dtype: np.dtype) -> None:
    """A Python int that becomes a number of `dtype` is one (NEP 50)."""
    if not is_short_int(dtype) or not isinstance(x, Scalar) or x.kind is not int or x.kinds:
        return
    bounds = np.iinfo(dtype)
    low, high = extent.lower(x), extent.upper(x)
    tests = []
    if low is None or low < bounds.min:
        tests.append(k.ge(x.value, k.like(x.value, int(bounds.min))))
    if (high is None or high > bounds.max) and bounds.max <= LARGEST:
        tests.append(k.le(x.value, k.like(x.value, int(bounds.max))))
    if tests:
        error = exception(OverflowError, "Python integer ", x, f" out of bounds for {dtype}")
        engine.ensure(Scalar(functools.reduce(op.and_, tests)), error)


def verify_sizes(engine: Engine, operands: Any) -> None:
    """Sizes known at run time that meet each other are equal, or one of them is 1."""
    given = [x for x in operands if isinstance(x, Array) and x.ndim]
    if all(x.extents is None for x in given):
        return
    shapes = [_true_shape(x) for x in given]
    for other in shapes[1:]:
        _verify_broadcast(engine, shapes[0], other)


def _verify_broadcast(engine: Engine, first: list[Any], other: list[Any]) -> None:
    parts = ["operands could not be broadcast together with shapes "]
    for shape in (first, other):
        parts += ["(", *_listed(shape), ") "]
    for n, m in zip(reversed(first), reversed(other), strict=False):
        if extent.difference(n, m) == 0 or 1 in (n, m):
            continue
        same = k.eq(value_of(n), value_of(m))
        for size in (n, m):
            same = op.or_(same, k.eq(value_of(size), value_of(1)))
        engine.ensure(Scalar(same), exception(ValueError, *parts))


def verify_reshaped(engine: Engine, x: Any, y: Any) -> None:
    """An array of run-time size has as many elements as the known shape that it is given."""
    if y.extents is not None:
        return
    size: Int = 1
    for n in _true_shape(x):
        size = times(size, n)
    if extent.difference(size, math.prod(y.shape)) != 0:
        shape = "".join(map(str, ("(", *_listed(list(y.shape)), ")")))
        error = exception(ValueError, "cannot reshape array of size ", size, f" into shape {shape}")
        engine.ensure(Scalar(k.eq(value_of(size), value_of(math.prod(y.shape)))), error)


def verify_product(engine: Engine, x: Any, y: Any) -> None:
    """Sizes known at run time that `matmul` multiplies along are equal; stacks fit each other."""
    if not (isinstance(x, Array) and isinstance(y, Array)) or not (x.extents or y.extents):
        return
    left, right = _true_shape(x), _true_shape(y)
    n, m = left[-1], right[-min(len(right), 2)]
    if extent.difference(n, m) != 0:
        words = "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
        words += "signature (n?,k),(k,m?)->(n?,m?) (size "
        error = exception(ValueError, words, m, " is different from ", n, ")")
        engine.ensure(Scalar(k.eq(value_of(n), value_of(m))), error)
    _verify_broadcast(engine, left[:-2], right[:-2])


def verify_joined(engine: Engine, function: Any, arrays: Any) -> None:
    """Arrays of which one is made have one shape; of sizes known at run time, the program sees."""
    if function is LIBRARY[np.stack]:
        message = "all input arrays must have the same shape"
    elif function in (LIBRARY[np.array], LIBRARY[np.asarray]):
        message = _INHOMOGENEOUS.format(n=len(arrays) if isinstance(arrays, (list, tuple)) else 0)
    else:
        return
    if not isinstance(arrays, (list, tuple)) or not all(isinstance(x, Array) for x in arrays):
        return
    shapes = [_true_shape(x) for x in arrays]
    for other in shapes[1:]:
        for n, m in zip(shapes[0], other, strict=False):
            if extent.difference(n, m) != 0:
                same = k.eq(value_of(n), value_of(m))
                engine.ensure(Scalar(same), ValueError(message))


_INHOMOGENEOUS = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape "
    "after 1 dimensions. The detected shape was ({n},) + inhomogeneous part."
)


def _true_shape(x: Any) -> list[Any]:
    return [
        n if e is None else e for n, e in zip(x.shape, x.extents or (None,) * x.ndim, strict=True)
    ]


def _listed(shape: list[Any]) -> list[Any]:
    """The parts of a shape as NumPy prints it."""
    if len(shape) == 1:
        return [shape[0], ","]
    return [part for n in shape for part in (n, ",")][:-1]
