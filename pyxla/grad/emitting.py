"""Small things that derivatives are written with: loops from functions, counters, entries."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pyxla.ir.build import current
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import I64, ArrayType
from pyxla.ops.control import while_
from pyxla.ops.elementwise import convert
from pyxla.ops.filled import constant, zeros
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import reshape


@contextlib.contextmanager
def into(code: list[Instr]) -> Iterator[None]:
    """Emit into `code` for a while."""
    builder = current()
    outer, builder.instrs = builder.instrs, code
    try:
        yield
    finally:
        builder.instrs = outer


def number(value: int) -> Value:
    """A counter's value."""
    return constant(value=np.array(value, I64.dtype))


def loop(
    inits: Sequence[Value], cond: Callable[..., Value], body: Callable[..., tuple[Value, ...]]
) -> tuple[Value, ...]:
    """Emit a `while` from functions."""
    types = [value.type for value in inits]
    regions = current().region(types, cond), current().region(types, body)
    return while_(*inits, regions=regions)


def buffer(entry_type: ArrayType, count: int) -> Value:
    """Room for `count` values of a type."""
    return zeros(ArrayType(entry_type.dtype, (count, *entry_type.shape)))


def _starts(buffer: Value, index: Value) -> list[Value]:
    return [index, *[number(0)] * (buffer.type.ndim - 1)]


def load(buffer: Value, index: Value) -> Value:
    """buffer[index]"""
    shape = buffer.type.shape[1:]
    found = dynamic_slice(buffer, *_starts(buffer, index), slice_sizes=(1, *shape))
    return reshape(found, shape=shape)


def store(buffer: Value, index: Value, value: Value) -> Value:
    """buffer[index] = value"""
    row = reshape(value, shape=(1, *value.type.shape))
    return dynamic_update_slice(buffer, row, *_starts(buffer, index))


def as_counter(value: Value) -> Value:
    return value if value.type.dtype == I64.dtype else convert(value, dtype=I64.dtype)
