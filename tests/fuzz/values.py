"""Kinds of values, and random values as source text."""

from __future__ import annotations

import dataclasses
import random
from typing import Any, NamedTuple

import numpy as np

DTYPES = {
    "float64": 30,
    "int64": 14,
    "float32": 11,
    "int32": 6,
    "bool": 6,
    "complex128": 5,
    "int8": 5,
    "uint8": 5,
    "int16": 4,
    "uint32": 4,
    "uint16": 4,
    "uint64": 4,
    "float16": 4,
    "complex64": 4,
}
SHAPES = {
    (4,): 20,
    (3,): 12,
    (5,): 10,
    (3, 4): 14,
    (4, 4): 10,
    (2, 3): 8,
    (1,): 4,
    (): 5,
    (0,): 3,
    (0, 3): 2,
    (2, 0): 2,
    (2, 3, 2): 4,
    (6,): 6,
}


class Expr(NamedTuple):
    """Source text, the value CPython gave it, and whether no other name can reach that value."""

    text: str
    value: Any
    fresh: bool = True


def kind(value: Any) -> tuple[Any, ...]:
    """What must not change when a variable is assigned again."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.name, value.shape)
    if isinstance(value, np.generic):
        return ("scalar", value.dtype.name)
    if isinstance(value, tuple | list):
        return (type(value).__name__, *map(kind, value))
    if isinstance(value, dict):
        return ("dict", *((key, kind(item)) for key, item in value.items()))
    if dataclasses.is_dataclass(value):
        return (type(value).__name__, *map(kind, vars(value).values()))
    if callable(value):
        return ("function",)
    return (type(value).__name__,)


def is_array(value: Any, kinds: str = "fiubc") -> bool:
    """An array whose dtype is of one of these NumPy kinds."""
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds


def weighted(rng: random.Random, table: dict[Any, int]) -> Any:
    return rng.choices(list(table), list(table.values()))[0]


def draw(rng: random.Random, table: dict[Any, int], avoid: frozenset[str]) -> Any:
    """A production that is not to be avoided."""
    while True:
        found = weighted(rng, table)
        if found.__name__ not in avoid:
            return found


def array_text(array: np.ndarray) -> str:
    """Source text that makes this array."""
    if array.size == 0:
        return f"np.zeros({array.shape}, np.{array.dtype.name})"
    suffix = "" if array.dtype.name in ("float64", "int64", "bool", "complex128") else None
    dtype = suffix if suffix is not None else f", np.{array.dtype.name}"
    return f"np.array({array.tolist()!r}{dtype})"


def quarter(rng: random.Random) -> float:
    """A number that most arithmetic keeps exact."""
    return rng.randint(-16, 16) / 4 or rng.choice((0.0, -0.0))


def special(rng: random.Random, dtype: np.dtype) -> Any:
    """A value at the edge of the dtype."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.choice((info.min, info.max, 0, info.max - 1))
    return rng.choice((np.nan, np.inf, -np.inf, -0.0))


def random_array(rng: random.Random, dtype_name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small exact values; in one of six arrays some special ones."""
    dtype = np.dtype(dtype_name)
    size = int(np.prod(shape))
    if dtype.kind == "b":
        items: list[Any] = [rng.random() < 0.5 for _ in range(size)]
    elif dtype.kind == "u":
        items = [rng.randint(0, 9) for _ in range(size)]
    elif dtype.kind == "i":
        items = [rng.randint(-9, 9) for _ in range(size)]
    elif dtype.kind == "c":
        items = [complex(quarter(rng), quarter(rng)) for _ in range(size)]
    else:
        items = [quarter(rng) for _ in range(size)]
    if dtype.kind in "fiu" and rng.random() < 0.16:
        items = [special(rng, dtype) if rng.random() < 0.3 else item for item in items]
    return np.array(items, dtype).reshape(shape)
