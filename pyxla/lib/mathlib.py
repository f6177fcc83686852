"""Python's `math` and `cmath`: Python scalars from Python or NumPy scalars."""

from __future__ import annotations

import cmath
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES, INT
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import complex_kernels as ck
from pyxla.lib import kernels as k
from pyxla.lib.builtins import choose, iterate, to_scalar
from pyxla.lib.loops import fold_range
from pyxla.lib.masks import within
from pyxla.lib.operands import weak
from pyxla.lib.operators import python_kind, to_python
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops.index import dynamic_slice
from pyxla.ops.scope import slope_of
from pyxla.ops.shape import constant, reshape

# fmt: off
FLOATS: dict[Callable[..., Any], Callable[..., Value]] = {
    math.sqrt:     op.sqrt,
    math.cbrt:     op.cbrt,
    math.exp:      op.exponential,
    math.exp2:     k.exp2,
    math.expm1:    op.exponential_minus_one,
    math.log2:     k.log2,
    math.log10:    k.log10,
    math.log1p:    op.log_plus_one,
    math.sin:      op.sine,
    math.cos:      op.cosine,
    math.tan:      op.tan,
    math.asin:     op.asin,
    math.acos:     op.acos,
    math.atan:     op.atan,
    math.atan2:    op.atan2,
    math.sinh:     op.sinh,
    math.cosh:     op.cosh,
    math.tanh:     op.tanh,
    math.asinh:    op.asinh,
    math.acosh:    op.acosh,
    math.atanh:    op.atanh,
    math.degrees:  k.scaled(180 / math.pi),
    math.radians:  k.scaled(math.pi / 180),
    math.erf:      op.erf,
    math.erfc:     op.erfc,
    math.lgamma:   op.lgamma,
    math.fabs:     op.abs,
    math.fmod:     op.remainder,
    math.copysign: k.copysign,
    math.nextafter: op.next_after,
    math.pow:      op.power,
    math.ulp:      lambda x: k.spacing(op.abs(x)),
}
TESTS: dict[Callable[..., Any], Callable[..., Value]] = {
    math.isnan:     k.isnan,
    math.isinf:     k.isinf,
    math.isfinite:  k.isfinite,
}
ROUNDINGS: dict[Callable[..., Any], Callable[..., Value]] = {
    math.floor: op.floor,
    math.ceil:  op.ceil,
    math.trunc: k.trunc,
}
COMPLEX: dict[Callable[..., Any], Callable[..., Value]] = {
    cmath.exp:   ck.exp,
    cmath.sqrt:  ck.sqrt,
    cmath.log10: ck.log10,
    cmath.sin:   ck.sin,
    cmath.cos:   ck.cos,
    cmath.tan:   ck.tan,
    cmath.asin:  ck.arcsin,
    cmath.acos:  ck.arccos,
    cmath.atan:  ck.arctan,
    cmath.sinh:  ck.sinh,
    cmath.cosh:  ck.cosh,
    cmath.tanh:  ck.tanh,
    cmath.asinh: ck.arcsinh,
    cmath.acosh: ck.arccosh,
    cmath.atanh: ck.arctanh,
}
# fmt: on


def real(x: Any) -> Value:
    """A number as a Python float."""
    return to_scalar(x, float).value


def integer(x: Any) -> Scalar:
    """An int, or a NumPy integer, as a Python int; floats are refused as Python does."""
    if python_kind(x) in (bool, int) or (type(x) is Array and CLASSES[x.dtype] in "iub"):
        return to_scalar(x, int)
    raise OpError(f"an integer is required, not {getattr(x, 'type', type(x).__name__)}")


