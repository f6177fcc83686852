"""What a reverse loop saves: elements of arrays that iterations read, never the arrays."""

import re

import numpy as np
import pytest

import pyxla

N = 7


def conditional(x):
    """Each iteration reads the array that it writes, in a branch."""
    y = np.zeros(N)
    for t in range(N):
        before = x
        if t > 0:
            before = np.sin(y[t - 1]) * x
        y[t] = before * before
    return np.sum(y * y)


def branch_in_a_branch(x):
    y = np.zeros(N)
    for t in range(N):
        z = x
        if t > 0:
            w = y + y
            if t > 2:
                z = w[t - 1] * np.sin(w[t - 2]) * x
            else:
                z = np.cos(w[t - 1])
        y[t] = z + x
    return np.sum(y * y)


def inner_loop(x):
    """The inner loop reads the row before the one it writes."""
    y = np.zeros((N, 5))
    for t in range(1, N):
        row = np.zeros(5)
        for k in range(5):
            row[k] = np.sin(y[t - 1, k]) * y[t - 1, k] + x * (k + 1)
        y[t] = row
    return np.sum(y * y)


@pytest.mark.parametrize(
    ("f", "arrays"),
    [(conditional, "f64[7,7]"), (branch_in_a_branch, "f64[7,7]"), (inner_loop, "f64[7,7,5]")],
)
def test_saved_are_elements(f, arrays):
    gradient = pyxla.grad(f)
    exact = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient(0.3), exact, rtol=1e-6)
    text = pyxla.code_hlo(pyxla.compile(lambda x: pyxla.grad(f)(x)), 0.3)
    assert arrays not in text
    assert arrays.replace("7,7", "6,7") not in text


RANDOM = np.random.default_rng(0)
START, NOISE, SEEN = RANDOM.normal(size=6), RANDOM.normal(size=(4, 6)), RANDOM.normal(size=4)


def particles(x):
    """The largest of what the reverse computes anew, perhaps rounded another way."""
    total = 0.0
    for t in range(4):
        x = 0.9 * x + 0.6 * NOISE[t]
        logs = -0.5 * (SEEN[t] - x) ** 2
        largest = logs.max()
        weights = np.exp(logs - largest)
        total += largest + np.log(weights.mean())
        at = np.searchsorted(np.cumsum(weights), (np.arange(6) + 0.5) / 6)
        x = x[np.minimum(at, 5)]
    return total


def test_largest_of_what_is_computed_anew():
    found = pyxla.grad(particles)(START)
    steps = np.eye(6) * 1e-6
    exact = [(particles(START + s) - particles(START - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-8)


def test_short_loops_inside_of_others_have_little_room():
    """The room is made anew each time: that of a loop by itself took longer than the loop.

    One entry more is for what nobody reads.
    """

    def f(x, n):
        total = 0.0
        for i in range(n):
            y = x + i
            while y > 1.0:
                y = np.sin(y) * 0.5 + y * 0.25
            total += y
        return total

    code = str(pyxla.code_stablehlo(pyxla.grad(f), 2.0, 4))
    assert max(map(int, re.findall(r"tensor<(\d+)xf64", code))) <= 2049
    step = 1e-6
    slope = (f(2.0 + step, 4) - f(2.0 - step, 4)) / (2 * step)
    np.testing.assert_allclose(pyxla.grad(f)(2.0, 4), slope, rtol=1e-6)
