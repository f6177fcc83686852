"""Loops over small arrays, which XLA:CPU compiles to one function as calls that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
import pytest

import pyxla
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import array_type
from pyxla.lower.cpu import small
from pyxla.ops.computation import apply, build_region
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare, select
from pyxla.ops.evaluate import evaluate
from pyxla.ops.shape import constant
from tests.ops.harness import close, run, types_of
from tests.ops.samples import samples_of

COUNT = array_type(np.dtype(np.int64), ())


MANY = 24  # samples in a loop: loops of one sample each take XLA several times as long


def looped(op: Op, samples: Sequence[tuple[Any, dict[str, Any]]]) -> Region:
    """`op` three times in a loop from which XLA cannot move it, for each of the samples."""

    def whole(limit: Value, *params: Value) -> Sequence[Value]:
        first = results(op, samples, params)
        state = (constant(value=np.int64(0)), limit, *params, *map(zeros, first))

        def body(i: Value, limit: Value, *state: Value) -> tuple[Value, ...]:
            known, given = compare(i, limit, direction="LT"), state[: len(params)]
            made = results(op, samples, [select(known, x, zeros(x)) for x in given])
            return (add(i, constant(value=np.int64(1))), limit, *given, *made)

        def proceed(i: Value, *_: Value) -> Value:
            return compare(i, constant(value=np.int64(3)), direction="LT")

        types = [value.type for value in state]
        regions = (current().region(types, proceed), current().region(types, body))
        return current().emit(while_, state, {}, regions)[2 + len(params) :]

    return build_region([COUNT, *types_of([x for xs, _ in samples for x in xs])], whole)


def results(op: Op, samples: Sequence[tuple[Any, Any]], params: Sequence[Value]) -> list[Value]:
    """What `op` makes of each sample's operands."""
    given, found = iter(params), []
    for operands, attrs in samples:
        made = apply(op, *[next(given) for _ in operands], **attrs)
        found += made if isinstance(made, tuple) else (made,)
    return found


def zeros(like: Value) -> Value:
    return constant(value=np.zeros(like.type.shape, like.type.dtype))


def loops(region: Region) -> list[Instr]:
    return [instr for instr in region.instrs if instr.op is while_]


HELD = {op.name: op for op in small._HELD - {while_}}


@pytest.mark.parametrize("name", sorted(HELD))
def test_a_function_computes_the_op(name: str):
    """XLA's emitter for functions has code for all that is held: other code ends the process."""
    op = HELD[name]
    held = [x for x in samples_of(op) if small.is_small(*loops(looped(op, [x])))]
    assert held
    for samples in [held[i : i + MANY] for i in range(0, len(held), MANY)]:
        region = looped(op, samples)
        for instr in loops(region):
            small._mark_held(instr)
        given = [np.array(5), *[x for operands, _ in samples for x in operands]]
        with np.errstate(all="ignore"):
            for got, want in zip(run(region, given), evaluate(region, given), strict=True):
                assert close(got, want), (name, got, want)


def conjugate_gradients(a, b, tolerance):
    """Products, reductions, a branch that leaves."""
    x, r = np.zeros(b.shape, b.dtype), b
    p, rr = r, r @ r
    for _ in range(4 * len(b)):
        q = a @ p
        curvature = p @ q
        if curvature <= 0:
            break
        x = x + rr / curvature * p
        r = r - rr / curvature * q
        new = r @ r
        if np.sqrt(new) < tolerance:
            break
        p = r + new / rr * p
        rr = new
    return x


def replaced(a, b, n: int):
    """What the loop starts from may not matter to it."""
    for i in range(n):
        a = b * (i + 0.5) + np.outer(b, b)[i]
    return a.sum()


def replaced_once(a, b):
    return replaced(a[0], b, 1)


def exchanged(a, b, n: int):
    x, y = a[0], b
    for _ in range(n):
        x, y = y @ a, x * 0.5 + np.concatenate((y[1:], y[:1]))
    return x, y, a, b


def written(a, b, n: int):
    """Rows of an array of the caller's."""
    for i in range(n):
        a[i] = np.where(b > a[i], b, a[i - 1]) / (1 + np.abs(a[i]).max())
        b += a[:, i]


def nested(a, b, n: int):
    total = 0.0
    for i in range(n):
        y = b * a[i]
        while np.abs(y).max() > 0.5:
            y = np.tanh(a @ y) / 2
        total += np.exp(y[::-1]).sum() + a[:, i].min()
    return total


def raises(a, b, n: int):
    for i in range(n):
        b = a @ b
        if np.abs(b).max() > 1e3:
            raise ValueError(f"too large in turn {i}")
    return b


def gathered(a, b, n: int):
    order = np.argsort(b)
    for i in range(n):
        b = a[order, i] + b[order] * (order % 2 == 0)
    return b


def matrix(dtype: Any = np.float64) -> np.ndarray:
    a = np.random.default_rng(0).normal(size=(12, 12))
    return (a @ a.T / 12 + np.eye(12)).astype(dtype)


