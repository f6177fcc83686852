"""Programs that once gave another result than CPython, or none."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
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


@found(np.arange(6.0), 3.0)
def filters_of_values_known_at_run_time(x, t):
    total = sum(v * 2 for row in x.reshape(2, 3) for v in row if v > t)
    return total, sum(1 for v in x if v > t), any(v > 4 for v in x), all(v > t for v in x)


@found(2)
def any_and_all_stop_early(n):
    seen = 0

    def above(k):
        nonlocal seen
        seen += 1
        return k >= n

    found_one = any(above(k) for k in (1, 2, 3))
    return found_one, all(above(k) for k in (0, 5)), seen


@found(np.arange(6.0))
def sums_of_known_values_are_known(x):
    same = all(a == b for a, b in zip(x.shape, (6,), strict=True))
    return np.zeros(sum(n for n in x.shape)), (1 if same else "no")


@found(np.arange(6.0))
def a_name_like_a_builtin(x):
    sum = max
    return sum(v * 2 for v in x)


@found(State(np.ones(3)), 3)
def a_field_replaced_and_written_in_a_loop(s, n):
    for i in range(n):
        s.pos = s.pos * 0.5 + i
        if s.pos[1] > 1:
            s.pos[0] = 0.0
    return s.pos.sum()


@found(State(np.ones(3)), 2)
def a_list_that_keeps_what_a_field_holds(s, n):
    log = [s.pos]
    for _ in range(n):
        s.pos = s.pos + 1
        log[0] = s.pos
        s.pos[0] = 5.0
    return log[0][0], log[0][1], s.pos[0]


def test_what_nobody_writes_to_is_not_written_back() -> None:
    """The jax.Array becomes what one of the results is, on one path."""

    def perhaps_itself(x, y, n):
        if n:
            return n, x, x
        _old, new = (x, np.zeros_like(x))
        y[y] = 1
        return 1, new, new

    for n in (0, 2):
        x, y = jax.numpy.arange(5.0), np.zeros((3, 2), np.int8)
        found, kept = pyxla.compile(perhaps_itself)(x, y, n)[1:]
        assert found.tolist() == kept.tolist() == (x if n else 0 * x).tolist()
        assert y.tolist() == [[0, 0]] * 3 if n else [[1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_python(name: str) -> None:
    function, args = PROGRAMS[name]
    expected = outcome(function, args)
    actual = outcome(pyxla.compile(function), args)
    assert not difference(actual, expected)


def test_sums_of_generators_stay_loops():
    def squares(x):
        return sum(v * v for v in x)

    short, long = (pyxla.code_stablehlo(squares, np.ones(n)) for n in (20, 2000))
    assert len(short.splitlines()) == len(long.splitlines())


def test_looking_in_a_list_makes_no_constant_of_its_length():
    def distinct(x):
        seen = []
        for v in x:
            if v not in seen:
                seen.append(v)
        return len(seen), seen.index(x[-1])

    typed = str(pyxla.code_typed(distinct, pyxla.f64[3000]))
    assert "constant <3000 elements> : i64[3000]" not in typed
    assert "i64[3000]" in typed
