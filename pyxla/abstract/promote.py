"""Promotion: which element types NumPy computes in (NEP 50).

Python's int, float and complex are *weak*: they take the type of the arrays they meet.  Nothing is
restated here: NumPy's own `result_type` and `resolve_dtypes` answer, and a table remembers.  A
`Kind`, the key of that table, is a dtype, or the Python type of a weak operand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.op import OpError
from pyxla.ir.types import CLASSES as CLASSES
from pyxla.ir.types import PYTHON_DTYPES, SHORT_NAMES

Kind = np.dtype | type

BOOL = np.dtype(np.bool_)
INT32 = np.dtype(np.int32)
INT = np.dtype(np.int64)
FLOAT = np.dtype(np.float64)
_EXAMPLES: dict[type, Any] = {int: 0, float: 0.0, complex: 0j}
# NEP 50: a Python bool is as strong as np.bool_.
_WEAK: dict[np.dtype, Kind] = {dtype: kind for kind, dtype in PYTHON_DTYPES.items()}
_WEAK[BOOL] = BOOL

_results: dict[tuple[Kind, ...], np.dtype] = {}
_loops: dict[tuple[Any, ...], tuple[np.dtype, ...]] = {}


def kind(x: Any) -> Kind:
    """How `x` takes part in promotion: its dtype, or int, float or complex where it is weak."""
    cls = type(x)
    if cls is Array:
        return x.value.type.dtype
    if cls is Scalar:
        return _WEAK[x.value.type.dtype]
    if cls in _EXAMPLES:
        return cls
    if cls is bool:
        return BOOL
    if isinstance(x, np.dtype):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype
    for python in (bool, int, float, complex):
        if isinstance(x, python):
            return _WEAK[PYTHON_DTYPES[python]]
    raise OpError(f"{cls.__name__} is not a number or an array")


def result_type(*operands: Any) -> np.dtype:
    """The dtype NumPy gives to a mixture of operands (arrays, Python numbers, dtypes)."""
    kinds = tuple([kind(x) for x in operands])
    found = _results.get(kinds)
    if found is None:
        found = _results[kinds] = supported(
            np.result_type(*[_EXAMPLES.get(k, k) if isinstance(k, type) else k for k in kinds])
        )
    return found


def loop_types(
    ufunc: np.ufunc, kinds: tuple[Kind, ...], dtype: Any = None, casting: str = "same_kind"
) -> tuple[np.dtype, ...]:
    """The dtypes of the loop NumPy runs for `ufunc` on such operands: inputs, then outputs."""
    key = (ufunc, dtype, casting, *kinds)
    found = _loops.get(key)
    if found is None:
        found = _loops[key] = _resolve(ufunc, kinds, dtype, casting)
    return found


def _resolve(
    ufunc: np.ufunc, kinds: tuple[Kind, ...], dtype: Any, casting: str
) -> tuple[np.dtype, ...]:
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (None,) * ufunc.nin + (as_dtype(dtype),) * ufunc.nout
    try:
        resolved = ufunc.resolve_dtypes(kinds + (None,) * ufunc.nout, **options)
    except (TypeError, ValueError) as error:
        names = ", ".join(k.__name__ if isinstance(k, type) else str(k) for k in kinds)
        raise OpError(f"np.{ufunc.__name__} does not take ({names}): {error}") from None
    if object in resolved and int in kinds:  # comparisons of Python ints, which have no bounds
        return _resolve(ufunc, tuple([INT if k is int else k for k in kinds]), dtype, casting)
    return tuple([supported(d) for d in resolved])


def supported(dtype: np.dtype) -> np.dtype:
    """`dtype`; OpError where programs have no such element type, as one in another byte order."""
    if dtype in SHORT_NAMES:
        return dtype
    raise OpError(f"compiled programs have no element type for {dtype}")


def as_dtype(spec: Any) -> np.dtype:
    """What `spec` names as NumPy's `dtype=` does: a dtype, NumPy or Python type, or a string."""
    try:
        dtype = np.dtype(spec)
    except TypeError:
        raise OpError(f"{spec!r} is not a dtype") from None
    return supported(dtype)
