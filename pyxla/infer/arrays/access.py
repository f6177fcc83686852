"""Reading and writing arrays on the heap, through their views."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.abstract.heap import READ_ONLY, GrowingList, ListCell, Pooled, RowList
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    describe,
    is_number,
    is_variant,
)
from pyxla.abstract.nested import of_unlike
from pyxla.infer.arrays import fitting
from pyxla.infer.arrays.bounds import parsed
from pyxla.infer.arrays.fitting import conformed, verify_indexed, verify_output
from pyxla.infer.interface import Engine
from pyxla.infer.joins.kinds import has_exact, may_be_array, parts_of, refused
from pyxla.infer.raising.sizes import verify_stored
from pyxla.lib import indexing
from pyxla.lib.operands import as_array, cast, weak
from pyxla.views import strides
from pyxla.views.shadows import chosen
from pyxla.views.views import MIXED, BasicIndex, extend, is_permuted, update

# Of constants, those whose items are read one by one.
SEQUENCES = (tuple, str, range, list, frozenset)
# Lists that are asked nothing of their items.
_KEPT = (GrowingList, RowList, Pooled)


def python_scalar(x: Any, kind: type) -> Scalar:
    """A NumPy scalar's value as a Python scalar."""
    return weak(x.value if isinstance(x, (Array, Scalar)) else x, kind)


def _grows(engine: Engine, x: Ref) -> bool:
    """Whether `x` is a list of unknown length."""
    content = engine.heap.contents.get(x.cell)
    in_columns = type(content) in (GrowingList, RowList)
    return in_columns and not of_unlike(engine.heap, content)


def is_array(engine: Engine, x: Any) -> bool:
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else None
    if content is None or type(content) in _KEPT:  # none is left of what became part of another
        return False
    return isinstance(engine.content(x), Array)


def read(engine: Engine, ref: Ref) -> Array:
    """The array a reference shows, by value."""
    array = engine.content(ref)
    for step in ref.view:
        array = step.apply(array)
    return array


def write(engine: Engine, ref: Ref, new: Array) -> None:
    """Replace what `ref` shows by `new` (same shape and dtype; the extents stay)."""
    engine.check_writable(ref)
    if not all(step.writable for step in ref.view):
        raise engine.refuse(READ_ONLY, "copy the array before writing to it", raises=ValueError)
    old = engine.content(ref)
    if not ref.view:
        new = Array(new.value, old.extents)
    engine.set_content(ref.cell, update(ref.view, old, new))


def fresh(engine: Engine, array: Array, **info: Any) -> Ref:
    """A new array object that holds `array`."""
    return Ref(engine.heap.new(array, engine.loc, **info))


def shown(engine: Engine, ref: Ref) -> tuple[tuple[int, ...], Any]:
    """Shape and bounded extents of what `ref` shows, without reading it."""
    if ref.view:
        return ref.view[-1].shape, ref.view[-1].extents
    array = engine.content(ref)
    return array.shape, array.extents


def dtype_of(engine: Engine, ref: Ref) -> np.dtype:
    dtype = engine.content(ref).dtype
    for step in ref.view:
        dtype = step.dtype or dtype
    return dtype


def getitem(engine: Engine, ref: Ref, key: Any) -> Any:
    """`x[key]`: a NumPy scalar, a view, or a copy, as NumPy's indexing has it."""
    shape, extents = shown(engine, ref)
    operand = engine.bounded_operand(key)
    if (parts := strides.split(operand, len(shape))) is not None:
        return _strided(engine, ref, *parts)
    index = parsed(engine, shape, extents, operand)
    if isinstance(index, BasicIndex):
        view = extend(ref.view, index)
        if index.shape == () and not _has_ellipsis(key):
            array = engine.content(ref)
            for step in view:
                array = step.apply(array)
            return Array(array.value)
        for k in key.items if isinstance(key, Tuple) else (key,):
            if may_be_array(k):
                raise refused(engine, "an index that is an array makes a copy", k)
        return viewed(engine, ref, view)
    result = indexing.getitem(read(engine, ref), index)
    if result.ndim < 2:
        return result if result.shape == () else fresh(engine, result)
    return fresh(engine, result, strides=_strides_of_chosen(engine, ref, index, result))


