"""Barriers where kernels would hold copies of long code."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla


def drawn_in_turn(x, seed):
    """All that is drawn, and counted, is a function of the first state."""
    rng = np.random.default_rng(seed)
    counts = []
    for _ in range(6):
        u = rng.random(x.shape)
        x = np.where(u < 0.5, x, np.roll(x, 1) + 1)
        counts.append(x.sum())
    return x, np.array(counts)


def short(x, seed):
    """What several kernels need is short: each computes it."""
    y = x * 2 + seed
    return y.sum(), y.max(), np.sort(y), np.cumsum(y)


@pytest.mark.parametrize(("program", "few", "most"), [(drawn_in_turn, 4, 60), (short, 0, 2)])
def test_where_barriers_are(program, few, most):
    x = np.arange(6.0)
    assert few <= pyxla.code_hlo(program, x, 3).count("opt-barrier(") <= most
    for ours, theirs in zip(pyxla.compile(program)(x, 3), program(x, 3), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_code_is_not_copied_into_every_kernel():
    """It was seven times as much."""

    def count(optimized: bool) -> int:
        text = pyxla.code_hlo(drawn_in_turn, np.arange(6.0), 3, optimized=optimized)
        return len(re.findall(r" = ", text))

    assert count(optimized=True) < 4 * count(optimized=False)
