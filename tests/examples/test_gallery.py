"""The programs of the gallery compute what CPython computes."""

import copy

import numpy as np
import pytest

from examples import gallery

GRID = np.linspace(-2.0, 0.5, 12), np.linspace(-1.0, 1.0, 9)
CASES = {
    "mandelbrot": (*GRID, 40),
    "wave": (20, 30, 0.2),
    "magnetization": (5, np.array([1.5, 2.5]), 6, 3),
    "traffic": (30, 9, 20, 5, 0.3, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_as_cpython(name):
    function, args = getattr(gallery, name), CASES[name]
    expected = function.__wrapped__(*copy.deepcopy(args))
    np.testing.assert_allclose(function(*args), expected, rtol=1e-12, atol=1e-12)


def test_training_separates_the_spirals():
    points, labels = gallery.spirals(30, seed=0)
    weights = gallery.network((2, 8, 1), 1)
    losses = gallery.train(weights, points, labels, 200, 0.05)
    assert losses[-1] < 0.7 * losses[0]
    assert gallery.spiral_loss(weights, points, labels) < 0.7 * losses[0]
