"""Sums of products in loops, made as one product after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Region
from pyxla.ir.rewrite import clone_region, walk
from pyxla.ir.verify import verify_region
from pyxla.lower.sums import defer_sums
from pyxla.reflect import compilation
from tests.ir.interp import run_region

rng = np.random.default_rng(3)
W, U = rng.standard_normal((16, 16)) * 0.3, rng.standard_normal((8, 16))
X, Y = rng.standard_normal((20, 8)), rng.standard_normal((20, 12))
XS, YS = rng.standard_normal((20, 40, 3)), rng.standard_normal((20, 3, 48))


def recurrent(w, u, x):
    h = np.zeros((1, w.shape[0]))
    for t in range(x.shape[0]):
        h = np.tanh(h @ w + x[t : t + 1] @ u)
    return (h * h).sum()


def slopes(w, u, x):
    return pyxla.grad(recurrent, (0, 1, 2))(w, u, x)


def matrices(x, y):
    total = np.ones((x.shape[1], y.shape[1]), x.dtype)
    for t in range(x.shape[0]):
        total = total + x[t][:, None] @ y[t][None]
    return total


def computed(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(x.shape[0] - 1, -1, -1):
        total += np.sin(x[t])[:, None] @ (y[t] * t)[None]
    return total


def shifted(x, y):
    """Both start behind the first row, one goes the other way."""
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(1, x.shape[0]):
        total += x[t][:, None] @ y[-t][None] + y.sum()
    return total


def several(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    more = np.zeros((x.shape[1], x.shape[1]))
    for t in range(x.shape[0]):
        column, row = x[t][:, None], np.cos(y[t])[None]
        total = column @ row + (total + np.exp(column) @ row)
        more = more + column @ column.T
    return total, more


def thick(xs, ys):
    """Each iteration sums over a dimension of its own."""
    total = np.zeros((xs.shape[1], ys.shape[2]))
    for t in range(xs.shape[0]):
        total += xs[t] @ ys[t]
    return total


def nested(x, y):
    out = np.zeros((3, x.shape[1], y.shape[1]))
    for k in range(3):
        total = np.zeros((x.shape[1], y.shape[1]))
        for t in range(x.shape[0]):
            total += (x[t] * k)[:, None] @ y[t][None]
        out[k] = total
    return out


def used_meanwhile(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    largest = 0.0
    for t in range(x.shape[0]):
        total += x[t][:, None] @ y[t][None]
        largest = max(largest, total[0, 0])
    return total, largest


def until(x, y, limit):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(x.shape[0]):
        if x[t, 0] > limit:
            break
        total += x[t][:, None] @ y[t][None]
    return total


def scaled(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(x.shape[0]):
        total = total * 0.5 + x[t][:, None] @ y[t][None]
    return total


def every_second(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(0, x.shape[0], 2):
        total += x[t][:, None] @ y[t][None]
    return total


def as_it_was(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(x.shape[0]):
        product = x[t][:, None] @ y[t][None]
        total += product
        y[(t + 1) % 20] += product[0]
    return total


def counted_short(x, y):
    """What goes up by one in each iteration wraps around."""
    short = np.int8(100)
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(0, x.shape[0], 2):
        total += np.sin(x[t])[:, None] @ np.sin(y[t])[None]
        short += np.int8(1)
    return total, short


def places_that_wrap(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for t in range(x.shape[0]):
        total += x[np.array(t).astype(np.uint8)][:, None] @ y[t][None]
    return total


LONG = rng.standard_normal((300, 8)), rng.standard_normal((300, 12))
DEFERRED = [
    (slopes, (W, U, X)),
    (matrices, (X, Y)),
    (computed, (X, Y)),
    (shifted, (X, Y)),
    (several, (X, Y)),
    (thick, (XS, YS)),
    (nested, (X, Y)),
    (matrices, (X.astype("f4"), Y.astype("f4"))),
    (matrices, (X + 1j, Y + 1j)),
    (counted_short, LONG),
    (places_that_wrap, LONG),
]
LEFT = [
    (used_meanwhile, (X, Y)),
    (until, (X, Y, 1.0)),
    (scaled, (X, Y)),
    (as_it_was, (X, Y)),
    (matrices, (X[:7], Y[:7])),
    (thick, (XS[:, :10], YS)),
    (matrices, (X.astype(int), Y.astype(int))),
]


def regions(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Region, Region]:
    """Before and after."""
    before = compilation(function, *args).at("regions").origin
    assert before is not None
    after = defer_sums(clone_region(before, {}))
    verify_region(after)
    return before, after


def sums_in_loops(region: Region) -> int:
    """Products of two columns or matrices in innermost loops."""
    loops = [i.regions[1].instrs for i in walk(region.instrs) if i.op.name == "while"]
    inner = [code for code in loops if not any(i.op.name == "while" for i in walk(code))]
    dots = [i for code in inner for i in walk(code) if i.op.name == "dot_general"]
    return sum(min(i.results[0].type.shape) > 1 for i in dots)


@pytest.mark.parametrize(("function", "args"), [*DEFERRED, *LEFT, (every_second, (X, Y))])
def test_same_as_before(function: Callable[..., Any], args: tuple[Any, ...]):
    before, after = regions(function, args)
    given = [np.asarray(x) for x in args]
    close = 1e-4 if given[0].dtype == np.float32 else 1e-12
    for x, y in zip(run_region(after, *given), run_region(before, *given), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=close, atol=close)


@pytest.mark.parametrize(("function", "args"), DEFERRED)
def test_deferred(function: Callable[..., Any], args: tuple[Any, ...]):
    before, after = regions(function, args)
    assert sums_in_loops(before) and not sums_in_loops(after)


@pytest.mark.parametrize(("function", "args"), LEFT)
def test_left_where_they_are(function: Callable[..., Any], args: tuple[Any, ...]):
    before, after = regions(function, args)
    assert sums_in_loops(after) == sums_in_loops(before) > 0


def test_rows_that_lie_in_an_array_are_not_copied():
    _, after = regions(matrices, (X, Y))
    (loop,) = [i for i in after.instrs if i.op.name == "while"]
    shapes = [value.type.shape for value in loop.results]
    assert not any(len(shape) > 2 for shape in shapes)


@pytest.mark.parametrize(("function", "args"), DEFERRED[1:])
def test_same_as_numpy(function: Callable[..., Any], args: tuple[Any, ...]):
    found, wanted = pyxla.compile(function)(*args), function(*args)
    close = 1e-4 if args[0].dtype == np.float32 else 1e-12
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=close, atol=close)
