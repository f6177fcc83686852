"""Scans are loops on one CPU, and windows elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ops.evaluate import evaluate

X = np.random.default_rng(0).random((5, 7)) + 0.5


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.cumsum(x),
        lambda x: np.cumsum(x, axis=1),
        lambda x: np.cumprod(x, axis=0),
        lambda x: np.maximum.accumulate(x, axis=1),
        lambda x: np.cumsum(np.cumsum(x, axis=0), axis=1),
        lambda x: np.cumsum((10 * x).astype(np.int64)),
    ],
)
def test_values_are_the_same(function):
    program = pyxla.compile(function).lower(pyxla.f64[5, 7]).at("regions")
    ops = {instr.op.name for instr in program.plain.instrs}
    assert "while" not in ops
    assert "reduce_window" in ops
    (got,) = evaluate(program.plain, [X])
    np.testing.assert_allclose(got, function(X))
    assert "reduce_window" not in {instr.op.name for instr in program.region.instrs}


def test_in_a_loop_and_of_what_is_read_before():
    def function(x):
        for _ in range(3):
            x = np.cumsum(x, axis=0) / (1.0 + x)
        return x

    program = pyxla.compile(function).lower(pyxla.f64[5, 7]).at("regions")
    np.testing.assert_allclose(evaluate(program.plain, [X])[0], function(X))


def doubling(x):
    for i in range(1, 5):
        x[i] = x[i - 1] + 2 * x[i]
    return x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.subtract.accumulate(x),
        doubling,
    ],
)
def test_other_loops_stay(function):
    program = pyxla.compile(function).lower(pyxla.f64[5]).at("regions")
    assert "reduce_window" not in {instr.op.name for instr in program.plain.instrs}


def test_strict_programs_add_in_order():
    compiled = pyxla.compile(lambda x: np.cumsum(x), strict=True)
    region = compiled.lower(pyxla.f64[9]).at("regions").plain
    assert "while" in {instr.op.name for instr in region.instrs}
