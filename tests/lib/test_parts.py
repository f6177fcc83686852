"""Products with the part of a matrix that is real, and sums over the true size."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.lib import prefixes
from pyxla.lib.bounded import products as bounded_products


def right_of(a, x):
    out = np.zeros(a.shape)
    for i in range(len(a)):
        out[i, i:] = x @ a[:, i:]
        out[i:, i] += a[:, i] @ a[:, i:]
    return out


def below(a, x):
    out = np.zeros(a.shape)
    for i in range(len(a)):
        out[i:, i] = a[i:] @ x
        out[: i + 1, i] -= a.T[: i + 1] @ x
        out[i, :i] = a[:i] @ a[i]
    return out


def triangle(a, x):
    x = x.copy()
    for i in range(len(a)):
        x[i] = (x[i] - a[i, :i] @ x[:i]) / (1 + abs(a[i, i]))
    return x, [np.dot(a[i, i:], x[i:]) for i in range(3)]


def masked(a, x):
    return a[x > 0] @ x, x[x > 0] @ a[x > 0], x @ a[:, x < 0.25]


@pytest.mark.parametrize("program", [right_of, below, triangle, masked], ids=lambda p: p.__name__)
def test_products(program, monkeypatch):
    monkeypatch.setattr(bounded_products, "LARGE", 1)
    monkeypatch.setattr(prefixes, "WORTHWHILE", 4)
    monkeypatch.setattr(prefixes, "SMALLEST", 2)
    rng = np.random.default_rng(0)
    for n in (3, 9, 16, 21):
        a, x = rng.standard_normal((n, n)), rng.standard_normal(n)
        ours, theirs = pyxla.compile(program)(a, x), program(a, x)
        if not isinstance(ours, tuple):
            ours, theirs = (ours,), (theirs,)
        for y, z in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-9, atol=1e-12)
