"""Large loops over elements, which XLA:CPU compiles to one function as calls that say so."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import pyxla

SIZE = 40


def _large(a, x, y, steps):
    """Enough reads and writes for more than a kilobyte; ends early."""
    n = len(a)
    total = 0.0
    for k in range(steps):
        for i in range(n):
            for j in range(1, n - 1):
                if a[i, j] > y:
                    a[i, j] -= x * a[j, i] + a[i, j - 1] * a[i, j + 1]
                    total += a[i, j]
                elif a[i, j] < -y:
                    a[i, j] = a[i - 1, j] + a[j - 1, i] * a[j + 1, i]
                    total -= a[j, i] * k
                while abs(a[i, i]) > 2.0:
                    a[i, i] *= 0.5
                    total += a[j, j] * a[i, j] - a[j - 1, j + 1]
    return total


def changed(a):
    return _large(a, 0.5, 0.25, 3), a


def unchanged_zero_trips(a):
    return _large(a, 0.5, 0.25, 0), a


def bounds_given(a, n: int):
    return _large(a, 0.5, 0.25, n), a


def of_constants():
    """XLA folds the update of a constant, which it then moves into the function."""
    a = np.full((SIZE, SIZE), 0.5)
    a[0, 1] = 3.0
    return _large(a, 0.5, 0.25, 2), a


def made_equal_by_others(n: int):
    """XLA knows that n * 0 is a constant."""
    a = np.ones((SIZE, SIZE))
    return _large(a, 0.5 + n * 0, 0.25, 2 + n * 0), a, n


def writes_what_it_reads(a, n: int):
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] + 0.0 * _large(a[:3, :3], 0.5, 9.0, 1)
    return a


def within_another_loop(a, b):
    total = 0.0
    for _ in range(3):
        b = b @ b / 100.0
        total += _large(a, 0.5, 0.25, 1) + b.sum()
    return total, a


def keeps_the_old_array(a):
    b = a.copy()
    total = _large(b, 0.5, 0.25, 2)
    return total, a, b


def twice_the_same(a):
    b = a.copy()
    return _large(a, 0.5, 0.25, 1), _large(b, 0.5, 0.25, 1), a, b


def edges(a):
    """Elements of known tables are read in memory, so that nothing else holds the nest up."""
    across = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    down = across.T.copy()
    h, w = a.shape
    out = np.zeros((h - 2, w - 2))
    for i in range(h - 2):
        for j in range(w - 2):
            gx = gy = 0.0
            for k in range(3):
                for m in range(3):
                    gx += across[k, m] * a[i + k, j + m]
                    gy += down[k, m] * a[i + k, j + m]
            out[i, j] = math.sqrt(gx * gx + gy * gy)
    return out


def raises(a, n: int):
    total = _large(a, 0.5, 0.25, n)
    if total != total or n > 5:
        raise ValueError("not a number")
    return total


def matrix() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(SIZE, SIZE))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (changed, (matrix,)),
    (unchanged_zero_trips, (matrix,)),
    (bounds_given, (matrix, 0)),
    (bounds_given, (matrix, 2)),
    (of_constants, ()),
    (made_equal_by_others, (3,)),
    (writes_what_it_reads, (matrix, 6)),
    (within_another_loop, (matrix, matrix)),
    (keeps_the_old_array, (matrix,)),
    (twice_the_same, (matrix,)),
    (edges, (matrix,)),
    (raises, (matrix, 1)),
]


def made(args: tuple[Any, ...]) -> list[Any]:
    return [x() if callable(x) else x for x in args]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_as_cpython(function: Callable[..., Any], args: tuple[Any, ...]):
    given, expected = made(args), made(args)
    with np.errstate(all="ignore"):
        jax.tree.map(
            lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-9),
            pyxla.compile(function)(*given),
            function(*expected),
        )
    for x, y in zip(given, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9)


def test_what_is_emitted():
    text = pyxla.code_stablehlo(changed, matrix())
    assert text.count("xla_cpu_small_call") == 1
    text = pyxla.code_stablehlo(edges, matrix())  # in a kernel a few iterations need no loop
    assert (text.count("xla_cpu_small_call"), text.count("stablehlo.while")) == (1, 2)
    assert "xla_cpu_small_call" not in pyxla.code_stablehlo(lambda n: n * 2, 3)


def test_raises():
    with pytest.raises(ValueError, match="not a number"):
        pyxla.compile(raises)(matrix(), 6)


def test_under_jit():
    """Where JAX takes no options, and more than once."""
    compiled = pyxla.compile(pyxla.functional(changed))
    a = matrix()

    def both(a):
        return compiled(a), compiled(a * 2.0)

    with jax.enable_x64(True):
        got = jax.jit(both)(a)
    for one, factor in zip(got, (1.0, 2.0), strict=True):
        given = a * factor
        expected = changed(given)
        np.testing.assert_allclose(one[0][0], expected[0], rtol=1e-9)
