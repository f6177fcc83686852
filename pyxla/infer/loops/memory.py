"""What visits of a loop found out, for its next visit: passes of nested loops multiply."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import Any

from pyxla.frozen import dataclass
from pyxla.infer.heap import Heap


@dataclass(slots=True)
class LoopMemory:
    """What is known of one loop of the untyped code.

    unrolled: whether it was visited once per iteration.  directions: how far the bounds of ints
    had to be widened, by name.  rebound, unread: phis of the header, by position (see
    `infer.loops.guesses`).  fields: attributes that it changes.  arrays: those of them that get
    other arrays.  written, still: the arrays that it did and did not change, by where these were
    made.  brought: by the types that it starts with, what phis were where an iteration ended.
    """

    unrolled: bool = False
    directions: dict[str | int, Any] = field(default_factory=dict)
    rebound: set[int] | None = None
    unread: set[int] | None = None
    fields: frozenset[str] | None = None
    arrays: set[str] = field(default_factory=set)
    written: set[Hashable] = field(default_factory=set)
    still: set[Hashable] = field(default_factory=set)
    brought: dict[Hashable, dict[int, Any]] = field(default_factory=dict)


def _made_at(heap: Heap, cell: int) -> Hashable:
    info = heap.infos[cell]
    return info.pinned or info.loc or cell


def note_arrays(memory: LoopMemory, head: Any, back: Any, fits: bool) -> None:
    """Remember which arrays a pass over the loop changed, and which it did not, if it `fits`."""
    for cell, changes in head.arrays(back):
        if changes or fits:
            (memory.written if changes else memory.still).add(_made_at(head.heap, cell))


def still_arrays(memory: LoopMemory, heap: Heap) -> set[int]:
    """The arrays that earlier passes let expect to stay as they are."""
    places = memory.still - memory.written
    return {cell for cell in heap.contents if _made_at(heap, cell) in places} if places else set()
