"""Builtins and `math` on Python scalars and arrays against CPython."""

from __future__ import annotations

import builtins
import cmath
import itertools
import math
import warnings

import numpy as np
import pytest

import pyxla
from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Scalar
from pyxla.lib.registry import LIBRARY
from tests.lib.compare import check, same
from tests.lib.harness import Dynamic as D
from tests.lib.harness import run

FLOATS = [0.0, -0.0, 0.5, 1.0, -1.5, 2.5, 3.0, 7.25, -0.3, 100.0]
INTS = [0, 1, 2, 3, 7, 12, 20, -5]


def agree(function, *args, rel: float = 1e-14) -> None:
    """Same kind and value as CPython wherever it has one, every argument dynamic."""
    try:
        expected = function(*args)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        return
    if isinstance(expected, int) and abs(expected) >= 2**63:
        return
    if isinstance(expected, complex) and not any(isinstance(a, complex) for a in args):
        return
    got = run(LIBRARY[function], *[D(a) for a in args])
    close(got, expected, (function.__name__, args), rel)


def close(got, expected, what, rel) -> None:
    if isinstance(expected, tuple):
        for g, e in zip(got, expected, strict=True):
            close(g, e, what, rel)
        return
    assert type(got) is type(expected), (what, got, expected)
    if isinstance(expected, complex):
        assert abs(got - expected) <= rel * max(abs(expected), 1), (what, got, expected)
    else:
        assert got == expected or got == pytest.approx(
            expected, rel=rel, abs=1e-300, nan_ok=True
        ), (
            what,
            got,
            expected,
        )


UNARY = [
    f
    for f in LIBRARY
    if getattr(f, "__module__", None) == "math"
    and f not in (math.gcd, math.lcm, math.hypot, math.prod, math.fsum, math.dist)
]
BINARY = [
    math.atan2, math.copysign, math.fmod, math.hypot, math.pow, math.remainder, math.log,
    math.nextafter, math.isclose, math.ldexp, math.comb, math.perm, math.gcd, math.lcm,
    builtins.divmod, builtins.pow, builtins.round, builtins.min, builtins.max, builtins.complex,
]  # fmt: skip


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_math_of_one(function) -> None:
    for x in [*FLOATS, *INTS, True]:
        agree(function, x, rel=1e-13)


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_math_of_two(function) -> None:
    for x, y in itertools.product([*FLOATS[:8], *INTS], [*FLOATS[:7], *INTS]):
        if function is pow and isinstance(y, int) and y < 0:
            continue
        if function is round:
            if not isinstance(y, int) or isinstance(x, float):
                continue
            same(run(LIBRARY[round], D(x), y), round(x, y), (x, y))
            continue
        if function in (min, max) and type(x) is not type(y):
            continue
        agree(function, x, y)


def test_conversions() -> None:
    for x in [*FLOATS, *INTS, True, 1e6 + 0.5]:
        for kind in (int, float, bool, complex, abs, round):
            agree(kind, x)
    for x in (np.float32(2.5), np.int8(-3), np.array(7), np.uint8(200), np.bool_(True)):
        for kind in (int, float, bool, complex):
            got = run(LIBRARY[kind], x)
            assert (type(got), got) == (kind, kind(x.item()))


@pytest.mark.parametrize("kind", [int, float, complex])
def test_conversions_of_one_element(kind) -> None:
    """From NumPy 2.4 on only arrays without dimensions are numbers."""
    x = np.array([[7]])
    try:
        with warnings.catch_warnings(action="ignore"):
            expected = kind(x)
    except TypeError:
        with pytest.raises(TypeError, match="0-dimensional"):
            run(LIBRARY[kind], x)
    else:
        assert run(LIBRARY[kind], x) == expected
    assert run(LIBRARY[bool], x) is True


def test_rounding_to_decimals() -> None:
    values = [2.675, 1.115, 0.285, 1.005, 2.5, -0.125, 1e22, 123456.789, 0.5, 1.5, 25.0, -35.0]
    for x, digits in itertools.product(values, (-2, -1, 0, 1, 2, 3)):
        assert run(LIBRARY[round], D(x), digits) == round(x, digits), (x, digits)


