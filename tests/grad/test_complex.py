"""Second derivatives through complex numbers."""

from __future__ import annotations

import numpy as np

import pyxla


def modulus(x):
    z = x[:3] + 1j * x[3:]
    total = np.sum(np.abs(z * z - 0.5) ** 3)
    for w in z:
        total += np.abs(w) * w.imag
    return total


def test_second_derivatives_of_the_modulus():
    x = np.random.default_rng(0).standard_normal(6)
    gradient, step = pyxla.grad(modulus), 1e-6
    found = pyxla.hessian(modulus)(x)
    differences = [
        (gradient(x + step * e) - gradient(x - step * e)) / (2 * step) for e in np.eye(6)
    ]
    np.testing.assert_allclose(found, differences, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(pyxla.jacrev(gradient)(x), found, rtol=1e-9, atol=1e-9)


def test_the_direction_of_zero_has_none():
    curvature = pyxla.hessian(lambda x: np.abs(x[0] + 1j * x[1]) ** 3)
    np.testing.assert_array_equal(curvature(np.zeros(2)), np.zeros((2, 2)))
