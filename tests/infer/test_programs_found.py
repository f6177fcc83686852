"""Programs that once gave another result than CPython, or none."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import pyxla
from tests.compare import difference

PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}


def found(*args: Any) -> Any:
    """Register a program with arguments for it."""

    def register(function: Any) -> Any:
        PROGRAMS[function.__name__] = (function, args)
        return function

    return register


def outcome(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    args = copy.deepcopy(args)
    try:
        return function(*args), args
    except pyxla.CompileError:
        raise
    except Exception as error:  # noqa: BLE001 - what a program raises is compared
        return error, args


@dataclass
class State:
    pos: np.ndarray
    hist: list[Any] = field(default_factory=list)

    def step(self) -> None:
        self.pos += 1.0
        self.hist.append(self.pos.copy())


@found(State(np.zeros(2)))
def field_replaced_after_it_was_kept(s):
    kept = s.pos
    s.step()
    s.pos = s.pos * 2
    return kept, s.hist


class Pair(NamedTuple):
    a: float
    b: int = 2


@found(1.5)
def named_tuples_compare(x):
    return Pair(x) == Pair(1.5, 2), Pair(x) != (x, 2), Pair(x) < Pair(2.0)


class Wrapped:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        if name == "first":
            return self.inner[0]
        raise AttributeError(name)


@found(np.arange(3.0))
def getattr_of_a_class(x):
    return Wrapped(x).first, Wrapped(x).inner[1]


@found(2)
def filters_of_known_values(n):
    return [i * j for i in range(3) for j in range(i) if (i + j) % 2], n


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_python(name: str) -> None:
    function, args = PROGRAMS[name]
    expected = outcome(function, args)
    actual = outcome(pyxla.compile(function), args)
    assert not difference(actual, expected)
