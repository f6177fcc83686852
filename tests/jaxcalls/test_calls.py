"""Calls of `jax.*` in compiled code: what CPython computes with JAX itself."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import pyxla

X = jnp.arange(4.0)
TREE = {"w": X, "b": (X + 1, [X * 2])}


def check(function: Any, *args: Any) -> None:
    """Compiled, `function` returns what it does with JAX: values, dtypes and structure."""
    found, expected = pyxla.compile(function)(*args), function(*args)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-5, atol=1e-6)
        if isinstance(y, jax.Array) and not y.weak_type:
            assert x.dtype == y.dtype


# --- trees ---------------------------------------------------------------------------------------


def descend(tree, gradient, rate):
    return jax.tree.map(lambda x, g: x - rate * g, tree, gradient)


def reduced(tree):
    total = jax.tree.reduce(lambda s, x: s + x.sum(), tree, 0.0)
    return total, len(jax.tree.leaves(tree)), jax.tree.structure(tree).num_leaves


def taken_apart(tree):
    rows, structure = jax.tree.flatten(tree)
    named = jax.tree_util.tree_map_with_path(lambda path, x: x * len(path), tree)
    return jax.tree.unflatten(structure, [jnp.sin(x) for x in rows]), named


def stops_at_tuples(tree):
    return jax.tree.map(lambda x: len(x), tree, is_leaf=lambda x: isinstance(x, tuple))


def same_objects(x):
    (y,) = jax.tree.map(lambda z: z, [x])
    return y is x


def test_trees() -> None:
    check(descend, TREE, TREE, 0.5)
    check(reduced, TREE)
    check(taken_apart, TREE)
    check(stops_at_tuples, [(X, X), (X,)])
    check(same_objects, X)


@jax.tree_util.register_dataclass
@dataclass
class Layer:
    w: Any
    b: Any


class Pair(NamedTuple):
    first: Any
    second: Any


def test_trees_of_classes() -> None:
    check(descend, Layer(X, [X]), Layer(X, [X]), 0.5)
    check(descend, Pair(X, Layer(X, None)), Pair(X, Layer(X, None)), 0.5)


def test_mismatched_trees_are_refused_at_the_line() -> None:
    with pytest.raises(pyxla.CompileError, match=r"jax\.tree\.map: .*\n.*jax\.tree\.map"):
        pyxla.compile(descend)(TREE, {"w": X}, 0.5)


# --- control flow --------------------------------------------------------------------------------


def branches(x, i):
    a = lax.cond(x.sum() > 3, lambda z: z + i, jnp.cos, x)
    b = lax.cond(i > 1, lambda _: x + 1, lambda _: x * 2, operand=None)
    return a, b, lax.switch(i, [lambda z: z + 1, lambda z: z - a, jnp.sin], x)


@pytest.mark.parametrize("i", [-3, 0, 1, 2, 9])
def test_branches(i: int) -> None:
    check(branches, X, i)


def loops(x, n):
    a = lax.while_loop(lambda c: c[1] < n, lambda c: (c[0] * 2, c[1] + 1), (x, 0))
    b = lax.fori_loop(0, n, lambda i, c: c + i * x, x)
    c = lax.fori_loop(0, n, lambda i, c: c + x[0] + i, 0.0)
    d = lax.fori_loop(2, n, lambda i, c: {"s": c["s"] + 1, "v": c["v"] * x}, {"v": x, "s": 0})
    return a, b, c, d


@pytest.mark.parametrize("n", [0, 1, 5])
def test_loops(n: int) -> None:
    check(loops, X, n)


def scans(w, rows):
    def step(h, row):
        h = jnp.tanh(w * h + row)
        return h, h.sum()

    def nested(c, row):
        return lax.scan(lambda s, x: (s + x, (s, {"p": s * x})), c, row)

    last = lax.scan(step, jnp.zeros(4), rows)
    counted = lax.scan(lambda c, _: (c + 1, c), w, None, length=3)
    backwards = lax.scan(lambda c, s: (c + s["a"], c), 0.0, {"a": w}, reverse=True)
    return last, counted, backwards, lax.scan(nested, 0.0, rows), lax.map(lambda r: r * 2, rows)


def test_scans() -> None:
    check(scans, X, jnp.ones((5, 4)) * 0.3)
    check(scans, X, jnp.ones((0, 4)))


def loss_of_scan(w, rows):
    return lax.scan(lambda h, row: (jnp.tanh(w * h + row), None), rows[0], rows)[0].sum()


def test_gradient_of_scan() -> None:
    rows = jnp.ones((5, 4)) * 0.3
    found = pyxla.grad(loss_of_scan)(X, rows)
    np.testing.assert_allclose(found, jax.grad(loss_of_scan)(X, rows), rtol=1e-4)


def growing(x):
    return lax.fori_loop(0, 3, lambda i, c: jnp.concatenate([c, c]), x)


def other_structure(x):
    return lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0], c[1], 0), (x, 0))


def other_type(x):
    return lax.fori_loop(0, 3, lambda i, c: c + 0.5, jnp.arange(3))


@pytest.mark.parametrize("function", [growing, other_structure, other_type])
def test_carries_keep_their_types(function: Any) -> None:
    with pytest.raises(TypeError):
        function(X)
    with pytest.raises(TypeError, match="carry"):
        pyxla.compile(function)(X)


def test_length_of_a_loop_does_not_change_its_module() -> None:
    def times(x, n):
        return lax.fori_loop(0, n, lambda i, c: c * 0.5 + i, x)

    few, many = (len(pyxla.code_stablehlo(times, X, pyxla.static[n])) for n in (10, 10_000_000))
    assert many - few < 50


# --- transformations ------------------------------------------------------------------------------


def cube(x):
    return (x**3).sum()


def wave(x):
    return jnp.sin(x) * x.sum()


@jax.custom_jvp
def bent(x):
    return jnp.maximum(x, 0)


bent.defjvp(lambda p, t: (bent(p[0]), t[0] * (p[0] > 0) * 2))


def derivatives(x):
    y, dy = jax.jvp(wave, (x,), (jnp.ones_like(x),))
    z, back = jax.vjp(wave, x)
    return (
        *(jax.grad(cube)(x), jax.value_and_grad(cube)(x), y, dy, z, back(dy)),
        *(jax.jacfwd(wave)(x), jax.jacrev(wave)(x), jax.hessian(cube)(x)),
        *(jax.grad(jax.checkpoint(cube))(x), jax.grad(lambda z: bent(z).sum())(x)),
        jax.grad(lambda z: (lax.stop_gradient(z) * z).sum())(x),
        jax.grad(fun=lambda z, y: (z * y).sum(), argnums=(0, 1), allow_int=False)(x, x + 1),
    )


def loss(p, x):
    return ((x @ p["w"] + p["b"]) ** 2).mean(), x.sum()


def with_aux(p, x):
    return jax.value_and_grad(loss, has_aux=True)(p, x)


@functools.partial(jax.jit, static_argnums=1)
def powered(x, n):
    return x**n


def jitted(x):
    return powered(x, 3) + jax.jit(lambda z: z * 2, inline=True)(x)


def test_transformations() -> None:
    check(derivatives, X)
    check(with_aux, {"w": X, "b": jnp.float32(1)}, jnp.ones((3, 4)))
    check(jitted, X)


def test_options_that_are_not_supported() -> None:
    with pytest.raises(pyxla.CompileError, match=r"holomorphic of jax\.grad"):
        pyxla.compile(lambda x: jax.grad(cube, holomorphic=True)(x))(X)


class Moments(NamedTuple):
    m: Any
    v: Any


def adam(p, x, n):
    s = Moments(jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p))
    for t in range(n):
        g = jax.grad(lambda p: loss(p, x)[0])(p)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, s.m, g)
        v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, s.v, g)
        step = jax.tree.map(lambda a, b: 0.1 * a / (jnp.sqrt(b) + 1e-8) / 10, m, v)
        p, s = jax.tree.map(lambda a, b: a - b, p, step), Moments(m, v)
    return p


@pytest.mark.parametrize("n", [0, 6])
def test_training_loop(n: int) -> None:
    check(adam, {"w": X, "b": jnp.float32(1)}, jnp.ones((3, 4)), n)


# --- x.at ----------------------------------------------------------------------------------------


def updates(x, i):
    y = x.at[1].set(9.0).at[2:].add(1.0)
    y = y.at[jnp.array([0, 0])].add(2.0)
    out = y.at[i].set(7.0), y.at[i].get(), y.at[jnp.array([0, 9])].multiply(2, mode="drop")
    return y, out, y.at[i].mul(2).at[2].max(100.0), y.at[x > 1].set(0), y.at[0].apply(jnp.sin)


def updates_of_slices(x, n):
    for i in range(n):
        x = x.at[i : i + 2].set(float(i)).at[:i].add(1.0)
    return x


@pytest.mark.parametrize("i", [0, 3, -1, 17])
def test_at(i: int) -> None:
    check(updates, X, i)


def test_at_with_slices_known_at_run_time() -> None:
    check(updates_of_slices, X, 3)


# --- typed keys -----------------------------------------------------------------------------------


def drawn(key, n):
    keys = jax.random.split(key, 3)
    out = [jax.random.normal(k, (2,)) for k in keys]
    for k in keys:
        out.append(jax.random.uniform(k))

    def step(k, x):
        k, sub = jax.random.split(k)
        return k, x + jax.random.normal(sub)

    last, rows = lax.scan(step, key, jnp.arange(3.0))
    total = lax.scan(lambda c, k: (c + jax.random.normal(k), None), 0.0, keys)[0]
    for i in range(n):
        key = jax.random.fold_in(key, i)
    more = jax.vmap(lambda k: jax.random.normal(k))(keys), jax.random.key_data(last)
    facts = keys.shape, len(keys), keys.ndim, keys.size, keys[1:].shape, keys.reshape(1, 3).shape
    return out, rows, total, more, jax.random.key_data(key), facts


def from_seed(seed):
    key, other = jax.random.split(jax.random.key(seed))
    return jax.random.normal(jax.random.fold_in(key, 3), (3,)), jax.random.bits(other)


def advanced(key, n):
    for _ in range(n):
        key, _ = jax.random.split(key)
    return key


class Source:
    def __init__(self, key):
        self.key = key

    def draw(self):
        self.key, key = jax.random.split(self.key)
        return jax.random.normal(key)


def test_typed_keys() -> None:
    check(drawn, jax.random.key(1), 4)
    check(drawn, jax.random.key(1, impl="rbg"), 4)
    check(from_seed, 5)


@pytest.mark.parametrize("n", [0, 3])
def test_typed_keys_come_back(n: int) -> None:
    found, expected = pyxla.compile(advanced)(jax.random.key(1), n), advanced(jax.random.key(1), n)
    assert found.dtype == expected.dtype
    assert (jax.random.key_data(found) == jax.random.key_data(expected)).all()
    one, other = Source(jax.random.key(2)), Source(jax.random.key(2))
    total = pyxla.compile(lambda s: s.draw() + s.draw())(one)
    np.testing.assert_allclose(total, other.draw() + other.draw(), rtol=1e-6)
    assert (jax.random.key_data(one.key) == jax.random.key_data(other.key)).all()


def test_typed_keys_under_jax() -> None:
    compiled = pyxla.compile(lambda key: advanced(key, 2))
    key = jax.random.key(4)
    found = jax.jit(compiled)(key)
    assert (jax.random.key_data(found) == jax.random.key_data(advanced(key, 2))).all()
    keys = jax.random.split(key, 3)
    rows = jax.vmap(lambda k: jax.random.key_data(compiled(k)))(keys)
    assert (rows[1] == jax.random.key_data(advanced(keys[1], 2))).all()


# --- dtypes ---------------------------------------------------------------------------------------


def made(x, t):
    y = jnp.ones(3), jnp.arange(3), jnp.asarray(0.5), jnp.sin(t), x + jnp.ones(4)
    return *y, jax.random.uniform(jax.random.PRNGKey(0), (2,)), jnp.zeros(2, jnp.int8)


def test_what_jax_makes_follows_the_setting_of_64_bits() -> None:
    compiled = pyxla.compile(made)
    for wide in (False, True, False):
        with jax.enable_x64(wide):
            found, expected = compiled(X, 0.5), made(X, 0.5)
        for x, y in zip(found, expected, strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, rtol=1e-6)


def test_arrays_keep_64_bits() -> None:
    x = np.array([0.1, 0.2])
    found = pyxla.compile(lambda x: jnp.sin(x))(x)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, np.sin(x), rtol=1e-15)


def test_arrays_of_doubles_are_computed_with_doubles():
    """Also the constants of JAX's functions, and results that follow a carry that gets wider."""
    x = np.array([0.3, 1.1])
    gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(pyxla.compile(lambda x: jax.nn.gelu(x))(x), gelu, rtol=1e-14)
    carry, before = pyxla.compile(lambda x: jax.lax.scan(lambda c, v: (c + v, c), 0.0, x))(x)
    assert (carry, before.dtype, before[1]) == (0.3 + 1.1, np.float64, 0.3)
    few = pyxla.compile(lambda x: jax.lax.scan(lambda c, v: (c + v, c), 0.0, x))(np.float32(x))
    assert few[1].dtype == np.float32


def test_numbers_that_jax_must_know_are_known():
    compiled = pyxla.compile(lambda n, x: (jnp.arange(n) * x, jnp.zeros((n, 2)).shape))
    for n in (3, 5):
        made, shape = compiled(n, np.float64(2.0))
        assert list(made) == [2.0 * i for i in range(n)] and shape == (n, 2)
    with pytest.raises(pyxla.CompileError, match="an argument of arange must be known"):
        pyxla.compile(lambda x: jnp.arange(int(x.sum())))(np.ones(3))
