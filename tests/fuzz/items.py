"""Random items, slices and elements of containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz import expressions as ex
from tests.fuzz.scope import Scope
from tests.fuzz.values import Expr


def index(scope: Scope, extent: int, depth: int = 1) -> str | None:
    """An index into an axis of this extent, in range by construction."""
    if extent == 0:
        return None
    counters = [name for name, bound in scope.bounds.items() if bound <= extent]
    roll = scope.rng.random()
    if counters and roll < 0.55:
        return scope.rng.choice(counters)
    if roll < 0.75:
        return str(scope.rng.randint(-extent, extent - 1))
    return f"{ex.integer(scope, min(depth, 1)).text} % {extent}"


@ex.production(ex.SCALARS, 40)
def array_item(scope: Scope, depth: int) -> Expr | None:
    x = scope.pick(ex.nonempty)
    if x is None:
        return None
    indices = [index(scope, n, depth) for n in x.value.shape]
    return scope.make(f"{x.text}[{', '.join(map(str, indices)) or '()'}]")


def bounded_slice(
    scope: Scope, wanted: Callable[[Any], bool], write: bool = False
) -> tuple[str, Any] | None:
    """A one-dimensional slice whose extent depends on a loop counter, and the array's value."""
    if not scope.bounds:
        return None
    pick = scope.pick_cell if write else scope.pick
    x = pick(lambda v: wanted(v) and v.ndim in (1, 2) and v.shape[-1] > 1)
    if x is None:
        return None
    counter, bound = scope.rng.choice(list(scope.bounds.items()))
    extent = x.value.shape[-1]
    if bound > extent:
        return None
    forms = [f":{counter}", f"{counter}:", f"{counter} + 1:", f":{counter} + 1"]
    if bound + 1 <= extent:
        forms.append(
            f"{counter}:{counter} + 2" if bound + 2 <= extent else f"{counter}:{counter} + 1"
        )
    part = scope.rng.choice(forms)
    if x.value.ndim == 2:
        row = index(scope, x.value.shape[0], 0)
        if row is None:
            return None
        part = f"{row}, {part}"
    return f"{x.text}[{part}]", x.value


def container_item(scope: Scope, wanted: Callable[[Any], bool]) -> Expr | None:
    """An element of a tuple, list or dict, or a field of an object."""
    paths = []
    for name, value in scope.names.items():
        if isinstance(value, tuple | list):
            paths += [f"{name}[{i}]" for i, item in enumerate(value) if wanted(item)]
        elif isinstance(value, dict):
            paths += [f"{name}[{key!r}]" for key, item in value.items() if wanted(item)]
        elif hasattr(value, "__dataclass_fields__"):
            paths += [f"{name}.{key}" for key, item in vars(value).items() if wanted(item)]
    if not paths:
        return None
    scope.feature("container-read")
    return scope.make(scope.rng.choice(paths), fresh=False)
