"""Where an object lies among the arguments, told in a way that costs a call nothing.

A place is `(place of the container, its steps, which of them, the object)`, None around arguments;
`path_of` spells it out.  Steps are a container's indices, keys or names of fields, in order.
"""

from __future__ import annotations

import functools
from typing import Any

from pyxla.runtime.numbers import Path

_HERE = object()


@functools.lru_cache(256)
def static_tree(static: frozenset[Path]) -> dict[Any, Any]:
    """Paths as nested dicts from step to step; `_HERE` is in those where a path ends."""
    root: dict[Any, Any] = {}
    for path in static:
        node = root
        for step in path:
            node = node.setdefault(step, {})
        node[_HERE] = True
    return root


def below(tree: Any, steps: Any, i: int) -> Any:
    return tree.get(step_of(steps, i))


def is_static(tree: Any) -> bool:
    return tree is not None and _HERE in tree


def below_path(static: frozenset[Path], path: Path) -> bool:
    """Whether one of the paths goes on from `path`."""
    return any(other[: len(path)] == path for other in static)


def step_of(steps: Any, i: int) -> Any:
    return steps[i] if isinstance(steps, (range, tuple)) else list(steps)[i]


def path_of(place: Any) -> Path:
    steps = []
    while place is not None:
        place, names, i, _ = place
        steps.append(step_of(names, i))
    return tuple(reversed(steps))
