"""What lists of unknown length do, as Python that is compiled like the user's.

Each of these is a loop over items whose number is known at run time only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _said(function: Callable[..., Any]) -> str:
    """What CPython, whose words change, says of no items."""
    try:
        return str(function([]))
    except ValueError as error:
        return str(error)


NO_MAXIMUM, NO_MINIMUM = _said(max), _said(min)


def truncate(items: list[Any], size: int) -> None:
    """`del items[size:]`, for a `size` that is at most what there are."""
    del items[size:]


def reserve(items: list[Any], more: int, size: int) -> None:
    """Make room for `more` items, at most, which makes `size` of them."""


def append_reserved(items: list[Any], x: Any) -> None:
    """`items.append(x)`, for which room was made."""
    items.append(x)


def listed(items: Any) -> list[Any]:
    """`list(items)`."""
    out = []
    for x in items:
        out.append(x)
    return out


def rows_listed(rows: Any) -> list[Any]:
    """`rows.tolist()` of more than one dimension."""
    return [row.tolist() for row in rows]


def extend(items: list[Any], more: Any) -> None:
    """`items.extend(more)`."""
    for x in more:
        items.append(x)


def extend_by_list(items: list[Any], more: list[Any]) -> None:
    """`items.extend(more)` of a list, which may be the same."""
    count = len(more)
    reserve(items, count, len(items) + count)
    for i in range(count):
        append_reserved(items, more[i])


def multiply(items: list[Any], times: int) -> None:
    """`items *= times`."""
    size = len(items)
    if times <= 0:
        items.clear()
    for _ in range(1, times):
        for i in range(size):
            items.append(items[i])


def concatenated(items: list[Any], more: list[Any]) -> list[Any]:
    """`items + more`."""
    out = items.copy()
    for x in more:
        out.append(x)
    return out


def repeated(items: list[Any], times: int) -> list[Any]:
    """`items * times`."""
    out = []
    for _ in range(times):
        for x in items:
            out.append(x)
    return out


def keyed(items: Any, key: Callable[[Any], Any]) -> list[Any]:
    """The key of each item."""
    out = []
    for x in items:
        out.append(key(x))
    return out


def shortest(rows: Any) -> int:
    """How many items the shortest row has; 0 where there is no row."""
    size = 0
    for i, row in enumerate(rows):
        size = len(row) if i == 0 else min(size, len(row))
    return size


def column(rows: Any, i: int) -> list[Any]:
    """Item `i` of each row."""
    out = []
    for row in rows:
        out.append(row[i])
    return out


def total_fits(numbers: np.ndarray) -> Any:
    """Whether the sum of an array of ints fits 64 bits; its halves are added up apart."""
    low = np.sum(numbers & 0xFFFFFFFF)
    high = np.sum(numbers >> 32) + (low >> 32)
    return (-(2**31) <= high) & (high < 2**31)


def unless_empty(size: int, total: Any) -> Any:
    """`sum` of an array of `size` rows, whose sum is `total`: 0, an int, of none."""
    return total if size else 0


def product(items: Any, start: Any) -> Any:
    """`math.prod(items, start=start)`"""
    for x in items:
        start = start * x
    return start


def greatest(items: Any, key: Callable[[Any], Any] | None, least: bool) -> Any:
    """`max(items, key=key)`, or `min`; the first of several."""
    size = len(items)
    if size == 0:
        raise ValueError(NO_MINIMUM if least else NO_MAXIMUM)
    at = 0
    best = items[0] if key is None else key(items[0])
    for i in range(1, size):
        x = items[i] if key is None else key(items[i])
        if x < best if least else x > best:
            at, best = i, x
    return items[at]


def extreme_or(items: Any, extreme: Any, key: Any, default: Any) -> Any:
    """`extreme(items, key=key, default=default)`, where `extreme` is `max` or `min`."""
    if len(items) == 0:
        return default
    return extreme(items) if key is None else extreme(items, key=key)


def item(items: tuple[Any, ...], index: int) -> Any:
    """`items[index]`, by comparing."""
    size, found = len(items), items[0]
    if index < 0:
        index += size
    for i in range(1, size):
        if index == i:
            found = items[i]
    return found


def item_or(items: Any, at: int, default: Any) -> Any:
    """The item at `at`, or `default` where there are not that many."""
    for i, x in enumerate(items):
        if i == at:
            return x
    return default


def check_in_list(found: bool, x: Any) -> None:
    """What `list.index(x)` raises where it is not `found`."""
    if not found:
        raise ValueError(f"{x!r} is not in list")


def index_in(items: Any, x: Any, start: int = 0, stop: int | None = None) -> int:
    """`items.index(x, start, stop)`."""
    size = len(items)
    for i in range(place(start, size, 0), place(stop, size, size)):
        if alike(items[i], x):
            return i
    raise ValueError(f"{x!r} is not in list")


def each_way(how: Any, x: Any, y: Any) -> Any:
    """`how(x, y)`, each way by itself in which they may be None."""
    if x is None:
        return operator_of(how, None, None) if y is None else operator_of(how, None, y)
    return operator_of(how, x, None) if y is None else operator_of(how, x, y)


def alike(x: Any, y: Any) -> bool:
    """Whether items of containers are the same, or equal."""
    if x is y:
        return True
    return bool(x == y)


def holds(items: Any, x: Any) -> bool:
    """`x in items`."""
    for item in items:
        if alike(item, x):
            return True
    return False


def same(items: list[Any], others: list[Any]) -> bool:
    """`items == others`."""
    if len(items) != len(others):
        return False
    for i in range(len(items)):
        if not alike(items[i], others[i]):
            return False
    return True


def same_ranges(x: range, y: range) -> bool:
    """`x == y`: whether they have the same numbers."""
    if len(x) == 0 or len(x) != len(y):
        return len(x) == len(y)
    return x.start == y.start and (len(x) == 1 or x.step == y.step)


def ordered(items: list[Any], others: list[Any], test: Callable[[Any, Any], Any]) -> bool:
    """`items < others` and the like: by the first items that differ, then by length."""
    for i in range(min(len(items), len(others))):
        if items[i] != others[i]:
            return operator_of(test, items[i], others[i])
    return test(len(items), len(others))


def lexicographic(items: tuple, others: tuple, test: Callable[[Any, Any], Any]) -> bool:
    """`ordered`, of tuples that are not empty and of known lengths."""
    if items[0] == others[0]:
        return test(items[1:], others[1:])
    return operator_of(test, items[0], others[0])


def operator_of(how: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """`how(x, y)`, an operator of what data decides that it meets."""
    return how(x, y)


def unpacked(items: Any, before: int, least: int) -> list[Any]:
    """What `a, b, *c = items` reads: CPython asks the iterator for one again before the rest."""
    source = iter(items)
    first: list[Any] = []
    try:
        for _ in range(before):
            first.append(next(source))
    except StopIteration:
        message = f"not enough values to unpack (expected at least {least}, got {len(first)})"
        raise ValueError(message) from None
    return first + list(source)


def first_of(items: Any, count: int) -> list[Any]:
    """What `a, b = items` reads of an iterator, which is asked for one item more."""
    first: list[Any] = []
    for x in items:
        if len(first) == count:
            raise ValueError(f"too many values to unpack (expected {count})")
        first.append(x)
    if len(first) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(first)})")
    return first


def check_unpacked(items: list[Any], count: int, starred: bool) -> None:
    """Raise what CPython raises where `items` are too few for `count` names, or too many."""
    size = len(items)
    if size < count:
        least = "at least " if starred else ""
        message = f"not enough values to unpack (expected {least}{count}, got {size})"
        raise ValueError(message)
    if size > count and not starred:
        raise ValueError(f"too many values to unpack (expected {count})")


def check_given(items: list[Any], few: tuple[str, ...], many: Any) -> None:
    """Raise what CPython raises where `items` are too few for parameters, or too many.

    few: the words for each number that is too small; many: those around the number of arguments,
    and how many are given before, or None where any number is taken."""
    if len(items) < len(few):
        for size, message in enumerate(few[:-1]):
            if len(items) == size:
                raise TypeError(message)
        raise TypeError(few[-1])
    if many is not None and len(items) > len(few):
        raise TypeError(many[0] + str(many[1] + len(items)) + many[2])


def place(index: int | None, size: int, default: int) -> int:
    """Where a slice starts or stops."""
    if index is None:
        return default
    if index < 0:
        return max(index + size, 0)
    return min(index, size)


def replace(items: list[Any], start: int | None, stop: int | None, new: Any) -> None:
    """`items[start:stop] = new`."""
    size, new = len(items), list(new)
    low = place(start, size, 0)
    high = size if stop is None else max(place(stop, size, size), low)
    rest, count = items[high:], len(new)
    reserve(items, count, low + count + (size - high))
    truncate(items, low)
    for x in new:
        append_reserved(items, x)
    for x in rest:
        append_reserved(items, x)


def replace_in_steps(
    items: list[Any], start: int | None, stop: int | None, step: int, new: Any
) -> None:
    """`items[start:stop:step] = new`."""
    if step == 1:
        replace(items, start, stop, new)
        return
    if step == 0:
        raise ValueError("slice step cannot be zero")
    places, new = range(len(items))[start:stop:step], list(new)
    if len(places) != len(new):
        words = f"attempt to assign sequence of size {len(new)} to extended slice of size"
        raise ValueError(f"{words} {len(places)}")
    for i, x in zip(places, new):
        items[i] = x


def position(items: list[Any], x: Any, last: bool) -> int:
    """Where the first (or last) item is that is `x` or equals it; -1 where none does."""
    found = -1
    for i in range(len(items)):
        if found < 0 or last:
            if alike(items[i], x):
                found = i
    return found


def times(items: list[Any], x: Any) -> int:
    """How many items are `x` or equal it."""
    found = 0
    for item in items:
        if alike(item, x):
            found += 1
    return found


def ordered_by_rows(rows: np.ndarray, order: np.ndarray, reverse: bool) -> np.ndarray:
    """Places in the order of rows of ints, stable, the first that differ deciding."""
    for k in range(rows.shape[1] - 1, -1, -1):
        column = rows[:, k]
        if np.any(column):
            held = column[order]
            order = order[np.argsort(~held if reverse else held, kind="stable")]
    return order


def ranked(keys: list[Any], reverse: bool) -> list[int]:
    """Where what comes first, second and so on is, stable, by `<` alone: merges of longer and
    longer runs."""
    size = len(keys)
    order = [i for i in range(size)]  # noqa: C416 - `list(range(size))` keeps no columns
    merged = [i for i in range(size)]  # noqa: C416
    if reverse:
        order.reverse()
    width = 1
    while width < size:
        for low in range(0, size, 2 * width):
            middle, high = min(low + width, size), min(low + 2 * width, size)
            left, right = low, middle
            for k in range(low, high):
                second = left == middle
                if left < middle and right < high:
                    second = bool(keys[order[right]] < keys[order[left]])
                merged[k] = order[right if second else left]
                if second:
                    right += 1
                else:
                    left += 1
        order, merged = merged, order
        width *= 2
    if reverse:
        order.reverse()
    return order


def sort_by(items: list[Any], compare: Callable[[Any, Any], Any], reverse: bool) -> None:
    """`items.sort(key=functools.cmp_to_key(compare), reverse=reverse)`: each item is put after
    those before it that are not greater, which is where CPython puts it."""
    if reverse:
        items.reverse()
    for i in range(1, len(items)):
        x = items[i]
        low, high = 0, i
        while low < high:
            middle = (low + high) // 2
            if compare(x, items[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        for j in range(i, low, -1):
            items[j] = items[j - 1]
        items[low] = x
    if reverse:
        items.reverse()
