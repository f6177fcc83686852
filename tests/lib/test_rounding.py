"""Numbers that people see: the last bit of `linspace` and `arange` is NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyxla

pytestmark = pytest.mark.optimized  # rounding is that of the code which users get

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
    for a, b in ((-0.1, 0.3), (1 / 3, -2.7), (1e12, -3e15)):
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


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_cross_of_two_elements():
    """As the installed NumPy has it, which takes them before 2.5."""
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    compiled = pyxla.compile(lambda x, y: np.cross(x, y))
    try:
        expected = np.cross(x, y)
    except ValueError as error:
        with pytest.raises(ValueError, match="3-dimensional vectors, but they are 2 and 2") as got:
            compiled(x, y)
        assert str(error) in str(got.value)
    else:
        assert compiled(x, y) == expected


def jacobi(x):
    for _ in range(20):
        x[1:-1] = 0.33 * (x[:-2] + x[1:-1] * 1.1 + x[2:])
    return x


def horner(x):
    p = 0.0
    for i in range(len(x)):
        p = p * 0.9 + x[i]
    return p


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * x[::-1] + x,
        lambda x: (x * x + 0.3) * x - x * x,
        lambda x: x + 1e16 - 1e16,
        lambda x: x / x[0],
        lambda x: x / np.sqrt(x[0] ** 2),
        lambda x: np.sqrt(x * x + x * 1.1),
        lambda x: x * (1 / 3) + x / 3,
        lambda x: np.abs(x + 1j * x[::-1]),
        lambda x: np.cumsum(x * x),
        jacobi,
        horner,
    ],
)
def test_strict(program):
    """Operation by operation as the program has it, alone and as derivative's or lane's value."""
    x = np.random.default_rng(0).normal(size=1000) * 10
    with np.errstate(invalid="ignore"):
        expected = program(x.copy())
    np.testing.assert_array_equal(pyxla.compile(program, strict=True)(x.copy()), expected)


def test_strict_slopes():
    slope = pyxla.grad(pyxla.compile(lambda x: x * x * 1.1 + x, strict=True))
    np.testing.assert_allclose(slope(2.0), 5.4)


def powers(x: float) -> tuple[float, ...]:
    return (
        *(math.pow(x, 2), math.pow(x, 3), math.pow(x, 0.5), math.pow(x, -1), x**0, x**1),
        *(x**3, x**4, x**5, x**-1, x**-2, x**0.5, x**1.5, x**9),
    )


def test_known_powers_of_floats_are_those_of_c() -> None:
    compiled = pyxla.compile(powers)
    for x in map(float, np.random.default_rng(0).uniform(0.1, 9, 1000)):
        assert compiled(x) == powers(x)
