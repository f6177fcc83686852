"""Arithmetic as IEEE 754 has it, operation by operation, where XLA would make something else of it.

XLA multiplies by the reciprocal of what is the same for many elements, and 49.0 / 49.0 is
0.9999999999999999; of (x + c) + d it makes x + (c + d), of sqrt(x * x) abs(x), of log(exp(x)) x, of
exp(x) * exp(y) exp(x + y), and overflows elsewhere than NumPy does.  So one of the operands is
hidden from it, at no cost, since LLVM knows that nothing is less than NaN:

    %y = divide(%x, 49.0)   ->   %t = compare(%x, nan, LT);  %c = select(%t, %x, 49.0);
                                 %y = divide(%x, %c)

The reciprocal of a power of two is exact.  With `fast=True` numbers are as XLA has them, and many
elements divided by what is known at run time only are multiplied.  Where a module is made to be
compiled, and not where it is shown.

A whole number is not divided by 0: of constants, which its own passes may find, XLA does that with
the processor's instruction, and the process ends.

Of a number to a known power, XLA makes products, quotients and roots, which C's `pow` rounds
otherwise: that exponent is hidden as well.  But a square root and a reciprocal are one operation,
rounded once: `pow` differs from them in the last bit of one number of a thousand, and takes ten
times as long.

    %y = divide(%x, %d)     ->   %t = compare(%d, 0, EQ);  %c = select(%t, 1, %d);
                                 %q = divide(%x, %c);      %y = select(%t, -1, %q)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import clone_region, rewrite, walk
from pyxla.lower.rules import definition, known
from pyxla.ops.check import COMPLEXES, FLOATS, INEXACT, INTS
from pyxla.ops.elementwise import (
    add,
    compare,
    divide,
    log,
    multiply,
    not_,
    power,
    real,
    remainder,
    select,
    sqrt,
    square,
    subtract,
)
from pyxla.ops.filled import filled


def exact_arithmetic(region: Region, fast: bool = False) -> Region:
    """The region, or a copy, in which XLA finds nothing that it would compute otherwise."""

    def rule(instr: Instr) -> Callable[[Instr], Value] | None:
        asked = _RULES.get(instr.op)
        return asked(instr, fast) if asked is not None else None

    def exact(instr: Instr) -> Value | None:
        made = rule(instr)
        return made(instr) if made is not None else None

    if not any(map(rule, walk(region.instrs))):
        return region
    return rewrite(clone_region(region, {}), _RULES, exact)


def _hidden(x: Value, other: Value) -> Value:
    """`x`, of which XLA does not see what it is; other: of its type, unknown where `x` is known."""
    by = x if _content(x) is None else other
    by = real(by) if by.type.dtype in COMPLEXES else by
    return select(compare(by, filled(by.type, np.nan), direction="LT"), other, x)


def _made_hidden(x: Value) -> Value:
    """What an operation makes, of which XLA does not see which one it is."""
    made = x.owner
    assert isinstance(made, Instr)
    return _hidden(x, made.operands[0])


def _content(x: Value) -> np.ndarray | None:
    """The elements of `x`, repeated or not, where they are known."""
    while (made := definition(x, "broadcast_in_dim", "reshape")) is not None:
        x = made.operands[0]
    return known(x)


def _is_of(x: Value, *names: str) -> bool:
    """Whether `x` is what one of these ops makes."""
    return definition(x, *names) is not None


# --- Quotients and powers -------------------------------------------------------------------------


def _of_quotient(instr: Instr, fast: bool) -> Callable[[Instr], Value] | None:
    dtype = instr.operands[0].type.dtype
    if dtype in INTS:
        divisor = _content(instr.operands[1])
        return None if divisor is not None and np.all(divisor) else _but_by_zero
    divides = instr.op is divide and dtype in FLOATS
    return _divided if divides and _is_multiplied(instr, fast) else None


def _is_multiplied(instr: Instr, fast: bool) -> bool:
    """Whether XLA makes something else of a quotient, which is rounded otherwise."""
    x, y = instr.operands
    if _is_of(x, "divide") or _is_of(y, "divide", "sqrt"):
        return True
    if _is_of(y, "exponential", "power"):
        return not fast
    divisor = _content(y)
    if divisor is None:
        return _is_of(y, "broadcast_in_dim") and not fast
    return not np.all(np.abs(np.frexp(divisor)[0]) == 0.5)


def _divided(instr: Instr) -> Value:
    x, y = instr.operands
    return divide(_made_hidden(x) if _is_of(x, "divide") else x, _hidden(y, x))


def _but_by_zero(instr: Instr) -> Value:
    """What XLA's code makes of it, without a division by 0."""
    x, y = instr.operands
    none = compare(y, filled(y.type, 0), direction="EQ")
    made = instr.op(x, select(none, filled(y.type, 1), y))
    return select(none, x if instr.op is remainder else not_(filled(x.type, 0)), made)


