"""What the transfer functions of ops share: element-type classes and refusals.

An op is strict, as in StableHLO: operands agree in element type and shape, nothing is broadcast or
promoted.  Weak types (Python scalars) are taken as their strong twins; a result is weak only where
every array operand is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from pyxla.ir.op import OpError
from pyxla.ir.types import DTYPE_NAMES, PYTHON_DTYPES, SHORT_NAMES, ArrayType, array_type

BOOLS = frozenset({np.dtype(np.bool_)})


def _named(letter: str) -> frozenset[np.dtype]:
    """The element types of names that begin so: `i8`, `i16`, ..."""
    return frozenset([dtype for name, dtype in DTYPE_NAMES.items() if name.startswith(letter)])


SIGNED = _named("i")
UNSIGNED = _named("u")
INTS = SIGNED | UNSIGNED
FLOATS = _named("f") | _named("bf")
COMPLEXES = _named("c")
INEXACT = FLOATS | COMPLEXES
NUMERIC = INTS | INEXACT
ANY = NUMERIC | BOOLS

PARTS: dict[np.dtype, np.dtype] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}
WHOLES: dict[np.dtype, np.dtype] = {part: whole for whole, part in PARTS.items()}
_WEAK_DTYPES = frozenset(PYTHON_DTYPES.values())


def refuse(op: str, message: str) -> NoReturn:
    """Raise OpError: `op` does not accept its operands or attributes."""
    raise OpError(f"{op}: {message}")


def names(dtypes: Iterable[np.dtype]) -> str:
    return ", ".join(name for dtype, name in SHORT_NAMES.items() if dtype in set(dtypes))


def listed(types: Iterable[ArrayType]) -> str:
    return ", ".join(map(str, types))


def require(condition: bool, op: str, message: str) -> None:
    if not condition:
        refuse(op, message)


def check_dtype(op: str, x: ArrayType, allowed: frozenset[np.dtype]) -> None:
    if x.dtype not in allowed:
        refuse(op, f"operand of type {x}: the element type must be one of {names(allowed)}")


def same(x: ArrayType, y: ArrayType) -> bool:
    """Equal but for weakness."""
    return x is y or (x.dtype == y.dtype and x.shape == y.shape)


def check_same(op: str, *types: ArrayType) -> None:
    first = types[0]
    for other in types:
        if not same(first, other):
            refuse(op, f"operands must agree in element type and shape, got {listed(types)}")


def check_axes(op: str, what: str, axes: tuple[int, ...], ndim: int) -> None:
    """Refuse axes out of range or repeated."""
    if any(not 0 <= axis < ndim for axis in axes):
        refuse(op, f"{what} {axes} out of range for {ndim} dimension(s)")
    if len(set(axes)) != len(axes):
        refuse(op, f"{what} {axes} repeat a dimension")


def check_axis(op: str, what: str, axis: int, ndim: int) -> None:
    if not 0 <= axis < ndim:
        refuse(op, f"{what} {axis} out of range for {ndim} dimension(s)")


def check_length(op: str, what: str, values: tuple[int, ...], length: int) -> None:
    if len(values) != length:
        refuse(op, f"{what} {values} must have {length} entries")


def check_scalar_index(op: str, x: ArrayType) -> None:
    """Refuse what is not an integer of rank 0."""
    if x.shape or x.dtype not in INTS:
        refuse(op, f"a start index must be an integer scalar, got {x}")


def like(
    x: ArrayType, dtype: np.dtype | None = None, shape: tuple[int, ...] | None = None
) -> ArrayType:
    """`x` with another dtype or shape; stays weak where a Python scalar can have that type."""
    dtype = x.dtype if dtype is None else dtype
    shape = x.shape if shape is None else shape
    return array_type(dtype, shape, x.weak and not shape and dtype in _WEAK_DTYPES)


def as_dtype(op: str, dtype: Any) -> np.dtype:
    """The element type `dtype` names; OpError where XLA has none."""
    if isinstance(dtype, str) and dtype in DTYPE_NAMES:
        return DTYPE_NAMES[dtype]
    try:
        found = np.dtype(dtype)
    except TypeError:
        refuse(op, f"{dtype!r} is not an element type")
    if found not in SHORT_NAMES:
        refuse(op, f"{found} is not an element type of XLA")
    return found
