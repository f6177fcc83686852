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


def around(a, b, steps):
    c = a + b
    for i in range(steps):
        for k in range(len(a)):
            c[k] = a[k] + 0.5 * b[k] + i
        a, b, c = b, c, a
    return a, b, c


def rounds_of_two_and_three(a, b, steps):
    """The longer round is taken."""
    c, d, e = a + b, a - b, a * b
    for i in range(steps):
        for k in range(len(a)):
            c[k] = a[k] + 0.5 * b[k] + i
            d[k] += e[k] * 0.5
        a, b, c = b, c, a
        d, e = e, d
    return a, b, c, d, e


def wave(u, steps):
    before, now = u.copy(), u * 1.5
    for _ in range(steps):
        after = np.full_like(now, 0.25)
        for i in range(1, len(u) - 1):
            after[i] += 2 * now[i] - before[i] + 0.1 * (now[i - 1] + now[i + 1] - 2 * now[i])
        before = now
        now = after
    return now, before


def wave_that_ends(u, steps, limit):
    """By what an array holds, or by a `break`."""
    before, now, k = u.copy(), u * 1.5, 0
    while now.sum() < limit:
        after = np.zeros_like(now)
        for i in range(1, len(u) - 1):
            after[i] = 2.1 * now[i] - before[i] + 1e-3
        before, now, k = now, after, k + 1
        if k == steps:
            break
    return now, before, k


def waves(u, rounds, steps):
    total = 0.0
    for _ in range(rounds):
        now, _ = wave(u, steps)
        total += now.sum()
        u = u * 0.5
    return total, u


def read_twice(u, steps):
    """Two names get the same array, which is no round."""
    a, b, c = u.copy(), u + 1, u + 2
    for _ in range(steps):
        new = np.zeros_like(u)
        for i in range(len(u)):
            new[i] = a[i] + b[i] * c[i] * 0.1
        b = a
        c = a
        a = new
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
    *[(around, (X, X[::-1], n)) for n in range(8)],
    *[(rounds_of_two_and_three, (X, X[::-1], n)) for n in (0, 1, 2, 3, 7)],
    *[(wave, (X, n)) for n in range(8)],
    *[(wave_that_ends, (X, n, limit)) for n in (1, 2, 3, 9) for limit in (0.0, 30.0, 90.0, 1e9)],
    *[(waves, (X, n, steps)) for n in (0, 2, 3) for steps in (0, 1, 5)],
    *[(read_twice, (X, n)) for n in (0, 1, 4)],
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


def copies_in_loops(function, *args):
    """How often an array is copied in the bodies of the loops of what XLA makes."""
    text = pyxla.compile(function).lower(*args).text("optimized")
    bodies = set(re.findall(r"while\(.*body=%([\w.]+)", text))
    inside, copies = "", []
    for line in text.splitlines():
        if found := re.match(r"(?:ENTRY )?%([\w.]+) \(", line):
            inside = found.group(1)
        if inside in bodies and re.search(r"= f64\[5000\]\S* copy\(", line):
            copies.append(line)
    assert bodies
    return len(copies)


LONG = np.linspace(0, 1, 5000)


def test_two_iterations_copy_one_array_rather_than_eight():
    assert copies_in_loops(heat, LONG, 10) <= 1


@pytest.mark.parametrize(("function", "args"), [(around, (LONG, LONG)), (wave, (LONG,))])
def test_three_iterations_copy_two_arrays_rather_than_twelve(function, args):
    assert copies_in_loops(function, *args, 10) <= 2
