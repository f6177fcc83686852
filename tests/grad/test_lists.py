"""Gradients of lists whose lengths data decides, which say so as the lists themselves do."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def of_rows(rows):
    total = 0.0
    for i, row in enumerate(rows):
        for x in row:
            total = total + (i + 1) * x * x
    return total


def of_row(row):
    return sum([x * x for x in row], start=0.0)


def of_what_is_there(xs):
    total = 0.0
    for x in xs:
        if x is not None:
            total = total + x * x
    return total


def of_pairs(pairs):
    total = 0.0
    for x, k in pairs:
        total = total + k * x * x
    return total


def rows_made(n, x):
    rows, k = [], 0
    while k * k < n:
        rows.append([x + k] * k)
        k += 1
    return rows


def some_made(n, x):
    made, k = [], 0
    while k * k < n:
        made.append(x + k if k % 2 else None)
        k += 1
    return made


def pairs_made(n, x):
    return [(x + k, k) for k in range(n) if k * x < n]


ROWS = [[float(i + j) for j in range(i % 5)] for i in range(12)]


def test_of_an_argument_of_lists_of_several_lengths():
    expected = [[2.0 * (i + 1) * x for x in row] for i, row in enumerate(ROWS)]
    assert pyxla.grad(of_rows)(ROWS) == expected
    assert pyxla.value_and_grad(of_rows)(ROWS) == (of_rows(ROWS), expected)


@pytest.mark.parametrize("k", [0, 4, -2])
def test_of_one_row(k):
    @pyxla.compile
    def inner(rows, k):
        return pyxla.grad(of_row)(rows[k])

    assert inner(ROWS, k) == [2.0 * x for x in ROWS[k]]


def test_of_lists_that_are_made():
    @pyxla.compile
    def inner(n, x):
        slopes = pyxla.grad(of_rows)(rows_made(n, x))
        return slopes, pyxla.grad(of_what_is_there)(some_made(n, x))

    rows, some = inner(20, 3.0)
    assert rows == [[2.0 * (i + 1) * x for x in row] for i, row in enumerate(rows_made(20, 3.0))]
    assert some == [None if x is None else 2.0 * x for x in some_made(20, 3.0)]


def test_of_pairs_of_numbers():
    @pyxla.compile
    def inner(n, x):
        return pyxla.grad(of_pairs)(pairs_made(n, x))

    assert [slope for slope, _ in inner(9, 2.0)] == [2.0 * k * x for x, k in pairs_made(9, 2.0)]


def determinant(rows):
    """Rows of a copy change places, as data says."""
    rows, found = [row[:] for row in rows], 1.0
    for i in range(len(rows)):
        p = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        if p != i:
            rows[i], rows[p] = rows[p], rows[i]
            found = -found
        found *= rows[i][i]
        for k in range(i + 1, len(rows)):
            factor = rows[k][i] / rows[i][i]
            for c in range(i, len(rows)):
                rows[k][c] -= factor * rows[i][c]
    return found


def moved(rows):
    """Those of the argument itself do, and are written."""
    for i in range(len(rows)):
        p = (i * 3) % len(rows)
        rows[i], rows[p] = rows[p], rows[i]
        rows[i][0] *= rows[p][1]
    return sum([row[i] * i for i, row in enumerate(rows)])


def grouped(rows):
    found = {}
    for row in rows:
        found.setdefault(int(row[0] > 0), []).append(row)
    return sum([row[1] * row[2] * (k + 1) for k in found for row in found[k]])


@pytest.mark.parametrize("f", [determinant, moved, grouped])
def test_of_rows_that_are_in_several_lists(f):
    """They are rows of a pool then: the gradient was the argument."""
    rows = np.random.default_rng(6).normal(size=(5, 5)).tolist()

    def slope(i, k, step=1e-6):
        ahead, behind = [[list(row) for row in rows] for _ in range(2)]
        ahead[i][k] += step
        behind[i][k] -= step
        return (f(ahead) - f(behind)) / (2 * step)

    exact = [[slope(i, k) for k in range(5)] for i in range(5)]
    assert np.allclose(pyxla.grad(f)([list(row) for row in rows]), exact, atol=1e-7)
    after = [list(row) for row in rows]
    value = f(after)
    found, (left,) = pyxla.functional(f)([list(row) for row in rows])
    assert found == pytest.approx(value)
    assert np.allclose(left, after)


def doubled_least(rows):
    least = sorted(rows, key=lambda row: row[0])[0]
    least[1] *= 2.0
    return least[2]


def test_what_is_written_to_a_row_is_not_lost():
    """The caller of a functional function sees it, though nobody in the function looks again."""
    rows = np.random.default_rng(6).normal(size=(6, 6)).tolist()
    after = [list(row) for row in rows]
    pyxla.compile(doubled_least)(after)
    assert after != rows
    try:
        _, (left,) = pyxla.functional(doubled_least)(rows)
    except pyxla.CompileError:
        return
    assert left == after
