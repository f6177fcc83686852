"""Blocks written from what was computed of the same array before: in place, and with old values."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation


def in_turns(a, b, n):
    for _ in range(n):
        b[1:-1, 1:-1] = 0.25 * (a[1:-1, 1:-1] + a[:-2, 2:])
        a[1:-1, 1:-1] = 0.25 * (b[1:-1, 1:-1] + b[2:, :-2])
    return a.reshape(-1), a.sum()


def by_temporary(a, b, n):
    for _ in range(n):
        c = np.zeros_like(a)
        c[1:-1, 1:-1] = a[1:-1, 1:-1] * 0.5 + a[:-2, 2:]
        a[1:-1, 1:-1] = 0.25 * (c[1:-1, 1:-1] + c[2:, :-2])
    return a.reshape(-1), a.T.reshape(-1)


def from_copy(a, b, n):
    for _ in range(n):
        b = a.copy()
        b[1:] = a[1:] + a[:-1]
        a[:-1] = b[1:] * 0.5
        a[1:] = b[:-1] * 0.5 + a[:-1]
    return a.reshape(-1), b


def reshaped_between(a, b, n):
    for _ in range(n):
        b[2:] = a[:-2] + b[2:]
        c = b.reshape(-1)[::-1]
        a[1:] = c.reshape(a.shape)[:-1] * 0.5
        a, b = b, a
    return a.reshape(-1), b


PROGRAMS = [in_turns, by_temporary, from_copy, reshaped_between]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_blocks_from_updated_arrays(program):
    compiled = pyxla.compile(program)
    rng = np.random.default_rng(0)
    for shape, dtype in (((40, 40), float), ((70, 5), np.float32), ((3, 3), float)):
        a, b = (rng.random((2, *shape)) * 8).astype(dtype)
        ours, theirs = [a.copy(), b.copy()], [a.copy(), b.copy()]
        got, expected = compiled(*ours, 3), program(*theirs, 3)
        for x, y in zip([*got, *ours], [*expected, *theirs], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


def test_arrays_updated_in_turns_are_not_selected_as_a_whole():
    x = pyxla.f64[40, 40]
    text = compilation(in_turns, x, x, int).text("typed")
    assert text.count("dynamic_update_slice") == 2 and "select" not in text


def squared(x, m):
    x[m] = x[m] ** 2 + x[m] ** 3
    return x, (x[m] > 0) ** 2


def test_arrays_of_bounded_extent_are_raised_to_powers():
    x, m = np.arange(-4.0, 4), np.arange(8) % 3 == 0
    np.testing.assert_array_equal(pyxla.compile(squared)(x.copy(), m)[0], squared(x.copy(), m)[0])


def leading(x):
    for k in range(1, x.shape[0]):
        x[:k] += x[k] * x[:k][::-1]
    return x


def leading_block(x):
    for k in range(1, x.shape[0]):
        x[:k, :k] += x[k, k]
    return x


@pytest.mark.parametrize("program, shape", [(leading, (90,)), (leading_block, (20, 20))])
def test_leading_elements_are_written_without_padding_the_array(program, shape):
    x = np.random.default_rng(0).random(shape) / 64
    np.testing.assert_allclose(pyxla.compile(program)(x.copy()), program(x.copy()))
    lines = compilation(program, x).text("typed").splitlines()
    whole = f": f64[{','.join(map(str, shape))}]"
    assert any("dynamic_update_slice" in line and whole in line for line in lines)
    assert not any(" pad " in line and whole in line for line in lines)


def trailing(a, b):
    for k in range(a.shape[0]):
        a[k:, 1:] += b[k:, None] * 0.5
        a[k:] = a[k:] - b[k]
    return a


def test_trailing_elements_are_updated_where_they_are():
    a, b = np.random.default_rng(0).random((40, 5)), np.arange(40.0)
    np.testing.assert_allclose(pyxla.compile(trailing)(a.copy(), b), trailing(a.copy(), b))
    assert " pad " not in compilation(trailing, a, b).text("regions")
