"""Words: ints from 0 to 2**64 of which data decides, as `x * 6364136223846793005 & (2**64 - 1)`.

A word is two units and the rest (`joins.far`), so that the rest is an int64: the word with its
highest bit turned.  What is computed of words is a word, or an int of 64 bits where that is proven;
a result that is neither is an int of more than 64 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Const, Scalar, plain
from pyxla.infer.joins import far
from pyxla.infer.joins.far import LARGEST, ring
from pyxla.infer.raising.faults import Raises
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib.modular import FLOAT, UNSIGNED
from pyxla.lib.operators import to_python
from pyxla.ops import elementwise as ops

if TYPE_CHECKING:
    from pyxla.infer.interface import Engine

_BITWISE = {"and_": ops.and_, "or_": ops.or_, "xor": ops.xor}


def unsigned(x: Any) -> Value:
    """A word, or an int that is not negative, as uint64."""
    return ops.convert(ring(x), dtype=UNSIGNED, weak=False)


def made(value: Value, high: int | None = None) -> Any:
    """The int that is `value` modulo 2**64 and lies in 0 .. `high`, or below 2**64."""
    if value.type.dtype == UNSIGNED:
        value = ops.convert(value, dtype=far.INT, weak=True)
    if high is None or high > LARGEST:
        return far.word(value)
    return Scalar(value, extent.IntFact(0, high))


def highest(x: Any) -> int | None:
    """The largest that `x` may be, of which it is known that it is not negative; else None."""
    if far.is_word(x):
        return 2**64 - 1
    if type(x) is Const:
        return x.value if x.value >= 0 else None
    if far.units(x) != 0:
        return None
    fact = extent.TRUTH if x.kind is bool else extent.fact(x)
    if fact.lo is None or fact.lo < 0:
        return None
    return LARGEST if fact.hi is None else min(fact.hi, LARGEST)


def is_mask(x: Any) -> bool:
    """Whether `x` is known to lie in 0 .. 2**64 - 1."""
    return far.units(x) is not None and (high := highest(x)) is not None and high < 2**64


def is_power_of_two(x: Any) -> bool:
    return type(x) is Const and 0 < x.value <= 2**64 and x.value & (x.value - 1) == 0


def masked(x: Any, mask: Any) -> Any:
    """`x & mask`, of an int that is known modulo 2**64 only and a mask, as `is_mask` says it."""
    return made(ops.and_(ring(x), ring(mask)), highest(mask))


def need(engine: Engine, x: Any) -> None:
    """The program raises OverflowError where `x` is no word."""
    fine = far.within_word(x)
    if fine is not None:
        require(engine, fine)


def as_float(engine: Engine, x: Any) -> Scalar:
    """`float(x)`, of which no bit is lost that CPython keeps."""
    need(engine, x)
    return Scalar(ops.convert(unsigned(x), dtype=FLOAT, weak=True))


def require(engine: Engine, fine: Value) -> None:
    if engine.wants_exact_ints():
        engine.postponed.ensure(engine, fine, Raises(OverflowError, lambda: far.TOO_LARGE))


def is_proven(op: str, x: Any, y: Any) -> bool:
    """Whether a product, or an int that is shifted, is known to be a word, and none of int64."""
    if op not in ("mul", "lshift") or far.units(x) != 0 or far.units(y) != 0:
        return False
    facts = [extent.fact(plain(v)) for v in (x, y)]
    if any(f.hi is None or f.hi > extent.FAR or f.lo is None or f.lo < 0 for f in facts):
        return False
    high = extent.TRANSFER[op](*facts).hi
    return high is not None and LARGEST < high < 2**64


def operate(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` of ints, of which one is of more than 64 bits; None of operators and operands that
    are left to others."""
    if (found := far.operate(engine, op, x, y)) is not None:
        return found
    if op not in _OPERATIONS or None in (far.units(x), far.units(y)):
        return None
    return _OPERATIONS[op](engine, op, x, y)


def _sum(engine: Engine, op: str, x: Any, y: Any) -> Any:
    a, b = unsigned(x), unsigned(y)
    result = ops.add(a, b)
    require(engine, k.ge(result, a))
    return made(result)


def _product(engine: Engine, op: str, x: Any, y: Any) -> Any:
    need(engine, x)
    need(engine, y)
    a, b = unsigned(x), unsigned(y)
    result = ops.multiply(a, b)
    zero = k.eq(a, k.like(a, 0))
    back = ops.divide(result, ops.select(zero, k.like(a, 1), a))
    require(engine, ops.or_(zero, k.eq(back, b)))
    return made(result)


def _bits(engine: Engine, op: str, x: Any, y: Any) -> Any:
    if op == "and_":
        masks = sorted(filter(is_mask, (x, y)), key=highest)
        if masks:  # above the 64 bits there are none
            return masked(y if masks[0] is x else x, masks[0])
    need(engine, x)
    need(engine, y)
    highs = [high for high in map(highest, (x, y)) if high is not None and high <= LARGEST]
    return made(_BITWISE[op](ring(x), ring(y)), LARGEST if len(highs) == 2 else None)


def _left(engine: Engine, op: str, x: Any, count: Any) -> Any:
    need(engine, x)
    by = _count(engine, count)
    a = unsigned(x)
    result = ops.shift_left(a, by)
    back = k.eq(ops.shift_right_logical(result, by), a)
    require(engine, ops.or_(k.eq(a, k.like(a, 0)), ops.and_(back, k.lt(by, k.like(by, 64)))))
    return made(result)


def _right(engine: Engine, op: str, x: Any, count: Any) -> Any:
    need(engine, x)
    by, least = _count(engine, count), extent.lower(count) if type(count) is Scalar else count.value
    found = ops.shift_right_logical(unsigned(x), by)
    return made(found, (2**64 - 1) >> min(least, 64) if least else None)


def _count(engine: Engine, count: Any) -> Value:
    """By how much is shifted, as uint64; what is negative raises what that of 0 does."""
    if far.is_far(count):
        need(engine, count)
    else:
        engine.rules.binary(engine, "rshift", Const(0), count)
    return unsigned(count)


def _divided(engine: Engine, op: str, x: Any, y: Any) -> Any:
    if op == "mod" and is_power_of_two(y):
        return masked(x, Const(y.value - 1))
    need(engine, x)
    if type(y) is Const and y.value >= 2**64:
        return x if op == "mod" else Const(0)
    some = Scalar(to_python(Scalar(k.ne(unsigned(y), k.like(unsigned(y), 0))), int).value)
    engine.rules.binary(engine, op, Const(0), some if type(y) is not Const else y)
    need(engine, y)
    a, b = unsigned(x), unsigned(y)
    least = _least(y)
    if op == "mod":
        most = LARGEST if far.units(y) == 0 else highest(y)
        return made(ops.remainder(a, b), None if most is None else most - 1)
    return made(ops.divide(a, b), None if least < 2 else (2**64 - 1) // least)


def _least(x: Any) -> int:
    if type(x) is Const:
        return int(x.value)
    fact = extent.fact(x) if type(x) is Scalar and x.kind is int else extent.UNKNOWN
    return 0 if fact.lo is None else fact.lo


def _quotient(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """Of one by a power of two, which is exact; others may be rounded twice."""
    return engine.rules.binary(engine, op, as_float(engine, x), y) if is_power_of_two(y) else None


_OPERATIONS = {
    "add": _sum,
    "truediv": _quotient,
    "mul": _product,
    **dict.fromkeys(_BITWISE, _bits),
    "lshift": _left,
    "rshift": _right,
    "floordiv": _divided,
    "mod": _divided,
}
