"""Vectors in nests of loops, element by element: the same results, and one function for XLA:CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.lower.cpu.kernels import is_over_elements
from pyxla.ops.control import while_
from pyxla.ops.reduce import reduce
from pyxla.reflect import compilation


def cholesky(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return a


def factors(a):
    """Rows times columns."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def substituted(a):
    """Backwards: slices that begin where the loop says are shifted."""
    n = a.shape[0]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (a[i, 0] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def below(a):
    """Columns from the next row on."""
    b = a * 2.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    return b


def updated_and_summed(a):
    """The column is read after it was updated, and before."""
    n = a.shape[0]
    c = a.copy()
    t = np.zeros(n)
    for i in range(n):
        for j in range(n):
            t[j] = c[:i, j] @ a[i, :i]
            c[:i, j] += a[i, j] * a[i, :i]
            t[j] -= c[:i, j] @ a[i, :i]
        c[i, :] -= t
    return c, t


def sums_of_what_is_computed(a):
    n = a.shape[0]
    total = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total[i, j] = np.sum(np.abs(a[i, :j] - a[j, :j])) + np.sum(a[i] * np.arange(n))
    return total


def first_lanes_only(a):
    """What lies beyond a slice is not read: it is not a number."""
    n = a.shape[0]
    b = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, j] + (b[i, :j] @ b[i, :j] if j else 0.0) * 0.01
    return b


def overlapping(a):
    """The update reads other elements of the array that it writes."""
    n = a.shape[0]
    for i in range(1, n):
        s = a[i] @ a[i - 1]
        a[i, 1:] = a[i, :-1] * 0.5 + s * 0.01
    return a


def old_row(a):
    """A row from before the update."""
    n = a.shape[0]
    for i in range(n - 1):
        row = a[i].copy()
        a[i, :] = a[i + 1] * 0.5
        a[i, 0] = row @ a[i]
    return a


def until_small(a, limit):
    k = 0
    s = a[0] @ a[0]
    while s > limit:
        a[k % a.shape[0], :] *= 0.5
        k += 1
        s = a[k % a.shape[0]] @ a[0]
    return s, k, a


PROGRAMS: list[Callable[..., Any]] = [
    cholesky,
    factors,
    substituted,
    below,
    updated_and_summed,
    sums_of_what_is_computed,
    first_lanes_only,
    overlapping,
    old_row,
]


def _matrix(n: int, dtype: Any = np.float64) -> np.ndarray:
    rng = np.random.default_rng(n)
    a = rng.uniform(0.1, 1.0, (n, n))
    return (a @ a.T / n + 2.0 * np.eye(n)).astype(dtype)


def _same(f: Callable[..., Any], *args: Any, rtol: float = 1e-9) -> None:
    mine, theirs = [[np.copy(x) if isinstance(x, np.ndarray) else x for x in args] for _ in "12"]
    got, want = pyxla.compile(f)(*mine), f(*theirs)
    for x, y in zip([*_leaves(got), *mine], [*_leaves(want), *theirs], strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)
        assert np.asarray(x).dtype == np.asarray(y).dtype


def _leaves(x: Any) -> list[Any]:
    return list(x) if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("n", [2, 9, 10, 17, 33])
@pytest.mark.parametrize("f", PROGRAMS)
def test_nests_give_numpys_results(f, n):
    _same(f, _matrix(n))


@pytest.mark.parametrize("f", [factors, below, updated_and_summed])
def test_of_single_precision(f):
    _same(f, _matrix(21, np.float32), rtol=1e-4)


def test_of_ints():
    def f(a):
        n = a.shape[0]
        b = np.zeros_like(a)
        for i in range(n):
            for j in range(n):
                b[i, j] = a[i, :j] @ a[j, :j] + np.sum(a[i, :j])
        return b

    _same(f, np.arange(400).reshape(20, 20) % 7)


def test_of_loops_of_unknown_length():
    _same(until_small, _matrix(12), 1e-3)


