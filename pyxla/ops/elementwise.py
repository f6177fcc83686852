"""Ops that act element by element: arithmetic, comparison, selection, conversion.

One row per op: name, NumPy's meaning, element types, derivatives.  Those of the dialect `chlo`
(`erf`, `asin`) have no StableHLO op; XLA expands them when it imports the module.

A derivative is a function per operand, of a tangent `t`, the operands and the result: the product
of `t` and the partial derivative.  It is its own transpose, so that forward and reverse mode share
it; complex numbers as in JAX, without conjugation.  FLAT: zero wherever it exists.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import BOOL, ArrayType, array_type
from pyxla.ops import batching, meaning, special
from pyxla.ops.check import (
    ANY,
    BOOLS,
    COMPLEXES,
    FLOATS,
    INEXACT,
    INTS,
    NUMERIC,
    PARTS,
    SIGNED,
    WHOLES,
    as_dtype,
    check_dtype,
    check_same,
    like,
    refuse,
    require,
)
from pyxla.ops.contribution import Contribution, Sum
from pyxla.ops.filled import broadcast_in_dim, filled, spread, zeros
from pyxla.ops.integer_power import emit_power
from pyxla.ops.spell import clamped, comparison, plain, spelled

# Directions of `compare`: those of an order, and the opposite of each.
ORDERS = ("LT", "LE", "GT", "GE")
NEGATED = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT"}
Partial = Callable[..., Value | None]


def differentiable(*partials: Partial) -> dict[str, Any]:
    """The facets of an op with these partial derivatives."""

    def jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value | None:
        total = None
        for partial, t in zip(partials, tangents, strict=True):
            part = None if t is None else partial(t, *instr.operands, *instr.results)
            total = part if total is None else total if part is None else add(total, part)
        return total

    def vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
        rows = zip(partials, wanted, strict=True)
        return tuple([p(ct, *instr.operands, *instr.results) if w else None for p, w in rows])

    return {"jvp": jvp, "vjp": vjp}


def unary(
    name: str,
    numpy: Callable[..., Any],
    allowed: frozenset[np.dtype],
    *partials: Partial,
    dialect: str = "stablehlo",
    **facets: Any,
) -> Op:
    """An op on one operand with a result of the same type."""

    def infer(x: ArrayType) -> ArrayType:
        if x.dtype not in allowed:
            check_dtype(name, x, allowed)
        return x

    facets |= differentiable(*partials) if partials else {}
    facets |= {"emit": plain(name, dialect), "batch": batching.again}
    return Op(name, infer, numpy=numpy, **facets)


def binary(
    name: str,
    numpy: Callable[..., Any],
    allowed: frozenset[np.dtype],
    *partials: Partial,
    dialect: str = "stablehlo",
    **facets: Any,
) -> Op:
    """An op on two operands of one type, which is that of the result."""

    def infer(x: ArrayType, y: ArrayType) -> ArrayType:
        if x.dtype not in allowed:
            check_dtype(name, x, allowed)
        if x is y:
            return x
        check_same(name, x, y)
        return array_type(x.dtype, x.shape, x.weak and y.weak)

    facets |= differentiable(*partials) if partials else {}
    facets.setdefault("emit", plain(name, dialect))
    return Op(name, infer, numpy=numpy, batch=batching.again, **facets)


# --- Partial derivatives -------------------------------------------------------------------------


def FLAT(t: Value, *_: Value) -> None:  # noqa: N802 - a constant among rules
    """Zero wherever the derivative exists."""


def _same(t: Value, *_: Value) -> Value:
    return t


def _negated(t: Value, *_: Value) -> Value:
    return negate(t)


def _times(t: Value, number: float) -> Value:
    return multiply(t, filled(t.type, number))


def _plus(x: Value, number: float) -> Value:
    return add(x, filled(x.type, number))


def _from_one(x: Value) -> Value:
    """1 - x."""
    return subtract(filled(x.type, 1), x)


def _share(direction: str) -> Partial:
    """The part of `t` that goes to x where x wins over y: a half where both are equal."""

    def share(t: Value, x: Value, y: Value) -> Value:
        tie = select(compare(x, y, direction="EQ"), _times(t, 0.5), zeros(t.type))
        return select(compare(x, y, direction=direction), t, tie)

    return share


_MORE, _LESS = _share("GT"), _share("LT")


def _remainder_y(t: Value, x: Value, y: Value, z: Value) -> Value:
    """How often y is in x, from the remainder: the rounded quotient of 1.0 and 0.1 is 10, not 9."""
    return negate(multiply(t, round_nearest_even(divide(subtract(x, z), y))))


def _power_x(t: Value, x: Value, y: Value, z: Value) -> Value:
    """y x**(y-1), which is 0 for y = 0 even where x is 0."""
    slope = multiply(y, power(x, _plus(y, -1)))
    none = compare(y, zeros(y.type), direction="EQ")
    return multiply(t, select(none, zeros(y.type), slope))


def _power_y(t: Value, x: Value, y: Value, z: Value) -> Value:
    """x**y log(x), which is 0 for x = 0."""
    none = compare(x, zeros(x.type), direction="EQ")
    return multiply(t, multiply(z, log(select(none, filled(x.type, 1), x))))


def _over_norm(t: Value, x: Value, y: Value) -> Value:
    return divide(t, add(multiply(x, x), multiply(y, y)))


def _sign_slope(instr: Instr, t: Value, back: bool) -> Value | None:
    """Of z / |z|: (t - sign(z)**2 conj(t)) / 2 |z|, or its transpose; 0 at 0.  Of reals: flat."""
    (x,), y = instr.operands, instr.results[0]
    if x.type.dtype not in COMPLEXES:
        return None
    norm, square = abs(x), multiply(y, y)
    mirrored = conj(multiply(square, t)) if back else multiply(square, conj(t))
    none, half = compare(norm, zeros(norm.type), direction="EQ"), filled(norm.type, 0.5)
    scale = select(none, zeros(norm.type), divide(half, select(none, half, norm)))
    return multiply(subtract(t, mirrored), convert(scale, dtype=x.type.dtype))


def _no_partial(name: str) -> Partial:
    def partial(t: Value, *_: Value) -> None:
        raise OpError(f"{name} has no derivative rule")

    return partial


def _real_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    whole = instr.operands[0].type.dtype in COMPLEXES
    return (complex(ct, zeros(ct.type)) if whole else ct,)


def _imag_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    whole = instr.operands[0].type.dtype in COMPLEXES
    return (complex(zeros(ct.type), negate(ct)) if whole else None,)


def _complex_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    parts = zip(tangents, instr.operands, strict=True)
    return complex(*[zeros(x.type) if t is None else t for t, x in parts])


def _abs_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    (x,) = instr.operands
    direction = sign(x)
    if x.type.dtype not in COMPLEXES:
        return (multiply(ct, direction),)
    return (complex(multiply(ct, real(direction)), negate(multiply(ct, imag(direction)))),)


def _select_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    pred, *cases = instr.operands
    parts = zip(tangents[1:], cases, strict=True)
    return select(pred, *[zeros(x.type) if t is None else t for t, x in parts])


def _select_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    pred, zero = instr.operands[0], zeros(ct.type)
    x = select(pred, ct, zero) if wanted[1] else None
    return None, x, select(pred, zero, ct) if wanted[2] else None


def _clamped(instr: Instr, t: Value, wanted: Sequence[bool]) -> list[Value | None]:
    """What of `t` goes to the lower bound, to x (also where it equals a bound), to the upper."""
    shape = t.type.shape
    lo, x, hi = [v if v.type.shape == shape else spread(v, shape) for v in instr.operands]
    zero = zeros(t.type)
    below, above = compare(x, lo, direction="LT"), compare(maximum(x, lo), hi, direction="GT")
    inside = select(above, zero, t)
    return [
        select(below, inside, zero) if wanted[0] else None,
        select(below, zero, inside) if wanted[1] else None,
        select(above, t, zero) if wanted[2] else None,
    ]


def _clamp_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    every = tuple(range(ct.type.ndim))
    return tuple(
        [
            part if part is None or part.type.shape == x.type.shape else Sum(part, every)
            for part, x in zip(_clamped(instr, ct, wanted), instr.operands, strict=True)
        ]
    )


def _convert_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value | None:
    dtype = instr.results[0].type.dtype
    return convert(tangents[0], dtype=dtype) if dtype in INEXACT else None


def _convert_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """Also from complex, where it takes the real part, and to complex."""
    return (convert(ct, dtype=instr.operands[0].type.dtype),)


def _part(name: str, numpy: Callable[..., Any], vjp: Callable[..., Any]) -> Op:
    """`real` and `imag`: a complex operand's part, of half its width."""

    def infer(x: ArrayType) -> ArrayType:
        check_dtype(name, x, INEXACT)
        return like(x, PARTS.get(x.dtype, x.dtype))

    def jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value:
        return instr.op(tangents[0])

    return Op(name, infer, numpy, plain(name), jvp=jvp, vjp=vjp, batch=batching.again)


