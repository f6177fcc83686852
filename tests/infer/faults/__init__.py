"""Expressions and programs that CPython or NumPy ends with an exception of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]] = {}


def program(*calls: tuple[Any, ...]) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        PROGRAMS[function.__name__] = function, calls
        return function

    return register
