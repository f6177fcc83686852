"""What lists of unknown length do, as Python that is compiled like the user's.

Each of these is a loop over items whose number is known at run time only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def truncate(items: list[Any], size: int) -> None:
    """`del items[size:]`, for a `size` that is at most what there are."""
    del items[size:]


def listed(items: Any) -> list[Any]:
    """`list(items)`."""
    out = []
    for x in items:
        out.append(x)
    return out


def extend(items: list[Any], more: Any) -> None:
    """`items.extend(more)`."""
    for x in more:
        items.append(x)


def concatenated(items: list[Any], more: list[Any]) -> list[Any]:
    """`items + more`."""
    out = items.copy()
    for x in more:
        out.append(x)
    return out


def keyed(items: Any, key: Callable[[Any], Any]) -> list[Any]:
    """The key of each item."""
    out = []
    for x in items:
        out.append(key(x))
    return out


def total(items: Any, start: Any) -> Any:
    """`sum(items, start)`."""
    for x in items:
        start = start + x
    return start


def greatest(items: Any, key: Callable[[Any], Any] | None, least: bool) -> Any:
    """`max(items, key=key)`, or `min`; the first of several."""
    size = len(items)
    if size == 0:
        raise ValueError("min() iterable argument is empty" if least else _EMPTY)
    at = 0
    for i in range(1, size):
        x = items[i] if key is None else key(items[i])
        best = items[at] if key is None else key(items[at])
        if x < best if least else x > best:
            at = i
    return items[at]


_EMPTY = "max() iterable argument is empty"


def item(items: tuple[Any, ...], index: int) -> Any:
    """`items[index]`, by comparing."""
    size, found = len(items), items[0]
    if index < 0:
        index += size
    for i in range(1, size):
        if index == i:
            found = items[i]
    return found


def same(items: list[Any], others: list[Any]) -> bool:
    """`items == others`."""
    if len(items) != len(others):
        return False
    for i in range(len(items)):
        if items[i] != others[i]:
            return False
    return True


def place(index: int | None, size: int, default: int) -> int:
    """Where a slice starts or stops."""
    if index is None:
        return default
    if index < 0:
        return max(index + size, 0)
    return min(index, size)


def replace(items: list[Any], start: int | None, stop: int | None, new: Any) -> None:
    """`items[start:stop] = new`."""
    size = len(items)
    low = place(start, size, 0)
    rest = items[max(place(stop, size, size), low) :]
    truncate(items, low)
    for x in new:
        items.append(x)
    for x in rest:
        items.append(x)


def quantified(items: Any, every: bool) -> bool:
    """`all(items)` if `every`, else `any(items)`."""
    for x in items:
        if bool(x) is not every:
            return not every
    return every


def filtered(function: Callable[[Any], Any] | None, items: Any) -> list[Any]:
    """`list(filter(function, items))`."""
    out = []
    for x in items:
        if bool(x) if function is None else function(x):
            out.append(x)
    return out
