"""`compile(sizes="bucket")`: few programs for many sizes, which give what NumPy gives."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import pyxla


def bucketed(function):
    return pyxla.compile(function, sizes="bucket")


def programs(compiled):
    return sum(len(inner.specializations) for inner in compiled._rounded.values())


def step(w, x, y):
    def loss(w):
        return ((x @ w - y) ** 2).mean()

    value, slope = pyxla.value_and_grad(loss)(w)
    return w - 0.1 * slope, value


def test_a_hundred_sizes_are_a_few_programs():
    compiled = bucketed(lambda x, k: (np.sqrt(x).sum() * k, np.sort(x)[::-1], x.mean()))
    for n in range(1, 101):
        x = np.random.default_rng(n).random(n)
        total, ordered, mean = compiled(x, 2.0)
        np.testing.assert_allclose((total, mean), (2 * np.sqrt(x).sum(), x.mean()))
        np.testing.assert_array_equal(ordered, np.sort(x)[::-1])
    assert programs(compiled) + len(compiled.specializations) <= 8


def test_a_step_of_training():
    compiled, rng = bucketed(step), np.random.default_rng(0)
    for n in range(9, 17):
        w, x, y = rng.random(4), rng.random((n, 4)), rng.random(n)
        got, value = compiled(w, x, y)
        np.testing.assert_allclose(got, w - 0.2 * x.T @ (x @ w - y) / n)
        np.testing.assert_allclose(value, ((x @ w - y) ** 2).mean())
    assert programs(compiled) == 1


def test_arguments_are_written():
    @bucketed
    def put(x, i, value):
        x[i] = value
        x += 1.0
        return x.shape[0]

    for n in (3, 5, 6):
        x = np.zeros(n)
        assert put(x, n - 1, 5.0) == n
        assert x.tolist() == [1.0] * (n - 1) + [6.0]
        with pytest.raises(IndexError):
            put(x, n, 5.0)


def test_sizes_that_must_be_known_are():
    compiled = bucketed(
        lambda x, y: (np.linalg.solve(x + 9 * np.eye(x.shape[0]), y), x.reshape(-1))
    )
    for n in (3, 5, 6):
        x, y = np.random.default_rng(n).random((n, n)), np.ones(n)
        solved, flat = compiled(x, y)
        np.testing.assert_allclose(solved, np.linalg.solve(x + 9 * np.eye(n), y))
        np.testing.assert_array_equal(flat, x.reshape(-1))


def test_arrays_of_other_sizes_do_not_fit():
    compiled = bucketed(lambda x, y: x + y)
    np.testing.assert_array_equal(compiled(np.ones(5), np.ones(5)), np.full(5, 2.0))
    with pytest.raises((ValueError, pyxla.CompileError)):
        compiled(np.ones(5), np.ones(6))


def test_arrays_of_jax():
    compiled = bucketed(lambda x: x * 2)
    for n in (5, 7):
        got = compiled(jax.numpy.ones(n))
        assert isinstance(got, jax.Array)
        assert got.tolist() == [2.0] * n


def test_another_word_is_refused():
    with pytest.raises(pyxla.CompileError, match="sizes"):
        pyxla.compile(step, sizes="buckets")
