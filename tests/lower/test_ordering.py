"""Loops that update arrays in the body of another come last of what uses the arrays."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla


def escaping(c, steps):
    z = np.zeros_like(c)
    number = np.arange(len(c))
    seen = np.zeros(len(c), int)
    for i in range(steps):
        z = z * z + c
        out = abs(z) > 2
        seen[number[out]] = i + 1
        z, c, number = z[~out], c[~out], number[~out]
    return seen, len(z)


def halves(x, steps):
    low, high = x, x
    total = 0.0
    for _ in range(steps):
        middle = x.mean()
        low, high = x[x < middle], x[x >= middle]
        total += low.sum() - high.sum()
        x = high if len(high) > len(low) else low
    return total, len(x)


def kept_for_later(x, steps):
    """The old array is a result too, so that it is copied whatever the order."""
    before = x
    for _ in range(steps):
        before = x
        x = x[x > x.min()] + 1
    return x, before


def shifted(x, steps):
    """What reads the array after the update reads the new one."""
    total = 0.0
    for k in range(steps):
        y = x[x > k]
        total += y.sum() + x[0] + (x * 2).max()
        x = np.concatenate((y, y))[: len(x)]
    return total, x


PROGRAMS = {
    escaping: lambda n: (np.exp(1j * np.arange(n)) * np.linspace(0, 2.5, n), 9),
    halves: lambda n: (np.random.default_rng(n).standard_normal(n), 4),
    kept_for_later: lambda n: (np.arange(n) * 1.0, 5),
    shifted: lambda n: (np.arange(1.0, n + 1), 3),
}


@pytest.mark.parametrize("size", [40, 3000])
@pytest.mark.parametrize("program", PROGRAMS)
def test_values(program, size):
    args = PROGRAMS[program](size)
    made = pyxla.compile(program, verify=True)(*args)
    for got, wanted in zip(made, program(*args), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_only_the_first_of_two_loops_copies_what_both_move():
    c, steps = PROGRAMS[escaping](4000)
    made = pyxla.compile(escaping).lower(c, steps).text("optimized")
    copies = re.findall(r"= (?:c128|s64)\[4000\]\S* copy\(", made)
    assert len(copies) <= 3, copies
