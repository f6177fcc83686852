"""Quotients as IEEE 754 rounds them: XLA multiplies by the reciprocal of what is the same for many
elements, and 49.0 / 49.0 is 0.9999999999999999; of a root it takes rsqrt, and of quotients one.

    %y = divide(%x, 49.0)   ->   %t = compare(%x, %x, EQ);  %c = select(%t, 49.0, %x);
                                 %y = divide(%x, %c)

A divisor that data decides stays one; that of a NaN may be one.  The reciprocal of a power of two
is exact.  By numbers that are known at run time only, many elements are divided as XLA does it,
unless a step shows the last bit: `np.floor(x / dx)`.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.lower.rules import definition, known
from pyxla.ops.check import FLOATS
from pyxla.ops.elementwise import abs as abs_
from pyxla.ops.elementwise import (
    add,
    ceil,
    compare,
    convert,
    divide,
    floor,
    multiply,
    negate,
    remainder,
    round_nearest_afz,
    round_nearest_even,
    select,
    sign,
    subtract,
)
from pyxla.ops.filled import filled
from pyxla.ops.shape import broadcast_in_dim, reshape
from pyxla.ops.shape import slice as slice_

# What passes a change of the last bit on, and what makes a whole step of it.
_PASSES = frozenset(
    [add, subtract, multiply, negate, abs_, select, reshape, broadcast_in_dim, slice_]
)
_STEPS = frozenset([floor, ceil, round_nearest_even, round_nearest_afz, sign, remainder, compare])


def keep_quotients(region: Region) -> Region:
    """Hide the divisors that XLA would not divide by, in place."""
    for instr in region.instrs:
        for inner in instr.regions:
            keep_quotients(inner)
    if any(instr.op is divide for instr in region.instrs):
        steps = _steps(region)
        region.instrs[:] = [
            new
            for instr in region.instrs
            for new in (_hidden(instr) if _is_rewritten(instr, steps) else (instr,))
        ]
    return region


def _steps(region: Region) -> set[Value]:
    """The values that some step is made of."""
    found: set[Value] = set()
    for instr in reversed(region.instrs):
        whole = instr.op is convert and instr.results[0].type.dtype.kind in "iu"
        passed = instr.op in _PASSES and not found.isdisjoint(instr.results)
        if whole or passed or instr.op in _STEPS:
            found.update(instr.operands)
    return found


def _is_rewritten(instr: Instr, steps: set[Value]) -> bool:
    """Whether XLA makes something else of a quotient, which is rounded otherwise."""
    if instr.op is not divide or instr.operands[0].type.dtype not in FLOATS:
        return False
    x, y = instr.operands
    if definition(x, "divide") is not None or definition(y, "divide", "sqrt") is not None:
        return True
    repeated = definition(y, "broadcast_in_dim") is not None
    while (made := definition(y, "broadcast_in_dim", "reshape")) is not None:
        y = made.operands[0]
    divisor = known(y)
    if divisor is None:
        return repeated and instr.results[0] in steps
    return not np.all(np.abs(np.frexp(divisor)[0]) == 0.5)


def _hidden(instr: Instr) -> list[Instr]:
    code: list[Instr] = []
    x, y = instr.operands
    with building(Builder(code, instr.loc)):
        number = compare(x, x, direction="EQ")
        if definition(x, "divide") is not None:
            x = select(number, x, filled(x.type, np.nan))
        made: Value = divide(x, select(number, y, x))
    made.owner.results = instr.results
    instr.results[0].owner = made.owner
    return code
