"""Checks of counted loops, made before them: where one inside would fail, and only there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Function
from pyxla.ir.dominance import immediate_dominators, natural_loops
from pyxla.lower.endpoints import Homes, counted, move_checks, move_from_header
from pyxla.ops.sticky import flag

X = np.arange(1.0, 7.0)


def ahead(x, n, a):
    s = 0.0
    for i in range(n):
        s += x[i + 2]
    return s


def behind(x, n, a):
    s = 0.0
    for i in range(n):
        s += x[i - 8]
    return s


def strided(x, n, a):
    s = 0.0
    for i in range(0, n, 2):
        s += x[2 * i + 1]
    return s


def between(x, n, a):
    s = 0.0
    for i in range(a, n):
        s += x[i]
    return s


def backwards(x, n, a):
    s = 0.0
    for i in range(n, a, -1):
        s += x[i]
    return s


def unvaried(x, n, a):
    s = 0.0
    for i in range(n):
        s += x[a] * i
    return s


def nested(x, n, a):
    s = 0.0
    for i in range(n):
        for j in range(a):
            s += x[i + 1] * x[j]
    return s


def left_early(x, n, a):
    s = 0.0
    for i in range(n):
        if i == a:
            break
        s += x[i]
    return s


def sometimes(x, n, a):
    s = 0.0
    for i in range(n):
        if i > a:
            s += x[i + 1]
    return s


def stored(x, n, a):
    for i in range(n):
        x[i + 1] = x[i] + a
    return x


def offset(x, n, a):
    s = 0.0
    for i in range(n):
        s += x[i + a] + x[a + 2 * i - 1]
    return s


def mirrored(x, n, a):
    s = 0.0
    for i in range(n):
        s += x[a - i] + x[-i]
    return s


def falling(x, n, a):
    s = 0.0
    for i in range(n, -1, -1):
        s += x[i - a]
    return s


def there_and_back(x, n, a):
    s = 0.0
    for i in range(n):
        k = i + a
        s += x[k - a]
    return s


def row_of(x, n, a):
    """The header of the inner loop checks what does not vary in it."""
    s = 0.0
    for i in range(n):
        for j in range(a, 3 * i + 1):
            s += x[j]
    return s


PROGRAMS = [ahead, behind, strided, between, backwards, unvaried, nested, left_early]
PROGRAMS += [sometimes, stored, offset, mirrored, falling, there_and_back, row_of]


def result(function: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    try:
        found = function(*args)
    except IndexError as error:
        found = str(error)
    return (np.asarray(found).tolist(), args[0].tolist())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_cpython(program: Callable[..., Any]) -> None:
    compiled = pyxla.compile(program)
    for n, a in itertools.product((-2, 0, 1, 3, 5, 6, 7, 9), (-7, -3, 0, 2, 5, 6, 8)):
        assert result(compiled, X.copy(), n, a) == result(program, X.copy(), n, a), (n, a)


def flags(program: Callable[..., Any]) -> tuple[int, int]:
    """How many checks there are in loops, before and after."""
    function: Function = pyxla.compile(program).lower(X, 3, 2).at("typed").function
    idom = immediate_dominators(function.blocks)
    loops = natural_loops(function.blocks, idom)
    homes: Homes = {instr: block for block in function.blocks for instr in block.instrs}

    def inside() -> int:
        blocks = {block for loop in loops.values() for block in loop.blocks}
        return sum(instr.op is flag for block in blocks for instr in block.instrs)

    before = inside()
    for loop in reversed(loops.values()):
        move_from_header(loop, homes)
        if (count := counted(loop, homes)) is not None:
            move_checks(loop, count, idom, homes)
    return before, inside()


@pytest.mark.parametrize("program", [ahead, behind, unvaried, stored, offset, mirrored, falling])
def test_moved(program: Callable[..., Any]) -> None:
    before, after = flags(program)
    assert before > 0
    assert after == 0


@pytest.mark.parametrize("program", [left_early, sometimes])
def test_not_moved(program: Callable[..., Any]) -> None:
    before, after = flags(program)
    assert before == after > 0


@pytest.mark.parametrize("n", [10**12, 2**62, 2**63 - 1])
def test_bounds_beyond_all_arrays(n: int) -> None:
    """CPython raises after a few iterations: a loop of so many comes to no end."""
    for program in (ahead, stored, left_early, sometimes):
        with pytest.raises(IndexError):
            pyxla.compile(program)(X.copy(), n, -1)


@pytest.mark.parametrize("program", [offset, mirrored, falling, there_and_back])
@pytest.mark.parametrize("a", [2**37, -(2**37), 2**40, -(2**40), 2**62, -(2**62)])
def test_offsets_beyond_all_arrays(program: Callable[..., Any], a: int) -> None:
    compiled = pyxla.compile(program)
    for n in (0, 3):
        assert result(compiled, X.copy(), n, a) == result(program, X.copy(), n, a)


def test_a_known_bound_beyond_all_arrays() -> None:
    def found(x, v):
        for i in range(10**18):
            if x[i] == v:
                break
        return i

    compiled = pyxla.compile(found)
    assert compiled(X, 3.0) == 2
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 6"):
        compiled(X, 9.0)


def test_indices_from_data() -> None:
    """What data decides is checked where it is, and ends the loop."""

    def gathered(x, at, n):
        s = 0.0
        for i in range(n):
            s += x[at[i % 3]]
        return s

    compiled = pyxla.compile(gathered)
    assert compiled(X, np.array([0, 1, 5]), 6) == 18.0
    with pytest.raises(IndexError):
        compiled(X, np.array([0, 1, 9]), 10**15)
