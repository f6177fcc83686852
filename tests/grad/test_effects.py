"""`functional` and `checked`, outside, inside, and under JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla

X = np.array([0.3, 1.2, -0.7])


def relax(x, state, factor=2.0):
    x *= factor
    x[0] = x[1] * x[2]
    state["n"] += 1
    state["log"].append(x[0])


def expected(x, factor=2.0):
    y = x * factor
    y[0] = y[1] * y[2]
    return y


def test_functional():
    x, state = X.copy(), {"n": 1, "log": []}
    result, (y, after) = pyxla.functional(relax)(x, state)
    assert result is None and state == {"n": 1, "log": []}
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(y, expected(X))
    assert after == {"n": 2, "log": [y[0]]}
    _, (y, _, factor) = pyxla.functional(relax)(x, state, factor=3.0)
    np.testing.assert_allclose(y, expected(X, 3.0))
    assert factor == 3.0

    @pyxla.compile
    def twice(x):
        _, (y, _) = pyxla.functional(relax)(x, {"n": 0, "log": []})
        return y + x

    np.testing.assert_allclose(twice(X), expected(X) + X)


def test_derivatives_of_functional():
    def loss(x):
        _, (y, _) = pyxla.functional(relax)(x, {"n": 0, "log": []})
        return (y * y).sum()

    a, b, c = X
    gradient = np.array([0, 8 * b + 32 * b * c * c, 8 * c + 32 * b * b * c])
    np.testing.assert_allclose(pyxla.grad(loss)(X), gradient)
    np.testing.assert_allclose(jax.grad(loss)(jnp.asarray(X)), gradient, rtol=1e-5)
    step = jax.jit(pyxla.functional(relax))
    _, (y, after) = step(jnp.asarray(X), {"n": 1, "log": []})
    np.testing.assert_allclose(y, expected(X), rtol=1e-6)
    assert int(after["n"]) == 2 and len(after["log"]) == 1


def safe_root(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x.sum()}")
    assert x[0] != 0.5, "half"
    return np.sqrt(x.sum()), x


def test_checked():
    f = pyxla.checked(safe_root)
    status, (y, z) = f(X)
    assert status == 0 and type(status) is int and y == pytest.approx(np.sqrt(0.8))
    np.testing.assert_array_equal(z, X)
    assert f(-X)[0] == 1 and f(np.full(3, 0.5))[0] == 2
    assert pyxla.checked(lambda x: x * 2)(3.0) == (0, 6.0)

    @pyxla.compile
    def count(xs):
        n = 0
        for x in xs:
            status, (y, _) = pyxla.checked(safe_root)(x)
            if status != 0:
                n += 1
        return n

    assert count(np.stack([X, -X, X, np.full(3, 0.5)])) == 2
    status, (y, _) = jax.jit(f)(jnp.asarray(X))
    assert int(status) == 0 and float(y) == pytest.approx(np.sqrt(0.8), rel=1e-6)
    assert int(jax.jit(f)(jnp.asarray(-X))[0]) == 1
    got = jax.grad(lambda x: f(x)[1][0])(jnp.asarray(X))
    np.testing.assert_allclose(got, 0.5 / np.sqrt(0.8), rtol=1e-6)

    def always(x):
        raise TypeError("no")

    assert pyxla.checked(always)(1.0) == (1, None)


def test_arguments_that_share_memory():
    def f(a, b):
        a += 1
        return b * 2

    x = X.copy()
    result, (a, b) = pyxla.functional(f)(x, x)
    np.testing.assert_allclose(result, 2 * (X + 1))
    assert a is b
    np.testing.assert_array_equal(x, X)
    result, (a, b) = pyxla.functional(f)(x, x.copy())
    np.testing.assert_allclose(result, 2 * X)
    for transform in (
        lambda: pyxla.functional(f)(x, x[::-1]),
        lambda: pyxla.vjp(f, x, x)[1](x),
        lambda: pyxla.jvp(f, (x, x[::-1]), (x, x)),
    ):
        with pytest.raises(pyxla.CompileError, match="in two places"):
            transform()
    _, pull = pyxla.vjp(f, x, x.copy())
    np.testing.assert_allclose(pull(X)[1], 2 * X)

    def flat(a):
        b = a.reshape(-1)
        b[0] = 7.0
        return a

    for order in "CF":
        given = np.asfortranarray(np.ones((2, 3))) if order == "F" else np.ones((2, 3))
        expected = flat(given.copy(order="K"))
        np.testing.assert_array_equal(pyxla.functional(flat)(given)[0], expected)
