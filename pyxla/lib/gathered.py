"""Functions of the library that take any number of arguments, as Python over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any


def print_(
    *items: Any, sep: Any = None, end: Any = None, file: Any = None, flush: Any = False
) -> None:
    between = " " if sep is None else sep
    print(between.join([str(x) for x in items]), end=end, file=file, flush=flush)


def max_(*items: Any, **options: Any) -> Any:
    if len(items) == 1:
        return _of_one(max, items[0], options)
    _verify_several("max", len(items), options)
    return max(items, **options)


def min_(*items: Any, **options: Any) -> Any:
    if len(items) == 1:
        return _of_one(min, items[0], options)
    _verify_several("min", len(items), options)
    return min(items, **options)


def _of_one(function: Any, items: Any, options: Any) -> Any:
    try:
        iter(items)
    except TypeError:  # in a `try`, it is raised where there is one number, not while compiling
        raise
    return function(items, **options)


def _verify_several(name: str, count: int, options: Any) -> None:
    if count == 0:
        raise TypeError(f"{name} expected at least 1 argument, got 0")
    if "default" in options:
        several = "with multiple positional arguments"
        raise TypeError(f"Cannot specify a default for {name}() {several}")


def gcd(*integers: int) -> int:
    found = 0
    for x in integers:
        found = math.gcd(found, x)
    return found


def lcm(*integers: int) -> int:
    found = 1
    for x in integers:
        found = math.lcm(found, x)
    return found


def chain(*parts: Any) -> Iterator[Any]:
    for part in parts:
        yield from part


def union(first: Any, *others: Any) -> Any:
    found = set(first)
    for other in others:
        found |= set(other)
    return found


def intersection(first: Any, *others: Any) -> Any:
    found = set(first)
    for other in others:
        found &= set(other)
    return found