def test_min_and_max() -> None:
    assert run(LIBRARY[max], [D(3), 5, D(4)]) == 5
    assert run(LIBRARY[min], D(2), 1.5) == 1.5
    assert run(LIBRARY[max], [D(1), D(-7)], key=abs_of) == -7
    assert run(LIBRARY[min], [], default=4) == 4
    for x in (np.array([3.0, 1.0, np.nan]), np.array([np.nan, 1.0]), np.array([2, -1])):
        same(run(LIBRARY[min], x), np.asarray(min(x)), x)
        same(run(LIBRARY[max], x), np.asarray(max(x)), x)
    assert run(LIBRARY[max], np.float32(2), 3.0).dtype == np.float32


def abs_of(x):
    return abs(x) if not isinstance(x, Scalar) else LIBRARY[abs](x)


def test_sums_and_quantifiers() -> None:
    assert run(LIBRARY[sum], [D(1), 2, D(3.5)]) == 6.5
    assert run(LIBRARY[sum], (D(1), D(True)), 10) == 12
    for x in (np.arange(5, dtype=np.int32), np.ones((2, 3)), np.array([True, True])):
        same(run(LIBRARY[sum], x), np.asarray(sum(x)), x.dtype)
    assert run(LIBRARY[any], [D(False), D(True)]) is True
    assert run(LIBRARY[all], [D(True), D(0)]) is False
    assert run(LIBRARY[any], np.array([0, 0])) is False
    assert run(LIBRARY[all], []) is True


def test_math_of_sequences() -> None:
    values = [1e100, 1.0, -1e100, 0.5]
    assert run(LIBRARY[math.fsum], [D(v) for v in values]) == math.fsum(values)
    assert run(LIBRARY[math.fsum], np.array(values)) == math.fsum(values)
    assert run(LIBRARY[math.prod], [D(2), D(3), 4]) == 24
    assert run(LIBRARY[math.dist], (D(1.0), D(2.0)), (4.0, 6.0)) == 5.0
    assert run(LIBRARY[math.hypot], D(2.0), D(3.0), D(6.0)) == 7.0
    assert run(LIBRARY[math.gcd], D(12), D(18), 27) == 3
    assert run(LIBRARY[pow], D(7), D(130), 13) == pow(7, 130, 13)


def test_lengths_are_rounded_once() -> None:
    def lengths(n, step):
        pairs = [(i * step, j * 0.7 * step) for i in range(n) for j in range(n)]
        return [math.hypot(x, y) for x, y in pairs], [math.dist((x, y), (y, 7)) for x, y in pairs]

    for step in (10 / 7, 1e200, 1e-180):
        assert pyxla.compile(lengths)(40, step) == lengths(40, step)
    far = pyxla.compile(lambda i, j: math.hypot(i, j, i - j))
    assert all(far(i, j) == math.hypot(i, j, i - j) for i in range(9) for j in range(9))


COMPLEX = [
    f for f in LIBRARY if getattr(f, "__module__", None) == "cmath" and f not in (cmath.rect,)
]


@pytest.mark.parametrize("function", COMPLEX, ids=lambda f: f.__name__)
def test_cmath(function) -> None:
    for z in (1 + 2j, -0.5 + 0.25j, 2 - 1j):
        agree(function, z, rel=1e-13)


def test_facts_of_ints() -> None:
    bounds = []

    def probe(x):
        y = LIBRARY[int](x)
        bounds.append((extent.lower(y), extent.upper(y)))
        return y

    run(probe, np.uint8(7))
    assert bounds == [(0, 255)]


def test_numpy_functions_of_python_scalars() -> None:
    check(np.sin, D(0.5))
    check(np.add, D(1), D(2.5))
    check(np.maximum, D(1), np.float32(2))


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int8, np.bool_])
@pytest.mark.parametrize("data", [(1, 2, 3), (-1, 0, -2), (0, 0, 0)])
def test_sum_of_as_many_rows_as_data_says(dtype, data):
    def sums(x):
        kept = [float(v) for v in x if v > 0]
        return sum(x.reshape(-1, 1)[x > 0]), sum(x[x > 0]), sum(kept), sum([v > 1 for v in kept])

    x = np.array(data).astype(dtype)
    for found, expected in zip(pyxla.compile(sums)(x), sums(x), strict=True):
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected, strict=isinstance(expected, np.ndarray))
