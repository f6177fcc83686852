"""Sums with 0.0 have NumPy's zeros when XLA has simplified them."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from tests.compare import difference


def plus_zero(x):
    return x + 0, 0 + x, x + 0.0, x - 0, 0 - x, x + False, x + (-0.0)


def in_place(x):
    values = [1.0, x]
    for _ in range(2):
        values[-1] += 0
    values[0] -= 0
    return values


def of_few(x):
    one, two = np.full(1, x), np.array([x, x])
    return one.sum(), two.sum(), np.full((3, 1), x).sum(0), one.mean(), np.stack([two, two]).sum(0)


@pytest.mark.parametrize("program", [plus_zero, in_place, of_few], ids=lambda f: f.__name__)
def test_zeros(program):
    compiled = pyxla.compile(program)
    for x in (-0.0, 0.0, np.float32(-0.0), np.complex64(complex(-0.0, -0.0)), np.nan, 2.5):
        assert not difference(compiled(x), program(x))


def test_masked_and_many():
    def masked(x):
        x[~(x < 0)] += 0
        return x + 0

    x = np.array([-0.0, 0.0, -1.0, np.nan, np.inf] * 9)
    assert not difference(pyxla.compile(masked)(x.copy()), masked(x.copy()))


def test_derivative_at_zero():
    assert pyxla.grad(lambda x: (x + 0) * 3.0)(0.0) == 3.0
