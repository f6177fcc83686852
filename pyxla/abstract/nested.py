"""What a list that is in a list is as an item of that."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.heap import Heap, RowList


def item_of_row(heap: Heap, row: Any) -> Any:
    """What a list that is in a list is as an item (`infer.lists.item_types`); None where paths made
    of that list what does not fit together."""
    outer: Any = heap.contents.get(row.parent.cell)
    whole = item_of_row(heap, outer) if type(outer) is RowList else outer
    item = getattr(whole, "item", None)
    for step in row.path:
        item = item and item.items[step]
    return item


def of_unlike(heap: Heap, content: Any) -> bool:
    """Whether a list that is in a list has items of several types, each of which has a place of its
    own there: it is read as one that is in none."""
    return type(content) is RowList and hasattr(item_of_row(heap, content), "items")
