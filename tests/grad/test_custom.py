"""Derivatives that users state, checkpoints, and stopped gradients; JAX on equal programs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import CompileError

X = np.array([0.3, 1.2, -0.7])


@pyxla.custom_jvp
def log1pexp(x):
    return np.log(1.0 + np.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + np.exp(x))) * t


@pyxla.custom_vjp
def clipped(x, limit):
    return x


def _clipped_fwd(x, limit):
    return clipped(x, limit), limit


def _clipped_bwd(limit, ct):
    return np.clip(ct, -limit, limit), None


clipped.defvjp(_clipped_fwd, _clipped_bwd)


@pyxla.custom_jvp
def power(x, n):
    return x**n


power.defjvps(lambda t, y, x, n: n * x ** (n - 1) * t, None)


def _scaled(f: Any, x: Any) -> Any:
    return f(x) * 2


def stable(np: Any, log1pexp: Any) -> Any:
    return lambda x: log1pexp(x).sum() + log1pexp(x * 2).prod()


def test_custom_jvp():
    x = np.array([800.0, 0.5, -3.0])
    got = pyxla.grad(lambda v: log1pexp(v).sum())(x)
    np.testing.assert_allclose(got, 1 / (1 + np.exp(-x)))

    def f(v):
        return (log1pexp(v) * v).sum()

    with jax.enable_x64(True):
        softplus = jax.nn.softplus
        first, second = (
            jax.grad(lambda v: (softplus(v) * v).sum())(X),
            jax.hessian(lambda v: (softplus(v) * v).sum())(X),
        )
    np.testing.assert_allclose(pyxla.grad(f)(X), first)
    np.testing.assert_allclose(pyxla.hessian(f)(X), second)
    np.testing.assert_allclose(pyxla.jacrev(pyxla.grad(f))(X), second)
    third = pyxla.grad(lambda v: pyxla.grad(lambda w: pyxla.grad(log1pexp)(w))(v))
    s = 1 / (1 + np.exp(-0.7))
    assert third(0.7) == pytest.approx(s * (1 - s) * (1 - 2 * s))
    assert pyxla.compile(log1pexp)(0.7) == pytest.approx(np.log1p(np.exp(0.7)))
    assert log1pexp(0.7) == np.log(1.0 + np.exp(0.7))
    np.testing.assert_allclose(pyxla.jvp(log1pexp, (X,), (X,))[1], X / (1 + np.exp(-X)))


def test_custom_vjp():
    def f(x):
        return (clipped(x, 1.5) ** 2).sum()

    np.testing.assert_allclose(pyxla.grad(f)(X), np.clip(2 * X, -1.5, 1.5))
    np.testing.assert_array_equal(pyxla.compile(clipped)(X, 1.0), X)
    with pytest.raises(CompileError, match="reverse rule only"):
        pyxla.jacfwd(f)(X)

    @pyxla.compile
    def loop(x):
        total = np.zeros(3)
        for i in range(3):
            if x[0] < 10:
                total += pyxla.grad(lambda v, i=i: (clipped(v * i, 1.0) ** 2).sum())(x)
        return total

    expected = sum(i * np.clip(2 * X * i, -1, 1) for i in range(3))
    np.testing.assert_allclose(loop(X), expected)


def test_reverse_rules_of_reverse_rules():
    @pyxla.custom_vjp
    def cube(x):
        return x * x * x

    def fwd(x):
        return cube(x), x

    def bwd(x, ct):
        return (5 * cube(x) * ct,)

    cube.defvjp(fwd, bwd)
    assert pyxla.grad(cube)(2.0) == 40.0
    assert pyxla.grad(pyxla.grad(cube))(2.0) == 200.0
    assert pyxla.grad(pyxla.grad(pyxla.grad(cube)))(2.0) == 1000.0
    compiled = pyxla.compile(cube)
    assert jax.grad(jax.grad(compiled))(2.0) == 200.0

    @pyxla.custom_vjp
    def through(x):
        return np.sin(x)

    through.defvjp(lambda x: (np.sin(x), np.cos(x) * x), lambda r, ct: (r * ct,))
    x = 0.7
    second = pyxla.grad(pyxla.grad(through))(x)
    assert second == pytest.approx(np.cos(x) - x * np.sin(x))


def test_custom_functions_under_loops_and_branches():
    def program(np, softplus):
        def f(x):
            y = x
            for _ in range(4):
                y = softplus(y) if np is jnp or y.sum() < 100 else y
            return y.sum()

        return f

    with jax.enable_x64(True):
        expected = jax.grad(program(jnp, jax.nn.softplus))(X)

    def dynamic(x, n):
        y = x
        while n > 0:
            y = log1pexp(y)
            n -= 1
        return y.sum()

    np.testing.assert_allclose(pyxla.grad(program(np, log1pexp))(X), expected)
    np.testing.assert_allclose(pyxla.grad(dynamic)(X, 4), expected)

    def with_vjp(x, n):
        y = x
        for _ in range(n):
            y = clipped(y * 1.5, 0.1)
        return (y * y).sum()

    ct = 2 * X * 1.5**4
    for _ in range(4):
        ct = np.clip(ct, -0.1, 0.1) * 1.5
    np.testing.assert_allclose(pyxla.grad(with_vjp)(X, 4), ct)


def test_trees_nondiff_arguments_and_keywords():
    @pyxla.custom_vjp
    def layer(params, x, scale=2.0):
        return {"y": params["w"] * x * scale, "n": 3}

    def fwd(params, x, scale):
        return layer(params, x, scale), (params, x, scale)

    def bwd(res, ct):
        params, x, scale = res
        return {"w": ct["y"] * x * scale * 10}, ct["y"] * params["w"] * scale, 0.0

    layer.defvjp(fwd, bwd)

    def f(params, x):
        out = layer(params, scale=3.0, x=x)
        return (out["y"] * out["n"]).sum() + layer(params, x)["y"].sum()

    got = pyxla.grad(f, argnums=(0, 1))({"w": X}, X + 1)
    np.testing.assert_allclose(got[0]["w"], 110 * (X + 1))
    np.testing.assert_allclose(got[1], 11 * X)

    @pyxla.custom_jvp
    def apply(function, x):
        return function(x)

    apply = pyxla.custom_jvp(apply.__wrapped__, nondiff_argnums=(0,))

    @apply.defjvp
    def _(function, primals, tangents):
        return function(*primals), tangents[0] * 7

    a = 2.0
    assert pyxla.grad(lambda x: apply(lambda v: v * a, x))(3.0) == 7.0
    assert pyxla.grad(lambda x: power(x, 3) * 2)(2.0) == 24.0
    assert pyxla.compile(lambda x: apply(lambda v: v * x, x))(3.0) == 9.0
    with pytest.raises(CompileError, match="differentiated value from outside"):
        pyxla.grad(lambda x: apply(lambda v: v * x, x))(3.0)


def test_refusals():
    @pyxla.custom_vjp
    def nothing(x):
        return x * 2

    with pytest.raises(CompileError, match="no derivative rule") as caught:
        pyxla.grad(nothing)(1.0)
    assert "test_custom.py" in str(caught.value)
    nothing.defvjp(lambda x: (nothing(x), x), lambda x, ct: (ct, ct))
    with pytest.raises(CompileError, match="must return 1 cotangents, not 2"):
        pyxla.grad(nothing)(1.0)
    nothing.defvjp(lambda x: (nothing(x), x), lambda x, ct: (np.ones(3),))
    with pytest.raises(CompileError, match="must have the type"):
        pyxla.grad(nothing)(1.0)
    nothing.defvjp(lambda x: nothing(x), lambda x, ct: (ct,))
    with pytest.raises(CompileError, match="must return"):
        pyxla.grad(nothing)(1.0)


def test_raises_inside():
    @pyxla.custom_jvp
    def root(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return np.sqrt(x)

    @root.defjvp
    def _(primals, tangents):
        return root(*primals), 0.5 / np.sqrt(primals[0]) * tangents[0]

    nothing = pytest.raises(CompileError, match="raises")
    with nothing:
        pyxla.grad(root)(4.0)

    @root.defjvp
    def _(primals, tangents):
        y = np.sqrt(primals[0])
        return y, 0.5 / y * tangents[0]

    assert pyxla.grad(root)(4.0) == 0.25
    with pytest.raises(ValueError, match="negative: -4.0"):
        pyxla.grad(root)(-4.0)


def test_stop_gradient():
    def f(x):
        return (x * pyxla.stop_gradient(x * x)).sum()

    np.testing.assert_allclose(pyxla.grad(f)(X), X * X)
    np.testing.assert_allclose(pyxla.compile(f)(X), f(X))
    np.testing.assert_allclose(pyxla.jvp(f, (X,), (X,))[1], (X**3).sum())

    def g(p):
        q = pyxla.stop_gradient({"a": p["a"], "n": 3, "t": (p["b"], "s")})
        return p["a"] * q["a"] * q["n"] * q["t"][0] + p["b"]

    assert pyxla.grad(g)({"a": 2.0, "b": 5.0}) == {"a": 30.0, "b": 1.0}

    def h(x):
        y = pyxla.stop_gradient(x)
        y += 1
        return (x * y).sum()

    np.testing.assert_allclose(pyxla.grad(h)(X), X + 1)
    x = X.copy()
    h(x)
    np.testing.assert_array_equal(x, X)


def test_checkpoint():
    def block(x, w):
        for _ in range(3):
            x = np.tanh(x * w + x)
        return x

    def loss(w, wrap):
        f = pyxla.checkpoint(block) if wrap else block
        x = w
        for _ in range(3):
            x = f(x, w)
        return (x * x).sum()

    plain, again = (pyxla.grad(loss)(X, wrap) for wrap in (False, True))
    np.testing.assert_allclose(again, plain)
    text = pyxla.code_typed(pyxla.grad(loss), X, True)
    assert "optimization_barrier" in text
    np.testing.assert_allclose(pyxla.hessian(loss)(X, True), pyxla.hessian(loss)(X, False))
    np.testing.assert_allclose(pyxla.compile(loss)(X, True), loss(X, True))

    @pyxla.checkpoint
    def checked(x):
        if x > 3:
            raise ValueError("too large")
        return x * x * x

    assert pyxla.grad(checked)(2.0) == 12.0
    with pytest.raises(ValueError, match="too large"):
        pyxla.grad(checked)(4.0)
