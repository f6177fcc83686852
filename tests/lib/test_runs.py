"""Pieces of one array that are joined as they lie are a part of it (`lib.runs`)."""

import numpy as np
import pytest

import pyxla

X = np.arange(48.0).reshape(8, 6)


def rows(x):
    return np.stack([x[i] for i in range(8)])


def some_rows(x):
    return np.array([x[i] for i in range(2, 8)])


def pairs_of_rows(x):
    return np.concatenate([x[i : i + 1] for i in range(1, 7)])


def column(x):
    return np.array([x[i, 2] for i in range(8)])


def numbers(x):
    return np.array([[x[i, j] for j in range(6)] for i in range(1, 8)])


def diagonal(x):
    return np.array([x[i, i] for i in range(6)])


def reverse(x):
    return np.stack([x[7 - i] for i in range(8)])


def windows(x):
    return np.stack([x[0, i : i + 3] for i in range(4)])


def overlapping(x):
    return np.concatenate([x[i : i + 2] for i in range(6)])


def parts_of_rows(x):
    return np.stack([x[i, 1:4] for i in range(8)])


def twice(x):
    return np.stack([x[1]] * 6)


def every_second(x):
    return np.stack([x[i] for i in range(0, 8, 2)] + [x[1]])


def of_two(x):
    return np.stack([x[0], x[1], x[2], x[3], (x + 1)[4], x[5]])


def beside(x):
    return np.concatenate([x[:, i : i + 1] for i in range(6)], axis=1)


def as_ints(x):
    return np.array([int(x[i, 0]) for i in range(8)]), np.array([x[0, i] for i in range(6)], "f4")


PARTS = rows, some_rows, pairs_of_rows, column, numbers, diagonal
OTHERS = reverse, windows, overlapping, parts_of_rows, twice, every_second, of_two, beside, as_ints


@pytest.mark.parametrize("function", [*PARTS, *OTHERS])
def test_what_is_joined(function):
    found, expected = pyxla.compile(function)(X), function(X)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", PARTS)
def test_a_part_is_not_put_together(function):
    assert " = concatenate" not in pyxla.code_typed(function, X)


@pytest.mark.parametrize("function", [*PARTS, reverse, windows])
def test_slopes(function):
    weight = np.cos(np.arange(function(X).size)).reshape(function(X).shape)
    found = pyxla.grad(lambda x: (function(x) * weight).sum())(X)
    expected = np.zeros_like(X)
    at = function(np.arange(48).reshape(8, 6)).astype(int)
    np.add.at(expected.reshape(-1), at.reshape(-1), weight.reshape(-1))
    np.testing.assert_allclose(found, expected)