def test_sums_of_ones_that_are_not_finite():
    def f(a, b):
        for i in range(a.shape[0]):
            for j in range(a.shape[0]):
                b[i, j] = a[i, :j] @ a[j, :j]
        return b

    a = _matrix(20)
    a[3, 9], a[5, 2], a[7, 19] = np.inf, -np.inf, np.nan
    _same(f, a, np.zeros((20, 20)))


@pytest.mark.parametrize("f", [cholesky, factors, below, substituted])
def test_a_nest_is_over_elements(f):
    region = compilation(f, _matrix(20)).at("regions").region
    loops = [instr for instr in region.instrs if instr.op is while_]
    assert loops and all(map(is_over_elements, loops))


def tally(text):
    """A key is looked for among those that there are."""
    counts = {}
    for c in text:
        if c in counts:
            counts[c] += 1
        else:
            counts[c] = 1
    most = missing = 0
    for c in range(40):
        if c in counts:
            most = max(most, counts[c] * 100 + c)
        else:
            missing += 1
    return most, missing, len(counts)


def first_places(x, wanted):
    """The first place of several, of a list whose length data decides."""
    held = []
    for v in x:
        if v % 3 != 1:
            held.append(v)
    total = 0
    for w in wanted:
        if w in held:
            total = total * 7 % 1000003 + held.index(w)
        else:
            total -= 1
    return total, len(held)


def last_below(x, limits):
    """Masks of which nothing may be true, and of all lanes."""
    found = np.zeros(len(limits), dtype=np.int64)
    for k in range(len(limits)):
        places = np.where((np.arange(len(x)) < limits[k]) & (x < 0.5), np.arange(len(x)), -1)
        found[k] = places.max()
    return found


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100, 5000])
def test_searches(n):
    rng = np.random.default_rng(n)
    x = rng.integers(0, 30, n)
    _same(tally, x)
    _same(first_places, x, rng.integers(0, 35, 20))
    if n:
        _same(last_below, rng.random(n), rng.integers(-3, n + 3, 20))


def test_a_search_is_over_elements():
    region = compilation(tally, np.arange(5000)).at("regions").region
    loops = [instr for instr in walk(region.instrs) if instr.op is while_]
    assert loops and all(map(is_over_elements, loops))


def keys_beside_vectors(x, n):
    seen: dict[int, int] = {}
    order, row = [], np.arange(40.0)
    for k in range(n):
        v = x[k % len(x)] * k % 301
        if v in seen:
            row = np.exp(-row[::-1])
        elif k % 3:
            seen[v] = order.index(k % 7) if k % 7 in order else k
        else:
            order.append(v)
    return list(seen), list(seen.values()), order, row


def test_searches_beside_vectors_are_loops():
    x = np.random.default_rng(0).integers(1, 50, 40)
    _same(keys_beside_vectors, x, 700)
    code = walk(compilation(keys_beside_vectors, x, 700).at("regions").region.instrs)
    assert not [i for i in code if i.op is reduce and i.operands[0].type.size > 256]


def test_no_array_is_copied():
    text = pyxla.code_hlo(factors, _matrix(30), optimized=True)
    assert text.count("f64[30,30]{1,0} copy(") == 1  # of the argument


def test_updates_stay_vectors():
    def f(a):
        for i in range(a.shape[0]):
            for j in range(a.shape[0]):
                a[i, :] += 0.5 * (a[j] @ a[i])
        return a

    region = compilation(f, _matrix(20)).at("regions").region
    assert any(instr.results[0].type.size == 20 for instr in walk(region.instrs))


def test_rows_of_a_matrix_one_after_the_other():
    """A matrix as a vector is no vector in memory for all that reads it by rows."""

    def f(x):
        flat = x.reshape(-1)
        for row in x:
            row[0] *= flat[flat > 0.2].sum()
        return flat

    for n in (4, 7):
        _same(f, _matrix(n))
