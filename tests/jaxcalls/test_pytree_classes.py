"""Instances of classes registered with JAX, and functions that JAX's own functions call."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import pyxla
from tests.jaxcalls.test_calls import check

X = jnp.arange(6.0).reshape(3, 2)
V = jnp.arange(5.0)


@jax.tree_util.register_pytree_node_class
class Linear:
    """Two arrays, and a number that is part of the structure."""

    def __init__(self, w: Any, b: Any, n: Any) -> None:
        self.w, self.b, self.n = w, b, n

    def __call__(self, x: Any) -> Any:
        return (x @ self.w + self.b) * self.n

    def loss(self, x: Any) -> Any:
        return jnp.mean(self(x) ** 2)

    def tree_flatten(self) -> Any:
        return (self.w, self.b), self.n

    @classmethod
    def tree_unflatten(cls, n: Any, children: Any) -> Any:
        return cls(*children, n)


@jax.tree_util.register_pytree_node_class
class Slotted:
    __slots__ = ("a", "k")

    def __init__(self, a: Any, k: Any) -> None:
        self.a, self.k = a, k

    def tree_flatten(self) -> Any:
        return (self.a,), self.k

    @classmethod
    def tree_unflatten(cls, k: Any, children: Any) -> Any:
        return cls(children[0], k)


@partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["n", "name"])
@dataclass
class Scaled:
    w: Any
    n: float
    name: str = "scaled"


LINEAR = Linear(jnp.ones((2, 3)), jnp.zeros(3), 2)


def used(layer, x):
    return layer(x), layer.w.size, layer.n, layer


def descent(layer, x):
    value, slope = jax.value_and_grad(Linear.loss)(layer, x)
    same = jax.tree.structure(slope) == jax.tree.structure(layer)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, layer, slope), same


def rebuilt(layer, x):
    rows, structure = jax.tree.flatten(layer)
    stacked = jax.tree.map(lambda *a: jnp.stack(a), layer, layer)
    return jax.tree.unflatten(structure, [2 * row for row in rows]), stacked


def carried(layer, x):
    def step(c, row):
        slope = jax.grad(lambda c: jnp.sum(c(row) ** 2))(c)
        return jax.tree.map(lambda p, g: p - 0.01 * g, c, slope), c.b.sum()

    def grown(c):
        return c[0] + 1, jax.tree.map(lambda a: a + 1.0, c[1])

    return lax.scan(step, layer, x), lax.while_loop(lambda c: c[0] < 3, grown, (0, layer))


def chosen(layer, x):
    return lax.cond(x.sum() > 3, lambda c: jax.tree.map(lambda a: a * 2, c), lambda c: c, layer)


def slots(s):
    slope = jax.grad(lambda s: jnp.sum(s.a**2) * s.k)(s)
    return jax.tree.map(lambda a, b: a + b, s, slope)


def meta(layer, x):
    value, slope = jax.value_and_grad(lambda c: jnp.sum(c.w * x * c.n))(layer)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, layer, slope)


def test_instances_of_registered_classes() -> None:
    for function in (used, descent, rebuilt, carried, chosen):
        check(function, LINEAR, X)
    check(slots, Slotted(V, 3))
    check(meta, Scaled(V, 2.5), V)


def test_registered_classes_under_jax() -> None:
    loss = pyxla.compile(lambda layer, x: layer.loss(x))
    expected = jax.grad(Linear.loss)(LINEAR, X)
    for slope in (jax.grad(loss)(LINEAR, X), pyxla.grad(loss)(LINEAR, X)):
        assert type(slope) is Linear and slope.n == 2
        np.testing.assert_allclose(slope.w, expected.w, rtol=1e-5)


@jax.jit
def jitted(a, b):
    return a * b + 1


def reductions(x):
    return lax.reduce(x, 0.0, lax.add, (0,)), lax.reduce(x, 0.0, operator.add, (0,))


def scans(x):
    return lax.associative_scan(jnp.add, x), lax.associative_scan(jitted, x)


def leaves_added(x):
    return jax.tree.reduce(jnp.add, [x, (x, x + 1)]), jnp.multiply.accumulate(x)


def test_functions_of_jax_are_passed_on() -> None:
    for function in (reductions, scans, leaves_added):
        check(function, V)


own = pyxla.compile(lambda a, b: a + b)
GIVEN = [
    lambda x: lax.reduce(x, 0.0, lambda a, b: a + b, (0,)),
    lambda x: lax.associative_scan(own, x),
    lambda x: jnp.vectorize(lambda a: a + 1)(x),
    lambda x: jnp.piecewise(x, [x < 2], [lambda a: -a, lambda a: a]),
]


@pytest.mark.parametrize("function", GIVEN)
def test_functions_of_the_program_are_refused(function) -> None:
    with pytest.raises(pyxla.CompileError, match="of JAX does not take functions of the prog") as e:
        pyxla.compile(function)(V)
    assert e.value.lineno == function.__code__.co_firstlineno and "jax.jit" in str(e.value.hint)


def printing(x):
    jax.debug.print("{x}", x=x)
    return x


def making(x):
    return jax.nn.initializers.normal(0.1)(jax.random.key(0), (2,)) + x[:2]


@pytest.mark.parametrize(("function", "why"), [(printing, "calls Python"), (making, "returns a f")])
def test_what_is_no_code_of_arrays_is_refused(function, why) -> None:
    with pytest.raises(pyxla.CompileError, match=why):
        pyxla.compile(function)(V)


# --- carries of numbers --------------------------------------------------------------------------


def counted(x):
    def step(c, row):
        return (c[0] + (row.sum() > 2), c[1] + row.sum()), c

    return lax.scan(step, (0, 0), x)


def looped(x):
    total = lax.fori_loop(0, 3, lambda i, c: c + x.sum(), 0)
    return total, lax.while_loop(lambda c: c < 3, lambda c: c + (x[0, 1] > 0), 0)


def at_numbers(x, i):
    return x.at[:, i].add(1), x.at[i, i - 1].set(0), x.at[i:, 0].mul(5)


def test_numbers_in_carries_are_promoted_as_jax_does() -> None:
    check(counted, X)
    check(looped, X)
    check(at_numbers, X, 1)


def test_scans_over_rows_of_different_lengths_raise() -> None:
    with pytest.raises(ValueError, match="different leading axis sizes"):
        pyxla.compile(lambda x: lax.scan(lambda c, r: (c, c), 0.0, (x, x[:2])))(X)
    with pytest.raises(ValueError, match="`length` argument"):
        pyxla.compile(lambda x: lax.scan(lambda c, r: (c, c), 0.0, x, length=2))(X)