def _register() -> None:
    for function, kernel in FLOATS.items():
        implements(function)(_lifted(function, kernel, float, float))
    for function, kernel in TESTS.items():
        implements(function)(_lifted(function, kernel, float, bool))
    for function, kernel in COMPLEX.items():
        implements(function)(_lifted(function, kernel, complex, complex))
    for name, kernel in (("isnan", k.isnan), ("isinf", k.isinf), ("isfinite", k.isfinite)):
        function = getattr(cmath, name)
        implements(function)(_lifted(function, kernel, complex, bool))
    for function, kernel in ROUNDINGS.items():
        implements(function)(_rounding(kernel))


def _lifted(
    function: Callable[..., Any], kernel: Callable[..., Value], takes: type, gives: type
) -> Callable[..., Any]:
    """`kernel` as a function of as many Python scalars as `function` takes."""
    parameters = inspect.signature(function).parameters.values()
    arity = len([p for p in parameters if p.default is p.empty])

    def call(*args: Any) -> Scalar:
        if len(args) != arity:
            raise OpError(f"{function.__name__}() takes {arity} argument(s), {len(args)} given")
        return weak(kernel(*[to_scalar(x, takes).value for x in args]), gives)

    return call


def _rounding(kernel: Callable[..., Value]) -> Callable[..., Any]:
    def call(x: Any) -> Scalar:
        if python_kind(x) in (bool, int) or (type(x) is Array and CLASSES[x.dtype] in "iub"):
            return to_scalar(x, int)
        return weak(kernel(real(x)), int)

    return call


_register()


@implements(math.log)
def log(x: Any, base: Any = None) -> Scalar:
    if base is None:
        return weak(op.log(real(x)), float)
    known = type(base) in (int, float) and base > 0  # then XLA is given a number to divide by
    divisor = real(math.log(base)) if known else op.log(real(base))
    return weak(op.divide(op.log(real(x)), divisor), float)


@implements(math.remainder)
def remainder(x: Any, y: Any) -> Scalar:
    """IEEE 754: x - n*y for the integer n nearest to x/y, ties to even."""
    x, y = real(x), op.abs(real(y))
    # With a slope at 0, which `abs` has not.
    size = slope_of(op.abs(x), k.copysign(x, k.like(x, 1)))
    rest = op.remainder(size, y)
    other = op.subtract(y, rest)
    odd = k.ge(op.remainder(size, op.add(y, y)), y)
    above = op.or_(k.gt(rest, other), op.and_(k.eq(rest, other), odd))
    nearest = op.select(above, op.negate(other), rest)
    nearest = op.select(k.signbit(x), op.negate(nearest), nearest)
    return weak(op.select(k.isinf(y), x, nearest), float)


@implements(math.frexp)
def frexp(x: Any) -> tuple[Scalar, Scalar]:
    mantissa, exponent = k.frexp(real(x))
    return weak(mantissa, float), weak(exponent, int)


@implements(math.modf)
def modf(x: Any) -> tuple[Scalar, Scalar]:
    fraction, whole = k.modf(real(x))
    return weak(fraction, float), weak(whole, float)


@implements(math.ldexp)
def ldexp(x: Any, i: Any) -> Scalar:
    return weak(k.ldexp(real(x), integer(i).value), float)


@implements(math.hypot)
def hypot(*coordinates: Any) -> Scalar:
    """Scaled by a power of two, so that squares do not overflow."""
    values = [real(x) for x in coordinates]
    if not values:
        return to_python(0.0, float)
    if len(values) == 2:
        return weak(k.hypot(*values), float)
    sizes = [op.abs(x) for x in values]
    scale = sizes[0]
    for size in sizes[1:]:
        scale = op.maximum(scale, size)
    power = k.scale_of_squares(scale, scale)
    total = k.like(scale, 0)
    for size in sizes:
        total = op.add(total, k.square(op.multiply(size, power)))
    length = op.divide(op.sqrt(total), power)
    infinite = k.isinf(sizes[0])
    for size in sizes[1:]:
        infinite = op.or_(infinite, k.isinf(size))
    length = op.select(infinite, k.like(length, math.inf), length)
    return weak(slope_of(length, k.length_of(values, scale, infinite)), float)


