"""How much a region computes, at most."""

from __future__ import annotations

import math
from collections.abc import Callable

import pyxla
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ir.types import I64
from pyxla.lower.flops import work
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
    assert work(Region((), builder.instrs, ())) == 0
    with building(builder):
        endless(builder, start)
    assert work(Region((), builder.instrs, ())) == math.inf


def halving(x, n):
    for _ in range(n):
        x = x * 0.5
    return x


def test_nests_of_known_loops_and_of_unknown_ones() -> None:
    thousand = lambda x: halving(halving(x, 1000), 1000)  # noqa: E731
    region = compilation(thousand, pyxla.f64[100]).at("regions").origin
    assert 2000 * 100 <= work(region) < 2000 * 1000
    assert work(compilation(halving, pyxla.f64[100], int).at("regions").origin) == math.inf
