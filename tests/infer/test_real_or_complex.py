"""Eigenvalues and roots, which are real or complex as the values have it, and arrays of one dtype
or another: what follows is what NumPy does for each."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from tests.compare import difference

A = np.random.default_rng(0).normal(size=(4, 4))
MATRICES = [A + A.T, A, np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[2, 1], [1, 3]])]


def values(a):
    w = np.linalg.eigvals(a)
    return w, w.real, np.max(np.abs(w)), np.iscomplexobj(w), w.dtype == float


def decomposed(a):
    w, v = np.linalg.eig(a)
    order = w.argsort()[::-1]
    w, v = w[order], v[:, order]
    return w / np.sum(w), w - w.mean(), np.abs(v), np.allclose(a @ v, v * w), np.diag(w)


def summed(a):
    found = np.linalg.eig(a)
    total = 0
    for w in found.eigenvalues:
        total += w
    return total, max(abs(found.eigenvalues))


def components(a):
    values, vectors = np.linalg.eig(np.cov(a.T))
    pairs = [(np.abs(values[i]), vectors[:, i]) for i in range(len(values))]
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    w = np.hstack([pair[1].reshape(-1, 1) for pair in pairs[:2]])
    return np.abs(a.dot(w)), values / values.sum()


def until_complex(a):
    for i in range(3):
        w = np.linalg.eigvals(a)
        if np.iscomplex(w).any():
            return i, w
        a = a * 0.5
    return -1, w


@pytest.mark.parametrize("a", MATRICES, ids=["symmetric", "any", "turn", "ints"])
@pytest.mark.parametrize("program", [values, decomposed, summed, components, until_complex])
def test_eigenvalues(program, a):
    assert not difference(pyxla.compile(program)(a), program(a))


def roots(p):
    r = np.roots(p)
    return np.sort(r), r[np.isreal(r)].real, np.roots([1, -3, 2]), np.roots([1, 0, 1]), r * r.sum()


@pytest.mark.parametrize("p", [[1.0, -6.0, 11.0, -6.0], [1.0, 0.0, 1.0], [2, 1]], ids=str)
def test_roots(p):
    p = np.array(p)
    assert not difference(pyxla.compile(roots)(p), roots(p))


def close(z):
    r = np.real_if_close(z)
    r[0] = 7
    return r, np.real_if_close(z * 1e-15 + 2) * 2, np.real_if_close(np.fft.ifft(np.fft.fft(z)))


@pytest.mark.parametrize("z", [[1 + 2j, 3], [1 + 0j, 3], [1.0, 3.0]], ids=str)
def test_real_if_close(z):
    args = np.array(z), np.array(z)
    assert not difference(pyxla.compile(close)(args[0]), close(args[1]))
    assert not difference(*args)


def test_spectral_radius_is_differentiated():
    def radius(a):
        return np.max(np.abs(np.linalg.eigvals(a)))

    for a in MATRICES[:3]:
        step = 1e-6 * np.eye(len(a))[0] * np.eye(len(a))[1][:, None]
        slope = (radius(a + step) - radius(a - step)) / 2e-6
        np.testing.assert_allclose(pyxla.grad(radius)(a)[1, 0], slope, 1e-6, 1e-8)


def test_what_is_left_refused_says_what_to_write():
    def program(a):
        return np.full(3, np.linalg.eigvals(a)[0])

    with pytest.raises(pyxla.CompileError, match="eigenvalues of a real matrix") as caught:
        pyxla.compile(program)(A)
    assert "eigh" in caught.value.hint


# --- Arrays of one dtype or another --------------------------------------------------------------


def in_lists(x):
    t = x if x[0] > 0 else np.zeros(3, int)
    return np.concatenate([t, [1]]), np.vstack([t, t * 2]), np.array((t, x)), np.stack([[t], [t]])


def with_their_numbers(x):
    t = x if x[0] > 0 else np.arange(3)
    u = t.max()
    return t / t.sum(), t * u, t - t[0] * 2, t + (t.sum() + 1), t // t[-1], u * 2 + t


def exact(x):
    t = x if x[0] > 0 else np.array([2**60 + 1, 3, 5])
    return t + t[0], t - t.max(), t[1] * t


def narrow(x):
    t = np.arange(3) if x[0] > 0 else np.array([100, 2, 3], np.int8)
    return t + t.max() * 2, t * t[0]


def in_turn(x):
    found = []
    for v in x:
        t = x if v > 0 else np.zeros(2)
        found.append(np.concatenate([t, [v]]).sum())
    return np.array(found)


@pytest.mark.parametrize("program", [in_lists, with_their_numbers, exact, narrow, in_turn])
@pytest.mark.parametrize("sign", [1, -1])
def test_arrays_of_one_dtype_or_another(program, sign):
    x = np.array([sign * 1.5, -2.5, 0.5])
    assert not difference(pyxla.compile(program)(x), program(x))
