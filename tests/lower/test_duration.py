"""How long a region runs at most, as a sum of products of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import pyxla
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ir.types import I64
from pyxla.lower.duration import duration
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare
from pyxla.ops.filled import integer
from pyxla.reflect import compilation


def counted(builder: Builder, trips: int, step: Callable[[Value], Value]) -> Value:
    """What a loop of so many iterations counts, which does `step` in each."""
    limit = lambda i: compare(i, integer(trips), direction="LT")  # noqa: E731
    once = lambda i: add(step(i), integer(1))  # noqa: E731
    regions = builder.region((I64,), limit), builder.region((I64,), once)
    return while_(integer(0), regions=regions)[0]


def endless(builder: Builder, x: Value) -> Value:
    """A loop of which nothing tells how long it is."""
    same = lambda y: compare(y, x, direction="EQ")  # noqa: E731
    regions = builder.region((I64,), same), builder.region((I64,), lambda y: y)
    return while_(x, regions=regions)[0]


def test_what_a_loop_that_does_not_run_holds_counts_for_nothing() -> None:
    def around(i: Value) -> Value:
        endless(builder, i)
        return i

    with building(Builder([], None)) as builder:
        start = counted(builder, 0, around)
    assert duration(Region((), builder.instrs, ())) == {}
    with building(builder):
        endless(builder, start)
    assert duration(Region((), builder.instrs, ())) is None


def halving(x, n):
    for _ in range(n):
        x = x * 0.5
    return x


def operations(f: Callable[..., int], *args: int) -> float:
    """What a run with these ints takes at most."""
    found = duration(compilation(f, *[int] * len(args)).at("regions").origin)
    if found is None:
        return math.inf
    return sum(n * math.prod([max(args[k], 0) for k in key]) for key, n in found.items())


def test_nests_of_known_loops_and_of_given_ones() -> None:
    thousand = lambda x: halving(halving(x, 1000), 1000)  # noqa: E731
    region = compilation(thousand, pyxla.f64[100]).at("regions").origin
    assert 2000 * 100 <= duration(region)[()] < 2000 * 1000
    given = duration(compilation(halving, pyxla.f64[100], int).at("regions").origin)
    assert given.keys() - {()} == {(1,)}
    assert 100 <= given[(1,)] < 1000


def triangle(n):
    count = 0
    for i in range(n):
        for _ in range(i, 60):
            count += 1
    return count


def downwards(n, m):
    count = 0
    for i in range(n - 1, -1, -1):
        j = i
        while j >= 3 and count < m:
            j -= 1
            count += 1
    return count


def backwards(_):
    count = 0
    for i in range(99, -1, -1):
        for _ in range(i + 1, 100):
            count += 1
    return count


def doubled(n):
    count, width = 0, 1
    while width < n:
        width *= 2
        count += 1
    while n > 0:
        n >>= 1
        count += 1
    return count


def strides(n, m):
    count = 0
    for _ in range(-5, 2 * n + m + 7, 3):
        for _ in range(min(n, 4)):
            count += 1
    return count


def meeting(n):
    count, low, high = 0, 0, n
    while low <= high:
        low, high = low + 1, high - 2
        count += 1
    return count


def branches(n, m):
    count = 0
    most = n // 7 if m > n else m % 11
    for i in range(most):
        if i % 2:
            for _ in range(m):
                count += 1
        else:
            for _ in range(n & 15):
                count += 1
    return count


def jumps(n, m):
    count, i = 0, 0
    while i < n:
        i += 2 if (i * m) % 3 == 1 else 1
        count += 1
    return count


def kept(n, m):
    count, items = 0, []
    for i in range(n):
        if (i * m) % 3 == 1:
            items.append(i)
    for _ in items:
        count += 1
    return count


def words(n, m):
    count, i = 0, 0
    while i < n:
        while i < n and (i * m) % 5:
            i += 1
            count += 1
        i += 1
    return count


def stacked(n, m):
    count, depth = 0, 0
    for i in range(n):
        depth += 1 if (i * m) % 3 else -1
        for _ in range(depth):
            count += 1
    return count


def sifted(n):
    """As heaps do: to the leaves, where the last two are nearest, and back."""
    count, place = 0, 0
    child = 2 * place + 1
    while child < n:
        if child + 1 < n and child % 3:
            child += 1
        place, child = child, 2 * child + 1
        count += 1
    while place > 0:
        place = (place - 1) // 2
        count += 1
    return count


@pytest.mark.parametrize(
    "f",
    [
        triangle,
        downwards,
        backwards,
        doubled,
        strides,
        meeting,
        branches,
        jumps,
        kept,
        words,
        stacked,
        sifted,
    ],
)
@pytest.mark.parametrize("given", [(-3, 2), (0, 0), (1, 9), (60, 40), (41, 500)])
def test_what_runs_less_often_than_is_said(f: Callable[..., int], given: tuple[int, int]) -> None:
    args = given[: f.__code__.co_argcount]
    count = f(*args)
    assert count <= operations(f, *args) <= 100_000 * (count + 10)


def collatz(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def stands_at_zero(n):
    child = 0
    while child < n:
        child = 2 * child
    return child


def stays(n, m):
    while n < 10:
        n += m
    return n


def turned(n):
    count = 0
    for _ in range(-n, 10):
        count += 1
    return count


def returns(n, m):
    i = 0
    while i < n:
        i += 1 if (i * m) % 3 else -1
    return i


@pytest.mark.parametrize("f", [collatz, stands_at_zero, stays, turned, returns])
def test_what_may_take_for_ever(f: Callable[..., int]) -> None:
    assert operations(f, *[4] * f.__code__.co_argcount) == math.inf
