"""Stores of what does not fit: NumPy's exceptions, and the arguments as NumPy leaves them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyxla
from tests.compare import difference
from tests.infer.test_faults import made, run, same

# Of x = arange(6.), grid = zeros((3, 4)), y = arange(5.), and n and m, sizes and places that data
# decides; what is stored fits for some of the calls, and not for others.
STORES = """
x[n] = y[m]
x[-n] = 1.0
grid[n, m] = 2.0
grid[n] = y[:m]
grid[:, n] = y[:m]
grid[n, :m] = y[:n]
x[:n] = y[:m]
x[n:] = y[:m]
x[n:m] = y[:2]
x[::2] = y[:n]
x[::-1][:n] = y[:m]
x[:n] += y[:m]
x[:n] *= y[n:m]
grid[:n] = y[:m]
grid[:n, :m] = y[:m]
grid[:n, :m] -= grid[:m, :n]
grid[...] = y[:n]
x[[n, m]] = 1.0
x[np.arange(n)] = y[:m]
x[np.array([n, m])] += 1.0
grid[[0, 1], [n, m]] = 3.0
x[x > n] = y[:m]
x[x > n] = y[y > m]
x[x < n] += y[:m]
grid[grid < n] = y[:m]
grid[np.arange(3) < n] = y[:m]
x[(x > 1) & (x < n)] = y[0]
x[:n].sort(); x[:n] = y[:m]
x[:n].fill(3.0); x[n] = 1.0
x.put(n, 1.0)
np.put(x, [n, m], y[:2])
np.copyto(x[:n], y[:m])
np.copyto(x[:n], y[:n], where=x[:m] > 0)
np.place(x, x > n, y[:m])
np.fill_diagonal(grid[:n, :m], y[0])
np.add.at(x, n, 1.0)
np.add.at(x, np.array([n, m]), y[:2])
np.add.at(x, np.arange(3), y[:n])
np.cumsum(y[:abs(n)], out=x[:m])
np.dot(grid[:, :n], y[:m], out=x[:3])
np.add.at(x, x > n, y[:m])
np.add.at(grid, ([0, 1],), y[:n])
np.cumprod(y[:abs(n)], out=x[:m])
np.clip(y[:1], 0, 1, out=x[:n])
np.concatenate([y[:n], y[:1]], out=x[:m])
grid.T[n] = y[:m]
grid.reshape(-1)[n * m] = 1.0
x.reshape(2, 3)[:, n] = y[:m]
"""
CALLS = [(2, 2), (2, 3), (3, 2), (1, 4), (4, 1), (0, 0), (6, 5), (9, 1), (-1, 2), (-7, 3), (3, 3)]


# NumPy's exception, in other words, or the first one of two: what is named is where.
OTHER_WORDS = """
np.add(x[:n], y[:n], out=x[:m])
np.multiply(x[:n], 2.0, out=y[:m])
np.maximum(grid[:n], y[:m], grid[:n])
np.sum(grid[:, :n], axis=0, out=x[:m])
x[:n].clip(0, 1, out=x[:m])
grid[[0, n]] = y[:m]
np.take(y, np.arange(n), out=x[:m])
"""


def arguments(n: int, m: int) -> tuple[Any, ...]:
    return np.arange(6.0), np.zeros((3, 4)), np.arange(5.0), n, m


@pytest.mark.parametrize("statement", STORES.strip().splitlines())
def test_stores(statement: str) -> None:
    """One program for all sizes."""
    same(
        made(f"    {statement}\n    return x.sum()", "x, grid, y, n, m"),
        [arguments(*sizes) for sizes in CALLS],
    )


@pytest.mark.parametrize("statement", OTHER_WORDS.strip().splitlines())
def test_stores_in_other_words(statement: str) -> None:
    function = made(f"    {statement}\n    return x.sum()", "x, grid, y, n, m")
    compiled, file = pyxla.compile(function), function.__code__.co_filename
    for sizes in CALLS:
        expected = run(function, arguments(*sizes), file)
        found = run(compiled, arguments(*sizes), file)
        assert isinstance(found[0], Exception) == isinstance(expected[0], Exception), sizes
        assert not difference(found[1:], expected[1:]), sizes
