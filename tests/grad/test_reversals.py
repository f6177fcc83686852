"""Derivatives of derivatives of loops of unknown length: one machine, whatever the order."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import size
from pyxla.reflect import compilation


def growth(x, w):
    """Reads `w` from outside the loop, carries an int, a float and an array, and stops by value."""
    y, total, n = w * x, 0.0, 0
    while np.sum(y) < 9 and n < 1000:
        y = y * 1.2 + 0.01 * x * np.sin(w)
        total += y[0] * y[1]
        n += 1
    return total + np.sum(y) * n


def nested(x, w):
    y = x
    while y < 4:
        z = y
        while z > 0.5:
            z = z * 0.6 * np.cos(0.1 * w[0] * z)
        y = y * 1.3 + z * w[1]
    return y * y


def branching(x, w):
    y, n = x, 0
    while True:
        y = y * w[0] + 0.3 if y < 2 else y * w[1] + x
        n += 1
        if y > 5 or n > 40:
            return y * x


def many(x, w):
    """More iterations than a block, in few snapshots."""
    y = x
    while y < 50:
        y = y + 0.01 * np.sin(w[0] * y) + 0.02
    return y


def integers_from_outside(x, w):
    steps = np.zeros(3, int)
    for i in range(3):
        steps[i] = 1 if w[i] > 1 else 2
    total, i = x, 12
    while i > 0:
        total = total + w[i % 3] * np.sin(total) * steps[i % 3]
        i -= steps[i % 3]
    return total


W = np.array([1.1, 1.3, 0.9])
PROGRAMS = [growth, nested, branching, many, integers_from_outside]


def differences(f, x, h=1e-5):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_orders(program):
    def f(x):
        return program(x, W)

    first = pyxla.grad(f)
    second = pyxla.grad(first)
    np.testing.assert_allclose(first(0.7), differences(f, 0.7), rtol=1e-5)
    np.testing.assert_allclose(second(0.7), differences(first, 0.7), rtol=1e-5)
    np.testing.assert_allclose(pyxla.jvp(first, (0.7,), (1.0,))[1], second(0.7), rtol=1e-9)
    third = pyxla.grad(second)(0.7)
    np.testing.assert_allclose(third, differences(second, 0.7), rtol=1e-4)
    along = pyxla.grad(lambda x: pyxla.jvp(first, (x,), (1.0,))[1])
    np.testing.assert_allclose(along(0.7), third, rtol=1e-9)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_mixed_and_batched(program):
    def f(w):
        return program(0.7, w)

    full = pyxla.hessian(f)(W)
    reverse = pyxla.jacrev(pyxla.grad(f))(W)
    np.testing.assert_allclose(full, reverse, rtol=1e-8, atol=1e-9)
    columns = [
        differences(lambda t, k=k: pyxla.grad(f)(W + t * np.eye(3)[k]), 0.0) for k in (0, 1, 2)
    ]
    np.testing.assert_allclose(full, np.stack(columns), rtol=1e-4, atol=1e-5)
    lanes = np.stack([W, W * 1.05])
    batched = pyxla.vmap(lambda w: pyxla.grad(lambda v: np.sum(pyxla.grad(f)(v) * W))(w))(lanes)
    np.testing.assert_allclose(batched[0], full @ W, rtol=1e-8, atol=1e-9)
    with jax.enable_x64(True):
        inner = jax.grad(pyxla.compile(f))
        made = jax.grad(lambda w: inner(w) @ W)(jnp.asarray(W))
    np.testing.assert_allclose(made, full @ W, rtol=1e-8, atol=1e-9)


def test_size_grows_no_faster_than_the_loop():
    def f(x):
        return growth(x, W)

    sizes, g = [], f
    for _ in range(4):
        g = pyxla.grad(g)
        sizes.append(size(compilation(g, 0.7).at("regions").region.instrs))
    assert sizes[3] < 3 * sizes[1] < 9 * sizes[0]


def test_integers_of_an_enclosing_loop():
    """Used by the loop from outside, in code that forward mode copies."""

    def f(x, n):
        r = x[0]
        while r > 0.37:
            r *= 0.5
            s = 1.5 + x[1]
            while s > 0.4:
                s *= 0.71
                x[n % 3] *= 0.5 * np.cos(s)
        return r + x.sum()

    x = np.array([0.7, 0.2, 0.3])
    found = pyxla.hessian(pyxla.compile(f, verify=True))(x.copy(), 1)
    for k, row in enumerate(np.eye(3)):
        column = differences(lambda t, row=row: pyxla.grad(f)(x + t * row, 1), 0.0)
        np.testing.assert_allclose(found[:, k], column, atol=1e-6)


def roots(x):
    total = 0.0
    for v in x:
        y = v
        while abs(y * y - v) > 1e-9:
            y = 0.5 * (y + v / y)
        total += y
    return total


def test_the_reverse_of_a_loop_of_unknown_length_in_another_is_one_function():
    x = np.linspace(0.5, 1.5, 50)
    gradient = pyxla.grad(roots)
    np.testing.assert_allclose(gradient(x), 0.5 / np.sqrt(x), rtol=1e-6)
    entry = pyxla.code_hlo(gradient, x).partition("\nENTRY")[2]
    assert "small_call" in entry
    assert " while(" not in entry


def follows_from_the_last(x, n):
    times, points = [0.0], [x]
    for _ in range(n):
        points.append(points[-1] + 0.01 * np.sin(points[-1] + times[-1]))
        times.append(times[-1] + 0.01 * x)
    return points[-1] * points[n // 2] + times[-1]


def until_the_last(x, n):
    times, points = [0.0], [x]
    while times[-1] < 0.01 * n - 0.005:
        points.append(points[-1] + 0.01 * np.cos(points[-1] * x))
        times.append(times[-1] + 0.01)
    return sum(p * p for p in points) * points[-1]


def arrays_from_the_last(x, n):
    points = [np.array([x, 0.5, 1.0])]
    for _ in range(n):
        p = points[-1]
        points.append(p + 0.01 * np.array([p[1], -p[0], p[2] * p[0]]))
    return sum((p * p).sum() for p in points)


def from_the_last_two(x, n):
    points = [x, 0.5 * x]
    for _ in range(n):
        points.append(0.5 * points[-1] + 0.45 * np.sin(points[-2]))
    return sum(points)


def the_last_changes(x, n):
    points = [x]
    for i in range(n):
        if i % 3 == 1:
            points[-1] = points[-1] ** 2
        else:
            points.append(points[-1] * 0.99 + 0.01)
        points[0] += 0.1 * points[-1]
    return sum(p * p for p in points)


def changes_or_grows(x, n):
    points = [x, 0.5 * x, 0.2]
    for _ in range(n):
        if points[-1] > 0.9:
            points[-1] = 0.5 * points[-1] + 0.1 * points[-2]
        else:
            points.append(1.2 * points[-1] + 0.01 * points[-3])
    return sum(p * p for p in points) * points[-1]


def grows_sometimes(x, n):
    points, y = [x, 0.3], 0.1
    for _ in range(n):
        y = 0.9 * y + 0.2 * np.cos(points[-1]) * points[-2]
        if y > 0.3:
            points.append(y * x)
    return sum(p * p for p in points) + y


def grows_by_two(x, n):
    points = [x, 0.3 * x]
    for _ in range(n):
        y = points[-1] * 0.5 + points[-2] * 0.3
        points.append(y)
        points.append(np.sin(y) + 0.1)
    return points[-2] * points[n // 2] + sum(points)


def arrays_from_the_last_two(x, n):
    points = [np.array([x, 0.5]), np.array([1.0, x])]
    for _ in range(n):
        a, b = points[-2], points[-1]
        if b[0] > a[0]:
            points[-1] = 0.5 * b + 0.1 * a[::-1]
        else:
            points.append(b + 0.1 * np.sin(a))
    return sum((p * p).sum() for p in points)


def shrinks(x, n):
    points = [x, 0.5, 1.0, 0.2]
    total = 0.0
    for _ in range(n):
        total += points[-1] * points[-2]
        if points[-1] > 0.3 and len(points) > 3:
            points[-2] *= points.pop()
        else:
            points.append(0.9 * points[-1] + 0.1 * x)
    return total + sum(points)


GROWING = [changes_or_grows, grows_sometimes, grows_by_two, arrays_from_the_last_two]
LISTS = [
    follows_from_the_last,
    until_the_last,
    arrays_from_the_last,
    from_the_last_two,
    the_last_changes,
    *GROWING,
    shrinks,
]


@pytest.mark.parametrize("program", LISTS, ids=lambda program: program.__name__)
def test_a_list_that_grows_by_what_follows_from_its_last_item(program):
    for options in ({}, {"snapshots": 2, "residual_bytes": 0}):
        first = pyxla.grad(pyxla.compile(program, **options))
        for n in (0, 1, 20):
            slope = differences(lambda x, n=n: program(x, n), 0.4)
            np.testing.assert_allclose(first(0.4, n), slope, rtol=1e-5, atol=1e-9)
            _, tangent = pyxla.jvp(first, (0.4, n), (1.0, 0))
            curve = differences(lambda x, n=n, first=first: first(x, n), 0.4)
            np.testing.assert_allclose(tangent, curve, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [*LISTS[:4], *GROWING], ids=lambda program: program.__name__)
def test_snapshots_do_not_hold_a_list_of_which_the_last_items_are_read(program):
    text = pyxla.code_hlo(pyxla.grad(program), 0.4, 900)
    assert "[1024" in text
    assert "[65,1024" not in text
