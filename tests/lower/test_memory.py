"""More memory than there is: refused with the line, the shape and the bytes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from pyxla.lower.memory import physical, spelled

HUGE = 2**36  # elements: half a TiB


def outer(x):
    return np.outer(np.arange(2**36), np.arange(12.0))


def of_argument(n):
    return np.ones((n, 12))


def carried(x):
    table = np.zeros((2**20, 2**20))
    for i in range(len(x)):
        table[i, i] = x[i]
    return table[0, 0]


def product(x):
    return np.kron(np.eye(30000), np.eye(300))


@pytest.mark.skipif((physical() or 0) > 1 << 39, reason="there is room for it")
@pytest.mark.parametrize(
    ("program", "arg", "words"),
    [
        (outer, 1.0, "6 TiB for an array with shape (68719476736, 12) and data type float64"),
        (of_argument, HUGE, "6 TiB for an array with shape (68719476736, 12)"),
        (carried, np.ones(3), "8 TiB for an array with shape (1048576, 1048576)"),
        (product, 1.0, "589 TiB for an array with shape (9000000, 9000000)"),
    ],
)
def test_refused(program, arg, words):
    with pytest.raises(CompileError, match=re.escape(words)) as caught:
        pyxla.compile(program)(arg)
    assert isinstance(caught.value, MemoryError)
    assert caught.value.lineno is not None
    first = program.__code__.co_firstlineno
    assert first < caught.value.lineno <= first + 4


@pytest.mark.skipif((physical() or 0) > 1 << 39, reason="there is room for it")
def test_at_run_time():
    """Arrays that are not results, and cannot be fused into what reads them."""

    def program(x):
        return np.sort(x[:, None] * np.ones(2**20)).ravel()[0]

    words = r"program\(\): Unable to allocate 64 TiB for an array with shape \(8388608, 1048576\)"
    with pytest.raises(MemoryError, match=words + r".* \(.*test_memory.py:\d+"):
        pyxla.compile(program)(np.ones(2**23))


def test_spelled():
    assert [spelled(n) for n in (12, 2048, 1 << 40)] == ["12 bytes", "2 KiB", "1 TiB"]
