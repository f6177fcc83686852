"""Compiled functions under JAX's own derivatives, against the same programs in jax.numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import CompileError

X = np.array([0.3, 1.2, -0.7], np.float32)
TRANSFORMS = {
    "grad": lambda f, x: jax.grad(f)(x),
    "value_and_grad": lambda f, x: jax.value_and_grad(f)(x),
    "jit of grad": lambda f, x: jax.jit(jax.grad(f))(x),
    "grad of jit": lambda f, x: jax.grad(jax.jit(f))(x),
    "jvp": lambda f, x: jax.jvp(f, (x,), (2 * x,)),
    "vjp": lambda f, x: jax.vjp(f, x)[1](jnp.ones((), x.dtype)),
    "linearize": lambda f, x: jax.linearize(f, x)[1](x),
    "grad of grad": lambda f, x: jax.grad(lambda v: jax.grad(f)(v) @ x)(x),
    "jvp of grad": lambda f, x: jax.jvp(jax.grad(f), (x,), (x,)),
    "scan": lambda f, x: jax.grad(
        lambda v: jax.lax.scan(lambda c, _: (c + f(c * v) * v, None), v, length=3)[0].sum()
    )(x),
    "checkpoint": lambda f, x: jax.grad(jax.checkpoint(f))(x),
}


def loop(np: Any) -> Any:
    def f(x):
        y = x
        for _ in range(4):
            y = np.sin(y) * x
        return (y * y).sum()

    return f


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name: str, x64: bool):
    with jax.enable_x64(x64):
        x = jnp.asarray(X, jnp.float64 if x64 else jnp.float32)
        got = TRANSFORMS[name](pyxla.compile(loop(np)), x)
        expected = jax.jit(lambda x: TRANSFORMS[name](loop(jnp), x))(x)
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5)
        assert a.dtype == b.dtype


@jax.tree_util.register_dataclass
@dataclass
class Params:
    w: Any
    b: Any


@pytest.mark.optimized  # sums that nearly cancel: LLVM contracts those of both alike
def test_trees_whiles_and_integers():
    @pyxla.compile
    def f(params, x, n):
        y, i = x, 0
        while i < n and np.abs(y).sum() < 50:
            y = np.tanh(y @ params.w + params.b) * 1.5
            i += 1
        return (y * y).sum(), i

    def g(params, x, n):
        y = x
        for _ in range(n):
            y = jnp.tanh(y @ params.w + params.b) * 1.5
        return (y * y).sum(), n

    params = Params(jnp.asarray(np.outer(X, X)), jnp.ones(3))
    expected, n = jax.jit(jax.grad(g, has_aux=True), static_argnums=2)(params, X, 3)
    for wrap in (lambda f: f, jax.jit):
        got = wrap(jax.grad(f, has_aux=True))(params, X, jnp.int32(3))
        np.testing.assert_allclose(got[0].w, expected.w, rtol=1e-4)
        np.testing.assert_allclose(got[0].b, expected.b, rtol=1e-4)
        assert int(got[1]) == n
    zero = jax.grad(lambda p, x, n: f(p, x, n)[0], argnums=2, allow_int=True)
    assert zero(params, X, jnp.int32(3)).dtype == jax.dtypes.float0


def test_rules_of_users_hold():
    @pyxla.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, ct: (np.clip(ct, -1, 1),))

    @pyxla.custom_jvp
    def odd(x):
        return np.sin(x)

    @odd.defjvp
    def _(primals, tangents):
        return odd(*primals), 3 * odd(*primals) * tangents[0]

    f = pyxla.compile(lambda x: (clipped(x) ** 2).sum() + pyxla.stop_gradient(x).sum())
    np.testing.assert_allclose(jax.grad(f)(X), np.clip(2 * X, -1, 1))
    with pytest.raises(CompileError, match="reverse rule only"):
        jax.jvp(f, (X,), (X,))
    g = pyxla.compile(lambda x: odd(x).sum())
    np.testing.assert_allclose(jax.grad(g)(X), 3 * np.sin(X), rtol=1e-6)
    twice = jax.grad(lambda x: jax.grad(g)(x).sum())
    np.testing.assert_allclose(twice(X), 9 * np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(g, (X,), (X,))[1], (3 * np.sin(X) * X).sum(), rtol=1e-5)


def test_derivatives_inside_and_outside():
    def energy(x):
        return (x**4).sum()

    force = pyxla.compile(lambda x: -pyxla.grad(energy)(x))
    got = jax.grad(lambda x: force(x).sum())(X)
    np.testing.assert_allclose(got, -12 * X**2, rtol=1e-6)
    got = jax.grad(lambda x: pyxla.grad(energy)(x).sum())(X)
    np.testing.assert_allclose(got, 12 * X**2, rtol=1e-6)
    assert jax.grad(pyxla.compile(lambda x: x * x))(3.0) == 6.0


def test_transposition():
    a = np.arange(9.0, dtype=np.float32).reshape(3, 3)
    f = pyxla.compile(lambda x: a @ x * 2)
    (got,) = jax.linear_transpose(f, X)(X)
    np.testing.assert_allclose(got, 2 * a.T @ X, rtol=1e-6)


def test_refusals():
    @pyxla.compile
    def mutates(x):
        x[0] = 2.0
        return x.sum()

    @pyxla.compile
    def raises(x):
        assert x.sum() > 0
        return x.sum()

    for f, words in ((mutates, "jax.Array cannot be changed"), (raises, "pyxla.checked")):
        with pytest.raises(CompileError, match=words):
            jax.jit(jax.grad(f))(X)


@jax.enable_x64(True)
def test_integers_beside_what_is_differentiated():
    x = X.astype(np.float64)
    f = pyxla.compile(lambda x, n: (x * n).sum())
    for n in (3, np.int32(3), np.array([1, 2, 3]), True):
        _, pull = jax.vjp(f, x, n)
        dx, dn = pull(jnp.float64(1))
        np.testing.assert_allclose(dx, x * 0 + n)
        assert dn.dtype == jax.dtypes.float0
    assert jax.grad(f, argnums=(0, 1), allow_int=True)(x, 3)[1].dtype == jax.dtypes.float0
    for n in (3.0, np.float64(3)):
        np.testing.assert_allclose(jax.vjp(f, x, n)[1](jnp.float64(1))[1], x.sum())


def test_options_reach_the_reverse():
    def f(x):
        for _ in range(50):
            x = np.sin(x) * x
        return x.sum()

    x, texts = jnp.asarray(X), {}
    for limit in (0, 1 << 30):
        compiled = pyxla.compile(f, residual_bytes=limit, snapshots=7)
        batched = jax.grad(lambda at, g=compiled: jax.vmap(g)(at).sum())
        for name, derivative in (("grad", jax.grad(compiled)), ("vmap", batched)):
            reverse, at = jax.jit(derivative), x if name == "grad" else x[None]
            texts[name, limit] = reverse.lower(at).as_text()
            np.testing.assert_allclose(reverse(at).ravel(), pyxla.grad(f)(np.asarray(x)), rtol=1e-4)
    # Eight states in snapshots, one of them of no use, instead of fifty residuals.
    assert "tensor<50x3xf32>" in texts["grad", 1 << 30] not in texts["grad", 0]
    for name in ("grad", "vmap"):
        assert "tensor<8x" in texts[name, 0] and "tensor<8x" not in texts[name, 1 << 30]


NUMBERS = {
    "one": lambda a: a * a,
    "two": lambda a: (a * a, a * 3),
    "of two": lambda a, b: a * b,
    "kinds": lambda a: a * a if a > 0 else 0,
    "five": lambda a, b, c: [a + b, a * b, b * c, c - a, a * b * c],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_under_transformations(name):
    """Python's numbers, which JAX traces as weak scalars, several in and several out."""
    plain, compiled = NUMBERS[name], pyxla.compile(NUMBERS[name])
    given = (2.0, 3.0, 5.0)[: plain.__code__.co_argcount]

    def leaves(f):
        return lambda *xs: jax.tree.leaves(f(*xs))

    def ones(f):
        return [1.0] * len(f(*given))

    transforms = [
        lambda f: jax.jit(f)(*given),
        lambda f: jax.grad(lambda *xs: sum(f(*xs)))(*given),
        lambda f: jax.vjp(f, *given)[1]([jnp.asarray(o) for o in ones(f)]),
        lambda f: jax.jvp(f, given, given),
        lambda f: jax.lax.scan(lambda c, x: (c * 0.5, f(c, *given[1:])), 2.0, length=3),
        lambda f: jax.checkpoint(f)(*given),
        lambda f: jax.grad(lambda *xs: jax.grad(lambda *ys: sum(f(*ys)))(*xs))(*given),
        lambda f: jax.vmap(f)(*[jnp.arange(1.0, 4.0) * g for g in given]),
    ]
    for transform in transforms:
        if name == "kinds" and transform is transforms[-1]:
            continue  # JAX has no branch on what it maps
        same = (lambda a: a * a) if name == "kinds" else plain
        expected = jax.jit(lambda t=transform, f=same: t(leaves(f)))()
        got = transform(leaves(compiled))
        jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, 1e-5), got, expected)


