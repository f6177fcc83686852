"""Ints of more than 64 bits of which data decides a part: `far + w`, where `far` is 10**20, say.

Such an int is known, a Const, or it is a Compound of kind "far": an int of 64 bits, the item, and a
number of `UNIT`s, in its `meta` (`ir.types.Far`).  Those of as many units meet as their items do;
of others a name is one or the other (`infer.joins.variants`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyxla.infer.arrays.shadows import number
from pyxla.infer.facts import extent
from pyxla.infer.lattice import UNDEFINED, Compound, Const, Scalar, is_beyond
from pyxla.ir.core import Value
from pyxla.ir.types import UNIT, Far
from pyxla.lib.operands import BOOL
from pyxla.ops import elementwise as ops
from pyxla.ops.shape import constant

if TYPE_CHECKING:
    from pyxla.infer.interface import Engine

_MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNSIGNED = np.dtype(np.uint64)
_INT64 = (-(2**63), 2**63 - 1)


def is_dynamic(x: Any) -> bool:
    """Whether `x` is such an int, and not known."""
    return type(x) is Compound and x.kind == "far"


def is_far(x: Any) -> bool:
    return is_dynamic(x) if type(x) is Compound else is_beyond(x)


def units(x: Any) -> Any:
    """How many units an int has; None of what is none, or may be something else."""
    if is_dynamic(x):
        return x.meta.units
    if is_beyond(x):
        return (x.value + UNIT // 2) // UNIT
    if type(x) is Const:
        return 0 if type(x.value) in (int, bool) else None
    plain = type(x) is Scalar and x.kinds is None and x.kind in (int, bool)
    return 0 if plain else None


def rest(x: Any) -> Any:
    """An int without its units, of 64 bits."""
    if is_dynamic(x):
        return x.items[0]
    return Const(x.value - units(x) * UNIT) if is_beyond(x) else x


def made(count: int, low: Any) -> Any:
    """The int of so many units and the rest."""
    if type(low) is Const:
        return Const(count * UNIT + low.value)
    return Compound("far", (low,), Far(count)) if count else low


def apart(x: Any) -> Compound:
    """Such an int, known or not, as its units and the rest."""
    return x if is_dynamic(x) else Compound("far", (rest(x),), Far(units(x)))


def alike(x: Any, y: Any) -> bool:
    """Whether two such ints have as many units."""
    return is_far(x) and is_far(y) and units(x) == units(y)


def join(join: Any, values: Sequence[Any], known: Sequence[Any]) -> Any:
    """What holds each of `values`, of which those `known` are not UNDEFINED."""
    if all(map(is_beyond, known)) and len({v.value for v in known}) == 1:
        return known[0]
    if all([alike(known[0], v) for v in known]):
        parted = [v if v is UNDEFINED else apart(v) for v in values]
        return join.with_parts(apart(known[0]), parted)
    return join.disagreed(values)


def operate(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` where one is such an int; None where neither is, or the other is no plain int."""
    if not (is_far(x) or is_far(y)):
        return None
    counts = units(x), units(y)
    if None not in counts and op in ("add", "sub"):
        count = counts[0] + counts[1] if op == "add" else counts[0] - counts[1]
        return made(count, engine.rules.binary(engine, op, rest(x), rest(y)))
    if None not in counts and op == "mul":
        factor, far = (x, y) if is_far(y) else (y, x)
        if type(factor) is Const and not is_beyond(factor):
            low = engine.rules.binary(engine, op, factor, rest(far))
            return made(units(far) * factor.value, low)
    _need_known(engine, x, y)
    return None


def compare(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` of such ints, an order or equality; None where neither is one."""
    if not (is_far(x) or is_far(y)):
        return None
    counts = [units(x), units(y)]
    if None not in counts:
        return _compared(engine, op, x, y)
    for i, v in enumerate((x, y)):
        if op in ("eq", "ne") and type(v) is Const and isinstance(v.value, str | bytes | None):
            return Const(op == "ne")
        if type(v) is Const and type(v.value) is float and not math.isfinite(v.value):
            counts[i] = v.value
    if None not in counts:
        return Const(getattr(operator, op)(*counts))
    _need_known(engine, x, y)
    return None


def _compared(engine: Engine, op: str, x: Any, y: Any) -> Any:
    ahead = (units(x) - units(y)) * UNIT
    if ahead < 0:
        return _compared(engine, _MIRROR[op], y, x)
    if ahead == 0:
        return engine.rules.compare(engine, op, rest(x), rest(y))
    if ahead + _bounds(rest(x))[0] > _bounds(rest(y))[1]:
        return Const(getattr(operator, op)(1, 0))
    low, high = [number(v.value) if type(v) is Const else v.value for v in (rest(x), rest(y))]
    opposite = {"gt": "le", "ge": "lt", "ne": "eq"}.get(op)
    hit = _reaches(opposite or op, low, high, ahead)
    return Scalar(ops.convert(ops.not_(hit) if opposite else hit, dtype=BOOL, weak=True))


def _reaches(op: str, low: Value, high: Value, ahead: int) -> Value:
    """`low + ahead op high`, where 0 < ahead < 2**64: their difference has 64 bits, without a sign,
    where `high` is the larger one."""
    gap = ops.convert(ops.subtract(high, low), dtype=_UNSIGNED)
    limit = constant(value=_UNSIGNED.type(ahead))
    reached = ops.compare(gap, limit, direction={"lt": "GT", "le": "GE", "eq": "EQ"}[op])
    return ops.and_(ops.compare(high, low, direction="GT"), reached)


def _bounds(x: Any) -> tuple[int, int]:
    fact = extent.fact(x.value if type(x) is Const else x)
    return (
        _INT64[0] if fact.lo is None else fact.lo,
        _INT64[1] if fact.hi is None else fact.hi,
    )


def _need_known(engine: Engine, *given: Any) -> None:
    if any(map(is_dynamic, given)):
        raise engine.refuse(
            "an int of more than 64 bits is not computed with like this", "make it a float before"
        )
