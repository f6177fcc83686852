"""The table of passes before XLA: what each says it looks for is all that it looks for."""

from __future__ import annotations

import numpy as np
import pytest

from pyxla.ir.printer import print_function
from pyxla.ir.rewrite import clone_region, walk
from pyxla.lower import finish as finish_
from pyxla.lower.finish import PASSES
from pyxla.reflect import compilation

N = 12


def straight(a, b, n):
    return np.where(a > b, np.exp(a), b * 2) + n


def counted(a, b, n):
    x = 1.0
    while x < n:
        x = x * 1.5 if x < 3 else x + 1
    return x


def updated(a, b, n):
    for i in range(N):
        for j in range(N):
            a[i, j] += b[j, i]
    return a


def multiplied(a, b, n):
    return (a @ b) @ a[0]


def reduced(a, b, n):
    return a[a > 0].sum(), np.sort(b, axis=0), a.cumsum()


PROGRAMS = (straight, counted, updated, multiplied, reduced)


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.run.__name__)
def test_a_pass_has_nothing_to_do_without_what_it_finds(step):
    skipped = 0
    for program in PROGRAMS:
        a = np.arange(N * N, dtype=float).reshape(N, N)
        region = compilation(program, a, a.copy(), 9.0).at("regions").origin
        if step.finds and {i.op for i in walk(region.instrs)}.isdisjoint(step.finds):
            before = print_function(region)
            assert print_function(step.run(clone_region(region, {}))) == before
            skipped += 1
    assert skipped or not step.finds


def polynomials(n):
    total = 0.0
    for i in range(n):
        x = 1.0
        for k in range(12):
            x = x * i + k
        total += x
    return total


def test_large_programs_do_without_what_makes_more_code(monkeypatch):
    region = compilation(polynomials, 90).at("regions").origin
    grown, small = [], len(list(walk(region.instrs)))
    for most in (small, small - 1):
        monkeypatch.setattr(finish_, "LARGE", most)
        grown.append(len(list(walk(finish_.finish(clone_region(region, {}), cpu=False).instrs))))
    assert grown[0] > grown[1]
