"""Elements that a loop updates: numbers while it runs."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.control import while_
from pyxla.reflect import compilation

N = 20  # too many for straight-line code


def product(a, b, c):
    for i in range(N):
        for j in range(N):
            for k in range(N):
                c[i, j] += a[i, k] * b[k, j]


def first(a, b, c):
    for i in range(N):
        for k in range(i):
            c[3, 4] += a[i, k]
            c[3, 4] *= 0.5
            b[0, 0] -= c[3, 4]


def while_large(a, b, c):
    for i in range(N):
        while c[i, 0] > 0.25:
            c[i, 0] *= 0.5


def elsewhere(a, b, c):
    for i in range(N):
        for k in range(N):
            c[i, 1] += c[i, k] + a[k, i]


def never(a, b, c):
    for i in range(N):
        for k in range(i, 3):
            c[i, i] += a[i, k]


def moving(a, b, c):
    for i in range(N):
        for k in range(N - 1):
            c[i, k] += a[i, k]
        c[i, N - 1] = c[i].sum()


def as_before(a, b, c):
    """What the array held before the last iteration is needed, too."""
    last = b
    for i in range(3):
        last = a.copy()
        a[0, 0] = i + 6.0
    c[:] += last
    b[1] = last[0, 0]


PROGRAMS = [product, first, while_large, elsewhere, never, moving, as_before]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(program):
    ours = np.random.default_rng(0).random((3, N, N))
    theirs = ours.copy()
    program(*theirs)
    pyxla.compile(program)(*ours)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_the_inner_loop_carries_no_array():
    types = [pyxla.f64[N, N]] * 3
    for program in (product, never):
        region = compilation(program, *types).at("regions").region
        loops = [instr for instr in walk(region.instrs) if instr.op is while_]
        inner = [x for x in loops if not any(i.op is while_ for i in walk(x.regions[1].instrs))]
        assert inner
        assert not any(value.type.shape for loop in inner for value in loop.operands)