def viewed(engine: Engine, ref: Ref, view: Any) -> Ref:
    """A new array object that shows what `ref` does in another way, or, as `x[:]`, in the same."""
    engine.heap.infos[ref.cell].viewed |= not view
    return Ref(ref.cell, view)


def _strides_of_chosen(engine: Engine, ref: Ref, index: Any, result: Array) -> Any:
    """How NumPy lays out what arrays of indices choose: their dimensions come first in memory."""
    if engine.heap.infos[ref.cell].strides is not None or is_permuted(ref.view):
        return MIXED
    chosen = max([x.ndim for x in index.arrays], default=1)
    place = index.place if index.mask is None else index.axes[0]
    if not place:
        return None
    if result.extents is not None:
        return MIXED
    dims = [*range(place, place + chosen), *range(place), *range(place + chosen, result.ndim)]
    sizes = [result.shape[d] for d in dims]
    strides = dict.fromkeys(dims, 0)
    for k, d in enumerate(dims):
        strides[d] = result.dtype.itemsize * math.prod(sizes[k + 1 :])
    return tuple([strides[d] for d in range(result.ndim)])


def _has_ellipsis(key: Any) -> bool:
    items = key.items if isinstance(key, Tuple) else (key,)
    return any(isinstance(k, Const) and k.value is Ellipsis for k in items)


def setitem(engine: Engine, ref: Ref, key: Any, value: Any) -> None:
    """`x[key] = value`, with NumPy's broadcasting and casting."""
    if has_exact(value) and dtype_of(engine, ref).kind in "iu":
        value = _as_ints(value, dtype_of(engine, ref))
    shape, extents = shown(engine, ref)
    operand = engine.bounded_operand(key)
    if (parts := strides.split(operand, len(shape))) is not None:
        _set_strided(engine, ref, *parts, value)
        return
    index = parsed(engine, shape, extents, operand)
    new = engine.bounded_operand(value)
    given = value if isinstance(value, Ref) else new
    verify_stored(engine, given, dtype_of(engine, ref), isinstance(index, BasicIndex))
    nested = not isinstance(new, (Array, Scalar, bool, int, float, complex, np.generic))
    if nested:
        new = as_array(new)
    if isinstance(index, BasicIndex):
        dtype = dtype_of(engine, ref)
        if index.shape == () and isinstance(new, Array) and new.ndim and not _has_dots(operand):
            fitting.verify_element(dtype, new.dtype, new.shape)
        if nested:
            fitting.verify_depth(index.shape, new.shape)
        view = extend(ref.view, index)
        fit = conformed(engine, new, index.shape, dtype, index.extents)
        write(engine, Ref(ref.cell, view), fit)
        return
    engine.check_writable(ref)
    old = read(engine, ref)
    result = indexing.setitem(old, index, new)
    verify_indexed(engine, old, index, new)
    write(engine, ref, result)


def _has_dots(key: Any) -> bool:
    """Whether an index of no dimensions is one of an array of rank 0, not of an element."""
    return key is ... or (isinstance(key, tuple) and (not key or any(k is ... for k in key)))


def _as_ints(x: Any, dtype: np.dtype) -> Array:
    """A number of several kinds as an array of ints takes it."""
    return Array(chosen(x.kinds.tag, [cast(part.value, dtype) for part in parts_of(x)]))


