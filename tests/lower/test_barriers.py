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


def limited(x, w):
    """Slopes that two kernels need, one of them at two places, and that take long."""
    slope = (np.roll(x, 1, axis=0) - np.roll(x, -1, axis=0)) / (np.abs(w) + 1)
    slope = slope / (np.abs(slope) + 1) / np.sqrt(w * w + 1)
    y = x + slope / 2
    return np.roll(y, 1, axis=0) - y, slope


def in_one_kernel(x, w):
    """What one kernel needs twice at one place it computes once."""
    y = np.exp(x) / (1 + np.exp(w))
    return y * (1 - y)


def stencil_of_stencil(x, w):
    """Sums of neighbours are as quick again as they are written."""
    y = x[1:, 1:] + x[:-1, 1:] + x[1:, :-1] + x[:-1, :-1]
    return y[1:, 1:] - y[:-1, 1:] + y[1:, :-1] - y[:-1, :-1]


@pytest.mark.parametrize(
    ("program", "size", "count"),
    [
        (residual, 64, 3),
        (residual, 8, 0),
        (in_loop, 64, 1),
        (activated, 64, 0),
        (added, 64, 0),
        (limited, 64, 1),
        (limited, 32, 0),
        (in_one_kernel, 64, 0),
        (stencil_of_stencil, 80, 0),
    ],
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


def in_time(x, w, end):
    """A loop that begins with many numbers, which one function makes."""
    t, k, shown = 0.0, 0, 0.0
    while t < end:
        slope = (x - np.roll(x, 1)) / (np.abs(w) + 1) / np.sqrt(x * x + 1)
        step = 0.01 / (slope.max() + 1)
        a, b, c, d = t * 2.0, t * 3.0 + k, np.cos(t), k * 0.5
        x = x * (1 - d * 0.001) + (np.roll(slope, 1) - slope) * step * c
        w = w + (np.roll(slope, -1) + slope) * (a + b) * 0.001
        if t + step > k * 0.1:
            step, k = k * 0.1 - t + 0.001, k + 1
        t, shown = t + step, shown + a + b
    return x, w, k, shown


def test_barriers_hold_in_loops_that_call_functions():
    x, w = np.random.default_rng(0).standard_normal((2, 64, 64))
    assert "opt-barrier(" in pyxla.code_hlo(in_time, x, w, 0.5, optimized=True)
    for ours, theirs in zip(pyxla.compile(in_time)(x, w, 0.5), in_time(x, w, 0.5), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


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
