"""What inference begins with: what the last program of the function took."""

import numpy as np
import pytest

import pyxla
from pyxla import CompileError, pipeline
from pyxla.infer.demands import LARGE, Findings
from tests.cost import Meter


class Point:
    def __init__(self, x):
        self.x = x


class Other:
    pass


def largest(values):
    points = [Point(v) for v in values if v > 0]
    best = None
    for point in points:
        if best is None or point.x > best.x:
            best = point
    return best.x


def test_another_size_takes_one_attempt():
    meter, compiled = Meter(), pyxla.compile(largest)
    for n in (5, 7):
        with meter.call():
            assert compiled(np.arange(float(n))) == n - 1
    first, second = meter.costs
    assert first.attempts > 1 and second.attempts == 1
    assert second.visits < first.visits and second.instructions == first.instructions


@pytest.mark.parametrize("internal", [False, True])
def test_nothing_is_refused_for_what_other_arguments_took(monkeypatch, internal):
    """Where the program is refused that begins so, another one begins with nothing."""
    begun, specialize, costs = [], pipeline.specialize, []

    def refusing(request, places):
        begun.append(request.demands is not None)
        costs.append(request.work.cost)
        if request.tentative:
            request.work.cost = 10**9
            error = pyxla.CompileError("not so")
            raise pyxla.InternalError(error) if internal else error
        return specialize(request, places)

    monkeypatch.setattr(pipeline, "specialize", refusing)
    compiled = pyxla.compile(largest, verify=False)
    assert [compiled(np.arange(float(n))) for n in (5, 7)] == [4, 6]
    assert begun == [False, True, False] and costs == [0, 0, 0]


def test_where_code_is_much_classes_that_a_refusal_names_are_pooled_first():
    refusal = CompileError("of two lists", remedy="pooled")
    for visited, tried in ((LARGE + 1, [{Point}, {Point, Other}]), (LARGE, [{Point, Other}])):
        findings = Findings(classes={Point, Other}, named={Point}, visited=visited)
        for classes in tried:
            more = findings.remedy(refusal)
            assert more.pooled == classes
            findings.demands |= more
