"""Products with large matrices that are read a panel of rows at a time."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.lower.cpu.shift import movable, moved
from pyxla.reflect import compilation
from pyxla.runtime import memory

M, N = 1531, 520  # more than a cache holds; rows are left after the last panel


def at(x, begin):
    """A copy of `x` that begins so many bytes past an aligned address."""
    raw = np.empty(x.nbytes + 128, np.uint8)
    begin += -raw.__array_interface__["data"][0] % memory.ALIGNMENT
    copy = raw[begin : begin + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[:] = x
    return copy


def both_sides(a, x, y):
    return y @ a, a @ x, a.T @ y, x @ a.T


def normal(a, x, y):
    return (a @ x) @ a


def loss(a, x, y):
    r = a @ x - y
    return r @ r, a.T @ r * 2 / len(y)


def logistic(a, x, y):
    p = 1 / (1 + np.exp(-(a @ x)))
    return a.T @ (np.where(p > 0.5, p, 0.0) - y) + x, p


def narrow(a, x, y):
    left, right = y.reshape(1, -1) + np.arange(3.0)[:, None].astype(y.dtype), x.reshape(-1, 4)
    return left @ a, a @ np.repeat(right, 4, 0)[:, :3], a.T @ left.T, right.T @ a.T[::4]


def one_after_the_other(a, x, y):
    for _ in range(2):
        x = a.T @ (a @ x) / 300
    return x, a[3] + 1


def changed(a, x, y):
    a += 1
    return a @ x, y @ a, a


def in_a_loop(a, x, y):
    for i in range(3):
        x = x + (y + i) @ a
    return x


PROGRAMS = [
    (both_sides, 1),
    (normal, 1),
    (loss, 1),
    (logistic, 1),
    (narrow, 3),
    (one_after_the_other, 0),
    (changed, 0),
    (in_a_loop, 0),
]


@pytest.mark.parametrize(("function", "walks"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_walks(function, walks, dtype):
    rng = np.random.default_rng(0)
    a = (rng.random((M * (3 - np.dtype(dtype).itemsize // 4), N)) - 0.5).astype(dtype)
    x, y = rng.random(N).astype(dtype), rng.random(len(a)).astype(dtype)
    compiled = pyxla.compile(function)
    for begin in (16, 0, 48):
        mine, theirs = at(a, begin), a.copy()
        got, wanted = compiled(mine, x, y), function(theirs, x, y)
        for ours, other in zip(got, wanted, strict=True):
            assert ours.dtype == other.dtype
            scale = abs(other).max()
            np.testing.assert_allclose(ours / scale, other / scale, atol=1e-4)
        np.testing.assert_array_equal(mine, theirs)
    region = compilation(function, a, x, y).at("regions").region
    if walks:
        assert 0 in movable(region)
        code = moved(region, (0,), (memory.room(a.dtype),))
        assert sum(instr.op.name == "while" for instr in code.instrs) == walks
