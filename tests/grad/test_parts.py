"""Cotangents of slices lie side by side in an array; products with a cotangent of 0 are 0."""

import numpy as np
import pytest

import pyxla

X = np.linspace(-1.0, 2.0, 24).reshape(4, 6)


def halves(x):
    return np.sum(np.tanh(x[:, :3]) * np.exp(x[:, 3:]))


def thirds_in_any_order(x):
    return np.sum(np.sin(x[:, 4:]) * (x[:, :2] + np.cos(x[:, 2:4]) * x[:, :2]))


def with_holes(x):
    return np.sum(x[3] * np.sin(x[1]))


def rows_alone(x):
    total = 0.0
    for k in (0, 1, 2, 3):
        total += np.sum(np.sin(x[k]) * (k + 1))
    return total


def overlapping(x):
    return np.sum((x[:, 1:] * x[:, :-1]) ** 2)


def within_a_part(x):
    return np.sum(x[:, :4] ** 3) + np.sum(np.sin(x[:, 2:]))


def every_other(x):
    return np.sum(x[:, ::2] * np.sin(x[:, 1::2]))


def blocks(x):
    return np.sum(x[:2, :3] * np.sin(x[2:, 3:]))


def differences(f, x, h=1e-6):
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = h
        found[at] = (f(x + step) - f(x - step)) / (2 * h)
    return found


BESIDE = [halves, thirds_in_any_order, with_holes, rows_alone]
ALL = [*BESIDE, overlapping, within_a_part, every_other, blocks]


@pytest.mark.parametrize("f", ALL)
def test_right(f):
    np.testing.assert_allclose(pyxla.grad(f)(X), differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [halves, with_holes, overlapping, within_a_part])
def test_second_derivatives(f):
    v = np.cos(X)
    slope = pyxla.compile(lambda x: np.sum(pyxla.grad(f)(x) * v))
    exact = differences(slope, X)
    found = pyxla.compile(lambda x: pyxla.grad(lambda x: np.sum(pyxla.grad(f)(x) * v))(x))(X)
    ahead = pyxla.compile(lambda x: pyxla.jvp(pyxla.grad(f), (x,), (v,))[1])(X)
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ahead, exact, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", BESIDE)
def test_side_by_side(f):
    text = pyxla.code_hlo(pyxla.compile(lambda x: pyxla.grad(f)(x)), X)
    assert text.count(" concatenate(") == 1
    assert " pad(" not in text


def test_across_paths():
    """Each branch of a conditional contributes its parts; so does a loop."""

    def f(x, n):
        y = np.tanh(x[:, :3])
        for _ in range(n):
            y = np.sin(y * x[:, 3:]) if n > 2 else y * x[:, 3:] + x[:, :3]
        return np.sum(y)

    for n in (2, 3):
        exact = differences(lambda x, n=n: f(x, n), X)
        np.testing.assert_allclose(pyxla.grad(f)(X, n), exact, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_types(dtype):
    def f(x):
        return np.sum(np.abs(x[:, :3] * x[:, 3:]) ** 2)

    x = (X + (0.5j * X[::-1] if dtype == np.complex128 else 0)).astype(dtype)
    found = np.conj(pyxla.grad(f)(x))
    other = np.concatenate([x[:, 3:], x[:, :3]], axis=1)
    np.testing.assert_allclose(found, 2 * x * np.abs(other) ** 2, rtol=1e-5)


def test_products_on_the_other_path():
    """0 times what is infinite or NaN is 0, as one selection."""

    def f(x, w):
        return np.sum(np.where(x > 0, x * w, 1.0))

    x, w = np.array([-1.0, 2.0, -3.0, -4.0]), np.array([np.inf, 3.0, np.nan, -np.inf])
    slopes = pyxla.compile(lambda x, w: pyxla.grad(f, (0, 1))(x, w))
    for found, expected in zip(slopes(x, w), ([0, 3, 0, 0], [0, 2, 0, 0]), strict=True):
        np.testing.assert_array_equal(found, expected)
    text = pyxla.code_hlo(slopes, x, w)
    assert " and(" not in text
    assert "direction=NE" not in text
    np.testing.assert_array_equal(pyxla.grad(f)(x, np.full(4, np.nan)), [0, np.nan, 0, 0])


def test_a_little_part_of_a_large_array_is_added_in_place():
    def f(x, n):
        total = 0.0
        while total < n:
            total += x[0] ** 2 + x[-1]
            x = np.sin(x) + 0.5
        return total * x[3]

    x = np.linspace(0.1, 1.0, 1000)
    text = pyxla.code_hlo(pyxla.compile(lambda x, n: pyxla.grad(f)(x, n)), x, 3.0)
    assert text.count(" pad(") <= 1  # where it begins
    step = np.cos(x) * 1e-6
    slope = (f(x + step, 3.0) - f(x - step, 3.0)) / 2
    np.testing.assert_allclose(pyxla.grad(f)(x, 3.0) @ step, slope, rtol=1e-5)
