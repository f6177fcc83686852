"""Functions that another compiler was given, Numba's first of all: compiled from their Python.

Numba's objects keep the function that they were made of, as `py_func` (`njit`, `jit`) or as
`__wrapped__` (`vectorize`, `guvectorize`).  Nothing of Numba is imported to see that.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

_NUMBA = "numba"


def attribute(value: Any, name: str) -> Any:
    """An attribute that compilers give what they make; None where the `__getattr__` of an object
    raises any other exception, as `dict.__getitem__` does."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def python_function(value: Any) -> types.FunctionType | None:
    """The Python function that a dispatcher runs, which is called as it is."""
    if isinstance(value, type | types.FunctionType | types.ModuleType):
        return None
    found = attribute(value, "py_func")
    return found if isinstance(found, types.FunctionType) else None


def element_function(value: Any) -> types.FunctionType | None:
    """The Python function that a universal function of Numba's calls for elements or parts."""
    if not _is_numbas(type(value)) or isinstance(value, type):
        return None
    found = getattr(value, "__wrapped__", None)
    return found if isinstance(found, types.FunctionType) and hasattr(value, "nin") else None


def stand_in(value: Any) -> Any:
    """What is called in the place of an object of Numba's; None where it is none that is known.

    As where Numba is told to compile nothing: `prange` is a range, a type such as `numba.int64`
    NumPy's scalar type, a typed list a list, a class that `jitclass` made the class it is of, and
    what `njit` decorates itself.
    """
    if (function := python_function(value)) is not None:
        return function
    if _is_numbas(type(value)) and isinstance(value, type):
        return value.__base__ if type(value).__name__ == "JitClassType" else None
    if _is_numbas(value):
        return _PLAIN.get(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    if type(value).__module__.startswith("numba.core.types"):
        return _SCALARS.get(str(getattr(value, "name", "")))
    return None


def is_dispatcher(value: Any) -> bool:
    """Whether compiled code may call `value` by one of these ways."""
    return stand_in(value) is not None or element_function(value) is not None


def unwrapped(value: Any) -> Any:
    """The Python function in an object of another compiler's; else `value`."""
    return python_function(value) or element_function(value) or value


def applied(ufunc: Any, *args: Any) -> Any:
    """Stands for the call of a universal function in compiled code (`infer.numba_ufuncs`)."""


def _is_numbas(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] == _NUMBA


def _undecorated(*args: Any, **options: Any) -> Any:
    """A decorator that compiles."""
    return args[0] if len(args) == 1 and callable(args[0]) else _itself


def _itself(function: Any) -> Any:
    return function


def _no_items(*types: Any, **named: Any) -> Any:
    return []


def _no_entries(*types: Any, **named: Any) -> Any:
    return {}


_PLAIN: dict[str, Any] = {
    "prange": range,
    "literal_unroll": tuple,
    "List": list,
    "List.empty_list": _no_items,
    "Dict": dict,
    "Dict.empty": _no_entries,
    "njit": _undecorated,
    "jit": _undecorated,
}
_SCALARS: dict[str, type] = {
    **{
        name: np.dtype(name).type
        for name in (
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
            *("float32", "float64", "complex64", "complex128"),
        )
    },
    "bool": np.bool_,
}
