"""Quotients are those of NumPy to the last bit, whatever XLA would make of them; by numbers that
are known at run time only, where a step is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla

X = np.abs(np.random.default_rng(0).normal(size=500)) * 10
Y = np.random.default_rng(1).integers(1, 50, size=(20, 25)).astype(float)


def in_a_loop(n: int) -> Any:
    counts, parts = np.zeros(n, np.int64), np.zeros(n)
    for i in range(n):
        counts[i] = int(i / 49)
        parts[i] = i * 1.5 / 7.0
    return counts, parts


QUOTIENTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "by a constant": (lambda x: (x / 49.0, 3.0 / x, x / 8.0), (X,)),
    "by a constant, float32": (lambda x: x / np.float32(49.0), (X.astype(np.float32),)),
    "by constants": (lambda x: x[:3] / np.array([3.0, 7.0, 49.0]), (X,)),
    "by a number": (
        lambda x, s: (np.floor(x / s), np.ceil(1 - x / (s + 1))),
        (49 * np.arange(50), 49),
    ),
    "of ints": (lambda n: ((np.arange(500) / n).astype(int), np.arange(500) / 49), (49,)),
    "by the largest": (lambda x: (np.round(x / x.max() * 7), x / len(x)), (X,)),
    "by sums of rows": (lambda y: y / y.sum(1, keepdims=True) >= 0.04, (Y,)),
    "by roots": (lambda x: x / np.sqrt(x), (X,)),
    "of quotients": (lambda x, s: (x / x[::-1] / 3, x / (s / x)), (X, 7.0)),
    "where not finite": (lambda x: (x / 3.0, x / 3.0 / 7.0), (np.array([np.nan, np.inf, -0.0]),)),
    "in a loop": (in_a_loop, (500,)),
    "rounded": (lambda x: (np.round(x, 3), [round(float(v), 2) for v in x[:5]]), (X,)),
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_exact(name: str) -> None:
    function, args = QUOTIENTS[name]
    expected, actual = function(*args), pyxla.compile(function)(*args)
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    for wanted, found in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
        assert np.array_equal(np.signbit(found), np.signbit(wanted))


def test_divisions_by_numbers_of_run_time_stay_as_they_are():
    """Many elements by one number: XLA's multiplication costs less, and is right up to rounding."""
    text = pyxla.code_stablehlo(lambda x: x / x.sum(), X)
    assert "stablehlo.select" not in text
