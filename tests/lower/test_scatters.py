"""Scatters into tables as loops: NumPy's elements, the last of equal positions, sums of all."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Value
from pyxla.ir.rewrite import free_values, walk
from pyxla.ir.types import array_type
from pyxla.lower.cpu.scatters import scatter_in_order
from pyxla.ops.computation import build_region
from pyxla.ops.control import if_, while_
from pyxla.ops.index import scatter
from pyxla.reflect import compilation
from tests.ir.interp import run_region


def assigned(a, i, j, u):
    a[i, j] = u
    a[j[:40], -1 - i[:40]] = 7
    return a


def added(a, i, j, u):
    np.add.at(a, (i, j), u)
    np.maximum.at(a, (j, i), u)
    return a


def masked(a, i, j, u):
    m = u.real > 0
    a[i[m], j[m]] = u[m]
    a[i[~m], 1] += 1
    return a, len(u[m])


def shrinking(a, i, j, u):
    for k in range(5):
        m = u.real > k / 4
        a[i[m], j[m]] = k
        a[j[m], i[m]] = u[m]
        u, i, j = u[m], i[m], j[m]
    return a, u


def until_empty(a, i, j, u):
    """The update is made after the branch that computes the positions."""
    for k in range(9):
        m = u.real > k / 4
        if not m.any():
            break
        a[i[~m], j[~m]] = k
        u, i, j = u[m], i[m], j[m]
    return a, u


def planes(a, i, j, u):
    b = np.zeros((9, 3, 11, 2), u.dtype)
    b[i, 1, j] += 1
    b[i, 1, j, 0] = u
    c = np.zeros((9, 11), bool)
    c[i.reshape(5, -1), j.reshape(5, -1)] = True
    return b, c


PROGRAMS = [assigned, added, masked, shrinking, until_empty, planes]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_scattered_elements(program):
    rng = np.random.default_rng(0)
    compiled = pyxla.compile(program)
    for dtype in (np.float64, np.float32, np.int32, np.complex128):
        if program is added and dtype is np.complex128:
            continue
        for index in (np.int64, np.int8):
            a = np.zeros((11, 11), dtype)
            i, j = rng.integers(-9, 9, (2, 100)).astype(index)
            u = (rng.standard_normal(100) * 4).astype(dtype)
            ours, theirs = a.copy(), a.copy()
            got, expected = compiled(ours, i, j, u), program(theirs, i, j, u)
            got, expected = [x if type(x) is tuple else (x,) for x in (got, expected)]
            for x, y in zip(got, expected, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-5)
                assert np.asarray(x).dtype == np.asarray(y).dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_only_scatters_into_tables_become_loops():
    x, i = pyxla.f64[11, 11], pyxla.i64[100]
    text = compilation(assigned, x, i, i, pyxla.f64[100]).text("regions")
    assert "while" in text and "scatter" not in text
    text = compilation(histogram, i).text("regions")
    assert "while" not in text and "scatter" in text


def test_positions_from_a_branch_end_where_it_says():
    i = pyxla.i64[100]
    made = compilation(until_empty, pyxla.f64[11, 11], i, i, pyxla.f64[100]).at("regions")
    code = list(walk(made.region.instrs))
    (branches,) = [instr for instr in code if instr.op is if_]
    limits = [loop.regions[0] for loop in code if loop.op is while_]
    assert any(branches.results[-1] in free_values(region) for region in limits)


def histogram(i):
    counts = np.zeros(9)
    np.add.at(counts, i, 1)
    return counts


def diagonals(words):
    """The reverse of each iteration adds to eight elements."""
    lengths = np.arange(8)
    total = np.zeros(8)
    for t in range(20):
        total = np.tanh(total + words[lengths, t - lengths])
    return total.sum()


def test_few_positions_in_a_loop_leave_it_one_function():
    words = np.random.default_rng(0).standard_normal((8, 20))
    slope = pyxla.compile(pyxla.grad(diagonals))
    assert "scatter(" not in slope.lower(words).text("optimized")
    assert slope.lower(words).text("stablehlo").count("xla_cpu_small_call") == 2
    step = 1e-6
    for at in ((0, 0), (3, 11), (7, 2), (7, 19)):
        moved = np.zeros_like(words)
        moved[at] = step
        expected = (diagonals(words + moved) - diagonals(words - moved)) / (2 * step)
        np.testing.assert_allclose(slope(words)[at], expected, rtol=1e-4, atol=1e-8)


def rows(a, i, u):
    """Each scatter has one place: a row, a part of one, an element, none where it is masked."""
    a[i[:1]] += u[:1]
    a[i[1:2], 2:4] = u[1:2, :2]
    np.maximum.at(a, (i[2:3], i[3:4]), 2)
    b = np.stack([a, a])
    b[:, i[4:5]] *= 3
    b[1, i[:1] * 0, i[5:6]] = 5
    return b


def embedded(table, text):
    total = np.zeros(table.shape[1])
    for t in range(text.size):
        total = np.tanh(total + table[text[t : t + 1]][0])
    return total.sum()


def test_scatters_to_one_place_are_updates():
    rng = np.random.default_rng(0)
    compiled = pyxla.compile(rows)
    for dtype in (np.float64, np.float32, np.int32):
        a, u = rng.standard_normal((7, 7)).astype(dtype), np.ones((7, 7), dtype)
        i = np.array([1, -2, 3, 4, 6, -7])
        ours, theirs = a.copy(), a.copy()
        np.testing.assert_allclose(compiled(ours, i, u), rows(theirs, i, u), rtol=1e-6)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    text = compilation(rows, pyxla.f64[7, 7], pyxla.i64[6], pyxla.f64[7, 7]).text("regions")
    assert "scatter" not in text


def test_the_reverse_of_reading_one_row_is_an_update():
    slope = pyxla.grad(embedded)
    table, text = np.random.default_rng(0).standard_normal((6, 64)), np.array([5, 0, 5, 2, 1, 1])
    assert "scatter" not in pyxla.compile(slope).lower(table, text).text("regions")
    found = slope(table, text)
    step = 1e-6
    for at in ((5, 0), (0, 3), (1, 63), (3, 3)):
        moved = np.zeros_like(table)
        moved[at] = step
        expected = (embedded(table + moved, text) - embedded(table - moved, text)) / (2 * step)
        np.testing.assert_allclose(found[at], expected, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("place", [-1, 0, 4, 5, 2**40])
@pytest.mark.parametrize("width", [1, 2])
def test_what_a_scatter_writes_beside_the_array_is_dropped(place: int, width: int):
    def body(x: Value, index: Value, update: Value) -> Value:
        return scatter(
            x,
            index,
            update,
            update_window_dims=(0,),
            inserted_window_dims=(),
            scatter_dims_to_operand_dims=(0,),
            index_vector_dim=0,
            computation="add",
        )

    types = [array_type(np.dtype(np.float64), (5,)), array_type(np.dtype(np.int64), (1,))]
    region = build_region([*types, array_type(np.dtype(np.float64), (width,))], body)
    x, index, update = np.arange(5.0), np.array([place]), np.ones(width)
    (found,) = run_region(scatter_in_order(region), x, index, update)
    expected = x.copy()
    if 0 <= place <= 5 - width:
        expected[place : place + width] += 1
    np.testing.assert_array_equal(found, expected)
    assert not any(instr.op is scatter for instr in region.instrs)
