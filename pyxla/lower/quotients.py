"""Quotients as IEEE 754 rounds them: XLA multiplies by the reciprocal of what is the same for many
elements, and 49.0 / 49.0 is 0.9999999999999999; of a root it takes rsqrt, and of quotients one.

    %y = divide(%x, 49.0)   ->   %t = compare(%x, %x, EQ);  %c = select(%t, 49.0, %x);
                                 %y = divide(%x, %c)

A divisor that data decides stays one; that of a NaN may be one.  Of a known number, a divisor that
equals it may be the number itself.  The reciprocal of a power of two
is exact.  With `fast=True`, many elements are divided as XLA does it by numbers that are known at
run time only.  Where a module is made to be compiled, and not where it is shown.

A whole number is not divided by 0: of constants, which its own passes may find, XLA does that with
the processor's instruction, and the process ends.

Of a number to a known power, XLA makes products, quotients and roots, which C's `pow` rounds
otherwise: that exponent is hidden as a divisor is.  But a square root and a reciprocal are one
operation, rounded once: `pow` differs from them in the last bit of one number of a thousand, and
takes ten times as long.

    %y = divide(%x, %d)     ->   %t = compare(%d, 0, EQ);  %c = select(%t, 1, %d);
                                 %q = divide(%x, %c);      %y = select(%t, -1, %q)
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import clone_region, ops_in, rewrite
from pyxla.lower.rules import definition, known
from pyxla.ops.check import FLOATS, INTS
from pyxla.ops.elementwise import compare, divide, not_, power, remainder, select
from pyxla.ops.filled import filled

_QUOTIENTS = (divide, remainder, power)


def exact_quotients(region: Region, fast: bool = False) -> Region:
    """The region, or a copy, with the divisors hidden that XLA would not divide by."""
    if ops_in((region,)).isdisjoint(_QUOTIENTS):
        return region

    def exact(instr: Instr) -> Value | None:
        if _is_rewritten(instr, fast):
            return _hidden(instr)
        if _is_known_power(instr) and not fast:
            x, y = instr.operands
            return power(x, select(compare(x, x, direction="EQ"), y, x))
        return _but_by_zero(instr) if _may_be_by_zero(instr) else None

    return rewrite(clone_region(region, {}), _QUOTIENTS, exact)


def _is_rewritten(instr: Instr, fast: bool) -> bool:
    """Whether XLA makes something else of a quotient, which is rounded otherwise."""
    if instr.op is not divide or instr.operands[0].type.dtype not in FLOATS:
        return False
    x, y = instr.operands
    if definition(x, "divide") is not None or definition(y, "divide", "sqrt") is not None:
        return True
    repeated = definition(y, "broadcast_in_dim") is not None
    divisor = _content(y)
    if divisor is None:
        return repeated and not fast
    return not np.all(np.abs(np.frexp(divisor)[0]) == 0.5)


def _is_known_power(instr: Instr) -> bool:
    """Whether it is a number, not many, to a known power that is no single operation."""
    type, exponent = instr.results[0].type, _content(instr.operands[1])
    one = instr.op is power and type.dtype in FLOATS and not type.shape
    return one and exponent is not None and exponent not in (0, 1, -1, 0.5)


def _content(x: Value) -> np.ndarray | None:
    """The elements of `x`, repeated or not, where they are known."""
    while (made := definition(x, "broadcast_in_dim", "reshape")) is not None:
        x = made.operands[0]
    return known(x)


def _hidden(instr: Instr) -> Value:
    x, y = instr.operands
    if _content(x) is not None:
        return divide(x, select(compare(x, y, direction="EQ"), x, y))
    number = compare(x, x, direction="EQ")
    if definition(x, "divide") is not None:
        x = select(number, x, filled(x.type, np.nan))
    return divide(x, select(number, y, x))


def _may_be_by_zero(instr: Instr) -> bool:
    """Whether it divides whole numbers by what may be 0."""
    if instr.op is power or instr.operands[0].type.dtype not in INTS:
        return False
    divisor = _content(instr.operands[1])
    return divisor is None or not np.all(divisor)


def _but_by_zero(instr: Instr) -> Value:
    """What XLA's code makes of it, without a division by 0."""
    x, y = instr.operands
    none = compare(y, filled(y.type, 0), direction="EQ")
    made = instr.op(x, select(none, filled(y.type, 1), y))
    return select(none, x if instr.op is remainder else not_(filled(x.type, 0)), made)
