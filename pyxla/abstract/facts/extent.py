"""Integer facts: intervals and affine forms, which prove extents constant and indices in range.

A dynamic int carries `lo <= x <= hi` (None: unbounded) and, where known, the linear form
`x = const + sum(coeff * symbol)` over SSA values.  The difference of two linear forms over the same
symbols is a constant: that is how `x[i:i+k]` has the extent k.  Python ints are taken as unbounded
here; values that wrap around 64 bits are outside the promise.

Interval arithmetic: Cousot & Cousot, "Static determination of dynamic properties of programs"
(1976).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyxla.abstract.lattice import Array, Scalar
from pyxla.frozen import dataclass
from pyxla.ir.core import Value

Bound = int | None
Terms = tuple[tuple[Value, int], ...]
Span = tuple[Terms, int, int]


@dataclass(frozen=True, slots=True)
class IntFact:
    """`lo <= x <= hi` and `x = const + sum(coeff * symbol for symbol, coeff in terms)`.

    `terms` is None where no linear form is kept.  `near`: symbols, and by how much x differs from
    their sum at least and at most; of ints that meet which are apart from the same symbols.
    """

    lo: Bound = None
    hi: Bound = None
    terms: Terms | None = None
    const: int = 0
    near: Span | None = None


UNKNOWN = IntFact()
AT_LEAST_0 = IntFact(0, None)
TRUTH = IntFact(0, 1)
# A float of 64 bits holds all ints between these.
LEAST_EXACT, LARGEST_EXACT = -(1 << 53), 1 << 53
# What a loop changes by little in each iteration does not get this far: at one nanosecond for each
# iteration, that takes half a year.
HORIZON, LITTLE = 1 << 62, 256
FAR = 1 << 61
MOST_SHIFTED = 64  # bits: facts of ints that are shifted further are not kept
IN_FLOAT64 = IntFact(LEAST_EXACT, LARGEST_EXACT)


def fact(x: int | Scalar | Array) -> IntFact:
    """What is known of an int operand; a Scalar without a fact is its own symbol."""
    if isinstance(x, Scalar):
        known = x.fact or (TRUTH if x.value.type.dtype == bool else UNKNOWN)
        if known.terms is None:
            return IntFact(known.lo, known.hi, ((x.value, 1),), 0, known.near)
        return known
    if isinstance(x, Array):  # of NumPy's ints
        return UNKNOWN
    known = int(x)
    return IntFact(known, known, (), known)


def lower(x: int | Scalar) -> Bound:
    """A proven lower bound that says something, or None."""
    low = fact(x).lo
    return None if low is None or low < -FAR else low


def upper(x: int | Scalar) -> Bound:
    """A proven upper bound that says something, or None."""
    high = fact(x).hi
    return None if high is None or high > FAR else high


def at_least_0(x: int | Scalar) -> bool:
    """Whether `x >= 0` is proven."""
    low = lower(x)
    return low is not None and low >= 0


def difference(x: int | Scalar, y: int | Scalar) -> int | None:
    """`x - y` where it is the same in every run, else None."""
    return apart(fact(x), fact(y))


def apart(x: IntFact, y: IntFact) -> int | None:
    """`x - y` where both have the same symbols, else None."""
    if x.terms is None or y.terms is None or len(x.terms) != len(y.terms):
        return None
    same = x.terms == y.terms or dict(x.terms) == dict(y.terms)
    return x.const - y.const if same else None


def distance(x: int | Scalar, y: int | Scalar) -> tuple[Bound, Bound]:
    """Proven bounds of `x - y`."""
    gap = subtract(fact(x), fact(y))
    return gap.lo, gap.hi


def at_most(x: int | Scalar, y: int | Scalar) -> bool:
    """Whether `x <= y` is proven."""
    high = distance(x, y)[1]
    return high is not None and high <= 0


def in_range(start: int | Scalar, stop: int | Scalar, step: int | Scalar) -> tuple[Bound, Bound]:
    """Proven bounds of the numbers in a range, where the sign of its step is known."""
    by = fact(step)
    if by.lo is not None and by.lo > 0:
        high = upper(stop)
        return lower(start), None if high is None else high - 1
    if by.hi is not None and by.hi < 0:
        low = lower(stop)
        return None if low is None else low + 1, upper(start)
    return None, None


def is_in_float64(x: int | Scalar | Array) -> bool:
    """Whether a float of 64 bits is proven to hold this int."""
    known = fact(x)
    if known.lo is None or known.hi is None:
        return False
    return LEAST_EXACT <= known.lo and known.hi <= LARGEST_EXACT


def add(x: IntFact, y: IntFact) -> IntFact:
    terms = _combine(x.terms, y.terms, 1)
    total = _make(_plus(x.lo, y.lo), _plus(x.hi, y.hi), terms, x.const + y.const)
    return _with_near(total, x, y, 1)


def subtract(x: IntFact, y: IntFact) -> IntFact:
    terms = _combine(x.terms, y.terms, -1)
    gap = _make(_plus(x.lo, _neg(y.hi)), _plus(x.hi, _neg(y.lo)), terms, x.const - y.const)
    return _with_near(gap, x, y, -1)


def multiply(x: IntFact, y: IntFact) -> IntFact:
    if x.terms == ():
        x, y = y, x
    terms: Terms | None = None
    if y.terms == () and x.terms is not None:
        terms = tuple((v, c * y.const) for v, c in x.terms) if y.const else ()
    corners = [_times(a, b) for a in _ends(x) for b in _ends(y)]
    return _make(*_hull(corners), terms, x.const * y.const)


def floor_divide(x: IntFact, y: IntFact) -> IntFact:
    """Division by a known positive constant keeps an interval; anything else is unknown."""
    if y.terms == () and y.const > 0:
        low = None if x.lo is None else x.lo // y.const
        high = None if x.hi is None else x.hi // y.const
        return IntFact(low, high)
    if y.lo is not None and y.lo > 0 and x.lo is not None and x.lo >= 0:
        return IntFact(0, x.hi)
    return UNKNOWN


def remainder(x: IntFact, y: IntFact) -> IntFact:
    """Python's `%`: the sign of the divisor."""
    if y.lo is not None and y.lo > 0:
        high = None if y.hi is None else y.hi - 1
        if x.lo is not None and x.lo >= 0 and x.hi is not None:
            high = x.hi if high is None else min(high, x.hi)
        return IntFact(0, high)
    if y.hi is not None and y.hi < 0:
        return IntFact(None if y.lo is None else y.lo + 1, 0)
    return UNKNOWN


