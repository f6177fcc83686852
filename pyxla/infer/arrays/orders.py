"""The order in which NumPy lays new arrays out in memory, by that of what they are made of.

NumPy is asked, with arrays that have shapes and strides, and no elements that anybody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import Array, Const, Ref, Tuple, is_number, number_type
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.views import views

_KEPT, _ANEW = (None, "K"), (None, "C")
# Functions whose results have the order of the first argument, or are asked for one: the place of
# `order` among their arguments, and its default.
_COPY: dict[Any, tuple[int | None, str]] = {
    np.copy: (1, "K"),
    np.array: (None, "K"),
    np.asarray: (2, "K"),
    np.asanyarray: (2, "K"),
    np.ascontiguousarray: (None, "C"),
    np.asfortranarray: (None, "F"),
    np.ndarray.copy: (1, "C"),
    np.ndarray.astype: (2, "K"),
    np.astype: (None, "K"),
    np.zeros_like: (2, "K"),
    np.ones_like: (2, "K"),
    np.empty_like: (2, "K"),
    np.full_like: (3, "K"),
    np.zeros: (2, "C"),
    np.ones: (2, "C"),
    np.empty: (2, "C"),
    np.full: (3, "C"),
    **dict.fromkeys((np.sort, np.cumsum, np.ndarray.cumsum, np.cumprod, np.ndarray.cumprod), _KEPT),
    np.roll: _KEPT,
    **dict.fromkeys((np.argsort, np.ndarray.argsort, np.dot, np.ndarray.dot, np.outer), _ANEW),
    **dict.fromkeys((np.take, np.ndarray.take, np.repeat, np.ndarray.repeat, np.tile), _ANEW),
}
_REDUCTIONS = (
    *(np.sum, np.prod, np.max, np.min, np.amax, np.amin, np.mean, np.std, np.var, np.any, np.all),
    *(np.ndarray.sum, np.ndarray.prod, np.ndarray.max, np.ndarray.min, np.ndarray.mean),
    *(np.ndarray.std, np.ndarray.var, np.ndarray.any, np.ndarray.all),
)
_OF_ELEMENTS = (np.where, np.clip, np.ndarray.clip, np.isclose)
# Functions that are called with arrays of zeros that lie as the program's do: no value decides how
# their results lie, and none is out of order.
_CALLED = frozenset(
    (
        *(np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.append),
        *(np.block, np.pad, np.diff, np.triu, np.tril, np.kron, np.delete, np.insert, np.cross),
        *(np.round, np.around, np.ndarray.round, np.partition, np.isin, np.average, np.trapezoid),
        *(np.tensordot, np.inner, np.interp, np.select, np.nancumsum, np.ptp, np.median, np.resize),
    )
)
_MOST = 1 << 16  # elements of the arrays that these are called with


_UNKNOWN = (np.apply_along_axis, np.unravel_index, np.histogram2d)


def of_function(
    engine: Engine, function: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Any
) -> Any:
    """The strides of what a function makes of these arguments: None for C order, `MIXED`
    where they are not known."""
    if function in _UNKNOWN:
        return views.MIXED
    if not isinstance(result, Array) or result.ndim < 2:
        return engine.strides
    if function is np.matmul:
        return None if result.ndim == 2 else engine.strides
    if isinstance(function, np.ufunc) or function in _OF_ELEMENTS:
        return of_elements(engine, (*args, *kwargs.values()), result)
    source = layout(engine, args[0]) if args else None
    if function in _REDUCTIONS:
        axis = args[1] if len(args) > 1 else kwargs.get("axis")
        return _reduced(engine, source, axis, result)
    if function in _CALLED and (engine.strides is not None or function is np.block):
        return _called(engine, function, args, kwargs, result)
    if function not in _COPY:
        return engine.strides
    place, default = _COPY[function]
    given = kwargs.get("order", Const(default))
    if place is not None and len(args) > place:
        given = args[place]
    order: Any = given.value or "K" if isinstance(given, Const) else ""
    if source is None or (source is not views.MIXED and source.shape != result.shape):
        source = None if "shape" in kwargs else views.layout(result.type, ())  # of lists
    if order == "C":
        return None
    if order == "F":
        return _made(engine, result, lambda: np.empty(result.shape, result.dtype, "F"))
    if source is None or source is views.MIXED or order not in ("A", "K"):
        return engine.strides
    return _made(engine, result, lambda: np.empty_like(source, result.dtype, order))


def _reduced(engine: Engine, source: Any, axis: Any, result: Array) -> Any:
    """The same of a reduction along one axis."""
    known = isinstance(axis, Const) and type(axis.value) is int
    if engine.strides is None or not known or not isinstance(source, np.ndarray):
        return engine.strides
    rest = np.moveaxis(source, axis.value, 0)[0]
    rest = np.expand_dims(rest, axis.value) if rest.ndim < result.ndim else rest
    return _made(engine, result, lambda: np.empty_like(rest, result.dtype))


def _called(
    engine: Engine, function: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Array
) -> Any:
    """The same of what NumPy makes of zeros that lie as these arguments do."""
    try:
        given = [_zeros(engine, x) for x in args]
        named = {name: _zeros(engine, x) for name, x in kwargs.items()}
    except LookupError:
        return engine.strides

    def make() -> Any:
        try:
            with np.errstate(all="ignore"):
                return np.asarray(function(*given, **named))
        except Exception:  # noqa: BLE001 - zeros are not what it takes
            return np.zeros(())

    return _made(engine, result, make) if result.size <= _MOST else views.MIXED


def _zeros(engine: Engine, x: Any) -> Any:
    """An argument as NumPy gets it, with zeros for elements that data decides."""
    if isinstance(x, Const):
        return x.value
    if is_number(x) and not isinstance(x, Ref):
        return number_type(x).dtype.type(0)
    if isinstance(x, Ref) and isinstance(content := engine.content(x), ListCell):
        return [_zeros(engine, item) for item in content.items]
    if isinstance(x, Tuple):
        return tuple([_zeros(engine, item) for item in x.items])
    source = layout(engine, x)
    if source is None or source is views.MIXED or source.size > _MOST:
        raise LookupError
    return np.zeros_like(source)


def of_elements(engine: Engine, xs: Sequence[Any], result: Any) -> Any:
    """The same of what is computed of arrays element by element."""
    if engine.strides is None or not isinstance(result, Array):
        return engine.strides
    layouts = [layout(engine, x) for x in xs if not (is_number(x) or isinstance(x, Const))]
    if any(x is None or x is views.MIXED for x in layouts):
        return views.MIXED
    modes: list[Any] = [["readonly"]] * len(layouts) + [["writeonly", "allocate"]]
    types = [None] * len(layouts) + [result.dtype]

    def make() -> np.ndarray:
        walk = np.nditer([*layouts, None], ["zerosize_ok"], modes, types)
        return walk.operands[-1]

    return _made(engine, result, make)


def _made(engine: Engine, result: Array, make: Callable[[], np.ndarray]) -> Any:
    """The strides of an array that NumPy makes."""
    try:
        made = None if result.extents is not None else make()
    except MemoryError:
        made = None
    if made is None or made.shape != result.shape:
        return engine.strides
    return None if made.flags.c_contiguous else made.strides


def layout(engine: Engine, x: Any) -> Any:
    """An array that lies in memory as `x` does; None where it is no array."""
    if not isinstance(x, Ref) or not arrays.is_array(engine, x):
        return None
    strides, content = engine.heap.infos[x.cell].strides, engine.content(x)
    if strides == views.MIXED or arrays.shown(engine, x)[1] is not None:
        return views.MIXED
    return views.layout(content.type, x.view, strides)


def axes_of(engine: Engine, x: Ref) -> list[int] | None:
    """The dimensions of an array from the slowest in memory to the fastest, where that is another
    order."""
    laid = layout(engine, x)
    if not isinstance(laid, np.ndarray) or laid.flags.c_contiguous:
        return None
    axes = sorted(range(laid.ndim), key=lambda d: -abs(laid.strides[d]))
    return axes if axes != sorted(axes) else None
