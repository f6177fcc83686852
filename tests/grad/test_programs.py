"""Gradients of whole programs against central differences of CPython running them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from jax import lax

import pyxla
from pyxla import CompileError

X = np.array([0.3, 1.2, -0.7, 2.1, 0.4])


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def power_loop(x, n):
    """A loop whose length is known at run time only."""
    y = x
    for _ in range(n):
        y = np.sin(y) + 0.5 * x
    return y


def until(x, limit):
    steps = 0
    total = 0.0
    while total < limit and steps < 1000:
        total += x * x + 0.1
        steps += 1
        if total > 7.5:
            break
    return total * x


def nested(x, n):
    s = 0.0
    for i in range(n):
        y = x + i
        while y > 1.0:
            y = y * 0.5
        s += y * y
    return s


def guarded(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sqrt(x[i]) if x[i] > 0 else 0.0
    return s


def where_guard(x):
    return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 0.0)), 0.0))


def element_updates(x):
    a = x.copy()
    for i in range(1, a.shape[0]):
        a[i] = a[i] * np.sin(a[i - 1]) + a[i - 1]
    return a[-1] + a[2]


def mutates(x):
    x[1:] += x[:-1] * x[1:]
    x[0] = x[2] * 2.0
    return (x * x).sum()


def early_return(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0:
            return s * x[i]
        s += x[i] * x[i]
    return s


def ordered(x):
    y = np.sort(x)
    return y[0] * y[-1] + np.cumsum(y)[2] ** 2 + np.max(x) * np.median(x)


def multiplied_at(x):
    """Several factors at one place, and one that is not multiplied by."""
    a = np.stack([x, x + 1.0])
    np.multiply.at(a, ([0, 1, 0, 0, 1], [2, 3, 2, 2, 0]), x)
    np.multiply.at(a, [0, 0], x * x)
    return (a * a).sum()


def matrix(x):
    a = np.outer(x, x) + 3.0 * np.eye(x.shape[0])
    return np.linalg.solve(a, np.cos(x)).sum() + np.linalg.det(a) * 1e-3


def branches(x):
    if x.sum() > 0:
        y = np.exp(-x)
        z = y.sum()
        if z > 3:
            return (y * z).sum()
        return z
    return np.prod(x)


ARRAYS = [
    guarded,
    where_guard,
    element_updates,
    mutates,
    early_return,
    ordered,
    multiplied_at,
    matrix,
    branches,
    lambda x: np.prod(x) + np.linalg.norm(x),
    lambda x: np.mean(np.tanh(x)) / np.std(x),
    lambda x: np.interp(0.5, np.arange(5.0), x) + x[np.array([0, 0, 3])].prod(),
    lambda x: (np.abs(np.fft.fft(x)) ** 2).sum() + np.diff(x).prod(),
]


def differences(function: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    step, found = 1e-6, np.zeros_like(x)
    for at in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[at] += step
        behind[at] -= step
        found[at] = (function(ahead) - function(behind)) / (2 * step)
    return found


@pytest.mark.parametrize("function", ARRAYS, ids=lambda f: f.__name__)
def test_arrays(function: Any):
    given = X.copy()
    value, got = pyxla.value_and_grad(function)(given)
    np.testing.assert_array_equal(given, X)
    np.testing.assert_allclose(value, function(X.copy()), rtol=1e-9)
    np.testing.assert_allclose(got, differences(function, X), rtol=1e-5, atol=1e-6)


def power_of_eigenvectors(a):
    w, v = np.linalg.eig(a)
    return (v @ np.diag(w**2) @ np.linalg.inv(v)).real.sum()


def dominant_direction(a):
    w, v = np.linalg.eig(a)
    u = v[:, np.argmax(w.real)].real
    return (u[0] / u[1]) ** 2 + v[0, 0].real + 2 * v[1, 0].imag


def sum_of_real_parts(a):
    w = np.linalg.eigvals(a)
    return np.sort(w.real)[0] ** 2 + np.abs(w).sum()


WITH_SLOPES = "enable_eigvec_derivs" in inspect.signature(lax.linalg.eig).parameters


@pytest.mark.skipif(not WITH_SLOPES, reason="JAX has no derivatives of eigenvectors")
@pytest.mark.parametrize("function", [power_of_eigenvectors, dominant_direction, sum_of_real_parts])
@pytest.mark.parametrize("a", [[[2.0, 1.0], [0.5, 3.0]], [[0.0, 1.0], [-2.0, -0.5]]])
def test_eigenvalues_and_vectors_of_any_matrix(function: Any, a: Any):
    a = np.array(a)
    np.testing.assert_allclose(pyxla.grad(function)(a), differences(function, a), rtol=1e-5)
    rows = [differences(lambda b, at=at: pyxla.grad(function)(b)[at], a) for at in np.ndindex(2, 2)]
    curvature = np.reshape(rows, (2, 2, 2, 2))
    np.testing.assert_allclose(pyxla.hessian(function)(a), curvature, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "x", "other"),
    [
        (newton, 2.0, 1e-12),
        (newton, 1.0, 1e-3),
        (power_loop, 0.7, 0),
        (power_loop, 0.7, 1),
        (power_loop, 0.7, 3000),
        (until, 0.9, 5.0),
        (until, 0.9, 50.0),
        (until, 0.9, -1.0),
        (nested, 2.3, 6),
    ],
)
def test_scalars(function: Any, x: float, other: float):
    def central(step: float) -> float:
        return (function(x + step, other) - function(x - step, other)) / (2 * step)

    got = pyxla.grad(function)(x, other)
    assert type(got) is float or isinstance(got, np.floating)
    assert got == pytest.approx(central(1e-6), rel=1e-5, abs=1e-8)
    forward = pyxla.jvp(function, (x, other), (1.0, other * 0))[1]
    assert forward == pytest.approx(got, rel=1e-9)


def test_second_order_through_a_while():
    got = pyxla.grad(pyxla.grad(newton))(2.0, 1e-12)
    assert got == pytest.approx(-0.25 * 2**-1.5, rel=1e-6)
    third = pyxla.grad(lambda x: x**4.0)
    assert pyxla.grad(pyxla.grad(third))(1.5) == pytest.approx(24 * 1.5)


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@dataclass
class Model:
    layers: list
    scale: float
    count: int


def loss(model, x):
    for layer in model.layers:
        x = np.tanh(x @ layer.w + layer.b)
    return np.mean(x) * model.scale * model.count


def test_factors_at_one_place_may_be_zero():
    def product(x):
        a = np.ones(2)
        np.multiply.at(a, [1, 1, 1], x)
        return a[1]

    x = np.array([0.0, 3.0, 0.0])
    assert np.array_equal(pyxla.grad(product)(x), [0.0, 0.0, 0.0])
    assert np.array_equal(pyxla.hessian(product)(x), [[0, 0, 3], [0, 0, 0], [3, 0, 0]])


def test_gradient_has_the_type_of_the_argument():
    rng = np.random.default_rng(0)
    layers = [Layer(rng.standard_normal((3, 3)), np.zeros(3)) for _ in range(2)]
    model, x = Model(layers, 2.0, 3), rng.standard_normal((4, 3))
    value, got = pyxla.value_and_grad(loss)(model, x)
    assert value == pytest.approx(loss(model, x))
    assert type(got) is Model and type(got.layers[0]) is Layer and got.count == 0
    assert got.scale == pytest.approx(value / 2.0)

    def at(w: np.ndarray) -> float:
        return loss(Model([layers[0], Layer(w, layers[1].b)], 2.0, 3), x)

    np.testing.assert_allclose(got.layers[1].w, differences(at, layers[1].w), atol=1e-7)


def test_argnums_and_aux():
    def f(a, b):
        return a * b**2, {"twice": 2 * a}

    (value, aux), (da, db) = pyxla.value_and_grad(f, argnums=(0, "b"), has_aux=True)(2.0, 3.0)
    assert (value, aux, da, db) == (18.0, {"twice": 4.0}, 9.0, 12.0)


def test_texts_and_ranges_among_arguments_are_no_numbers():
    def f(model):
        return model["scale"] ** 2

    model = {"scale": 3.0, "name": "n" * 70, "steps": range(1, 3)}
    assert pyxla.grad(f)(model) == {**model, "scale": 6.0}


def test_pull_and_linearize():
    value, pull = pyxla.vjp(lambda x: np.sin(x) * 2, X)
    np.testing.assert_allclose(pull(X)[0], 2 * np.cos(X) * X)
    _, push = pyxla.linearize(lambda x: np.sin(x) * 2, X)
    np.testing.assert_allclose(push(X), 2 * np.cos(X) * X)
    np.testing.assert_allclose(value, 2 * np.sin(X))


@pytest.mark.parametrize(
    ("function", "argument", "words"),
    [
        (lambda x: x, X, "returns one real number"),
        (lambda n: n * 1.0, 3, "not floating point"),
        (lambda x: None, X, "functional"),
    ],
)
def test_refusals(function: Any, argument: Any, words: str):
    with pytest.raises(CompileError) as caught:
        pyxla.grad(function)(argument)
    assert words in str(caught.value)


def test_options_of_loops():
    def known(x):
        y = x
        for _ in range(100):
            y = np.sin(y) * 1.1 + 0.1 * x
        return y.sum()

    def unknown(x, n):
        y = x
        while n > 0:
            y = np.sin(y) * 1.1 + 0.1 * x
            n -= 1
        return y.sum()

    expected = pyxla.grad(known)(X)
    assert "4096" not in pyxla.code_typed(pyxla.grad(known), X)
    for snapshots in (1, 2, 5):
        options = {"residual_bytes": 0, "snapshots": snapshots}
        f, g = pyxla.compile(known, **options), pyxla.compile(unknown, **options)
        np.testing.assert_allclose(pyxla.grad(f)(X), expected, rtol=1e-10)
        np.testing.assert_allclose(pyxla.grad(g)(X, 100), expected, rtol=1e-10)
        np.testing.assert_allclose(pyxla.grad(g)(X, 9000), pyxla.grad(unknown)(X, 9000))
    inside = pyxla.compile(lambda x: pyxla.grad(known)(x), residual_bytes=0, snapshots=3)
    assert "f64[4,5]" in pyxla.code_typed(inside, X)
    np.testing.assert_allclose(inside(X), expected)
    for wrong in ({"snapshots": 0}, {"residual_bytes": -1}):
        with pytest.raises(CompileError, match="at least"):
            pyxla.compile(known, **wrong)


@pytest.mark.parametrize(
    "x, block", [(1.3, 4096), (np.linspace(0.5, 1.5, 200), 64)], ids=["number", "array"]
)
def test_a_loop_has_as_many_blocks_as_snapshots_or_more(x: Any, block: int):
    def unknown(x, n):
        y = x
        while n > 0:
            y = 0.999 * y + 0.001 * np.sin(y * x)
            n -= 1
        return np.sum(y)

    gradient = pyxla.grad(pyxla.compile(unknown, snapshots=2))
    for n in (0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 1, 3 * block + 1):
        _, tangent = pyxla.jvp(unknown, (x, n), (np.ones_like(x), 0))
        np.testing.assert_allclose(np.sum(gradient(x, n)), tangent, rtol=1e-10)


@pytest.mark.parametrize(
    "f, x, slope",
    [
        (np.linalg.norm, np.zeros(3), 0.0),
        (lambda x: np.linalg.norm(x, 3), np.zeros(3), 0.0),
        (lambda x: np.linalg.norm(np.outer(x, x)), np.zeros(2), 0.0),
        (lambda x: np.linalg.norm(x, axis=1).sum(), np.zeros((2, 3)), 0.0),
        (np.std, np.ones(3), 0.0),
        (lambda x: np.hypot(x[0], x[1]), np.zeros(2), 0.0),
        (lambda x: np.abs(x).sum(), np.zeros(2), 0.0),
        (np.max, np.ones(4), 0.25),
        (np.sqrt, 0.0, np.inf),
        (np.floor, 1.0, 0.0),
    ],
)
def test_where_there_is_no_derivative(f, x, slope):
    gradient = pyxla.grad(lambda x: f(x))(x)
    np.testing.assert_array_equal(gradient, np.full_like(x, slope))
    _, tangent = pyxla.jvp(lambda x: f(x), (x,), (np.ones_like(x),))
    np.testing.assert_array_equal(tangent, slope * np.size(x))
    if np.isfinite(slope):
        np.testing.assert_array_equal(pyxla.hessian(lambda x: f(x))(x), np.zeros(2 * np.shape(x)))
