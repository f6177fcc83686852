"""`checks=True` for indices: `IndexError` with NumPy's words where one is out of range."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.infer.interface import Engine
from pyxla.infer.raising.faults import Raises, exception
from pyxla.infer.raising.sizes import verify_joined, verify_met
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import I64
from pyxla.lib import kernels as k
from pyxla.lib.bounded.elementwise import is_bounded, strategy_of
from pyxla.lib.creation import array
from pyxla.lib.indexing import AdvancedIndex, Index, parse
from pyxla.lib.keys import OnBounds
from pyxla.lib.masks import constant_of, within
from pyxla.lib.meetings import meetings
from pyxla.lib.operands import as_array
from pyxla.lib.reductions import all as all_
from pyxla.lib.reductions import argmax
from pyxla.ops import elementwise as op
from pyxla.ops.filled import spread
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import reshape


def parsed(engine: Engine, shape: Any, extents: Any, key: Any) -> Index:
    """What a key means (`lib.keys.parse`); with checks, the program raises where it is out of
    range."""
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(x, list | tuple) and is_bounded(x) for x in items):
        made = tuple([_joined(engine, x) for x in items])
        key = made if isinstance(key, tuple) else made[0]
    if not engine.tests(IndexError):
        return parse(shape, extents, key)
    with meetings() as met:
        index = parse(shape, extents, key, _on_bounds(engine))
    engine.met = met
    verify_met(engine)
    if isinstance(index, AdvancedIndex):
        for axis, chosen in zip(index.axes, index.arrays, strict=False):
            place = index.basic.dims[axis]
            if place is None:
                continue
            size = shape[place] if extents is None or extents[place] is None else extents[place]
            check_array(engine, chosen, size, place)
    return index


def _joined(engine: Engine, item: Any) -> Any:
    """A list in a key, of arrays whose sizes are known at run time only, as one array."""
    if not (isinstance(item, list | tuple) and is_bounded(item)):
        return item
    verify_joined(engine, array, item)
    return strategy_of(array)(item)


def from_front(engine: Engine, index: Any, size: Any) -> bool:
    """Whether an index in a loop, of which nothing is known, is expected to count from the front:
    a fault is noted else, and the function compiled for both ends (`Options.from_end`)."""
    low, least = extent.lower(index), extent.upper(size)
    unknown = low is None or (least is not None and low < -least)
    expects = engine.faults.coarse and not engine.options.from_end
    if not (unknown and expects and engine.loops) or engine.catches(IndexError):
        return False
    return not isinstance(index, Scalar) or not _reaches_back(index.value)


def _reaches_back(index: Value) -> bool:
    """Whether an index is a number less a constant, as that of a neighbour is (`a[i - 1]`), or the
    negative of one (`a[-k]`): such ones do count from the end."""
    made = index.owner
    while isinstance(made, Instr) and made.op is op.convert:
        made = made.operands[0].owner
    if not isinstance(made, Instr) or made.op not in (op.negate, op.subtract, op.add):
        return False
    if made.op is op.negate:
        return True
    sign = 1 if made.op is op.subtract else -1
    parts = made.operands[1:] if made.op is op.subtract else made.operands
    known = [known_elements(part) for part in parts]
    return any(less is not None and bool(np.all(sign * less > 0)) for less in known)


def _on_bounds(engine: Engine) -> OnBounds:
    def check(index: Int, size: Int, axis: int) -> bool:
        front = from_front(engine, index, size)
        tests, least = [], 0 if front else -size if isinstance(size, int) else None
        if not extent.at_least_0(index):
            low = extent.lower(index)
            if least is None or low is None or low < least:
                end = op.negate(value_of(size)) if least is None else value_of(least)
                tests.append(k.ge(value_of(index), end))
        high = extent.distance(index, size)[1]
        if not tests or high is None or high >= 0:
            tests.append(k.lt(value_of(index), value_of(size)))
        fine = functools.reduce(op.and_, tests)
        test = ("implies", _range(index, 0 if front else size, size), ())
        error = functools.partial(_out_of_bounds, index, size, axis)
        engine.ensure(Scalar(fine, None, test), Raises(IndexError, error))
        return front

    return check


def _range(index: Int, least: Int, size: Int) -> tuple[Any, ...]:
    most = least if isinstance(least, int) else extent.upper(least)
    below = (("LT", index, size),)
    return below if most is None else (("GE", index, -most), *below)


def _out_of_bounds(index: Any, size: Int, axis: int) -> Any:
    parts = ("index ", index, f" is out of bounds for axis {axis} with size ", size)
    return exception(IndexError, *parts)


def check_array(engine: Engine, array: Array, size: Int, axis: int) -> None:
    """The program raises where an element of an index array is out of range."""
    data = constant_of(array)
    if not array.size or (data is not None and isinstance(size, int)):
        return
    value = array.value
    if value.type.dtype.itemsize == I64.dtype.itemsize or not isinstance(size, int):
        value = op.convert(value, dtype=I64.dtype, weak=False)
    tests = _within(value, size)
    if not tests:
        return
    good = functools.reduce(op.and_, tests)
    fine = (strategy_of(all_) if is_bounded(array) else all_)(Array(good, array.extents))

    def error() -> Any:
        inside = within(array)
        found = good if inside is None else op.or_(good, op.not_(inside))
        return _out_of_bounds(first_bad(value, found), size, axis)

    engine.ensure(Scalar(fine.value), Raises(IndexError, error))


def _within(value: Value, size: Int) -> list[Value]:
    """What has to hold of ints that are indices of `size` elements, and is not true of all ints of
    their dtype."""
    if not isinstance(size, int):
        limit = spread(
            op.convert(value_of(size), dtype=value.type.dtype, weak=False), value.type.shape
        )
        return [k.ge(value, op.negate(limit)), k.lt(value, limit)]
    ints = np.iinfo(value.type.dtype)
    below = [k.ge(value, k.like(value, -size))] if ints.min < -size else []
    return [*below, *([k.lt(value, k.like(value, size))] if ints.max >= size else [])]


def first_bad(value: Value, good: Value) -> Scalar:
    """The first element of an array of ints that is not `good`."""
    count = value.type.size
    at = as_array(argmax(Array(op.not_(good))))
    flat = reshape(value, shape=(count,))
    found = dynamic_slice(flat, op.convert(at.value, dtype=I64.dtype), slice_sizes=(1,))
    return Scalar(op.convert(reshape(found, shape=()), dtype=I64.dtype, weak=True))