def _abs(x: ArrayType) -> ArrayType:
    check_dtype("abs", x, SIGNED | INEXACT)
    return like(x, PARTS.get(x.dtype))


def _test(name: str, numpy: Callable[..., Any], dialect: str = "stablehlo") -> Op:
    """An op that asks something of each float."""

    def infer(x: ArrayType) -> ArrayType:
        check_dtype(name, x, FLOATS)
        return like(x, BOOL.dtype)

    return Op(name, infer, numpy, plain(name, dialect), batch=batching.again)


def _complex(re: ArrayType, im: ArrayType) -> ArrayType:
    check_same("complex", re, im)
    check_dtype("complex", re, frozenset(WHOLES))
    return array_type(WHOLES[re.dtype], re.shape, re.weak and im.weak)


DIRECTIONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
# What direction `d` becomes when the operands change places, and when the answer is negated.
SWAPPED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}


def _compare(x: ArrayType, y: ArrayType, direction: str) -> ArrayType:
    if x is not y:
        check_same("compare", x, y)
    if direction not in DIRECTIONS:
        refuse("compare", f"direction must be one of {', '.join(DIRECTIONS)}, got {direction!r}")
    if direction not in ("EQ", "NE") and x.dtype in COMPLEXES:
        refuse("compare", f"complex operands have no order, got {x}")
    return array_type(BOOL.dtype, x.shape, x.weak and y.weak)


