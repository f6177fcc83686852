"""Gradients of lists whose lengths data decides, which say so as the lists themselves do."""

from __future__ import annotations

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
