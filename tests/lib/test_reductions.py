"""Reductions, scans and their NaN-ignoring twins against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pyxla
from pyxla.ir.op import OpError
from pyxla.lib.registry import LIBRARY
from tests.lib.compare import check, sample, with_nan
from tests.lib.harness import run

pytestmark = pytest.mark.filterwarnings("ignore")
DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(3, 4), (5,), (), (2, 3, 2)]
ALL = [sample(d, *s) for d in DTYPES for s in SHAPES] + [sample(d, 0, 3) for d in ("i4", "f8")]
FLOATS = [with_nan(sample(d, *s)) for d in ("f2", "f4", "f8", "c16") for s in ((3, 4), (7,))]

SWEEP = [
    np.sum,
    np.prod,
    np.mean,
    np.var,
    np.std,
    np.max,
    np.min,
    np.any,
    np.all,
    np.ptp,
    np.argmax,
    np.argmin,
    np.cumsum,
    np.cumprod,
    np.count_nonzero,
    np.median,
    np.average,
    np.nansum,
    np.nanprod,
    np.nanmean,
    np.nanvar,
    np.nanstd,
    np.nanmax,
    np.nanmin,
    np.nanmedian,
    np.nancumsum,
    np.nancumprod,
    np.diff,
    np.ediff1d,
]


def defined(function, *args, **kwargs) -> bool:
    """Whether NumPy takes the call (and so must we)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **kwargs)
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return False
    return True


@pytest.mark.parametrize("function", SWEEP, ids=lambda f: f.__name__)
def test_sweep(function) -> None:
    for x in [*ALL, *FLOATS]:
        if function is np.nanmedian and x.dtype.kind == "c":
            continue
        options = [{}] if function is np.ediff1d else [{}, {"axis": -1}, {"axis": 0}]
        for kwargs in options:
            if defined(function, x, **kwargs):
                check(function, x, **kwargs)


KEEPDIMS = [
    f
    for f in SWEEP
    if f
    not in (
        np.cumsum,
        np.cumprod,
        np.nancumsum,
        np.nancumprod,
        np.diff,
        np.ediff1d,
        np.count_nonzero,
    )
]


@pytest.mark.parametrize("function", KEEPDIMS, ids=lambda f: f.__name__)
def test_keepdims(function) -> None:
    x = sample("f8", 2, 3, 4)
    for axis in (None, 1, -1, (0, 2)):
        if axis == (0, 2) and function in (np.argmax, np.argmin):
            continue
        check(function, x, axis=axis, keepdims=True)


MASK = np.array([[True, False, True], [False, True, True]])


@pytest.mark.parametrize("function", [np.nanvar, np.nanstd])
def test_degrees_of_freedom_of_what_takes_part(function) -> None:
    x = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 9.0]])
    check(function, x, axis=1, ddof=2, where=MASK)
    check(function, x, axis=0, correction=3)


@pytest.mark.parametrize("function", [np.sum, np.prod, np.mean, np.var, np.any, np.all])
def test_where(function) -> None:
    for dtype in ("i4", "f4", "c16"):
        check(function, sample(dtype, 2, 3), where=MASK)
        check(function, sample(dtype, 2, 3), axis=1, where=MASK)


def test_initial() -> None:
    x = sample("i4", 3, 4)
    check(np.sum, x, axis=0, initial=5)
    check(np.prod, x, initial=2)
    check(np.max, x, axis=1, initial=3)
    check(np.min, x[:0], axis=0, initial=3)
    check(np.max, x, axis=0, initial=-9, where=np.array([True, False, True])[:, None])


def test_dtype() -> None:
    for dtype in (np.float32, np.int8, np.complex128):
        check(np.sum, sample("i4", 3, 4), dtype=dtype)
        check(np.cumsum, sample("i4", 3, 4), axis=0, dtype=dtype)
    check(np.mean, sample("i4", 5), dtype=np.float32)
    check(np.var, sample("f4", 5), dtype=np.float64, ddof=1)


def test_empty_extremum_is_refused() -> None:
    with pytest.raises(OpError, match="no identity"):
        run(LIBRARY[np.max], np.zeros((0, 3)))


METHODS = [
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
]


