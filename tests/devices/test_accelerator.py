"""What an accelerator is to do as NumPy does; on a machine that has one."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import pyxla

pytestmark = pytest.mark.skipif(
    jax.default_backend() == "cpu", reason="needs an accelerator, and JAX finds none"
)


def product(a, b):
    return a @ b


def test_products_are_those_of_the_operands():
    a, b = np.random.default_rng(0).standard_normal((2, 512, 512), np.float32)
    exact = a.astype(np.float64) @ b
    error = np.linalg.norm(pyxla.compile(product)(a, b) - exact) / np.linalg.norm(exact)
    assert error < 5e-6


def placed(x, i, v):
    x[i] = v
    for k in range(3):
        x[i[:4] + k] = k * v[:4]
    return x


@pytest.mark.parametrize("count", [8, 100_000])
def test_the_last_of_equal_indices_is_what_is_written(count):
    rng = np.random.default_rng(0)
    i, v = rng.integers(0, 50, count), rng.standard_normal(count)
    for _ in range(5):
        np.testing.assert_array_equal(
            pyxla.compile(placed)(np.zeros(100), i, v), placed(np.zeros(100), i, v)
        )


def test_arrays_stay_where_jax_puts_them():
    x = jax.device_put(np.ones((8, 8), np.float32))
    assert pyxla.compile(product)(x, x).devices() == x.devices()
    assert type(pyxla.compile(product)(np.ones((2, 2)), np.ones((2, 2)))) is np.ndarray
