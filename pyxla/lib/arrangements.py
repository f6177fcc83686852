"""`itertools.combinations` and the like, of as many items as run time says or as many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Of as many items as is known: a loop for each of the items taken.


def product(*pools: Any) -> Iterator[tuple[Any, ...]]:
    if len(pools) == 0:
        yield ()
        return
    for x in pools[0]:
        for rest in product(*pools[1:]):
            yield (x, *rest)


def combinations(items: Any, r: int, start: int = 0) -> Iterator[tuple[Any, ...]]:
    if r == 0:
        yield ()
        return
    for i in range(start, len(items)):
        for rest in combinations(items, r - 1, i + 1):
            yield (items[i], *rest)


def with_replacement(items: Any, r: int, start: int = 0) -> Iterator[tuple[Any, ...]]:
    if r == 0:
        yield ()
        return
    for i in range(start, len(items)):
        for rest in with_replacement(items, r - 1, i):
            yield (items[i], *rest)


def permutations(items: Any, r: int, taken: tuple[int, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if r == 0:
        yield ()
        return
    for i in range(len(items)):
        if i not in taken:
            for rest in permutations(items, r - 1, (*taken, i)):
                yield (items[i], *rest)


# Of as many items as data says: the places of those taken, which are moved on as in CPython.


def check_width(r: Any) -> None:
    if r < 0:
        raise ValueError("r must be non-negative")


def any_combinations(items: Any, r: int) -> Iterator[tuple[Any, ...]]:
    spare = len(items) - r
    if spare < 0:
        return
    places = list(range(r))
    while True:
        yield tuple([items[i] for i in places])
        at = r - 1
        while at >= 0 and places[at] == at + spare:
            at -= 1
        if at < 0:
            return
        places[at] += 1
        for k in range(at + 1, r):
            places[k] = places[k - 1] + 1


def any_with_replacement(items: Any, r: int) -> Iterator[tuple[Any, ...]]:
    last = len(items) - 1
    if last < 0 < r:
        return
    places = [0 for _ in range(r)]
    while True:
        yield tuple([items[i] for i in places])
        at = r - 1
        while at >= 0 and places[at] == last:
            at -= 1
        if at < 0:
            return
        following = places[at] + 1
        for k in range(at, r):
            places[k] = following


def any_permutations(items: Any, r: int) -> Iterator[tuple[Any, ...]]:
    size = len(items)
    if r > size:
        return
    places = list(range(size))
    turns = list(range(size, size - r, -1))
    while True:
        yield tuple([items[places[k]] for k in range(r)])
        at = r - 1
        while at >= 0 and turns[at] == 1:
            turns[at] = size - at
            first = places[at]
            for k in range(at, size - 1):
                places[k] = places[k + 1]
            places[size - 1] = first
            at -= 1
        if at < 0:
            return
        turns[at] -= 1
        other = size - turns[at]
        places[at], places[other] = places[other], places[at]
