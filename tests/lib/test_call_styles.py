"""How calls are written: programs of NumPy calls, with NumPy's values, dtypes and kinds."""

from __future__ import annotations

import copy
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from tests.compare import difference

X = np.random.default_rng(0).normal(size=(3, 4))
V = np.arange(6.0) - 2
Z = X + 1j * X[::-1]


def check(program: Callable[..., Any], *args: Any) -> None:
    """`program` compiled returns, and does to its arguments, what NumPy makes of it."""
    expected_args, actual_args = copy.deepcopy(args), copy.deepcopy(args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = program(*expected_args)
    actual = pyxla.compile(program)(*actual_args)
    assert not difference(actual, expected)
    assert not difference(actual_args, expected_args, path="arguments")


def test_what_follows_a_positional_only_parameter_has_its_place() -> None:
    check(lambda x: np.concatenate([x, x], -1), X)
    check(lambda x: np.concatenate([x, x], 0, np.zeros((6, 4))), X)


def test_sequences_are_arrays_to_ufuncs() -> None:
    def program(x, v):
        return (
            np.maximum(np.eye(2), [0.5, 2]),
            v + [1, 2, 3, 4, 5, 6],
            (1, 2, 3, 4) * x,
            np.float_power(range(6), v),
            x[0] < (1, 0, 2, 0),
            np.cos([0.1, v[0]]),
        )

    check(program, X, V)


def test_ranges() -> None:
    def program(n, i):
        return (
            np.arange(-3, 3, 0.5, dtype=int),
            np.arange(10, 0, -1.5, dtype=np.uint8),
            np.arange(0.3, 1, 0.1, dtype=np.float32),
            np.arange(np.float32(3)),
            np.arange(n, n + 4),
            np.arange(i, i + 3),
            np.geomspace(1, 256, num=9, dtype=int),
            np.geomspace(1j, 1000j, num=4),
            np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0], axis=-1),
        )

    check(program, np.int32(3), 4)


def test_geometric_ranges_between_ends_known_at_run_time() -> None:
    def program(x, z, v):
        return (
            np.geomspace(x, -8.0, 4),
            np.geomspace(x, 100, 4, endpoint=False),
            np.geomspace(-x, -100.0, 4),
            np.geomspace(z[0, 0], z[1, 1], 5),
            np.geomspace(v + 5, 9, 4, axis=-1),
            np.logspace(x, 3.0, num=4, base=v[3:] + 1, axis=-1),
        )

    check(program, 2.5, Z, V)


def test_ranges_of_bools_have_at_most_two() -> None:
    @pyxla.compile
    def program():
        return np.arange(5, dtype=bool)

    with pytest.raises(pyxla.CompileError, match="at most length 2"):
        program()


PARTS = (0.0, -0.0, 1.0, -0.3, 2.5, np.inf, -np.inf, np.nan, 1e200, 1e-200, 800.0)
GRID = np.array([complex(a, b) for a in PARTS for b in PARTS])


def same_numbers(actual: Any, expected: Any) -> np.ndarray:
    return np.isclose(actual, expected, 1e-9, 1e-300, equal_nan=True)


def test_complex_functions_at_infinities_and_nan() -> None:
    def program(z):
        return (
            (np.exp(z), np.exp2(z), np.expm1(z), np.log(z), np.log2(z), np.log10(z), np.log1p(z)),
            (np.sin(z), np.cos(z), np.tan(z), np.sinh(z), np.cosh(z), np.tanh(z)),
            (np.arcsin(z), np.arccos(z), np.arcsinh(z), np.arccosh(z), np.sqrt(z), z**0.5),
            (np.arctan(z * 3), np.arctanh(z * 3), np.abs(z), np.sign(z), np.reciprocal(z)),
        )

    with np.errstate(all="ignore"):
        expected = program(GRID)
    for got, wanted in zip(pyxla.compile(program)(GRID), expected, strict=True):
        for i, (g, e) in enumerate(zip(got, wanted, strict=True)):
            with np.errstate(all="ignore"):
                same = same_numbers(g.real, e.real) & same_numbers(g.imag, e.imag)
            assert same.all(), (i, GRID[~same], g[~same], e[~same])


