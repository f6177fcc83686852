"""Sparse matrices of SciPy's, given and made inside: its Python is compiled, over kernels."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import pyxla
from tests.compare import difference


def made(form="csr", density=0.4, seed=0, array=False):
    found = sp.random_array((6, 6), density=density, format=form, random_state=seed)
    return found if array else getattr(sp, f"{form}_matrix")(found)


X = np.arange(6.0)


def products(a, x):
    return a @ x, a.T @ x, a @ np.stack([x, x + 1], 1), a.shape, a.nnz


def dense(a):
    return a.toarray(), a.T.toarray(), a.diagonal(), a.diagonal(1)


def by_hand(a, x):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for k in range(a.indptr[i], a.indptr[i + 1]):
            y[i] += a.data[k] * x[a.indices[k]]
    return y


def jacobi(a, b):
    d = a.diagonal() + 4
    x, n = np.zeros_like(b), 0
    while np.linalg.norm(a @ x + 4 * x - b) > 1e-10 and n < 200:
        x = x + (b - a @ x - 4 * x) / d
        n += 1
    return x, n


def total(a):
    return a.sum(), a.mean()


def sums(a):
    return a.sum(axis=0), a.sum(axis=1), a.sum(axis=-1)


def written(a, s):
    a.data *= s
    a.data[a.data < 0.3 * s] = 0
    a.eliminate_zeros()
    return a.nnz


def scaled(a, s):
    return a * s


def converted(a):
    return a.tocsc().indices, a.tocoo().row, a.T.tocsr().data


def together(a, b):
    return (a + b).toarray(), (a - b * 2).toarray()


def multiplied(a, b):
    return (a @ b).toarray(), a.multiply(b).sum()


def of_diagonals(n, x):
    a = sp.diags([np.ones(n - 1), -2 * np.ones(n), np.ones(n - 1)], [-1, 0, 1], format="csr")
    return a @ x


def of_elements(i, j, v, x):
    return sp.csr_matrix((v, (i, j)), shape=(3, 3)) @ x


def of_rows(v, x):
    a = sp.csr_matrix((v, np.array([0, 2, 1, 0, 2]), np.array([0, 2, 3, 5])), shape=(3, 3))
    for _ in range(3):
        x = np.tanh(a @ x)
    return float(x.sum())


PROGRAMS = [
    (products, lambda: (made(), X)),
    (products, lambda: (made("csc", array=True), X)),
    (dense, lambda: (made(),)),
    (by_hand, lambda: (made(), X)),
    (jacobi, lambda: (made(), X)),
    (total, lambda: (made(),)),
    (sums, lambda: (made(array=True),)),
    (written, lambda: (made(), 2.0)),
    (scaled, lambda: (made(), 2.0)),
    (converted, lambda: (made(array=True),)),
    (together, lambda: (made(), made(seed=1))),
    (multiplied, lambda: (made(), made(seed=1))),
    (of_diagonals, lambda: (6, X)),
    (of_elements, lambda: (*np.array([[0, 1, 1, 2, 0, 0], [1, 0, 2, 2, 1, 0]]), X + 1, X[:3])),
]


@pytest.mark.parametrize(("program", "sample"), PROGRAMS)
def test_as_scipy(program, sample):
    args, plain = sample(), copy.deepcopy(sample())
    got, expected = pyxla.compile(program)(*args), program(*plain)
    assert not difference((got, args), (expected, plain))


@pytest.mark.parametrize("form", ["coo", "dia"])
def test_formats(form):
    def program(a, x):
        return a @ x

    assert not difference(pyxla.compile(program)(made(form), X), program(made(form), X))


def test_derivatives():
    v, x = np.array([1.0, 2, 3, 4, 5]) / 5, np.array([1.0, -1, 2])
    for n, at in enumerate((v, x)):
        slope = pyxla.grad(of_rows, argnums=n)(v, x)
        for i, h in enumerate(np.eye(len(at)) * 1e-6):
            low, high = [[*(v, x)] for _ in range(2)]
            low[n], high[n] = at - h, at + h
            assert slope[i] == pytest.approx((of_rows(*high) - of_rows(*low)) / 2e-6, rel=1e-6)


def test_twice_the_same_element():
    """What SciPy does then depends on the order of elements; it is not guessed."""
    a = sp.csr_matrix((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    with pytest.raises(NotImplementedError, match="sum_duplicates"):
        pyxla.compile(together)(a, a.copy())
