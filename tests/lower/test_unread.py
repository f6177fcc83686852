"""Rows that a loop clears for nobody, and rows that the next iteration reads."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.control import while_
from pyxla.reflect import compilation

N = 16


def cleared(a, b):
    total = 0.0
    for i in range(N - 1, 0, -1):
        x = a[i]
        a[i] = 0
        a[i - 1] += 0.5 * x
        total += x * b[i]
    return total


def row_before(a, b):
    rows = np.zeros((N, 3))
    message, total = b[:3].copy(), 0.0
    for t in range(N):
        if t > 0:
            message = rows[t - 1] * 0.5 + a[t]
        rows[t] = message / 2
        total += message[1]
    return total


def backwards(a, b):
    rows = np.ones((N, 2))
    total = 0.0
    for t in range(N - 2, -1, -1):
        rows[t, :] = rows[t + 1] * 0.9 + a[t]
        total += np.sum(rows[t + 1])
    return total


def by_twos(a, b):
    c = a + 1
    total = 0.0
    for i in range(2, N, 2):
        c[i] = c[i - 2] * 0.5 + c[i] + b[i]
        total += c[i - 2]
    return total


def one_branch(a, b):
    c = a * 2
    total = 0.0
    for i in range(1, N):
        total += c[i - 1]
        if b[i] > 0:
            c[i] = total * 0.1 - c[i]
    return total


DROPPED = [cleared, row_before, backwards, by_twos, one_branch]


def used_after(a, b):
    c = a * 2
    for i in range(1, N):
        c[i] += c[i - 1]
    return c


def first_row_again(a, b):
    c, total = a * 2, 0.0
    for i in range(1, N):
        c[i] = c[i - 1] + b[i]
        total += c[i // 2]
    return total


def behind(a, b):
    c, total = a * 2, 0.0
    for i in range(2, N):
        total += c[i - 2] + c[i - 1]
        c[i] = total
    return total


def ahead(a, b):
    c, total = a * 2, 0.0
    for i in range(N - 1):
        total += c[i + 1]
        c[i] = total
        total += c[i]
    return total


def moved_into_range(a, b):
    c, total = a * 2, 0.0
    for i in range(-3, N - 4):
        total += c[i]
        c[i] = total
    return total


def both_branches(a, b):
    c, total = a * 2, 0.0
    for i in range(1, N):
        total += c[i - 1]
        if b[i] > 0:
            c[i] = total
        else:
            c[i - 1] = total
    return total


def stops(a, b):
    c, total = a * 2, 0.0
    for i in range(1, N):
        total += c[i - 1]
        c[i] = total * 0.5
        if total > 2:
            break
    return total + c[3]


def nested(a, b):
    total = 0.0
    c = np.zeros((N, N))
    for i in range(1, N):
        for j in range(1, N):
            c[i, j] = c[i - 1, j] * 0.3 + c[i, j - 1] * 0.2 + a[i] * b[j]
        total += c[i, i]
    return total


KEPT = [used_after, first_row_again, behind, ahead, moved_into_range, both_branches, stops, nested]


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=N), rng.normal(size=N)


@pytest.mark.parametrize("program", DROPPED + KEPT, ids=lambda program: program.__name__)
def test_values_and_derivatives(program):
    compiled, plain = pyxla.compile(program)(*arguments()), program(*arguments())
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)

    def total(a, b):
        return np.sum(program(a.copy(), b) ** 2)

    found = pyxla.grad(total, argnums=(0, 1))(*arguments())
    along = [np.cos(np.arange(N)), np.sin(np.arange(N))]
    ends = [
        total(*[x + h * u for x, u in zip(arguments(), along, strict=True)]) for h in (1e-6, -1e-6)
    ]
    slope = sum(np.sum(g * u) for g, u in zip(found, along, strict=True))
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("program", DROPPED[1:], ids=lambda program: program.__name__)
def test_no_array_is_carried(program):
    region = compilation(program, *arguments()).at("regions").region
    loops = [instr for instr in walk(region.instrs) if instr.op is while_]
    assert all(value.type.size <= 3 for loop in loops for value in loop.operands)


def test_reverse_carries_no_cleared_rows():
    def total(a, b):
        return row_before(a, b)

    region = compilation(pyxla.grad(total), *arguments()).at("regions").region
    back = [instr for instr in walk(region.instrs) if instr.op is while_][-1]
    sizes = [value.type.size for value in back.operands]
    assert max(sizes) <= N
