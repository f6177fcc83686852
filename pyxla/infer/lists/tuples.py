"""Tuples that get longer where data says: `path = path + (x,)`.

A tuple is a value of known length.  Where tuples of several lengths meet, in attempts in which
lists may be arrays (`Demands.arrays`), and where one meets such of unknown length, it is of unknown
length: kept in columns, as lists are, by a cell that nobody writes to (`heap.GrowingList`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyxla.abstract.heap import GrowingList, ListCell
from pyxla.abstract.lattice import Const, Ref, Tuple
from pyxla.infer.joins.columns import changed
from pyxla.infer.lists.columnar import keep
from pyxla.infer.lists.item_joins import joined_items, of_any_length, opened
from pyxla.infer.lists.item_types import Nested
from pyxla.infer.lists.items import item_of
from pyxla.ir.build import Builder, building


def unify(edges: Sequence[Any], differ: bool, only: int | None = None) -> bool:
    """Let tuples be of unknown length on `edges` that meet such; `differ`: also those whose lengths
    differ.  only: the edge on which they may.  Whether there were any."""
    columns = list(zip(*[edge.args for edge in edges], strict=True))
    made = [_opened(edges, column, differ, only) for column in columns]
    found = any(column is not None for column in made)
    if found:
        whole = [new or old for new, old in zip(made, columns, strict=True)]
        for edge, args in zip(edges, zip(*whole, strict=True), strict=True):
            edge.args = args
    parts = [_unify_parts(edges, *at, differ, only) for at in list(changed(edges))]
    return found or any(parts)


def _unify_parts(
    edges: Sequence[Any], cell: int, contents: Sequence[Any], differ: bool, only: int | None
) -> bool:
    """As `unify`, of what is in an object."""
    first = contents[0]
    if any(type(x) is not type(first) or x.form != first.form for x in contents):
        return False
    columns = list(zip(*[x.parts for x in contents], strict=True))
    made = [_opened(edges, column, differ, only) for column in columns]
    if all(column is None for column in made):
        return False
    whole = [new or old for new, old in zip(made, columns, strict=True)]
    for edge, content, parts in zip(edges, contents, zip(*whole, strict=True), strict=True):
        if any(new is not old for new, old in zip(parts, content.parts, strict=True)):
            edge.heap.contents[cell] = content.rebuild(parts)  # of a heap that is the edge's own
    return True


def _opened(
    edges: Sequence[Any], column: Sequence[Any], differ: bool, only: int | None
) -> Sequence[Any] | None:
    """What one name is on each edge, where tuples become such of unknown length."""
    lengths = {_length(edge, x) for edge, x in zip(edges, column, strict=True)}
    if len(lengths) < 2 or _OTHER in lengths or not (differ or _UNKNOWN in lengths):
        return None
    items = [item_of(edge.heap, x) for edge, x in zip(edges, column, strict=True)]
    item = joined_items([of_any_length(opened(x)) for x in items])
    if not isinstance(item, Nested) or item.item is None:
        return None
    pairs = enumerate(zip(edges, column, strict=True))
    return [_kept(edge, x, item) if only in (None, i) else x for i, (edge, x) in pairs]


_UNKNOWN, _OTHER = -1, -2


def _length(edge: Any, x: Any) -> int:
    if isinstance(x, Tuple) and x.cls is tuple:
        return len(x.items)
    if isinstance(x, Const) and type(x.value) is tuple:
        return len(x.value)
    content = edge.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    return _UNKNOWN if type(content) is GrowingList and content.cls is tuple else _OTHER


def _kept(edge: Any, x: Any, item: Nested) -> Any:
    """A tuple in columns."""
    if isinstance(x, Ref):
        return x
    items = x.items if isinstance(x, Tuple) else tuple(map(Const, x.value))
    heap = edge.heap = edge.heap.copy()
    made = Ref(heap.new(ListCell(items), edge.loc))
    with building(Builder(edge.block.instrs, edge.loc)):
        heap.contents[made.cell] = replace(keep(heap, made, item.item, sized=True), cls=tuple)
    return made
