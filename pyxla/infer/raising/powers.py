"""Checks of powers of Python's numbers: errors, and results of another type."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Const, Scalar, plain
from pyxla.abstract.promote import CLASSES
from pyxla.errors import PowerType
from pyxla.infer.engine import Engine
from pyxla.infer.joins.far import TOO_LARGE
from pyxla.infer.joins.kinds import choose
from pyxla.infer.raising.check_table import Test, unless
from pyxla.infer.raising.checks import failure, finite_or_given, int_of, nonzero, not_negative
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib import modular
from pyxla.lib.operands import as_array
from pyxla.lib.operators import python_kind, to_python
from pyxla.lib.reductions import all as all_
from pyxla.ops import elementwise as op
from pyxla.ops.filled import constant


def _powers(kind: type) -> Callable[[Test], Test]:
    """A test of powers of Python numbers whose result is of that kind."""

    def narrowed(test: Test) -> Test:
        def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
            if len(operands) != 2 or not isinstance(result, Scalar) or result.kind is not kind:
                return None
            if any(python_kind(x) is None for x in operands):
                return None
            return test(engine, operands, result)

        return fine

    return narrowed


def _known_sign(y: Any) -> bool:
    """Whether an exponent is known not to be negative."""
    if not isinstance(y, Scalar):
        return y >= 0
    return y.kind is bool or (y.kind is int and extent.at_least_0(y))


@unless(failure(operator.pow, 0.0, -1.0), "pow", pow)
@_powers(float)
def _zero_to_negative(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if _known_sign(operands[1]):
        return None
    x, y = (to_python(v, float).value for v in operands)
    return op.or_(k.ne(x, k.like(x, 0)), not_negative(y))


@unless(failure(operator.pow, 0j, -1), "pow", pow)
@_powers(complex)
def _complex_zero(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """0 to no negative power, and to no complex one."""
    x, y = (to_python(v, complex).value for v in operands)
    fine = op.and_(not_negative(op.real(y)), k.eq(op.imag(y), k.like(op.imag(y), 0)))
    return op.or_(k.ne(x, k.like(x, 0)), fine)


@unless(PowerType(complex), "pow", pow)
@_powers(float)
def _negative_to_fraction(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if python_kind(operands[1]) is not float or _is_whole(operands[1]):
        return None
    x, y = (to_python(v, float).value for v in operands)
    return _is_real(x, y)


def _is_real(x: Value, y: Value) -> Value:
    """Whether a power of floats is a float: of a base that is not negative, or is infinite, or to
    an exponent that is an int, or none."""
    fine = op.or_(op.not_(k.lt(x, k.like(x, 0))), k.eq(y, op.floor(y)))
    return op.or_(fine, op.or_(k.isnan(y), k.isinf(x)))


def _is_whole(y: Any) -> bool:
    return isinstance(y, float) and y.is_integer()


@unless(failure(operator.pow, 2.0, 10000.0), "pow", pow)
@_powers(float)
def _float_overflow(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    return finite_or_given(result.value, [to_python(v, float).value for v in operands])


@unless(failure(operator.pow, 0, -1), "pow", pow)
@_powers(int)
def _int_zero_to_negative(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if _known_sign(operands[1]):
        return None
    x, y = map(int_of, operands)
    return op.or_(k.ne(x, k.like(x, 0)), not_negative(y))


@unless(PowerType(float), "pow", pow)
@_powers(int)
def _int_to_negative(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    return None if _known_sign(operands[1]) else not_negative(int_of(operands[1]))


@unless(TOO_LARGE, "pow", pow)
@_powers(int)
def _int_power_overflow(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """In floats: the powers nearest to 2**63 are further from it than these are wrong."""
    x, y = (to_python(v, float).value for v in operands)
    size = op.power(op.abs(x), y)
    fits = k.lt(size, k.like(size, 2.0**63 * (1 - 1e-12)))
    least = op.and_(k.eq(x, k.like(x, -2)), k.eq(y, k.like(y, 63)))
    return op.or_(fits, op.or_(least, k.le(y, k.like(y, 1))))


@unless(ValueError("pow() 3rd argument cannot be 0"), pow)
def _modulus(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    return nonzero(operands[2]) if len(operands) == 3 else None


@unless(failure(pow, 2, -1, 4), pow)
def _inverse(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """There is one modulo the third operand, where the exponent is negative."""
    if len(operands) != 3 or _known_sign(operands[1]):
        return None
    base, exponent, modulus = map(int_of, operands)
    fine = not_negative(exponent)
    base = op.select(fine, k.like(base, 1), base)
    divisor = k.gcd(modular.size(base), modular.size(modulus))
    return k.eq(divisor, k.like(divisor, 1))


@unless(ValueError("Integers to negative integer powers are not allowed."), "pow", np.power)
def _integer_powers(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """Of NumPy integers."""
    y = operands[1]
    if not isinstance(result, Array) or CLASSES[result.dtype] != "i" or not result.size:
        return None
    if isinstance(y, (Scalar, Array)):
        found = all_(as_array(Array(not_negative(y.value))))
        return found.value
    return constant(value=np.bool_(False)) if isinstance(y, int) and y < 0 else None


# --- Powers of several types ---------------------------------------------------------------------


def of_several_types(
    engine: Engine, x: Any, y: Any, power: Callable[[Any, Any], Any]
) -> Any | None:
    """`x ** y` of Python's numbers as the type that signs say at run time; None where that is
    known, or the program is not compiled for it.

    Each of the two is computed from numbers of which it is no error where it is not the result.
    """
    if engine.options is None or not engine.options.power_types:
        return None
    kinds = [python_kind(getattr(v, "value", v) if isinstance(v, Const) else v) for v in (x, y)]
    base, exponent = (plain(v) for v in (x, y))
    if kinds[1] is int and kinds[0] in (bool, int) and not _known_sign(exponent):
        base, exponent = to_python(base, int), to_python(exponent, int)
        other = k.lt(exponent.value, k.like(exponent.value, 0))
        less = power(_where(other, to_python(base, float)), to_python(exponent, float))
        more = power(base, _where(op.not_(other), exponent, extent.AT_LEAST_0))
    elif kinds[1] is float and kinds[0] in _REALS and (isinstance(base, Scalar) or base < 0):
        if _is_whole(exponent):
            return None
        base, exponent = to_python(base, float), to_python(exponent, float)
        other = op.not_(_is_real(base.value, exponent.value))
        less = power(to_python(_where(other, base), complex), to_python(exponent, complex))
        more = power(_where(op.not_(other), base), exponent)
    else:
        return None
    return choose(Scalar(other), less, more)


_REALS = (bool, int, float)


def _where(test: Value, x: Scalar, fact: extent.IntFact | None = None) -> Scalar:
    """`x` where `test` holds, else 1."""
    return Scalar(op.select(test, x.value, k.like(x.value, 1)), fact)
