"""`fixed_point` and `root`: solutions and derivatives, by closed forms and differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla

A = np.array([[0.2, 0.1, 0.0], [0.05, 0.3, 0.1], [0.0, 0.2, 0.1]])
B = np.array([1.0, -0.5, 0.3])


def damped(x, a, b):
    return a @ np.tanh(x) + b


def heron(x, s):
    return 0.5 * (x + s / x)


def central(f, x, step=1e-6):
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[at] += step
        behind[at] -= step
        found[at] = (f(ahead) - f(behind)) / (2 * step)
    return found


def test_fixed_points():
    x = pyxla.fixed_point(damped, np.zeros(3), A, B)
    np.testing.assert_allclose(x, damped(x, A, B), rtol=1e-14)
    assert pyxla.fixed_point(heron, 1.0, 9.0) == 3.0
    assert type(pyxla.fixed_point(heron, np.float32(1), np.float32(9))) is np.float32

    def loss(a, b):
        return (pyxla.fixed_point(damped, np.zeros(3), a, b) ** 3).sum()

    da, db = pyxla.grad(loss, argnums=(0, 1))(A, B)
    np.testing.assert_allclose(da, central(lambda a: loss(a, B), A), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(db, central(lambda b: loss(A, b), B), rtol=1e-6)
    _, along = pyxla.jvp(loss, (A, B), (A, B))
    assert along == pytest.approx((da * A).sum() + (db * B).sum())

    def solved(s):
        return pyxla.fixed_point(heron, 1.0, s)

    for wrap in (pyxla.grad(solved), lambda s: pyxla.jvp(solved, (s,), (1.0,))[1]):
        assert wrap(9.0) == pytest.approx(1 / 6)
    assert pyxla.grad(pyxla.grad(solved))(4.0) == pytest.approx(-0.25 * 4**-1.5)
    assert pyxla.grad(lambda x: pyxla.fixed_point(heron, x, 4.0))(1.0) == 0.0
    with jax.enable_x64(True):
        got = jax.grad(lambda s: pyxla.fixed_point(heron, 1.0, s))(jnp.float64(9.0))
    assert float(got) == pytest.approx(1 / 6)


def cubic(x, p):
    return x**3 + p["a"] * x - p["b"]


def coupled(x, p):
    return np.stack([x[0] ** 2 + x[1] - p[0], x[0] - x[1] ** 3 + p[1]])


def test_roots():
    p = {"a": 2.0, "b": 12.0}
    assert pyxla.root(cubic, 1.0, p) == pytest.approx(2.0, rel=1e-14)
    got = pyxla.grad(lambda p: pyxla.root(cubic, 1.0, p))(p)
    assert got["a"] == pytest.approx(-2 / 14) and got["b"] == pytest.approx(1 / 14)
    q = np.array([3.0, 7.0])
    x = pyxla.root(coupled, np.array([1.0, 1.5]), q)
    np.testing.assert_allclose(coupled(x, q), 0, atol=1e-14)

    def loss(q):
        x = pyxla.root(coupled, np.array([1.0, 1.5]), q)
        return x[0] * np.exp(x[1])

    expected = central(loss, q)
    np.testing.assert_allclose(pyxla.grad(loss)(q), expected, rtol=1e-6)
    np.testing.assert_allclose(pyxla.jacfwd(loss)(q), expected, rtol=1e-6)
    hessian = pyxla.hessian(loss)(q)
    rows = [central(lambda v, k=k: pyxla.grad(loss)(v)[k], q) for k in range(2)]
    np.testing.assert_allclose(hessian, np.stack(rows), rtol=1e-5)


def test_cost_does_not_depend_on_the_steps():
    slow = pyxla.grad(lambda s: pyxla.fixed_point(lambda x, s: 0.99 * x + s, 0.0, s))
    assert slow(1.0) == pytest.approx(100, rel=1e-6)
    limited = pyxla.fixed_point(lambda x, s: x + s, 0.0, 1.0, max_steps=7)
    assert limited == 7.0


def test_what_the_equation_captures_is_refused_where_it_is_solved():
    def solution(a):
        return pyxla.root(lambda x: x * x - a, 1.0)

    with pytest.raises(pyxla.CompileError, match="differentiated value from outside") as refused:
        pyxla.grad(solution)(2.0)
    assert refused.value.filename == __file__
