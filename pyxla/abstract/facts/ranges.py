"""Which integers a typed value can hold, read off the instructions that compute it.

`extent.IntFact` travels with Python ints; NumPy's integers carry no facts, and need none until one
of them is used as a size.  Then `interval` looks back: a count of a mask of n elements is at most
n, an element of a `uint8` array at most 255, `x % 7` at most 6.

Interval arithmetic: Cousot & Cousot, "Static determination of dynamic properties of programs"
(1976).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.extent import UNKNOWN, IntFact
from pyxla.ir.core import Instr, Value
from pyxla.ops.elementwise import ORDERS

# Values computed through more instructions than this are unknown.
DEPTH = 24
# Wider dtypes bound nothing that is of use as a size.
_NARROW = 2

Rule = Callable[[Instr, list[IntFact]], IntFact]


def interval(x: Value) -> IntFact:
    """`lo <= element <= hi` for every element of an integer or bool value; no linear form."""
    return _interval(x, DEPTH, {})


def _interval(x: Value, depth: int, seen: dict[Value, IntFact]) -> IntFact:
    if x in seen:
        return seen[x]
    if x.type.dtype.kind not in "biu":
        return UNKNOWN
    found = UNKNOWN
    instr = x.owner
    if isinstance(instr, Instr) and depth:
        rule = RULES.get(instr.op.name)
        if rule is not None:
            ends = [_interval(operand, depth - 1, seen) for operand in instr.operands]
            found = rule(instr, ends)
    seen[x] = _within(found, x.type.dtype)
    return seen[x]


def _within(found: IntFact, dtype: np.dtype) -> IntFact:
    """What may have wrapped around is anything of its dtype."""
    if dtype.kind == "b":
        return extent.meet(found, 0, 1)
    if dtype.kind not in "iu":
        return UNKNOWN
    low, high = _limits(dtype)
    if (found.lo is not None and found.lo < low) or (found.hi is not None and found.hi > high):
        found = UNKNOWN
    if dtype.itemsize <= _NARROW:
        return extent.meet(found, low, high)
    return extent.meet(found, 0, None) if low == 0 else found


@functools.cache
def _limits(dtype: np.dtype) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _constant(instr: Instr, _: list[IntFact]) -> IntFact:
    data = instr.attrs["value"]
    if data.dtype.kind not in "biu" or not data.size:
        return UNKNOWN
    return IntFact(int(data.min()), int(data.max()))


def _same(_: Instr, ends: list[IntFact]) -> IntFact:
    return IntFact(ends[0].lo, ends[0].hi)


def _closed(found: IntFact) -> IntFact:
    """What has an open end may have wrapped around there."""
    return UNKNOWN if found.lo is None or found.hi is None else IntFact(found.lo, found.hi)


def _convert(instr: Instr, ends: list[IntFact]) -> IntFact:
    source, target = instr.operands[0].type.dtype, instr.results[0].type.dtype
    return ends[0] if np.can_cast(source, target) else _closed(ends[0])


def _hull(_: Instr, ends: list[IntFact]) -> IntFact:
    return functools.reduce(extent.join, ends)


def _select(instr: Instr, ends: list[IntFact]) -> IntFact:
    """`x if x < y else y` is a minimum, and `r + n if r < 0 else r`, of C's remainder `r`, is
    Python's."""
    test, chosen, other = instr.operands
    made = other.owner
    remainder = isinstance(made, Instr) and made.op.name == "remainder"
    if remainder and _is_sum(chosen, other) and ends[2].hi is not None:
        return IntFact(_hull(instr, ends[1:]).lo, max(ends[2].hi, -(ends[2].lo or 0)))
    while isinstance(test.owner, Instr) and test.owner.op.name in ("convert", "broadcast_in_dim"):
        (test,) = test.owner.operands
    if isinstance(test.owner, Instr) and test.owner.op.name == "compare":
        direction = test.owner.attrs["direction"]
        x, y = test.owner.operands
        turned = _equal(chosen, y) and _equal(other, x)
        if direction in ORDERS and (turned or (_equal(chosen, x) and _equal(other, y))):
            smaller = (direction in ("LT", "LE")) is not turned
            return (extent.minimum if smaller else extent.maximum)(ends[1], ends[2])
    return _hull(instr, ends[1:])


