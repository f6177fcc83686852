"""Masked extrema: what stands for the elements that take no part is hidden from LLVM."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation


def rows(x):
    total = np.zeros(x.shape[0], x.dtype)
    for k in range(3):
        total += np.nanmax(x - k, axis=1) + np.nanmin(x * k, axis=1)
    return total


def leading(x):
    total = x.dtype.type(0)
    for k in range(1, x.shape[1]):
        total += x[0, :k].max() - x[1, :k].min()
    return total


def where(x):
    m = x > 0.5
    high = np.max(x, axis=1, where=m, initial=-0.0)
    return high, np.min(x, axis=1, where=m, initial=0.0), np.where(m, x, -0.0).max(1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("program", [rows, leading, where], ids=lambda f: f.__name__)
def test_masked_extrema(program, dtype):
    x = (np.random.default_rng(0).random((5, 70)) - 0.4).astype(dtype)
    if program is rows:
        x[2, 3] = np.nan
    got, expected = pyxla.compile(program)(x), program(x)
    for ours, theirs in zip(np.atleast_2d(got), np.atleast_2d(expected), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_fills_are_hidden_outside_of_loops():
    text = compilation(rows, np.ones((5, 70))).text("regions")
    assert "optimization_barrier" in text.split("while")[0]


def test_numbers_that_llvm_selects_at_no_cost_are_left():
    text = compilation(leading, np.ones((5, 70), int)).text("regions")
    assert "optimization_barrier" not in text
