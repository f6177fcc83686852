"""Functions of many doubles as arithmetic, which LLVM makes vectors of.

    %y = sine(%x: f64[n])     ->     if max(|x|) > 2**20: sine(%x) else: polynomials of %x

XLA:CPU calls the C library for each double, which takes five times as long.  Where an argument is
out of the range for which the arithmetic is right to a unit or two in the last place, the library
computes all of them.  The branches also keep XLA from computing the arguments in two kernels: the
division of the arctangent is one of its own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import rewrite
from pyxla.ops import elementwise as op
from pyxla.ops.control import CONTROL, case
from pyxla.ops.elementwise import abs as abs_
from pyxla.ops.filled import filled, number
from pyxla.ops.reduce import reduce

MANY = 1024  # elements: fewer are not worth the test
F64 = np.dtype(np.float64)
FAR = 2.0**20  # multiples of pi / 2 are products of 33 bits and at most 20
NEAR = 1e-8  # the sine of less is the number itself, with its sign
ORDINARY = 1e-290, 1e290  # neither sums nor quotients leave the doubles
EIGHTH = math.tan(math.pi / 8)


def compute_functions(region: Region) -> Region:
    """Replace the functions of many doubles in a region, in place."""
    return rewrite(region, _FUNCTIONS, _computed, CONTROL)


def _computed(instr: Instr) -> Value | None:
    type = instr.results[0].type
    if type.dtype != F64 or type.size < MANY:
        return None
    test, arithmetic = _FUNCTIONS[instr.op]
    ways = [functools.partial(f, *instr.operands) for f in (arithmetic, instr.op)]
    # XLA would make a selection of an `if`, and compute both.
    index = op.convert(test(*instr.operands), dtype=np.dtype(np.int32))
    made: Any = case(index, regions=tuple([current().region((), way) for way in ways]))
    return made[0] if isinstance(made, tuple) else made


def _is_far(x: Value) -> Value:
    """Whether an angle is out of range, or not a number: it may hide another one."""
    return op.not_(op.compare(_extremum(abs_(x), "maximum"), number(FAR, F64), direction="LE"))


def _is_extreme(y: Value, x: Value) -> Value:
    """Whether the larger number of a pair is zero, huge, tiny or none."""
    low, high = [number(end, F64) for end in ORDINARY]
    larger = op.maximum(abs_(y), abs_(x))
    smallest, largest = _extremum(larger, "minimum"), _extremum(larger, "maximum")
    within = op.compare(smallest, low, direction="GE"), op.compare(largest, high, direction="LE")
    return op.not_(op.and_(*within))


def _extremum(x: Value, which: str) -> Value:
    start = number(-math.inf if which == "maximum" else math.inf, F64)
    return reduce(x, start, dimensions=tuple(range(x.type.ndim)), computation=which)


def _sine(x: Value) -> Value:
    y = _wave(x, 0)
    return op.select(op.compare(abs_(x), _all(x, NEAR), direction="LT"), x, y)


def _wave(x: Value, quarters: int) -> Value:
    """The sine of x and some quarters of a turn."""
    turns = op.round_nearest_even(op.multiply(x, _all(x, 2 / math.pi)))
    first, second, third = [op.multiply(turns, _all(x, part)) for part in _quarter_turn()]
    near = op.subtract(x, first)  # exact, as are the first two products
    rough = op.subtract(near, second)
    left = op.subtract(op.subtract(op.subtract(near, rough), second), third)
    rest = op.add(rough, left)
    tail = op.add(op.subtract(rough, rest), left)  # what rounding took from the rest
    square = op.multiply(rest, rest)
    curved = op.multiply(op.multiply(rest, square), _polynomial(square, _series(3)))
    sine_of = op.add(rest, op.add(curved, tail))
    half = op.multiply(square, _all(x, 0.5))
    curved = op.multiply(op.multiply(square, square), _polynomial(square, _series(4)))
    begun = op.subtract(_all(x, 1.0), half)
    lost = op.subtract(op.subtract(_all(x, 1.0), begun), half)
    cosine_of = op.add(begun, op.add(lost, op.subtract(curved, op.multiply(rest, tail))))
    count = op.convert(turns, dtype=np.dtype(np.int32))
    count = op.add(count, _all(count, quarters))
    y = op.select(_bit(count, 1), cosine_of, sine_of)
    return op.select(_bit(count, 2), op.negate(y), y)


def _bit(x: Value, bit: int) -> Value:
    return op.compare(op.and_(x, _all(x, bit)), _all(x, 0), direction="NE")


def _series(first: int) -> list[float]:
    """Coefficients of the sine or cosine from x**first on, by the square of x."""
    powers = range(first, 18, 2)
    return [(-1) ** (k // 2) / math.factorial(k) for k in powers]


@functools.cache
def _quarter_turn() -> tuple[float, ...]:
    """pi / 2 in parts, of which all but the last have 33 bits."""
    unit = 1 << 240

    def arctangent(divisor: int) -> int:
        term, total, k = unit // divisor, 0, 0
        while term:
            total += (-1) ** k * term // (2 * k + 1)
            term //= divisor**2
            k += 1
        return total

    left = Fraction(2 * (4 * arctangent(5) - arctangent(239)), unit)
    parts = []
    for bits in (33, 33, 53):
        place = Fraction(2) ** (math.floor(math.log2(left)) - bits + 1)
        parts.append(math.floor(left / place) * place)
        left -= parts[-1]
    return tuple(map(float, parts))


def _arctangent(y: Value, x: Value) -> Value:
    """The angle of a point: of at most an eighth of a half turn, then of the whole."""
    width, height = abs_(x), abs_(y)
    lower, larger = op.minimum(width, height), op.maximum(width, height)
    wide = op.compare(lower, op.multiply(larger, _all(x, EIGHTH)), direction="GT")
    ratio = op.divide(
        op.select(wide, op.subtract(lower, larger), lower),
        op.select(wide, op.add(lower, larger), larger),
    )
    square = op.multiply(ratio, ratio)
    curved = op.multiply(op.multiply(ratio, square), _polynomial(square, _arctangents()))
    angle = op.add(ratio, curved)
    # `wide` once more, of what is there: XLA computes the ratio in a kernel of its own.
    below = op.compare(ratio, _all(x, 0.0), direction="LT")
    wide = op.or_(below, op.compare(height, width, direction="EQ"))
    angle = op.select(wide, op.add(angle, _all(x, math.pi / 4)), angle)
    steep = op.compare(height, width, direction="GT")
    angle = op.select(steep, op.subtract(_all(x, math.pi / 2), angle), angle)
    angle = op.select(_is_negative(x), op.subtract(_all(x, math.pi), angle), angle)
    return op.select(_is_negative(y), op.negate(angle), angle)


def _is_negative(x: Value) -> Value:
    """Whether the sign is set, of zeros too."""
    bits = op.bitcast_convert(x, dtype=np.dtype(np.int64))
    return op.compare(bits, _all(bits, 0), direction="LT")


@functools.cache
def _arctangents() -> list[float]:
    """Coefficients c of arctan(t) = t + t**3 * c(t**2) for t up to that of an eighth."""

    def exact(z: np.ndarray) -> np.ndarray:
        return np.asarray(sum((-1) ** (k + 1) * z**k / (2 * k + 3) for k in range(40)))

    series = np.polynomial.Chebyshev.interpolate(exact, 11, domain=[0, EIGHTH**2])
    return list(map(float, series.convert(kind=np.polynomial.Polynomial).coef))


def _polynomial(x: Value, coefficients: list[float]) -> Value:
    y = _all(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        y = op.add(op.multiply(y, x), _all(x, coefficient))
    return y


def _all(like: Value, number: float) -> Value:
    return filled(like.type, number)


_Test = Callable[..., Value]
_FUNCTIONS: dict[Op, tuple[_Test, _Test]] = {
    op.sine: (_is_far, _sine),
    op.cosine: (_is_far, lambda x: _wave(x, 1)),
    op.atan2: (_is_extreme, _arctangent),
}