def _strided(engine: Engine, ref: Ref, key: Any, steps: list[tuple[int, Scalar]]) -> Ref:
    """What `ref[key]` shows, of which only every so-manieth along some dimensions."""
    shape, extents = shown(engine, ref)
    view = extend(ref.view, parsed(engine, shape, extents, key))
    for axis, step in steps:
        shape, extents = shown(engine, Ref(ref.cell, view))
        view = strides.strided_view(view, shape, extents, axis, step)
    return Ref(ref.cell, view)


def _set_strided(
    engine: Engine, ref: Ref, key: Any, steps: list[tuple[int, Scalar]], value: Any
) -> None:
    if len(steps) > 1 or not is_number(value):
        assign(engine, _strided(engine, ref, key, steps), as_array(engine.bounded_operand(value)))
        return
    ((axis, step),) = steps
    rows = _strided(engine, ref, key, [])
    rows = Ref(ref.cell, strides.first(rows.view, *shown(engine, rows), axis))
    engine.rules.call(engine, Const(strides.fill), [rows, step, value], {})


def assign(engine: Engine, ref: Ref, value: Array) -> None:
    """`x[...] = value`: broadcast and cast into the array that `ref` shows."""
    shape, extents = shown(engine, ref)
    write(engine, ref, conformed(engine, value, shape, dtype_of(engine, ref), extents))


def inplace(engine: Engine, ref: Ref, result: Array, op: str) -> Ref:
    """`x op= y` where `result` is `x op y`: the same object, its elements replaced."""
    shape, extents = shown(engine, ref)
    dtype = dtype_of(engine, ref)
    if not _same_shape(result, shape, extents):
        raise engine.refuse(
            f"non-broadcastable output operand with shape {shape} doesn't match the "
            f"broadcast shape {result.shape}"
        )
    verify_output(engine, result, shape, extents)
    if not np.can_cast(result.dtype, dtype, "same_kind"):
        raise engine.refuse(
            f"Cannot cast the result of '{op}=' from {result.dtype} to {dtype} "
            "with casting rule 'same_kind'",
            f"write `x = x {op} y`, or convert with astype",
            types=(str(result.type),),
        )
    if extents is not None or result.extents is not None:
        result = Array(indexing.resized(result.value, shape), extents)
    write(engine, ref, Array(cast(result.value, dtype), result.extents))
    return ref


def _same_shape(x: Array, shape: tuple[int, ...], extents: Any) -> bool:
    """Whether `x` may have this shape: sizes known at run time only may."""
    if x.shape == shape:
        return True
    if x.ndim != len(shape) or (extents is None and x.extents is None):
        return False
    own, wanted = x.extents or (None,) * x.ndim, extents or (None,) * x.ndim
    columns = zip(x.shape, shape, own, wanted, strict=True)
    return all(n == m or a is not None or b is not None for n, m, a, b in columns)


def items_of(engine: Engine, x: Any) -> tuple[Any, ...] | None:
    """The items of a sequence of known length, or None."""
    if isinstance(x, Tuple):
        return x.items
    if isinstance(x, Const) and isinstance(x.value, SEQUENCES):
        return tuple(Const(item) for item in x.value)
    if isinstance(x, Ref) and not _grows(engine, x):
        content = engine.content(x)
        if isinstance(content, ListCell):
            return content.items
    return None


def need_characters(engine: Engine, x: Any) -> None:
    """Ask for the numbers that text is made of, or chosen by, if its characters matter here."""
    if is_variant(x, "constant") or (isinstance(x, Compound) and x.kind == "text"):
        for part in x.parts:
            engine.static(part, "a number whose characters are looked at", "unrolled")


def kind_of(engine: Engine, x: Any) -> str:
    """What `x` is, for messages."""
    x = engine.use(x)
    if isinstance(x, Ref):
        if _grows(engine, x):
            return "list"
        content = engine.content(x)
        if isinstance(content, Array):
            return f"array {read(engine, x).type}"
        cls = getattr(content, "cls", None)
        return cls.__name__ if cls else type(content).__name__.removesuffix("Cell").lower()
    return describe(x)
