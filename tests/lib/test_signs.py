"""What NumPy does at -inf and -0.0, and the kind and dtype of what it returns."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from tests.compare import difference

ENDS = np.array([-np.inf, -0.0, 0.0, np.inf, 4.0, np.nan, -1.0])
ONES = np.ones((2, 2))


def powers(x, e, all_e):
    one = np.power(x, e)
    return one, x**e, x ** all_e[:1], x**all_e, np.power(x, 0.5), np.power(x, 0.25)


def powers_of_numbers(x, e):
    return x**e, np.power(x, e), np.power(x, 0.5)


def squares(b):
    return pow(b, 2), pow(b, 3), b**2, pow(5, 3, 7)


def sums_of_numbers(x):
    return np.sum(x), np.sum(x, keepdims=True), np.mean(x), np.nansum(x)


def sums_along_nothing(x):
    return x.sum(), x.sum(axis=0), x.sum(axis=())


def optimized(a, b):
    whole = np.einsum("ij,ij->", a, b, optimize=True)
    return (
        whole,
        np.einsum("ij,ij->", a, b),
        np.einsum("ij,ij->", a, b, optimize=False),
        np.einsum("ij->", a, optimize=True),
        np.einsum("ij,jk,ki->", a, b, a, optimize="greedy"),
        np.einsum("i,i,i->", a[0], b[0], b[1], optimize=True),
        np.einsum("ij,jk->ik", a, b, optimize=True),
    )


def clipped(x, low, high):
    known = np.clip(x, 0.0, 1.0), np.clip(x, -0.0, 1.0), np.clip(x, 0, 1), x.clip(-1, -0.0)
    return *known, np.clip(x, low, high), np.clip(x, -2.0, 3.0), np.clip(x[1], 0.0, 1.0)


def scaled(x, z):
    return np.dot(x, z), np.dot(z, x), np.inner(z, x), z.dot(-1.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("program", "values"),
    [
        (clipped, (ENDS, 0.0, np.inf)),
        (clipped, (ENDS.astype(np.float32), -0.0, 1.0)),
        (powers, (ENDS, 0.5, np.full(7, 0.5))),
        (powers, (ENDS.astype(np.float32), 0.5, np.full(7, 0.5, np.float32))),
        (powers, (ENDS, 1.5, np.full(7, 3.0))),
        (powers_of_numbers, (np.float64(-np.inf), 0.5)),
        (powers_of_numbers, (np.float64(-0.0), np.float64(0.5))),
        (squares, (np.array([True, False]),)),
        (sums_of_numbers, (-0.0,)),
        (sums_of_numbers, (np.float32(-0.0),)),
        (sums_along_nothing, (np.array([-0.0]),)),
        *[(scaled, (t(-1), np.zeros(n, t))) for t in (np.float64, np.float16) for n in (1, 2)],
        (optimized, (ONES, ONES)),
        (optimized, (ONES.astype(np.int32), ONES)),
    ],
)
def test_results_are_numpys(program, values):
    ours, theirs = pyxla.compile(program)(*values), program(*values)
    assert not difference(ours, theirs, 1e-6)
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b)
        assert _negative_zeros(a) == _negative_zeros(b)


def _negative_zeros(x):
    return [str(v) == "-0.0" for v in np.ravel(x).tolist()]


def test_derivatives_of_powers_see_no_root():
    def f(x, e):
        return np.power(x, e).sum() + (x**e).sum()

    x = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(pyxla.compile(pyxla.grad(f))(x, 2.0), 4 * x)
    np.testing.assert_allclose(pyxla.compile(pyxla.grad(f))(x[1:], 0.5), x[1:] ** -0.5)


OF_ALL_ENDS = np.array([np.nan, 1.0, -0.0, np.inf])


def times_a_number(x, z):
    return np.dot(z, x), np.dot(x, z), np.inner(x, z), x.dot(z), np.tensordot(z, x, 0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 1), (2, 1, 2)])
@pytest.mark.parametrize(
    "number", [0.0, -0.0, 2.0, False, np.nan, np.float32(0), np.float16(0)], ids=repr
)
def test_a_number_that_is_zero_times_an_array_is_zero_in_blas(shape, number):
    args = OF_ALL_ENDS.reshape(shape), np.asarray(number)
    got, want = pyxla.compile(times_a_number)(*args), times_a_number(*args)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)
        assert _negative_zeros(a) == _negative_zeros(b)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", [np.zeros(1), np.zeros((1, 1)), np.ones((1, 1))])
def test_an_array_of_one_number_is_one(number):
    args = OF_ALL_ENDS.reshape(1, 4), number
    np.testing.assert_array_equal(pyxla.compile(np.dot)(*args[::-1]), np.dot(*args[::-1]))


def test_derivatives_with_respect_to_a_number_that_is_zero():
    x = np.array([1.0, 2.0, 4.0])
    got = pyxla.compile(pyxla.grad(lambda z: np.dot(z, x).sum() + np.inner(x, z).sum()))(0.0)
    np.testing.assert_allclose(got, 14.0)
