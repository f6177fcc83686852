"""Python's ints that become numbers of an array's dtype: NumPy raises where they are none of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyxla
from tests.compare import difference


def powers(a, n):
    return np.power(a, n)


def powers_of(a, n):
    return np.power(n, a)


def least_first(a, n):
    return np.minimum.reduce(a, initial=n)


def total(a, n):
    return a.sum(initial=n)


def inserted(a, n):
    return np.insert(a, 1, n)


def put(a, n):
    np.put(a, [0], n)
    return a


def put_where(a, n):
    np.putmask(a, a > 1, n)
    return a


def placed(a, n):
    np.place(a, a > 1, n)
    return a


def copied(a, n):
    np.copyto(a, n)
    return a


def copied_where(a, n):
    np.copyto(a, n, where=a > 1)
    return a


def padded(a, n):
    return np.pad(a, 1, constant_values=n)


def clipped(a, n):
    return np.clip(a, n, None)


def clipped_above(a, n):
    return a.clip(max=n)


def filled(a, n):
    return np.full(2, fill_value=n, dtype=a.dtype)


def chosen(a, n):
    return np.choose([0, 1], [a, n]), np.choose([1, 0], [a[0], 2.5])


def outer(a, n):
    return np.add.outer(a, 3), np.maximum.outer(2, a), np.add.outer(3, n), np.add.outer(a, 2.5)


def clipped_itself(a, n):
    return np.clip(n, a[0], a[1]), np.clip(2.5, a[0], 3), np.clip(n, 0, 1)


def selected(a, n):
    return np.select([a > 1], [n], default=a[0])


def differences(a, n):
    return np.ediff1d(a, to_end=n)


FUNCTIONS = [
    *(powers, powers_of, least_first, total, inserted, put, put_where, placed, copied),
    *(copied_where, padded, clipped, clipped_above, filled, chosen, outer, clipped_itself),
    *(selected, differences),
]
GIVEN = [("u1", -1), ("u1", 2), ("u1", 300), ("i1", 200), ("i8", -3), ("?", 2), ("u8", -2)]


def outcome(function: Any, dtype: str, n: int) -> Any:
    a = np.array([1, 3], dtype)
    try:
        return function(a, n), a
    except pyxla.CompileError as refused:
        return refused.message.partition(": ")[2]
    except Exception as error:
        return type(error), str(error)


@pytest.mark.meant
@pytest.mark.parametrize("function", FUNCTIONS)
def test_ints_that_are_none_of_the_dtype(function: Any) -> None:
    compiled = pyxla.compile(function)
    for dtype, n in GIVEN:
        expected, found = outcome(function, dtype, n), outcome(compiled, dtype, n)
        if isinstance(found, str):
            assert "numpy boolean subtract" in found or found == expected[1]
        else:
            assert not difference(found, expected), (dtype, n)


@pytest.mark.meant
@pytest.mark.parametrize("dtype", ["?", "i1", "i8"])
def test_negative_powers_of_ints(dtype: str) -> None:
    for function in (lambda a: a**-1, lambda a: np.power(a, -1)):
        with pytest.raises((ValueError, pyxla.CompileError), match="Integers to negative integer"):
            pyxla.compile(function)(np.array([1, 3], dtype))
    empty = np.array([], dtype)
    assert not difference(pyxla.compile(lambda a, n: a**n)(empty, -1), empty**-1)
    assert not difference(pyxla.compile(np.power)(empty, -1), np.power(empty, -1))


@pytest.mark.meant
def test_copies_that_numpy_does_not_cast() -> None:
    for dtype, x in (("?", 3), ("i8", 1.5), ("f8", 2j), ("u1", np.int64(3))):
        with pytest.raises(pyxla.CompileError, match="Cannot cast scalar from"):
            pyxla.compile(lambda a, x=x: np.copyto(a, x))(np.zeros(2, dtype))


@pytest.mark.meant
def test_nothing_is_put_in_an_empty_array() -> None:
    with pytest.raises(IndexError, match="cannot replace elements of an empty array"):
        pyxla.compile(lambda a: np.put(a, [0], 1))(np.zeros(0))
