"""Barriers where kernels would compute again what others have computed."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla


def residual(x, w):
    """Each layer adds to what came before: its sum is needed by a product and by the next."""
    for layer in (w, w.T, w, w.T):
        x = x + np.tanh(x @ layer)
    return x


def in_loop(x, w):
    for k in range(40):
        x = x * 0.5 + np.tanh(x @ w + k)
        x = x - (x @ w) * 0.1
    return x


def activated(x, w):
    """From one array, what is needed twice is computed twice."""
    y = np.maximum(x @ w, 0)
    return y @ w, y.sum()


def added(x, w):
    """Sums of few arrays are cheap."""
    y = x + w
    return y * 2, y.sum()


@pytest.mark.parametrize(
    ("program", "size", "count"),
    [(residual, 64, 3), (residual, 8, 0), (in_loop, 64, 1), (activated, 64, 0), (added, 64, 0)],
)
def test_where_barriers_are(program, size, count):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, size, size)).astype(np.float32) / size
    assert pyxla.code_hlo(program, x, w).count("opt-barrier(") == count
    ours, theirs = pyxla.compile(program)(x, w), program(x, w)
    if not isinstance(ours, tuple):
        ours, theirs = [ours], [theirs]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_barriers_hold_until_kernels_are_made():
    x, w = np.ones((2, 64, 64), np.float32)
    assert pyxla.code_hlo(residual, x, w, optimized=True).count("opt-barrier(") == 3


def drawn_in_turn(x, seed):
    """All that is drawn, and counted, is a function of the first state."""
    rng = np.random.default_rng(seed)
    counts = []
    for _ in range(6):
        u = rng.random(x.shape)
        x = np.where(u < 0.5, x, np.roll(x, 1) + 1)
        counts.append(x.sum())
    return x, np.array(counts)


def test_what_is_drawn_in_turn():
    x = np.arange(6.0)
    for ours, theirs in zip(pyxla.compile(drawn_in_turn)(x, 3), drawn_in_turn(x, 3), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_code_is_not_copied_into_every_kernel():
    """It was seven times as much."""

    def count(optimized: bool) -> int:
        text = pyxla.code_hlo(drawn_in_turn, np.arange(6.0), 3, optimized=optimized)
        return len(re.findall(r" = ", text))

    assert count(optimized=True) < 4 * count(optimized=False)
