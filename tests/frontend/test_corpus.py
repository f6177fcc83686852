"""Lowered source and SSA do what the original does, on every function of the corpus."""

import copy

import numpy as np
import pytest

from tests.frontend.corpus import CORPUS
from tests.frontend.interpret import execute_lowered, interpret

CASES = [
    pytest.param(f, args, id=f"{f.__name__}-{i}")
    for f, arguments in CORPUS
    for i, args in enumerate(arguments)
]


def outcome(function, original, args):
    """What a call shows: result or exception, and what became of arguments and closure."""
    cells = original.__closure__ or ()
    before = [cell.cell_contents for cell in cells]
    args = copy.deepcopy(args)
    try:
        result = function(*args)
    except Exception as error:
        kind = NameError if isinstance(error, NameError) else type(error)
        text = "" if isinstance(error, NameError) else str(error)
        result = kind, text, type(error.__cause__)
    after = [cell.cell_contents for cell in cells]
    for cell, value in zip(cells, before, strict=True):
        cell.cell_contents = value
    return plain((result, args, after))


def plain(value):
    """Comparable by `==`, types included."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(v) for v in value]
    if isinstance(value, dict):
        return [(plain(k), plain(v)) for k, v in value.items()]
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, plain(vars(value))
    return type(value), repr(value) if not callable(value) else None


@pytest.mark.parametrize(("function", "args"), CASES)
def test_lowered_source_behaves_as_the_original(function, args):
    expected = outcome(function, function, args)
    assert outcome(execute_lowered(function), function, args) == expected


@pytest.mark.parametrize(("function", "args"), CASES)
def test_ssa_behaves_as_the_original(function, args):
    expected = outcome(function, function, args)
    assert outcome(interpret(function), function, args) == expected
