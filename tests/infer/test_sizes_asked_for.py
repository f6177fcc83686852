"""Sizes that number arguments decide are asked for where a function takes known sizes only."""

import numpy as np
import pytest

import pyxla
from tests.compare import difference


def neighbours(x, k):
    d = np.abs(x[:, None] - x)
    near = np.argsort(d, axis=1)[:, :k]
    adjacent = np.zeros(d.shape, bool)
    np.put_along_axis(adjacent, near, True, axis=1)
    return near, adjacent


def halves(x, k):
    return np.split(x[: 2 * k], 2)


def weighed(x, k):
    return [v * i for (i,), v in np.ndenumerate(x[:k])]


@pytest.mark.parametrize("function", [neighbours, halves, weighed])
def test_asked_for(function):
    compiled = pyxla.compile(function)
    for k in (2, 3, 0):
        x = np.random.default_rng(0).normal(size=6)
        assert not difference(compiled(x, k), function(x, k))
