"""NumPy's ufuncs: one row each, and what they have in common.

A call finds the loop NumPy would run (`promote.loop_types`), casts and broadcasts the operands to
it, and applies the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import kind, loop_types
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import complex_kernels as ck
from pyxla.lib import kernels as k
from pyxla.lib.operands import as_array, as_value, broadcast, cast, is_short_int, splat
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op

by_class = k.by_class

# fmt: off
# What is rounded once of a float32 where the floats are of ml_dtypes: XLA has steps between, too.
ROUNDED_ONCE: dict[np.ufunc, Callable[..., Any]] = {
    np.floor_divide:    k.array_floor_divide,
    np.remainder:       k.array_remainder,
    np.divmod:          k.divmod_,
    np.sqrt:            by_class(f=op.sqrt, c=ck.sqrt),
    np.power:           by_class(iuf=op.power, c=k.complex_power),
    np.float_power:     by_class(f=op.power, c=k.complex_power),
    np.cbrt:            op.cbrt,
    # exponentials
    np.exp:             by_class(f=op.exponential, c=ck.exp),
    np.exp2:            by_class(f=k.exp2, c=ck.exp2),
    np.expm1:           by_class(f=op.exponential_minus_one, c=ck.expm1),
    np.log:             by_class(f=op.log, c=ck.log),
    np.log2:            by_class(f=k.log2, c=ck.log2),
    np.log10:           by_class(f=k.log10, c=ck.log10),
    np.log1p:           by_class(f=op.log_plus_one, c=ck.log1p),
    np.logaddexp:       k.logaddexp,
    np.logaddexp2:      k.logaddexp2,
    # trigonometry
    np.sin:             by_class(f=op.sine, c=ck.sin),
    np.cos:             by_class(f=op.cosine, c=ck.cos),
    np.tan:             by_class(f=op.tan, c=ck.tan),
    np.arcsin:          by_class(f=op.asin, c=ck.arcsin),
    np.arccos:          by_class(f=op.acos, c=ck.arccos),
    np.arctan:          by_class(f=op.atan, c=ck.arctan),
    np.arctan2:         op.atan2,
    np.hypot:           k.hypot,
    np.sinh:            by_class(f=op.sinh, c=ck.sinh),
    np.cosh:            by_class(f=op.cosh, c=ck.cosh),
    np.tanh:            by_class(f=op.tanh, c=ck.tanh),
    np.arcsinh:         by_class(f=op.asinh, c=ck.arcsinh),
    np.arccosh:         by_class(f=op.acosh, c=ck.arccosh),
    np.arctanh:         by_class(f=op.atanh, c=ck.arctanh),
    np.degrees:         k.scaled(180 / np.pi),
    np.rad2deg:         k.scaled(180 / np.pi),
    np.radians:         k.scaled(np.pi / 180),
    np.deg2rad:         k.scaled(np.pi / 180),
}
KERNELS: dict[np.ufunc, Callable[..., Any]] = {
    # arithmetic
    np.add:             by_class(b=op.or_, iufc=op.add),
    np.subtract:        op.subtract,
    np.multiply:        by_class(b=op.and_, iufc=op.multiply),
    np.divide:          by_class(f=op.divide, c=ck.divide),
    np.fmod:            k.unless_zero(op.remainder),
    np.negative:        op.negate,
    np.positive:        k.identity,
    np.absolute:        by_class(bu=k.identity, fi=op.abs, c=ck.absolute),
    np.fabs:            op.abs,
    np.sign:            by_class(u=k.sign_unsigned, fi=k.sign, c=ck.sign),
    np.reciprocal:      by_class(iuf=k.reciprocal, c=ck.reciprocal),
    np.square:          k.square,
    np.conjugate:       k.conjugate,
    np.gcd:             k.gcd,
    np.lcm:             k.lcm,
    np.modf:            k.modf,
    np.heaviside:       k.heaviside,
    # order
    np.equal:           k.comparison("EQ"),
    np.not_equal:       k.comparison("NE"),
    np.less:            k.comparison("LT"),
    np.less_equal:      k.comparison("LE"),
    np.greater:         k.comparison("GT"),
    np.greater_equal:   k.comparison("GE"),
    np.maximum:         k.maximum,
    np.minimum:         k.minimum,
    np.fmax:            k.ignoring_nan(k.maximum),
    np.fmin:            k.ignoring_nan(k.minimum),
    # logic and bits
    np.logical_and:     k.logical(op.and_),
    np.logical_or:      k.logical(op.or_),
    np.logical_xor:     k.logical(op.xor),
    np.logical_not:     k.logical(op.not_),
    np.bitwise_and:     op.and_,
    np.bitwise_or:      op.or_,
    np.bitwise_xor:     op.xor,
    np.invert:          op.not_,
    np.left_shift:      op.shift_left,
    np.right_shift:     k.shift_right,
    np.bitwise_count:   k.bitwise_count,
    # floats
    np.isfinite:        k.isfinite,
    np.isinf:           k.isinf,
    np.isnan:           k.isnan,
    np.signbit:         k.signbit,
    np.copysign:        k.copysign,
    np.nextafter:       op.next_after,
    np.spacing:         k.spacing,
    np.ldexp:           k.ldexp,
    np.frexp:           k.frexp,
    np.floor:           by_class(biu=k.identity, f=op.floor),
    np.ceil:            by_class(biu=k.identity, f=op.ceil),
    np.trunc:           by_class(biu=k.identity, f=k.trunc),
    np.rint:            by_class(f=op.round_nearest_even, c=k.by_parts(op.round_nearest_even)),
    **{ufunc: k.rounded_once(kernel) for ufunc, kernel in ROUNDED_ONCE.items()},
}
COMPARISONS = {
    np.equal: "EQ", np.not_equal: "NE", np.less: "LT",
    np.less_equal: "LE", np.greater: "GT", np.greater_equal: "GE",
}
# fmt: on


def _operand(x: Any) -> Any:
    """Sequences as the arrays they stand for; numbers and arrays as they are."""
    return as_array(x) if isinstance(x, list | tuple | range) else x


def _unary(ufunc: np.ufunc, kernel: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, /, *, dtype: Any = None, casting: Any = "same_kind", **options: Any) -> Any:
        check_options(ufunc, options)
        x = _operand(x)
        types = loop_types(ufunc, (kind(x),), dtype, casting)
        return wrap(kernel(as_value(x, types[0])))

    return call


def _binary(ufunc: np.ufunc, kernel: Callable[..., Any]) -> Callable[..., Any]:
    def call(
        x: Any, y: Any, /, *, dtype: Any = None, casting: Any = "same_kind", **options: Any
    ) -> Any:
        if options:
            check_options(ufunc, options)
        x, y = _operand(x), _operand(y)
        types = loop_types(ufunc, (kind(x), kind(y)), dtype, casting)
        a, b = as_value(x, types[0]), as_value(y, types[1])
        if a.type.shape != b.type.shape:
            a, b = broadcast(a, b)
        return wrap(kernel(a, b))

    return call


def _comparison(ufunc: np.ufunc, kernel: Callable[..., Any]) -> Callable[..., Any]:
    plain = _binary(ufunc, kernel)

    def call(x: Any, y: Any, /, **options: Any) -> Any:
        for number, other in ((x, y), (y, x)):
            if type(number) is int and isinstance(other, Array):
                answer = _out_of_range(ufunc, number, other, number is x)
                if answer is not None:
                    return Array(splat(answer, np.dtype(np.bool_), other.shape))
        return plain(_exact(x, y), _exact(y, x), **options)

    return call


def _exact(number: Any, array: Any) -> Any:
    """A Python int as it is compared with an array of ints that may be too short to hold it: in
    the next wider type, at whose ends it compares as farther out."""
    if type(number) is not Scalar or number.kind is not int:
        return number
    if not isinstance(array, Array | np.generic | np.ndarray) or not is_short_int(array.dtype):
        return number
    info, low, high = np.iinfo(array.dtype), extent.lower(number), extent.upper(number)
    if low is not None and high is not None and info.min <= low and high <= info.max:
        return number
    if array.dtype.itemsize > 2:
        return Array(cast(number.value, np.dtype(np.int64)))
    wide = np.iinfo(np.dtype(f"i{2 * array.dtype.itemsize}"))
    ends = [k.like(number.value, int(end)) for end in (wide.min, wide.max)]
    return Array(cast(op.clamp(ends[0], number.value, ends[1]), wide.dtype))


def _out_of_range(ufunc: np.ufunc, number: int, array: Array, first: bool) -> bool | None:
    """The one answer of comparing with an int that no element of the array's dtype can equal."""
    if array.dtype.kind not in "iu":
        return None
    info = np.iinfo(array.dtype)
    if info.min <= number <= info.max:
        return None
    inside = 0 if number > 0 else info.max
    return bool(ufunc(number, inside) if first else ufunc(inside, number))


def check_options(ufunc: np.ufunc, options: dict[str, Any]) -> None:
    """Refuse keywords that mean something; the defaults of `order` and `subok` mean nothing."""
    neutral = {"order": "K", "subok": True, "out": None, "where": True}
    for name, given in options.items():
        if name not in neutral or given != neutral[name]:
            raise OpError(f"np.{ufunc.__name__}: {name}={given!r} is not supported")


def wrap(result: Any) -> Any:
    """Values as arrays."""
    if type(result) is tuple:
        return tuple([Array(value) for value in result])
    return Array(result)


def _register() -> dict[np.ufunc, Callable[..., Any]]:
    functions = {}
    for ufunc, kernel in KERNELS.items():
        make = _comparison if ufunc in COMPARISONS else _unary if ufunc.nin == 1 else _binary
        functions[ufunc] = implements(ufunc)(make(ufunc, kernel))
    return functions


UFUNCS = _register()


def apply(ufunc: np.ufunc, *operands: Value) -> Any:
    """The kernel of `ufunc` on values as they are."""
    return KERNELS[ufunc](*operands)
