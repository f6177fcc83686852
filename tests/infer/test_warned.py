"""Warnings from compiled code: as CPython warns, in order, from the lines that are to blame."""

from __future__ import annotations

import warnings

import pytest

import pyxla


class NotConverged(UserWarning):
    pass


def halved(x, n):
    for _ in range(n):
        x = x / 2
        if x < 1e-3:
            break
    else:
        warnings.warn(f"no convergence after {n} steps: {x:.3f}", NotConverged, stacklevel=2)
    return x


def several(x, n):
    if x > 2:
        warnings.warn("x is large")  # noqa: B028
    if n > 3:
        warnings.warn(RuntimeWarning("n is large"))  # noqa: B028
    return halved(x, n)


def filtered(x, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = several(x, n)
        if y > 100:
            raise ValueError("y")
    warnings.warn("seen")  # noqa: B028
    return y


def seen(function, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except ValueError as error:
            result = str(error)
        warnings.warn("after")  # noqa: B028
    return result, [(str(w.message), w.category, w.filename, w.lineno) for w in found]


@pytest.mark.parametrize("function", [several, filtered])
@pytest.mark.parametrize("args", [(3.0, 4), (1.0, 30), (5000.0, 4)])
def test_warnings_are_cpythons(function, args):
    assert seen(pyxla.compile(function), *args) == seen(function, *args)


def test_a_warning_that_is_an_error():
    with warnings.catch_warnings(), pytest.raises(NotConverged, match="after 3 steps: 0.125"):
        warnings.simplefilter("error")
        pyxla.compile(halved)(1.0, 3)


def recorded(x):
    with warnings.catch_warnings(record=True) as found:
        return x, len(found)


def test_recording_is_refused():
    with pytest.raises(pyxla.CompileError, match="warnings are not recorded in compiled code"):
        pyxla.compile(recorded)(1.0)
