"""Voids: what waits for something else by a selection that only LLVM knows to be void.

    never(s) ? 0 : i + 1                      never(x): x < NaN, or (x & 1) == 2

Only for XLA:CPU, after everything that simplifies (`lower.finish`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Value
from pyxla.ir.types import CLASSES
from pyxla.lower.rules import is_filled, known, literal
from pyxla.ops.elementwise import and_, compare, convert, or_, real, select
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import constant, reshape

FEWER = 128  # slots than that has a loop


def never(value: Value) -> Value:
    """False, computed of a value in a way that LLVM sees through and XLA does not."""
    if value.type.size == 0:
        return constant(value=np.array(False))
    value = number_of(value)
    if CLASSES[value.type.dtype] not in "iu":
        nan = constant(value=np.array(np.nan, value.type.dtype))
        return compare(value, nan, direction="LT")
    dtype = value.type.dtype
    last = and_(value, constant(value=np.ones((), dtype)))
    return compare(last, constant(value=np.full((), 2, dtype)), direction="EQ")


def number_of(value: Value) -> Value:
    """An int or float that a value which is not empty holds."""
    if value.type.size != 1:
        zero = constant(value=np.zeros((), np.int64))
        sizes = (1,) * value.type.ndim
        value = dynamic_slice(value, *[zero] * value.type.ndim, slice_sizes=sizes)
    if value.type.shape:
        value = reshape(value, shape=())
    if value.type.dtype.kind == "c":
        return real(value)
    return convert(value, dtype=np.dtype(np.int32)) if value.type.dtype.kind == "b" else value


def guard(value: Value, tests: Sequence[Value]) -> Value:
    """`value`, after the tests, none of which is ever true."""
    test = tests[0]
    for other in tests[1:]:
        test = or_(test, other)
    # Selecting between equal constants would be simplified.
    return select(test, literal(int(is_filled(value, 0)), value.type), value)


def begun(init: Value, anchor: Value, number: int) -> Value:
    """The initial value of a slot; what has another use would be copied there, and a constant.

    number: no other slot of loops in that code has it, so that no two of them are one value.
    """
    if init.type.size != 1:
        return init
    content = known(init)
    test = never(init if content is None else anchor)
    dtype = init.type.dtype
    filler: Any = number if dtype.kind in "iufc" and dtype.itemsize > 2 else False
    if content is not None and content == filler:  # equal constants would be simplified
        filler = not filler
    return select(test, literal(filler, init.type), init)
