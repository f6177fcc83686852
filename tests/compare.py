"""Whether two results agree in everything a caller can see, up to floating-point rounding.

`difference(actual, expected)` returns the first disagreement as text, or "" where there is none.
Kinds are compared exactly: Python scalar, NumPy scalar, array, container and object types, dtypes,
shapes. Only floating-point values have a tolerance, by their precision.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

TOLERANCE = {2: 1e-2, 4: 2e-5, 8: 1e-9}


def real_bytes(dtype: np.dtype) -> int:
    """Bytes of one real component."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def inexact(dtype: np.dtype) -> bool:
    """Floating, complex, or an extension float such as bfloat16 (kind V)."""
    return dtype.kind in "fcV"


def compare_arrays(a: np.ndarray, e: np.ndarray, rtol: float | None, path: str) -> str:
    if a.dtype != e.dtype:
        return f"{path}: dtype {a.dtype}, expected {e.dtype}"
    if a.shape != e.shape:
        return f"{path}: shape {a.shape}, expected {e.shape}"
    if e.dtype.names:
        parts = [compare_arrays(a[n], e[n], rtol, f"{path}[{n!r}]") for n in e.dtype.names]
        return next(filter(None, parts), "")
    if not inexact(e.dtype):
        same = np.array_equal(a, e)
    else:
        tolerance = rtol or TOLERANCE.get(real_bytes(e.dtype), 1e-2)
        finite = np.abs(e[np.isfinite(e)].astype(np.complex128))
        scale = float(finite.max()) if finite.size else 0.0
        wide = np.complex128 if e.dtype.kind == "c" else np.float64
        with np.errstate(all="ignore"):
            same = np.allclose(
                a.astype(wide), e.astype(wide), tolerance, tolerance * min(scale, 1.0), True
            )
        same = same and zeros_agree(a.astype(wide), e.astype(wide))
    return "" if same else f"{path}: {np.asarray(a)!r}, expected {np.asarray(e)!r}"


def zeros_agree(a: np.ndarray, e: np.ndarray) -> bool:
    """Whether zeros that both have are of one sign."""
    if a.dtype.kind == "c":
        return zeros_agree(a.real, e.real) and zeros_agree(a.imag, e.imag)
    return not np.any((a == 0) & (e == 0) & (np.signbit(a) != np.signbit(e)))


def compare_items(a: Any, e: Any, rtol: float | None, path: str) -> str:
    if len(a) != len(e):
        return f"{path}: length {len(a)}, expected {len(e)}"
    for i, (x, y) in enumerate(zip(a, e, strict=True)):
        if found := difference(x, y, rtol, f"{path}[{i}]"):
            return found
    return ""


def compare_dicts(a: dict, e: dict, rtol: float | None, path: str) -> str:
    if list(a) != list(e):
        return f"{path}: keys {list(a)}, expected {list(e)}"
    for key, expected in e.items():
        if found := difference(a[key], expected, rtol, f"{path}[{key!r}]"):
            return found
    return ""


def compare_exceptions(a: BaseException, e: BaseException, rtol: float | None, path: str) -> str:
    """Same type and arguments; messages that show a float may differ in its last digits."""
    if all(isinstance(x, str) for x in (*a.args, *e.args)):
        return "" if a.args == e.args else f"{path}: {a.args}, expected {e.args}"
    return compare_items(a.args, e.args, rtol, f"{path}.args")


def same_type(a: Any, e: Any) -> bool:
    """The same type, or the same dataclass of two loads of one module."""
    if type(a) is type(e):
        return True
    return dataclasses.is_dataclass(e) and type(a).__qualname__ == type(e).__qualname__


def fields_of(x: Any) -> dict[str, Any] | None:
    """The fields of an instance of a class of Python's, as copying has them; None of others."""
    slots = any("__slots__" in vars(base) for base in type(x).__mro__)
    if callable(x) or not (hasattr(x, "__dict__") or slots) or type(x).__module__ == "builtins":
        return None
    own, slotted = vars(x) if hasattr(x, "__dict__") else {}, {}
    if slots:
        names = [name for base in type(x).__mro__ for name in vars(base).get("__slots__", ())]
        slotted = {name: getattr(x, name) for name in names if hasattr(x, name)}
    return {**own, **slotted}


def difference(a: Any, e: Any, rtol: float | None = None, path: str = "result") -> str:
    """The first disagreement between the actual and the expected value, or ""."""
    if not same_type(a, e):
        return f"{path}: {type(a).__name__} {a!r}, expected {type(e).__name__} {e!r}"
    if isinstance(e, np.ndarray):
        return compare_arrays(a, e, rtol, path)
    if isinstance(e, (np.generic, float, complex)):
        return compare_arrays(np.asarray(a), np.asarray(e), rtol, path)
    if isinstance(e, (tuple, list)):
        return compare_items(a, e, rtol, path)
    if isinstance(e, dict):
        return compare_dicts(a, e, rtol, path)
    if isinstance(e, BaseException):
        return compare_exceptions(a, e, rtol, path)
    if isinstance(e, np.random.Generator):
        states = a.bit_generator.state, e.bit_generator.state
        return "" if states[0] == states[1] else f"{path}: the states of the generators differ"
    if (fields := fields_of(e)) is not None:
        return compare_dicts(fields_of(a), fields, rtol, path)
    if callable(e):
        return ""
    return "" if a == e else f"{path}: {a!r}, expected {e!r}"
