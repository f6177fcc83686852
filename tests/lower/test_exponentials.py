"""Exponentials in loops over elements: as XLA's in whole arrays, without calls of functions."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.elementwise import exponential
from pyxla.reflect import compilation

rng = np.random.default_rng(6)
ENDS = [709.782712893383996843, 709.7827128933841, 709.5, -708.396, -708.4, -745.2, 1e308, -1e308]
NUMBERS = np.concatenate(
    [
        rng.uniform(-745, 712, 4000),
        rng.normal(size=4000),
        rng.normal(size=1000) * 1e-9,
        ENDS,
        [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324],
    ]
)


def exponentials(x):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = np.exp(x[i])
    return y


def in_branches(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total += 1 / (1 + np.exp(-x[i]))
        else:
            e = np.exp(x[i])
            total += e / (1 + e)
    return total


def test_bits_are_those_of_whole_arrays():
    whole = pyxla.compile(np.exp)(NUMBERS)
    np.testing.assert_array_equal(pyxla.compile(exponentials)(NUMBERS), whole)


def test_errors():
    dtype = np.float64
    x = NUMBERS[np.isnan(NUMBERS) | np.isinf(NUMBERS) | (np.abs(NUMBERS) < 700)]
    got = pyxla.compile(exponentials)(x)
    with np.errstate(all="ignore"):
        exact = np.exp(x.astype(np.longdouble))
        expected = exact.astype(dtype)
        ordinary = np.isfinite(expected) & (expected > 2 * np.finfo(dtype).tiny)
        error = np.abs(got - exact)[ordinary] / np.spacing(expected[ordinary])
    assert got.dtype == dtype
    assert np.max(error) < 2.5
    others = ~ordinary
    np.testing.assert_allclose(got[others], expected[others], atol=2 * np.finfo(dtype).tiny)


@pytest.mark.parametrize("function", [exponentials, in_branches])
def test_no_function_is_called(function):
    region = compilation(function, NUMBERS[:9]).at("regions").region
    assert all(instr.op is not exponential for instr in walk(region.instrs))


def test_branches():
    x = NUMBERS[np.abs(NUMBERS) < 700]
    assert pyxla.compile(in_branches)(x) == pytest.approx(in_branches(x), rel=1e-13)


def test_whole_arrays_and_complex_numbers_stay():
    def function(z, x):
        for i in range(len(z)):
            z[i] = np.exp(z[i])
        return np.exp(x)

    region = compilation(function, np.ones(9, complex), NUMBERS).at("regions").region
    assert len([instr for instr in walk(region.instrs) if instr.op is exponential]) == 2


def test_single_precision_stays():
    region = compilation(exponentials, np.ones(9, np.float32)).at("regions").region
    assert any(instr.op is exponential for instr in walk(region.instrs))
