"""Indices that loops find in data are expected to count from the front, until one does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import pyxla


def picked(x, places):
    total = 0.0
    for k in places:
        total += x[k]
    return total


def counted(x, places):
    for k in range(len(places)):
        x[places[k]] += 1.0
    return x.sum()


def of_a_row(x, places):
    rows = np.stack((x, 2.0 * x))
    total = 0.0
    for k in range(len(places)):
        total += rows[places[k] % 2, places[k]]
    return total


def of_a_list(x, places):
    queue, total = [0.0], 0.0
    for k in range(len(places)):
        queue.append(x[k % len(x)])
        total += queue[places[k]]
    return total


def until(x, places):
    k, steps = places[0], 0
    while x[k] > 0.5 and steps < 9:
        k = places[k]
        steps += 1
    return k, steps


def caught(x, places):
    missed, total = 0, 0.0
    for k in places:
        try:
            total += x[k]
        except IndexError:
            missed += 1
    return total, missed


PROGRAMS = [picked, counted, of_a_row, of_a_list, until, caught]
PLACES = ([0, 1, 2], [2, -1, 0], [0, 3, 1], [-3, -2, 1], [0, 1, -4], [1, 1, 1])
X = np.array([1.0, 2.0, 0.25])


def outcome(function: Callable[..., Any], places: list[int]) -> tuple[Any, ...]:
    x = X.copy()
    try:
        found = function(x, np.array(places))
    except IndexError as error:
        found = str(error)
    return (found, x.tolist())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_cpython(program: Callable[..., Any]) -> None:
    for places in (PLACES, PLACES[::-1]):
        compiled = pyxla.compile(program)
        for given in places:
            assert outcome(compiled, given) == outcome(program, given), given


def test_what_is_met_once_is_expected_from_then_on() -> None:
    compiled = pyxla.compile(picked)
    for given in ([0, 1, 2], [1, 1, 0], [0, 1, 3]):
        outcome(compiled, given)
    assert not compiled.options.from_end  # an error is none of these
    assert outcome(compiled, [0, -1, 2]) == outcome(picked, [0, -1, 2])
    assert compiled.options.from_end
    for given in ([0, -1, 2], [-3, -3, -3], [0, 1, 2]):
        assert outcome(compiled, given) == outcome(picked, given)
    assert len(compiled.specializations) == 1


def test_where_it_is_not_expected_there_is_no_code_for_it() -> None:
    types = pyxla.f64[100], pyxla.i64[7]
    code = [
        pyxla.compile(picked, from_end=given).lower(*types).text("stablehlo")
        for given in (False, True)
    ]
    expected, other = [text.count("stablehlo.select") for text in code]
    assert expected == other - 1


def test_outside_of_loops_it_is_expected() -> None:
    compiled = pyxla.compile(lambda x, k: x[k])
    assert [compiled(X, k) for k in (0, -1, 2, -3)] == [1.0, 0.25, 0.25, 1.0]
    assert len(compiled.specializations) == 1
    assert not compiled.options.from_end


def neighbours(x, places):
    total = 0.0
    for k in places:
        total += x[k - 1] * x[(k + 1) % len(x)] - x[-k] + x[k + (-1)] * x[-1 + k]
    return total


def test_neighbours_are_expected_to_reach_back() -> None:
    compiled, places = pyxla.compile(neighbours), np.array([0, 2, 1])
    assert compiled(X, places) == neighbours(X, places)
    assert len(compiled.specializations) == 1
    assert not compiled.options.from_end


def test_derivatives_lanes_and_traces() -> None:
    for given in ([0, 1, 2], [2, -1, 0]):
        places = np.array(given)
        slope = np.bincount(places % 3, minlength=3)
        np.testing.assert_array_equal(pyxla.grad(picked)(X, places), slope)
        many = pyxla.vmap(picked, in_axes=(0, 0))
        np.testing.assert_array_equal(
            many(np.stack((X, -X)), np.stack((places, -places))),
            [picked(X, places), picked(-X, -places)],
        )
        assert jax.jit(pyxla.compile(picked))(X, places) == picked(X, places)


def test_artifacts(tmp_path: Path) -> None:
    pyxla.build(picked, X, np.array([0, 1, 2]), path=tmp_path / "out")
    built = pyxla.load(tmp_path / "out")
    for given in PLACES:
        assert outcome(built, given)[0] == outcome(picked, given)[0]
