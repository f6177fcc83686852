"""Products of matrices of doubles: what is on the left lies in memory row by row."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def transposed(a, b):
    return a.T @ b


def gram(a, b):
    return b.T @ b


def computed(a, b):
    return (a.T * 2.0 - 1.0) @ b


def covariance(a, b):
    return np.cov(a.T) + np.cov(a, rowvar=False)


def inside_a_loop(a, b):
    x = a[:96, :96] + 0.0
    for _ in range(2):
        x = x.T @ b[:96, :96] / 100
    return x


PROGRAMS = [transposed, gram, computed, covariance, inside_a_loop]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_left_operands_lie_row_by_row(program, dtype):
    rng = np.random.default_rng(0)
    a, b = rng.random((150, 120)).astype(dtype), rng.random((150, 110)).astype(dtype)
    expected = program(a, b)
    got = pyxla.compile(program, verify=True)(a, b)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-3 if dtype == np.float32 else 1e-10)
    if expected.dtype == np.float64:
        text = pyxla.code_hlo(program, a, b, optimized=True)
        assert " dot(" in text
        assert "lhs_contracting_dims={0}" not in text
