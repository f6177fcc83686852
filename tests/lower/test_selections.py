"""Conditionals with an empty branch in loops over elements become selections."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.control import if_
from pyxla.reflect import compilation


def attraction(x, y, m):
    ax = np.zeros(len(x))
    ay = np.zeros(len(x))
    for i in range(len(x)):
        fx, fy = 0.0, 0.0
        for j in range(len(x)):
            if i != j:
                dx, dy = x[j] - x[i], y[j] - y[i]
                d = dx * dx + dy * dy + 1e-3 * (m[i] + m[j])
                f = m[j] / (d * math.sqrt(d) + m[i] * m[i] + 2.0 * m[j] * m[j])
                fx += f * dx
                fy += f * dy
        ax[i], ay[i] = fx, fy
    return ax, ay


def two(x, y, m):
    total, low = x[0] * 0.0, y[0] * 0.0
    for i in range(len(x)):
        d = x[i] - y[i]
        if d > 0.0:
            e = d * m[i] + x[i] * x[i] + x[i] / (1.0 + m[i])
            total += e / (1.0 + e * e) + d / (3.0 + d * x[i] * m[i]) + 1.0 / (4.0 + d)
        if total > 1.0:
            f = total * m[i] + x[i] * y[i] / (2.0 + m[i])
            low += f / (2.0 + f * f) + total / (3.0 + total * x[i]) + 1.0 / (4.0 + f)
    return total, low


def logarithms(x, y, m):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            d = abs(x[i] - y[j])
            if d > 0.4:
                total += math.log(d) * math.sqrt(d) + math.exp(-d) / (1.0 + d) * m[i] / (m[j] + d)
    return total


def conditionals(f: Callable[..., object], args: tuple[np.ndarray, ...]) -> int:
    region = compilation(f, *args).at("regions").region
    return sum(instr.op is if_ for instr in walk(region.instrs))


@pytest.mark.parametrize(("f", "left"), [(attraction, 0), (two, 0), (logarithms, 1)])
def test_what_an_empty_branch_leaves(f: Callable[..., object], left: int) -> None:
    rng = np.random.default_rng(3)
    args = tuple(rng.random(40) for _ in range(3))
    assert conditionals(f, args) == left
    for found, expected in zip(
        np.atleast_1d(pyxla.compile(f)(*args)), np.atleast_1d(f(*args)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
