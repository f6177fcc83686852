"""Compiled functions in other processes: pickled by name, or by value as cloudpickle has functions.

The name of a decorated function leads to what is compiled of it, so pickle finds no name for the
function itself.  Its *twin*, the same function under the name `f.__pyxla_twin__`, has one: pickle
writes that name, and cloudpickle (which joblib and dask use) what a function of `__main__` is made
of.  Both come back to `revived`.
"""

from __future__ import annotations

import linecache
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

TWIN = "__pyxla_twin__"
# The compiled functions that twins are of.
_OWNERS: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()


def reduced(compiled: Any, function: Any, made: Callable[[Any, Any], Any], options: Any) -> Any:
    """What `__reduce__` gives for what `made(function, options)` is."""
    name, module = getattr(compiled, "__qualname__", ""), getattr(compiled, "__module__", "")
    if module != "__main__" and _named(module, name) is compiled:
        return name
    plain = isinstance(function, types.FunctionType)
    if not plain or _named(function.__module__, function.__qualname__) is function:
        return made, (function, options)
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    return revived, (getattr(compiled, TWIN), made, options, lines)


def _named(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def twin(compiled: Any, function: types.FunctionType) -> types.FunctionType:
    """A function like `function`, with a name that leads to it by way of `compiled`."""
    f = function
    made = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__, made.__doc__, made.__module__ = f.__kwdefaults__, f.__doc__, f.__module__
    made.__annotations__ = f.__annotations__
    made.__qualname__ = f"{compiled.__qualname__}.{TWIN}"
    _OWNERS[made] = weakref.ref(compiled)
    return made


def revived(
    function: types.FunctionType,
    made: Callable[[Any, Any], Any],
    options: Any,
    lines: list[str],
) -> Any:
    """The compiled function that a twin is of; a new one where there is none in this process."""
    owner = _OWNERS.get(function)
    if owner is not None and (found := owner()) is not None:
        return found
    function.__qualname__ = function.__qualname__.removesuffix(f".{TWIN}")
    filename = function.__code__.co_filename
    if lines and not linecache.getlines(filename):  # a cell of a notebook elsewhere
        linecache.cache[filename] = sum(map(len, lines)), None, lines, filename
    return made(function, options)
