"""Checks that an earlier one implies go; those that it does not stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Function
from pyxla.ir.dominance import immediate_dominators
from pyxla.lower.implied import drop_implied
from pyxla.ops.sticky import flag

X = np.arange(1.0, 7.0)


def read_and_written(x, at):
    i = at[0]
    x[i] = x[i] * 2.0 + x[i]
    return x


def in_a_branch(x, at):
    i = at[0]
    s = x[i]
    if s > 2.0:
        s += x[i]
    return s


def in_either_branch(x, at):
    s, i = 0.0, at[0]
    if at[1] > 2:
        s += x[i]
    else:
        s -= x[i]
    return s


def after_a_branch(x, at):
    s, i = 0.0, at[0]
    if at[1] > 2:
        s += x[i]
    return s + x[i]


def another(x, at):
    return x[at[0]] + x[at[1]]


def computed_alike(x, at):
    return x[at[0] - 2] + x[at[0] - 2]


def changed_between(x, at):
    i = at[0]
    s = x[i]
    i += 1
    return s + x[i]


def in_the_next_iteration(x, at):
    """What is checked at the end of an iteration says nothing of the next one."""
    s, i = 0.0, at[0]
    for k in range(3):
        s += x[i]
        i = at[k % 2] - k
        s += x[i]
    return s


def within(x, at):
    i = at[0]
    if 0 <= i < len(x) and x[i] > 2.0:
        return x[i]
    return -1.0


def outside(x, at):
    i, j = at[0], at[1]
    if i < 0 or i >= 6 or not (j > -4 and j <= 5):
        return -1.0
    return x[i] + x[j]


def from_one_end(x, at):
    i = at[0]
    return x[i] if i < 6 else -1.0


def on_one_of_two_paths(x, at):
    i, j = at[0], at[1]
    if (0 <= i and i < 6) or j == 5:
        return x[i] - x[j]
    return -1.0


def changed_since(x, at):
    i = at[0]
    if 0 <= i < 6:
        i += 1
        return x[i]
    return -1.0


def told_of_the_last_iteration(x, at):
    s, i = 0.0, at[0]
    told = 0 <= i < 6
    for k in range(3):
        if told:
            s += x[i]
        i = at[k % 2] - k
        told = 0 <= at[1] < 6
    return s


def equal_to_a_number(x, at):
    i = at[0]
    return x[i] if i == 3 else x[at[1]] if i != -7 else x[i]


def flags(program: Callable[..., Any]) -> tuple[int, int]:
    """How many checks there are, before and after."""
    function: Function = pyxla.compile(program).lower(X, np.array([1, 1])).at("typed").function

    def count() -> int:
        return sum(i.op is flag for block in function.blocks for i in block.instrs)

    before = count()
    drop_implied(function.blocks, immediate_dominators(function.blocks))
    return before, count()


@pytest.mark.parametrize(
    ("program", "before", "after"),
    [
        (read_and_written, 3, 1),
        (in_a_branch, 2, 1),
        (in_either_branch, 2, 2),
        (after_a_branch, 2, 2),
        (another, 2, 2),
        (computed_alike, 2, 1),
        (changed_between, 2, 2),
        (in_the_next_iteration, 2, 2),
        (within, 2, 0),
        (outside, 2, 0),
        (from_one_end, 1, 1),
        (on_one_of_two_paths, 2, 2),
        (changed_since, 1, 1),
        (told_of_the_last_iteration, 1, 1),
        (equal_to_a_number, 3, 2),
    ],
)
def test_dropped(program: Callable[..., Any], before: int, after: int) -> None:
    assert flags(program) == (before, after)
    compiled = pyxla.compile(program)
    for i in (-7, -6, -1, 0, 4, 5, 6, 8):
        for j in (-7, 0, 5, 6):
            found, expected, at = X.copy(), X.copy(), np.array([i, j])
            try:
                result = program(expected, at)
            except IndexError as error:
                with pytest.raises(IndexError) as caught:
                    compiled(found, at)
                assert str(caught.value) == str(error)
            else:
                np.testing.assert_array_equal(compiled(found, at), result)
            np.testing.assert_array_equal(found, expected)
