"""Arithmetic on ints while compiling: plain numbers fold, `Scalar`s emit and carry their facts.

`plus(i, 1)` is `i + 1` for an int or a Scalar `i`.  What is proven (`abstract.facts.extent`) is
used at once: `smaller(i, n)` is `i` where `i <= n` is known, so that bounds which hold cost
nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.lattice import Scalar
from pyxla.ir.core import Value
from pyxla.ir.types import I32, I64
from pyxla.ops.elementwise import add as add_
from pyxla.ops.elementwise import compare, convert, divide, maximum, minimum, multiply, select
from pyxla.ops.elementwise import subtract as subtract_
from pyxla.ops.shape import constant

Int = int | Scalar


def value_of(x: Int) -> Value:
    """The weak i64 value of `x`."""
    return x.value if isinstance(x, Scalar) else constant(value=np.array(x, I64.dtype), weak=True)


def value32(x: Int) -> Value:
    """`x`, known to fit, as an i32: what masks compare positions with."""
    if isinstance(x, Scalar):
        return convert(x.value, dtype=I32.dtype)
    return constant(value=np.array(x, I32.dtype))


def known(x: Int, lo: int | None, hi: int | None) -> Int:
    """`x`, with the further knowledge `lo <= x <= hi`."""
    if not isinstance(x, Scalar):
        return x
    fact = extent.meet(extent.fact(x), lo, hi)
    if fact.lo is not None and fact.lo == fact.hi:
        return fact.lo
    return Scalar(x.value, fact, x.test)


def plus(x: Int, y: Int) -> Int:
    if isinstance(y, int) and y == 0:
        return x
    if isinstance(x, int) and x == 0:
        return y
    return _emit(add_, extent.add, x, y)


def minus(x: Int, y: Int) -> Int:
    if isinstance(y, int) and y == 0:
        return x
    return _emit(subtract_, extent.subtract, x, y)


def times(x: Int, y: Int) -> Int:
    if isinstance(y, int) and y == 1:
        return x
    if isinstance(x, int) and x == 1:
        return y
    return _emit(multiply, extent.multiply, x, y)


def ceil_divide(x: Int, y: Int) -> Int:
    """`-(-x // y)` for `x >= 0` and `y > 0`."""
    if isinstance(y, int) and y == 1:
        return x
    if isinstance(x, int) and isinstance(y, int):
        return -(-x // y)
    return _emit(divide, extent.floor_divide, plus(x, minus(y, 1)), y)


def smaller(x: Int, y: Int) -> Int:
    if extent.at_most(x, y):
        return x
    if extent.at_most(y, x):
        return y
    return _emit(minimum, extent.minimum, x, y)


def larger(x: Int, y: Int) -> Int:
    if extent.at_most(x, y):
        return y
    if extent.at_most(y, x):
        return x
    return _emit(maximum, extent.maximum, x, y)


def is_negative(x: Int) -> bool | None:
    """Whether `x < 0`, None where that is not known."""
    fact = extent.fact(x)
    if fact.lo is not None and fact.lo >= 0:
        return False
    if fact.hi is not None and fact.hi < 0:
        return True
    return None


def wrap(x: Int, n: Int) -> Int:
    """An index or bound counted from the end where negative: `x + n if x < 0 else x`."""
    negative = is_negative(x)
    if negative is not None:
        return plus(x, n) if negative else x
    fact, size = extent.fact(x), extent.fact(n)
    low = None if fact.lo is None or size.lo is None else fact.lo + size.lo
    high = None if fact.hi is None or size.hi is None else max(fact.hi, size.hi - 1)
    below = compare(value_of(x), value_of(0), direction="LT")
    wrapped = select(below, value_of(plus(x, n)), value_of(x))
    return Scalar(wrapped, IntFact(None if low is None else min(low, 0), high))


def _emit(op: Callable[..., Value], rule: Callable[..., IntFact], x: Int, y: Int) -> Int:
    """`op(x, y)` with the fact of `rule`; a constant where that says so."""
    fact = rule(extent.fact(x), extent.fact(y))
    if fact.lo is not None and fact.lo == fact.hi:
        return fact.lo
    return Scalar(op(value_of(x), value_of(y)), fact)
