"""How paths meet, and what refers to an object there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyxla.abstract.heap import references
from pyxla.abstract.lattice import Ref
from pyxla.frozen import dataclass
from pyxla.ir.core import Value


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
        roots = [*state.args, *names, *self.callers(), *self.pinned]
        return [ref.cell for ref in references(heap, roots)].count(x.cell) < 2


def _nothing(_: Value) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Way:
    """How paths meet.

    place: where.  exact: whether names of several arrays are as `joins.unions` has them.  held:
    what else is needed from there on.  case_split: whether values of no one type may meet
    (`variants`).  assume: whether it may be assumed that something holds, which then is tested
    (`far`).  room: for how many code points there is room in a string that a loop makes longer.
    sizes: the room for arrays that differ in size (`joined_array_type`).
    """

    place: Any = None
    exact: bool = False
    held: Held | None = None
    case_split: bool = False
    assume: Callable[[Value], bool] = _nothing
    room: int = 0
    sizes: int | None = None
