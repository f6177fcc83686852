"""Numbers that people see: the last bit of `linspace` and `arange` is NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

PROGRAMS = [
    lambda a, b: np.linspace(a, b, 21),
    lambda a, b: np.linspace(a, b, 5000, endpoint=False),
    lambda a, b: np.linspace(np.array([a, b]), b + 1.0, 33, retstep=True)[0],
    lambda a, b: np.linspace(np.float32(a), np.float32(b), 300),
    lambda a, b: np.linspace(a, b, 300, dtype=np.float32),
    lambda a, b: np.linspace(a, 100 * b, 300, dtype=int),
    lambda a, b: np.linspace(-0.1, 0.3, 10001),
    lambda a, b: np.arange(0.1, 3000.0, 0.03),
    lambda a, b: np.arange(a, a + 100, 0.3),
    lambda a, b: np.arange(50.0, dtype=np.float32) * np.float32(0.1),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_steps(program):
    compiled = pyxla.compile(program)
    for a, b in ((-0.1, 0.3), (1 / 3, -2.7), (1e300, -1e300)):
        np.testing.assert_array_equal(compiled(a, b), program(a, b))


def test_infinite_ends():
    compiled = pyxla.compile(lambda a, b: np.linspace(a, b, 5))
    for ends in ((0.0, np.inf), (-np.inf, 1.0), (np.nan, 1.0)):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(compiled(*ends), np.linspace(*ends, 5))


def test_slope():
    """The derivative is that of the formula."""
    slope = pyxla.grad(lambda b: np.sum(np.linspace(0.0, b, 5) ** 2))(2.0)
    np.testing.assert_allclose(slope, 2 * 2.0 * np.sum(np.linspace(0, 1, 5) ** 2))


def test_cross_of_two_elements():
    """As the installed NumPy has it, which takes them before 2.5."""
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    try:
        with pytest.warns(DeprecationWarning):
            expected = np.cross(x, y)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error).split("(")[0]):
            pyxla.compile(np.cross)(x, y)
    else:
        assert pyxla.compile(lambda x, y: np.cross(x, y))(x, y) == expected
