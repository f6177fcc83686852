"""Positions of masks by loops: NumPy's elements in NumPy's order."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation


def packed(x, m):
    return x[m], np.flatnonzero(m), x[~m].sum(), len(x[m])


def again(x, m):
    y = x[m]
    z = y[y > 0.5]
    return z, z[z < 0.75], y[1:][y[1:] > 0.9]


def shrinking(x, m):
    counts = np.zeros(6, int)
    places = np.arange(len(x))
    for i in range(6):
        x = x * 1.5
        keep = x < 4
        x = x[keep]
        places = places[keep]
        counts[i] = len(x)
    return x, places, counts


def written(x, m):
    x[m] = x[m] * 2 + 1
    x[x > 2] -= 1
    return x, np.argwhere(x > 1), np.unique(np.round(x * 4))


PROGRAMS = [packed, again, shrinking, written]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_packed_elements(program):
    rng = np.random.default_rng(0)
    compiled = pyxla.compile(program)
    for x in (rng.random(100), (rng.random(100) * 4).astype(np.complex128).real.copy()):
        for m in (x > 0.5, x > 9, x < 9, np.arange(100) == 99, np.arange(100) % 2 == 0):
            ours, theirs = x.copy(), x.copy()
            for a, b in zip(compiled(ours, m), program(theirs, m), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)
                assert np.shape(a) == np.shape(b)
            np.testing.assert_array_equal(ours, theirs)


def test_masks_are_packed_by_loops():
    x = pyxla.f64[100]
    text = compilation(packed, x, pyxla.bool_[100]).text("regions")
    assert "while" in text and "reduce_window" not in text and "scatter" not in text
    small = compilation(packed, pyxla.f64[8], pyxla.bool_[8]).text("regions")
    assert "scatter" in small
