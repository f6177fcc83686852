"""Every ufunc against NumPy, over all dtypes its loops take and their corner values."""

from __future__ import annotations

import itertools
import operator

import ml_dtypes
import numpy as np
import pytest

import pyxla.lib.operators  # noqa: F401 - fills the operator table
from pyxla.abstract.promote import loop_types
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.op import OpError
from pyxla.lib.ufuncs import UFUNCS
from tests.lib.harness import Dynamic, run

DTYPES = [np.dtype(c) for c in "?bhilBHILefdFD"]
FLOAT_EDGES = [0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -3.0, 7.25, np.inf, -np.inf, np.nan]
INT_EDGES = [0, 1, 2, 3, 5, 7, 100]
SKIPPED = {np.ldexp, np.left_shift, np.right_shift}


def edges(dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "u":
        return np.array([*INT_EDGES, np.iinfo(dtype).max], dtype)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return np.array([*INT_EDGES, -1, -2, -7, info.max, info.min + 1], dtype)
    values = np.array(FLOAT_EDGES)
    if dtype.kind == "c":
        finite = values[np.isfinite(values)]
        return np.array([complex(a, b) for a, b in itertools.product(finite, finite)], dtype)
    return values.astype(dtype)


def agree(got: np.ndarray, expected: np.ndarray, what: object) -> None:
    assert got.dtype == expected.dtype, (what, got.dtype, expected.dtype)
    assert got.shape == expected.shape, (what, got.shape, expected.shape)
    if expected.dtype.kind in "fcV":
        eps = float(ml_dtypes.finfo(expected.dtype).eps)
        np.testing.assert_allclose(
            got.astype(complex if expected.dtype.kind == "c" else float),
            expected.astype(complex if expected.dtype.kind == "c" else float),
            rtol=16 * eps,
            atol=16 * eps if expected.dtype.kind == "c" else 0,
            err_msg=str(what),
        )
    else:
        np.testing.assert_array_equal(got, expected, err_msg=str(what))


def native(ufunc: np.ufunc, *operands: np.ndarray):
    with np.errstate(all="ignore"):
        return ufunc(*operands)


def check(ufunc: np.ufunc, *operands: np.ndarray) -> None:
    expected = native(ufunc, *operands)
    got = run(UFUNCS[ufunc], *operands)
    what = (ufunc.__name__, *[x.dtype.name for x in operands])
    if not isinstance(expected, tuple):
        expected, got = (expected,), (got,)
    for g, e in zip(got, expected, strict=True):
        agree(g, np.asarray(e), what)


def resolvable(ufunc: np.ufunc, *dtypes: np.dtype) -> bool:
    try:
        loop_types(ufunc, dtypes)
    except OpError:
        return False
    return True


def pairs(ufunc: np.ufunc, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of corner values on which NumPy's result is defined."""
    x, y = map(np.ravel, np.meshgrid(edges(dtype), edges(dtype)))
    if ufunc is np.power and dtype.kind == "i":
        x, y = x[y >= 0], y[y >= 0]
    if ufunc is np.divide and dtype.kind == "c":
        x, y = x[y != 0], y[y != 0]
    if ufunc in (np.power, np.float_power) and dtype.kind == "c":
        keep = (x != 0) & (y != 0) & (np.abs(x) < 3) & (np.abs(y) < 3)
        x, y = x[keep], y[keep]
    return x, y


UNARY = [u for u in UFUNCS if u.nin == 1]
BINARY = [u for u in UFUNCS if u.nin == 2 and u not in SKIPPED]


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda u: u.__name__)
def test_unary(ufunc: np.ufunc) -> None:
    for dtype in DTYPES:
        if resolvable(ufunc, dtype):
            x = edges(dtype)
            if dtype.kind == "c":
                x = x[(x.real != 0) & (x.imag != 0) & (np.abs(x) < 3) & (np.abs(x.imag) != 1)]
            if ufunc is np.reciprocal and dtype.kind in "biu":
                x = x[x != 0]
            check(ufunc, x)
            check(ufunc, x[:0])


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda u: u.__name__)
def test_binary(ufunc: np.ufunc) -> None:
    for dtype in DTYPES:
        if resolvable(ufunc, dtype, dtype):
            x, y = pairs(ufunc, dtype)
            if ufunc in (np.gcd, np.lcm) and dtype.itemsize < 8:
                x, y = x[np.abs(x.astype(int)) < 100], y[np.abs(x.astype(int)) < 100]
            check(ufunc, x, y)


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("ufunc", [u for u in UFUNCS if u.nin == 2], ids=lambda u: u.__name__)
def test_promotion(ufunc: np.ufunc) -> None:
    """NEP 50 over the whole table of pairs, Python scalars included."""
    shifts = ufunc in (np.left_shift, np.right_shift, np.ldexp)
    for left, right in itertools.product([*DTYPES, BFLOAT16], repeat=2):
        if resolvable(ufunc, left, right):
            x, y = np.array([[1], [2]]).astype(left), np.array([1, 3, 1]).astype(right)
            if defined(ufunc, x, y):
                check(ufunc, x, y)
    for dtype, number in itertools.product([*DTYPES, BFLOAT16], [True, 2, 2.0, 2 + 0j]):
        x = np.array([1, 3]).astype(dtype)
        if defined(ufunc, x, number):
            check_weak(ufunc, x, number)
        if defined(ufunc, number, x) and not shifts:
            check_weak(ufunc, number, x)


