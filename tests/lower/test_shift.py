"""Arguments that begin anywhere: read in place where XLA reads element by element."""

from __future__ import annotations

import mmap
import re

import numpy as np
import pytest

import pyxla
from pyxla.lower.cpu.shift import movable
from pyxla.reflect import compilation
from pyxla.runtime import memory

N = 160  # squared, more than is worth it


def at(x, begin):
    """A copy of `x` that begins so many bytes past an aligned address."""
    raw = np.empty(x.nbytes + 128, np.uint8)
    begin += -raw.__array_interface__["data"][0] % memory.ALIGNMENT
    copy = raw[begin : begin + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[:] = x
    return copy


def elementwise(a, x):
    return a * 2 + x, (a[1:] - a[:-1]).sum(0), a.T[3:5] + 1, a.reshape(-1)[::7].max()


def products(a, x):
    return a @ x, x @ a, (3 * a) @ x, a.T @ x


def matrices(a, x):
    return a @ a, a.T.reshape(-1, N) @ a


def updates(a, x):
    a[3] = x
    a += 1
    return a


def rows(a, x):
    for i in range(N):
        x[i] = a[i, :i].sum() + a[i, i] + a[i - 1, 5]
    return x


def columns(a, x):
    for i in range(N):
        x[i] += a[:, i].sum()
    return x


def branches(a, x):
    if x[0] > 0:
        return a * 2
    return a[::-1] + x


def same(a, x):
    return a, x


PROGRAMS = [
    (elementwise, True),
    (products, True),
    (matrices, False),
    (updates, True),
    (rows, True),
    (columns, False),
    (branches, False),
    (same, True),
]
DTYPES = [np.float64, np.float32, np.complex128, np.int16]


@pytest.mark.parametrize(("function", "moves"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_values_at_any_address(function, moves):
    for dtype in DTYPES:
        a = (np.arange(N * N).reshape(N, N) % 13 - 6).astype(dtype)
        x = (np.arange(N) % 5 - 2).astype(dtype)
        compiled = pyxla.compile(function)
        for begin in (0, 16, 40, 4, 48):
            ours, theirs = (at(a, begin), x.copy()), (at(a, begin), x.copy())
            got, wanted = compiled(*ours), function(*theirs)
            for y, z in zip((*got, *ours), (*wanted, *theirs), strict=True):
                np.testing.assert_allclose(y, z, rtol=1e-4)
                assert y.dtype == z.dtype
        for other in (a.T, np.asfortranarray(a), a[::-1], np.repeat(a, 2, 1)[:, ::2]):
            got, wanted = compiled(other.copy("K"), x.copy()), function(other.copy("K"), x.copy())
            for y, z in zip(got, wanted, strict=True):
                np.testing.assert_allclose(y, z, rtol=1e-4)


@pytest.mark.parametrize(("function", "moves"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_which_move(function, moves):
    made = compilation(function, pyxla.f64[N, N], pyxla.f64[N])
    assert (0 in movable(made.at("regions").region)) == moves


def test_the_end_of_memory():
    pages = mmap.mmap(-1, 64 * mmap.PAGESIZE)
    x = np.frombuffer(pages, np.float64)
    x[:] = np.arange(x.size)
    assert pyxla.compile(lambda x: (x * 2).sum())(x) == (x * 2).sum()
    assert pyxla.compile(lambda x: (x * 2).sum())(x[3:]) == (x[3:] * 2).sum()


def test_products_with_vectors_are_fused():
    def f(a, x):
        return (2.0 * a) @ x

    text = pyxla.code_hlo(f, np.ones((512, 512)), np.ones(512), optimized=True)
    made = re.findall(r"= f64\[(?:512,512|262144)\]\S* (\S+)\(", text[text.index("ENTRY") :])
    assert set(made) <= {"parameter", "bitcast"} and "dot(" not in text
