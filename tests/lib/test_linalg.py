"""`numpy.linalg` and `numpy.fft` against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla.runtime.foreign  # noqa: F401 - lowers JAX functions
from pyxla.lib.registry import LIBRARY
from tests.lib.compare import check, sample
from tests.lib.harness import run

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 4))
M = RNG.normal(size=(5, 3))
STACK = RNG.normal(size=(2, 3, 3))
SYMMETRIC = A @ A.T + 4 * np.eye(4)
Z = A + 1j * RNG.normal(size=(4, 4))
I = np.array([[2, 1], [1, 3]])  # noqa: E741
V = RNG.normal(size=4)
LOOSE = 1e5


def row(function, *args, **kwargs):
    return pytest.param(function, args, kwargs, id=f"{function.__name__}-{kwargs}"[:50])


ROWS = [
    row(np.linalg.cholesky, SYMMETRIC),
    row(np.linalg.cholesky, SYMMETRIC, upper=True),
    row(np.linalg.qr, M),
    row(np.linalg.qr, M, mode="complete"),
    row(np.linalg.qr, M, mode="r"),
    row(np.linalg.svdvals, M),
    row(np.linalg.svd, M, compute_uv=False),
    row(np.linalg.eigvalsh, SYMMETRIC),
    row(np.linalg.eigvals, Z),
    row(np.linalg.inv, A),
    row(np.linalg.inv, STACK),
    row(np.linalg.inv, I),
    row(np.linalg.inv, A.astype("f4")),
    row(np.linalg.solve, A, V),
    row(np.linalg.solve, A, SYMMETRIC),
    row(np.linalg.solve, STACK, STACK),
    row(np.linalg.solve, I, np.array([1, 2])),
    row(np.linalg.solve, STACK, V[:3]),
    row(np.linalg.det, A),
    row(np.linalg.det, STACK),
    row(np.linalg.slogdet, A),
    row(np.linalg.slogdet, Z),
    row(np.linalg.pinv, M),
    row(np.linalg.pinv, M, rcond=0.5),
    row(np.linalg.matrix_rank, M),
    row(np.linalg.matrix_rank, np.ones((3, 3))),
    row(np.linalg.tensorinv, RNG.normal(size=(2, 3, 6))),
    row(np.linalg.tensorsolve, RNG.normal(size=(2, 3, 6)), RNG.normal(size=(2, 3))),
    row(np.linalg.matrix_power, A, 3),
    row(np.linalg.matrix_power, A, -2),
    row(np.linalg.matrix_power, STACK, 0),
    row(np.linalg.multi_dot, [A, M[:4], M[:3], V[:3]]),
    row(np.linalg.multi_dot, [V, A]),
    row(np.linalg.norm, V),
    row(np.linalg.norm, M),
    row(np.linalg.norm, M, axis=0),
    row(np.linalg.norm, M, 1),
    row(np.linalg.norm, M, -np.inf),
    row(np.linalg.norm, M, 2),
    row(np.linalg.norm, M, "nuc"),
    row(np.linalg.norm, M, "fro", keepdims=True),
    row(np.linalg.norm, V, 3),
    row(np.linalg.norm, V, np.inf),
    row(np.linalg.norm, V, 0),
    row(np.linalg.norm, V, -1),
    row(np.linalg.norm, Z),
    row(np.linalg.norm, I),
    row(np.linalg.norm, STACK, axis=(1, 2)),
    row(np.linalg.norm, STACK, 1, axis=(0, 2), keepdims=True),
    row(np.linalg.matrix_norm, STACK),
    row(np.linalg.vector_norm, STACK, axis=(0, 1)),
    row(np.linalg.cond, A),
    row(np.linalg.cond, A, 1),
    row(np.linalg.cond, STACK, -2),
    row(np.linalg.trace, STACK),
    row(np.linalg.diagonal, STACK, offset=1),
    row(np.linalg.outer, V, V),
    row(np.linalg.cross, V[:3], V[1:]),
    row(np.linalg.matrix_transpose, STACK),
    row(np.linalg.vecdot, V, V),
    row(np.polyfit, V, A[0], 2),
    row(np.polyfit, V, A, 1),
    row(np.polyfit, V, A[0], 1, w=np.arange(1.0, 5.0)),
    row(np.polyfit, V.astype("f4"), A[0].astype("f4"), 1),
    row(np.polyfit, V, A[0], 2, cov=True),
    row(np.polyfit, V, A, 1, cov="unscaled"),
]
X = sample("f8", 4, 6)
FFT = [
    row(np.fft.fft, X),
    row(np.fft.fft, X, 4),
    row(np.fft.fft, X, 9, axis=0),
    row(np.fft.fft, X, norm="ortho"),
    row(np.fft.fft, X.astype("f4")),
    row(np.fft.fft, sample("i4", 5)),
    row(np.fft.fft, sample("f2", 5)),
    row(np.fft.ifft, X, norm="forward"),
    row(np.fft.ifft, Z),
    row(np.fft.rfft, X),
    row(np.fft.rfft, X, 5, norm="forward"),
    row(np.fft.irfft, Z),
    row(np.fft.irfft, Z, 5, norm="ortho"),
    row(np.fft.hfft, Z),
    row(np.fft.ihfft, X, norm="forward"),
    row(np.fft.fft2, X),
    row(np.fft.ifft2, X),
    row(np.fft.fftn, sample("f8", 2, 3, 4)),
    row(np.fft.fftn, X, (3, 8)),
    row(np.fft.ifftn, Z, axes=(0,)),
    row(np.fft.rfftn, X),
    row(np.fft.rfft2, X, axes=(1, 0)),
    row(np.fft.irfftn, Z),
    row(np.fft.irfft2, Z, (3, 5)),
    row(np.fft.fftfreq, 5),
    row(np.fft.fftfreq, 6, 0.5),
    row(np.fft.rfftfreq, 6, 0.1),
    row(np.fft.fftshift, X),
    row(np.fft.ifftshift, X, axes=1),
    row(np.fft.fft, np.zeros((0, 3))),
    row(np.fft.rfft, np.zeros((0, 3))),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), [*ROWS, *FFT])
def test_row(function, args, kwargs) -> None:
    check(function, *args, loose=LOOSE, **kwargs)


def test_factors_multiply_to_the_matrix() -> None:
    u, s, vt = run(LIBRARY[np.linalg.svd], M, full_matrices=False)
    np.testing.assert_allclose(u * s @ vt, M, atol=1e-12)
    w, v = run(LIBRARY[np.linalg.eigh], np.tril(SYMMETRIC))
    np.testing.assert_allclose(v * w @ v.T, SYMMETRIC, atol=1e-12)
    w, v = run(LIBRARY[np.linalg.eig], Z)
    np.testing.assert_allclose(Z @ v, v * w, atol=1e-12)


def test_results_have_their_names() -> None:
    result = run(LIBRARY[np.linalg.eigh], SYMMETRIC)
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert run(LIBRARY[np.linalg.slogdet], A).logabsdet.shape == ()


def test_least_squares() -> None:
    b = RNG.normal(size=5)
    x, _, rank, s = run(LIBRARY[np.linalg.lstsq], M, b)
    expected = np.linalg.lstsq(M, b)
    np.testing.assert_allclose(x, expected[0], atol=1e-12)
    assert rank == expected[2] and rank.dtype == expected[2].dtype
    np.testing.assert_allclose(s, expected[3], atol=1e-12)


def test_slopes_of_eigenvalues_that_are_equal():
    """Those of the vectors, which nobody asks for, are infinite."""
    a = 2 * np.eye(3)
    np.testing.assert_allclose(pyxla.grad(lambda a: np.linalg.eigvalsh(a).sum())(a), np.eye(3))
    np.testing.assert_allclose(pyxla.grad(lambda a: (np.linalg.eigh(a)[0] ** 2).sum())(a), 2 * a)
    np.testing.assert_allclose(pyxla.grad(lambda a: np.linalg.svd(a)[1].sum())(a), np.eye(3))


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_slopes_of_one_triangle(uplo):
    """The other is not read, and has slopes of 0."""

    def f(a):
        w, v = np.linalg.eigh(a, UPLO=uplo)
        return w[0] + 2 * w[-1] ** 2 + v[0, 1] ** 2

    a = np.random.default_rng(1).normal(size=(4, 4))
    expected = np.zeros_like(a)
    for i in np.ndindex(a.shape):
        h = np.zeros_like(a)
        h[i] = 1e-6
        expected[i] = (f(a + h) - f(a - h)) / 2e-6
    np.testing.assert_allclose(pyxla.grad(f)(a), expected, 1e-6, 1e-8)
