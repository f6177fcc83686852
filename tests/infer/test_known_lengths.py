"""Lists that loops of known trip counts make have known lengths."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.infer.demands import SHORT


def stacked(x, n):
    rows = []
    for i in range(n):
        rows.append(np.sin(x * i))
    return np.stack(rows)


def joined(x, n):
    rows = []
    for i in range(n):
        rows.append(x + i)
        rows.append(x - i)
    rows.append(x)
    rows.pop(0)
    return np.concatenate(rows), np.vstack(rows), len(rows)


def cut(x, n):
    rows = [v for v in x]
    for i in range(n):
        rows.append(x[0] * i)
    while len(rows) > 3 and rows[-1] > 0:
        rows.pop()
    return rows


def nested(x, n):
    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(x[j] * i)
        rows.append(row)
    return np.array(rows)


def after_others(x, n):
    """A loop inside leaves what it does not touch as it was."""
    found = []
    for i in range(n):
        k = 1
        while k * k < x[0] * 40:
            k += 1
        found.append(k + i)
    return np.array(found).reshape(-1, 1) * np.ones((n, 2))


@pytest.mark.parametrize("function", [stacked, joined, cut, nested, after_others])
@pytest.mark.parametrize("n", [1, SHORT, SHORT + 1, 40])
def test_lists(function, n):
    x = np.array([0.5, 1.5, -1.0])
    expected, found = function(x, n), pyxla.compile(function)(x, n)
    for one, other in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-14)


def paired(x, y):
    return np.array([a * b for a, b in zip(x, y)])


def filtered(x, y):
    """Data says how many of each there are, fewer than there are numbers."""
    kept = [a for a in x if a > 0]
    return np.array([a * b for a, b in zip(kept, y)])


def windows(x, y):
    before, after, total = [], [], 0.0
    for a, b in zip(x, map(abs, y)):
        before.append(a)
        after.append(b)
        if len(before) > 3:
            before.pop(0)
            after.pop(0)
        steps = np.array([d - c for c, d in zip(before, after)])
        total += np.linalg.solve(np.outer(steps, steps) + np.eye(len(steps)), steps)[-1]
    return np.array([total])


@pytest.mark.parametrize("function", [paired, filtered, windows])
@pytest.mark.parametrize("sizes", [(5, 3), (40, 40), (30, 60)])
def test_those_read_in_step_bound_each_other(function, sizes):
    x, y = np.split(np.random.default_rng(0).normal(size=sum(sizes)), sizes[:1])
    compiled = pyxla.compile(function)
    np.testing.assert_allclose(compiled(x, y), function(x, y), rtol=1e-12)
    assert "list_capacity" not in str(pyxla.explain(compiled))


def test_shapes_are_those_of_the_program():
    typed = str(pyxla.code_typed(lambda x: stacked(x, 40), np.ones(3)))
    assert "-> f64[40,3]\n" in typed
    assert typed.count("slice") < 4  # not taken apart and put together again


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", [np.stack, np.concatenate])
def test_arrays_as_sequences(function, axis):
    a = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        pyxla.compile(lambda a: function(a, axis=axis))(a), function(a, axis=axis)
    )


@pytest.mark.parametrize("function", [np.vstack, np.hstack])
@pytest.mark.parametrize("index", [(), (0,), (..., 0)])
def test_rows_as_sequences(function, index):
    a = np.arange(24).reshape(2, 3, 4)[index]
    np.testing.assert_array_equal(pyxla.compile(lambda a: function(a))(a), function(a))
