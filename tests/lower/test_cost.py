"""Which programs are too light for several threads."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.build import Builder, building
from pyxla.ir.types import array_type
from pyxla.lower.cost import INFINITE, TINY, is_light
from pyxla.ops.control import optimization_barrier
from pyxla.reflect import compilation


def stencil(x, n):
    for _ in range(n):
        x[1:-1] = 0.5 * (x[2:] + x[:-2])
    return x


def waves(x, n):
    return np.sin(x) * n


def row(x, n):
    y = x.reshape(-1, 100)
    for i in range(n):
        y[i] += y[i + 1] * 0.5
    return x[0]


def cleared(x, n):
    y = np.zeros(x.size)
    for i in range(n):
        y[i] = x[i] + 1
    return y


def of_complex_numbers(x, n):
    z = x + 1j * n
    return z * z + z


def grouped(x, n):
    groups = []
    for i in range(n):
        row = []
        while len(row) < i and x[len(row)] > 0.25:
            row.append(i)
        groups.append(row)
    return groups


CASES = [
    (stencil, 30_000, True),
    (stencil, 300_000, False),
    (waves, 3_000, True),
    (waves, 30_000, False),
    (row, 300_000, True),
]


@pytest.mark.parametrize(("program", "size", "light"), CASES)
def test_what_is_light(program, size, light):
    found = compilation(program, pyxla.f64[size], int).at("regions").region
    assert is_light(found) == light
    x = np.linspace(0, 1, size)
    np.testing.assert_allclose(pyxla.compile(program)(x.copy(), 3), program(x.copy(), 3))


SIZES = [
    (stencil, 16_000, True),
    (stencil, 30_000, False),
    (waves, 1_000, True),
    (waves, 3_000, False),
    (of_complex_numbers, 4_000, True),
    (of_complex_numbers, 16_000, False),
    (cleared, 300_000, True),
    (grouped, 64, True),  # of 1,024 rows for 1,024 items each a constant is made, by no kernel
]


@pytest.mark.parametrize(("program", "size", "tiny"), SIZES)
def test_what_is_tiny(program, size, tiny):
    found = compilation(program, pyxla.f64[size], int).at("regions").region
    assert is_light(found, TINY, INFINITE) == tiny


def test_barriers_compute_nothing():
    builder = Builder([])
    large = array_type(np.dtype(np.int64), (1024, 16))
    with building(builder):
        region = builder.region((large,), optimization_barrier)
    assert is_light(region, TINY, INFINITE)
