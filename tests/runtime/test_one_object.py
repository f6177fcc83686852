"""What is one object in CPython's result is one in the result of a compiled function."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import pyxla


def made(n):
    rows = []
    for i in range(n):
        rows.append([i, i * i])
    return rows


def an_item(n):
    rows = made(n)
    return rows, rows[0], rows[-1]


def an_item_that_data_says(n):
    rows = made(n)
    return {"all": rows, "first": rows[n // 2]}


def two_items(n):
    rows = made(n)
    return rows[n // 2], rows[n - 3], rows[1]


def the_last(n):
    rows, last = [], None
    for i in range(n):
        last = [i]
        rows.append(last)
    return last, rows


def current(n):
    rows = [[0]]
    row = rows[0]
    for i in range(n):
        if i % 2:
            row = [i]
            rows.append(row)
        else:
            row.append(i)
    return rows, row


def deeper(n):
    tables = [[[i], [i, i]] for i in range(n)]
    return tables[2][0], tables[1], tables[1][1], tables[n - 3]


def in_tuples(n):
    pairs = [(i, [i]) for i in range(n)]
    return pairs, pairs[1][1], pairs[n - 1][1]


def an_array(n):
    blocks = [np.zeros(2) for _ in range(n)]
    block = blocks[1]
    block[0] = 4.0
    return block, block[::-1], blocks, blocks[n - 1]


def an_array_in_a_tuple(n):
    blocks = []
    for i in range(n):
        blocks.append((i, np.full(3, float(i))))
    return blocks[n - 1][1], blocks


def appended(rows):
    rows.append([7, 8])
    return rows[-1], rows


CASES: dict[Any, tuple[Any, ...]] = {
    an_item: (5,),
    an_item_that_data_says: (5,),
    two_items: (5,),
    the_last: (4,),
    current: (6,),
    deeper: (5,),
    in_tuples: (4,),
    an_array: (4,),
    an_array_in_a_tuple: (4,),
    appended: ([[1, 2], [3, 4]],),
}


def inside(x: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """The objects with identity in a result, and where each is."""
    if isinstance(x, np.ndarray) and x.base is not None and x.base.ndim == x.ndim:
        yield from inside(x.base, (*path, "base"))
    elif isinstance(x, np.ndarray | list | dict):
        yield path, x
    if isinstance(x, list | tuple):
        for i, item in enumerate(x):
            yield from inside(item, (*path, i))
    elif isinstance(x, dict):
        for name, item in x.items():
            yield from inside(item, (*path, name))


def same_ones(x: Any) -> set[tuple[Any, Any]]:
    found = list(inside(x))
    return {(p, q) for p, a in found for q, b in found if p != q and a is b}


@pytest.mark.parametrize("function", CASES)
def test_one_object_stays_one(function: Any) -> None:
    args = CASES[function]
    expected = function(*copy.deepcopy(args))
    actual = pyxla.compile(function)(*copy.deepcopy(args))
    assert same_ones(expected)
    assert same_ones(actual) == same_ones(expected)


def test_a_trace_has_the_values() -> None:
    """Under a trace identity is nobody's to see, and the values are there all the same."""

    @pyxla.compile
    def picked(x, i):
        rows = []
        for v in x:
            rows.append([v, v + 1.0])
        return rows, rows[i]

    rows, row = jax.jit(picked)(np.arange(100.0), 3)
    assert np.array(row).tolist() == [3.0, 4.0] == np.array(rows)[3].tolist()
