"""The record of what inference costs: of all programs, and what counts as growth.

`tests/test_programs.py` holds each program against it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import pyxla
from tests import cost
from tests.programs import load


def test_every_program_is_recorded() -> None:
    assert sorted(cost.record()) == sorted(load()), "python -m tests.cost --update"


def test_growth_is_told() -> None:
    known = {"f": [2, 100, 50]}
    now = cost.Cost(2, 102, 51)
    assert not cost.grown("f", now, known)
    assert "visits grew from 100 to 103" in cost.grown("f", replace(now, visits=103), known)
    assert "attempts" in cost.grown("f", replace(now, attempts=3), known)
    assert "instructions" in cost.grown("f", replace(now, instructions=52), known)
    assert "not in" in cost.grown("g", now, known)


def total(x: float, n: int) -> float:
    for _ in range(n):
        x = x * 2
    return x


def test_a_call_is_counted_once() -> None:
    meter = cost.Meter()
    fn = pyxla.compile(total)
    for args in ((1.0, 2), (1.0, 3)):
        with meter.call():
            fn(*args)
    first, second = meter.costs
    assert first.attempts == 1 and first.visits > 5 and first.lines == 2
    assert first.instructions > 5 and first.seconds > 0
    assert second == cost.Cost()
    assert meter.worst() == first


def test_what_is_refused_is_counted_too() -> None:
    meter = cost.Meter()
    with pytest.raises(pyxla.CompileError), meter.call():
        pyxla.compile(lambda x: unknown_name(x))(1.0)  # noqa: F821
    assert meter.worst().attempts == 1 and not meter.worst().instructions
