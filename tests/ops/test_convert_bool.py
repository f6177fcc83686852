"""Booleans as floats: zero times infinity stays NaN (XLA rewrites products with such bools)."""

import numpy as np

import pyxla


def test_products_with_converted_booleans_are_not_selects():
    def scaled(mask, x):
        return mask.astype(float) * x, mask / x, mask.astype(np.complex128) * x

    mask = np.array([False, True, False])
    x = np.array([np.nan, np.inf, np.inf])
    with np.errstate(all="ignore"):
        expected = scaled(mask, x)
    for got, want in zip(pyxla.compile(scaled)(mask, x), expected, strict=True):
        np.testing.assert_array_equal(got, want)