def test_complex_quotients_of_zeros_infinities_and_extremes() -> None:
    def program(z, w):
        return z / w, z / w.real, z.real / w

    z, w = (part.ravel() for part in np.meshgrid(GRID, GRID))
    with np.errstate(all="ignore"):
        expected = program(z, w)
        for g, e in zip(pyxla.compile(program)(z, w), expected, strict=True):
            assert (same_numbers(g.real, e.real) & same_numbers(g.imag, e.imag)).all()


def test_counts_and_sections_given_as_arrays() -> None:
    def program(x, v, u):
        values, counts = np.unique(u % 3, return_counts=True)
        return (
            np.repeat(x, np.array([1, 2, 0]), axis=0),
            np.repeat(v, u),
            np.repeat(u, u[:1]),
            np.repeat(v[:0], v[:0].astype(int)),
            np.repeat(x, u[:3] % 2 + np.uint8(1), 0),
            np.repeat(v[v > 0], 2),
            np.repeat(values, counts),
            np.split(v, np.array([2, 4])),
            np.delete(v, np.array([1, 2])),
            np.insert(v, np.array([1, 2]), 7.0),
            np.zeros(np.array([2, 3])),
        )

    check(program, X, V, np.arange(6, dtype=np.uint8))


def test_zeros_trimmed_off() -> None:
    def program(i, m):
        view = np.trim_zeros(i)
        view[0] = 9
        return (
            np.trim_zeros([0, 1, 2, 0]),
            np.trim_zeros((0, 1, 2, 0), "f"),
            np.trim_zeros(m),
            np.trim_zeros(m, axis=-1),
            np.trim_zeros(m, "b", axis=0),
            np.trim_zeros(m * 0),
        )

    check(program, np.array([0, 0, 3, 0, 1, 0]), np.pad(np.eye(3), ((0, 2), (1, 1))))


def test_unique_results_with_names() -> None:
    def program(u, x):
        counts, inverse = np.unique_counts(u), np.unique_inverse(x > 0)
        return counts, counts.counts, inverse, np.unique_all(u % 3), np.unique_all(x[0, 0])

    check(program, np.array([3, 3, 1, 2, 3]), X)


def test_operator_functions_in_place() -> None:
    def program(x, y, items):
        z = operator.iadd(x, y)
        operator.imul(x, 2.0)
        items = operator.iadd(items, [1])
        n = operator.iadd(3, 4)
        return z is x, items, n, operator.isub(x.copy(), y), operator.abs(y), operator.pos(y)

    check(program, np.arange(3.0), np.array([1.0, -2, 3]), [5])


def test_what_is_given_is_not_ignored() -> None:
    @pyxla.compile
    def buffer(x):
        return np.ndarray((2,), buffer=x, dtype=int)

    @pyxla.compile
    def like(x):
        return np.zeros_like(x, device="gpu")

    @pyxla.compile
    def matrix():
        return np.asmatrix([[1, 2], [3, 4]])

    @pyxla.compile
    def uncopied():
        return np.asarray([1, 2], copy=False)

    for program, args in ((buffer, (X,)), (like, (X,)), (matrix, ()), (uncopied, ())):
        with pytest.raises(pyxla.CompileError):
            program(*args)


def test_casting_rules() -> None:
    def program(x, i):
        whole, half = np.zeros((3, 4), int), np.zeros((3, 4), np.float32)
        np.divide(x, 2, out=whole, casting="unsafe")
        np.add(x, x, half, casting="same_kind")
        return (
            (whole, half, np.arctan2(i, 3, dtype="f8", casting="safe")),
            (np.add(x, 1, dtype="i4", casting="unsafe"), np.std(i, dtype=int)),
        )

    check(program, X * 9, np.arange(6))

    @pyxla.compile
    def unsafe(x):
        return np.add(x, x, dtype="f4", casting="safe")

    with pytest.raises(pyxla.CompileError):
        unsafe(X)