def trajectory(x, n):
    states = [x]
    for _ in range(n):
        states.append(np.sin(states[-1]))
    return np.array(states).sum()


def test_a_list_grows_as_often_as_an_int_among_the_arguments_says():
    def expected(x, n):
        states = [x]
        for _ in range(n):
            states.append(jnp.sin(states[-1]))
        return jnp.array(states).sum()

    f, slope = pyxla.compile(trajectory), jax.jit(jax.grad(expected), static_argnums=1)
    for n in (0, 3, 30):
        np.testing.assert_allclose(jax.grad(f)(X, n), slope(X, n), rtol=1e-5)
        jitted = jax.jit(jax.grad(lambda x, n=n: f(x, n)))
        np.testing.assert_allclose(jitted(X), slope(X, n), rtol=1e-5)
    with pytest.raises(CompileError, match="the value of argument 1 must be known"):
        jax.jit(jax.grad(pyxla.compile(trajectory)))(X, 3)


@pyxla.compile
def logarithm(x):
    if x.min() < 0:
        raise ArithmeticError(f"{x.min():.1f} of {x[0] * 2}")
    return np.log(x).sum()


@pyxla.compile
def halves(x):
    found = [x]
    while np.abs(found[-1]).max() > 1e-3:
        found.append(found[-1] / 2)
    return np.array(found).sum()


