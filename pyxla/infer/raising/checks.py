"""`checks=True`: what CPython and NumPy raise implicitly, the rows of `infer.raising.check_table`.

Messages are CPython's own: they are found out by running it on a sample that fails.  What facts
prove (`abstract.facts.extent`) is not tested; without the option none of this runs.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.signs import never_below_zero
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.infer.engine import Engine
from pyxla.infer.joins.far import LARGEST, SMALLEST, TOO_LARGE
from pyxla.infer.raising.check_table import SURELY_FITS, Test, unless
from pyxla.infer.raising.faults import exception
from pyxla.infer.raising.sizes import failure
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib.masks import within
from pyxla.lib.operators import python_kind, to_python
from pyxla.lib.reductions import all as all_
from pyxla.ops import elementwise as op

# --- Ints ----------------------------------------------------------------------------------------


def all_ints(operands: tuple[Any, ...]) -> bool:
    return all(python_kind(x) in (bool, int) for x in operands)


def int_of(x: Any) -> Value:
    """`x` as a Python int."""
    return to_python(x, int).value


def _unproven(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether facts leave it open that the result of ints fits 64 bits, as the operands do."""
    facts = [extent.meet(extent.fact(x), SMALLEST, LARGEST) for x in operands]
    result = extent.TRANSFER[name](*facts)
    low, high = result.lo, result.hi
    if result.const == 0 and result.terms is not None and [c for _, c in result.terms] == [1]:
        return False  # another int
    return low is None or high is None or low < SMALLEST or high > LARGEST


def _room(engine: Engine, x: Any, direction: str) -> bool:
    """Whether this path found `x` below, or above, another int: then there is a next one."""
    if not isinstance(x, Scalar):
        return False
    other = {"LT": "GT", "GT": "LT"}[direction]
    for found, left, right in engine.frames[-1].assumed:
        if found == direction and getattr(left, "value", None) is x.value:
            return True
        if found == other and getattr(right, "value", None) is x.value:
            return True
    return False


def _between(x: Any, low: int, high: int) -> Value | None:
    """Where an int is from `low` to `high`; None where it is known to be."""
    known, value, tests = extent.fact(x), int_of(x), []
    if low > SMALLEST and (known.lo is None or known.lo < low):
        tests.append(k.ge(value, k.like(value, low)))
    if high < LARGEST and (known.hi is None or known.hi > high):
        tests.append(k.le(value, k.like(value, high)))
    return functools.reduce(op.and_, tests) if tests else None


def not_negative(x: Value) -> Value:
    return k.ge(x, k.like(x, 0))


