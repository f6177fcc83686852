"""Loops that work on blocks of elements: the same results, whatever overlaps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import clone_region, walk
from pyxla.ir.verify import verify_region
from pyxla.lower.cpu.blocks import make_blocks
from pyxla.ops.control import while_
from pyxla.reflect import compilation


def eliminate(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
    return a


def reads_what_it_writes(a):
    """a[i, k] is written halfway."""
    n = a.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if a[i, k] + a[k, j] < a[i, j]:
                    a[i, j] = a[i, k] + a[k, j]
    return a


def by_columns(a, b, c):
    for j in range(b.shape[1]):
        for k in range(a.shape[1]):
            for i in range(a.shape[0]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def exchange_rows(a, p: int, q: int):
    for j in range(a.shape[1]):
        a[p, j], a[q, j] = a[q, j], a[p, j] * 2.0
    return a


def two_arrays(a, b):
    for i in range(1, len(a) - 1):
        b[i] = (a[i - 1] + a[i + 1]) * i + b[i]
        a[i] = a[i] * 0.5
    return a, b


def shifted(a, d: int):
    """Iterations need each other where d is neither 0 nor large."""
    n = len(a)
    for i in range(n // 2):
        a[i + n // 4] = a[i + n // 4 + d] + 1.0
    return a


def one_place(a, d: int):
    for i in range(len(a)):
        a[i] = a[d] + i
    return a


def rows_apart(a, d: int):
    for i in range(3):
        for j in range(a.shape[1] - 1):
            a[i, j + 1] = a[i + d, j] * 0.5 + a[i, j + 1]
    return a


def from_to(a, first: int, last: int):
    s = 0
    for i in range(first, last):
        a[i] = i
        s = i
    return a, s


def read_after_write(a, b, d: int):
    for i in range(len(a) - 4):
        a[i] = b[i] * 3.0
        b[i] = a[i] + a[i + d]
        a[i] = b[i] - 1.0
    return a, b


def transposed(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[j, i] + 1.0
    return a


def kinds(x, n: int):
    out = np.zeros(len(x), np.int32)
    mask = np.zeros(len(x), np.bool_)
    for i in range(len(x)):
        out[i] = x[i] * n + i
        mask[i] = x[i] > n and i != 2
    return out, mask


def square(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=(n, n)) + 3.0


def row(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n)


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (eliminate, [(square(20),), (square(7),), (square(8),), (square(1),)]),
    (reads_what_it_writes, [(square(17),)]),
    (by_columns, [(square(19), square(19), square(19)), (square(5), square(5), square(5))]),
    (exchange_rows, [(square(18), 2, 5), (square(18), 3, 3), (square(18), 3, -15)]),
    (two_arrays, [(row(40), row(40))]),
    (shifted, [(row(64), d) for d in (0, 1, -1, 3, 7, -9, -16)]),
    (one_place, [(row(40), d) for d in (0, 17, 39, -1)]),
    (rows_apart, [(square(21), d) for d in (0, 1, 2, 5)]),
    (from_to, [(row(40), *r) for r in ((0, 40), (3, 25), (9, 9), (20, 4), (-5, 30), (-40, 0))]),
    (read_after_write, [(row(40), row(40), d) for d in (0, 1, 3)]),
    (transposed, [(square(20),)]),
    (kinds, [(np.arange(30), 3), (np.arange(30) % 7, 2)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES)
def test_as_cpython(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = pyxla.compile(function)
    for args in calls:
        mine, theirs = [[np.copy(x) if np.ndim(x) else x for x in args] for _ in range(2)]
        expected, found = function(*theirs), compiled(*mine)
        pairs = (
            zip(expected, found, strict=True) if isinstance(found, tuple) else [(expected, found)]
        )
        for x, y in pairs:
            np.testing.assert_array_equal(x, y)
        for x, y in zip(theirs, mine, strict=True):
            np.testing.assert_array_equal(x, y)


def loops(function: Callable[..., Any], *types: Any) -> tuple[int, int]:
    """How many loops there are, before and after."""
    region = compilation(function, *types).at("regions").origin
    assert region is not None
    region = clone_region(region, {})
    before = sum(instr.op is while_ for instr in walk(region.instrs))
    make_blocks(region)
    verify_region(region)
    return before, sum(instr.op is while_ for instr in walk(region.instrs))


SQUARE, ROW = pyxla.f64[20, 20], pyxla.f64[40]


@pytest.mark.parametrize(
    ("function", "types", "more"),
    [
        (eliminate, (SQUARE,), 1),
        (rows_apart, (SQUARE, int), 1),
        (by_columns, (SQUARE, SQUARE, SQUARE), 0),  # LLVM makes vectors of it
        (exchange_rows, (SQUARE, int, int), 0),
        (two_arrays, (ROW, ROW), 0),  # what a loses is read in the next iteration
        (shifted, (ROW, int), 0),
        (by_columns, (pyxla.f64[4, 4],) * 3, 0),
    ],
)
def test_which_loops(function: Callable[..., Any], types: tuple[Any, ...], more: int):
    before, after = loops(function, *types)
    assert after == before + more


@pytest.mark.parametrize("function", [eliminate, by_columns])
def test_no_copies(function: Callable[..., Any]):
    types = [SQUARE] * function.__code__.co_argcount
    text = pyxla.code_hlo(function, *types, optimized=True)
    within = text[: text.index("ENTRY")]
    assert not re.findall(r"= \w+\[[\d,]{3,}\]\S* copy\(", within)
