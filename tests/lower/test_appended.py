"""Arrays that loops make longer: written in place, within their capacity."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Instr
from pyxla.lower.appended import slice_appended
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.shape import pad
from pyxla.ops.shape import slice as slice_
from tests.evaluation import Program


def numbers(x, n):
    out = np.zeros(0)
    for i in range(n):
        out = np.append(out, x[i] * 2)
    return out


def several(x, n):
    out = np.zeros(0)
    for i in range(n):
        out = np.append(out, [x[i], i, 1.0])
    return out


def rows(x, n):
    out = np.empty((0, 2))
    for i in range(n):
        out = np.vstack((out, [x[i], i]))
    return out


def columns(x, n):
    out, now = x[:3, None], x[:3]
    for _ in range(n):
        now = np.cos(now)
        out = np.concatenate([out, now.reshape(-1, 1)], axis=1)
    return out


def in_branch(x, n):
    above, below = np.zeros(0), np.zeros(0)
    for i in range(n):
        if x[i] > 0.2:
            above = np.append(above, x[i])
        elif x[i] < -0.2:
            if x[i] < -0.5:
                below = np.append(below, [x[i], i])
    return above, below


def until(x, n):
    out = np.ones(1)
    while len(out) < n:
        out = np.append(out, out[-1] + x[len(out)])
    return out


@pytest.mark.parametrize("function", [numbers, several, rows, columns, in_branch, until])
def test_loops(function):
    x = np.random.default_rng(0).normal(size=1300)
    compiled = pyxla.compile(function)
    for n in (300, 1100):  # more than list_capacity, in the second
        found, expected = compiled(x, n), function(x, n)
        found, expected = (y if isinstance(y, tuple) else (y,) for y in (found, expected))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_max_ulp(one, other, 2)
    module = str(pyxla.code_stablehlo(compiled, x, 300))
    body = module[module.index("stablehlo.while") :]
    assert not re.findall(r"stablehlo\.pad.*tensor<\d{4}", body)


@pytest.mark.parametrize("start", [-1, 0, 3, 4, 5, 6, 7, 9])
@pytest.mark.parametrize(("shape", "size", "d"), [((6,), 1, 0), ((6,), 3, 0), ((2, 6), 2, 1)])
def test_what_is_beyond_is_left_out(shape, size, d, start):
    made = Program()
    x = made.array(np.arange(np.prod(shape), dtype=float).reshape(shape))
    update = made.array(-np.ones([size if k == d else n for k, n in enumerate(shape)]))
    zero, none = made.array(0.0), (0,) * len(shape)
    starts = [made.array(start if k == d else 0).value for k in range(len(shape))]
    high = tuple([size if k == d else 0 for k in range(len(shape))])

    def longer():
        edges = {"edge_padding_low": none, "edge_padding_high": high, "interior_padding": none}
        whole = dynamic_update_slice(pad(x.value, zero.value, **edges), update.value, *starts)
        return slice_(whole, start_indices=none, limit_indices=shape)

    value = made.build(longer)
    within = made.build(lambda: slice_appended(value.owner))
    found = made.evaluate(type(x)(within))
    np.testing.assert_array_equal(found, made.evaluate(type(x)(value)))
    assert isinstance(within.owner, Instr) and within.owner.operands[0] is x.value


def test_only_what_is_at_the_end_of_all_that_is_cut():
    """A slice that is shorter, and one of an array that is padded in front, stay as they are."""
    made = Program()
    x, update, zero = made.array(np.ones(6)), made.array(np.zeros(1)), made.array(0.0)
    at = made.array(2)

    def ended(low, limit):
        edges = {"edge_padding_low": (low,), "edge_padding_high": (1,), "interior_padding": (0,)}
        whole = dynamic_update_slice(pad(x.value, zero.value, **edges), update.value, at.value)
        return slice_(whole, start_indices=(0,), limit_indices=(limit,))

    for low, limit in ((0, 5), (1, 6)):
        value = made.build(lambda low=low, limit=limit: ended(low, limit))
        assert slice_appended(value.owner) is None
