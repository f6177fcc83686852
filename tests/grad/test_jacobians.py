"""`jacfwd`, `jacrev`, `hessian` against JAX on equal programs."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import CompileError

X = np.array([0.3, 1.2, -0.7])
M = np.arange(6.0).reshape(2, 3) / 5 + 0.1


PROGRAMS = {
    "vector": (lambda np: lambda x: np.sin(x) * x[0], (X,), {}),
    "matrix": (lambda np: lambda m: m @ m.T, (M,), {}),
    "scalars": (lambda np: lambda x: x**3, (2.0,), {}),
    "vector of a scalar": (lambda np: lambda t: np.stack([t * t, np.sin(t)]), (0.7,), {}),
    "scalar of a vector": (lambda np: lambda x: (x**3).sum(), (X,), {}),
    "two arguments": (
        lambda np: lambda a, b: a[:, None] * b * b.sum(),
        (X, X[:2] + 2),
        {"argnums": (0, 1)},
    ),
    "trees": (
        lambda np: lambda p: {"y": p["w"] @ p["x"], "z": (p["x"] ** 2).sum() * p["k"]},
        ({"w": M, "x": X, "k": 2.0},),
        {},
    ),
    "aux": (lambda np: lambda x: (x * x, {"s": x.sum()}), (X,), {"has_aux": True}),
    "empty": (lambda np: lambda x: x * 2, (X[:0],), {}),
    "one": (lambda np: lambda x: x * x, (X[:1],), {}),
    "single precision": (lambda np: lambda x: x * x.sum(), (X.astype("f4"),), {}),
    "holomorphic": (lambda np: lambda z: z * z * z[0], (X + 1j,), {"holomorphic": True}),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("which", ["jacfwd", "jacrev"])
def test_against_jax(name: str, which: str):
    make, args, options = PROGRAMS[name]
    with jax.enable_x64(True):
        expected = jax.jit(getattr(jax, which)(make(jnp), **options))(*args)
    got = getattr(pyxla, which)(make(np), **options)(*args)
    inside = pyxla.compile(lambda *xs: getattr(pyxla, which)(make(np), **options)(*xs))(*args)
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for a, b, c in zip(*map(jax.tree.leaves, (got, inside, expected)), strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-6, atol=1e-12)
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == c.dtype and np.shape(a) == c.shape


def rosenbrock(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


def test_hessian():
    expected = np.array(
        [
            [1200 * 0.09 - 400 * 1.2 + 2, -120, 0],
            [-120, 202 + 1200 * 1.44 + 400 * 0.7, -480],
            [0, -480, 200],
        ]
    )
    np.testing.assert_allclose(pyxla.hessian(rosenbrock)(X), expected)

    @pyxla.compile
    def newton(x):
        for _ in range(40):
            x = x - np.linalg.solve(pyxla.hessian(rosenbrock)(x), pyxla.grad(rosenbrock)(x))
        return x

    np.testing.assert_allclose(newton(X), np.ones(3), rtol=1e-9)

    def f(a, b):
        return (a * a * b).sum() * b[0]

    with jax.enable_x64(True):
        expected = jax.jit(jax.hessian(f, argnums=(0, 1)))(X, X + 3)
    got = pyxla.hessian(f, argnums=(0, 1))(X, X + 3)
    for row, other in zip(got, expected, strict=True):
        for a, b in zip(row, other, strict=True):
            np.testing.assert_allclose(a, b)


def test_kinds():
    got = pyxla.jacfwd(lambda x, n: {"n": n, "y": x * n, "none": None})(2.0, 3)
    assert got == {"n": 0, "y": 3.0, "none": None} and type(got["y"]) is float


def test_refusals():
    for f, x, words in (
        (lambda x: x * 2, X + 1j, "holomorphic"),
        (lambda n: n, 3, "not floating point"),
    ):
        with pytest.raises(CompileError, match=words):
            pyxla.jacfwd(f)(x)


TRANSFORMED = (pyxla.grad, pyxla.value_and_grad, pyxla.jacfwd, pyxla.jacrev, pyxla.hessian)
TRANSFORMED += (pyxla.vmap, pyxla.functional, pyxla.checked)


@pytest.mark.parametrize("transformation", TRANSFORMED, ids=lambda t: t.__name__)
def test_what_is_transformed_again_is_not_compiled_again(transformation):
    def cube(x):
        return x**3

    assert transformation(cube) is transformation(cube)
    assert transformation(cube) is not transformation(lambda x: x**3)
    assert pyxla.grad(transformation(cube)) is pyxla.grad(transformation(cube))


@dataclass(frozen=True)
class Times:
    factor: object

    def __call__(self, x):
        return x * self.factor


def test_what_is_equal_is_another_function():
    x = np.arange(3)
    whole, real = pyxla.vmap(Times(2))(x), pyxla.vmap(Times(2.0))(x)
    assert (whole.dtype, real.dtype) == (np.int64, np.float64)
    bound = Times(3)
    assert pyxla.vmap(bound.__call__) is pyxla.vmap(bound.__call__)