def _is_sum(x: Value, y: Value) -> bool:
    """Whether `x` is `y` and something else."""
    made = x.owner
    return isinstance(made, Instr) and made.op.name == "add" and made.operands[0] is y


def unconverted(x: Value) -> Value:
    """`x` before it was converted to the dtype it has, weak or not."""
    while isinstance(x.owner, Instr) and x.owner.op.name == "convert":
        (source,) = x.owner.operands
        if source.type.dtype != x.type.dtype:
            break
        x = source
    return x


def _equal(x: Value, y: Value) -> bool:
    """Whether two values are one, or constants of the same number."""
    x, y = unconverted(x), unconverted(y)
    if x is y:
        return True
    owners = x.owner, y.owner
    if not all(isinstance(o, Instr) and o.op.name == "constant" for o in owners):
        return False
    first, second = [o.attrs["value"] for o in owners]
    return first.size == second.size == 1 and bool(first.ravel()[0] == second.ravel()[0])


def _iota(instr: Instr, _: list[IntFact]) -> IntFact:
    return IntFact(0, max(0, instr.attrs["shape"][instr.attrs["dimension"]] - 1))


def _remainder(_: Instr, ends: list[IntFact]) -> IntFact:
    """The sign of the dividend, as in C."""
    x, y = ends
    if y.lo is None or y.hi is None or y.lo <= 0 <= y.hi:
        return UNKNOWN
    most = max(abs(y.lo), abs(y.hi)) - 1
    return IntFact(0 if x.lo is not None and x.lo >= 0 else -most, most)


def _divide(_: Instr, ends: list[IntFact]) -> IntFact:
    x, y = ends
    if x.lo is None or x.lo < 0 or y.lo is None or y.lo <= 0:
        return UNKNOWN
    return IntFact(0, None if x.hi is None else x.hi // y.lo)


def _clamp(_: Instr, ends: list[IntFact]) -> IntFact:
    low, x, high = ends
    return extent.minimum(extent.maximum(x, low), high)


def _reduce(instr: Instr, ends: list[IntFact]) -> IntFact:
    if len(ends) != 2:
        return UNKNOWN
    x, init = ends
    shape = instr.operands[0].type.shape
    count = math.prod([shape[d] for d in instr.attrs["dimensions"]])
    computation = instr.attrs.get("computation")
    if computation == "add":
        return _closed(extent.add(_times(x, count), init))
    if computation in ("minimum", "maximum"):
        rule = extent.minimum if computation == "minimum" else extent.maximum
        return rule(x, init) if count else init
    return UNKNOWN


def _reduce_window(instr: Instr, ends: list[IntFact]) -> IntFact:
    """Sums of a window, part of which may lie in the padding."""
    if len(ends) != 2 or instr.attrs.get("computation") != "add":
        return UNKNOWN
    whole = _times(ends[0], math.prod(instr.attrs["window_dimensions"]))
    return _closed(extent.add(extent.join(whole, IntFact(0, 0)), ends[1]))


def _times(x: IntFact, count: int) -> IntFact:
    return extent.multiply(x, IntFact(count, count))


def _arithmetic(rule: Callable[..., IntFact]) -> Rule:
    return lambda _, ends: _closed(rule(*ends))


def _order(rule: Callable[..., IntFact]) -> Rule:
    return lambda _, ends: rule(*ends)


RULES: dict[str, Rule] = {
    "constant": _constant,
    "convert": _convert,
    **dict.fromkeys(("reshape", "broadcast_in_dim", "transpose", "reverse"), _same),
    **dict.fromkeys(("slice", "dynamic_slice", "gather"), _same),
    **dict.fromkeys(("concatenate", "pad"), _hull),
    "select": _select,
    "iota": _iota,
    "and": _order(extent.bits_and),
    "remainder": _remainder,
    "divide": _divide,
    "clamp": _clamp,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "add": _arithmetic(extent.add),
    "subtract": _arithmetic(extent.subtract),
    "multiply": _arithmetic(extent.multiply),
    "negate": _arithmetic(extent.negate),
    "abs": _arithmetic(extent.absolute),
    "minimum": _order(extent.minimum),
    "maximum": _order(extent.maximum),
}
