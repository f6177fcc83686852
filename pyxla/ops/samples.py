"""Sample operands on which the test suite walks every facet of every op.

A sample is (operands, attributes): operands are NumPy arrays, of rank 0, of size zero and of some
elements.  Values are small and fixed, so that neither overflow nor chance is involved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pyxla.ir.types import SHORT_NAMES

Sample = tuple[tuple[np.ndarray, ...], dict[str, Any]]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (0, 2))
# In order of declaration, so that runs are alike.
ORDER = tuple(SHORT_NAMES)
_COLUMNS = ((0.5, -0.75, 0.25), (0.25, 0.5, -0.5), (0.75, 0.75, 0.875))
_WHOLE = ((5, -3, 1), (2, 1, -2), (3, 4, 6))


def array(dtype: np.dtype, shape: tuple[int, ...], column: int = 0) -> np.ndarray:
    """A sample operand: numbers below 1 in magnitude, or small integers."""
    kind = dtype.kind
    if kind in "iu":
        values = np.array(_WHOLE[column])
        values = np.abs(values) if kind == "u" else values
    elif kind == "b":
        values = np.array(((True, False, True), (False, False, True), (True, True, False))[column])
    else:
        values = np.array(_COLUMNS[column])
        values = values + values[::-1] * 0.5j if kind == "c" else values
    return np.resize(values, shape).astype(dtype)


def elements(count: int, allowed: Iterable[np.dtype]) -> list[tuple[np.ndarray, ...]]:
    """Operand rows for an op on `count` arrays: every element type, shapes in turn."""
    allowed = set(allowed)
    dtypes = [dtype for dtype in ORDER if dtype in allowed]
    rows = [(dtype, SHAPES[at % len(SHAPES)]) for at, dtype in enumerate(dtypes)]
    rows += [(dtypes[-1], shape) for shape in SHAPES if (dtypes[-1], shape) not in rows]
    return [tuple([array(dtype, shape, c) for c in range(count)]) for dtype, shape in rows]


_CORNERS: dict[str, Any] = {
    "f8": (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 2.5, 1e300),
    "i4": (0, -1, 1, 31, 32, 70, -(2**31), 2**31 - 1),
    "u1": (0, 1, 7, 8, 200, 255),
}


def corners(count: int, allowed: Iterable[np.dtype]) -> list[tuple[np.ndarray, ...]]:
    """Operand rows with every combination of special numbers."""
    rows = []
    for dtype in sorted({np.dtype(name) for name in _CORNERS} & set(allowed), key=str):
        grid = np.meshgrid(*[np.array(_CORNERS[dtype.str[1:]], dtype)] * count)
        rows.append(tuple([column.ravel() for column in grid]))
    return rows


def sampled(
    count: int, allowed: Iterable[np.dtype], special: bool = True
) -> Callable[[], list[Sample]]:
    """The samples facet of an op on `count` operands of one type, without attributes."""

    def samples() -> list[Sample]:
        rows = elements(count, allowed) + (corners(count, allowed) if special else [])
        return [(row, {}) for row in rows]

    return samples


def arange(dtype: Any, *shape: int) -> np.ndarray:
    """0, 1, 2, ... in `shape`."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def orders() -> list[Sample]:
    """An order above 1 and a positive number."""
    n, x = np.array([2.0, 3, 4, 2]), np.array([0.5, 2, 7, 30])
    return [((n, x), {}), ((n.astype("f4"), x.astype("f4")), {}), ((n[:0], x[:0]), {})]


def select() -> list[Sample]:
    f64, flags = arange("f8", 2, 3), np.array([[True, False, True], [False, True, True]])
    return [
        ((flags, f64, -f64), {}),
        ((np.array(True), f64, -f64), {}),
        ((np.array(False), np.array(1), np.array(2)), {}),
        ((flags, flags, ~flags), {}),
        ((np.ones((0,), bool), np.ones(0, "c16"), np.zeros(0, "c16")), {}),
    ]


def convert() -> list[Sample]:
    rows = [((array(a, (3,)),), {"dtype": b}) for a in ORDER for b in ORDER]
    big = np.array([1e20, -1e20, np.nan, 300.7, -2.9])
    return [*rows, ((big,), {"dtype": np.dtype("i4")}), ((big[3:],), {"dtype": np.dtype("i8")})]


def bitcast() -> list[Sample]:
    pairs = (("f8", "i8"), ("f4", "u4"), ("f2", "i2"), ("i4", "f4"), ("u8", "f8"))
    rows = [((array(np.dtype(a), (2, 3)),), {"dtype": np.dtype(b)}) for a, b in pairs]
    widening = ((arange("u4", 3, 2),), {"dtype": np.dtype("u8")})
    narrowing = ((array(np.dtype("f8"), (3,)),), {"dtype": np.dtype("u1")})
    return [*rows, widening, narrowing]


def reduce_precision() -> list[Sample]:
    x = np.array([1.0, 1.2345678, -3.99999, 1e30, 1e-30, 65519.0, 65520.0])
    formats = ((5, 10), (8, 7), (8, 23))
    return [
        ((x.astype(dtype),), {"exponent_bits": exponent, "mantissa_bits": mantissa})
        for dtype in ("f8", "f4")
        for exponent, mantissa in formats
    ]
