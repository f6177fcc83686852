"""Exponentials of numbers in loops over elements, as arithmetic.

    s = s + exponential(x[i])     ->     t = round(x[i] / log 2); s = s + p(x[i] - t * log 2) * 2**t

XLA:CPU calls a function, of which LLVM is told nothing before it has looked at the loop: it may
touch anything, so that nothing of the state is in registers, and no loop is made of vectors.  What
is computed here is what it computes, by Cephes' polynomials, of doubles to the last bit.

Only for XLA:CPU, after products are rounded: as there, those of the polynomials need not be.
"""

from __future__ import annotations

import math

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import rewrite
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.ops import elementwise as op
from pyxla.ops.control import CONTROL, while_
from pyxla.ops.filled import filled

F64, I64 = np.dtype(np.float64), np.dtype(np.int64)
LEAST, MOST = -708.396418532264106224, 709.782712893383996843
LOG_2 = 6.93145751953125e-1, 1.42860682030941723212e-6  # in two parts: products are exact
UPPER = 1.26177193074810590878e-4, 3.02994407707441961300e-2, 1.0
LOWER = 3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.0
WHOLE = 1.5 * 2.0**52  # added to an int, it is in the last bits


def compute_exponentials(region: Region) -> Region:
    """Replace the exponentials in loops over elements of a region, in place."""
    for instr in region.instrs:
        if instr.op is while_ and is_over_elements(instr) and can_hold(instr):
            for inner in instr.regions:
                rewrite(inner, (op.exponential,), _computed, CONTROL)
        else:
            for inner in instr.regions:
                compute_exponentials(inner)
    return region


def _computed(instr: Instr) -> Value | None:
    (x,) = instr.operands
    return _exponential(x) if x.type.dtype == F64 else None  # of singles XLA's is twice as fast


def _exponential(x: Value) -> Value:
    """That of a quotient of polynomials, by a power of 2."""
    inside = op.maximum(op.minimum(x, filled(x.type, MOST)), filled(x.type, LEAST))
    count = op.round_nearest_even(op.multiply(inside, filled(x.type, 1 / math.log(2))))
    rest = inside
    for part in LOG_2:
        rest = op.subtract(rest, op.multiply(count, filled(x.type, part)))
    square = op.multiply(rest, rest)
    upper = op.multiply(rest, _polynomial(square, UPPER))
    ratio = op.divide(upper, op.subtract(_polynomial(square, LOWER), upper))
    value = op.add(op.add(ratio, ratio), filled(x.type, 1.0))
    bits = op.bitcast_convert(op.add(count, filled(x.type, WHOLE)), dtype=I64)
    power = op.subtract(bits, filled(bits.type, int(np.float64(WHOLE).view(I64))))
    half = op.shift_right_arithmetic(power, filled(bits.type, 1))
    for exponent in (half, op.subtract(power, half)):  # as one, 2**1024 would be infinite
        biased = op.add(exponent, filled(bits.type, 1023))
        factor = op.bitcast_convert(op.shift_left(biased, filled(bits.type, 52)), dtype=F64)
        value = op.multiply(value, factor)
    below = op.compare(x, filled(x.type, LEAST), direction="LT")
    above = op.compare(x, filled(x.type, MOST), direction="GT")
    value = op.select(below, filled(x.type, 0.0), value)
    return op.select(above, filled(x.type, math.inf), value)


def _polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    y = filled(x.type, coefficients[0])
    for coefficient in coefficients[1:]:
        y = op.add(op.multiply(y, x), filled(x.type, coefficient))
    return y
