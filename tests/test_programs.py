"""Every program of the corpus, natively and compiled: results, dtypes, kinds, mutation, errors.

What its inference costs is held against the record, see `tests.cost`.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pyxla
from tests import cost
from tests.compare import difference
from tests.programs import Program, load

PROGRAMS = load()
RECORD = cost.record()
WIDE = 1e-5
# What XLA makes of these is in question too: updates in place, and where LLVM rounds.
COMPILED = ("aliases", "layout", "mutation", "numerical", "ping_pong", "strides")
OPTIMIZED = ("numerical",)
# XLA compiles the smaller programs of one name in so many.  The others, and those of more typed
# instructions, a third of all, which took five sixths of the time that XLA took for the corpus, are
# computed by the meaning of their ops (`tests.meaning`).
LARGE, SAMPLE = 150, 8


def outcome(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """What the call returned or raised, and the arguments as it left them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = fn(*args)
        except pyxla.CompileError:
            raise
        except Exception as error:  # what the program raises is part of its behaviour
            result = error
    return result, args


def compiled(program: Program) -> Callable[..., Any]:
    return pyxla.compile(program.fn, checks=cost.checked(program))


def case(name: str) -> Any:
    """A program's name as a case, marked where XLA is to optimize it, or not to see it."""
    family, _, _ = name.partition(".")
    large = RECORD.get(name, (0, 0, 0))[2] > LARGE
    seen = family in COMPILED or (not large and zlib.crc32(name.encode()) % SAMPLE == 0)
    marks = [pytest.mark.optimized] if family in OPTIMIZED else [] if seen else [pytest.mark.meant]
    return pytest.param(name, marks=marks, id=name)


def compiled_outcome(program: Program, fn: Callable[..., Any], args: Any) -> tuple[Any, Any]:
    """The compiled outcome; a refusal skips the test of a program that may be refused."""
    try:
        return outcome(fn, args)
    except pyxla.CompileError as error:
        if "refusable" in program.features:
            pytest.skip(error.message)
        raise


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """The limit of the process, which programs set as CPython runs them."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("name", [case(name) for name in sorted(PROGRAMS)])
def test_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = PROGRAMS[name]
    rtol = WIDE if "unordered" in program.features else None
    fn = compiled(program)
    meter = cost.Meter()
    for i, sample in enumerate(program.samples):
        expected = outcome(program.fn, sample())
        printed = capsys.readouterr().out
        with meter.call():
            actual = compiled_outcome(program, fn, sample())
        assert not difference(actual[0], expected[0], rtol), f"sample {i}"
        assert not difference(actual[1], expected[1], rtol, "arguments"), f"sample {i}"
        if "prints" in program.features:
            assert capsys.readouterr().out == printed, f"sample {i}"
    assert not cost.grown(name, meter.worst(), RECORD)


def test_corpus_size() -> None:
    assert len(PROGRAMS) >= 250
