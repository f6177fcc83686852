"""Compares library functions with NumPy: the same call, on operands and on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import pyxla.lib.everything  # noqa: F401 - fills the registry
from pyxla.lib.registry import LIBRARY, LeftToPython
from tests.lib.harness import Dynamic, run

RNG = np.random.default_rng(0)


def sample(dtype: str, *shape: int) -> np.ndarray:
    """Small numbers with ties and both signs."""
    kind = np.dtype(dtype).kind
    data = RNG.integers(0 if kind in "bu" else -4, 2 if kind == "b" else 5, shape)
    if kind == "c":
        return (data + 1j * RNG.integers(-4, 5, shape)).astype(dtype)
    return np.asarray(data * (0.75 if kind in "f" else 1)).astype(dtype)


def with_nan(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.ravel()[::5] = np.nan
    return x


def same(got: Any, expected: Any, what: Any, loose: float = 64) -> None:
    """Equal in dtype, shape and value up to rounding, in containers too."""
    if isinstance(expected, list | tuple):
        assert isinstance(got, list | tuple), (what, got)
        assert len(got) == len(expected), (what, len(got), len(expected))
        for g, e in zip(got, expected, strict=True):
            same(g, e, what, loose)
        return
    if not isinstance(expected, np.ndarray | np.generic):
        assert type(got) is type(expected), (what, type(got), type(expected))
        assert got == expected or (got != got and expected != expected), (what, got, expected)
        return
    assert isinstance(got, np.ndarray), (what, type(got))
    assert (got.dtype, got.shape) == (expected.dtype, np.shape(expected)), (
        f"{what}: {got.dtype}{list(got.shape)} for {expected.dtype}{list(np.shape(expected))}"
    )
    if expected.dtype.kind in "fcV":
        eps = loose * float(ml_dtypes.finfo(expected.dtype).eps)
        wide = complex if expected.dtype.kind == "c" else float
        np.testing.assert_allclose(
            got.astype(wide), np.asarray(expected).astype(wide), eps, eps, err_msg=str(what)
        )
    else:
        np.testing.assert_array_equal(got, expected, err_msg=str(what))


def plain(x: Any) -> Any:
    """What NumPy is called with."""
    if isinstance(x, Dynamic):
        return x.value
    return type(x)([plain(i) for i in x]) if isinstance(x, list | tuple) else x


def check(function: Callable[..., Any], *args: Any, loose: float = 64, **kwargs: Any) -> None:
    """The library's `function(*args, **kwargs)` is NumPy's.  What NumPy writes in Python and the
    library leaves to it is compiled (`test_compiled`)."""
    if function not in LIBRARY:
        return
    with np.errstate(all="ignore"):
        expected = function(*plain(args), **{name: plain(x) for name, x in kwargs.items()})
    try:
        got = run(LIBRARY[function], *args, **kwargs)
    except LeftToPython:
        return
    shapes = [f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else x for x in args]
    same(got, expected, (function.__name__, shapes, kwargs), loose)
