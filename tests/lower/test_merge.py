"""Conditionals that decide the same become one, where neither needs the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import clone_region, walk
from pyxla.ir.verify import verify_region
from pyxla.lower.merge import merge_choices
from pyxla.ops.control import case
from pyxla.reflect import compilation

X = np.random.default_rng(0).random(5000)
AT = np.random.default_rng(1).integers(-5000, 5000, 5000)


def two_sums(x, at, n):
    return x[:n].sum(), (x[:n] * 2.0).max()


def gathered(x, at, n):
    return x[at[:n]].sum()


def one_of_the_other(x, at, n):
    s = x[:n].sum()
    return (x[:n] - s).max()


PROGRAMS = [two_sums, gathered, one_of_the_other]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_cpython(program: Callable[..., Any]) -> None:
    compiled = pyxla.compile(program)
    for n in (1, 2, 3, 5, 40, 3000, 5000):
        np.testing.assert_allclose(compiled(X, AT, n), program(X, AT, n))


def conditionals(program: Callable[..., Any]) -> tuple[int, int]:
    """How many there are, before and after."""
    region = compilation(program, pyxla.f64[5000], pyxla.i64[5000], int).at("regions").origin
    assert region is not None
    region = clone_region(region, {})

    def count() -> int:
        return sum(instr.op is case for instr in walk(region.instrs))

    before = count()
    merge_choices(region)
    verify_region(region)
    return before, count()


@pytest.mark.parametrize(
    ("program", "more", "left"),
    [(two_sums, 2, 1), (gathered, 2, 1), (one_of_the_other, 2, 2)],
)
def test_merged(program: Callable[..., Any], more: int, left: int) -> None:
    assert conditionals(program) == (more, left)


def test_an_index_beyond_the_true_size_is_no_fault() -> None:
    far = AT.copy()
    far[3000:] = 10**6
    compiled = pyxla.compile(gathered)
    assert compiled(X, far, 3000) == pytest.approx(gathered(X, far, 3000))
    with pytest.raises(IndexError, match="index 1000000 is out of bounds"):
        compiled(X, far, 3001)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint16, np.uint32, np.uint64])
def test_bounds_of_indices_of_other_dtypes(dtype: type) -> None:
    def taken(x, at):
        return x[at]

    compiled = pyxla.compile(taken)
    for size in (100, 200, 300, 40_000):
        x = np.arange(size)
        for value in (0, 99, 100, -100, -101, 127, 255, 299, 300, -129, -(2**15), 39_999, 40_000):
            info = np.iinfo(dtype)
            if not info.min <= value <= info.max:
                continue
            at = np.array([0, value], dtype)
            try:
                expected = taken(x, at)
            except IndexError as error:
                with pytest.raises(IndexError) as caught:
                    compiled(x, at)
                assert str(caught.value) == str(error)
            else:
                np.testing.assert_array_equal(compiled(x, at), expected)
