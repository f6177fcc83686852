"""Refusals say which exception the program raises in their place, if it is certain to raise one."""

import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError


def _index(a):
    return a[7]


def _reshaped(a):
    return a.reshape(2, 2)


def _sorted(a):
    return np.sort(a, axis=1)


def _called(a):
    return a(1)


def _attribute(a):
    return a.length


def _unknown(a):
    return np.busday_count(a, a)


@pytest.mark.parametrize(
    ("function", "raises", "words"),
    [
        (_index, IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        (_reshaped, ValueError, "cannot reshape array of size 3 into shape (2,2)"),
        (_sorted, np.exceptions.AxisError, "axis 1 is out of bounds for array of dimension 1"),
        (_called, TypeError, "'numpy.ndarray' object is not callable"),
        (_attribute, AttributeError, "'numpy.ndarray' object has no attribute 'length'"),
        (_unknown, None, None),
    ],
)
def test_what_is_raised_in_its_place(function, raises, words):
    with pytest.raises(CompileError) as caught:
        pyxla.compile(function)(np.ones(3))
    error = caught.value
    assert (error.raises, error.words) == (raises, words)
    assert raises is None or isinstance(error, raises)
