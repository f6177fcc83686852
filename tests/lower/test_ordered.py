"""Python's `sum` adds in the order of the items, to the last bit.

So did CPython's up to 3.11; later ones add what roundings of floats lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import pyxla


def of_a_list(values: list) -> float:
    return sum(values)


def of_squares(values: list) -> float:
    return sum([v * v for v in values])


def of_some(values: list) -> float:
    kept = []
    for v in values:
        if v > 0:
            kept.append(v * 1.3)
    return sum(kept) / (len(kept) + 1)


def of_pairs(values: list) -> float:
    return sum(x * y for x, y in zip(values, values[1:], strict=False))


def from_a_start(values: list) -> float:
    return sum(values, values[-1])


def of_an_array(values: list) -> float:
    return sum(np.array(values))


def of_singles(values: list) -> Any:
    return sum(np.array(values, np.float32))


def of_complex_numbers(values: list) -> complex:
    return sum([complex(v, -v / 3) for v in values])


def of_rows(values: list) -> np.ndarray:
    return sum(np.outer(values, values[:3]))


def of_what_a_dict_holds(values: list) -> float:
    by_key: dict[int, float] = {}
    for v in values:
        key = int(v * 100) % 50
        by_key[key] = by_key.get(key, 0.0) + v
    return sum(by_key.values())


def in_order(items: Iterable[Any], start: Any = 0) -> Any:
    for x in items:
        start = start + x
    return start


PROGRAMS = [
    *(of_a_list, of_squares, of_some, of_pairs, from_a_start, of_an_array, of_singles),
    *(of_complex_numbers, of_rows, of_what_a_dict_holds),
]


@pytest.mark.compiled
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("strict", [False, True])
def test_sums_are_those_of_cpython(program: Any, strict: bool) -> None:
    compiled = pyxla.compile(program, strict=strict)
    for seed, count in enumerate((1, 7, 130, 130, 130)):
        values = np.random.default_rng(seed).normal(size=count).tolist()
        with mock.patch.dict(globals(), {"sum": in_order}):
            wanted = program(values)
        found = compiled(values)
        assert type(found) is type(wanted)
        assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()


@pytest.mark.compiled
def test_sum_of_negative_zeros_starts_from_an_int() -> None:
    assert repr(pyxla.compile(of_a_list)([-0.0] * 200)) == "0.0"


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_sums_of_nothing(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    for program in (lambda x: sum(x), lambda x: sum(x, 1.5), lambda x: sum(x[1:1])):
        found, wanted = pyxla.compile(program)(x), program(x)
        assert type(found) is type(wanted)
        np.testing.assert_array_equal(found, wanted)


def test_derivatives_and_lanes_of_sums_are_those_of_any() -> None:
    values = np.arange(200.0)
    np.testing.assert_array_equal(pyxla.grad(of_an_array)(values), np.ones(200))
    np.testing.assert_array_equal(pyxla.grad(of_squares)(values), 2 * values)
    lanes = pyxla.vmap(of_squares)(values.reshape(4, 50))
    np.testing.assert_array_equal(lanes, [of_squares(row) for row in values.reshape(4, 50)])
