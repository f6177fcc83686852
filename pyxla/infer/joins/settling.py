"""Objects that merged references stood for, where others hold them too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import Known, Shadow, reachable, shadowed
from pyxla.abstract.lattice import Array, Const, Ref, Scalar
from pyxla.ir.types import python_type


def settle(
    join: Any, live: Callable[[], Iterable[Any]], pinned: Iterable[Any], lost: Iterable[int] = ()
) -> None:
    """See to the objects that merged references stood for, where others hold them too.

    An array becomes a shadow of the merged cells; where that is not possible (`lost`, or no
    array) neither the object may be written from here on, nor what it was merged to.
    """
    if not join.cells:
        return
    names: dict[int, Any] = {}
    for key, new in join.cells.items():
        for old in dict.fromkeys(c for c in key if c is not None):
            names.setdefault(old, []).append(new)
    held = reachable(join.heap, [*live(), *pinned]) | shadowed(join.heap)
    for old, new in names.items():
        if old in join.heap.entangled:  # by what it was the choice of, where others met
            join.heap.entangle(new, *join.heap.entangled[old])
        if old not in held or old not in join.heap.contents:
            continue
        if old in lost or not _shadow(join, old):
            join.entangle({*new, old})
    _entangle_twins(join)


def _entangle_twins(join: Any) -> None:
    """Two merged cells that are one object in some state must not be written."""
    for state in range(len(join.states)):
        found: dict[int, int] = {}
        for key, new in join.cells.items():
            old = key[state] if state < len(key) else None
            if old is not None and found.setdefault(old, new) != new:
                join.entangle({new, found[old]})


def _shadow(join: Any, old: int) -> bool:
    """Let `old` be what the merged cell that took its place in each state is, if one did."""
    content = join.heap.contents[old]
    if not isinstance(content, Array) or content.extents is not None:
        return False
    if any(isinstance(state.heap.contents.get(old), Shadow) for state in join.states):
        return False  # on that path it may be what was merged, or not
    places = [
        (key, cell)
        for key, cell in join.cells.items()
        if _is_like(join.heap.contents[cell], content)
    ]
    if any(old in key and (key, cell) not in places for key, cell in join.cells.items()):
        return False  # merged to an array of bounded extent
    if len(join.states) > len(join.edges) and all(key[-1] != old for key, _ in places):
        return False  # the loop does not bring it back
    cells = tuple([cell for _, cell in places])
    picks = []
    for state in range(len(join.edges)):
        found = [i for i, (key, _) in enumerate(places) if key[state] == old]
        if len(found) > 1 or (not found and join.directions is not None):
            return False
        picks.append(Const(found[0] if found else len(cells)))
    if any(pick.value == len(cells) for pick in picks):
        # On that path no merged name stands for it: it goes on in a cell of its own.
        join.heap.infos.append(join.heap.infos[old])
        cells = (*cells, len(join.heap.infos) - 1)
        join.heap.contents[cells[-1]] = content
    elif join.directions is not None:
        join.target.phis = [p for p in join.target.phis if p.value is not content.value]
    picks += [Const(0)] * (len(join.states) - len(join.edges))
    selector = Scalar(join.phi(picks, python_type(int)), extent.IntFact(0, len(cells) - 1))
    known = []
    if join.directions is None:
        known.append(Known(content, tuple([join.heap.contents[c] for c in cells])))
    refs = tuple([Ref(c) for c in cells])
    join.heap.contents[old] = Shadow(selector, refs, join.way.place, known)
    return True


def _is_like(content: Any, array: Array) -> bool:
    return isinstance(content, Array) and content.extents is None and content.type == array.type
