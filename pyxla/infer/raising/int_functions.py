"""Checks of functions that make ints: conversions, and those of `math` that take ints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.promote import CLASSES
from pyxla.infer.engine import Engine
from pyxla.infer.joins.far import SMALLEST, TOO_LARGE
from pyxla.infer.raising.check_table import Test, unless
from pyxla.infer.raising.checks import all_ints, int_of, not_negative
from pyxla.infer.raising.sizes import failure
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib.loops import fold_range
from pyxla.lib.masks import true_elements
from pyxla.lib.operators import to_python
from pyxla.lib.reductions import all as all_
from pyxla.ops import elementwise as op


def _to_int(test: Callable[[Value], Value], covered: bool = False) -> Test:
    """covered: what fails here does not fit 64 bits either."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        if len(operands) != 1 or not isinstance(result, Scalar) or result.kind is not int:
            return None
        if covered and engine.faults.coarse and engine.wants_exact_ints():
            if not engine.catches(ValueError) and not engine.catches(OverflowError):
                return None
        x = operands[0]
        if not isinstance(x, (Scalar, Array)) or CLASSES[x.dtype] != "f":
            return None
        value = op.convert(x.value, dtype=np.dtype(np.float64), weak=False)
        return all_(Array(test(value))).value

    return fine


def _fits(x: Value) -> Value:
    low, high = k.like(x, float(SMALLEST)), k.like(x, -float(SMALLEST))
    return op.and_(k.ge(x, low), k.lt(x, high))


_ROUNDED = (int, round, math.floor, math.ceil, math.trunc)
unless(failure(int, math.nan), *_ROUNDED)(_to_int(lambda x: op.not_(k.isnan(x)), covered=True))
unless(failure(int, math.inf), *_ROUNDED)(_to_int(lambda x: op.not_(k.isinf(x)), covered=True))
unless(TOO_LARGE, *_ROUNDED, also=(ValueError,))(_to_int(_fits))


_OF_INTS = (math.gcd, math.lcm, math.comb, math.perm, math.factorial, math.isqrt)


@unless(TOO_LARGE, *_ROUNDED, *_OF_INTS, np.ndarray.tolist)
def _unsigned_fits(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """No number of the upper half of uint64 becomes an int of Python's."""
    if isinstance(result, Array):  # `round` of an array
        return None
    found = None
    for x in operands:
        if isinstance(x, Array) and x.dtype == np.uint64:
            signed = op.convert(x.value, dtype=np.dtype(np.int64), weak=False)
            above = true_elements(Array(k.lt(signed, k.like(signed, 0)), x.extents))
            fine = all_(Array(op.not_(above))).value
            found = fine if found is None else op.and_(found, fine)
    return found


def _counts(position: int) -> Test:
    """An int that must not be negative."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        if len(operands) <= position or not all_ints(operands[position : position + 1]):
            return None
        return not_negative(int_of(operands[position]))

    return fine


unless(failure(math.factorial, -1), math.factorial)(_counts(0))
unless(failure(math.isqrt, -1), math.isqrt)(_counts(0))
for _function in (math.comb, math.perm):
    unless(failure(_function, -1, 2), _function)(_counts(0))
    unless(failure(_function, 2, -1), _function)(_counts(1))


@unless(TOO_LARGE, math.factorial)
def _factorial(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    x = int_of(operands[0]) if all_ints(operands) else None
    return None if x is None else k.le(x, k.like(x, 20))


def _sized(size: Callable[..., Any]) -> Test:
    """A result of ints whose size, computed in floats, is one that 64 bits hold."""

    def fine(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
        if len(operands) != 2 or not all_ints(operands) or not isinstance(result, Scalar):
            return None
        return _below_largest(size(*[to_python(x, int) for x in operands]))

    return fine


def _below_largest(size: Scalar) -> Value:
    return k.lt(size.value, k.like(size.value, 2.0**63 * (1 - 1e-12)))


def _count(n: Scalar, chosen: Scalar, divided: bool) -> Scalar:
    """How many choices there are, or arrangements, as a float."""

    def body(i: Scalar, total: Scalar) -> tuple[Scalar]:
        more = total * to_python(n - i, float)
        return (more / to_python(i + 1, float) if divided else more,)

    return fold_range(0, chosen, body, (to_python(1.0, float),))[0]


@unless(TOO_LARGE, math.lcm)
def _multiple(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """Each multiple on the way is one that 64 bits hold, computed in floats."""
    if not isinstance(result, Scalar) or not all_ints(operands):
        return None
    found, fits = to_python(1, int).value, None
    for x in [to_python(operand, int).value for operand in operands]:
        divisor = op.maximum(k.gcd(found, x), k.like(x, 1))
        sizes = [abs(to_python(Scalar(part), float)) for part in (found, x, divisor)]
        fine = _below_largest(sizes[0] * sizes[1] / sizes[2])
        found, fits = k.lcm(found, x), fine if fits is None else op.and_(fits, fine)
    return fits


@unless(TOO_LARGE, math.gcd)
def _divisor(engine: Engine, operands: tuple[Any, ...], result: Any) -> Value | None:
    """All but that of the least int and of what is a multiple of it."""
    return k.ge(result.value, k.like(result.value, 0)) if all_ints(operands) else None


unless(TOO_LARGE, math.comb)(
    _sized(lambda n, c: _count(n, Scalar(op.minimum(c.value, (n - c).value)), True))
)
unless(TOO_LARGE, math.perm)(_sized(lambda n, c: _count(n, c, False)))
