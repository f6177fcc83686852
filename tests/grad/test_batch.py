"""`pyxla.vmap` against a loop over the elements in CPython, stacked."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from tests.compare import difference

RNG = np.random.default_rng(3)
X = RNG.standard_normal((4, 3))
V = np.array([1.0, 2.0, 0.25, 9.0])
N = np.array([3, 0, 5, 1])


def lane(x: Any, axes: Any, i: int) -> Any:
    """One element of arguments along the axes, which are as deep as they are."""
    if axes is None:
        return copy.deepcopy(x)
    if isinstance(axes, int):
        if isinstance(x, dict):
            return {key: lane(item, axes, i) for key, item in x.items()}
        if isinstance(x, tuple | list):
            items = [lane(item, axes, i) for item in x]
            return items if isinstance(x, list) else made_like(x, items)
        taken = np.take(x, i, axes) if isinstance(x, np.ndarray) else x
        return taken.copy() if np.ndim(taken) else taken
    keys = axes if isinstance(axes, dict) else range(len(axes))
    items = {key: lane(x[key], axes[key], i) for key in keys}
    return items if isinstance(x, dict) else type(x)(items.values())


def made_like(x: tuple[Any, ...], items: list[Any]) -> Any:
    return x._make(items) if hasattr(x, "_make") else tuple(items)


def stacked(rows: list[Any], axis: int) -> Any:
    first = rows[0]
    if first is None:
        return None
    if isinstance(first, tuple | list):
        items = [stacked([row[k] for row in rows], axis) for k in range(len(first))]
        return items if isinstance(first, list) else made_like(first, items)
    if isinstance(first, dict):
        return {key: stacked([row[key] for row in rows], axis) for key in first}
    return np.stack(rows, axis)


def looped(function: Any, args: Any, axes: Any, size: int, out_axis: int = 0) -> Any:
    each = axes if isinstance(axes, tuple) else (axes,) * len(args)
    return stacked(
        [function(*[lane(x, a, i) for x, a in zip(args, each, strict=True)]) for i in range(size)],
        out_axis,
    )


def check(function: Any, *args: Any, in_axes: Any = 0, out_axes: int = 0, size: int = 4) -> None:
    before = copy.deepcopy(args)
    want = looped(function, args, in_axes, size, out_axes)
    got = pyxla.vmap(function, in_axes, out_axes)(*args)
    assert not difference(got, want)
    assert not difference(args, before)
    inside = pyxla.compile(lambda *xs: pyxla.vmap(function, in_axes, out_axes)(*xs))
    assert not difference(inside(*args), want)


class Pair(NamedTuple):
    left: Any
    right: Any


# --- straight-line code, axes, containers ---------------------------------------------------------


def test_axes():
    grid = RNG.standard_normal((2, 4, 3))
    check(lambda r: r * 2 + r.sum(), X)
    check(lambda r: (r.sum(), r, 1.5, 2, True, None, r.astype("f4")), X)
    check(lambda r, s: np.outer(r, s), X, X)
    check(lambda r, s: r @ s, grid, X, in_axes=(1, 0))
    check(lambda r, k: r * k, X, 3.0, in_axes=(0, None))
    check(lambda r, n: r[:n], X, 2, in_axes=(0, None))
    check(lambda r: r.T, grid, in_axes=-2, out_axes=-1)
    check(lambda r: r + 1, grid, in_axes=1, out_axes=1)
    check(lambda r, s: r + s[0] * s[1]["a"], X, [V, {"a": V}], in_axes=(0, [0, {"a": 0}]))
    check(lambda p: Pair(p.right, p.left + 1), Pair(X, V))
    check(lambda p: [p[0] + p[1].sum()], (X, V), in_axes=((0, None),))


def test_axes_of_results_and_names():
    got = pyxla.vmap(lambda r, *, k: (r + k, r, 2.0), out_axes=(1, {}.get(0), None), in_axes=None)
    with pytest.raises(ValueError, match="in_axes has nothing but None"):
        pyxla.vmap(lambda r: r, in_axes=None)(X)
    many, same, two = got(X[0], k=V)
    np.testing.assert_array_equal(many, X[0][:, None] + V)
    assert same.shape == (3,) and two == 2.0 and type(two) is float
    filled = pyxla.vmap(lambda: (np.zeros(2), 1), axis_size=3)()
    assert filled[0].shape == (3, 2) and filled[1].tolist() == [1, 1, 1]


@dataclasses.dataclass
class Body:
    mass: float
    at: np.ndarray

    def moved(self, by):
        return Body(self.mass * 2, self.at + by * self.mass)


def test_objects():
    made = pyxla.vmap(lambda b, d: b.moved(d), in_axes=(0, None))(Body(V, X), 0.5)
    assert isinstance(made, Body)
    np.testing.assert_allclose(made.mass, V * 2)
    np.testing.assert_allclose(made.at, X + 0.5 * V[:, None])
    one = pyxla.vmap(lambda b: b.at * b.mass, in_axes=(Body(None, 0),))(Body(2.0, X))
    np.testing.assert_allclose(one, X * 2)


def test_refusals_of_axes():
    def message(call: Callable[[], Any], kind: type[Exception] = ValueError) -> str:
        with pytest.raises(kind) as caught:
            call()
        assert isinstance(caught.value, CompileError)
        return caught.value.message

    add = pyxla.vmap(lambda a, b: a + b)
    assert "different sizes to be mapped: 4 (axis 0 of 'a'), 3 (axis 0 of" in message(
        lambda: add(X, X[:3])
    )
    assert "'b' along axis 0, which needs 1 dimension(s)" in message(lambda: add(X, 2.0))
    assert "it has 1, there are 2" in message(lambda: pyxla.vmap(max, (0,))(V, V))
    assert "tree prefix" in message(lambda: pyxla.vmap(lambda x: x, ((0, 0),))(X))
    assert "differs between elements" in message(lambda: pyxla.vmap(lambda x: x, 0, None)(X))
    assert "out_axes of vmap is 2" in message(lambda: pyxla.vmap(lambda x: x, 0, 2)(V))
    assert "must be an int" in message(lambda: pyxla.vmap(max, "0"), TypeError)
    text = message(lambda: pyxla.vmap(lambda x: "a")(V), CompileError)
    assert "returns a str, and there is no array of these" in text
    text = message(lambda: pyxla.vmap(lambda x: x if x > 1 else None)(V), CompileError)
    assert "returns None for some elements" in text
    text = message(lambda: pyxla.vmap(lambda r: r[r > 0])(X), CompileError)
    assert "size depends on data" in text
    text = message(lambda: pyxla.vmap(lambda r: print(r))(X), CompileError)
    assert "print inside of a function given to vmap" in text


# --- control flow ---------------------------------------------------------------------------------


def newton(x):
    y, n = x, 0
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
        n += 1
    return y, n


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 20:
            break
    return steps, n


def branchy(x):
    if x > 2:
        return x * 2
    if x > 0.5:
        return np.sqrt(x)
    return -1.0


def guarded_loop(x):
    """In other lanes the loop would not end."""
    steps = 0
    if x > 1:
        while x > 1:
            x -= 0.5
            steps += 1
    return x, steps


def same_loop_under_a_branch(x, k):
    """A loop that is the same in every lane, and endless where the branch is not taken."""
    total = 0.0
    if x > 1:
        while k != 3:
            k = k - 1 if x < 0 else k + 1
            total += x
    return total


def nested_loops(n):
    total = 0
    for i in range(n):
        j = i
        while j > 0:
            total += j
            j -= 2
    return total


def fill(n):
    a = np.zeros(6)
    i = 0
    while i < n:
        a[i] = i + 1
        a[i + 1] += a[i] * 0.5
        i += 1
    return a, i


def insertion_sort(row):
    a = row.copy()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def table(row, n):
    t = np.zeros((4, 4))
    for i in range(4):
        for j in range(n):
            t[i, j] = row[i % 3] * j + (t[i - 1, j] if i else 0.0)
    return t


def scattered(row, n):
    a = np.zeros(5)
    k = 0
    while k < n:
        a[np.array([0, 2, 4])] += row
        k += 1
    return a


def cases(n):
    match n % 4:
        case 0:
            return 1.0
        case 1:
            return n * 2.0
        case 2:
            return -1.0
    return float(n)


def exchanged(n, x):
    """The counter of the loop is the same in all lanes; what is exchanged is not."""
    other, i = 7, 0
    while i < 3:
        n, other = other, n
        i += 1
    return n, other, x


def search(row, x):
    for i in range(len(row)):
        if row[i] > x:
            return i
    return -1


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (newton, (V,)),
        (collatz, (N + 6,)),
        (branchy, (V,)),
        (guarded_loop, (V,)),
        (nested_loops, (N,)),
        (fill, (np.array([3, 0, 5, 1]),)),
        (insertion_sort, (X,)),
        (scattered, (X, N)),
        (table, (X, np.array([3, 0, 4, 1]))),
        (cases, (N,)),
        (exchanged, (N, V)),
        (search, (X, V - 1)),
        (lambda x: math.floor(x) if x > 1 else math.ceil(x * 10), (V,)),
    ],
)
def test_control_flow(function: Any, args: Any):
    check(function, *args)


def test_loops_that_are_not_taken():
    check(same_loop_under_a_branch, V, 0, in_axes=(0, None))
    assert pyxla.vmap(same_loop_under_a_branch, (0, None))(V * 0, 5).tolist() == [0.0] * 4

    def long(x):
        total = 0.0
        if x > 100:
            for i in range(10**12):
                total += i
        return total

    assert pyxla.vmap(long)(V).tolist() == [0.0] * 4


def test_invariants_stay_single():
    """A counter and what is computed from it have no lanes, though the loop ends by lane."""

    def f(row, x):
        i = 0
        while i < 3 and row[i] < x:
            i += 1
        return i

    def g(row, x):
        """Where it is written to is the same in both branches."""
        t = np.zeros(8)
        for i in range(6):
            if row[i % 3] < x:
                t[i + 1] = t[i] + 1
            else:
                t[i + 1] = row[i % 3]
        return t

    for function in (f, g):
        check(function, X, V)
        text = pyxla.vmap(function).lower(X, V).text("regions")
        assert "gather" not in text and "scatter" not in text


# --- exceptions and mutation ----------------------------------------------------------------------


def checked_root(x, y):
    if x < 0:
        raise ValueError(f"negative: {x}", x)
    if y == 3:
        raise AssertionError("three")
    total = 0
    while total < y:
        total += 1
        if total > 4:
            raise OverflowError(total)
    return np.sqrt(x)


def test_the_first_exception():
    for x, y in (
        (V, N - 1),
        (V * [1, -1, 1, -1], N - 1),
        (V * [1, -1, 1, -1], N),
        (V, N + 2),
        (V, np.array([0, 9, 3, 9])),
    ):
        want: Any = None
        try:
            want = looped(checked_root, (x, y), 0, 4)
        except Exception as error:  # noqa: BLE001
            want = error
        try:
            got: Any = pyxla.vmap(checked_root)(x, y)
        except Exception as error:  # noqa: BLE001
            got = error
        assert not difference(got, want)
    with pytest.raises(KeyError, match="always"):
        pyxla.vmap(always)(V)


def always(x):
    raise KeyError("always")


def test_lists_of_numbers():
    """Such as are kept as arrays, and such as grow."""

    def counted(row):
        counts = [0] * 20
        for x in row:
            counts[int(abs(x) * 5)] += 1
        return counts

    def picked(numbers, k):
        numbers[k] = numbers[k] * 2
        return numbers[3], numbers[k]

    check(counted, X)
    check(lambda row: [a * b for a, b in zip(row, row[::-1], strict=True)], X)
    check(picked, [V + k for k in range(20)], np.array([0, 19, 3, 4]))


def test_numbers_of_several_kinds():
    """Together they have the type that holds them all."""
    check(lambda x: x if x > 1 else 0, V)
    check(lambda x: 1 if x > 1 else 0.5, V)
    check(lambda x: (1 if x > 1 else True, [x if x > 1 else 2.0]), V)


def test_errors_of_checks():
    pick = pyxla.compile(lambda row, i: row[i] if i < 7 else 0.0, checks=True)
    good = pyxla.vmap(pick)(X, np.array([0, 2, 7, 1]))
    assert good.tolist() == [X[0, 0], X[1, 2], 0.0, X[3, 1]]
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        pyxla.vmap(pick)(X, np.array([0, 8, 5, 6]))


def test_copies():
    def f(row, out):
        row[0] = row[1]
        out += row
        return out

    check(f, X, np.ones(3), in_axes=(0, None))


# --- transformations of each other ----------------------------------------------------------------


def loss(w, x):
    h = np.tanh(x @ w)
    if h.sum() > 0.5:
        h = h * 2
    return (h * h).sum()


W = RNG.standard_normal((3, 2))


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_with_derivatives():
    each = pyxla.vmap(pyxla.grad(loss), (None, 0))(W, X)
    close(each, np.stack([pyxla.grad(loss)(W, x) for x in X]))
    total = pyxla.grad(lambda w, x: pyxla.vmap(loss, (None, 0))(w, x).sum())(W, X)
    close(total, each.sum(0))
    root = pyxla.vmap(pyxla.grad(lambda x: newton(x)[0]))(V + 1)
    close(root, 0.5 / np.sqrt(V + 1))
    root = pyxla.grad(lambda v: pyxla.vmap(newton)(v)[0].sum())(V + 1)
    close(root, 0.5 / np.sqrt(V + 1))
    hessians = pyxla.vmap(pyxla.hessian(lambda r: (r**3).sum() * r[0]))(X)
    close(hessians[1], pyxla.hessian(lambda r: (r**3).sum() * r[0])(X[1]))
    _, along = pyxla.jvp(pyxla.vmap(branchy), (V,), (np.ones(4),))
    close(along, [pyxla.jvp(branchy, (v,), (1.0,))[1] for v in V])
    rows = pyxla.grad(lambda x: (pyxla.vmap(insertion_sort)(x) * np.arange(3.0)).sum())(X)
    close(rows, np.argsort(np.argsort(X, 1), 1))


def squares(row, n):
    a, i = np.zeros(3), 0
    while i < n:
        a[i] = row[i] ** 2 + (a[i - 1] if i else 0.0)
        i += 1
    return a.sum()


def test_derivatives_of_loops_of_lanes():
    n = np.array([0, 3, 1, 2])
    want = np.stack([pyxla.grad(squares)(x, k) for x, k in zip(X, n.tolist(), strict=True)])
    close(pyxla.vmap(pyxla.grad(squares))(X, n), want)
    close(pyxla.grad(lambda x: pyxla.vmap(squares)(x, n).sum())(X), want)
    second = pyxla.hessian(lambda v: pyxla.vmap(newton)(v)[0].sum())(V + 1)
    close(second, np.diag(-0.25 * (V + 1) ** -1.5))


def test_nested():
    distances = pyxla.vmap(
        pyxla.vmap(lambda a, b: np.sqrt(((a - b) ** 2).sum()), (None, 0)), (0, None)
    )
    close(distances(X, X[:2]), np.linalg.norm(X[:, None] - X[:2], axis=-1))
    inner = pyxla.vmap(lambda row: pyxla.vmap(lambda x: newton(abs(x) + 1)[1])(row))
    close(inner(X), [[newton(abs(x) + 1)[1] for x in row] for row in X])


def test_jax():
    """JAX's functions and arrays inside."""
    got = pyxla.vmap(lambda r: jax.nn.softmax(r) * jnp.sum(r))(jnp.asarray(X, jnp.float32))
    assert isinstance(got, jax.Array) and got.dtype == jnp.float32
    want = jax.vmap(lambda r: jax.nn.softmax(r) * jnp.sum(r))(jnp.asarray(X, jnp.float32))
    np.testing.assert_allclose(got, want, rtol=1e-6)
    inside = pyxla.compile(lambda x: jax.vmap(lambda r, k: r * k + jnp.sum(r), (0, None))(x, 2.0))
    np.testing.assert_allclose(inside(X), X * 2 + X.sum(1, keepdims=True))
    check(lambda r: np.linalg.eigvalsh(np.outer(r, r) + np.eye(3)), X)


