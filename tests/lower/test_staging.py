"""Reductions in stages: NumPy's values, and operands that are made where they are added up."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla

SHAPES = [
    ((2048, 16), (0,)),
    ((2039, 9), (0,)),
    ((70, 5, 12), (0, 1)),
    ((40, 3, 50, 8), (0, 2)),
    ((3, 700, 1, 11), (1, 2)),
    ((200, 40, 3), (0, 1)),
    ((5, 3000), (1,)),
    ((131072,), (0,)),
    ((131071,), (0,)),
    ((2, 70000), (1,)),
    ((2, 70000), (0, 1)),
    ((33, 64), (0,)),
    ((0, 4096), (0,)),
]


def reductions(x, axis):
    halved = x % 7 - 2
    return (
        np.sum(halved, axis),
        np.max(halved, axis, initial=-3),
        np.min(halved, axis, initial=9),
        np.any(halved > 3, axis),
        np.all(halved < 4, axis),
        np.mean(x * 0.5, axis),
        np.add.reduce(x, axis, initial=5),
    )


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_values(shape, axis):
    x = np.arange(np.prod(shape)).reshape(shape)
    for array in (x, (x * 0.25).astype(np.float32)):
        made = pyxla.compile(reductions)(array, axis)
        for ours, theirs in zip(made, reductions(array, axis), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_nan_and_products():
    def f(x):
        return x.max(0), np.prod(x, 0), np.nansum(x, 0)

    x = np.linspace(0.9, 1.1, 100 * 40).reshape(100, 40)
    x[70, 3] = np.nan
    for ours, theirs in zip(pyxla.compile(f)(x), f(x), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_long_sums_lose_little_to_rounding():
    x = np.random.default_rng(0).random(3_000_017).astype(np.float32)
    exact = x.astype(float).sum()
    assert abs(pyxla.compile(np.sum)(x) - exact) < 1e-6 * exact
    rows = x[:3_000_000].reshape(30_000, 100)
    exact = rows.astype(float).sum(0)
    assert (abs(pyxla.compile(lambda x: x.sum(0))(rows) - exact) < 2e-6 * exact).all()


def test_operands_are_fused():
    def f(x):
        return np.sum((x - 0.5) ** 2, 0), np.sum(np.abs(x))

    text = pyxla.code_hlo(f, np.ones((4096, 64)), optimized=True)
    made = re.findall(r"= f64\[(?:4096,64|262144)\]\S* (\S+)\(", text[text.index("ENTRY") :])
    assert set(made) <= {"parameter", "bitcast"}
