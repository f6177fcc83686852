"""Sticky flags: what is out of order is noted, loops come to an end, the second run raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.api import Compiled
from pyxla.ir.rewrite import walk
from pyxla.lower.sticky import thread_flags
from pyxla.ops.sticky import flag


def raised(function: Callable[..., Any], *args: Any) -> tuple[type, str, Any]:
    """The class and message of what a call raises, and the arguments as it left them."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the test compares it
        function(*args)
    assert not isinstance(caught.value, pyxla.CompileError), caught.value
    return type(caught.value), str(caught.value), args


def element(x, i):
    return x[i]


def quotient(log, a, b):
    log.append(a)
    a = a // b
    log.append(a)
    return a


def stores(x, n):
    for i in range(n):
        x[i] = i
    return x


def until_found(x, v):
    i = 0
    while x[i] != v:
        i += 1
    return i


def nested(table, rows):
    total = 0
    for i in range(rows):
        j = 0
        while table[i][j] > 0:
            total += 10 // (3 - j)
            j += 1
    return total


def through_calls(x, k):
    def half(i):
        return 1.0 / x[i]

    return sum([half(i) for i in range(k)])


def in_finally(x, log, i):
    try:
        return x[i]
    finally:
        log.append(i)


def caught_outside(x, i):
    try:
        return element(x, i)
    except IndexError:
        return -1.0


CASES: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (element, lambda: (np.arange(3.0), 3)),
    (element, lambda: (np.arange(3.0), -4)),
    (quotient, lambda: ([], 7, 0)),
    (stores, lambda: (np.zeros(3), 5)),
    (until_found, lambda: (np.arange(5), 9)),
    (nested, lambda: (np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0]]), 2)),
    (through_calls, lambda: ([1.0, 2.0, 0.0], 3)),
    (in_finally, lambda: (np.ones(2), [], 2)),
]


@pytest.mark.parametrize("function, make", CASES)
def test_raises_as_cpython(function: Callable[..., Any], make: Callable[[], Any]) -> None:
    ours, theirs = raised(pyxla.compile(function), *make()), raised(function, *make())
    assert ours[0] is theirs[0]
    assert ours[1] == theirs[1]
    for x, y in zip(ours[2], theirs[2], strict=True):
        np.testing.assert_array_equal(x, y)


def test_fine_after_a_fault() -> None:
    compiled = pyxla.compile(until_found)
    assert compiled(np.arange(5), 3) == 3
    with pytest.raises(IndexError):
        compiled(np.arange(5), 7)
    assert compiled(np.arange(5), 4) == 4


def test_caught_exceptions_stay_paths() -> None:
    compiled = pyxla.compile(caught_outside)
    assert [compiled(np.arange(2.0), i) for i in (1, 2)] == [1.0, -1.0]


def test_unchecked() -> None:
    assert pyxla.compile(element, checks=False)(np.arange(3.0), 7) == 2.0
    assert "flag" not in pyxla.code_typed(
        pyxla.compile(element, checks=False), np.arange(3.0), pyxla.static[1]
    )


def test_garbage_trip_counts_are_none() -> None:
    """A loop after a fault does not run as often as garbage says."""

    def repeated(n, m):
        total = 0
        for i in range(n * m):  # wraps to 2**62
            total += i % 3
        return total

    with pytest.raises(OverflowError):
        pyxla.compile(repeated)(2**31, 2**32 + 2**31)


def test_ints_that_leave_64_bits() -> None:
    def factorial(n):
        r = 1
        for i in range(1, n + 1):
            r *= i
        return r

    compiled = pyxla.compile(factorial)
    assert compiled(20) == factorial(20)
    with pytest.raises(OverflowError, match="more than 64 bits"):
        compiled(21)


def test_a_coarse_test_is_no_exception() -> None:
    """Products beyond 2**62 set the flag; those that 64 bits hold are results all the same."""
    product = pyxla.compile(lambda x, y: x * y)
    assert product(2**31, 2**31 + 5) == 2**31 * (2**31 + 5)
    with pytest.raises(OverflowError):
        product(2**32, 2**31)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def test_what_runs_behind_an_exit_sets_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    def replayed(*_: Any) -> None:
        raise AssertionError("a second run")

    monkeypatch.setattr(Compiled, "_replay", replayed)
    assert pyxla.compile(lambda x: ackermann(int(x[0]), int(x[1])))(np.array([2, 3])) == 9


def test_gradients_and_lanes() -> None:
    def picked(x, i):
        return x[i] ** 2

    x = np.arange(3.0)
    with pytest.raises(IndexError):
        pyxla.grad(picked)(x, 3)
    np.testing.assert_array_equal(pyxla.grad(picked)(x, 2), [0, 0, 4])
    lanes = pyxla.vmap(picked, in_axes=(None, 0))
    np.testing.assert_array_equal(lanes(x, np.array([0, 2])), [0, 4])
    with pytest.raises(IndexError):
        lanes(x, np.array([0, 4]))


def test_under_jit_nothing_is_raised() -> None:
    jax = pytest.importorskip("jax")
    compiled = pyxla.compile(element)
    assert float(jax.jit(lambda x: compiled(x, 5))(np.arange(3.0))) == 2.0


def test_prints_happen_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x, n):
        for i in range(n):
            print("at", i)
            x[i] += 1

    with pytest.raises(IndexError):
        pyxla.compile(told)(np.zeros(2), 3)
    assert capsys.readouterr().out == "at 0\nat 1\nat 2\n"


def test_counters_need_no_check() -> None:
    """What goes up by one stays below the horizon, whatever the number of iterations."""

    def evens(x):
        count = 0
        for v in x:
            if v % 2 == 0:
                count += 1
        return count

    assert "flag" not in pyxla.code_typed(evens, np.arange(9))


def test_flags_are_data_after_threading() -> None:
    function = pyxla.compile(until_found).lower(np.arange(5), 9).at("typed").function
    before = len([b.terminator for b in function.blocks])
    assert any(instr.op is flag for block in function.blocks for instr in block.instrs)
    stops = thread_flags(function).stops
    assert stops and len(stops) == 1  # the loop of unknown length stops where a flag is set
    assert before == len(function.blocks)
    assert not any(instr.op is flag for block in function.blocks for instr in walk(block.instrs))
