"""Lists, dicts and sets where paths meet: kept in one way on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyxla.abstract.heap import DictCell, GrowingList, Heap, ListCell, ObjectCell, SetCell
from pyxla.infer.containers import tables
from pyxla.infer.joins import lengths
from pyxla.infer.joins.columns import of_same, with_parts
from pyxla.lib.sets import TableFrozenSet, TableSet
from pyxla.lib.tables import Table


def unify_lists(
    edges: list[Any],
    columns: Iterable[Sequence[Any]],
    grows: bool,
) -> None:
    """Lists that are arrays on one path are that on all; those of different lengths grow.

    columns: what one name is on each edge.
    """
    if not any(_has_collections(edge.heap) for edge in edges):
        return
    columns = [*[part for c in columns for part in with_parts(edges, c)], *of_same(edges)]
    if grows:
        lengths.unify(edges, [*columns, *tables.unify(edges, columns)])


def _has_collections(heap: Heap) -> bool:
    for content in heap.contents.values():
        kind = type(content)
        if kind in _COLLECTIONS or (isinstance(content, ObjectCell) and content.cls in _TABLES):
            return True
    return False


_COLLECTIONS = frozenset({ListCell, GrowingList, DictCell, SetCell})
_TABLES = (Table, TableSet, TableFrozenSet)