@pytest.mark.parametrize("method", METHODS)
def test_quantiles(method: str) -> None:
    x = RNG_ROWS
    for q in (0.0, 0.3, 0.5, 1.0, [0.1, 0.25, 0.9]):
        check(np.quantile, x, q, axis=1, method=method)
        check(np.quantile, x, q, method=method, keepdims=True)
    check(np.percentile, x, 35, axis=0, method=method)
    check(np.quantile, np.arange(7), 0.4, method=method)


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i1"])
def test_dtypes_of_quantiles(dtype: str) -> None:
    for x in (np.array([4, 1, 9, 3], dtype), np.array(3, dtype)):
        check(np.percentile, x, 30)
        check(np.percentile, x, 30.0)
        check(np.nanpercentile, x, np.array([30, 70]))
        check(np.quantile, x, 1)
        check(np.quantile, x, [0, 1])


RNG_ROWS = np.random.default_rng(1).normal(size=(4, 9))


def test_nan_quantiles() -> None:
    x = with_nan(RNG_ROWS)
    check(np.quantile, x, 0.3, axis=1)
    check(np.nanquantile, x, 0.3, axis=1)
    check(np.nanpercentile, x, [10, 50], axis=0)
    check(np.quantile, RNG_ROWS.astype("f4"), np.array([0.3, 0.6]), axis=1)
    check(np.quantile, RNG_ROWS.astype("f4"), 0.3, axis=1)


def test_ufunc_methods() -> None:
    x = sample("i4", 3, 4)
    for ufunc in (np.add, np.multiply, np.maximum, np.subtract, np.bitwise_or, np.logical_and):
        check_method(ufunc, "reduce", x)
        check_method(ufunc, "reduce", x, axis=1, keepdims=True)
        check_method(ufunc, "accumulate", x, axis=1)
        check_method(ufunc, "outer", x[0], x[:, 0])
        check_method(ufunc, "reduceat", x, [0, 2, 1], axis=1)
    check_method(np.divide, "reduce", x.astype(float) + 9, axis=0)
    check_method(np.power, "accumulate", np.array([2, 3, 2]))
    check_method(np.maximum, "accumulate", np.zeros((3, 0)))


def check_method(ufunc, name, *args, **kwargs) -> None:
    check(getattr(ufunc, name), *args, **kwargs)


def test_averages() -> None:
    x = sample("f8", 3, 4)
    check(np.average, x, weights=np.arange(1.0, 5.0), axis=1)
    check(np.average, x, weights=x + 9, returned=True)
    check(np.average, sample("i4", 3), weights=np.array([1, 2, 3]))


def test_differences() -> None:
    x = sample("f8", 3, 4)
    check(np.diff, x, n=2, axis=0)
    check(np.diff, x, prepend=0.0, append=np.ones((3, 2)))
    check(np.ediff1d, x, to_end=[9.0, 8.0], to_begin=1.0)
    check(np.cumulative_sum, x, axis=1, include_initial=True)
    check(np.cumulative_prod, x[0], include_initial=True)
    check(np.ptp, x, axis=1, keepdims=True)


def test_correlation() -> None:
    x = np.random.default_rng(2).normal(size=(3, 8))
    check(np.cov, x)
    check(np.cov, x, ddof=0)
    check(np.cov, x.T, rowvar=False)
    check(np.cov, x[0], x[1])
    check(np.cov, x, fweights=np.arange(1, 9), aweights=np.linspace(1, 2, 8))
    check(np.corrcoef, x)
    check(np.corrcoef, x[0], x[1])


def test_histograms() -> None:
    x = np.random.default_rng(3).normal(size=50)
    check(np.histogram, x)
    check(np.histogram, x, bins=5, range=(-1.0, 1.0))
    check(np.histogram, x, bins=np.array([-1.0, 0.0, 0.5, 2.0]), density=True)
    check(np.histogram, np.arange(10), bins=4, weights=np.linspace(0, 1, 10))
    check(np.histogram2d, x, x[::-1], bins=4)
    check(np.histogram_bin_edges, x, 7)


def between_infinities(x):
    q = np.array([0.0, 0.3, 0.5, 1.0])
    return (
        *(np.percentile(x, 30), np.median(x), np.nanmedian(x), np.quantile(x, q)),
        *(np.quantile(x, q, method="nearest"), np.nanquantile(x, q, method="lower")),
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "x", [(-np.inf, -np.inf, 1, 2), (-np.inf, 1, 2, np.inf), (np.inf,) * 3, (np.nan, np.inf, 1, 2)]
)
def test_quantiles_between_infinities(x, dtype):
    x = np.array(x, dtype)
    found = pyxla.compile(between_infinities)(x)
    for one, other in zip(found, between_infinities(x), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
