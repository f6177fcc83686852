"""Sizes that number arguments decide are asked for where a function takes known sizes only."""

import math

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from tests.compare import difference


def neighbours(x, k):
    d = np.abs(x[:, None] - x)
    near = np.argsort(d, axis=1)[:, :k]
    adjacent = np.zeros(d.shape, bool)
    np.put_along_axis(adjacent, near, True, axis=1)
    return near, adjacent


def halves(x, k):
    return np.split(x[: 2 * k], 2)


def weighed(x, k):
    return [v * i for (i,), v in np.ndenumerate(x[:k])]


@pytest.mark.parametrize("function", [neighbours, halves, weighed])
def test_asked_for(function):
    compiled = pyxla.compile(function)
    for k in (2, 3, 0):
        x = np.random.default_rng(0).normal(size=6)
        assert not difference(compiled(x, k), function(x, k))


def table(n, m):
    rows = [[0 for _ in range(m + 1)] for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            rows[i][j] = max(rows[i - 1][j], rows[i][j - 1]) + (i * j % 3 == 0)
    return rows


class Grid:
    def __init__(self, n, m):
        self.rows = [[i * j for j in range(m)] for i in range(n)]


def squares(n, m):
    grid = Grid(n, m)
    return [[x * x for x in row] for row in grid.rows]


def most(compiled):
    """The most elements that an array has in the last program."""
    types = [
        v.type for i in walk(compiled.lower(*GIVEN).at("typed").function.instrs) for v in i.results
    ]
    return max([math.prod(type.shape) for type in types])


GIVEN = (5, 7)


@pytest.mark.parametrize("function", [table, squares])
def test_what_sizes_are_at_most(function):
    """Room for lists in lists is made for the next power of four of what says how many there are:
    a guess of each number would be a million."""
    compiled = pyxla.compile(function)
    for n, m in [GIVEN, (16, 15), (2, 3)]:
        assert compiled(n, m) == function(n, m)
    assert len(compiled.specializations) == 1
    assert most(compiled) <= 1 << 16
    for n, m in [(20, 300), (300, 20), (1100, 2)]:
        assert compiled(n, m) == function(n, m)
    assert table(-1, 3) == [] == pyxla.compile(table)(-1, 3)


def test_what_sizes_are_at_most_is_told():
    compiled = pyxla.compile(table)
    compiled(5, 7)
    compiled(500, 7)
    told = str(pyxla.explain(compiled))
    assert "what n is at most, a power of four, is part of the program" in told
    assert "n is int of 1024 at most, there int of 16 at most" in told


def test_programs_for_types_are_for_all_sizes(tmp_path):
    compiled = pyxla.compile(table)
    compiled.specialize(int, int)
    assert compiled(5, 7) == table(5, 7)
    assert compiled(30, 70) == table(30, 70)
    assert len(compiled.specializations) == 1
    pyxla.build(table, 5, int, path=tmp_path / "table")
    assert pyxla.load(tmp_path / "table")(30, 70) == table(30, 70)
