"""Ops for transformations alone: nothing is left of them when code is emitted (`lower.expand`).

    stop_gradient   its operand, of which derivatives are zero
    slope_of        its first operand, of which derivatives are those of the second: for a function
                    that is computed otherwise than it is differentiated
    guard           its first operand, a product with the second; 0 where that is 0, whatever it
                    was multiplied by.  Not `whole`: some term is such a product; 0 where it is NaN
    scope           the code of its first region, differentiated as its rule says

A scope's regions use what is around them freely.  What its rule can tell apart are the operands,
parameters of the region; those of a plain or checkpointed scope are captured.  `pyxla.grad.batch`
batches scopes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType
from pyxla.ops.batching import again
from pyxla.ops.check import check_same, require
from pyxla.ops.computation import check_region
from pyxla.ops.elementwise import and_, compare, select
from pyxla.ops.filled import zeros


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """How a scope is differentiated, by kind:

    plain       through its code
    checkpoint  through its code, which the reverse runs again
    custom      by further regions: where there is a `jvp`, one from (operands, tangents) to
                (results, tangents of the inexact ones); where there is a `vjp`, one from operands
                to (results, residuals), and one from (residuals, cotangents of the inexact
                results) to cotangents of the operands
    reversal    as `pyxla.grad.reversals` says: a further region has the loop that it reverses

    results: which results of the first region these are, the rest being a status and the like; of a
    reversal, by what they are derivatives.
    """

    kind: str
    name: str = ""
    results: tuple[int, ...] = ()
    jvp: bool = False
    vjp: bool = False


def _scope(*operands: ArrayType, rule: Rule, regions: tuple[Region, ...]) -> tuple[ArrayType, ...]:
    count = 1 + rule.jvp + 2 * rule.vjp + (rule.kind == "reversal")
    require(len(regions) == count, "scope", "it has not the regions it needs")
    results = tuple([value.type for value in regions[0].results])
    check_region("scope", regions[0], operands, results)
    return results


def _none(instr: Instr, given: Sequence[Value | None]) -> tuple[None]:
    return (None,)


stop_gradient = Op(
    "stop_gradient",
    lambda x: x,
    numpy=lambda x: x,
    jvp=_none,
    vjp=lambda instr, ct, wanted: (None,),
    batch=again,
)


def _slope_of(value: ArrayType, smooth: ArrayType) -> ArrayType:
    check_same("slope_of", value, smooth)
    return value


slope_of = Op(
    "slope_of",
    _slope_of,
    numpy=lambda value, smooth: value,
    jvp=lambda instr, tangents: tangents[1],
    vjp=lambda instr, ct, wanted: (None, ct),
    batch=again,
)


def _guard_jvp(instr: Instr, tangents: Sequence[Value | None]) -> Value | None:
    """The part's tangent has one term with a derivative that may be infinite, times the same 0."""
    if tangents[0] is None:
        return None
    return guard(tangents[0], instr.operands[1], whole=False)


def _guard_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, None]:
    part, factor = instr.operands
    return select(lost(part, factor), zeros(ct.type), ct), None


def lost(part: Value, factor: Value) -> Value:
    """Where a product with 0 is NaN."""
    none = compare(factor, zeros(factor.type), direction="EQ")
    return and_(none, compare(part, part, direction="NE"))


def _guard(part: ArrayType, factor: ArrayType, whole: bool = True) -> ArrayType:
    check_same("guard", part, factor)
    return part


guard: Op = Op(
    "guard",
    _guard,
    numpy=lambda part, factor, whole=True: np.where(
        (factor == 0) & (whole | (part != part)), part.dtype.type(0), part
    ),
    jvp=_guard_jvp,
    vjp=_guard_vjp,
    batch=again,
)
scope = Op("scope", _scope)
