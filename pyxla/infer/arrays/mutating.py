"""NumPy functions that write into an array: fill, put, copyto, sort in place, `ufunc.at`, ..."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from pyxla.abstract.heap import Shadow
from pyxla.abstract.lattice import Array, Const, Ref, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays.bounds import parsed
from pyxla.infer.arrays.fitting import conformed, verify_indexed
from pyxla.infer.arrays.viewing import flat
from pyxla.infer.calls.dispatch import call
from pyxla.infer.engine import Engine
from pyxla.infer.raising.sizes import verify_stored
from pyxla.ir.op import OpError
from pyxla.ir.types import I32, I64
from pyxla.lib import scans
from pyxla.lib.indexing import conform, scatter_at, setitem, take
from pyxla.lib.masks import ranks
from pyxla.lib.operands import BOOL, as_array, broadcast_to, cast, literal
from pyxla.lib.reductions import fold
from pyxla.lib.registry import rule
from pyxla.lib.selection import wrapped
from pyxla.ops.elementwise import add, negate, not_, remainder, select
from pyxla.ops.filled import number
from pyxla.ops.shape import constant, reshape
from pyxla.views.blocks import Range
from pyxla.views.reshaping import diagonal
from pyxla.views.views import BasicIndex, extend

NONE = Const(None)


def mutates(*targets: Any) -> Any:
    """Register a function of (engine, ref, *operands) that writes into the array `ref`."""

    def register(function: Any) -> Any:
        for target in targets:
            rule(target)(functools.partial(_call, function, Engine.operand))
        return function

    return register


def _call(function: Any, convert: Any, engine: Engine, ref: Any, *args: Any, **kwargs: Any) -> Any:
    if not arrays.is_array(engine, ref):
        raise OpError(f"an array to write to is needed, not {arrays.kind_of(engine, ref)}")
    engine.check_writable(ref)
    operands = [convert(engine, x) for x in args]
    function(engine, ref, *operands, **{k: convert(engine, x) for k, x in kwargs.items()})
    return NONE


def _write(engine: Engine, ref: Ref, value: Any) -> None:
    """`ref[...] = value`."""
    shape, extents = arrays.shown(engine, ref)
    dtype = arrays.dtype_of(engine, ref)
    verify_stored(engine, value, dtype)
    arrays.write(engine, ref, conformed(engine, value, shape, dtype, extents))


@mutates(np.ndarray.fill)
def fill(engine: Engine, ref: Ref, value: Any) -> None:
    _write(engine, ref, value)


@mutates(np.fill_diagonal)
def fill_diagonal(engine: Engine, ref: Ref, val: Any, wrap: bool = False) -> None:
    shape, extents = arrays.shown(engine, ref)
    if len(shape) < 2:
        raise OpError("array must be at least 2-d")
    if extents is not None and len(shape) == 2 and not wrap and _is_number(val):
        places = diagonal(shape, extents, writable=True)
        _write(engine, Ref(ref.cell, extend(ref.view, places)), val)
        return
    if len(shape) > 2 and len(set(shape)) > 1:
        raise OpError("All dimensions of input must be of equal length")
    size = math.prod(shape)
    if len(shape) == 2:
        step = shape[1] + 1
        end = size if wrap else min(shape[1] * shape[1], size)
    else:
        step = 1 + sum(math.prod(shape[d:]) for d in range(1, len(shape)))
        end = size
    count = -(-end // step)
    if not count:
        return
    along = BasicIndex((size,), (Range(0, count, step if count > 1 else 1),), (0,))
    line = Ref(ref.cell, extend(flat(engine, ref).view, along))
    _write(engine, line, val if _is_number(val) else _cycled(as_array(val), count))


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex, Scalar))


def _cycled(values: Array, count: int) -> Array:
    """The elements of `values`, over and over, `count` of them."""
    line = reshape(values.value, shape=(values.size,))
    if values.size == count:
        return Array(line)
    if not values.size:
        raise OpError("no values are given")
    order = constant(value=np.arange(count, dtype=I64.dtype) % values.size)
    return take(Array(line), Array(order), 0)


@mutates(np.put, np.ndarray.put)
def put(engine: Engine, ref: Ref, ind: Any, v: Any, mode: str = "raise") -> None:
    along = flat(engine, ref)
    shape, extents = arrays.shown(engine, along)
    at = as_array(ind, None if isinstance(ind, Array) else I64.dtype)
    if mode in ("clip", "wrap") and extents is None and at.dtype.kind in "iu" and shape[0]:
        at = Array(wrapped(cast(at.value, I64.dtype), shape[0], mode), at.extents)
    elif mode != "raise":
        raise OpError(f"mode={mode!r} is not supported here")
    at = Array(reshape(at.value, shape=(at.size,)), at.extents)
    if not at.size:
        return
    if not math.prod(shape):
        engine.raise_constant(IndexError("cannot replace elements of an empty array"))
    verify_stored(engine, v, arrays.dtype_of(engine, ref))
    values = v if _is_number(v) else _cycled(as_array(v), at.size)
    index = parsed(engine, shape, extents, at)
    arrays.write(engine, along, setitem(arrays.read(engine, along), index, values))


@mutates(np.putmask)
def putmask(engine: Engine, ref: Ref, mask: Any, values: Any) -> None:
    old = arrays.read(engine, ref)
    verify_stored(engine, values, old.dtype)
    chosen = broadcast_to(as_array(mask, np.bool_).value, old.shape)
    new = values
    if not _is_number(values):
        new = Array(reshape(_cycled(as_array(values), old.size).value, shape=old.shape))
    new = conform(new, old.shape, old.dtype)
    arrays.write(engine, ref, Array(select(chosen, new.value, old.value)))


@mutates(np.place)
def place(engine: Engine, ref: Ref, mask: Any, vals: Any) -> None:
    old = arrays.read(engine, ref)
    verify_stored(engine, vals, old.dtype)
    chosen = as_array(mask, np.bool_)
    values = as_array(vals)
    size = old.size
    if chosen.size != size:
        raise OpError("place: mask and data must be the same size")
    if not size:
        return
    if not values.size:
        some = fold(reshape(chosen.value, shape=(size,)), (0,), literal(False, BOOL), "or")
        return engine.ensure(Scalar(not_(some)), ValueError("Cannot insert from an empty array!"))
    rank = add(ranks(chosen), number(-1 + values.size, I32.dtype, (size,)))
    rank = remainder(rank, number(values.size, I32.dtype, (size,)))
    line = Array(reshape(cast(values.value, old.dtype), shape=(values.size,)))
    new = reshape(take(line, Array(rank), 0, wrap=False).value, shape=old.shape)
    chosen_value = reshape(chosen.value, shape=old.shape)
    arrays.write(engine, ref, Array(select(chosen_value, new, old.value)))


def copyto(
    engine: Engine, ref: Ref, src: Any, casting: Any = "same_kind", where: Any = True
) -> None:
    dtype = arrays.dtype_of(engine, ref)
    if not isinstance(src, list | tuple):
        if isinstance(src, Array):
            sample: Any = np.ones([1] * len(src.shape), src.dtype)
        else:
            sample = getattr(src, "kind", type(src))(1)
        try:
            np.copyto(np.zeros([1] * np.ndim(sample), dtype), sample, casting)
        except TypeError as error:
            raise OpError(str(error), TypeError) from None
    if where is True:
        _write(engine, ref, src)
        return
    verify_stored(engine, src, dtype)
    old = arrays.read(engine, ref)
    new = conformed(engine, src, old.shape, dtype, old.extents)
    bools = np.dtype(bool)
    chosen = conformed(engine, as_array(where), old.shape, bools, old.extents, "where mask")
    arrays.write(engine, ref, Array(select(chosen.value, new.value, old.value), old.extents))


rule(np.copyto)(functools.partial(_call, copyto, Engine.bounded_operand))


def _rearranges(target: Any, function: Any) -> None:
    """`x.sort()`: what `np.sort(x)` gives, written into `x`."""

    def rearrange(engine: Engine, ref: Any, *args: Any, **kwargs: Any) -> Any:
        result = call(engine, Const(function), [ref, *args], kwargs)
        arrays.write(engine, ref, arrays.read(engine, result))
        return NONE

    rule(target)(rearrange)


_rearranges(np.ndarray.sort, np.sort)
_rearranges(np.ndarray.partition, np.partition)


# What a scatter accumulates with, for ufuncs that are one of its computations on their arrays.
COMPUTATIONS = scans.COMPUTATIONS | {np.subtract: "add"}


@rule(np.ufunc.at)
def ufunc_at(engine: Engine, ufunc: Any, a: Any, indices: Any, b: Any = None) -> Any:
    """`ufunc.at(a, indices, b)`: duplicate positions accumulate."""
    accumulate = COMPUTATIONS.get(ufunc.value)
    if accumulate is None or b is None:
        raise OpError(f"np.{ufunc.value.__name__}.at is not supported")
    accumulating = functools.partial(_accumulate, ufunc.value)
    _call(accumulating, Engine.bounded_operand, engine, a, indices, b)
    return NONE


def _accumulate(ufunc: np.ufunc, engine: Engine, ref: Ref, indices: Any, b: Any) -> None:
    old = arrays.read(engine, ref)
    if ufunc.__name__.startswith("logical") and old.dtype != np.bool_:
        raise OpError(f"np.{ufunc.__name__}.at is supported on arrays of bool only")
    work = _loop_type(ufunc, old, b)
    given_in, old = old.dtype, Array(cast(old.value, work), old.extents)
    if ufunc is np.subtract:
        given = conform(b, () if _is_number(b) else as_array(b).shape, old.dtype)
        b = Array(negate(given.value), b.extents if isinstance(b, Array) else None)
    index = parsed(engine, old.shape, old.extents, indices)
    verify_indexed(engine, old, index, b, "array is not broadcastable to correct shape")
    new = scatter_at(old, index, b, COMPUTATIONS[ufunc])
    arrays.write(engine, ref, Array(cast(new.value, given_in), new.extents))


def _loop_type(ufunc: np.ufunc, old: Array, b: Any) -> np.dtype:
    """The dtype to accumulate in.

    NumPy computes each step in the type of both, of a Python number as of an array of it, and casts
    it to the array's, whatever is lost.  Integers may wrap at the end as well.
    """
    given = as_array(b).dtype
    loop = ufunc.resolve_dtypes((old.dtype, given, None))[-1]
    kinds = CLASSES[old.dtype] + CLASSES[loop]
    if loop == old.dtype or kinds in ("ff", "cc"):
        return old.dtype
    if CLASSES[given] in "biu" and CLASSES[old.dtype] in "iu":
        if kinds == "uf":
            return loop
        if ufunc not in (np.maximum, np.minimum) or _holds(old.dtype, b):
            return old.dtype
    raise OpError(
        f"Cannot cast ufunc '{ufunc.__name__}' output from {loop} to {old.dtype} after each step: "
        "digits may be lost"
    )


def _holds(dtype: np.dtype, x: Any) -> bool:
    """Whether a number is known and one of the dtype's."""
    if type(x) is not int:
        return False
    info = np.iinfo(dtype)
    return bool(info.min <= x <= info.max)


def set_shape(engine: Engine, x: Ref, shape: Any) -> None:
    """`x.shape = shape`: every name of this object in the function shows the new shape."""

    def is_x(y: Any) -> bool:
        return isinstance(y, Ref) and y.cell == x.cell and y.view == x.view

    engine.check_distinct(x)
    if isinstance(engine.heap.contents[x.cell], Shadow):
        raise engine.refuse(
            "assigning to the shape of one of several arrays", "write x = x.reshape(shape)"
        )
    shown = call(engine, Const(np.reshape), [x, shape], {})
    *callers, frame = engine.frames
    inside = (part for content in engine.heap.contents.values() for part in content.parts)
    outside = (value for caller in callers for value in caller.env.values())
    whole = not x.view and engine.heap.infos[x.cell].pinned is not None
    if whole or shown.cell != x.cell or any(map(is_x, inside)) or any(map(is_x, outside)):
        raise engine.refuse(
            "assigning to the shape of an array that others refer to, or that is not contiguous",
            "write x = x.reshape(shape)",
        )
    frame.env.update({key: shown for key, value in frame.env.items() if is_x(value)})
