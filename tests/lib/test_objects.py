"""What is refused of arrays of objects."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla import CompileError


@pytest.mark.parametrize(
    "use",
    [
        lambda x, n: x + n,
        lambda x, n: x == n,
        lambda x, n: x[:n],
        lambda x, n: x[np.arange(n)],
        lambda x, n: x.sum(),
        lambda x, n: np.sort(x),
        lambda x, n: x.T[0],
        lambda x, n: -x,
        lambda x, n: float(x),
    ],
)
def test_refused(use):
    def program(n):
        return use(np.full((2, 2), None), n)

    with pytest.raises(CompileError):
        pyxla.compile(program)(1)


def test_places_out_of_range():
    def program(i, j):
        return np.full((2, 3), None)[i, j]

    for place in ((2, 0), (0, -4), (-3, 5)):
        with pytest.raises(IndexError) as expected:
            program(*place)
        with pytest.raises(IndexError) as raised:
            pyxla.compile(program)(*place)
        assert str(raised.value) == str(expected.value)
