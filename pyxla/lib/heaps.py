"""`heapq` as Python that is compiled like the user's.

Algorithms are CPython's as documented: what they compare and in which order decides results where
the arguments are not what they ought to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def _rise(heap: Any, item: Any, first: int, place: int) -> None:
    """Put `item` at `place`, or where a larger one is on the way from there up to `first`."""
    while place > first:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def _sink(heap: Any, item: Any, place: int) -> None:
    """Let the smaller children move up from `place` to a leaf, and `item` rise from there."""
    size, first = len(heap), place
    child = 2 * place + 1
    while child < size:
        if child + 1 < size and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    _rise(heap, item, first, place)


def heappush(heap: Any, item: Any, /) -> None:
    heap.append(item)
    _rise(heap, item, 0, len(heap) - 1)


def heappop(heap: Any, /) -> Any:
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    _sink(heap, last, 0)
    return least


def heapreplace(heap: Any, item: Any, /) -> Any:
    if not heap:
        raise IndexError("index out of range")
    least = heap[0]
    _sink(heap, item, 0)
    return least


def heappushpop(heap: Any, item: Any, /) -> Any:
    if heap and heap[0] < item:
        least = heap[0]
        _sink(heap, item, 0)
        return least
    return item


def heapify(heap: Any, /) -> None:
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, heap[place], place)


def nsmallest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def merge(*iterables: Any, key: Any = None, reverse: bool = False) -> Iterator[Any]:
    """`heapq.merge`, of which equal items are in the order of what they are from."""
    items: list[Any] = []
    for other in iterables:
        items = _merged(items, list(other), key, reverse)
    yield from items


def _merged(x: list[Any], y: list[Any], key: Any, reverse: bool) -> list[Any]:
    """The items of two lists, the lesser (reverse: the greater) of the next of both first."""
    items = []
    i = 0
    for right in y:
        b = right if key is None else key(right)
        while i < len(x):
            a = x[i] if key is None else key(x[i])
            if not (a == b or ((b < a) if reverse else (a < b))):
                break
            items.append(x[i])
            i += 1
        items.append(right)
    return items + x[i:]
