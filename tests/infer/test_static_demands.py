"""Values that inference finds it must know: types that depend on a trip count, recursion depth."""

import math

import jax
import numpy as np
import pytest

import pyxla


def test_sum_that_starts_as_a_number_and_becomes_an_array():
    def total(x, n):
        s = 0.0
        for _ in range(n):
            s = s + x * x
        return s

    compiled = pyxla.compile(total)
    x = np.arange(3.0)
    for n in (2, 5):
        np.testing.assert_array_equal(compiled(x, n), total(x, n))
    assert compiled(x, 0) == 0.0 and type(compiled(x, 0)) is float


def test_recursion_on_an_int_argument():
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    assert pyxla.compile(factorial)(15) == factorial(15)


def decay(duration, step, rate):
    count = int(duration / step)
    x = np.zeros(count + 1)
    x[0] = 1.0
    for i in range(count):
        x[i + 1] = x[i] - step * rate * x[i]
    return x


def test_sizes_that_float_arguments_decide():
    compiled = pyxla.compile(decay)
    for args in ((1.0, 0.1, 2.0), (1.0, 0.1, 3.0), (np.float64(1.0), 0.05, 3.0), (0.0, 0.1, 2.0)):
        np.testing.assert_allclose(compiled(*args), decay(*args), rtol=1e-12)
    assert len(compiled.specializations) == 3
    slope = pyxla.grad(lambda rate: decay(1.0, 0.1, rate)[-1])(2.0)
    assert slope == pytest.approx(-(0.8**9), rel=1e-9)


def test_recursion_on_a_float_argument():
    def gamma(x):
        return 1.0 if x == 1 else (x - 1) * gamma(x - 1)

    assert pyxla.compile(gamma)(6.0) == gamma(6.0)


def test_known_floats_by_their_bits():
    def signs(x, n):
        return np.copysign(np.ones(int(abs(x)) + n), x)

    compiled = pyxla.compile(signs)
    for x in (0.0, -0.0, 1.5, -1.5):
        np.testing.assert_array_equal(compiled(x, 2), signs(x, 2))


def test_a_value_that_jax_traces():
    with pytest.raises(pyxla.CompileError, match="must be known while compiling") as e:
        jax.jit(pyxla.compile(decay))(1.0, 0.1, 2.0)
    assert e.value.lineno and "static_argnums" in str(e.value)


def test_bools_are_two_objects():
    def tests(x, y):
        found, large = bool((x > 0).any()), y > 2
        same = found is large, found is True, large is not False, np.all(x > 0) is True
        return same, found is None, 3 == large, y is None

    compiled = pyxla.compile(tests)
    for args in ((np.ones(3), 3.0), (np.zeros(3), 3.0), (np.zeros(3), 1)):
        assert compiled(*args) == tests(*args)


def test_reshape_of_an_argument_that_is_not_contiguous_is_a_copy():
    def write(a):
        flat = a.reshape(-1)
        flat[0] = 7
        return a.sum()

    compiled = pyxla.compile(write)
    for make in (lambda: np.arange(6.0).reshape(2, 3).T, lambda: np.arange(6.0).reshape(2, 3)):
        mine, theirs = make(), make()
        assert compiled(mine) == write(theirs)
        np.testing.assert_array_equal(mine, theirs)


def test_buffers_that_are_swapped_while_someone_else_holds_one():
    def relax(x, n):
        old, new = x, x.copy()
        for k in range(n):
            new[1:-1] = 0.5 * (old[2:] + old[:-2])
            old, new = new, old
            if k == 2:
                x[0] += 5
        x[1] = 3
        return old.sum(), new.sum(), x

    compiled = pyxla.compile(relax)
    for n in (0, 1, 2, 3, 5):
        mine, theirs = np.arange(5.0), np.arange(5.0)
        for got, want in zip(compiled(mine, n), relax(theirs, n), strict=True):
            np.testing.assert_allclose(got, want)
        np.testing.assert_allclose(mine, theirs)


def test_a_name_for_one_of_two_arguments():
    def pick(x, y, c):
        a = x if c > 1 else y
        a[0] = 5
        x[1] = 7
        y[2] = a[1]
        return a

    compiled = pyxla.compile(pick)
    for c in (0, 2):
        mine, theirs = [np.arange(4.0), np.ones(4)], [np.arange(4.0), np.ones(4)]
        np.testing.assert_array_equal(compiled(*mine, c), pick(*theirs, c))
        np.testing.assert_array_equal(mine, theirs)


def test_a_factorial_that_64_bits_do_not_hold():
    def series(xs, tol):
        out = np.zeros_like(xs)
        for i in range(len(xs)):
            n, term = 0, 1.0
            while abs(term) > tol:
                term = xs[i] ** n / math.factorial(n)
                out[i] += term
                n += 1
        return out

    compiled = pyxla.compile(series)
    small = np.array([0.5, 1.0])
    np.testing.assert_allclose(compiled(small, 1e-6), series(small, 1e-6), rtol=1e-12)
    with pytest.raises(OverflowError, match="64 bits"):
        compiled(np.array([0.5, 10.0]), 1e-6)


def test_the_same_number_of_many_items_is_asked_for_at_once():
    def degrees(n, edges):
        neighbours = [[] for _ in range(n)]
        for a, b, weight in edges:
            neighbours[a].append(weight)
            neighbours[b].append(weight)
        return [sum(own) for own in neighbours]

    edges = [(i % 7, 3 * i % 5, float(i)) for i in range(50)]
    compiled = pyxla.compile(degrees)
    assert compiled(9, edges) == degrees(9, edges)
    assert len(compiled.specializations) == 1
