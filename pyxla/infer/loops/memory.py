"""What visits of a loop found out, for its next visit: passes of nested loops multiply."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Any

from pyxla.abstract.heap import Heap, Infos
from pyxla.abstract.lattice import Tuple, Variant, is_number
from pyxla.frozen import dataclass
from pyxla.infer.lists.growth import Grown

MAX_NESTED = 6  # passes of which each brings a tuple that nests one deeper than before


@dataclass(frozen=True, slots=True)
class Brought:
    """A value that an iteration brought back, and the heap that it leads to."""

    value: Any
    heap: Heap = field(default_factory=lambda: Heap(Infos()))


@dataclass(slots=True)
class Widened:
    """How the state at a loop's header had to be widened, so that what passes brought back fits:
    the next visit begins with it.

    brought: what phis were where an iteration ended.  kept: where the arrays were made that got
    into lists (`Heap.kept`), and whether lists have them in common.  lists: those that got longer,
    by where they were made.  mistaken: a visit that began so was refused, or did not settle.
    """

    brought: dict[int, Brought] = field(default_factory=dict)
    kept: set[tuple[Hashable, bool]] = field(default_factory=set)
    lists: dict[Hashable, Grown] = field(default_factory=dict)
    mistaken: bool = False

    def is_risky(self) -> bool:
        """Whether more is remembered than numbers, as which others fit."""
        objects = any([not is_number(x.value) for x in self.brought.values()])
        return objects or bool(self.kept) or bool(self.lists)

    def numbers(self) -> Widened:
        """The part of it that is not risky."""
        plain = {i: x for i, x in self.brought.items() if is_number(x.value)}
        return Widened(plain, mistaken=True)

    def forget(self) -> None:
        self.brought, self.kept, self.lists = {}, set(), {}
        self.mistaken = True

    def note(self, head: Any) -> None:
        """Remember what a pass that does not fit tells."""
        if not self.mistaken:
            self.brought |= head.mismatched
            self.kept |= {(head.heap.made_at(max(c, ~c)), c < 0) for c in head.held}

    def with_kept(self, heap: Heap) -> Heap:
        """The heap with which a loop begins, in which arrays are expected to be in lists."""
        heap = heap.copy()
        if self.kept:
            signed = [c for cell in heap.contents for c in (cell, ~cell)]
            found = [c for c in signed if (heap.made_at(max(c, ~c)), c < 0) in self.kept]
            heap.kept = heap.kept.union(found)
        return heap


@dataclass(slots=True)
class LoopMemory:
    """What is known of one loop of the untyped code.

    unrolled: whether it was visited once per iteration.  directions: how far the bounds of ints
    had to be widened, by name.  rebound, unread: phis of the header, by position (see
    `infer.loops.guesses`).  fields: attributes that it changes.  arrays: those of them that get
    other arrays.  written, still: the arrays that it did and did not change, by where these were
    made.  widened: by the types that it starts with.
    """

    unrolled: bool = False
    directions: dict[str | int, Any] = field(default_factory=dict)
    rebound: set[int] | None = None
    unread: set[int] | None = None
    fields: frozenset[str] | None = None
    arrays: set[str] = field(default_factory=set)
    written: set[Hashable] = field(default_factory=set)
    still: set[Hashable] = field(default_factory=set)
    widened: dict[Hashable, Widened] = field(default_factory=dict)


def note_arrays(memory: LoopMemory, head: Any, back: Any, fits: bool) -> None:
    """Remember which arrays a pass over the loop changed, and which it did not, if it `fits`."""
    for cell, changes in head.arrays(back):
        if changes or fits:
            (memory.written if changes else memory.still).add(head.heap.made_at(cell))


def still_arrays(memory: LoopMemory, heap: Heap) -> set[int]:
    """The arrays that earlier passes let expect to stay as they are."""
    places = memory.still - memory.written
    return {cell for cell in heap.contents if heap.made_at(cell) in places} if places else set()


def nest_deeper(depths: list[int], args: Sequence[Any]) -> bool:
    """Whether each of several passes, `depths` by now, brings tuples that nest deeper."""
    depths.append(max(map(_depth, args), default=0))
    return len(depths) >= MAX_NESTED and depths == sorted({*depths})


def _depth(x: Any) -> int:
    """How deep tuples nest."""
    if isinstance(x, Tuple | Variant):
        return 1 + max(map(_depth, x.parts), default=0)
    return 0
