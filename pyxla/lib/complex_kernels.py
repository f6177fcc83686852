"""Functions of complex numbers as NumPy computes them, infinities, NaN and signed zeros included.

XLA's own are right for finite numbers, up to hyperbolic sines near an axis and quotients by zero.
Most are corrected here where a part is zero, infinite or NaN (C99, Annex G); sines, quotients and
some others are stated by parts, after NumPy's loops.  sin, tan, arcsin and arctan are their
hyperbolic counterparts with real and imaginary parts swapped: sin(x + iy) = swap(sinh(y + ix)).

A correction selects among values that are all there, so that derivatives of finite numbers are
those of the function selected.
"""

from __future__ import annotations

import math

from pyxla.ir.core import Value
from pyxla.lib.kernels import Kernel, copysign, eq, ge, gt, hypot, isinf, isnan, power_static
from pyxla.lib.operands import like
from pyxla.ops import elementwise as op
from pyxla.ops.elementwise import and_, complex, imag, not_, or_, real, select


def parts(z: Value) -> tuple[Value, Value]:
    return real(z), imag(z)


def swapped(kernel: Kernel) -> Kernel:
    """From a hyperbolic function to the circular one, and of their inverses."""

    def kernel_of_swapped(z: Value) -> Value:
        w = kernel(complex(imag(z), real(z)))
        return complex(imag(w), real(w))

    return kernel_of_swapped


def _zero(x: Value) -> Value:
    return eq(x, like(x, 0))


def _nan_where(pred: Value, x: Value) -> Value:
    return select(pred, like(x, math.nan), x)


def times_real(z: Value, factor: float) -> Value:
    """Part by part, so that infinities stay what they are."""
    return complex(*[op.multiply(part, like(part, factor)) for part in parts(z)])


# --- Exponentials and logarithms -----------------------------------------------------------------


def exp(z: Value) -> Value:
    """exp(x + i0) is real; exp(-inf + iy) is 0 and exp(inf + iy) infinite, whatever y."""
    (x, y), (a, b) = parts(z), parts(op.exponential(z))
    undirected = not_(op.is_finite(y))
    gone = and_(undirected, eq(x, like(x, -math.inf)))
    a = select(and_(undirected, eq(x, like(x, math.inf))), x, a)
    a, b = select(gone, like(x, 0), a), select(gone, like(x, 0), b)
    return complex(a, select(_zero(y), y, b))


def exp2(z: Value) -> Value:
    return exp(times_real(z, math.log(2)))


def expm1(z: Value) -> Value:
    """expm1(x) cos(y) - 2 sin(y / 2)^2, and exp(x) sin(y)."""
    x, y = parts(z)
    half = op.sine(op.multiply(y, like(y, 0.5)))
    loss = op.multiply(op.multiply(half, half), like(y, 2))
    a = op.subtract(op.multiply(op.exponential_minus_one(x), op.cosine(y)), loss)
    return complex(a, op.multiply(op.exponential(x), op.sine(y)))


def log(z: Value) -> Value:
    """The real part is infinite where either part is."""
    w = op.log(z)
    return complex(select(isinf(z), like(real(z), math.inf), real(w)), imag(w))


def log2(z: Value) -> Value:
    return times_real(log(z), 1 / math.log(2))


def log10(z: Value) -> Value:
    return times_real(log(z), 1 / math.log(10))


def log1p(z: Value) -> Value:
    """By the modulus and the angle of 1 + z, which NumPy rounds first."""
    x, y = parts(z)
    x = op.add(x, like(x, 1))
    return complex(op.log(hypot(x, y)), op.atan2(y, x))


def sqrt(z: Value) -> Value:
    """On the branch cut, -0.0 is below; infinite beside NaN where one part is infinite."""
    (x, y), (a, b) = parts(z), parts(op.sqrt(z))
    b = copysign(b, y)
    missing = isnan(y)
    a = select(and_(missing, eq(x, like(x, math.inf))), x, a)
    b = select(and_(missing, eq(x, like(x, -math.inf))), op.negate(x), b)
    endless = isinf(y)
    return complex(select(endless, op.abs(y), a), select(endless, y, b))


