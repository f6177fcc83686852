"""What CPython and NumPy raise by themselves, by default: class, message, line and arguments."""

from __future__ import annotations

import copy
import linecache
import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from tests.compare import difference
from tests.infer.faults import PROGRAMS, flow, programs
from tests.infer.faults.expressions import NUMBERS, SIZES

ROW = np.arange(5.0)
TOO_LARGE = "an int of more than 64 bits"


def run(function: Callable[..., Any], given: tuple[Any, ...], file: str) -> tuple[Any, ...]:
    """The result, or what is raised and at which line of `file`, and the arguments afterwards."""
    args = copy.deepcopy(given)
    try:
        with np.errstate(all="ignore"):
            return (function(*args), None, args)
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        frames = traceback.extract_tb(error.__traceback__)
        return (error, [frame.lineno for frame in frames if frame.filename == file][-1:], args)


def same(function: Callable[..., Any], calls: Any) -> None:
    """Compare runs in CPython and compiled."""
    compiled, file = pyxla.compile(function), function.__code__.co_filename
    for args in calls:
        expected = run(function, args, file)
        actual = run(compiled, args, file)
        if isinstance(actual[0], OverflowError) and TOO_LARGE in str(actual[0]):
            if not isinstance(expected[0], Exception):
                continue  # CPython has ints of any size
        assert not difference(actual, expected), (args, difference(actual, expected))
        context = getattr(actual[0], "__context__", None)
        assert context is None or type(context).__module__ != "pyxla.runtime.outcome"


@pytest.mark.parametrize("name", [n for n in (*vars(programs), *vars(flow)) if n in PROGRAMS])
def test_programs(name: str) -> None:
    same(*PROGRAMS[name])


def made(code: str, names: str) -> Callable[..., Any]:
    """A function of an expression, or of a statement, whose lines tracebacks know."""
    body = code if code[0] == " " else f"    return {code}"
    source, file = f"def f({names}):\n{body}\n", f"<{code}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope: dict[str, Any] = {"np": np, "math": math}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("expression", SIZES.strip().splitlines())
def test_sizes(expression: str) -> None:
    same(made(expression, "x, n, m"), [(ROW, 2, 3), (ROW, 3, 3)])


@pytest.mark.parametrize("expression", NUMBERS.strip().splitlines())
def test_numbers(expression: str) -> None:
    same(made(expression, "x, k"), [(ROW, 1.0), (ROW, 9.0)])
