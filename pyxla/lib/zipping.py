"""`zip` and `zip_longest` of iterators, as Python that is compiled like the user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyxla.frontend.support import item
from pyxla.lib.interpreted import sequences_of
from pyxla.lib.iterators import uneven


def zip_first(items: Any, *others: Any) -> Iterator[Any]:
    """`zip` of an iterator and others."""
    n, others = 0, sequences_of(others)
    for x in items:
        for other in others:
            if n >= len(other):
                return
        yield x, *[item(other, n) for other in others]
        n += 1


def zip_last(first: Any, items: Any) -> Iterator[Any]:
    """`zip` of another and an iterator."""
    (first,) = sequences_of((first,))
    n, size = 0, len(first)
    if n >= size:
        return
    for x in items:
        yield item(first, n), x
        n += 1
        if n >= size:
            return


def zip_longest(*parts: Any, fillvalue: Any = None) -> Iterator[Any]:
    """`itertools.zip_longest`."""
    if any([hasattr(part, "__next__") for part in parts]):
        return _while_any_lasts(tuple([iter(part) for part in parts]), fillvalue)
    return _as_long_as_any(parts, fillvalue)


def _as_long_as_any(parts: tuple[Any, ...], fillvalue: Any) -> Iterator[Any]:
    size = 0
    for part in parts:
        size = max(size, len(part))
    for n in range(size):
        yield tuple([item(part, n) if n < len(part) else fillvalue for part in parts])


def _while_any_lasts(parts: tuple[Iterator[Any], ...], fillvalue: Any) -> Iterator[Any]:
    ended = [False] * len(parts)
    lasting = len(parts)
    while True:
        row = []
        for k, items in enumerate(parts):
            if not ended[k]:
                try:
                    row.append(next(items))
                    continue
                except StopIteration:
                    ended[k] = True
                    lasting -= 1
                    if lasting == 0:
                        return
            row.append(fillvalue)
        yield tuple(row)


def zip_strictly(first: Any, *others: Any) -> Iterator[Any]:
    """`zip(..., strict=True)` of sequences: what is left over is found out after the last item."""
    size = len(first)
    shortest = size
    for other in others:
        shortest = min(shortest, len(other))
    for n in range(shortest):
        yield item(first, n), *[item(other, n) for other in others]
    for k, other in enumerate(others):
        if size == shortest and len(other) > shortest:
            raise ValueError(uneven(k, "longer"))
        if size > shortest and len(other) == shortest:
            raise ValueError(uneven(k, "shorter"))


def zip_first_strictly(items: Any, *others: Any) -> Iterator[Any]:
    """`zip(..., strict=True)` of an iterator and sequences."""
    n = 0
    for x in items:
        for k, other in enumerate(others):
            if n >= len(other):
                raise ValueError(uneven(k, "shorter"))
        yield x, *[item(other, n) for other in others]
        n += 1
    for k, other in enumerate(others):
        if n < len(other):
            raise ValueError(uneven(k, "longer"))


def zip_last_strictly(first: Any, items: Any) -> Iterator[Any]:
    """`zip(..., strict=True)` of a sequence and an iterator."""
    n, size = 0, len(first)
    for x in items:
        if n >= size:
            raise ValueError(uneven(0, "longer"))
        yield item(first, n), x
        n += 1
    if n < size:
        raise ValueError(uneven(0, "shorter"))