@implements(math.dist)
def dist(p: Any, q: Any) -> Scalar:
    p, q = list(iterate(p)), list(iterate(q))
    if len(p) != len(q):
        raise OpError("both points must have the same number of dimensions")
    return hypot(*[OPERATORS["sub"](a, b) for a, b in zip(p, q, strict=True)])


@implements(math.isclose)
def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Scalar:
    return _are_close(real(a), real(b), rel_tol, abs_tol)


def _are_close(a: Value, b: Value, rel_tol: Any, abs_tol: Any) -> Scalar:
    gap = op.abs(op.subtract(a, b))
    relative = op.multiply(real(rel_tol), op.maximum(op.abs(a), op.abs(b)))
    near = k.le(gap, op.maximum(relative, real(abs_tol)))
    finite = op.and_(k.isfinite(a), k.isfinite(b))
    return weak(op.or_(k.eq(a, b), op.and_(near, finite)), bool)


@implements(math.fsum, bounded=True)
def fsum(seq: Any) -> Scalar:
    """Compensated: the error of every addition is summed beside (Neumaier 1974)."""
    total, error = to_python(0.0, float), to_python(0.0, float)
    if type(seq) is Array and seq.ndim == 1:
        value = weak_free(seq)
        if (there := within(seq)) is not None:
            value = op.select(there, value, constant(value=np.zeros(seq.shape)))

        def body(i: Scalar, total: Scalar, error: Scalar) -> tuple[Scalar, Scalar]:
            x = reshape(dynamic_slice(value, i.value, slice_sizes=(1,)), shape=())
            return _accumulate(total, error, weak(x, float))

        total, error = fold_range(0, seq.shape[0], body, (total, error))
    else:
        for x in iterate(seq):
            total, error = _accumulate(total, error, to_scalar(x, float))
    finite = weak(k.isfinite(error.value), bool)
    return choose(finite, total + error, total)


def weak_free(x: Array) -> Value:
    return op.convert(x.value, dtype=np.dtype(np.float64), weak=False)


def _accumulate(total: Scalar, error: Scalar, x: Scalar) -> tuple[Scalar, Scalar]:
    new = total + x
    large = abs(total) >= abs(x)
    lost = choose(large, (total - new) + x, (x - new) + total)
    return new, error + lost


@implements(math.prod)
def prod(iterable: Any, *, start: Any = 1) -> Any:
    total = start
    for x in iterate(iterable):
        total = OPERATORS["mul"](total, x)
    return total


def sumprod(p: Any, q: Any) -> Any:
    total: Any = 0
    for a, b in zip(iterate(p), iterate(q), strict=True):
        total = OPERATORS["add"](total, OPERATORS["mul"](a, b))
    return total


def fma(x: Any, y: Any, z: Any) -> Any:
    return to_scalar(x, float) * to_scalar(y, float) + to_scalar(z, float)


for _name, _function in (("sumprod", sumprod), ("fma", fma)):
    if hasattr(math, _name):
        implements(getattr(math, _name))(_function)


# --- Gamma and factorials ------------------------------------------------------------------------

GAMMA_LIMIT = 171
FACTORIAL_LIMIT = 20
ROOT_LIMIT = math.isqrt(2**63 - 1)


def _table(values: list[float] | list[int], index: Value) -> Value:
    """values[index], clamped to the table."""
    data = constant(value=np.array(values))
    return reshape(dynamic_slice(data, index, slice_sizes=(1,)), shape=())


@implements(math.gamma)
def gamma(x: Any) -> Scalar:
    """exp(lgamma), with the sign it alternates to below zero; exact on integers."""
    x = real(x)
    size = op.exponential(op.lgamma(x))
    half = op.multiply(op.floor(x), k.like(x, 0.5))
    odd = op.and_(k.lt(x, k.like(x, 0)), k.ne(half, op.floor(half)))
    smooth = op.select(odd, op.negate(size), size)
    one, most = k.like(x, 1), k.like(x, GAMMA_LIMIT)
    whole = op.and_(k.eq(op.floor(x), x), op.and_(k.ge(x, one), k.le(x, most)))
    index = op.convert(op.clamp(one, x, most), dtype=INT)
    exact = _table([0.0] + [math.gamma(n) for n in range(1, GAMMA_LIMIT + 1)], index)
    return weak(slope_of(op.select(whole, exact, smooth), smooth), float)