def _emit_compare(e: Any, instr: Any, operands: Any) -> Any:
    kind = _comparison_type(instr.operands[0].type.dtype)
    return e.op("stablehlo.compare", instr, operands, comparison(**instr.attrs, kind=kind))


def _comparison_type(dtype: np.dtype) -> str:
    if dtype in INEXACT:
        return "FLOAT"
    return "SIGNED" if dtype in SIGNED else "UNSIGNED"


def _select(pred: ArrayType, x: ArrayType, y: ArrayType) -> ArrayType:
    if x is not y:
        check_same("select", x, y)
    if pred.dtype != BOOL.dtype or (pred.shape and pred.shape != x.shape):
        refuse("select", f"the predicate must be bool_[] or bool_{list(x.shape)}, got {pred}")
    return array_type(x.dtype, x.shape, x.weak and y.weak)


def _clamp(lo: ArrayType, x: ArrayType, hi: ArrayType) -> ArrayType:
    check_dtype("clamp", x, ORDERED)
    for bound in (lo, hi):
        fits = bound.dtype == x.dtype and (not bound.shape or bound.shape == x.shape)
        require(fits, "clamp", f"bounds must be of {x}'s element type and shape or rank 0: {bound}")
    return like(x) if lo.weak and hi.weak else array_type(x.dtype, x.shape)


def _convert(x: ArrayType, dtype: np.dtype, weak: bool | None = None) -> ArrayType:
    dtype = as_dtype("convert", dtype)
    if weak is None:
        return like(x, dtype)
    return array_type(dtype, x.shape, weak)