def minimum(x: IntFact, y: IntFact) -> IntFact:
    low = None if x.lo is None or y.lo is None else min(x.lo, y.lo)
    highs = [h for h in (x.hi, y.hi) if h is not None]
    return IntFact(low, min(highs) if highs else None)


def maximum(x: IntFact, y: IntFact) -> IntFact:
    lows = [low for low in (x.lo, y.lo) if low is not None]
    high = None if x.hi is None or y.hi is None else max(x.hi, y.hi)
    return IntFact(max(lows) if lows else None, high)


def negate(x: IntFact) -> IntFact:
    return subtract(IntFact(0, 0, (), 0), x)


def absolute(x: IntFact) -> IntFact:
    if x.lo is not None and x.lo >= 0:
        return x
    high = None if x.lo is None or x.hi is None else max(-x.lo, abs(x.hi))
    return IntFact(0, high)


def bits_and(x: IntFact, y: IntFact) -> IntFact:
    """`x & y` of which one is not negative is at most that one."""
    highs = [f.hi for f in (x, y) if f.lo is not None and f.lo >= 0]
    if not highs:
        return UNKNOWN
    known = [high for high in highs if high is not None]
    return IntFact(0, min(known) if known else None)


def bits_or(x: IntFact, y: IntFact) -> IntFact:
    """`x | y` and `x ^ y` of ints that are not negative have no more bits than these."""
    if x.lo is None or y.lo is None or min(x.lo, y.lo) < 0:
        return UNKNOWN
    if x.hi is None or y.hi is None:
        return AT_LEAST_0
    return IntFact(0, (1 << max(x.hi, y.hi).bit_length()) - 1)


def shift_left(x: IntFact, y: IntFact) -> IntFact:
    if y.lo is None or y.lo < 0 or y.hi is None or y.hi > MOST_SHIFTED:
        return UNKNOWN
    return IntFact(*_hull([_times(a, 1 << b) for a in _ends(x) for b in (y.lo, y.hi)]))