# --- Hyperbolic functions and, swapped, circular ones --------------------------------------------

# Past this, cosh overflows before its product with a sine does: it is applied in two halves.
_STEEP = {2: 10.0, 4: 87.0, 8: 700.0}


def _steeply(function: Value, x: Value, factor: Value, odd: bool) -> Value:
    """function * factor, where `function` is sinh x or cosh x and may overflow."""
    half = op.exponential(op.multiply(op.abs(x), like(x, 0.5)))
    first = op.multiply(op.multiply(half, like(x, 0.5)), factor)
    both = op.multiply(first, half)
    both = copysign(both, op.multiply(_signs(x), _signs(both))) if odd else both
    steep = and_(gt(op.abs(x), like(x, _STEEP[x.type.dtype.itemsize])), op.is_finite(x))
    return select(steep, both, op.multiply(function, factor))


def _signs(x: Value) -> Value:
    return copysign(like(x, 1), x)


def sinh(z: Value) -> Value:
    x, y = parts(z)
    a = _steeply(op.sinh(x), x, op.cosine(y), odd=True)
    b = _steeply(op.cosh(x), x, op.sine(y), odd=False)
    undirected = not_(op.is_finite(y))
    a = select(_zero(x), x, select(and_(isinf(x), undirected), op.abs(x), a))
    return complex(a, select(_zero(y), y, b))


def cosh(z: Value) -> Value:
    x, y = parts(z)
    a = _steeply(op.cosh(x), x, op.cosine(y), odd=False)
    b = _steeply(op.sinh(x), x, op.sine(y), odd=True)
    undirected = not_(op.is_finite(y))
    a = select(and_(isinf(x), undirected), op.abs(x), a)
    nothing = copysign(like(x, 0), op.multiply(_signs(x), _signs(y)))
    return complex(a, select(or_(_zero(x), _zero(y)), nothing, b))


def tanh(z: Value) -> Value:
    """On an axis the other part is zero; at infinity only the sign of sin 2y is left."""
    (x, y), (a, b) = parts(z), parts(op.tanh(z))
    turns = op.sine(op.add(y, y))
    b = select(and_(isinf(x), op.is_finite(y)), copysign(like(y, 0), turns), b)
    return complex(select(_zero(x), x, a), select(_zero(y), y, b))


sin = swapped(sinh)
tan = swapped(tanh)


def cos(z: Value) -> Value:
    """cosh(iz)."""
    return cosh(complex(op.negate(imag(z)), real(z)))


# --- Their inverses ------------------------------------------------------------------------------


def _with_nan(x: Value, y: Value) -> Value:
    """Where `y` is NaN and `x` says nothing of the result."""
    return and_(isnan(y), op.is_finite(x))


def arcsin(z: Value) -> Value:
    """On the branch cut -0.0 is below; of a NaN imaginary part only the zero of the real one."""
    (x, y), (a, b) = parts(z), parts(op.asin(z))
    lost = _with_nan(x, y)
    a = select(lost, select(_zero(x), x, like(x, math.nan)), a)
    return complex(a, _nan_where(lost, copysign(b, y)))


def arccos(z: Value) -> Value:
    (x, y), (a, b) = parts(z), parts(op.acos(z))
    lost = _with_nan(x, y)
    a = select(lost, select(_zero(x), like(x, math.pi / 2), like(x, math.nan)), a)
    return complex(a, _nan_where(lost, copysign(b, op.negate(y))))


arcsinh = swapped(arcsin)


def arccosh(z: Value) -> Value:
    (x, y), (a, b) = parts(z), parts(op.acosh(z))
    lost = _with_nan(x, y)
    b = select(lost, select(_zero(x), like(x, math.pi / 2), like(x, math.nan)), copysign(b, y))
    return complex(_nan_where(lost, a), b)


