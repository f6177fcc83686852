"""What `functools.cache` and `lru_cache` do, as Python that is compiled like the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def remembered(
    results: dict[Any, Any], key: Any, function: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """`function(*args, **kwargs)`, or what it returned when it was called with the same."""
    if key in results:
        return results[key]
    result = function(*args, **kwargs)
    results[key] = result
    return result


def forgotten(results: dict[Any, Any]) -> None:
    """`cache_clear()`."""
    results.clear()


def most_recent(
    results: dict[Any, Any],
    maxsize: int,
    key: Any,
    function: Callable[..., Any],
    *args: Any,
    **kwargs: Any,
) -> Any:
    """The same of at most `maxsize` results, those that were asked for last."""
    if key in results:
        result = results.pop(key)
    else:
        result = function(*args, **kwargs)
        if len(results) >= maxsize:
            del results[next(iter(results))]
    results[key] = result
    return result
