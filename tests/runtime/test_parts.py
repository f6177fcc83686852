"""Large arguments of which a program writes a few parts, which alone are written."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

N = 4096


def put(a, i, v):
    a[i] = v


def swapped(a, i, j):
    a[i], a[j] = a[j], a[i]
    return a[i] - a[j]


def row_and_block(a, i, v):
    a[i] = v
    a[i : i + 2, 3:5] += 1.0
    a[i, 4] *= 3.0


def read_afterwards(a, i, v):
    a[i] = v
    b = a * 2.0
    a[i + 1] = b[i]
    return b.sum()


def where_positive(a, i, v):
    if v > 0:
        a[i] = v
    else:
        a[i + 1] = -v


def returned(a, i, v):
    part = v * np.ones(3)
    a[i : i + 3] = part
    return part


def both(a, b, i, v):
    a[i] = v
    b[i + 1] = a[i] + b[i]


def raising(a, i, v):
    a[i] = v
    if v < 0:
        raise ValueError(f"{v} is negative")
    a[i + 1] = v


def all_of_it(a, v):
    for i in range(len(a)):
        a[i] = v


class Box:
    def __init__(self, items):
        self.items = items


def in_a_field(box, i, v):
    box.items[i] += v
    return box


def vector():
    return np.arange(float(N))


def matrix():
    return np.arange(float(N)).reshape(64, 64)


def check(function, make, *args):
    expected, given = make(), make()
    result = function(expected, *args)
    compiled = pyxla.compile(function)
    for _ in range(3):
        given = make()
        np.testing.assert_array_equal(compiled(given, *args), result)
        np.testing.assert_array_equal(given, expected)
    return compiled


def patched(compiled):
    """How many parts the program gives."""
    return [len(entry.executable.outcome.patches) for entry in compiled.specializations]


@pytest.mark.parametrize("i", [0, 7, -1, N - 1])
def test_an_element(i):
    compiled = check(put, vector, i, 2.5)
    assert patched(compiled) == [1]
    assert not compiled.specializations[0].executable.outcome.writes


@pytest.mark.parametrize("i, j", [(0, 5), (5, 5), (-1, 0)])
def test_two_that_change_places(i, j):
    assert patched(check(swapped, vector, i, j)) == [2]


def test_rows_and_blocks_in_order():
    assert sum(patched(check(row_and_block, matrix, 5, np.arange(64.0)))) > 0


@pytest.mark.parametrize("v", [2.0, -3.0])
def test_what_is_read_afterwards_and_branches(v):
    check(read_afterwards, vector, 9, v)
    check(where_positive, vector, 9, v)
    check(returned, vector, 9, v)


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(2.0 * N)[::2],
        lambda: matrix().T[3:],
        lambda: np.arange(float(N), dtype=np.float32),
        lambda: np.arange(N) % 2 == 0,
        lambda: np.arange(N, dtype=np.uint8),
        lambda: np.arange(2.0 * N)[1:][:N],
    ],
)
def test_views_and_dtypes(make):
    check(put, make, 3, 1)


def test_nothing_is_written_where_a_check_fails():
    a = vector()
    compiled = pyxla.compile(both)
    with pytest.raises(IndexError):
        compiled(a, a.copy(), N, 1.0)
    np.testing.assert_array_equal(a, vector())


def test_what_was_written_before_a_raise_stays():
    a, expected = vector(), vector()
    for function, x in ((raising, expected), (pyxla.compile(raising), a)):
        with pytest.raises(ValueError, match="-2.0 is negative"):
            function(x, 3, -2.0)
    np.testing.assert_array_equal(a, expected)
    pyxla.compile(raising)(a, 3, 2.0)
    raising(expected, 3, 2.0)
    np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("shift", [0, 1, 5])
def test_arguments_that_share_memory(shift):
    expected, given = np.arange(N + 8.0), np.arange(N + 8.0)
    compiled = pyxla.compile(both)
    both(expected[:N], expected[shift : shift + N], 4, 9.0)
    compiled(given[:N], given[shift : shift + N], 4, 9.0)
    np.testing.assert_array_equal(given, expected)
    expected, given = vector(), vector()
    both(expected, expected, 4, 9.0)
    compiled(given, given, 4, 9.0)
    np.testing.assert_array_equal(given, expected)


def test_arrays_in_fields():
    box = Box(vector())
    items, compiled = box.items, pyxla.compile(in_a_field)
    assert compiled(box, 3, 4.0) is box
    assert box.items is items
    assert items[3] == 7.0


def test_more_than_parts_is_written_as_a_whole():
    assert patched(check(all_of_it, vector, 3.0)) == [0]
    assert patched(check(put, lambda: np.zeros(64), 3, 1.0)) == [0]
