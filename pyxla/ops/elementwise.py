"""Ops that act element by element: arithmetic, comparison, selection, conversion.

One row per op: name, NumPy's meaning, element types.  Those of the dialect `chlo` (`erf`, `asin`)
have no StableHLO op; XLA expands them when it imports the module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, DTYPE_NAMES, SHORT_NAMES, ArrayType, array_type
from pyxla.ops import meaning, samples, special
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
    UNSIGNED,
    WHOLES,
    check_dtype,
    check_same,
    like,
    refuse,
    require,
)
from pyxla.ops.samples import elements, sampled
from pyxla.ops.spell import enum, plain, spelled


def unary(
    name: str,
    numpy: Callable[..., Any],
    allowed: frozenset[np.dtype],
    dialect: str = "stablehlo",
    **facets: Any,
) -> Op:
    """An op on one operand with a result of the same type."""

    def infer(x: ArrayType) -> ArrayType:
        if x.dtype not in allowed:
            check_dtype(name, x, allowed)
        return x

    facets.setdefault("samples", sampled(1, allowed))
    return Op(name, infer, numpy=numpy, emit=plain(name, dialect), **facets)


def binary(
    name: str,
    numpy: Callable[..., Any],
    allowed: frozenset[np.dtype],
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

    facets.setdefault("samples", sampled(2, allowed))
    facets.setdefault("emit", plain(name, dialect))
    return Op(name, infer, numpy=numpy, **facets)


def _part(name: str, numpy: Callable[..., Any]) -> Op:
    """`real` and `imag`: a complex operand's part, of half its width."""

    def infer(x: ArrayType) -> ArrayType:
        check_dtype(name, x, INEXACT)
        return like(x, PARTS.get(x.dtype, x.dtype))

    return Op(name, infer, numpy=numpy, emit=plain(name), samples=sampled(1, INEXACT))


def _abs(x: ArrayType) -> ArrayType:
    check_dtype("abs", x, SIGNED | INEXACT)
    return like(x, PARTS.get(x.dtype))


def _test(name: str, numpy: Callable[..., Any], dialect: str = "stablehlo") -> Op:
    """An op that asks something of each float."""

    def infer(x: ArrayType) -> ArrayType:
        check_dtype(name, x, FLOATS)
        return like(x, BOOL.dtype)

    return Op(name, infer, numpy, plain(name, dialect), samples=sampled(1, FLOATS))


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


def _compare_attributes(direction: str) -> dict[str, str]:
    return {"comparison_direction": enum("comparison_direction", direction)}


def _emit_compare(e: Any, instr: Any, operands: Any) -> Any:
    dtype = instr.operands[0].type.dtype
    attributes = _compare_attributes(**instr.attrs)
    attributes["compare_type"] = enum("comparison_type", _comparison_type(dtype))
    return e.op("stablehlo.compare", instr, operands, attributes)


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
    for bound in (lo, hi):
        fits = bound.dtype == x.dtype and (not bound.shape or bound.shape == x.shape)
        require(fits, "clamp", f"bounds must be of {x}'s element type and shape or rank 0: {bound}")
    return like(x) if lo.weak and hi.weak else array_type(x.dtype, x.shape)


def as_dtype(op: str, dtype: Any) -> np.dtype:
    """The element type `dtype` names; OpError where XLA has none."""
    if isinstance(dtype, str) and dtype in DTYPE_NAMES:
        return DTYPE_NAMES[dtype]
    try:
        found = np.dtype(dtype)
    except TypeError:
        refuse(op, f"{dtype!r} is not an element type")
    if found not in SHORT_NAMES:
        refuse(op, f"{found} is not an element type of XLA")
    return found


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


def _reduce_precision_attributes(exponent_bits: int, mantissa_bits: int) -> dict[str, str]:
    return {
        "exponent_bits": f"{exponent_bits} : i32",
        "mantissa_bits": f"{mantissa_bits} : i32",
    }


def _emit_power(e: Any, instr: Any, operands: Any) -> Any:
    """XLA's own power of integers is wrong for exponents of 64 and more, so they get a loop."""
    type = instr.results[0].type
    if type.dtype not in INTS:
        return e.op("stablehlo.power", instr, operands)
    shape = "".join([f"{extent}x" for extent in type.shape])
    kind = "ui" if type.dtype in UNSIGNED else "i"
    code = INTEGER_POWER.format(
        tensor=f"tensor<{shape}{kind}{type.dtype.itemsize * 8}>",
        truth=f"tensor<{shape}i1>",
        dims=", ".join(map(str, range(type.ndim))),
    )
    name = e.merge(code, "integer_power")
    return e.op("func.call", instr, operands, {"callee": f"@{name}"})