def test_numpy_functions():
    check(lambda r: np.sort(r) + np.cumsum(r) + np.argsort(r), X)
    check(lambda r, i: r[i] + r[np.array([0, 0, 2])] + r[::-1], X, N % 3)
    check(lambda r: np.where(r > 0)[0].sum() + np.count_nonzero(r) + r[r > 0].sum(), X)
    check(lambda r, s: np.convolve(r, s) + np.interp(s, np.sort(r), r).sum(), X, X)
    check(lambda a: np.linalg.solve(a @ a.T + np.eye(3), a[0]), RNG.standard_normal((4, 3, 3)))
    check(lambda r: np.abs(np.fft.fft(r)).max() + np.median(r) + np.percentile(r, 30), X)
    check(lambda r: (np.unique(np.round(r)).sum(), *np.histogram(r, 3)), X)
    check(lambda r: np.searchsorted(np.sort(r), 0.1), X)
    check(lambda r, v: np.append(r, v).reshape(2, 2) @ np.arange(2.0), X, V)
    empty = pyxla.vmap(lambda r: (newton(r.sum() + 1), np.sort(r), r[0]))(np.zeros((0, 3)))
    assert [x.shape for x in (*empty[0], *empty[1:])] == [(0,), (0,), (0, 3), (0,)]


