"""Lists whose lengths differ where paths meet: in columns, with a length, on all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyxla.abstract.heap import GrowingList, ListCell
from pyxla.abstract.lattice import Array, Ref
from pyxla.infer.lists.columnar import common_item, keep, length_of, room_of
from pyxla.infer.lists.growth import guesses
from pyxla.infer.lists.item_types import LISTS
from pyxla.infer.lists.reading import class_of
from pyxla.ir.build import Builder, building

_LISTS = set(LISTS)


def unify(states: Sequence[Any], columns: Iterable[Sequence[Any]]) -> bool:
    """Keep lists that differ in length among `states` (edges) in columns; whether there are any.

    columns: what one name is in each state.
    """
    names = [x for x in columns if all([isinstance(y, Ref) for y in x])]
    # A list that was laid out for one name may be another name's too: once more for all.
    rounds = range(len(names) + len(states[0].heap.contents))
    made = (any([_unify(states, x) for x in (*names, *_differing(states))]) for _ in rounds)
    return any(list(itertools.takewhile(bool, made)))


def _differing(states: Sequence[Any]) -> list[list[Ref]]:
    """Lists that are not the same in all states."""
    heaps = [state.heap.contents for state in states]
    lists = [cell for cell, x in heaps[0].items() if type(x) in LISTS]
    held = [(cell, [heap.get(cell) for heap in heaps]) for cell in lists]
    return [[Ref(cell)] * len(states) for cell, x in held if not _is_same(states, x)]


def _is_same(states: Sequence[Any], contents: Sequence[Any]) -> bool:
    """Whether a list is one in all states, and as long there: as it was before they parted."""
    content = contents[0]
    if any([x is not content for x in contents]):
        return False
    if type(content) is ListCell:
        return True
    cell = content.columns[0].cell if content.columns else -1
    first = states[0].heap.contents.get(cell)
    same = all([state.heap.contents.get(cell) is first for state in states])
    return same and type(first) is Array


def _unify(states: Sequence[Any], refs: Sequence[Ref]) -> bool:
    contents = [s.heap.contents.get(x.cell) for s, x in zip(states, refs, strict=True)]
    types = {type(c) for c in contents}
    if not types <= _LISTS or len(set(map(class_of, contents))) > 1 or _is_same(states, contents):
        return False
    if types == {ListCell} and len({len(c.items) for c in contents}) == 1:
        return False
    sizes = {length_of(s.heap, c) for s, c in zip(states, contents, strict=True)}
    items = {(c.item, c.guessed) for c in contents if type(c) is GrowingList}
    if len(sizes) == 1 and len(items) == 1 and types == {GrowingList}:
        return False
    pairs = list(zip(states, contents, strict=True))
    item = common_item(pairs)
    if item is None:
        return False
    room = max([room_of(s.heap, c) for s, c in pairs])
    sized = len(sizes) > 1 or None in sizes
    guessed = max(guesses(contents))
    changed = False
    for (state, content), x in zip(pairs, refs, strict=True):
        fixed = length_of(state.heap, content) is not None
        if not fixed and content.item == item and content.guessed == guessed:
            continue
        state.heap = state.heap.copy()
        with building(Builder(state.block.instrs, state.loc)):
            made = keep(state.heap, x, item, room, sized)
        state.heap.contents[x.cell] = replace(made, guessed=guessed)
        changed = True
    return changed
