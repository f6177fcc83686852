"""Polynomials, np.vectorize, enumerations of elements and what else NumPy writes in Python."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, legendre, polynomial

import pyxla
from pyxla import CompileError

X = np.random.default_rng(0).normal(size=(3, 4))
V = np.array([1.0, 2.0, 3.0])


def products(x):
    i = np.array([0, 0, 1, 2])
    a = np.polymul(i, np.array([1, 0])), np.polymul(i[:2], x), np.polymul(x, 1j * x)
    return a, np.polymul(2, i[2:]), np.polymul(i[:2], i[:2])


def quotients(x):
    y = x.astype(np.float32)
    a = np.polydiv(x, np.array([2.0, 1.0])), np.polydiv(x[:2], x), np.polydiv(y, y[:2])
    return a, np.polydiv(np.array([1, 2, 1]), np.array([1, 1])), np.polydiv(5.0, x[1])


def rising(x):
    a = polynomial.polyadd(x, -x[::-1]), polynomial.polymul(x, np.array([0, 0]))
    return a, polynomial.polysub(x, x), polynomial.polyder(x), polynomial.polyint(x)


def values(x):
    p = np.array([1.0, 2.0, 3.0])
    a = polynomial.polyval(x, p), chebyshev.chebval(x, p), legendre.legval(x, p)
    b = hermite.hermval(x, p), polynomial.polyval2d(x, x, np.diag(p)), legendre.leggauss(5)
    return a, b, polynomial.polyvalfromroots(x, p), polynomial.polyvander(x, 3)


def vectorized(x):
    half = np.vectorize(lambda v: 1 if v > 0 else 0)
    both = np.vectorize(lambda v, w: (v > w, v * w))
    return half(x), both(x, 2), np.vectorize(lambda v: v + 1)(3), np.vectorize(abs)(x[0])


@np.vectorize
def larger(v, w):
    return v if v > w else w - 1


def decorated(x):
    return larger(x, 0.5), larger(x[:, :1], x[0])


def written(v):
    v[0] = 1.0
    return v


def typed(x):
    positive = np.vectorize(lambda v: v if v > 0 else 0, otypes=[float])
    both = np.vectorize(lambda v, w: (v > w, v * w), otypes="?f")
    cut = np.vectorize(lambda v: v * 2.7, otypes=[int])
    return positive(x), both(x, 2), cut(x), positive(x[:0]), positive(x[0, 0]), both(x[:0], 1.0)


@np.vectorize(otypes=[float], excluded={"scale"})
def scaled(v, w=2, scale=None):
    return v * w * scale[0] if v > 0 else w


evaluated = np.vectorize(lambda p, v: p[0] + p[1] * v, excluded={0})


def named(x):
    powers = np.vectorize(lambda v, k=3: v**k)
    modes = np.vectorize(lambda v, n, mode: v * n if mode == "times" else v + n, excluded=[1, 2])
    a = scaled(x, scale=x[0]), scaled(x, w=x[0], scale=x[1]), scaled(w=x, v=3.0, scale=x[0])
    return a, evaluated(x[0], x), powers(x), powers(x, 2), powers(v=x), modes(x, 3, "times")


def with_signature(x):
    products = np.vectorize(np.matmul, signature="(m,n),(n)->(m)")
    unit = np.vectorize(lambda v: v / np.linalg.norm(v), signature="(n)->(n)")
    both = np.vectorize(lambda v, s: (v.sum() * s, v[:2]), signature="(n), () -> (), (k)")
    grids = np.vectorize(lambda v: np.arange(3) * v, signature="()->(n)", otypes=[complex])
    a = products(np.ones((2, 4)), x), unit(x), unit(x[0]), both(x, 2), both(x, x[:, 0])
    return a, grids(x), grids(2), products(x.reshape(1, 3, 4), np.stack([x[0], x[1]]))


def counts_of_calls(x):
    calls = [0]

    def call(v):
        calls[0] += 1
        return v

    found = []
    for f in (np.vectorize(call), np.vectorize(call, cache=True), np.vectorize(call, [float])):
        f(x)
        found.append(calls[0])
    np.vectorize(call, signature="(n)->(n)")(x)
    return found, calls[0]


def enumerated(x):
    total = 0.0
    for (i, j), v in np.ndenumerate(x):
        total += i * v - j
    for i, j in np.ndindex(*x.shape):
        total += x[i, j] * i
    return total, list(np.ndindex(2, 2)), [k for k in np.ndenumerate(x[0, :2])]


def made(x):
    a = np.fromiter((k * x[0, 0] for k in range(3)), float), np.fromiter([x[0, 0], 2.5], int)
    return a, np.fromiter(x[0], np.float32, 2), np.fromiter(range(3), complex)


def types(x):
    path = np.einsum_path("ij,jk->ik", x, x.T)[0]
    a = np.zeros(1, np.common_type(x)), np.min_scalar_type(x), np.iterable(x), np.iterable(x[0, 0])
    return a, path, x.device, x.to_device("cpu") is x, np.zeros(1, np.common_type(x.astype("i4")))


def swapped(x):
    i = np.array([1, 2, 300], np.int32)
    return i.byteswap(), x.byteswap(), (x + 1j).byteswap(), np.array([1, 2], "u1").byteswap()


def roots(x):
    return np.sort(np.roots(x + 0j)), np.roots(np.array([2.0 + 0j, 1.0]))


def check(got: Any, expected: Any) -> None:
    assert type(got) is type(expected), (got, expected)
    if isinstance(expected, list | tuple):
        assert len(got) == len(expected)
        for pair in zip(got, expected, strict=True):
            check(*pair)
    elif isinstance(expected, np.ndarray | np.generic | float):
        dtype = np.asarray(expected).dtype
        assert np.asarray(got).dtype == dtype
        np.testing.assert_allclose(got, expected, 1e-6 if dtype == np.float32 else 1e-12, 1e-14)
    else:
        assert got == expected


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        *[(f, V) for f in (products, quotients, rising, roots)],
        *[(f, X) for f in (values, vectorized, decorated, enumerated, made, types, swapped)],
        *[(f, X) for f in (typed, named, with_signature, counts_of_calls)],
    ],
)
def test_program(program, argument):
    check(pyxla.compile(program)(argument.copy()), program(argument))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: np.full(2, np.roots(x)[0]), "depends on the values"),
        (lambda x: polynomial.polyroots(x), "size of an array that is reshaped"),
        (lambda x: np.vectorize(lambda v: np.ones(2))(x), "must return numbers"),
        (lambda x: np.vectorize(lambda v: "big" if v > 1 else "small")(x), "must return numbers"),
        (lambda x: np.vectorize(lambda v: v if v > 1 else 0)(x), "float64 or int64 here"),
        (lambda x: np.vectorize(written, signature="(n)->(n)")(x), "read-only"),
        (lambda x: np.nditer(x[::-1]), "another order than C's"),
        (lambda x: np.nditer(x, order="F"), "these flags"),
        (lambda x: np.nditer(x).shape, "not compiled for shape"),
        (lambda x: np.nditer(x), "cannot return an iterator"),
        (lambda x: np.broadcast(x, 1.0), "cannot return an iterator"),
        (lambda x: x.byteswap(True), "in place"),
    ],
)
def test_refused(program, message):
    with warnings.catch_warnings(), pytest.raises(CompileError, match=message):
        warnings.simplefilter("error", pyxla.NotCompiledWarning)
        pyxla.code_typed(program, V)


def test_derivatives_of_vectorized():
    def loss(x):
        unit = np.vectorize(lambda v: v / np.linalg.norm(v), signature="(n)->(n)")
        return np.sum(np.vectorize(lambda v: v**3, otypes=[float])(unit(x)))

    step = 1e-6 * np.eye(4)[1] * np.eye(3)[2][:, None]
    slope = (loss(X + step) - loss(X - step)) / 2e-6
    np.testing.assert_allclose(pyxla.grad(loss)(X)[2, 1], slope, 1e-7)


def test_exceptions():
    sums = np.vectorize(lambda a, b: a + b, signature="(n),(n)->(n)")
    with pytest.raises(ValueError, match="inconsistent size for core dimension 'n'"):
        pyxla.compile(lambda x: sums(x, x[:2]))(V)
    with pytest.raises(TypeError, match="wrong number of positional arguments"):
        pyxla.compile(lambda x: sums(x))(V)
    with pytest.raises(ValueError, match="other than 0"):
        pyxla.compile(lambda x: np.roots(x))(np.array([0j, 1.0]))
    with pytest.raises(ValueError, match="size 0 inputs"):
        pyxla.compile(lambda x: np.vectorize(abs)(x))(np.zeros(0))
    with pytest.raises(ValueError, match="iterator too short"):
        pyxla.compile(lambda x: np.fromiter(x, float, 5))(V)