EAGER = [name for name in TRANSFORMS if name not in ("scan", "checkpoint") and "jit" not in name]


@pytest.mark.parametrize(
    ("name", "x64"), [*[(name, True) for name in EAGER], ("grad", False), ("jvp", False)]
)
def test_what_differentiates_but_does_not_compile_raises(name: str, x64: bool):
    with jax.enable_x64(x64):
        x = jnp.asarray(np.abs(X), jnp.float64 if x64 else jnp.float32)
        got = TRANSFORMS[name](logarithm, x)
        expected = jax.jit(lambda x: TRANSFORMS[name](lambda x: jnp.log(x).sum(), x))(x)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5)
        with pytest.raises(ArithmeticError, match=r"^-1.2 of 0\.[56]\d*(\n|$)"):
            TRANSFORMS[name](logarithm, x * jnp.asarray([1, -1, 1], x.dtype))
        turns = int(np.ceil(np.log2(1.2 / 1e-3))) + 1
        got = TRANSFORMS[name](pyxla.compile(halves.__wrapped__, list_capacity=4), x)
        expected = TRANSFORMS[name](lambda x: (2 - 0.5 ** (turns - 1)) * x.sum(), x)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5)


def test_what_compiles_cannot_raise():
    with pytest.raises(CompileError, match=r"may raise ArithmeticError \(.*test_under_jax.py:\d+"):
        jax.jit(jax.grad(logarithm))(X)
    with pytest.raises(
        CompileError, match=r"data says how much room is needed \(.*:\d+"
    ) as refusal:
        jax.jit(jax.grad(halves))(X)
    assert "array of a known size" in str(refusal.value)


def test_names_that_loops_add_to_hold_jax_arrays_in_the_first_turn():
    def drift(x, v, n):
        before = x
        for _ in range(n):
            old = x
            for _ in range(2):
                x += v  # a new array once, then in place: `old` is x from the second turn on
                v *= 0.5
            x -= 0.25 * old
        return (x * before).sum() + v.sum()

    def expected(x, v, n):
        y = x
        for turn in range(n):
            old = y
            for _ in range(2):
                y, v = y + v, v * 0.5
            y = y - 0.25 * (old if turn == 0 else y)
        return (y * x).sum() + v.sum()

    f = pyxla.compile(drift)
    for n in (0, 1, 4):
        slope = np.ones(3, np.float32)
        got = jax.value_and_grad(f, argnums=(0, 1))(X, X, n)
        want, wanted = jax.value_and_grad(expected, argnums=(0, 1))(jnp.asarray(X), X, n)
        np.testing.assert_allclose(got[0], want, rtol=1e-5)
        np.testing.assert_allclose(got[1], wanted, rtol=1e-5)
        tangent = jax.jvp(lambda x, n=n: f(x, X.copy() + 0 * x, n), (X,), (slope,))[1]
        np.testing.assert_allclose(tangent, wanted[0].sum(), rtol=1e-4)

    @pyxla.compile
    def written(x, n):
        for _ in range(n):
            x[0] = 3.0
        return x.sum()

    with pytest.raises(CompileError, match="cannot be changed in place"):
        jax.grad(written)(X, 3)