def defined(ufunc: np.ufunc, *operands: object) -> bool:
    try:
        native(ufunc, *operands)
    except (TypeError, ValueError):
        return False
    return True


def check_weak(ufunc: np.ufunc, x: object, y: object) -> None:
    """With a Python number known while compiling, and with one that is not."""
    expected = native(ufunc, x, y)
    numbers = (bool, int, float, complex)
    for dynamic in (False, True):
        operands = [Dynamic(v) if dynamic and isinstance(v, numbers) else v for v in (x, y)]
        got = run(UFUNCS[ufunc], *operands)
        what = (ufunc.__name__, x, y, dynamic)
        for g, e in zip(
            *[r if isinstance(r, tuple) else (r,) for r in (got, expected)], strict=True
        ):
            agree(g, np.asarray(e), what)


def test_shifts() -> None:
    for dtype in "bhilBHIL":
        x = edges(np.dtype(dtype))[:, None]
        y = np.array([0, 1, 3, 7, 8, 31, 63, 64, 100], dtype)
        check(np.left_shift, x, y)
        check(np.right_shift, x, y)


def test_ldexp() -> None:
    x = np.array(FLOAT_EDGES)[:, None]
    check(np.ldexp, x, np.array([0, 1, -1, 5, -60, 1000, -1000, 3000], np.int64))
    check(np.ldexp, x.astype("f4"), np.array([0, 1, -1, 5, -60, 100, 3000], np.int32))


def test_mixed_sign_comparison() -> None:
    signed = np.array([-1, 0, 1, 2**63 - 1], np.int64)[:, None]
    unsigned = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    for ufunc in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
        check(ufunc, signed, unsigned)
        check(ufunc, unsigned, signed)


def test_comparison_with_an_int_out_of_range() -> None:
    x = np.array([0, 255], np.uint8)
    for ufunc in (np.less, np.greater, np.equal, np.not_equal):
        for number in (-1, 256, 10**30):
            agree(run(UFUNCS[ufunc], x, number), ufunc(x, number), (ufunc, number))
            agree(run(UFUNCS[ufunc], number, x), ufunc(number, x), (number, ufunc))


def test_weak_numbers() -> None:
    x = np.arange(3, dtype=np.float32)
    assert run(UFUNCS[np.add], x, 1).dtype == np.float32
    assert run(UFUNCS[np.add], x, Dynamic(1.5)).dtype == np.float32
    assert run(UFUNCS[np.add], x.astype(np.int8), Dynamic(True)).dtype == np.int8
    assert run(UFUNCS[np.sin], Dynamic(1)).dtype == np.float64
    with pytest.raises(OpError, match="does not fit uint8"):
        run(UFUNCS[np.add], x.astype(np.uint8), 256)


def test_dtype_argument() -> None:
    got = run(UFUNCS[np.add], np.arange(3), 1, dtype=np.float32)
    agree(got, np.add(np.arange(3), 1, dtype=np.float32), "dtype")


NUMBERS = [True, False, 0, 1, -7, 3, 2.5, -0.5, -3.0, 1 + 2j]
PYTHON = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le gt ge eq ne".split()


@pytest.mark.parametrize("name", PYTHON)
def test_python_operators(name: str) -> None:
    for x, y in itertools.product(NUMBERS, NUMBERS):
        try:
            expected = getattr(operator, name)(x, y)
        except (TypeError, ValueError, ZeroDivisionError):
            continue
        if isinstance(expected, complex) and not isinstance(x + y, complex):
            continue
        for a, b in ((Dynamic(x), y), (x, Dynamic(y)), (Dynamic(x), Dynamic(y))):
            if name == "pow" and isinstance(b, Dynamic) and isinstance(y, int) and y < 0:
                continue
            got = run(OPERATORS[name], a, b)
            assert type(got) is type(expected), (x, y, got, expected)
            assert got == pytest.approx(expected, rel=1e-14), (x, y, got, expected)


def test_python_unary_operators() -> None:
    for x in NUMBERS:
        for name in ("neg", "pos", "invert", "abs", "not_"):
            try:
                expected = getattr(operator, name)(x)
            except TypeError:
                continue
            got = run(OPERATORS[name], Dynamic(x))
            assert (type(got), got) == (type(expected), expected), (name, x)
