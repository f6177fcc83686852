"""Ints of more than 64 bits of which data decides a part: `far + w`, where `far` is 10**20, say.

Such an int is known, a Const, or it is a Compound of kind "far": an int of 64 bits, the item, and a
number of `UNIT`s, in its `meta` (`ir.types.Far`).  Those of as many units meet as their items do.
Others meet as words, ints from 0 to 2**64 (`infer.words`), where all are such, or else a name is
one or the other (`infer.joins.variants`).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.lattice import UNDEFINED, Compound, Const, Scalar, is_beyond, plain
from pyxla.errors import CompileError, Location
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Instr, Value
from pyxla.ir.types import UNIT, Far
from pyxla.lib import kernels as k
from pyxla.lib.operands import BOOL
from pyxla.lib.operators import to_python
from pyxla.ops import elementwise as ops
from pyxla.ops.shape import constant
from pyxla.views.shadows import number

if TYPE_CHECKING:
    from pyxla.infer.interface import Engine

_MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNSIGNED = np.dtype(np.uint64)
INT = np.dtype(np.int64)
SMALLEST, LARGEST = -(2**63), 2**63 - 1
WORD = 2  # units of an int from 0 to 2**64
TOO_LARGE = OverflowError("an int of more than 64 bits, which compiled ints do not have")


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


def word(value: Value) -> Compound:
    """The int from 0 to 2**64 that is `value`, an int64, modulo that."""
    return Compound("far", (Scalar(_turned(value)),), Far(WORD))


def rest_of(values: Value) -> Value:
    """The rests of words that are uint64s."""
    signed = ops.convert(values, dtype=INT)
    return ops.xor(signed, k.like(signed, SMALLEST))


def is_word(x: Any) -> bool:
    return is_dynamic(x) and x.meta.units == WORD


def ring(x: Any) -> Value:
    """An int modulo 2**64, as an int64."""
    if type(x) is Const:
        return number(_signed(x.value))
    value = _low(x)
    if is_word(x):
        return _turned(value)
    return ops.add(value, number(_signed(units(x) * UNIT))) if units(x) else value


def _signed(x: int) -> int:
    return (x - SMALLEST) % 2**64 + SMALLEST


def _low(x: Any) -> Value:
    low = rest(x)
    return to_python(low.value if type(low) is Const else low, int).value


def _turned(value: Value) -> Value:
    """An int64 with its highest bit turned."""
    owner = value.owner
    if isinstance(owner, Instr) and owner.op is ops.xor:
        known = known_elements(owner.operands[1])
        if known is not None and known == SMALLEST:
            return owner.operands[0]
    return ops.xor(value, number(SMALLEST))


def within_word(x: Any) -> Value | None:
    """Where an int lies in 0 .. 2**64 - 1; None where that is known."""
    least = -units(x) * UNIT
    most = least + 2**64 - 1
    low, high = _bounds(rest(x))
    if least <= low and high <= most:
        return None
    if least > LARGEST or most < SMALLEST:
        return constant(value=np.bool_(False))
    value, tests = _low(x), []
    if low < least:
        tests.append(k.ge(value, number(least)))
    if high > most:
        tests.append(k.le(value, number(most)))
    return functools.reduce(ops.and_, tests)


def rests(xs: Sequence[Any]) -> tuple[Any, ...] | None:
    """The rests of ints that are known to be words, of which one is no int of 64 bits; None of
    others."""
    if not any(map(is_far, xs)) or None in map(units, xs):
        return None
    if any(type(x) is Const and not 0 <= x.value < 2**64 for x in xs):
        return None
    if any(type(x) is not Const and not is_word(x) and within_word(x) is not None for x in xs):
        return None
    return tuple(
        [Const(x.value + SMALLEST) if type(x) is Const else word(ring(x)).items[0] for x in xs]
    )


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
    if (found := _as_words(join, values, known)) is not None:
        return found
    if all([alike(known[0], v) for v in known]):
        parted = [v if v is UNDEFINED else apart(v) for v in values]
        return join.with_parts(apart(known[0]), parted)
    return join.disagreed(values)


def _as_words(join: Any, values: Sequence[Any], known: Sequence[Any]) -> Any:
    """The word that holds each of `values`, or is assumed to; None where one is none."""
    if None in map(units, known) or not (any(map(is_word, known)) or all(map(is_beyond, known))):
        return None
    if any(type(v) is Const and not 0 <= v.value < 2**64 for v in known):
        return None
    parted: list[Any] = []
    for value, state in zip(values, join.states, strict=True):
        if value is UNDEFINED or is_word(value):
            parted.append(value)
        elif type(value) is Const:
            parted.append(Compound("far", (Const(value.value + SMALLEST),), Far(WORD)))
        elif state not in join.edges:  # lends its type
            parted.append(Compound("far", (Scalar(_low(value)),), Far(WORD)))
        elif (found := as_word(value, state.block, join.loc, join.way.assume)) is not None:
            parted.append(found)
        else:
            return None
    first = next(v for v in parted if v is not UNDEFINED)
    return join.with_parts(first, parted)


def as_word(x: Any, block: Block, loc: Location | None, assume: Callable[..., bool]) -> Any:
    """An int as a word, at the end of a block; None where it may be none, and no one may
    `assume` that it is."""
    if is_word(x):
        return x
    with building(Builder(block.instrs, loc)):
        fine = within_word(x)
        return word(ring(x)) if fine is None or assume(fine) else None


def operate(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` where one is such an int; None where that is left to others."""
    counts = units(x), units(y)
    if None in counts:
        return None
    if op == "sub" or (op == "add" and not (is_word(x) and is_word(y))):
        count = counts[0] + counts[1] if op == "add" else counts[0] - counts[1]
        return made(count, engine.rules.binary(engine, op, rest(x), rest(y)))
    if op == "mul" and (is_far(x) or is_far(y)) and not (is_word(x) or is_word(y)):
        factor, far = (x, y) if is_far(y) else (y, x)
        if type(factor) is Const and not is_beyond(factor):
            low = engine.rules.binary(engine, op, factor, rest(far))
            return made(units(far) * factor.value, low)
    return None


def compare(engine: Engine, op: str, x: Any, y: Any) -> Any:
    """`x op y` of such ints, an order or equality; None where that is left to others."""
    counts = [units(x), units(y)]
    if None not in counts:
        return _compared(engine, op, x, y)
    for i, v in enumerate((x, y)):
        if op in ("eq", "ne") and type(v) is Const and isinstance(v.value, str | bytes | None):
            return Const(op == "ne")
        if type(v) is Const and type(v.value) is float and not math.isfinite(v.value):
            counts[i] = v.value
    return None if None in counts else Const(getattr(operator, op)(*counts))


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
    if type(x) is not Const and x.kind is bool:
        return 0, 1
    fact = extent.fact(plain(x))
    return (
        SMALLEST if fact.lo is None else fact.lo,
        LARGEST if fact.hi is None else fact.hi,
    )


def refused(engine: Engine) -> CompileError:
    return engine.refuse(
        "an int of more than 64 bits is not computed with like this", "make it a float before"
    )
