"""The language corpus: unmodified NumPy and Python functions, each with sample arguments.

A program is an ordinary function marked with `@program(features, *samples)`. Every sample is a
function that makes one fresh tuple of arguments, so that programs may mutate what they get.
`tests/test_programs.py` runs each natively and compiled and compares everything a caller can see.

Vocabulary of `features`: free words that say what a program exercises. Four have a meaning to the
test: `checks` compiles with run-time checks (the program relies on an implicit exception),
`unordered` compares floats with a wide tolerance (chaotic or ill-conditioned), `prints` compares
what is printed, and `refusable` allows a refusal where the promise does (some kinds of aliasing).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Program:
    """One function of the corpus, its argument makers and the features it exercises."""

    name: str
    fn: Callable[..., Any]
    samples: tuple[Callable[[], tuple[Any, ...]], ...]
    features: tuple[str, ...]


PROGRAMS: dict[str, Program] = {}


def program(features: str, *samples: Callable[[], tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Register the decorated function, unchanged, under `family.name`."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        family = fn.__module__.rpartition(".")[2]
        name = f"{family}.{fn.__name__}"
        if name in PROGRAMS:
            raise ValueError(f"two programs named {name}")
        PROGRAMS[name] = Program(name, fn, samples or (tuple,), tuple(features.split()))
        return fn

    return register


def load() -> dict[str, Program]:
    """Every program of every module in this folder, by name."""
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(module.name)
    return PROGRAMS
