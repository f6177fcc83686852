"""How much attempts at one program may cost: it is compiled, or refused, within seconds."""

import itertools

import numpy as np
import pytest

import pyxla
from pyxla import CompileError, pipeline
from pyxla.runtime import request
from pyxla.runtime.descriptions import ArgText
from tests.cost import Meter


def long(x):
    total = 0.0
    for v in x:
        total += v * v if v > 1 else v
    return total


def of_two_sets(x):
    """Refused, whatever is tried: the set is one of two, of items of no one type."""
    found = {1, 2} if x[0] > 0 else {"a"}
    return sorted(found, key=lambda item: open(item))


def spelled(text, x):
    return eval(text) + x


def test_an_attempt_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(request, "MOST", 9)
    with pytest.raises(CompileError) as refused:
        pyxla.compile(long)(np.arange(3.0))
    assert "takes too long" in refused.value.message and "1 attempts" in refused.value.message
    assert refused.value.loc.function.startswith("long")


def test_the_first_refusal_is_what_is_told(monkeypatch):
    monkeypatch.setattr(request, "MOST", 60)
    with pytest.raises(CompileError, match="may be str") as refused:
        pyxla.compile(of_two_sets)(np.arange(3.0))
    assert any("given up after" in text for text, _ in refused.value.notes)


def test_after_much_work_nothing_is_tried_blindly(monkeypatch):
    attempts = []
    for many in (request.MUCH, 0):
        monkeypatch.setattr(request, "MUCH", many)
        meter = Meter()
        with meter.call(), pytest.raises(CompileError):
            pyxla.compile(of_two_sets)(np.arange(3.0))
        attempts.append(meter.costs[0].attempts)
    assert attempts[1] < attempts[0]


def test_a_second_program_may_cost_as_much_again(monkeypatch):
    """With a check in place: what the first one cost is not counted."""

    def item(x, k):
        total = 0.0
        for i in range(4):
            total += x[k + i]
        return total

    costs = []
    monkeypatch.setattr(request.Work, "done", lambda work: costs.append(work.cost))
    pyxla.compile(item)(np.arange(9.0), 1)
    monkeypatch.undo()
    monkeypatch.setattr(request, "MOST", costs[0] * 3 // 2)
    with pytest.raises(IndexError):
        pyxla.compile(item)(np.arange(9.0), 7)


def test_a_text_is_data_once(monkeypatch):
    """Refused with a short text that is known, and as data: not once more with it known."""
    texts, specialize = [], pipeline.specialize

    def noting(asked, places):
        texts.append(isinstance(asked.args[0], ArgText))
        return specialize(asked, places)

    monkeypatch.setattr(pipeline, "specialize", noting)
    with pytest.raises(CompileError):
        pyxla.compile(spelled)("x + 1", np.arange(3.0))
    assert [known for known, _ in itertools.groupby(texts)] == [False, True, False]
    assert texts[-1:] == [False] and texts.count(True) == 1
