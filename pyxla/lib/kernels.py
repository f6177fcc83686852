"""What NumPy's ufuncs compute, element by element, on values already of the loop's dtype and shape.

A kernel takes and returns values; `pyxla.lib.ufuncs` has the table of which ufunc has which.  The
corner cases are those of NumPy's loops: floor division and remainder by C's `fmod` (as CPython),
lexicographic order of complex numbers, NaN propagation in `maximum` and not in `fmax`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from pyxla.abstract.promote import BOOL, CLASSES, INT32
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import OpError
from pyxla.ir.types import limits
from pyxla.lib.operands import cast, like
from pyxla.ops import elementwise as op
from pyxla.ops.control import while_
from pyxla.ops.elementwise import and_, compare, complex, convert, imag, not_, or_, real, select
from pyxla.ops.reduce import reduce
from pyxla.ops.scope import slope_of, stop_gradient
from pyxla.ops.shape import constant

Kernel = Callable[..., Any]


def cls(x: Value) -> str:
    """ "b", "i", "u", "f" or "c"."""
    return CLASSES[x.type.dtype]


eq = functools.partial(compare, direction="EQ")
ne = functools.partial(compare, direction="NE")
lt = functools.partial(compare, direction="LT")
le = functools.partial(compare, direction="LE")
gt = functools.partial(compare, direction="GT")
ge = functools.partial(compare, direction="GE")


def identity(x: Value) -> Value:
    return x


def truth(x: Value) -> Value:
    return x if x.type.dtype == BOOL else ne(x, like(x, 0))


# --- Kernels by class of dtype -------------------------------------------------------------------


def by_class(**kernels: Kernel) -> Kernel:
    """The kernel of the first operand's class: `b`, `i`, `u`, `f`, `c`, or several: `iu`, `fc`."""
    table = {letter: kernel for letters, kernel in kernels.items() for letter in letters}

    def kernel(*operands: Value) -> Any:
        letter = CLASSES[operands[0].type.dtype]
        if letter not in table:
            raise OpError(f"not defined for {operands[0].type.dtype}")
        return table[letter](*operands)

    return kernel


def by_parts(kernel: Kernel) -> Kernel:
    """Apply a real kernel to the real and the imaginary part."""
    return lambda x: complex(kernel(real(x)), kernel(imag(x)))


def rounded_once(kernel: Kernel) -> Kernel:
    """The kernel, which computes floats of ml_dtypes in float32, as their own loops do."""

    def call(*operands: Value) -> Any:
        dtype = operands[0].type.dtype
        if dtype.isbuiltin == 1 or CLASSES[dtype] != "f":
            return kernel(*operands)
        made = kernel(*[cast(x, np.dtype(np.float32)) for x in operands])
        return tuple([cast(x, dtype) for x in made]) if type(made) is tuple else cast(made, dtype)

    return call


# --- Arithmetic ----------------------------------------------------------------------------------

SMALL_INTS = 1 << 26  # their products with half of the bits of an f64 are exact


def rounded_product(count: Value, x: Value) -> Value:
    """The product of integers from 0 to `SMALL_INTS`, as floats, with x: rounded, whatever it is
    added to.  LLVM makes one instruction of a product and a sum, which rounds once; so the product
    is rounded from a wider type, or is the sum of those with both halves of x, which are exact."""
    smooth = op.multiply(count, x)
    if x.type.dtype == np.float32:
        wide = op.multiply(*[convert(v, dtype=np.dtype(np.float64)) for v in (count, x)])
        rounded = op.reduce_precision(wide, exponent_bits=8, mantissa_bits=23)
        return slope_of(convert(rounded, dtype=x.type.dtype), smooth)
    if x.type.dtype != np.float64:
        return smooth
    parts = [op.multiply(count, part) for part in _halves(x)]
    # The low part of an infinity is none.
    finite = lt(op.abs(x), like(x, np.inf))
    return slope_of(select(finite, op.add(*parts), smooth), smooth)


