"""Orders that generators draw: `permutation`, `shuffle`, `permuted`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.heap import ListCell
from pyxla.infer.lattice import Array, Const, Ref, Scalar
from pyxla.infer.random.generators import I64, NONE, bits_of, method, shaped, visit
from pyxla.ir.op import OpError
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED
from pyxla.lib.indexing import take
from pyxla.lib.operands import as_array
from pyxla.lib.random import orders
from pyxla.ops.shape import iota


def drawn_positions(engine: Engine, count: int) -> Ref:
    """A fresh array of the numbers 0 to count - 1."""
    return arrays.fresh(engine, Array(iota(dtype=I64, shape=(count,), dimension=0)))


def _order(engine: Engine, ref: Any, count: int) -> Array:
    """The positions 0 to count - 1, shuffled."""
    order = drawn_positions(engine, count)
    if count > 1:
        visit(engine, orders.shuffled, bits_of(engine, ref), order)
    return engine.as_array(order)


@method("permutation")
def _permutation(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("permutation", permuted_copy, engine, ref, given)


def permuted_copy(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    """`permutation`: the numbers below `x`, or a copy of it, shuffled."""
    x = engine.bounded_operand(given["x"])
    if isinstance(x, (int, np.integer, Scalar)) and not isinstance(x, (bool, np.bool_)):
        if isinstance(x, Scalar) and x.kind is not int:
            raise OpError("x must be an integer or at least 1-dimensional")
        count = int(engine.static(given["x"], "the size of a permutation"))
        return arrays.fresh(engine, _order(engine, ref, max(count, 0)))
    array = as_array(x)
    axis = axis_of(engine, given["axis"], array.ndim)
    if not array.size and array.ndim == 1:
        return arrays.fresh(engine, array)
    if array.extents is not None:
        return _permuted_line(engine, ref, array)
    order = _order(engine, ref, array.shape[axis])
    return arrays.fresh(engine, take(array, order, axis, wrap=False))


def _permuted_line(engine: Engine, ref: Any, x: Array) -> Any:
    """A shuffled copy of a line whose size is known at run time only."""
    if x.ndim > 1:
        raise OpError(NOT_SUPPORTED)
    places = Array(iota(dtype=I64, shape=x.shape, dimension=0), x.extents)
    order = arrays.fresh(engine, places)
    visit(engine, orders.shuffled, bits_of(engine, ref), order)
    return arrays.fresh(engine, take(x, engine.bounded_operand(order), 0, wrap=False))


def axis_of(engine: Engine, axis: Any, ndim: int) -> int:
    """The axis that is meant, from the front."""
    known = engine.static(axis, "the axis")
    if not -ndim <= known < ndim:
        engine.raise_constant(np.exceptions.AxisError(known, ndim))
    return known % ndim


@method("shuffle")
def shuffle(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    x = given["x"]
    if isinstance(x, Ref) and isinstance(engine.content(x), ListCell):
        raise engine.refuse(
            "the order of a list is known while compiling", "shuffle an array instead"
        )
    if not arrays.is_array(engine, x):
        raise engine.refuse(f"{arrays.kind_of(engine, x)} cannot be shuffled")
    engine.check_writable(x)
    array = engine.operand(x)
    axis = axis_of(engine, given["axis"], array.ndim)
    if array.size:
        order = _order(engine, ref, array.shape[axis])
        arrays.assign(engine, x, take(array, order, axis, wrap=False))
    return NONE


@method("permuted")
def _permuted(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("permuted", _permuted_slices, engine, ref, given)


def _permuted_slices(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    array = as_array(engine.operand(given["x"]))
    if not array.ndim:
        engine.raise_constant(TypeError("len() of unsized object"))
    known = engine.static(given["axis"], "the axis")
    axis = 0 if known is None else axis_of(engine, given["axis"], array.ndim)
    moved = (
        array
        if known is None
        else call_object(
            engine, np.moveaxis, [arrays.fresh(engine, array), Const(axis), Const(-1)], {}
        )
    )
    wide = engine.as_array(moved)
    length = wide.size if known is None else wide.shape[-1]
    rows = shaped(engine, wide, (wide.size // length if length else 0, length))
    if wide.size:
        visit(engine, orders.shuffled_rows, bits_of(engine, ref), rows)
    back = shaped(engine, rows, wide.shape)
    if known is not None:
        back = call_object(engine, np.moveaxis, [back, Const(-1), Const(axis)], {})
    result = engine.as_array(back)
    out = given["out"]
    if isinstance(out, Const) and out.value is None:
        return arrays.fresh(engine, result)
    if not arrays.is_array(engine, out) or arrays.shown(engine, out)[0] != result.shape:
        engine.raise_constant(ValueError("out must have the same shape as x"))
    arrays.assign(engine, out, result)
    return out
