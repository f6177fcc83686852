"""What a user meets besides values: failures at run time, types given by hand, specializations."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError, InternalError
from pyxla.ops import OPS

# --- failures at run time ---------------------------------------------------------------------


def identity(x):
    return x


def raises_overflow(x):
    if x > 2:
        raise OverflowError("mine")
    return x


def enormous(x):
    return np.zeros((10**6, 10**6)) + x


def zeros(n):
    return np.zeros(n)


FAILURES = {
    "int argument": (identity, 2**70, OverflowError, "1180591620717411303424 does not fit"),
    "int in a list": (identity, [1, -(2**63) - 1], OverflowError, "identity.*does not fit"),
    "own overflow": (raises_overflow, 3, OverflowError, "^mine$"),
    "memory": (enormous, 1.0, MemoryError, "enormous.*allocating 8000000000000 bytes"),
    "address space": (zeros, 2**62, ValueError, "array is too big"),
    "negative size": (zeros, -1, ValueError, "negative dimensions"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_pythons(name: str) -> None:
    function, arg, kind, message = FAILURES[name]
    with pytest.raises(kind, match=message):
        pyxla.compile(function)(arg)


def test_the_least_int() -> None:
    assert pyxla.compile(identity)(-(2**63)) == -(2**63)


def test_emission_fails_at_a_line() -> None:
    def broken(*_: object) -> None:
        raise KeyError("broken")

    def cubed(x):
        return np.cbrt(x)

    op = OPS["cbrt"]
    emit = op.emit
    object.__setattr__(op, "emit", broken)  # the record is frozen
    try:
        with pytest.raises(InternalError, match="KeyError") as caught:
            pyxla.compile(cubed)(2.0)
    finally:
        object.__setattr__(op, "emit", emit)
    assert caught.value.lineno == cubed.__code__.co_firstlineno + 1
    assert isinstance(caught.value, CompileError)
