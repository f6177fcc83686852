"""Powers modulo an int, exactly: products of 128 bits, and inverses.

Ints are taken as unsigned ones of 64 bits, as CPython computes with absolute values.  A product of
which one factor has 32 bits is known modulo 2**64, and its quotient by the modulus, computed in
floats, is wrong by one at most; so the remainder is (Dekker's idea, 1971, for ints).
"""

from __future__ import annotations

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib.loops import while_loop
from pyxla.ops import elementwise as op

UNSIGNED, FLOAT = np.dtype(np.uint64), np.dtype(np.float64)
HALF = 32
# Remainders below 0 are above this as unsigned numbers, and others, up to 2**63 + 2**44, are not.
NEGATIVE = (1 << 64) - (1 << 60)


def _unsigned(x: Value) -> Value:
    return op.convert(x, dtype=UNSIGNED, weak=False)


def size(x: Value) -> Value:
    """The absolute value of an int64 as a uint64, of -2**63 too."""
    return _unsigned(op.select(k.lt(x, k.like(x, 0)), op.negate(x), x))


def _reduced(x: Value, factor: Value, modulus: Value) -> Value:
    """`x * factor % modulus`, where x < modulus <= 2**63 and factor <= 2**32."""
    real = [op.convert(v, dtype=FLOAT) for v in (x, factor, modulus)]
    quotient = _unsigned(op.divide(op.multiply(real[0], real[1]), real[2]))
    rest = op.subtract(op.multiply(x, factor), op.multiply(quotient, modulus))
    below = k.gt(rest, k.like(rest, NEGATIVE))
    above = op.select(k.ge(rest, modulus), op.subtract(rest, modulus), rest)
    return op.select(below, op.add(rest, modulus), above)


def product(x: Value, y: Value, modulus: Value) -> Value:
    """`x * y % modulus` of unsigned ints, both below modulus <= 2**63."""
    high = op.shift_right_logical(y, k.like(y, HALF))
    low = op.and_(y, k.like(y, (1 << HALF) - 1))
    first = _reduced(_reduced(x, high, modulus), k.like(y, 1 << HALF), modulus)
    return _total(first, _reduced(x, low, modulus), modulus)


def power(base: Value, exponent: Value, modulus: Value) -> Value:
    """`base ** exponent % modulus` of unsigned ints, base < modulus."""

    def step(result: Array, square: Array, left: Array) -> tuple[Array, ...]:
        odd = k.eq(op.and_(left.value, k.like(left.value, 1)), k.like(left.value, 1))
        taken = op.select(odd, product(result.value, square.value, modulus), result.value)
        again = product(square.value, square.value, modulus)
        return Array(taken), Array(again), Array(op.shift_right_logical(left.value, _one(left)))

    def going(result: Array, square: Array, left: Array) -> Scalar:
        return Scalar(k.ne(left.value, k.like(left.value, 0)))

    first = op.remainder(k.like(base, 1), modulus)
    return while_loop(going, step, (Array(first), Array(base), Array(exponent)))[0].value


def _one(x: Array) -> Value:
    return k.like(x.value, 1)


def inverse(base: Value, modulus: Value) -> Value:
    """The inverse of `base` modulo `modulus`, if there is one; by Euclid's algorithm, whose
    coefficients are signed, and no larger than the modulus."""

    def step(r: Array, s: Array, x: Array, y: Array) -> tuple[Array, ...]:
        quotient = op.divide(r.value, s.value)
        rest = op.subtract(r.value, op.multiply(quotient, s.value))
        return s, Array(rest), y, Array(op.subtract(x.value, op.multiply(quotient, y.value)))

    inits = tuple(map(Array, (modulus, base, k.like(base, 0), k.like(base, 1))))
    _, _, found, _ = while_loop(lambda r, s, x, y: Scalar(k.ne(s.value, _zero(s))), step, inits)
    negative = k.gt(found.value, k.like(found.value, 1 << 63))
    value = op.select(negative, op.add(found.value, modulus), found.value)
    return op.remainder(value, modulus)


def _zero(x: Array) -> Value:
    return k.like(x.value, 0)


def python_power(base: Value, exponent: Value, modulus: Value) -> Value:
    """`pow(base, exponent, modulus)` of int64s; the sign is that of the modulus."""
    whole = size(modulus)
    rest = residue(base, whole)
    negative = k.lt(exponent, k.like(exponent, 0))
    turned = inverse(op.select(negative, rest, k.like(rest, 1)), whole)
    return signed(power(op.select(negative, turned, rest), size(exponent), whole), modulus)


def residue(x: Value, whole: Value) -> Value:
    """`x % whole` of an int64, unsigned."""
    rest = op.remainder(size(x), whole)
    lost = op.and_(k.lt(x, k.like(x, 0)), k.ne(rest, k.like(rest, 0)))
    return op.select(lost, op.subtract(whole, rest), rest)


def signed(rest: Value, modulus: Value) -> Value:
    """The remainder by an int64, whose sign it has, of what is `rest` modulo its size."""
    below = op.and_(k.lt(modulus, k.like(modulus, 0)), k.ne(rest, k.like(rest, 0)))
    found = op.convert(rest, dtype=modulus.type.dtype, weak=modulus.type.weak)
    return op.select(below, op.add(found, modulus), found)


def _total(x: Value, y: Value, modulus: Value) -> Value:
    """`(x + y) % modulus` of unsigned ints, both below modulus <= 2**63."""
    total = op.add(x, y)
    return op.select(k.ge(total, modulus), op.subtract(total, modulus), total)


def _difference(x: Value, y: Value, modulus: Value) -> Value:
    return op.select(k.ge(x, y), op.subtract(x, y), op.subtract(op.add(x, modulus), y))


# What is exact of residues, by the names of operators.
OPERATIONS = {"add": _total, "sub": _difference, "mul": product}