# By repeated squaring, while any exponent has bits left.  A negative exponent gives 0 but for the
# bases 1 and -1, whose powers depend on its lowest bit alone.
INTEGER_POWER = """
func.func @main(%x: {tensor}, %y: {tensor}) -> {tensor} {{
  %zero = stablehlo.constant dense<0> : {tensor}
  %one = stablehlo.constant dense<1> : {tensor}
  %none = stablehlo.constant dense<false> : tensor<i1>
  %negative = stablehlo.compare LT, %y, %zero : ({tensor}, {tensor}) -> {truth}
  %minus = stablehlo.negate %one : {tensor}
  %is_one = stablehlo.compare EQ, %x, %one : ({tensor}, {tensor}) -> {truth}
  %is_minus = stablehlo.compare EQ, %x, %minus : ({tensor}, {tensor}) -> {truth}
  %unit = stablehlo.or %is_one, %is_minus : {truth}
  %small = stablehlo.and %y, %one : {tensor}
  %base_or_zero = stablehlo.select %unit, %x, %zero : {truth}, {tensor}
  %left0 = stablehlo.select %negative, %small, %y : {truth}, {tensor}
  %start = stablehlo.select %unit, %one, %zero : {truth}, {tensor}
  %acc0 = stablehlo.select %negative, %start, %one : {truth}, {tensor}
  %base0 = stablehlo.select %negative, %base_or_zero, %x : {truth}, {tensor}
  %out:3 = stablehlo.while(%base = %base0, %left = %left0, %acc = %acc0)
      : {tensor}, {tensor}, {tensor}
    cond {{
      %more = stablehlo.compare NE, %left, %zero : ({tensor}, {tensor}) -> {truth}
      %any = stablehlo.reduce(%more init: %none) applies stablehlo.or
          across dimensions = [{dims}] : ({truth}, tensor<i1>) -> tensor<i1>
      stablehlo.return %any : tensor<i1>
    }} do {{
      %bit = stablehlo.and %left, %one : {tensor}
      %odd = stablehlo.compare EQ, %bit, %one : ({tensor}, {tensor}) -> {truth}
      %product = stablehlo.multiply %acc, %base : {tensor}
      %next = stablehlo.select %odd, %product, %acc : {truth}, {tensor}
      %squared = stablehlo.multiply %base, %base : {tensor}
      %rest = stablehlo.shift_right_logical %left, %one : {tensor}
      stablehlo.return %squared, %rest, %next : {tensor}, {tensor}, {tensor}
    }}
  return %out#2 : {tensor}
}}
"""


# fmt: off
ORDERED = ANY - COMPLEXES

add      = binary("add",       np.add,             ANY)
subtract = binary("subtract",  np.subtract,        NUMERIC)
multiply = binary("multiply",  np.multiply,        ANY)
divide   = binary("divide",    meaning.divide,     NUMERIC)
remainder = binary("remainder", meaning.remainder, INTS | FLOATS)
maximum  = binary("maximum",   np.maximum,         ORDERED)
minimum  = binary("minimum",   np.minimum,         ORDERED)
power    = binary("power",     meaning.power,      NUMERIC, emit=_emit_power)
atan2    = binary("atan2",     np.arctan2,         FLOATS)
and_     = binary("and",       np.bitwise_and,     BOOLS | INTS)
or_      = binary("or",        np.bitwise_or,      BOOLS | INTS)
xor      = binary("xor",       np.bitwise_xor,     BOOLS | INTS)
shift_left             = binary("shift_left",             meaning.shift_left,             INTS)
shift_right_arithmetic = binary("shift_right_arithmetic", meaning.shift_right_arithmetic, INTS)
shift_right_logical    = binary("shift_right_logical",    meaning.shift_right_logical,    INTS)
next_after             = binary("next_after", np.nextafter, FLOATS, "chlo")

