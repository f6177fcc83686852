"""What refers to an object where paths meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pyxla.infer.lattice import Array, Ref


@dataclass(frozen=True, slots=True)
class Held:
    """live: the names that are read from there on; callers: what those of this function need;
    pinned: what the outside world can reach."""

    live: Iterable[Any]
    callers: Callable[[], Iterable[Any]]
    pinned: Iterable[Any]

    def is_lone(self, x: Ref, state: Any) -> bool:
        """Whether `x` is the only reference to a whole array in a state (`infer.joins.merge`)."""
        heap, info = state.heap, state.heap.infos[x.cell]
        if x.view or info.pinned is not None or info.read_only or info.strides is not None:
            return False
        if x.cell in heap.entangled or x.cell in heap.kept:
            return False
        names = [state.env[value] for value in self.live if value in state.env]
        return _is_met_once(x.cell, heap, [*state.args, *names, *self.callers(), *self.pinned])


def _is_met_once(cell: int, heap: Any, roots: Iterable[Any]) -> bool:
    met, seen, stack = 0, set(), list(roots)
    while stack:
        x = stack.pop()
        if type(x) is not Ref:
            if type(x) is not Array:
                stack.extend(x.parts)
        elif x.cell == cell:
            met += 1
        elif x.cell not in seen:
            seen.add(x.cell)
            if x.cell in heap.contents:
                stack.append(heap.contents[x.cell])
    return met < 2
