"""Long code that several kernels need is computed once."""

from __future__ import annotations

import pytest

import pyxla


def chain(a, y, n):
    return a if n == 0 else chain(a * 0.75 + y, y, n - 1)


def long(x, y):
    for _ in (1, "a", 2.5):  # of several types: the loop is written out
        x = chain(x, y, 80)
    return x


def orbit(x, y, n):
    z, u, v = x, y, x
    while n > 0:
        a = long(x, y)
        x, y, z, u, v, n = a + 1.0, a * x - y, a - z, a * u, (a - y) * v, n - 1
    return x + y + z + u + v


def chosen(x, y, n):
    """XLA would make selections of the branches."""
    z, u, v = x, y, x
    while n > 0:
        if x > y:
            a, b = long(x, y), x * 2
        else:
            a, b = long(y, x), y
        if a < b:
            a, b = b, a
        x, y, z, u, v, n = a + 1.0, b * x - y, a - z, b * u, (a - y) * v, n - 1
    return x + y + z + u + v


def straight(x, y):
    a = long(x, y)
    return a + 1.0, a * x - y, a - x, a * y, (a - y) * x


@pytest.mark.parametrize(
    ("function", "args", "most"),
    [(orbit, (0.3, 0.2, 3), 300), (chosen, (0.3, 0.2, 3), 600), (straight, (0.3, 0.2), 300)],
)
def test_products_of_a_chain_are_not_copied(function, args, most):
    compiled = pyxla.compile(function)
    assert compiled(*args) == pytest.approx(function(*args), rel=1e-14)
    hlo = str(pyxla.code_hlo(compiled, *args, optimized=True))
    assert hlo.count("multiply(") < most