negate                = unary("negate",                np.negative,           NUMERIC)
sign                  = unary("sign",                  meaning.sign,          SIGNED | INEXACT)
exponential           = unary("exponential",           np.exp,                INEXACT)
exponential_minus_one = unary("exponential_minus_one", np.expm1,              INEXACT)
log                   = unary("log",                   np.log,                INEXACT)
log_plus_one          = unary("log_plus_one",          np.log1p,              INEXACT)
logistic              = unary("logistic",              meaning.logistic,      INEXACT)
sine                  = unary("sine",                  np.sin,                INEXACT)
cosine                = unary("cosine",                np.cos,                INEXACT)
tan                   = unary("tan",                   np.tan,                INEXACT)
tanh                  = unary("tanh",                  np.tanh,               INEXACT)
sqrt                  = unary("sqrt",                  np.sqrt,               INEXACT)
rsqrt                 = unary("rsqrt",                 meaning.rsqrt,         INEXACT)
cbrt                  = unary("cbrt",                  np.cbrt,               FLOATS)
ceil                  = unary("ceil",                  np.ceil,               FLOATS)
floor                 = unary("floor",                 np.floor,              FLOATS)
round_nearest_even    = unary("round_nearest_even",    np.rint,               FLOATS)
round_nearest_afz     = unary("round_nearest_afz",     meaning.round_afz,     FLOATS)
not_                  = unary("not",                   np.invert,             BOOLS | INTS)
popcnt                = unary("popcnt",                meaning.popcnt,        INTS)
count_leading_zeros   = unary("count_leading_zeros",   meaning.leading_zeros, INTS)

conj    = unary("conj",    np.conj,         COMPLEXES, "chlo")
acos    = unary("acos",    np.arccos,       INEXACT, "chlo")
acosh   = unary("acosh",   np.arccosh,      INEXACT, "chlo")
asin    = unary("asin",    np.arcsin,       INEXACT, "chlo")
asinh   = unary("asinh",   np.arcsinh,      INEXACT, "chlo")
atan    = unary("atan",    np.arctan,       INEXACT, "chlo")
atanh   = unary("atanh",   np.arctanh,      INEXACT, "chlo")
cosh    = unary("cosh",    np.cosh,         INEXACT, "chlo")
sinh    = unary("sinh",    np.sinh,         INEXACT, "chlo")
square  = unary("square",  np.square,       INEXACT, "chlo")
erf     = unary("erf",     special.erf,     FLOATS,  "chlo")
erfc    = unary("erfc",    special.erfc,    FLOATS,  "chlo")
erf_inv = unary("erf_inv", special.erf_inv, FLOATS,  "chlo")
lgamma  = unary("lgamma",  special.lgamma,  FLOATS,  "chlo")
# What digamma is at its poles depends on the version of XLA.
digamma = unary("digamma", special.digamma, FLOATS,  "chlo", samples=sampled(1, FLOATS, False))
bessel_i1e = unary("bessel_i1e", special.bessel_i1e, FLOATS, "chlo")
polygamma = binary("polygamma", special.polygamma, FLOATS, "chlo", samples=samples.orders)
zeta      = binary("zeta",      special.zeta,      FLOATS, "chlo", samples=samples.orders)
# fmt: on

real = _part("real", np.real)
imag = _part("imag", np.imag)
abs = Op("abs", _abs, np.abs, plain("abs"), samples=sampled(1, SIGNED | INEXACT))
is_finite = _test("is_finite", np.isfinite)
is_inf = _test("is_inf", np.isinf, "chlo")
is_pos_inf = _test("is_pos_inf", lambda x: x == np.inf, "chlo")
is_neg_inf = _test("is_neg_inf", lambda x: x == -np.inf, "chlo")
complex = Op(
    "complex",
    _complex,
    numpy=meaning.complex,
    emit=plain("complex"),
    samples=sampled(2, frozenset(WHOLES)),
)
compare = Op(
    "compare",
    _compare,
    numpy=lambda x, y, direction: DIRECTIONS[direction](x, y),
    emit=_emit_compare,
    samples=lambda: [
        (operands, {"direction": direction})
        for direction in DIRECTIONS
        for operands in elements(2, ORDERED if direction not in ("EQ", "NE") else ANY)
    ],
)
select = Op(
    "select",
    _select,
    numpy=lambda pred, x, y: np.where(pred, x, y),
    emit=plain("select"),
    samples=samples.select,
)
clamp = Op(
    "clamp",
    _clamp,
    numpy=lambda lo, x, hi: np.minimum(np.maximum(x, lo), hi),
    emit=plain("clamp"),
    samples=sampled(3, ORDERED),
)
convert = Op(
    "convert",
    _convert,
    numpy=meaning.convert,
    emit=_emit_convert,
    samples=samples.convert,
)
bitcast_convert = Op(
    "bitcast_convert",
    _bitcast_convert,
    numpy=meaning.bitcast,
    emit=plain("bitcast_convert"),
    samples=samples.bitcast,
)
reduce_precision = Op(
    "reduce_precision",
    _reduce_precision,
    numpy=meaning.reduce_precision,
    emit=spelled("reduce_precision", _reduce_precision_attributes),
    samples=samples.reduce_precision,
)
