"""Products with vectors: sums where that saves making the matrix, library calls elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def made(a, x):
    return (a * 2) @ x, x @ np.exp(a), (a[0][:, None] + a[1]) @ x, a[1:] @ x, x @ a[:, 9:]


def in_memory(a, x):
    """Arguments, and what is needed itself."""
    b = a + 1
    return a @ x, x @ a, b, b @ x


def small(a, x):
    return (a[:100, :100] * 2) @ x[:100]


@pytest.mark.parametrize(("program", "calls"), [(made, 0), (in_memory, 3), (small, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_products_are_library_calls(program, calls, dtype):
    rng = np.random.default_rng(0)
    a, x = rng.random((300, 300), dtype), rng.random(300, dtype)
    found = pyxla.code_hlo(program, a, x)
    assert found.count(" dot(") == calls
    results = pyxla.compile(program)(a, x)
    pairs = zip(results, program(a, x), strict=True) if calls != 1 else [(results, program(a, x))]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=1e-3 if dtype == np.float32 else 1e-10)
