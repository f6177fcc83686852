"""Sums with 0.0 as XLA keeps them: it takes x + 0.0 for x, and loses that -0.0 + 0.0 is 0.0.

    %y = add(%x, 0.0)   ->   %z = compare(%x, 0.0, EQ);  %y = select(%z, 0.0, %x)

So do sums from 0.0 of which XLA leaves no loop: of one element, or of a few that it knows apart.
After derivatives: the selection has another one than the sum.
"""

from __future__ import annotations

import math

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.lower.rules import definition, is_filled
from pyxla.ops.check import COMPLEXES, FLOATS
from pyxla.ops.elementwise import add, compare, complex, imag, real, select
from pyxla.ops.filled import zeros
from pyxla.ops.reduce import reduce


def keep_zeros(region: Region) -> Region:
    """Spell the sums with 0.0 out, in place."""
    return rewrite(region, (add, reduce), _kept)


def _kept(instr: Instr) -> Value | None:
    if instr.op is add:
        x = _given(instr)
        return None if x is None else _spelled(x)
    return _spelled(reduce(*instr.operands, **instr.attrs)) if _is_opened(instr) else None


def _is_inexact(value: Value) -> bool:
    return value.type.dtype in FLOATS or value.type.dtype in COMPLEXES


def _given(instr: Instr) -> Value | None:
    """What 0.0 is added to."""
    x, y = instr.operands
    if not _is_inexact(x):
        return None
    return x if is_filled(y, 0) else y if is_filled(x, 0) else None


def _is_opened(instr: Instr) -> bool:
    """Whether XLA makes elementwise operations of a sum of many."""
    if instr.attrs.get("computation") != "add":
        return False
    x, init = instr.operands
    if not _is_inexact(x) or not is_filled(init, 0):
        return False
    rows = math.prod([x.type.shape[axis] for axis in instr.attrs["dimensions"]])
    while (made := definition(x, "reshape", "transpose")) is not None:
        x = made.operands[0]
    return rows == 1 or definition(x, "concatenate", "broadcast_in_dim") is not None


def _spelled(x: Value) -> Value:
    """x + 0.0."""
    if x.type.dtype in COMPLEXES:
        return complex(_positive(real(x)), _positive(imag(x)))
    return _positive(x)


def _positive(x: Value) -> Value:
    zero = zeros(x.type)
    return select(compare(x, zero, direction="EQ"), zero, x)
