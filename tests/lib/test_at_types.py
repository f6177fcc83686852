"""`ufunc.at` between types: NumPy computes each step in the type of both, and casts it back."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

FUNCTIONS = [np.add, np.subtract, np.multiply, np.maximum, np.minimum]
NUMBERS = [3, 300, True, -1, 2.5, np.int64(3), np.uint8(200), np.float32(2.5)]
ARRAYS = [np.array([1, 2, 3]), np.array([1.5, 2, 3]), np.array([True, False, True])]


def call(ufunc, x, values):
    ufunc.at(x, [0, 2, 0], values)
    return x


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c16"])
def test_steps_are_computed_in_the_type_of_both_or_refused(dtype):
    compiled, agreed = pyxla.compile(call), 0
    for ufunc in FUNCTIONS:
        for values in NUMBERS + ARRAYS:
            x = np.array([1, 5, 7], dtype)
            try:
                got = compiled(ufunc, x.copy(), values)
            except pyxla.CompileError:
                continue
            try:
                expected = call(ufunc, x, values)
            except RuntimeWarning:
                continue  # a negative float is no unsigned int: the result is undefined
            np.testing.assert_allclose(got, expected, 1e-6, strict=True)
            agreed += 1
    assert agreed >= (0 if dtype == "?" else 15)


def test_integers_beyond_those_of_floats():
    x = np.array([2**64 - 5000, 5, 2**63 + 1025], np.uint64)
    for ufunc in (np.add, np.maximum):
        got = pyxla.compile(call)(ufunc, x.copy(), 3)
        np.testing.assert_array_equal(got, call(ufunc, x.copy(), 3), strict=True)


def test_a_float_is_not_cut_to_an_integer():
    with pytest.raises(pyxla.CompileError, match="Cannot cast ufunc 'multiply' output"):
        pyxla.compile(call)(np.multiply, np.arange(3), 2.5)
