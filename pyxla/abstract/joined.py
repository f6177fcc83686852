"""The one type that holds values where paths meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Const, is_beyond, number_type
from pyxla.errors import CompileError, Location
from pyxla.ir.types import PYTHON_DTYPES, ArrayType, array_type

_KIND_RANK = {"b": 0, "i": 1, "f": 2, "c": 3}


def joined_number_type(values: list[Any], several: bool = False) -> ArrayType | None:
    """The type that holds all of `values` unchanged, or None.

    Python scalars widen (bool, int, float, complex).  NumPy scalars must agree; a Python scalar
    joins them where its value is kept exactly.  `several`: one that holds each is looked for where
    they do not, since it is known which of the kinds a number is (`infer.joins.kinds`); also where
    one of them is of several already.
    """
    if any(map(is_beyond, values)):
        return None
    types = [number_type(x) for x in values]
    several = several or any(getattr(x, "kinds", None) is not None for x in values)
    strong = {t.dtype for t in types if not t.weak}
    if not strong:
        return max(types, key=lambda t: _KIND_RANK[t.dtype.kind])
    if len(strong) > 1:
        return _wide(types) if several else None
    (dtype,) = strong
    for x, t in zip(values, types, strict=True):
        if t.weak and t.dtype != dtype and not _keeps(x, t, dtype):
            return _wide(types) if several else None
        if t.weak and t.dtype.kind in "fc" and dtype.kind in "biu":
            return _wide(types)  # of ints, -0.0 is 0, and what is too large wraps around
    return array_type(dtype)


def _wide(types: list[ArrayType]) -> ArrayType | None:
    """The type that holds numbers of each of `types`: a Python scalar's, where there is one."""
    dtypes = {t.dtype for t in types}
    if any(d.kind not in "biufc" for d in dtypes) or np.dtype(np.uint64) in dtypes:
        return None
    dtype = np.result_type(*dtypes)
    weak = dtype in PYTHON_DTYPES.values() and any(t.weak for t in types)
    return array_type(dtype, (), weak)


def _keeps(x: Any, t: ArrayType, dtype: np.dtype) -> bool:
    """Whether the Python scalar `x` has the same value as `dtype`."""
    if isinstance(x, Const):
        with np.errstate(all="ignore"):
            try:
                kept = np.asarray(x.value, dtype).item()  # NumPy compares in `dtype`
                return bool(kept == x.value or x.value != x.value)
            except (OverflowError, TypeError, ValueError):
                return False
    wide = dtype in (np.dtype(np.float64), np.dtype(np.complex128))
    return wide and _KIND_RANK[t.dtype.kind] < _KIND_RANK[dtype.kind]


def all_equal(values: list[Any]) -> bool:
    """Whether constants are the same; zeros of either sign are not."""
    first = values[0]
    for value in values:
        if value is first:
            continue
        if type(value) is not type(first):
            return False
        if isinstance(value, np.ndarray):
            return False
        try:
            if not bool(value == first) or str(value) != str(first):
                return False
        except Exception:  # noqa: BLE001 - objects may compare as they like
            return False
    return True


def joined_array_type(arrays: list[Array], room: int | None = None) -> ArrayType | None:
    """The type that holds arrays of one dtype: of bounded extents the largest bound; or None.

    `room`: extents that are known may differ as well; if not 0, there is room for so many elements
    more along a dimension in which an array is larger than the first.
    """
    first = arrays[0].type
    if all(a.type == first for a in arrays):
        return first
    if not all(a.type.dtype == first.dtype and a.ndim == first.ndim for a in arrays):
        return None
    shape = []
    for d in range(first.ndim):
        sizes = {a.shape[d] for a in arrays}
        bounded = any(a.extents and a.extents[d] is not None for a in arrays)
        if len(sizes) > 1 and not bounded and room is None:
            return None
        grows = room and max(sizes) > first.shape[d]
        shape.append(first.shape[d] + room if grows else max(sizes))
    return array_type(first.dtype, tuple(shape))


def fitting(x: Any, type: ArrayType, loc: Location | None) -> np.ndarray:
    """A number as data of `type`."""
    try:
        return np.asarray(x, type.dtype)
    except OverflowError:
        raise CompileError(
            f"an int of {x.bit_length()} bits is joined with ints of 64, which compiled ints have",
            loc,
            hint="make it a float before",
        ) from None