# --- derivatives that users state -----------------------------------------------------------------


@pyxla.custom_jvp
def tenfold(x, w):
    return np.sin(x) * w


@tenfold.defjvp
def _(primals, tangents):
    (x, w), (tx, tw) = primals, tangents
    return tenfold(x, w), 10 * tx * w + tw


@pyxla.custom_vjp
def hundredfold(x, w):
    return (x * w).sum()


hundredfold.defvjp(
    lambda x, w: (hundredfold(x, w), w),
    lambda w, ct: (100 * ct * w * np.ones(3), ct * np.array(7.0)),
)


def test_custom_rules():
    check(lambda x: tenfold(x, 2.0), V)
    for outer in (
        pyxla.vmap(pyxla.grad(tenfold, (0, 1)), (0, None)),
        pyxla.grad(lambda v, w: pyxla.vmap(tenfold, (0, None))(v, w).sum(), (0, 1)),
    ):
        by_x, by_w = outer(V, 2.0)
        close(by_x, np.full(4, 20.0))
        close(np.sum(by_w), 4.0)
    two = np.array(2.0)
    for outer in (
        pyxla.vmap(pyxla.grad(hundredfold, (0, 1)), (0, None)),
        pyxla.grad(lambda v, w: pyxla.vmap(hundredfold, (0, None))(v, w).sum(), (0, 1)),
    ):
        by_x, by_w = outer(X, two)
        close(by_x, np.full((4, 3), 200.0))
        close(np.sum(by_w), 28.0)
    again = pyxla.checkpoint(lambda x: np.sin(np.sin(x)))
    close(pyxla.vmap(pyxla.grad(again))(V), np.cos(np.sin(V)) * np.cos(V))
    close(pyxla.grad(lambda v: pyxla.vmap(again)(v).sum())(V), np.cos(np.sin(V)) * np.cos(V))
    stopped = pyxla.vmap(lambda x: pyxla.stop_gradient(x) * x)
    close(pyxla.grad(lambda v: stopped(v).sum())(V), V)


