"""Which loops are native calls on XLA:CPU, and that they compute the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyxla
from pyxla.runtime import jaxlink

pytestmark = pytest.mark.skipif(not jaxlink.on_cpu(), reason="native calls are XLA:CPU's")


def branching(x):
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            x[i] = 0.0
            while x[i] < 2.0:
                x[i] += 0.75
    return x


def inside(x):
    """The loop over arrays is none; the one in it is."""
    total = np.zeros(200)
    for i in range(x.shape[0]):
        total = total + np.sin(total + x[i])
        for j in range(i):
            if x[j] > x[i]:
                while total[j] < 2.0:
                    total[j] += 0.75
            else:
                while total[j] > 1.0:
                    total[j] -= 0.5
    return total


def straight(x):
    for i in range(1, x.shape[0]):
        x[i] += x[i - 1]
    return x


def arrays(x):
    y = np.zeros(200)
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            y = y + np.cos(y)
    return y


def never(x):
    """What makes no iteration gives back what it is given: XLA:CPU may abort on a call of that."""
    r = math.tanh(-1.0) + 1.5
    while r > 0.83:
        r *= 0.71
        if r < math.floor(r % 5.0) + 0.37:
            x[0] += x[1]
        x[2] = r
    return x


@pytest.mark.parametrize(
    ("program", "count"), [(branching, 1), (inside, 1), (straight, 0), (arrays, 0), (never, 0)]
)
def test_native(program, count):
    x = np.random.default_rng(3).random(30)
    text = str(pyxla.code_stablehlo(program, x))
    assert text.count("xla_cpu_small_call") == count
    np.testing.assert_allclose(pyxla.compile(program)(x.copy()), program(x.copy()), 1e-14)
    mapped = pyxla.vmap(pyxla.functional(program))(np.stack([x, x[::-1]]))[0]
    np.testing.assert_allclose(mapped[0], program(x.copy()), 1e-14)


def test_derivatives():
    """Derivatives are taken of the loop, not of the call."""

    def program(x):
        total = 0.0
        for i in range(8):
            total = total + x * i if i % 3 and x > 0.0 else total * x
        return total

    step = 1e-6
    expected = (program(0.7 + step) - program(0.7 - step)) / (2 * step)
    np.testing.assert_allclose(pyxla.grad(program)(0.7), expected, 1e-6)
