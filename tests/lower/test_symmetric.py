"""Products of a matrix with its own transpose, by bands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ir.verify import verify_region
from pyxla.reflect import compilation

rng = np.random.default_rng(3)
TALL, WIDE = rng.standard_normal((300, 257)), rng.standard_normal((260, 301))


def products(function: Callable[..., Any], *args: Any) -> int:
    region = compilation(function, *args).at("regions").region
    verify_region(region)
    return sum(instr.op.name == "dot_general" for instr in walk(region.instrs))


@pytest.mark.parametrize(
    ("function", "a"),
    [
        (lambda a: a.T @ a, TALL),
        (lambda a: a @ a.T, WIDE),
        (lambda a: np.inner(a - 1, a - 1), WIDE.astype("f4")),
        (lambda a: np.cov(a), WIDE),
    ],
)
def test_bands(function: Callable[..., Any], a: np.ndarray) -> None:
    assert products(function, a) == 3
    found, wanted = pyxla.compile(function)(a), function(a)
    assert found.dtype == wanted.dtype
    close = 1e-12 if a.dtype == np.float64 else 1e-3
    np.testing.assert_allclose(found, wanted, rtol=close, atol=close)
    np.testing.assert_array_equal(found[-100:, :100], found.T[-100:, :100])


@pytest.mark.parametrize(
    "function",
    [
        lambda a: a.T @ (a + 1),
        lambda a: a[:300, :200].T @ a[:300, :200],  # small
        lambda a: (a * 1j).T @ (a * 1j),
        lambda a: np.resize(a, (290, 290)) @ np.resize(a, (290, 290)),
    ],
)
def test_whole(function: Callable[..., Any]) -> None:
    assert products(function, TALL) == 1
    np.testing.assert_allclose(pyxla.compile(function)(TALL), function(TALL), rtol=1e-9, atol=1e-9)