def shift_right(x: IntFact, y: IntFact) -> IntFact:
    if y.lo is None or y.lo < 0:
        return UNKNOWN
    low, high = x.lo, x.hi
    if y.hi is None or y.hi > MOST_SHIFTED:  # towards 0 and -1
        return IntFact(None if low is None else min(low, 0), None if high is None else max(high, 0))
    counts = (y.lo, y.hi)
    return IntFact(
        None if low is None else min(low >> n for n in counts),
        None if high is None else max(high >> n for n in counts),
    )


def join(x: IntFact, y: IntFact) -> IntFact:
    """The least interval that holds both, also of what they are apart from the same symbols (the
    linear form is kept only where it is the same)."""
    low = None if x.lo is None or y.lo is None else min(x.lo, y.lo)
    high = None if x.hi is None or y.hi is None else max(x.hi, y.hi)
    if x.terms == y.terms and x.terms is not None and x.const == y.const:
        return IntFact(low, high, x.terms, x.const)
    for one, other in itertools.product(_spans(x), _spans(y)):
        if one[0] == other[0]:
            span = one[0], min(one[1], other[1]), max(one[2], other[2])
            return IntFact(low, high, near=span)
    return IntFact(low, high)


def meet(x: IntFact, lo: Bound, hi: Bound) -> IntFact:
    """`x` known to lie in `[lo, hi]` as well."""
    low = lo if x.lo is None else x.lo if lo is None else max(x.lo, lo)
    high = hi if x.hi is None else x.hi if hi is None else min(x.hi, hi)
    if low == x.lo and high == x.hi:
        return x
    return IntFact(low, high, x.terms, x.const, x.near)


def within(x: IntFact, y: IntFact, offset: int) -> IntFact:
    """`x` known to lie in the interval of `y`, moved by `offset`, as well."""
    low = None if y.lo is None else y.lo + offset
    return meet(x, low, None if y.hi is None else y.hi + offset)


TRANSFER: dict[str, Callable[..., IntFact]] = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "floordiv": floor_divide,
    "mod": remainder,
    "neg": negate,
    "abs": absolute,
    "min": minimum,
    "max": maximum,
    "and_": bits_and,
    "or_": bits_or,
    "xor": bits_or,
    "lshift": shift_left,
    "rshift": shift_right,
}


def transfer(name: str, *operands: Any) -> IntFact | None:
    """The fact of `operator.name(*operands)` on ints, or None where nothing is known."""
    rule = TRANSFER.get(name)
    if rule is None:
        return None
    result = rule(*[fact(x) for x in operands])
    return None if result == UNKNOWN else result


def _spans(x: IntFact) -> list[Span]:
    """What is known of how `x` differs from symbols; what goes back the furthest first."""
    spans = [x.near] if x.near is not None else []
    return [*spans, (x.terms, x.const, x.const)] if x.terms else spans


def _with_near(total: IntFact, x: IntFact, y: IntFact, sign: int) -> IntFact:
    """`total`, which is `x + sign * y`, with what is known of its distance to symbols."""
    if (x.near is None and y.near is None) or total.terms == ():
        return total
    left, low, high = x.near or (x.terms, x.const, x.const)
    right, least, most = y.near or (y.terms, y.const, y.const)
    terms = _combine(left, right, sign)
    low, high = (low + least, high + most) if sign > 0 else (low - most, high - least)
    if terms == ():
        return meet(total, low, high)
    return replace(total, near=None if terms is None else (terms, low, high))


def _make(lo: Bound, hi: Bound, terms: Terms | None, const: int) -> IntFact:
    if terms == ():
        return IntFact(const, const, (), const)
    return IntFact(lo, hi, terms, const if terms is not None else 0)


def _combine(x: Terms | None, y: Terms | None, sign: int) -> Terms | None:
    if x is None or y is None:
        return None
    total = dict(x)
    for value, coeff in y:
        total[value] = total.get(value, 0) + sign * coeff
    return tuple((value, coeff) for value, coeff in total.items() if coeff)


def _plus(x: Bound, y: Bound) -> Bound:
    return None if x is None or y is None else x + y


def _neg(x: Bound) -> Bound:
    return None if x is None else -x


_INFINITY = float("inf")


def _ends(x: IntFact) -> tuple[float, float]:
    return (-_INFINITY if x.lo is None else x.lo, _INFINITY if x.hi is None else x.hi)


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _hull(corners: list[float]) -> tuple[Bound, Bound]:
    low, high = min(corners), max(corners)
    return (
        None if low == -_INFINITY else int(low),
        None if high == _INFINITY else int(high),
    )
