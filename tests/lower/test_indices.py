"""Unsigned indices: what they are where loops begin, end and fail."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla


def total_at(x, at):
    total = 0
    for k in range(len(at)):
        total += x[at[k]]
    return total


def counts_at(x, at):
    for k in range(len(at)):
        x[at[k]] += 1
    return x


def first_of(x, n):
    total = 0
    for i in range(n):
        total += x[i]
    return total


def pairs_to(x, m):
    total = 0
    for i in range(3, m):
        for j in range(i + 1, m):
            total += x[i] * x[j]
        for j in range(i - 4, m):
            total += x[j]
    return total


def backwards(x, k):
    total = 0
    for i in range(len(x) - 1, -1, -1):
        total = (total * 3 + x[i - k]) % 1000
    return total


def until_5(x):
    total, i = 0, 0
    while i < len(x) and x[i] != 5:
        total += x[i - 1]
        i += 1
    return total, i


def squares(start, stop):
    total = 0
    for i in range(start, stop):
        total += i * i
    return total


X = np.arange(50) * 7 % 11
HERE = np.arange(-50, 50)
LEAST = np.iinfo(np.int64).min


@pytest.mark.parametrize(
    ("function", "args"),
    [
        *[(f, (X, HERE)) for f in (total_at, counts_at)],
        *[(f, (X, np.append(HERE, k))) for f in (total_at, counts_at) for k in (50, -51, LEAST)],
        *[(first_of, (X, n)) for n in (0, 50, 51, -5, LEAST)],
        *[(pairs_to, (X, m)) for m in (50, 51, -3)],
        *[(backwards, (X, k)) for k in (3, -49, 60, -51)],
        *[(until_5, (x,)) for x in (X, np.ones(7, np.int64))],
        *[(squares, ends) for ends in ((-5, -9), (-5, 9), (3, -2), (9, -9))],
    ],
)
def test_loops_read_what_numpy_reads(function: Callable, args: tuple[Any, ...]):
    def outcome(f: Callable) -> list[Any]:
        given = copy.deepcopy(args)
        try:
            found: Any = f(*given)
        except IndexError as error:
            found = str(error)
        return [found, *given]

    for ours, theirs in zip(outcome(pyxla.compile(function)), outcome(function), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_one_comparison_does_for_both_ends():
    hlo = pyxla.code_hlo(total_at, pyxla.i64[50], pyxla.i64[80])
    assert "u64[] constant(50)" in hlo
    assert "constant(-50)" not in hlo
    reads = re.findall(r"dynamic-slice\(\S+ (\S+)\)", hlo)
    assert reads
    for index in reads:
        assert re.search(rf"{re.escape(index)} = u64", hlo)
