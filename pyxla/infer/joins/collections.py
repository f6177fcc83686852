"""Lists, dicts and sets where paths meet: kept in one way on all of them.  Lists whose lengths
differ are in columns, with a length, on all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyxla.abstract.heap import DictCell, GrowingList, Heap, ListCell, ObjectCell, SetCell
from pyxla.abstract.lattice import Array, Ref
from pyxla.infer.containers import tables
from pyxla.infer.joins.columns import of_same, with_parts
from pyxla.infer.lists.columnar import common_item, keep, length_of, room_of
from pyxla.infer.lists.growth import guesses
from pyxla.infer.lists.item_types import LISTS
from pyxla.infer.lists.reading import class_of
from pyxla.ir.build import Builder, building
from pyxla.lib.sets import TableFrozenSet, TableSet
from pyxla.lib.tables import Table


def unify_lists(edges: Sequence[Any], columns: Iterable[Sequence[Any]]) -> None:
    """Lists that are arrays on one path are that on all; those of different lengths are kept in
    columns.

    columns: what one name is on each edge.
    """
    if not any(_has_collections(edge.heap) for edge in edges):
        return
    columns = [*[part for c in columns for part in with_parts(edges, c)], *of_same(edges)]
    columns = [*columns, *tables.unify(edges, columns)]
    names = [x for x in columns if all([isinstance(y, Ref) for y in x])]
    # A list that was laid out for one name may be another name's too: once more for all.
    for _ in range(len(names) + len(edges[0].heap.contents)):
        if not any([_unify(edges, x) for x in (*names, *_differing(edges))]):
            return


def _has_collections(heap: Heap) -> bool:
    for content in heap.contents.values():
        kind = type(content)
        if kind in _COLLECTIONS or (isinstance(content, ObjectCell) and content.cls in _TABLES):
            return True
    return False


_COLLECTIONS = frozenset({ListCell, GrowingList, DictCell, SetCell})
_TABLES = (Table, TableSet, TableFrozenSet)


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
    """Keep what one name is in each state in columns, if these are lists that differ; whether any
    was not yet."""
    contents = [s.heap.contents.get(x.cell) for s, x in zip(states, refs, strict=True)]
    types = {type(c) for c in contents}
    if not types <= {*LISTS} or len(set(map(class_of, contents))) > 1 or _is_same(states, contents):
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
