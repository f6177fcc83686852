"""What is written to one place several times is what NumPy leaves there, in whatever order."""

from __future__ import annotations

import types

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import ops_in, walk
from pyxla.lower.accelerators import as_numpy
from pyxla.ops import index_meaning
from pyxla.ops.index import scatter
from pyxla.reflect import compilation
from tests.ir.interp import run_region


def elements(a, i, j, u):
    a[i, j] = u
    return a


def few(a, i, j, u):
    a[i[:3], 1] = u[:3]
    a[i[:3], j[:3]] = u[3:6]
    return a


def rows(a, i, j, u):
    a[i] = u[:7]
    a[:, j[:9]] = np.outer(u[:7], u[:9])
    return a


def blocks(a, i, j, u):
    a[i.reshape(4, 5), 2:5] = u[:20].reshape(4, 5, 1)
    return a


def looped(a, i, j, u):
    for k in range(3):
        a[(i + k) % 7, j] = u * k
        if u[k] > 0:
            a[i[: 4 + k], j[k] % 7] = k
    return a


def grown(a, i, j, u):
    m = u > 0
    a[i[m], j[m]] = u[m]
    return a


PROGRAMS = [elements, few, rows, blocks, looped, grown]


def given(program):
    rng = np.random.default_rng(3)
    i, j = rng.integers(0, 7, 20), rng.integers(-7, 7, 20)
    i[:3], j[:3] = (2, 5, 2), (1, 4, -6)
    return np.zeros((7, 7)), i, j, rng.standard_normal(20)


@pytest.fixture
def in_any_order(monkeypatch):
    """Windows of a scatter are written in an order that is drawn."""
    rng = np.random.default_rng(0)

    def shuffled(*shape):
        places = list(np.ndindex(*shape))
        rng.shuffle(places)
        return places

    drawn = types.SimpleNamespace(**{**vars(np), "ndindex": shuffled})
    monkeypatch.setattr(index_meaning, "np", drawn)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_last_of_equal_places(program, in_any_order):
    args = given(program)
    plain = compilation(program, *args).at("regions").plain
    settled = as_numpy(plain, "HIGHEST")
    assert settled is not plain
    flat = [np.asarray(x) for x in args]
    differ = 0
    for _ in range(5):
        (result, *_) = run_region(settled, *flat)
        np.testing.assert_array_equal(result, program(*given(program)))
        differ += not np.array_equal(result, run_region(plain, *flat)[0])
    assert differ  # the order is seen where nothing is done about it


def positions(x):
    return np.flatnonzero(x > 0.5)


def counts(i):
    total = np.zeros(9)
    np.add.at(total, i, 1)
    total[i[0]] = 3
    return total


@pytest.mark.parametrize(
    ("program", "of"),
    [(positions, pyxla.f64[40]), (counts, pyxla.i64[40])],
    ids=["positions", "counts"],
)
def test_what_is_no_matter_of_order_stays(program, of):
    plain = compilation(program, of).at("regions").plain
    assert as_numpy(plain, "HIGHEST") is plain
    assert scatter in ops_in((plain,)) or not list(walk(plain.instrs))