def _of_power(instr: Instr, fast: bool) -> Callable[[Instr], Value] | None:
    """A number, not many, to a known power that is no single operation."""
    type, exponent = instr.results[0].type, _content(instr.operands[1])
    if fast or type.dtype not in FLOATS or type.shape:
        return None
    return None if exponent is None or exponent in (0, 1, -1, 0.5) else _second_hidden


# --- Sums, products and functions of them ---------------------------------------------------------


def _of_sum(instr: Instr, fast: bool) -> Callable[[Instr], Value] | None:
    return _of_constants(instr, fast, "add", "subtract")


def _of_product(instr: Instr, fast: bool) -> Callable[[Instr], Value] | None:
    """Of constants, or of powers of e."""
    both = all([_is_of(x, "exponential") for x in instr.operands])
    if both and not fast and instr.results[0].type.dtype in INEXACT:
        return _squared if instr.op is square else _second_hidden
    return None if instr.op is square else _of_constants(instr, fast, "multiply")


def _of_constants(instr: Instr, fast: bool, *names: str) -> Callable[[Instr], Value] | None:
    """A constant and what another constant was added to, or multiplied by."""
    if fast or instr.results[0].type.dtype not in INEXACT:
        return None
    x, y = instr.operands
    if _content(y) is None and _content(x) is None:
        return None
    other = y if _content(y) is None else x
    made = definition(other, *names)
    if made is None or all([_content(operand) is None for operand in made.operands]):
        return None
    return _first_hidden if other is y else _second_hidden


def _of_function(*names: str) -> Callable[[Instr, bool], Callable[[Instr], Value] | None]:
    """Functions of what these ops make."""

    def asked(instr: Instr, fast: bool) -> Callable[[Instr], Value] | None:
        (x,) = instr.operands
        if fast or x.type.dtype not in INEXACT:
            return None
        made = definition(x, *names)
        if made is None or (made.op is multiply and made.operands[0] is not made.operands[1]):
            return None
        return _of_hidden

    return asked


def _first_hidden(instr: Instr) -> Value:
    x, y = instr.operands
    return instr.op(_hidden(x, y), y)


def _second_hidden(instr: Instr) -> Value:
    x, y = instr.operands
    return instr.op(x, _hidden(y, x))


def _squared(instr: Instr) -> Value:
    (x,) = instr.operands
    return multiply(x, _made_hidden(x))


def _of_hidden(instr: Instr) -> Value:
    return instr.op(_made_hidden(instr.operands[0]))


_RULES: dict[Op, Callable[[Instr, bool], Callable[[Instr], Value] | None]] = {
    divide: _of_quotient,
    remainder: _of_quotient,
    power: _of_power,
    add: _of_sum,
    subtract: _of_sum,
    multiply: _of_product,
    square: _of_product,
    log: _of_function("exponential", "power"),
    sqrt: _of_function("multiply", "square"),
}
