"""Scatters into tables as loops: NumPy's elements, the last of equal positions, sums of all."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation


def assigned(a, i, j, u):
    a[i, j] = u
    a[j[:40], -1 - i[:40]] = 7
    return a


def added(a, i, j, u):
    np.add.at(a, (i, j), u)
    np.maximum.at(a, (j, i), u)
    return a


def masked(a, i, j, u):
    m = u.real > 0
    a[i[m], j[m]] = u[m]
    a[i[~m], 1] += 1
    return a, len(u[m])


def shrinking(a, i, j, u):
    for k in range(5):
        m = u.real > k / 4
        a[i[m], j[m]] = k
        a[j[m], i[m]] = u[m]
        u, i, j = u[m], i[m], j[m]
    return a, u


def planes(a, i, j, u):
    b = np.zeros((9, 3, 11, 2), u.dtype)
    b[i, 1, j] += 1
    b[i, 1, j, 0] = u
    c = np.zeros((9, 11), bool)
    c[i.reshape(5, -1), j.reshape(5, -1)] = True
    return b, c


PROGRAMS = [assigned, added, masked, shrinking, planes]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_scattered_elements(program):
    rng = np.random.default_rng(0)
    compiled = pyxla.compile(program)
    for dtype in (np.float64, np.float32, np.int32, np.complex128):
        if program is added and dtype is np.complex128:
            continue
        for index in (np.int64, np.int8):
            a = np.zeros((11, 11), dtype)
            i, j = rng.integers(-9, 9, (2, 100)).astype(index)
            u = (rng.standard_normal(100) * 4).astype(dtype)
            ours, theirs = a.copy(), a.copy()
            got, expected = compiled(ours, i, j, u), program(theirs, i, j, u)
            got, expected = [x if type(x) is tuple else (x,) for x in (got, expected)]
            for x, y in zip(got, expected, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-5)
                assert np.asarray(x).dtype == np.asarray(y).dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_only_scatters_into_tables_become_loops():
    x, i = pyxla.f64[11, 11], pyxla.i64[100]
    text = compilation(assigned, x, i, i, pyxla.f64[100]).text("regions")
    assert "while" in text and "scatter" not in text
    text = compilation(histogram, i).text("regions")
    assert "while" not in text and "scatter" in text


def histogram(i):
    counts = np.zeros(9)
    np.add.at(counts, i, 1)
    return counts