def arctanh(z: Value) -> Value:
    """On the branch cuts -0.0 is below; NaN in the one part leaves zeros of the other."""
    (x, y), (a, b) = parts(z), parts(op.atanh(z))
    b = copysign(b, y)
    far = or_(_zero(x), isinf(x))
    a = copysign(select(isnan(y), select(far, like(x, 0), like(x, math.nan)), a), x)
    lost = or_(isnan(y), and_(isnan(x), not_(isinf(y))))
    return complex(_nan_where(and_(isnan(x), not_(isinf(y))), a), _nan_where(lost, b))


arctan = swapped(arctanh)


# --- Arithmetic ----------------------------------------------------------------------------------


def absolute(z: Value) -> Value:
    """Infinite where either part is."""
    size = op.abs(z)
    return select(isinf(z), like(size, math.inf), size)


def sign(z: Value) -> Value:
    """z / |z|; the direction of the one infinite part."""
    x, y = parts(z)
    size = op.abs(z)
    nothing = _zero(size)
    divisor = select(nothing, like(size, 1), size)
    a, b = op.divide(x, divisor), op.divide(y, divisor)
    infinite_x, infinite_y = isinf(x), isinf(y)
    along = and_(infinite_x, not_(infinite_y))
    across = and_(infinite_y, not_(infinite_x))
    a = select(along, _signs(x), select(across, like(x, 0), a))
    b = select(across, _signs(y), select(along, like(y, 0), b))
    return complex(select(nothing, like(x, 0), a), select(nothing, like(y, 0), b))


def divide(z: Value, w: Value) -> Value:
    """Smith's algorithm ("Algorithm 116: Complex division", 1962), as NumPy's loop: the larger part
    of the divisor divides the smaller; by zero, each part is divided by 0.0."""
    (a, b), (c, d) = parts(z), parts(w)
    wide = ge(op.abs(c), op.abs(d))
    large, small = select(wide, c, d), select(wide, d, c)
    nothing = and_(_zero(c), _zero(d))
    divisor = select(nothing, like(c, 1), large)
    ratio = op.divide(small, divisor)
    scale = op.divide(like(c, 1), op.add(divisor, op.multiply(small, ratio)))
    first = op.add(select(wide, a, op.multiply(a, ratio)), select(wide, op.multiply(b, ratio), b))
    second = op.subtract(
        select(wide, b, op.multiply(b, ratio)), select(wide, op.multiply(a, ratio), a)
    )
    # Divided by 1 where it is not selected: 0 / 0 would be the derivative.
    zero = select(nothing, like(c, 0), like(c, 1))
    return complex(
        select(nothing, op.divide(a, zero), op.multiply(first, scale)),
        select(nothing, op.divide(b, zero), op.multiply(second, scale)),
    )


def power_of_python(z: Value, exponent: int) -> Value:
    """`z ** exponent` as CPython computes it, which begins with 1."""
    result, base, rest = None, z, abs(exponent)
    while rest:
        if rest & 1:
            result = _once(base) if result is None else op.multiply(result, base)
        base, rest = op.multiply(base, base), rest >> 1
    result = like(z, 1) if result is None else result
    return divide(like(z, 1), result) if exponent < 0 else result


def _once(z: Value) -> Value:
    """1 times z, which decides signs of zeros; XLA drops a product with 1."""
    x, y = parts(z)
    nothing = like(x, 0)
    return complex(op.subtract(x, op.multiply(nothing, y)), op.add(y, op.multiply(nothing, x)))


def power_of_array(z: Value, exponent: int) -> Value:
    """The same as NumPy computes it: small powers of their own, and else as CPython."""
    if exponent == -1 and z.type.shape:
        return reciprocal(z)
    return (power_static if 0 <= exponent <= 3 else power_of_python)(z, exponent)


def reciprocal(z: Value) -> Value:
    """1 / z by the larger part; NaN of 0, of an infinite and of a NaN part."""
    x, y = parts(z)
    wide = ge(op.abs(x), op.abs(y))
    large, small = select(wide, x, y), select(wide, y, x)
    ratio = op.divide(small, large)
    divisor = op.add(large, op.multiply(small, ratio))
    one = op.divide(like(x, 1), divisor)
    part = op.multiply(ratio, one)
    return complex(select(wide, one, part), op.negate(select(wide, part, one)))