def vector(dtype: Any = np.float64) -> np.ndarray:
    return np.random.default_rng(1).normal(size=12).astype(dtype)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (conjugate_gradients, (1e-9,)),
    (replaced, (0,)),
    (replaced, (5,)),
    (replaced_once, ()),
    (exchanged, (0,)),
    (exchanged, (1,)),
    (exchanged, (6,)),
    (written, (7,)),
    (nested, (9,)),
    (raises, (3,)),
    (gathered, (5,)),
]


@pytest.mark.optimized
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("function", "rest"), CASES)
def test_as_cpython(function: Callable[..., Any], rest: tuple[Any, ...], dtype: Any):
    given, expected = [(matrix(dtype), vector(dtype), *rest) for _ in range(2)]
    tolerance = 1e-9 if dtype == np.float64 else 2e-4

    def compare(x: Any, y: Any) -> None:
        assert getattr(x, "dtype", type(x)) == getattr(y, "dtype", type(y))
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)

    jax.tree.map(compare, pyxla.compile(function)(*given), function(*expected))
    jax.tree.map(compare, given, expected)


@pytest.mark.optimized
def test_raises():
    with pytest.raises(ValueError, match="too large in turn"):
        pyxla.compile(raises)(3 * matrix(), vector(), 30)


@pytest.mark.optimized
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", [conjugate_gradients, nested])
def test_under_jit(function: Callable[..., Any], dtype: Any):
    """Where JAX takes no options."""
    a, b = matrix(dtype), vector(dtype)
    last = 1e-3 if function is conjugate_gradients else 5
    compiled = pyxla.compile(function)
    with jax.enable_x64(True):
        got = jax.jit(lambda a, b: compiled(a, b, last))(a, b)
    np.testing.assert_allclose(got, function(a, b, last), rtol=1e-3, atol=1e-3)


def calls(function: Callable[..., Any], *args: Any) -> int:
    return pyxla.code_stablehlo(function, *args).count("xla_cpu_small_call")


def test_the_outermost_loop_is_one_function():
    assert calls(conjugate_gradients, matrix(), vector(), 1e-9) == 1
    assert calls(nested, matrix(), vector(), 9) == 1


def powers(a, n: int):
    for _ in range(n):
        a = a @ a / 2
    return a


def normalized(b, n: int):
    for _ in range(n):
        b = b / np.sqrt(1 + np.exp(b).sum() + b.max() + b.min() + b.prod() + b.var() + b.std())
    return b


def looked_up(b, n: int):
    """A table is a constant in the loop, with which nothing is computed."""
    table = np.linspace(0, 1, 300)
    for i in range(n):
        b = np.tanh(b[::-1] * table[i % 300] + b.sum())
    return b


def test_constants_are_no_work():
    b = np.linspace(-1, 1, 100)
    np.testing.assert_allclose(pyxla.compile(looked_up)(b, 40), looked_up(b, 40), rtol=1e-9)
    assert calls(looked_up, b, 40) == 1


def test_what_is_not():
    """Products of large matrices are library calls; kernels over many elements are as quick."""
    assert calls(powers, matrix(), 5) == 0
    assert calls(powers, matrix()[:10, :10], 5) == 1
    assert calls(normalized, np.ones(100), 5) == 1
    assert calls(normalized, np.ones(3000), 5) == 0


def filtered(x, n: int):
    """A Kalman filter's covariances, and products of a batch of matrices."""
    f, p, m = np.array([[1.0, 0.1], [0.0, 1.0]]), np.eye(2), np.ones((3, 2, 2))
    total = 0.0
    for i in range(n):
        p = f @ p @ f.T + x[0] * np.eye(2)
        k = p[:, 0] / (p[0, 0] + x[1])
        p = p - np.outer(k, p[0])
        m = np.tanh(np.einsum("bij,kj->bki", m, p) - m @ m)
        total += np.log(p[0, 0] + x[1]) + m[0, 1, 0] ** 2
    return total


@pytest.mark.optimized
@pytest.mark.parametrize("n", [1, 40])
def test_products_of_small_matrices_are(n: int):
    x = np.array([0.3, 0.7])
    rows = np.eye(2) * 1e-6
    want = [(filtered(x + e, n) - filtered(x - e, n)) / 2e-6 for e in rows]
    np.testing.assert_allclose(pyxla.compile(filtered)(x, n), filtered(x, n), rtol=1e-12)
    np.testing.assert_allclose(pyxla.grad(filtered)(x, n), want, rtol=1e-5)
    assert calls(filtered, x, n) == 1
    assert calls(pyxla.grad(filtered), x, n) == 2


@pytest.mark.optimized
def test_derivatives_in_loops_are():
    """The reverse of a loop inside a loop is part of its function."""

    def energy(x):
        total = 0.0
        for i in range(1, len(x)):
            total = total + np.sin(x[i] - x[i - 1]) ** 2 + 0.1 * x[i] ** 4
        return total

    def descend(x, n: int):
        for _ in range(n):
            x = x - 0.1 * pyxla.grad(energy)(x)
        return x

    x = vector()
    got = pyxla.compile(descend)(x, 20)
    want = x
    for _ in range(20):
        slope = [
            (energy(want + 1e-6 * e) - energy(want - 1e-6 * e)) / 2e-6 for e in np.eye(len(want))
        ]
        want = want - 0.1 * np.array(slope)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-8)
    assert calls(descend, x, 20) == 1