@implements(math.factorial)
def factorial(n: Any) -> Scalar:
    """From a table: larger ones do not fit 64 bits."""
    table = [math.factorial(i) for i in range(FACTORIAL_LIMIT + 1)]
    result = weak(_table(table, integer(n).value), int)
    result.fact = extent.IntFact(1, table[-1])
    return result


@implements(math.comb)
def comb(n: Any, chosen: Any) -> Any:
    """prod (n-c+i)/i for i = 1..c, every partial product an integer; 0 where c > n.

    What i shares with the product is divided out before, so that only the result need fit.
    """
    n, chosen = integer(n), integer(chosen)
    small = choose(chosen * 2 > n, n - chosen, chosen)

    def body(i: Scalar, result: Scalar) -> tuple[Scalar]:
        common = weak(k.gcd(result.value, i.value), int)
        return (result // common * ((n - small + i) // (i // common)),)

    (result,) = fold_range(1, small + 1, body, (to_python(1, int),))
    return choose(chosen > n, 0, result)


@implements(math.perm)
def perm(n: Any, chosen: Any = None) -> Any:
    n = integer(n)
    if chosen is None:
        return factorial(n)
    chosen = integer(chosen)
    (result,) = fold_range(0, chosen, lambda i, result: (result * (n - i),), (to_python(1, int),))
    return choose(chosen > n, 0, result)


@implements(math.isqrt)
def isqrt(n: Any) -> Scalar:
    """From the float root, which is off by at most one; no root is larger than `ROOT_LIMIT`."""
    n = integer(n)
    root = weak(op.sqrt(to_python(n, float).value), int)
    root = choose(root > ROOT_LIMIT, ROOT_LIMIT, root)
    root = choose(root * root > n, root - 1, root)
    above = choose(root < ROOT_LIMIT, root + 1, ROOT_LIMIT)
    result = choose(above * above <= n, above, root)
    result.fact = extent.IntFact(0, ROOT_LIMIT)
    return result


def _folded(start: int, kernel: Callable[[Value, Value], Value]) -> Callable[..., Scalar]:
    def call(*integers: Any) -> Scalar:
        result = to_python(start, int)
        for x in integers:
            result = weak(kernel(result.value, integer(x).value), int)
        return result

    return call


gcd = implements(math.gcd)(_folded(0, k.gcd))
lcm = implements(math.lcm)(_folded(1, k.lcm))


# --- cmath ---------------------------------------------------------------------------------------


@implements(cmath.log)
def complex_log(x: Any, base: Any = None) -> Scalar:
    value = op.log(to_scalar(x, complex).value)
    if base is not None:
        value = op.divide(value, op.log(to_scalar(base, complex).value))
    return weak(value, complex)


@implements(cmath.isclose)
def complex_isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Scalar:
    a, b = to_scalar(a, complex).value, to_scalar(b, complex).value
    return _are_close(a, b, rel_tol, abs_tol)


@implements(cmath.phase)
def phase(x: Any) -> Scalar:
    value = to_scalar(x, complex).value
    return weak(op.atan2(op.imag(value), op.real(value)), float)


@implements(cmath.polar)
def polar(x: Any) -> tuple[Scalar, Scalar]:
    return weak(op.abs(to_scalar(x, complex).value), float), phase(x)


@implements(cmath.rect)
def rect(r: Any, phi: Any) -> Scalar:
    r, phi = real(r), real(phi)
    value = op.complex(op.multiply(r, op.cosine(phi)), op.multiply(r, op.sine(phi)))
    return weak(value, complex)
