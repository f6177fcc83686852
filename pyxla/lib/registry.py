"""Which library function stands for which Python callable.

A *library function* is Python executed while compiling: it takes operands and emits ops, so that it
needs no transfer, derivative or batching rule of its own.  It receives

    arrays, NumPy scalars   `Array` (value, dtype, shape, ndim, size; operators work)
    Python scalars          plain numbers where known, else `Scalar`
    containers              plain tuples, lists and dicts of these
    functions               callables that compile the function into the current place
    anything else           the object itself (dtypes, strings, None, Ellipsis, slices)

and returns the same kinds.  What an `Array` of shape `()` that it returns stands for is `rank0`:

    "scalar"    a NumPy scalar, as for ufuncs and reductions
    "array"     a 0-d array, as for functions that make arrays
    "method"    a 0-d array, but a NumPy scalar where the first argument is one: what scalars have
                as a method returns scalars

Needing the value of a Scalar (`int(n)`, `range(n)`, a shape) makes it static.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container
from inspect import Parameter
from typing import Any, Literal

import numpy as np

from pyxla.frozen import dataclass

Rank0 = Literal["scalar", "array", "method"]


class LeftToPython(Exception):  # noqa: N818 - control flow, not an error
    """What a library function raises of a call that the Python of the function itself, or that of
    another one, does as well, which is visited then; ignored: arguments that this does not have."""

    def __init__(self, python: Any = None, ignored: Container[str] = ()) -> None:
        self.python, self.ignored = python, ignored


@dataclass(frozen=True, slots=True)
class Implementation:
    """What inference does on a call of a registered callable.

    function: the library function.  out: the position of its parameter of that name.  rank0: what
    results without dimensions are.  bounded: takes arrays of bounded extent.  same: an array that
    is returned as it was given is that very object.  heap: called as function(engine, *args) with
    abstract values of the heap (`abstract.lattice`), as all of `RULES` are.
    """

    function: Callable[..., Any]
    rank0: Rank0 = "scalar"
    bounded: bool = False
    same: bool = False
    heap: bool = False

    @property
    def out(self) -> int | None:
        return _place_of_out(self.function)


@functools.cache
def _place_of_out(function: Callable[..., Any]) -> int | None:
    parameters = inspect.signature(function).parameters
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    positional = [name for name, p in parameters.items() if p.kind in by_place]
    return positional.index("out") if "out" in positional else None


# The functions on values, and how they are called.
LIBRARY: dict[Any, Callable[..., Any]] = {}
REGISTRY: dict[Any, Implementation] = {}
# What inference has its own way with (views, mutation, containers): these come first.
RULES: dict[Any, Implementation] = {}
# Callables that are executed by CPython when every argument is constant.
FOLDABLE: set[Any] = set()


def implements(
    *targets: Any, rank0: Rank0 = "scalar", bounded: bool = False, same: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function for each of `targets` (`np.mean`, `np.ndarray.mean`, ...)."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            REGISTRY[target] = Implementation(function, rank0, bounded, same)
            LIBRARY[target] = function
        return function

    return register


def rule(*targets: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of (engine, *abstract arguments) for `targets`: a rule of inference."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            RULES[target] = Implementation(function, heap=True)
        return function

    return register


def is_numpys(value: Any) -> bool:
    """Whether a function, or a method of a ufunc, is one of NumPy's."""
    if isinstance(value, np.ufunc) or isinstance(getattr(value, "__self__", None), np.ufunc):
        return True
    return str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"


def lookup(target: Any) -> Implementation | None:
    """The implementation of a callable object, or None; unhashable objects have none."""
    try:
        return RULES.get(target) or REGISTRY.get(target)
    except TypeError:
        return None
