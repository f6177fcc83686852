"""Python's ints that meet arrays of a shorter type, where the arrays' type cannot hold them."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

INTS = [-(2**31) - 1, -129, -1, 0, 1, 44, 128, 256, 65536, 2**31, 2**32, 2**62]


def compared(x, s):
    return [x == s, x != s, x < s, x <= s, x > s, x >= s, s == x, s < x, s >= x, np.less(x, s)]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f4"])
def test_comparisons_are_exact(dtype):
    compiled = pyxla.compile(compared)
    kind = np.dtype(dtype)
    ends = (np.iinfo(kind).min, np.iinfo(kind).max) if kind.kind in "iu" else (0, 1)
    numbers = np.array([*ends, 0, 1], kind)
    for s in INTS:
        for x in (numbers, numbers[1]):
            for got, expected in zip(compiled(x, s), compared(x, s), strict=True):
                assert type(got) is type(expected)
                np.testing.assert_array_equal(got, expected)


def test_what_is_searched_keeps_its_value():
    def where(x, s):
        return np.searchsorted(x, s), x.searchsorted(s, "right"), s in x

    for x, s in [(np.arange(3, dtype="i1"), 256), (np.array([0.1], "f4"), 0.1)]:
        assert pyxla.compile(where)(x, s) == where(x, s)


def test_a_complex_number_takes_a_float_of_numpys_as_pythons():
    """`np.float64` is a float, which Python's complex converts before NumPy is asked."""

    def operated(z, x):
        return [z + x, z - x, z * x, z / x, z**x, z == x, z != x, x + z, z + x.real]

    for x in (np.float64(2.5), np.float32(2.5), np.int64(3)):
        got, expected = pyxla.compile(operated)(1 + 2j, x), operated(1 + 2j, x)
        assert [type(r) for r in got] == [type(r) for r in expected]
        np.testing.assert_allclose(got, expected, 1e-15)