def _halves(x: Value) -> tuple[Value, Value]:
    """Two numbers of half as many bits of which `x` is the sum."""
    info, kind = np.finfo(x.type.dtype), np.dtype(f"i{x.type.dtype.itemsize}")
    bits = op.bitcast_convert(x, dtype=kind)
    high = op.bitcast_convert(and_(bits, like(bits, -1 << info.nmant // 2 + 1)), dtype=x.type.dtype)
    return high, op.subtract(x, high)


def _power_of_two_divisor(y: Value) -> int | None:
    """k where `y` is the constant 2**k everywhere: floors are shifts then, remainders masks."""
    owner = y.owner
    while isinstance(owner, Instr) and owner.op.name == "broadcast_in_dim":
        owner = owner.operands[0].owner
    if not isinstance(owner, Instr) or owner.op.name != "constant":
        return None
    value = owner.attrs["value"]
    number = int(value) if value.size == 1 else 0
    return number.bit_length() - 1 if number > 0 and number & (number - 1) == 0 else None


def integer_floor_divide(x: Value, y: Value) -> Value:
    quotient = op.divide(x, y)
    bits = _power_of_two_divisor(y)
    if bits is not None:
        return op.shift_right_arithmetic(x, like(x, bits))
    rest = op.remainder(x, y)
    zero = like(x, 0)
    below = and_(ne(rest, zero), ne(lt(rest, zero), lt(y, zero)))
    return select(below, op.subtract(quotient, like(x, 1)), quotient)


def integer_remainder(x: Value, y: Value) -> Value:
    bits = _power_of_two_divisor(y)
    if bits is not None:
        return and_(x, like(x, (1 << bits) - 1))
    rest = op.remainder(x, y)
    zero = like(x, 0)
    below = and_(ne(rest, zero), ne(lt(rest, zero), lt(y, zero)))
    return select(below, op.add(rest, y), rest)


def float_remainder(x: Value, y: Value) -> Value:
    """C's fmod moved to the sign of the divisor, zeros too."""
    rest = op.remainder(x, y)
    zero = like(x, 0)
    below = ne(lt(y, zero), lt(rest, zero))
    moved = select(below, op.add(rest, y), rest)
    none = eq(rest, zero)
    return slope_of(select(none, copysign(zero, y), moved), select(none, rest, moved))


def float_floor_divide(x: Value, y: Value) -> Value:
    rest = op.remainder(x, y)
    zero, one, half = like(x, 0), like(x, 1), like(x, 0.5)
    below = and_(ne(rest, zero), ne(lt(y, zero), lt(rest, zero)))
    quotient = op.divide(op.subtract(x, rest), y)
    quotient = select(below, op.subtract(quotient, one), quotient)
    floor = op.floor(quotient)
    rounded = select(gt(op.subtract(quotient, floor), half), op.add(floor, one), floor)
    exact = op.divide(x, y)
    signed = select(eq(quotient, zero), copysign(zero, exact), rounded)
    return select(eq(y, zero), exact, signed)


floor_divide = by_class(u=op.divide, i=integer_floor_divide, f=float_floor_divide)
remainder = by_class(u=op.remainder, i=integer_remainder, f=float_remainder)


def unless_zero(kernel: Kernel) -> Kernel:
    """NumPy's integer division, in which anything by zero is zero."""

    def guarded(x: Value, y: Value) -> Value:
        if cls(x) == "f":
            return kernel(x, y)
        zero = like(x, 0)
        return select(eq(y, zero), zero, kernel(x, y))

    return guarded


array_floor_divide = unless_zero(floor_divide)
array_remainder = unless_zero(remainder)


def divmod_(x: Value, y: Value) -> tuple[Value, Value]:
    return array_floor_divide(x, y), array_remainder(x, y)


def modf(x: Value) -> tuple[Value, Value]:
    """The fraction and the integer part, both with the sign of `x`."""
    whole = trunc(x)
    infinite = isinf(x)
    fraction = select(infinite, like(x, 0), op.subtract(x, whole))
    return slope_of(copysign(fraction, x), fraction), whole


def sign_unsigned(x: Value) -> Value:
    return convert(ne(x, like(x, 0)), dtype=x.type.dtype)


def sign(x: Value) -> Value:
    """Zero has none, -0.0 either."""
    zero = like(x, 0)
    return select(eq(x, zero), zero, op.sign(x))


def reciprocal(x: Value) -> Value:
    return op.divide(like(x, 1), x)


def square(x: Value) -> Value:
    return op.multiply(x, x)


def complex_power(x: Value, y: Value) -> Value:
    """exp(y log x), where 0 to a positive power is 0 and anything to 0 is 1."""
    zero, one = like(x, 0), like(x, 1)
    power = op.exponential(op.multiply(y, op.log(x)))
    at_zero = select(eq(y, zero), one, select(gt(real(y), like(real(y), 0)), zero, power))
    return select(eq(x, zero), at_zero, select(eq(y, zero), one, power))


def power_static(x: Value, exponent: int) -> Value:
    """`x ** exponent` by repeated squaring."""
    if exponent < 0:
        return reciprocal(power_static(x, -exponent))
    result, base = None, x
    while exponent:
        if exponent & 1:
            result = base if result is None else op.multiply(result, base)
        exponent >>= 1
        if exponent:
            base = op.multiply(base, base)
    return like(x, 1) if result is None else result


# --- Bits of floats ------------------------------------------------------------------------------


def _format(x: Value) -> tuple[int, int]:
    """How many bits mantissa and exponent have."""
    found = ml_dtypes.finfo(x.type.dtype)
    return found.nmant, found.nexp


def bits(x: Value) -> Value:
    """The bits of a float as an unsigned integer of its width."""
    return op.bitcast_convert(x, dtype=np.dtype(f"u{x.type.dtype.itemsize}"))


def signbit(x: Value) -> Value:
    if cls(x) in "iu":
        return lt(x, like(x, 0))
    bits = op.bitcast_convert(x, dtype=np.dtype(f"i{x.type.dtype.itemsize}"))
    return lt(bits, like(bits, 0))


def copysign(x: Value, y: Value) -> Value:
    """`x`, negated where its sign is another: so that it has the derivative of what is selected."""
    return select(op.xor(signbit(x), signbit(y)), op.negate(x), x)


def spacing(x: Value) -> Value:
    """The distance to the next float away from zero, with the sign of `x`; NumPy's float16 loop
    takes the next larger one."""
    low, high = limits(x.type.dtype)
    away = like(x, high)
    if x.type.dtype != np.dtype(np.float16):
        away = select(lt(x, like(x, 0)), like(x, low), away)
    gap = op.subtract(op.next_after(x, away), x)
    return select(isfinite(x), gap, like(x, math.nan))


def frexp(x: Value) -> tuple[Value, Value]:
    """Mantissa in [0.5, 1) and exponent, read from the bits."""
    if x.type.dtype.itemsize < 4:
        mantissa, exponent = frexp(convert(x, dtype=np.dtype(np.float32)))
        return convert(mantissa, dtype=x.type.dtype), exponent
    width, exponent_bits = _format(x)
    bias = (1 << (exponent_bits - 1)) - 1
    tiny = lt(op.abs(x), like(x, float(np.finfo(x.type.dtype).tiny)))
    scaled = select(tiny, op.multiply(x, like(x, 2.0 ** (width + 2))), x)
    raw = bits(scaled)
    field = like(raw, ((1 << exponent_bits) - 1) << width)
    exponent = convert(op.shift_right_logical(and_(raw, field), like(raw, width)), dtype=INT32)
    exponent = op.subtract(exponent, like(exponent, bias - 1))
    exponent = select(tiny, op.subtract(exponent, like(exponent, width + 2)), exponent)
    half = like(raw, (bias - 1) << width)
    mantissa = op.bitcast_convert(or_(and_(raw, not_(field)), half), dtype=x.type.dtype)
    plain = or_(not_(isfinite(x)), eq(x, like(x, 0)))
    exponent = select(plain, like(exponent, 0), exponent)
    mantissa = slope_of(select(plain, x, mantissa), ldexp(x, op.negate(exponent)))
    return mantissa, exponent


def ldexp(x: Value, n: Value) -> Value:
    """x * 2**n in steps that overflow only where the result does."""
    if x.type.dtype.itemsize < 4:
        wide = ldexp(convert(x, dtype=np.dtype(np.float32)), n)
        return convert(wide, dtype=x.type.dtype)
    width, exponent_bits = _format(x)
    bias = (1 << (exponent_bits - 1)) - 1
    bound = 2 * bias + width + 1
    steps = op.clamp(like(n, -bound), n, like(n, bound))
    steps = convert(steps, dtype=np.dtype(f"i{x.type.dtype.itemsize}"))
    part = op.divide(steps, like(steps, 4))
    last = op.subtract(steps, op.multiply(part, like(part, 3)))
    for step in (part, part, part, last):
        x = op.multiply(x, _power_of_two(step, width, bias, x.type.dtype))
    return x


def _power_of_two(n: Value, width: int, bias: int, dtype: np.dtype) -> Value:
    biased = op.clamp(like(n, 0), op.add(n, like(n, bias)), like(n, 2 * bias + 1))
    return op.bitcast_convert(op.shift_left(biased, like(n, width)), dtype=dtype)


# --- Classification and rounding -----------------------------------------------------------------


def isnan(x: Value) -> Value:
    if cls(x) == "c":
        return or_(isnan(real(x)), isnan(imag(x)))
    return ne(x, x)


def isinf(x: Value) -> Value:
    if cls(x) == "c":
        return or_(isinf(real(x)), isinf(imag(x)))
    if cls(x) != "f":
        return ne(x, x)
    return eq(op.abs(x), like(x, math.inf))


def isfinite(x: Value) -> Value:
    if cls(x) == "c":
        return and_(op.is_finite(real(x)), op.is_finite(imag(x)))
    if cls(x) != "f":
        return eq(x, x)
    return op.is_finite(x)


def trunc(x: Value) -> Value:
    return select(lt(x, like(x, 0)), op.ceil(x), op.floor(x))


# --- Order ---------------------------------------------------------------------------------------


def complex_less(x: Value, y: Value) -> Value:
    """Lexicographic: real parts, then imaginary parts."""
    xr, xi, yr, yi = real(x), imag(x), real(y), imag(y)
    numbers = and_(eq(xi, xi), eq(yi, yi))
    return or_(and_(lt(xr, yr), numbers), and_(eq(xr, yr), lt(xi, yi)))


def complex_less_equal(x: Value, y: Value) -> Value:
    xr, xi, yr, yi = real(x), imag(x), real(y), imag(y)
    numbers = and_(eq(xi, xi), eq(yi, yi))
    return or_(and_(lt(xr, yr), numbers), and_(eq(xr, yr), le(xi, yi)))


def comparison(direction: str) -> Kernel:
    """Compare, int64 with uint64 exactly, complex numbers lexicographically."""

    def kernel(x: Value, y: Value) -> Value:
        if x.type.dtype != y.type.dtype:
            return _mixed_signs(x, y, direction)
        if cls(x) == "c" and direction not in ("EQ", "NE"):
            return _complex_order(x, y, direction)
        return compare(x, y, direction=direction)

    return kernel


def _complex_order(x: Value, y: Value, direction: str) -> Value:
    less = complex_less if direction in ("LT", "GT") else complex_less_equal
    return less(x, y) if direction in ("LT", "LE") else less(y, x)


def _mixed_signs(x: Value, y: Value, direction: str) -> Value:
    """Of a signed and an unsigned operand, a negative one is less than anything unsigned."""
    if cls(x) == "u":
        return _mixed_signs(y, x, op.SWAPPED[direction])
    negative = lt(x, like(x, 0))
    same = compare(convert(x, dtype=y.type.dtype), y, direction=direction)
    if direction in ("LT", "LE", "NE"):
        return or_(negative, same)
    return and_(not_(negative), same)


def _complex_extremum(less: Kernel) -> Kernel:
    def kernel(x: Value, y: Value) -> Value:
        return select(or_(less(x, y), isnan(x)), x, y)

    return kernel


maximum = by_class(
    b=or_, iuf=op.maximum, c=_complex_extremum(lambda x, y: complex_less_equal(y, x))
)
minimum = by_class(b=and_, iuf=op.minimum, c=_complex_extremum(complex_less_equal))


def ignoring_nan(extremum: Kernel) -> Kernel:
    """`fmax` and `fmin`: the number where only one operand is."""

    def kernel(x: Value, y: Value) -> Value:
        if cls(x) not in "fc":
            return extremum(x, y)
        return select(isnan(x), y, select(isnan(y), x, extremum(x, y)))

    return kernel


def heaviside(x: Value, at_zero: Value) -> Value:
    zero, one = like(x, 0), like(x, 1)
    step = select(lt(x, zero), zero, select(gt(x, zero), one, at_zero))
    return select(isnan(x), x, step)


# --- Logic ---------------------------------------------------------------------------------------


def logical(kernel: Kernel) -> Kernel:
    return lambda *operands: kernel(*[truth(x) for x in operands])


def shift_right(x: Value, y: Value) -> Value:
    shift = op.shift_right_logical if cls(x) == "u" else op.shift_right_arithmetic
    return shift(x, y)


def bitwise_count(x: Value) -> Value:
    count = op.popcnt(x if cls(x) == "u" else op.abs(x))
    return convert(count, dtype=np.dtype(np.uint8))


# --- Exponentials, trigonometry ------------------------------------------------------------------


def exp2(x: Value) -> Value:
    return op.power(like(x, 2), x)


def log2(x: Value) -> Value:
    """Exact at powers of two, so that `int(np.log2(n))` is what NumPy says."""
    return _snapped(x, op.multiply(op.log(x), like(x, 1 / math.log(2))), 2)


def log10(x: Value) -> Value:
    """Exact at powers of ten."""
    return _snapped(x, op.multiply(op.log(x), like(x, 1 / math.log(10))), 10)


def _snapped(x: Value, logarithm: Value, base: int) -> Value:
    """The nearest integer k where base**k is exactly `x`."""
    nearest = op.round_nearest_even(logarithm)
    exact = eq(op.power(like(x, base), nearest), x)
    return slope_of(select(exact, nearest, logarithm), logarithm)


def root_of_sum(x: Value, root: Callable[[Value], Value] = op.sqrt) -> Value:
    """The root of a sum of powers, that is of a norm: its derivatives at 0 are 0 (a subgradient),
    where those of the root alone are infinite."""
    zero = like(x, 0)
    nothing = eq(x, zero)
    return select(nothing, zero, root(select(nothing, like(x, 1), x)))


def hypot(x: Value, y: Value) -> Value:
    """The root of a sum of squares, less what rounding added to it: so it is rounded as if once,
    like CPython's and that of C's library.  Squares do not overflow; inf even beside NaN."""
    if x.type.dtype.itemsize < 4:  # as NumPy computes half precision
        wide = hypot(*[cast(v, np.dtype(np.float32)) for v in (x, y)])
        return cast(wide, x.type.dtype)
    large, small = op.maximum(op.abs(x), op.abs(y)), op.minimum(op.abs(x), op.abs(y))
    scale = scale_of_squares(large, small)
    length = op.divide(_corrected(op.multiply(large, scale), op.multiply(small, scale)), scale)
    negligible = le(small, op.multiply(large, like(x, np.finfo(x.type.dtype).epsneg / 4)))
    length = select(negligible, op.add(large, small), length)
    infinite = or_(isinf(x), isinf(y))
    length = select(infinite, like(x, math.inf), length)
    return slope_of(length, length_of([x, y], large, infinite))


def scale_of_squares(large: Value, small: Value) -> Value:
    """A power of two that keeps squares of numbers from `small` to `large` in range."""
    far = np.finfo(large.type.dtype).maxexp // 2
    down, up = like(large, 2.0 ** -(far + far // 8)), like(large, 2.0 ** (far + far // 8))
    tiny = lt(small, like(large, 2.0 ** (far // 8 - far)))
    return select(gt(large, like(large, 2.0**far / 2)), down, select(tiny, up, like(large, 1)))


def _corrected(large: Value, small: Value) -> Value:
    """sqrt(large**2 + small**2), less its error: half of what its square is too much by, over it.
    Products of halves are exact, also where LLVM makes one instruction of a product and a sum."""
    h = op.sqrt(op.add(square(large), square(small)))
    (a, p), (b, q), (c, r) = [_halves(x) for x in (large, small, h)]
    first = op.subtract(op.multiply(op.subtract(c, a), op.add(c, a)), square(b))
    second = op.subtract(op.multiply(c, r), op.add(op.multiply(a, p), op.multiply(b, q)))
    third = op.subtract(square(r), op.add(square(p), square(q)))
    error = op.add(first, op.add(op.add(second, second), third))
    return op.subtract(h, op.divide(error, op.add(h, h)))


def length_of(coordinates: Sequence[Value], scale: Value, infinite: Value) -> Value:
    """A vector's length without steps: `scale`, the largest, is the same for derivatives."""
    scale = stop_gradient(select(eq(scale, like(scale, 0)), like(scale, 1), scale))
    total = like(scale, 0)
    for x in coordinates:
        total = op.add(total, square(op.divide(x, scale)))
    length = op.multiply(scale, root_of_sum(total))
    return select(infinite, like(length, math.inf), length)


def logaddexp(x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)) = max + log1p(exp(-|x - y|)); equal infinities as they are."""
    large, gap = _larger_and_gap(x, y)
    return op.add(large, op.log_plus_one(op.exponential(op.negate(gap))))


def logaddexp2(x: Value, y: Value) -> Value:
    large, gap = _larger_and_gap(x, y)
    tail = op.log_plus_one(exp2(op.negate(gap)))
    total = op.add(large, op.multiply(tail, like(x, 1 / math.log(2))))
    return slope_of(select(eq(x, y), op.add(x, like(x, 1)), total), total)


def _larger_and_gap(x: Value, y: Value) -> tuple[Value, Value]:
    """Differentiated as what they are where `x` is the larger: so sums of both have no kink."""
    gap = select(eq(x, y), like(x, 0), op.abs(op.subtract(x, y)))
    first = ge(x, y)
    large, small = select(first, x, y), select(first, y, x)
    same = and_(eq(x, y), isinf(x))
    smooth = select(same, like(x, 0), op.subtract(large, small))
    return slope_of(op.maximum(x, y), large), slope_of(gap, smooth)


def scaled(factor: float) -> Kernel:
    return lambda x: op.multiply(x, like(x, factor))


def conjugate(x: Value) -> Value:
    return complex(real(x), op.negate(imag(x))) if cls(x) == "c" else x


# --- Integers ------------------------------------------------------------------------------------


def gcd(x: Value, y: Value) -> Value:
    """Euclid's algorithm on all elements until the last has finished.

    Without signs, since the size of the least int is one that only such ints have.
    """
    if cls(x) == "i":
        bits = np.dtype(f"u{x.type.dtype.itemsize}")
        return op.convert(
            gcd(*[op.convert(op.abs(v), dtype=bits, weak=False) for v in (x, y)]),
            dtype=x.type.dtype,
            weak=x.type.weak,
        )
    zero = like(x, 0)

    def unfinished(_: Value, b: Value) -> Value:
        pending = ne(b, zero)
        if not b.type.shape:
            return pending
        false = constant(value=np.array(False))
        axes = tuple(range(b.type.ndim))
        return reduce(pending, false, dimensions=axes, computation="or")

    def step(a: Value, b: Value) -> tuple[Value, Value]:
        done = eq(b, zero)
        rest = op.remainder(a, select(done, like(b, 1), b))
        return select(done, a, b), select(done, b, rest)

    types = (x.type, x.type)
    builder = current()
    regions = (builder.region(types, unfinished), builder.region(types, step))
    return while_(x, y, regions=regions)[0]


def lcm(x: Value, y: Value) -> Value:
    if cls(x) == "i":
        x, y = op.abs(x), op.abs(y)
    common = gcd(x, y)
    zero = like(x, 0)
    safe = select(eq(common, zero), like(x, 1), common)
    return select(eq(common, zero), zero, op.multiply(op.divide(x, safe), y))
