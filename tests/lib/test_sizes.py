"""Arrays made with a size that data decide: of bounded extent where a bound is proven."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from tests.compare import difference


def counted(k):
    c = (k > 2).sum()
    n = np.count_nonzero(k > 2)
    return np.zeros(c), np.ones((n, 2)), np.full(c, 7), np.empty(c).shape, np.arange(n)


def grouped(k):
    values, inverse = np.unique(k, return_inverse=True)
    sums = np.zeros(len(values))
    for i in range(len(k)):
        sums[inverse[i]] += k[i]
    return values, sums


def tabulated(k):
    return np.bincount(k % 7, minlength=1), np.zeros(int(k[0]) % 7 + 1), np.eye((k[1] & 3) + 1)


def least(k, w):
    n = max(k.max(), len(np.unique(k))) + 2
    a = np.bincount(k, minlength=n) + np.bincount(k[:2], minlength=n)
    return a, np.bincount(k, w, minlength=int(k.max()) + 1)


def at_most(k):
    z = np.zeros(min(k.max() + 1, 20), int)
    for v in k:
        z[v] += 1
    return z


def narrow(k):
    return np.zeros(k.astype(np.uint8).max() + 1), np.ones(max(3, int(k.astype(np.int8).min())))


def ranges(k):
    n = len(k[k > 1])
    return np.arange(n)[::-1], np.arange(2, n + 1, 2), np.arange(n, 0, -3), np.arange(n) * 0.5


def spaced(k):
    n = len(k[k > 1])
    return np.linspace(0, 1, n), np.linspace(k[0], 9.0, n), np.linspace(0, 1, n, endpoint=False)


def differences(k):
    u = k[k > 1]
    d = np.zeros((len(u), len(u)))
    for i in range(len(u)):
        for j in range(len(u)):
            d[i, j] = u[i] - u[j]
    return d, np.tri(len(u)), np.identity(len(u))


def unrolled(k, n):
    """Neither det nor a list of arrays is there for bounded extents: the counter is known."""
    total, kept = 0.0, []
    for i in range(1, n):
        total += np.linalg.det(np.eye(i) * k[i - 1])
        kept.append(np.arange(i))
    return total, kept


SAMPLES = [np.array([1, 2, 3, 3, 5, 9]), np.array([4]), np.array([0, 0, 1]), np.array([7, 2] * 9)]


@pytest.mark.parametrize(
    "program", [counted, grouped, at_most, narrow, ranges, spaced, differences]
)
def test_sizes_that_data_decide(program):
    compiled = pyxla.compile(program)
    for k in SAMPLES:
        assert not difference(compiled(k), program(k)), k


def test_sizes_of_elements():
    k = SAMPLES[0]
    assert not difference(pyxla.compile(tabulated)(k), tabulated(k))


@pytest.mark.parametrize("k", [[1, 5, 2], [0, 0, 0], [3, 2500, 7]], ids=str)
def test_least_lengths_of_counts(k):
    args = np.array(k), np.array([0.5, 1.0, 2.0])
    assert not difference(pyxla.compile(least)(*args), least(*args))


def test_least_lengths_of_counts_are_not_negative():
    f = pyxla.compile(lambda k: np.bincount(k, minlength=k[0] - 9), checks=True)
    with pytest.raises(ValueError, match="must not be negative"):
        f(np.array([1, 5, 2]))


def test_sizes_of_counters_are_known_where_bounds_do_not_do():
    k = np.array([1.0, 2.0, 3.0, 4.0])
    assert not difference(pyxla.compile(unrolled)(k, 4), unrolled(k, 4))


def test_a_size_without_a_bound_has_room():
    compiled = pyxla.compile(lambda k: np.zeros(k.max() + 1), list_capacity=4)
    for k in (np.arange(3), np.arange(9), np.arange(100)):
        assert not difference(compiled(k), np.zeros(k.max() + 1))


def test_room_for_several_dimensions_is_limited():
    with pytest.raises(pyxla.CompileError, match="the size of an array must be known") as caught:
        pyxla.compile(lambda k: np.zeros((k[0], k[1], k[2])))(np.arange(3))
    assert "or bound it, as in min(n, 1000)" in str(caught.value)


def test_ints_alone_become_static():
    compiled = pyxla.compile(lambda x, n: x[:n] + np.zeros(min(n, len(x))))
    assert compiled(np.ones(5), 3).shape == (3,)
    assert len(compiled.specializations) == 1