def _emit_convert(e: Any, instr: Any, operands: Any) -> Any:
    if instr.operands[0].type.dtype == instr.results[0].type.dtype:
        return operands[0]
    source, target = instr.operands[0].type, instr.results[0].type
    if source.dtype in BOOLS and target.dtype in INEXACT:
        # XLA makes `convert(bool) * x` a select of x and 0, even where x is infinite or NaN.
        operands = [e.convert(operands[0], array_type(np.dtype(np.int8), source.shape))]
    if source.dtype.name == "int4" and target.dtype == np.int8:
        # XLA:CPU computes ints of 4 bits in 8, and forgets to drop those where it converts to them.
        operands = [e.convert(operands[0], array_type(np.dtype(np.int32), source.shape))]
    if source.dtype.name == "bfloat16" and target.dtype in FLOATS and target.dtype.itemsize > 2:
        # It computes bfloat16 in float32, and forgets to round.
        bits = {"exponent_bits": "8 : i32", "mantissa_bits": "7 : i32"}
        wide = e.convert(operands[0], target)
        return e.op("stablehlo.reduce_precision", instr, [wide], bits)
    return e.op("stablehlo.convert", instr, operands)


def _bitcast_convert(x: ArrayType, dtype: np.dtype) -> ArrayType:
    dtype = as_dtype("bitcast_convert", dtype)
    if x.dtype in BOOLS or dtype in BOOLS:
        refuse("bitcast_convert", f"no bits of bool_ to reinterpret, from {x} to {dtype}")
    narrow, wide = x.dtype.itemsize, dtype.itemsize
    if narrow == wide:
        return like(x, dtype)
    if narrow > wide:
        return array_type(dtype, (*x.shape, narrow // wide))
    if not x.shape or x.shape[-1] * narrow != wide:
        refuse("bitcast_convert", f"the last dimension of {x} must fill one element of {dtype}")
    return array_type(dtype, x.shape[:-1])


def _reduce_precision(x: ArrayType, exponent_bits: int, mantissa_bits: int) -> ArrayType:
    check_dtype("reduce_precision", x, FLOATS)
    if exponent_bits < 1 or mantissa_bits < 0:
        refuse("reduce_precision", "exponent_bits must be positive, mantissa_bits not negative")
    return x


ORDERED = ANY - COMPLEXES

add = binary("add", np.add, ANY, _same, _same)
subtract = binary("subtract", np.subtract, NUMERIC, _same, _negated)
multiply: Op = binary(
    "multiply",
    np.multiply,
    ANY,
    lambda t, x, y, z: multiply(t, y),
    lambda t, x, y, z: multiply(x, t),
)
divide: Op = binary(
    "divide",
    meaning.divide,
    NUMERIC,
    lambda t, x, y, z: divide(t, y),
    # The reciprocal is the same for all directions, and so moves out of loops over them.
    lambda t, x, y, z: negate(multiply(multiply(t, z), divide(filled(y.type, 1), y))),
)
remainder = binary("remainder", meaning.remainder, INTS | FLOATS, _same, _remainder_y)
maximum = binary(
    "maximum",
    np.maximum,
    ORDERED,
    lambda t, x, y, z: _MORE(t, x, y),
    lambda t, x, y, z: _MORE(t, y, x),
)
minimum = binary(
    "minimum",
    np.minimum,
    ORDERED,
    lambda t, x, y, z: _LESS(t, x, y),
    lambda t, x, y, z: _LESS(t, y, x),
)
power = binary("power", meaning.power, NUMERIC, _power_x, _power_y, emit=emit_power)
atan2 = binary(
    "atan2",
    np.arctan2,
    FLOATS,
    lambda t, y, x, z: _over_norm(multiply(t, x), x, y),
    lambda t, y, x, z: _over_norm(negate(multiply(t, y)), x, y),
)
and_ = binary("and", np.bitwise_and, BOOLS | INTS)
or_ = binary("or", np.bitwise_or, BOOLS | INTS)
xor = binary("xor", np.bitwise_xor, BOOLS | INTS)
shift_left = binary("shift_left", meaning.shift_left, INTS)
shift_right_arithmetic = binary("shift_right_arithmetic", meaning.shift_right_arithmetic, INTS)
shift_right_logical = binary("shift_right_logical", meaning.shift_right_logical, INTS)
next_after = binary("next_after", np.nextafter, FLOATS, _same, FLAT, dialect="chlo")

negate: Op = unary("negate", np.negative, NUMERIC, _negated)
sign = unary(
    "sign",
    meaning.sign,
    SIGNED | INEXACT,
    jvp=lambda instr, tangents: _sign_slope(instr, tangents[0], False),
    vjp=lambda instr, ct, wanted: (_sign_slope(instr, ct, True),),
)
exponential = unary("exponential", np.exp, INEXACT, lambda t, x, y: multiply(t, y))
exponential_minus_one = unary(
    "exponential_minus_one", np.expm1, INEXACT, lambda t, x, y: multiply(t, _plus(y, 1))
)
log = unary("log", np.log, INEXACT, lambda t, x, y: divide(t, x))
log_plus_one = unary("log_plus_one", np.log1p, INEXACT, lambda t, x, y: divide(t, _plus(x, 1)))
logistic = unary(
    "logistic", meaning.logistic, INEXACT, lambda t, x, y: multiply(t, multiply(y, _from_one(y)))
)
sine = unary("sine", np.sin, INEXACT, lambda t, x, y: multiply(t, cosine(x)))
cosine: Op = unary("cosine", np.cos, INEXACT, lambda t, x, y: negate(multiply(t, sine(x))))
tan = unary("tan", np.tan, INEXACT, lambda t, x, y: multiply(t, _plus(multiply(y, y), 1)))
tanh = unary("tanh", np.tanh, INEXACT, lambda t, x, y: multiply(t, _from_one(multiply(y, y))))
sqrt = unary("sqrt", np.sqrt, INEXACT, lambda t, x, y: divide(_times(t, 0.5), y))
rsqrt = unary(
    "rsqrt", meaning.rsqrt, INEXACT, lambda t, x, y: multiply(_times(t, -0.5), divide(y, x))
)
cbrt = unary("cbrt", np.cbrt, FLOATS, lambda t, x, y: divide(t, _times(multiply(y, y), 3)))
ceil = unary("ceil", np.ceil, FLOATS, FLAT)
floor = unary("floor", np.floor, FLOATS, FLAT)
round_nearest_even = unary("round_nearest_even", np.rint, FLOATS, FLAT)
round_nearest_afz = unary("round_nearest_afz", meaning.round_afz, FLOATS, FLAT)
not_ = unary("not", np.invert, BOOLS | INTS)
popcnt = unary("popcnt", meaning.popcnt, INTS)
count_leading_zeros = unary("count_leading_zeros", meaning.leading_zeros, INTS)

chlo = functools.partial(unary, dialect="chlo")
conj: Op = chlo("conj", np.conj, COMPLEXES, lambda t, x, y: conj(t))
acos = chlo(
    "acos",
    np.arccos,
    INEXACT,
    lambda t, x, y: negate(multiply(t, rsqrt(_from_one(multiply(x, x))))),
)
acosh = chlo(
    "acosh",
    np.arccosh,
    INEXACT,
    lambda t, x, y: divide(t, multiply(sqrt(_plus(x, -1)), sqrt(_plus(x, 1)))),
)
asin = chlo(
    "asin", np.arcsin, INEXACT, lambda t, x, y: multiply(t, rsqrt(_from_one(multiply(x, x))))
)
asinh = chlo(
    "asinh", np.arcsinh, INEXACT, lambda t, x, y: multiply(t, rsqrt(_plus(multiply(x, x), 1)))
)
atan = chlo("atan", np.arctan, INEXACT, lambda t, x, y: divide(t, _plus(multiply(x, x), 1)))
atanh = chlo("atanh", np.arctanh, INEXACT, lambda t, x, y: divide(t, _from_one(multiply(x, x))))
cosh = chlo("cosh", np.cosh, INEXACT, lambda t, x, y: multiply(t, sinh(x)))
sinh: Op = chlo("sinh", np.sinh, INEXACT, lambda t, x, y: multiply(t, cosh(x)))
square = chlo("square", np.square, INEXACT, lambda t, x, y: multiply(t, add(x, x)))
erf = chlo(
    "erf",
    special.erf,
    FLOATS,
    lambda t, x, y: _times(multiply(t, exponential(negate(multiply(x, x)))), 2 / np.sqrt(np.pi)),
)
erfc = chlo(
    "erfc",
    special.erfc,
    FLOATS,
    lambda t, x, y: _times(multiply(t, exponential(negate(multiply(x, x)))), -2 / np.sqrt(np.pi)),
)
erf_inv = chlo(
    "erf_inv",
    special.erf_inv,
    FLOATS,
    lambda t, x, y: _times(multiply(t, exponential(multiply(y, y))), np.sqrt(np.pi) / 2),
)
lgamma = chlo("lgamma", special.lgamma, FLOATS, lambda t, x, y: multiply(t, digamma(x)))
# What digamma is at its poles depends on the version of XLA.
digamma: Op = chlo(
    "digamma", special.digamma, FLOATS, lambda t, x, y: multiply(t, polygamma(filled(x.type, 1), x))
)
bessel_i1e = chlo("bessel_i1e", special.bessel_i1e, FLOATS)
polygamma: Op = binary(
    "polygamma",
    special.polygamma,
    FLOATS,
    _no_partial("polygamma's order"),
    lambda t, n, x, y: multiply(t, polygamma(_plus(n, 1), x)),
    dialect="chlo",
)
zeta: Op = binary(
    "zeta",
    special.zeta,
    FLOATS,
    _no_partial("zeta's first operand"),
    lambda t, s, q, z: negate(multiply(t, multiply(s, zeta(_plus(s, 1), q)))),
    dialect="chlo",
)

real = _part("real", np.real, _real_vjp)
imag = _part("imag", np.imag, _imag_vjp)
abs = Op(
    "abs",
    _abs,
    np.abs,
    plain("abs"),
    vjp=_abs_vjp,
    batch=batching.again,
)
is_finite = _test("is_finite", np.isfinite)
is_inf = _test("is_inf", np.isinf, "chlo")
is_pos_inf = _test("is_pos_inf", lambda x: x == np.inf, "chlo")
is_neg_inf = _test("is_neg_inf", lambda x: x == -np.inf, "chlo")
complex = Op(
    "complex",
    _complex,
    numpy=meaning.complex,
    emit=plain("complex"),
    jvp=_complex_jvp,
    vjp=lambda instr, ct, wanted: (
        real(ct) if wanted[0] else None,
        negate(imag(ct)) if wanted[1] else None,
    ),
    batch=batching.again,
)
compare = Op(
    "compare",
    _compare,
    numpy=lambda x, y, direction: DIRECTIONS[direction](x, y),
    emit=_emit_compare,
    batch=batching.again,
)
select = Op(
    "select",
    _select,
    numpy=lambda pred, x, y: np.where(pred, x, y) if pred.ndim else x if pred else y,
    emit=plain("select"),
    jvp=_select_jvp,
    vjp=_select_vjp,
    batch=batching.elementwise,
)
clamp = Op(
    "clamp",
    _clamp,
    numpy=lambda lo, x, hi: np.minimum(np.maximum(x, lo), hi),
    emit=clamped,
    vjp=_clamp_vjp,
    batch=batching.elementwise,
)
convert: Op = Op(
    "convert",
    _convert,
    numpy=meaning.convert,
    emit=_emit_convert,
    jvp=_convert_jvp,
    vjp=_convert_vjp,
    batch=lambda instr, operands, size: convert(operands[0], dtype=instr.results[0].type.dtype),
)
bitcast_convert = Op(
    "bitcast_convert",
    _bitcast_convert,
    numpy=meaning.bitcast,
    emit=plain("bitcast_convert"),
    batch=batching.again,
)
reduce_precision = Op(
    "reduce_precision",
    _reduce_precision,
    numpy=meaning.reduce_precision,
    emit=spelled(
        "reduce_precision",
        lambda exponent_bits, mantissa_bits: {
            "exponent_bits": f"{exponent_bits} : i32",
            "mantissa_bits": f"{mantissa_bits} : i32",
        },
    ),
    **differentiable(_same),
    batch=batching.again,
)

# What computes each element of one of each operand: all of these, and spreading.
_OWN = [op for op in list(globals().values()) if isinstance(op, Op)]
ELEMENTWISE = frozenset([*_OWN, broadcast_in_dim])
