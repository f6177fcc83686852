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
    text = pyxla.code_hlo(program, a, b, optimized=True)
    assert " dot(" in text
    assert "lhs_contracting_dims={0}" not in text


def twice_transposed(a):
    t = a.T
    return np.tensordot(a, t, ((0,), (0,))) + np.tensordot(t, t, ((1,), (0,)))


def test_a_square_matrix_and_its_transpose():
    a = np.random.default_rng(0).random((40, 40))
    np.testing.assert_allclose(pyxla.compile(twice_transposed)(a), twice_transposed(a), rtol=1e-12)


def repeated(v, w, x):
    for _ in range(20):
        x = np.tanh(np.tanh(x @ v) @ w)
    return np.sum(x * x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_narrow_layers(dtype):
    """What the reverse of a loop multiplies by is computed there, and written row by row."""
    rng = np.random.default_rng(0)
    v, w, x = [rng.standard_normal(shape) for shape in ((10, 6), (6, 10), (64, 10))]
    slopes = pyxla.compile(lambda v, w, x: pyxla.grad(repeated, (0, 1))(v, w, x))
    found = slopes(v.astype(dtype), w.astype(dtype), x.astype(dtype))
    for slope, (dv, dw) in zip(found, ((1e-6, 0), (0, 1e-6)), strict=True):
        rows, columns = slope.shape
        step = np.zeros((rows, columns))
        step[1, 2] = 1
        ahead = repeated(v + step * dv if dv else v, w + step * dw if dw else w, x)
        behind = repeated(v - step * dv if dv else v, w - step * dw if dw else w, x)
        np.testing.assert_allclose(slope[1, 2], (ahead - behind) / 2e-6, rtol=1e-3)
    arrays = [y.astype(dtype) for y in (v, w, x)]
    assert "lhs_contracting_dims={0}" not in pyxla.code_hlo(slopes, *arrays, optimized=True)
