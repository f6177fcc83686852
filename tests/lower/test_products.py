"""Products of rows in loops, made as products of matrices before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import clone_region, walk
from pyxla.ir.verify import verify_region
from pyxla.lower.products import join_products
from pyxla.reflect import compilation

rng = np.random.default_rng(5)
A, B = rng.standard_normal((40, 30)), rng.standard_normal((30, 50))
X = rng.standard_normal((300, 320))
C = A[:, :20] + 1j * A[:, 10:]


def rows(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        out[i] = a[i] @ b
    return out


def from_the_right(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for j in range(b.shape[1]):
        out[:, j] = a @ b[:, j] + j
    return out


def elements(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = np.dot(a[i], b[:, j])
    return out


def with_vector(a, v):
    out = np.zeros(a.shape[0], a.dtype)
    for i in range(1, a.shape[0]):
        out[i] = a[i - 1] @ v
    return out


def triangle(x):
    out = np.zeros((x.shape[1], x.shape[1]))
    for i in range(x.shape[1] - 1):
        out[i, i + 1 :] = x[:, i] @ x[:, i + 1 :]
    return out


def computed(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        out[i] = (a * 2)[i] @ np.sin(b)
    return out


def looked_up(a, b, at):
    out = np.zeros((len(at), b.shape[1]))
    for i in range(len(at)):
        out[i] = a[at[i]] @ b
    return out


def pairs(a, c):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i] @ c[i]
    return out


def until(a, b, limit):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        out[i] = a[i] @ b
        if out[i, 0] > limit:
            break
    return out


def now_and_then(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        if a[i, 0] > 0:
            out[i] = a[i] @ b
    return out


def changed(a, b):
    for i in range(a.shape[0] - 1):
        a[i + 1] = (a[i] @ b)[: a.shape[1]]
    return a


def few(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(8):
        out[i] = a[i] @ b
    return out


def products_in_loops(function: Callable[..., Any], *args: Any) -> int:
    region = compilation(function, *args).at("regions").origin
    assert region is not None
    region = join_products(clone_region(region, {}))
    verify_region(region)
    loops = [i for i in walk(region.instrs) if i.op.name == "while"]
    return sum(i.op.name == "dot_general" for x in loops for i in walk(x.regions[1].instrs))


POSITIONS = rng.integers(-40, 40, 40)
JOINED = [
    (rows, (A, B)),
    (rows, (A.astype("f4"), B.astype("f4"))),
    (from_the_right, (A, B)),
    (elements, (A, B)),
    (with_vector, (X, X[0])),
    (with_vector, (C, C[0])),
    (triangle, (X,)),
    (computed, (A, B)),
    (looked_up, (A, B, POSITIONS)),
]
LEFT = [
    (pairs, (A, A + 1)),
    (until, (A, B, 5.0)),
    (now_and_then, (A, B)),
    (changed, (A, 0.2 * B)),  # rows that do not grow: rounding differs from one machine to another
    (few, (X, X.T)),
]


@pytest.mark.parametrize(("function", "args"), JOINED + LEFT)
def test_same_as_numpy(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    wanted = function(*[np.copy(x) for x in args])
    found = pyxla.compile(function)(*[np.copy(x) for x in args])
    assert found.dtype == wanted.dtype
    close = 1e-4 if args[0].dtype == np.float32 else 1e-11
    np.testing.assert_allclose(found, wanted, rtol=close, atol=close * 10)


@pytest.mark.parametrize(("function", "args"), JOINED[:5] + JOINED[6:])
def test_joined(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert products_in_loops(function, *args) == 0


@pytest.mark.parametrize(("function", "args"), LEFT)
def test_left_where_they_are(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert products_in_loops(function, *args) >= 1


def test_what_is_not_finite_stays_in_its_row() -> None:
    a = A.copy()
    a[3, 4], a[7, 0] = np.nan, np.inf
    np.testing.assert_array_equal(np.isnan(pyxla.compile(rows)(a, B)), np.isnan(rows(a, B)))