@unless(TOO_LARGE, "add")
def _add(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if not all_ints(operands) or not _unproven("add", operands):
        return None
    x, y = operands
    for one, other in ((x, y), (y, x)):
        if type(one) is int and (one == 1 and _room(engine, other, "LT")):
            return None
        if type(one) is int:
            return _between(other, SMALLEST - one, LARGEST - one)
    signs = op.and_(op.xor(int_of(x), result.value), op.xor(int_of(y), result.value))
    return not_negative(signs)


@unless(TOO_LARGE, "sub")
def _sub(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if not all_ints(operands) or not _unproven("sub", operands):
        return None
    x, y = operands
    if type(y) is int and y == 1 and _room(engine, x, "GT"):
        return None
    if type(y) is int:
        return _between(x, SMALLEST + y, LARGEST + y)
    signs = op.and_(op.xor(int_of(x), int_of(y)), op.xor(int_of(x), result.value))
    return not_negative(signs)


@unless(TOO_LARGE, "mul")
def _mul(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """The product divided by one factor is the other; a fault may be noted in error, for a product
    of floats, which is faster, that is nearly too large."""
    if not all_ints(operands) or not _unproven("mul", operands):
        return None
    coarse = engine.faults.coarse
    if coarse:  # what is a little more needs no test of its own then
        result.fact = extent.meet(extent.fact(result), -extent.HORIZON, extent.HORIZON)
    most = extent.HORIZON if coarse else LARGEST
    for factor, other in (operands, operands[::-1]):
        if type(factor) is int and factor > 0:
            return _between(other, -(most // factor), most // factor)
    if coarse:
        x, y = (to_python(v, float).value for v in operands)
        size = op.abs(op.multiply(x, y))
        return k.lt(size, k.like(size, SURELY_FITS))
    x, y = map(int_of, operands)
    zero = k.eq(x, k.like(x, 0))
    back = op.divide(result.value, op.select(zero, k.like(x, 1), x))
    turned = op.and_(k.eq(x, k.like(x, -1)), k.eq(y, k.like(y, SMALLEST)))
    return op.and_(op.or_(zero, k.eq(back, y)), op.not_(turned))


@unless(TOO_LARGE, "neg", abs)
def _neg(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if not all_ints(operands) or not _unproven("neg", operands):
        return None
    return k.ne(int_of(operands[0]), k.like(result.value, SMALLEST))


@unless(failure(operator.lshift, 1, -1), "lshift", "rshift")
def _shift(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if not all_ints(operands) or extent.at_least_0(operands[1]):
        return None
    return not_negative(int_of(operands[1]))


@unless(TOO_LARGE, "lshift")
def _lshift(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    if not all_ints(operands) or not _unproven("lshift", operands):
        return None
    x, count = map(int_of, operands)
    back = k.eq(op.shift_right_arithmetic(result.value, count), x)
    fits = op.and_(back, k.le(count, k.like(count, 63)))
    return op.or_(fits, k.eq(x, k.like(x, 0)))


def _divides(zero_error: Callable[..., Any], name: Any) -> None:
    """`x / y` and the like of Python numbers, where y is zero."""
    samples = {int: (1, 0), float: (1.0, 0.0), complex: (1j, 0j)}
    for kind, sample in samples.items():
        if kind is complex and name != "truediv":
            continue

        def fine(engine: Engine, operands: Any, result: Any, kind: type = kind) -> Value | None:
            kinds = [python_kind(x) for x in operands]
            if None in kinds or _widest(kinds) is not kind:
                return None
            return nonzero(operands[1])

        unless(failure(zero_error, *sample), name)(fine)


def _widest(kinds: list[Any]) -> type:
    for kind in (complex, float):
        if kind in kinds:
            return kind
    return int


def nonzero(y: Any) -> Value | None:
    if not isinstance(y, Scalar):
        return None if y else k.ne(_number(y), k.like(_number(y), 0))
    fact = extent.fact(y) if y.kind is int else extent.UNKNOWN
    if (fact.lo is not None and fact.lo > 0) or (fact.hi is not None and fact.hi < 0):
        return None
    return k.ne(_number(y), k.like(_number(y), 0))


def _number(x: Any) -> Value:
    kind = python_kind(x)
    return to_python(x, int if kind is bool else kind).value


_divides(operator.truediv, "truediv")
_divides(operator.floordiv, "floordiv")
_divides(operator.mod, "mod")
_divides(divmod, divmod)


# --- math ----------------------------------------------------------------------------------------


def _real(x: Any) -> Value:
    if isinstance(x, Array):
        return op.convert(x.value, dtype=np.dtype(np.float64), weak=False)
    return op.convert(to_python(x, float).value, dtype=np.dtype(np.float64), weak=False)


def finite_or_given(result: Value, given: list[Value]) -> Value:
    """No infinite result of finite operands."""
    fine = op.not_(k.isinf(result))
    for x in given:
        fine = op.or_(fine, op.not_(k.isfinite(x)))
    return fine


def _domain(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """Not a number only where an operand is none."""
    values = [_real(x) for x in operands]
    fine = op.not_(k.isnan(_real(result)))
    for x in values:
        fine = op.or_(fine, k.isnan(x))
    return fine


def _not_below_zero(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """As `_domain` says it of roots and logarithms."""
    x = _real(operands[0])
    return None if never_below_zero(x) else op.not_(k.lt(x, k.like(x, 0)))


def _finite(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    return finite_or_given(_real(result), [_real(x) for x in operands])


def _no_pole(at: Callable[[Value], Value]) -> Test:
    """Not infinite where the first operand is at a pole."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        pole = at(_real(operands[0]))
        return op.or_(op.not_(pole), _finite(engine, operands, result))

    return fine


def _anywhere(x: Value) -> Value:
    return k.eq(x, x)


def _not_above_zero(x: Value) -> Value:
    return k.le(x, k.like(x, 0))


def _says(
    function: Callable[..., Any], *sample: Any
) -> tuple[BaseException, Callable[[tuple[Any, ...]], Any]]:
    """What CPython raises for a sample; where the message shows the number, it shows the user's."""
    error = failure(function, *sample)
    text = str(error)

    def make(operands: tuple[Any, ...]) -> Any:
        shown = repr(sample[0])
        if shown not in text or not isinstance(operands[0], (Scalar, Array)):
            return error
        before, after = text.split(shown, 1)
        value = _real(operands[0])
        number = Scalar(op.convert(value, dtype=value.type.dtype, weak=True))
        return exception(type(error), before, number, after)

    return error, make


# fmt: off
_UNDEFINED: list[tuple[Any, ...]] = [
    (math.sqrt, -1.5), (math.log2, -1.5), (math.log10, -1.5), (math.log1p, -1.5),
    (math.sin, math.inf), (math.cos, math.inf), (math.tan, math.inf), (math.asin, 1.5),
    (math.acos, 1.5), (math.acosh, 0.5), (math.atanh, 1.5), (math.gamma, -math.inf),
    (math.fmod, 1.5, 0.0), (math.remainder, 1.5, 0.0), (math.pow, -1.5, 0.5),
]
_POLES: list[tuple[Any, ...]] = [
    (_anywhere, math.log2, 0.0), (_anywhere, math.log10, 0.0),
    (_anywhere, math.log1p, -1.0), (_anywhere, math.atanh, 1.0),
    (_not_above_zero, math.gamma, -1.0), (_not_above_zero, math.lgamma, -1.0),
    (lambda x: k.eq(x, k.like(x, 0)), math.pow, 0.0, -1.0),
]
_OVERFLOWING: list[tuple[Any, ...]] = [
    (math.exp, 1e4), (math.exp2, 1e4), (math.expm1, 1e4), (math.sinh, 1e4), (math.cosh, 1e4),
    (math.gamma, 200.5), (math.lgamma, 1e308), (math.pow, 10.0, 400.0), (math.ldexp, 1.0, 5000),
]
_OF_POSITIVE = (math.sqrt, math.log, math.log2, math.log10)
# fmt: on
for _function, *_sample in _UNDEFINED:
    _test = _not_below_zero if _function in _OF_POSITIVE else _domain
    unless(_says(_function, *_sample), _function)(_test)
for _at, _function, *_sample in _POLES:
    unless(_says(_function, *_sample), _function)(_no_pole(_at))
for _function, *_sample in _OVERFLOWING:
    unless(failure(_function, *_sample), _function)(_finite)


def _base(test: Callable[[Value, Value], Value], number: float, position: int = 1) -> Test:
    """What `math.log` is given at `position`, compared with a number; NaN is as good."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        if len(operands) <= position:
            return None
        value = _real(operands[position])
        return op.or_(test(value, k.like(value, number)), k.isnan(value))

    return fine


# The logarithm of the base is taken after that of the number, and divided by last.
unless(_says(math.log, -1.5), math.log)(_base(k.gt, 0.0, 0))
unless(failure(math.log, 2.0, -1.5), math.log)(_base(k.gt, 0.0))
unless(failure(math.log, 2.0, 1.0), math.log)(_base(k.ne, 1.0))


@unless(TOO_LARGE, "floordiv", divmod)
def _floordiv(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """All but the least int divided by -1."""
    if len(operands) != 2 or not all_ints(operands):
        return None
    x, y = operands
    if extent.lower(x) is not None or extent.at_least_0(y):
        return None
    if isinstance(y, int) and y != -1:
        return None
    least = k.eq(int_of(x), k.like(int_of(x), SMALLEST))
    return op.not_(op.and_(least, k.eq(int_of(y), k.like(int_of(y), -1))))


# --- Linear algebra ------------------------------------------------------------------------------


def _solved(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """A finite result, or operands that are not."""
    if not isinstance(result, Array):
        return None
    fine = _all_finite(result)
    for x in operands:
        if isinstance(x, Array) and CLASSES[x.dtype] in "fc":
            fine = op.or_(fine, op.not_(_all_finite(x)))
    return fine


def _all_finite(x: Array) -> Value:
    """Whether all elements of `x`, and not what lies past its extents, are finite."""
    fine, inside = k.isfinite(x.value), within(x)
    return all_(Array(fine if inside is None else op.or_(fine, op.not_(inside)))).value


unless(LinAlgError("Singular matrix"), np.linalg.inv, np.linalg.solve)(_solved)
unless(LinAlgError("Matrix is not positive definite"), np.linalg.cholesky)(_solved)


def _finite_operand(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    x = operands[0]
    return _all_finite(x) if isinstance(x, Array) else None


_NOT_FINITE = LinAlgError("Array must not contain infs or NaNs")
unless(_NOT_FINITE, np.linalg.eig, np.linalg.eigvals)(_finite_operand)
unless(LinAlgError("SVD did not converge"), np.linalg.svd, np.linalg.pinv)(_finite_operand)


def _up_to(most: float) -> Test:
    """What quantiles are asked for."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        if len(operands) < 2 or not isinstance(operands[1], Array | Scalar):
            return None
        asked = _real(operands[1])
        inside = op.and_(k.ge(asked, k.like(asked, 0)), k.le(asked, k.like(asked, most)))
        return all_(Array(inside)).value

    return fine


unless(ValueError("Percentiles must be in the range [0, 100]"), np.percentile)(_up_to(100))
unless(ValueError("Quantiles must be in the range [0, 1]"), np.quantile)(_up_to(1))


@unless(ValueError("repeats may not contain negative values."), np.repeat)
def _repeat(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    counts = operands[1] if len(operands) > 1 else None
    if not isinstance(counts, Array) or counts.extents or counts.dtype.kind != "i":
        return None
    return all_(Array(not_negative(counts.value))).value
