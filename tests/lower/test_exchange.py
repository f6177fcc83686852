"""Loops that exchange arrays: what they compute, and that they hardly copy them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla


def heat(u, steps):
    u, new = u.copy(), u.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, new = new, u
    return u, new


def relaxed(u, tol):
    u, new, k = u.copy(), u.copy(), 0
    while True:
        for i in range(1, len(u) - 1):
            new[i] = 0.5 * (u[i - 1] + u[i + 1])
        change = np.abs(new - u).max()
        u, new, k = new, u, k + 1
        if change < tol:
            break
    return u, new, k


def until_marked(u, steps, limit):
    """The condition reads an element of an array that changes places."""
    new = u * 0.0
    k = 0
    while k < steps and u[3] < limit:
        new[:] = u + 1.0
        u, new = new, u
        k += 1
    return u, new, k


def within_another(u, rounds, steps):
    new = np.zeros_like(u)
    for r in range(rounds):
        for _ in range(steps + r):
            new[1:] = u[:-1] + r
            new[0] = u[-1]
            u, new = new, u
        u[r] = -1.0
    return u, new


def three(a, b, steps):
    c = a + b
    for i in range(steps):
        c[i] = a[i] - b[i]
        a, b, c = b, a, c
    return a, b, c


def out_of_range(u, steps):
    new = u.copy()
    for i in range(steps):
        new[i] = u[i] * 2
        u, new = new, u
    return u.sum()


X = np.linspace(0, 1, 40) ** 2
CALLS = [
    *[(heat, (X, n)) for n in (0, 1, 2, 5)],
    *[(relaxed, (X, tol)) for tol in (1.0, 1e-2, 1e-3, 9e-4)],
    *[(until_marked, (X, n, limit)) for n in (0, 3, 8) for limit in (0.0, 2.5, 3.5, 90.0)],
    *[(within_another, (X, r, n)) for r in (0, 1, 4) for n in (0, 1, 2)],
    *[(three, (X, X[::-1], n)) for n in (0, 1, 4)],
]


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_as_numpy(function, args):
    ours, theirs = [[np.copy(x) if np.ndim(x) else x for x in args] for _ in range(2)]
    for actual, expected in zip(pyxla.compile(function)(*ours), function(*theirs), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-15)
    for mine, yours in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, yours)


@pytest.mark.parametrize("steps", [3, 40, 41, 42])
def test_faults(steps):
    compiled = pyxla.compile(out_of_range)
    if steps <= 40:
        assert np.isclose(compiled(X.copy(), steps), out_of_range(X.copy(), steps))
    else:
        with pytest.raises(IndexError, match="index 40 is out of bounds"):
            compiled(X.copy(), steps)


@pytest.mark.parametrize("steps", [1, 4])
def test_gradient(steps):
    def energy(u):
        return np.sum(heat(u, steps)[0] ** 2)

    at, step = X[5], 1e-6 * np.eye(1, 40, 5)[0]
    slope = (energy(X + step) - energy(X - step)) / 2e-6
    np.testing.assert_allclose(pyxla.grad(energy)(X)[5], slope, rtol=1e-6, atol=1e-9 + at * 0)


def test_two_iterations_copy_one_array_rather_than_eight():
    u = np.linspace(0, 1, 5000)
    text = pyxla.compile(heat).lower(u, 10).text("optimized")
    bodies = set(re.findall(r"while\(.*body=%([\w.]+)", text))
    inside, copies = "", []
    for line in text.splitlines():
        if found := re.match(r"(?:ENTRY )?%([\w.]+) \(", line):
            inside = found.group(1)
        if inside in bodies and re.search(r"= f64\[5000\]\S* copy\(", line):
            copies.append(line)
    assert bodies
    assert len(copies) <= 1, copies
