"""Elements that library functions can do nothing with: the program raises, as NumPy does.

Asked as positions are (`infer.arrays.positions`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.infer.arrays.positions import checks, ensure
from pyxla.infer.engine import Engine
from pyxla.infer.raising.faults import exception
from pyxla.lib import kernels as k
from pyxla.lib import reductions as r
from pyxla.lib.indexing import true_size
from pyxla.lib.masks import within
from pyxla.lib.operands import INT, as_array, literal
from pyxla.lib.registry import LIBRARY
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread


def _full(x: Array, number: Any) -> Array:
    """`x` with `number` past its extents."""
    inside = within(x)
    if inside is None:
        return x
    return Array(op.select(inside, x.value, spread(literal(number, x.dtype), x.shape)))


@checks(ZeroDivisionError, LIBRARY[np.average])
def _average(
    engine: Engine, a: Any, axis: Any = None, weights: Any = None, *_: Any, **named: Any
) -> None:
    if weights is None:
        return
    x, w = as_array(a), as_array(weights)
    total = r.sum(_full(w, 0), axis if w.ndim == x.ndim else None).value
    good = k.ne(total, k.like(total, 0))
    ensure(engine, good, ZeroDivisionError("Weights sum to zero, can't be normalized"))


@checks(ValueError, LIBRARY[polynomial.polyadd])
@checks(ValueError, LIBRARY[polynomial.polysub])
@checks(ValueError, LIBRARY[polynomial.polymul])
def _series(engine: Engine, *series: Any) -> None:
    for x in map(as_array, series):
        if x.extents is not None:
            some = k.gt(value_of(true_size(x, 0)), literal(0, INT))
            ensure(engine, some, ValueError("Coefficient array is empty"))


@checks(ValueError, LIBRARY[np.nanargmax])
@checks(ValueError, LIBRARY[np.nanargmin])
def _nanarg(engine: Engine, a: Any, axis: Any = None, *_: Any, **named: Any) -> None:
    x = as_array(a)
    if CLASSES[x.dtype] in "fc" and x.size:
        missing = r.all(Array(k.isnan(_full(x, np.nan).value)), axis).value
        ensure(engine, op.not_(missing), ValueError("All-NaN slice encountered"))


@checks(ValueError, LIBRARY[np.histogram])
@checks(ValueError, LIBRARY[np.histogram_bin_edges])
def _histogram(
    engine: Engine, a: Any, bins: Any = 10, range: Any = None, *_: Any, **named: Any
) -> None:
    """The ends of the bins are finite, and in order where they are given."""
    x = as_array(a)
    if not isinstance(bins, int) or (range is None and (CLASSES[x.dtype] != "f" or not x.size)):
        return
    if range is None:
        whole = k.isfinite(_full(x, 0).value)
        ensure(engine, whole, functools.partial(_no_limits, x), ValueError)
        return
    low, high = [as_array(end, np.dtype(float)).value for end in range]
    error = ValueError("max must be larger than min in range parameter.")
    ensure(engine, op.not_(k.gt(low, high)), error)
    whole = op.and_(k.isfinite(low), k.isfinite(high))
    ensure(engine, whole, functools.partial(_not_finite, "supplied", *range), ValueError)


def _no_limits(x: Array) -> Any:
    return _not_finite("autodetected", r.min(_full(x, np.inf)), r.max(_full(x, -np.inf)))


def _not_finite(word: str, *ends: Any) -> Any:
    low, high = [_number(x) if isinstance(x, Array) else x for x in ends]
    return exception(ValueError, f"{word} range of [", low, ", ", high, "] is not finite")


def _number(x: Array) -> Scalar:
    return Scalar(op.convert(x.value, dtype=np.dtype(float), weak=True))
