"""Positions that library functions are given are in range: else the program raises, as NumPy does.

Like `infer.raising.checks`: asked with `checks=True`, or where the program catches what is raised.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import pyxla.lib.everything  # noqa: F401 - the functions that this is about
from pyxla.abstract.facts.integers import Int, times, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.infer.arrays.bounds import check_array, first_bad
from pyxla.infer.engine import Engine
from pyxla.infer.raising.faults import Raises, exception
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib import kernels as k
from pyxla.lib.indexing import true_size
from pyxla.lib.manipulation import items_of
from pyxla.lib.masks import within
from pyxla.lib.operands import as_array, as_shape, cast, normalize_axis
from pyxla.lib.reductions import all as all_
from pyxla.lib.registry import LIBRARY
from pyxla.lib.scans import ufunc_reduceat
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread

_CHECKS: dict[Any, tuple[type[Exception], Callable[..., None]]] = {}


def verify_positions(engine: Engine, function: Any, operands: Any, named: dict[str, Any]) -> None:
    """The program raises where a library function is given a position out of range."""
    if isinstance(function, functools.partial):  # of a ufunc
        function, operands = function.func, [*function.args, *operands]
    kind, check = _CHECKS.get(function, (None, None))
    if check is not None and engine.tests(kind):
        check(engine, *operands, **named)


def checks(kind: type[Exception], function: Any) -> Callable[[Any], Any]:
    def register(check: Callable[..., None]) -> Callable[..., None]:
        _CHECKS[function] = kind, check
        return check

    return register


@checks(IndexError, LIBRARY[np.take])
def _take(
    engine: Engine, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise"
) -> None:
    if mode == "raise":
        _check_along(engine, as_array(a), indices, axis)


@checks(IndexError, LIBRARY[np.take_along_axis])
def _take_along_axis(engine: Engine, arr: Any, indices: Any, axis: Any = -1) -> None:
    _check_along(engine, as_array(arr), indices, axis)


def _check_along(engine: Engine, x: Array, indices: Any, axis: Any) -> None:
    """axis: None for the array with its dimensions made one."""
    flat = axis is None and x.ndim != 1
    place = 0 if axis is None else normalize_axis(axis, max(x.ndim, 1))
    size: Int = 1
    for d in range(x.ndim) if flat or not x.shape else (place,):
        size = times(size, true_size(x, d))
    check_array(engine, as_array(indices), size, place)


@checks(IndexError, LIBRARY[np.delete])
def _delete(engine: Engine, arr: Any, obj: Any, axis: Any = None) -> None:
    if isinstance(obj, Array | Scalar) and obj.dtype.kind in "iu":
        _check_along(engine, as_array(arr), obj, axis)


@checks(IndexError, LIBRARY[np.insert])
def _insert(engine: Engine, arr: Any, obj: Any, values: Any, axis: Any = None) -> None:
    x = as_array(arr)
    if not isinstance(obj, Scalar) or x.extents is not None:
        return
    place = 0 if axis is None else normalize_axis(axis, x.ndim)
    size = x.size if axis is None else x.shape[place]
    value = _wide(obj)
    good = op.and_(k.ge(value, k.like(value, -size)), k.le(value, k.like(value, size)))
    words = f" is out of bounds for axis {place} with size {size}"
    ensure(engine, good, lambda: exception(IndexError, "index ", obj, words))


@checks(ValueError, LIBRARY[np.choose])
def _choose(engine: Engine, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> None:
    if mode == "raise":
        count = choices.shape[0] if isinstance(choices, Array) else len(choices)
        ensure(engine, _within(a, count), ValueError("invalid entry in choice array"))


@checks(ValueError, LIBRARY[np.unravel_index])
def _unravel_index(engine: Engine, indices: Any, shape: Any, order: str = "C") -> None:
    size = int(np.prod(as_shape(shape)))
    good = _within(indices, size)

    def error() -> Any:
        found = first_bad(_wide(indices), good)
        return exception(
            ValueError, "index ", found, f" is out of bounds for array with size {size}"
        )

    ensure(engine, good, error, ValueError)


@checks(ValueError, LIBRARY[np.ravel_multi_index])
def _ravel_multi_index(
    engine: Engine, multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C"
) -> None:
    extents = as_shape(dims)
    modes = mode if isinstance(mode, tuple) else (mode,) * len(extents)
    rows = multi_index if isinstance(multi_index, list | tuple) else items_of(multi_index)
    for row, extent, how in zip(rows, extents, modes, strict=False):
        if how == "raise":
            error = ValueError("invalid entry in coordinates array")
            ensure(engine, _within(row, extent), error)


@checks(IndexError, ufunc_reduceat)
def _reduceat(
    engine: Engine, ufunc: Any, array: Any, indices: Any, axis: Any = 0, *_: Any, **named: Any
) -> None:
    x = as_array(array)
    size = true_size(x, normalize_axis(axis, x.ndim))
    good = _within(indices, size)
    words = f" out-of-bounds in {getattr(ufunc, '__name__', 'ufunc')}.reduceat [0, "

    def error() -> Any:
        return exception(IndexError, "index ", first_bad(_wide(indices), good), words, size, ")")

    ensure(engine, good, error)


@checks(ValueError, LIBRARY[np.argpartition])
@checks(ValueError, LIBRARY[np.partition])
def _partition(engine: Engine, a: Any, kth: Any, axis: Any = -1, *_: Any, **named: Any) -> None:
    x = as_array(a)
    flat = axis is None
    size = x.size if flat else true_size(x, normalize_axis(axis, x.ndim))
    if isinstance(size, int) and isinstance(kth, int):
        if size and not -size <= kth < size:
            raise OpError(f"kth(={kth}) out of bounds ({size})")
        return
    value = _wide(kth)
    count = spread(value_of(size), value.type.shape)
    value = op.select(k.lt(value, k.like(value, 0)), op.add(value, count), value)
    good = op.and_(k.ge(value, k.like(value, 0)), k.lt(value, count))
    good = op.or_(good, k.eq(count, k.like(count, 0)))

    def error() -> Any:
        found = first_bad(value, good)
        return exception(ValueError, "kth(=", found, ") out of bounds (", size, ")")

    ensure(engine, good, error, ValueError)


def _wide(x: Any) -> Value:
    return op.convert(as_array(x).value, dtype=I64.dtype, weak=False)


def _within(x: Any, size: Int) -> Value:
    """Which elements are positions from 0 to `size`, or lie past the extents of `x`."""
    value, inside = _wide(x), within(as_array(x))
    known = isinstance(size, int)
    end = (
        k.like(value, size) if known else spread(cast(value_of(size), I64.dtype), value.type.shape)
    )
    good = op.and_(k.ge(value, k.like(value, 0)), k.lt(value, end))
    return good if inside is None else op.or_(good, op.not_(inside))


def ensure(engine: Engine, good: Value, error: Any, kind: type[Exception] = IndexError) -> None:
    if good.type.size:
        error = error if isinstance(error, Exception) else Raises(kind, error)
        engine.ensure(Scalar(all_(Array(good)).value), error)
