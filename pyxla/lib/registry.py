"""Which library function stands for which Python callable.

A *library function* is Python executed while compiling: it takes operands and emits ops, so that it
needs no transfer, derivative or batching rule of its own.  It receives

    arrays, NumPy scalars   `Array` (value, dtype, shape, ndim, size; operators work)
    Python scalars          plain numbers where known, else `Scalar`
    containers              plain tuples, lists and dicts of these
    functions               callables that compile the function into the current place
    anything else           the object itself (dtypes, strings, None, Ellipsis, slices)

and returns the same kinds.  An `Array` of shape `()` it returns is a NumPy scalar, as for ufuncs
and reductions in NumPy, unless it is registered with `zero_d=True` (creation functions: a 0-d
array).
Needing the value of a Scalar (`int(n)`, `range(n)`, a shape) makes it static.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Implementation:
    """What inference does on a call of a registered callable.

    function: the library function.  zero_d: rank-0 results are arrays, not scalars.  bounded: takes
    arrays of bounded extent.  heap: called as function(engine, *args) with abstract values of the
    heap (`pyxla.infer.lattice`), as all of `RULES` are.
    """

    function: Callable[..., Any]
    zero_d: bool = False
    bounded: bool = False
    heap: bool = False


# The functions on values, and how they are called.
LIBRARY: dict[Any, Callable[..., Any]] = {}
REGISTRY: dict[Any, Implementation] = {}
# What inference has its own way with (views, mutation, containers): these come first.
RULES: dict[Any, Implementation] = {}
# Callables that are executed by CPython when every argument is constant.
FOLDABLE: set[Any] = set()


def implements(
    *targets: Any, zero_d: bool = False, bounded: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function for each of `targets` (`np.mean`, `np.ndarray.mean`, ...)."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            REGISTRY[target] = Implementation(function, zero_d, bounded)
            LIBRARY[target] = function
        return function

    return register


def lookup(target: Any) -> Implementation | None:
    """The implementation of a callable object, or None; unhashable objects have none."""
    try:
        return RULES.get(target) or REGISTRY.get(target)
    except TypeError:
        return None