def test_sets_with_axes_and_indices() -> None:
    def program(x, u, s):
        return (
            np.unique(x > 0, axis=0, return_index=True, return_inverse=True, return_counts=True),
            np.unique(np.round(s), axis=1, return_inverse=True),
            np.unique(np.array([[1.0, np.nan], [1, np.nan], [0, 2]]), axis=0),
            np.intersect1d(u, [3, 1, 9], return_indices=True),
            np.intersect1d(u, [3, 1, 9]),
            np.transpose(np.nonzero(x > 0)),
            np.array(np.nonzero(x > 0)),
            np.ix_(u > 2)[0],
            (np.cumulative_sum(x[0, 0]), np.cumulative_prod(2, include_initial=True)),
            (np.argwhere(x[0, 0] > 9), np.argwhere(x[0, 0] < 9)),
        )

    check(
        program,
        X,
        np.array([3, 3, 1, 2, 3], np.uint8),
        np.random.default_rng(1).normal(size=(2, 3, 4)),
    )


def test_options_of_single_functions() -> None:
    def program(x, u, i, z, g, n):
        q, w = np.arange(5), np.arange(6.0).reshape(2, 3)
        np.put(q, i, [9, 8], mode="wrap")
        w.put([7, -9], 1, "clip")
        return (
            (q, w, np.clip(u, 1, 3, dtype="i4"), np.select([[True, False]], [[1, 2]])),
            (np.unpackbits(u, count=-3), np.unpackbits(u[:, None], axis=1, count=10)),
            (np.delete(x, [True, False, True], axis=0), np.delete([1, 2, 3], [True, False, True])),
            (np.matmul([[1, 2], [3, 4]], x[:2]), np.ix_([True, False, True], [2, 4])),
            (np.isscalar(z), np.isscalar(g), np.isscalar(n), np.isscalar([1]), np.isscalar("a")),
        )

    u, i = np.arange(5, dtype=np.uint8), np.arange(6) - 2
    check(program, X, u, i, np.array(2.0), np.float64(1.5), 3)


def test_complex_functions_differentiate() -> None:
    functions = (
        *(np.exp, np.expm1, np.log, np.log1p, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh),
        *(np.tanh, np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh),
        *(np.reciprocal, np.sign, np.absolute, lambda w: w / (w + 2)),
    )

    def total(t):
        w = t * (0.3 + 0.2j) + 0.1j
        out = 0.0
        for f in functions:
            out += f(w).real + 2 * f(w).imag
        return out + np.copysign(t * t, -1.0) + np.modf(3 * t)[0]

    step = 1e-6
    slope = (total(0.7 + step) - total(0.7 - step)) / (2 * step)
    assert abs(pyxla.grad(total)(0.7) - slope) < 1e-6 * abs(slope)


def test_edges_of_histograms_have_the_dtype_of_the_data() -> None:
    def program(s, t, u):
        return (
            (np.histogram(s), np.histogram(s, 4, range=(t - 4, t)), np.histogram(s[s > 0], 3)),
            (np.histogram(s.astype("f2"), 3), np.histogram(u), np.histogramdd(u, 3)),
            (np.histogramdd(s, bins=3), np.histogramdd(s, bins=3, range=((-1, 1), (0, 1)))),
            (np.i0(s), np.i0(u)),
        )

    check(program, X[:, :2].astype(np.float32), 2.5, np.arange(5, dtype=np.uint8))


def test_numbers_are_not_callable() -> None:
    def program(x, levels):
        return callable(levels[0]), callable(np.sin), np.piecewise(x, [x < 0, x >= 0], levels)

    check(program, V, [-1.0, 1.0])


def test_bins_that_neither_rise_nor_fall():
    compiled = pyxla.compile(lambda x, bins: np.digitize(x, bins))
    for bins in ([0.0, 1.0, 3.0], [3.0, 1.0, 0.0], [1.0, 1.0]):
        assert not difference(compiled(V, np.array(bins)), np.digitize(V, bins))
    for wrong in (np.array([1.0, 3.0, 2.0]), np.ones((2, 2))):
        with pytest.raises(ValueError) as expected:
            np.digitize(V, wrong)
        with pytest.raises(ValueError, match=str(expected.value)):
            compiled(V, wrong)
