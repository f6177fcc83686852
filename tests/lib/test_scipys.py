"""Functions of SciPy that are compiled through JAX."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.special

import pyxla
from pyxla import CompileError
from pyxla.lib.scipys import UFUNCS

X = np.random.default_rng(0).random((3, 3)) + 0.1


def test_ufuncs():
    """One program for each number of operands."""
    for count in (1, 2, 3):
        found = [
            u for n in sorted(UFUNCS | {"psi"}) if (u := getattr(scipy.special, n)).nin == count
        ]

        def program(*xs, found=tuple(found)):
            return [u(*xs) for u in found]

        xs = [X + 0.2 * i for i in range(count)]
        for u, got in zip(found, pyxla.compile(program)(*xs), strict=True):
            np.testing.assert_allclose(got, u(*xs), 1e-11, err_msg=u.__name__)


def kinds(x):
    special = scipy.special
    a = special.erf(0.3), special.erf(x.astype(np.float32)), special.erf(np.arange(3))
    return a, special.xlogy(2, x), special.psi(np.array([0.0, -0.0, 1.0])), special.expit(x[0, 0])


def sums(x):
    special = scipy.special
    a = special.logsumexp(x), special.logsumexp(x, axis=1), special.softmax(x, axis=1)
    return a, special.log_softmax(x)


def matrices(x):
    la, s, y = scipy.linalg, x @ x.T + np.eye(3), x[0]
    lower = np.tril(x)
    a = la.cholesky(s), la.cholesky(s, lower=True), la.solve_triangular(lower, y, lower=True)
    b = la.solve_triangular(lower, x, trans=1, lower=True), la.cho_factor(s), la.inv(s), la.det(s)
    return a, b, la.cho_solve(la.cho_factor(s, lower=True), y), la.expm(x), la.solve(s, y)


def spectra(x):
    la, s = scipy.linalg, x + x.T
    u, values, vt = la.svd(x, full_matrices=False)
    a = la.svdvals(x), la.eigvalsh(s), la.eigh(s, eigvals_only=True), la.eigh(x, lower=False)[0]
    b = [(q, np.abs(r)) for q, r in [la.qr(x[:, :2]), la.qr(x[:, :2], mode="economic")]]
    c = [abs(r) for r in (*la.qr(x[:, :2], mode="r"), *la.qr(x[:2], mode="r"))]
    d = la.pinv(x[:, :2]), la.pinv(x, rtol=0.5), la.norm(x), la.norm(x[0]), la.norm(x, 1, axis=1)
    return a, [(np.abs(q), r) for q, r in b], c, d, u * values @ vt, la.svd(x)[1]


def transforms(x):
    f = scipy.fft
    a = f.fft(x), f.ifft(x, axis=0), f.rfft(x, 4), f.irfft(f.rfft(x), 3), f.hfft(x), f.ihfft(x)
    b = f.fft2(x + 1j), f.fftn(x + 1j, axes=(0,)), f.rfftn(x), f.irfftn(x, s=(2, 4), norm="ortho")
    return a, b, f.fftshift(x, axes=1), f.ifftshift(x), f.fftfreq(5, 0.1), f.rfftfreq(4, d=0.2)


def check(got, expected):
    if isinstance(expected, list | tuple):
        for pair in zip(got, expected, strict=True):
            check(*pair)
        return
    if isinstance(expected, bool):
        assert got is expected
        return
    if isinstance(expected, float) and not isinstance(expected, np.floating):
        assert type(got) is float
        got, expected = np.float64(got), np.float64(expected)
    assert type(got) is type(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(got, expected, 1e-6 if got.dtype == np.float32 else 1e-12, 1e-14)


@pytest.mark.parametrize("program", [kinds, sums, matrices, spectra, transforms])
def test_program(program):
    check(pyxla.compile(program)(X), program(X))


def test_derivative():
    derivative = pyxla.grad(lambda x: scipy.special.erf(x))(0.5)
    np.testing.assert_allclose(derivative, 2 / np.sqrt(np.pi) * np.exp(-0.25), 1e-12)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: scipy.special.beta(x, 2.0), "not among the functions"),
        (lambda x: scipy.special.erf(x + 1j), "real numbers only"),
        (lambda x: scipy.special.logsumexp(x, b=x), "not supported"),
    ],
)
def test_refused(program, message):
    with pytest.raises(CompileError, match=message):
        pyxla.code_typed(program, X)


def test_python_of_scipys_that_asks_which_modules_there_are():
    """`array_namespace` looks into `sys.modules`; its `asarray` copies as the array API has it."""

    def integrals(x, y):
        return scipy.integrate.cumulative_trapezoid(y, x, initial=0), scipy.integrate.simpson(
            y, x=x
        )

    check(pyxla.compile(integrals)(X[0], X[1]), integrals(X[0], X[1]))
