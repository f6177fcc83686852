"""Random calls of generated functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz import expressions as ex
from tests.fuzz.scope import Scope
from tests.fuzz.values import Expr, is_array


@ex.production(ex.ARRAYS, 5)
def array_call(scope: Scope, depth: int) -> Expr | None:
    """A call of a generated function that takes and gives an array."""
    return call(scope, depth, is_array)


def call(scope: Scope, depth: int, wanted: Callable[[Any], bool]) -> Expr | None:
    """A call of a generated function or closure; its parameters' kinds are on the function."""
    functions = [v for v in scope.namespace.values() if hasattr(v, "fuzz_parameters")]
    if not functions:
        return None
    function = scope.rng.choice(functions)
    if scope.loops and not function.fuzz_parameters[1]:
        return None
    arguments = []
    for predicate in function.fuzz_parameters[0]:
        found = argument(scope, predicate, "mutator" in function.__name__)
        if found is None:
            return None
        arguments.append(found)
    found = scope.make(f"{function.__name__}({', '.join(arguments)})", fresh=False)
    if found is None or not wanted(found.value):
        return None
    scope.feature("call")
    return found


def argument(scope: Scope, wanted: Any, mutated: bool) -> str | None:
    """An argument of a wanted kind: ("int",), ("float",), or an exact ex.array kind."""
    if wanted == ("int",):
        return f"{ex.integer(scope, 1).text} % 5"
    if wanted == ("float",):
        return ex.real(scope, 1).text
    _, dtype, shape = wanted
    pick = scope.pick_cell if mutated else scope.pick
    same = pick(lambda v: is_array(v) and v.dtype.name == dtype and v.shape == shape)
    return same and same.text