@pytest.mark.parametrize("room", [0, 1 << 20])
def test_jacobians_at_once_and_one_by_one(room: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.import_module("pyxla.grad.jacobians"), "AT_ONCE", room)

    def f(w, x):
        y = x * 1.0
        for _ in range(3):
            y = np.tanh(w @ y) if y.sum() > -9 else y
        return y, 2.0 * x[0]

    square, x = RNG.standard_normal((3, 3)), X[0]
    for jacobian in (pyxla.jacfwd, pyxla.jacrev):
        (by_w, by_x), (none, two) = jacobian(f, (0, 1))(square, x)
        want = jax.jacrev(lambda w, x: jnp.tanh(w @ jnp.tanh(w @ jnp.tanh(w @ x))), (0, 1))
        with jax.enable_x64(True):
            close(by_w, want(square, x)[0])
            close(by_x, want(square, x)[1])
        assert none.shape == (3, 3) and not none.any()
        assert two.tolist() == [2.0, 0.0, 0.0]


def test_random_numbers():
    def pi(seed):
        rng, hits = np.random.default_rng(seed), 0
        for _ in range(20):
            hits += rng.random() ** 2 + rng.random() ** 2 < 1
        return hits, rng.normal(size=2)

    check(pi, np.arange(4))
    outside = np.random.default_rng(0)
    for function, args in (
        (lambda x: x + outside.random(), (V,)),
        (lambda x, r: r.normal(), (V, outside)),
    ):
        with pytest.raises(CompileError, match="every element would draw the same numbers"):
            pyxla.vmap(function, (0, None)[: len(args)])(*args)
