"""Programs that are refused: the refused line of each is marked `# <-`.

@bad("what the message says", *types or values of the arguments)
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, NamedTuple


class Bad(NamedTuple):
    """A program, the message expected, and what it is called on."""

    function: Callable[..., Any]
    message: str
    args: tuple[Any, ...]
    options: dict[str, Any]


PROGRAMS: dict[str, Bad] = {}


def bad(message: str, *args: Any, **options: Any) -> Callable[..., Any]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        if function.__name__ in PROGRAMS:
            raise ValueError(f"two programs named {function.__name__}")
        PROGRAMS[function.__name__] = Bad(function, message, args, options)
        return function

    return note


def load() -> dict[str, Bad]:
    """Every program of every module in this folder, by name."""
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(module.name)
    return PROGRAMS
