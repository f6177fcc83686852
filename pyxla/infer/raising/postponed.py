"""Ints that leave 64 bits where they only count modulo something: `(a * b + c) & 0xFFFFFFFF`.

What such an expression computes in between (`frontend.remainders`) is wrong by multiples of 2**64
alone.  So the checks of its operators wait for the `&` or `%`: modulo a power of two nothing is
wrong, and they are dropped.  Modulo another int they are made, but where the exception would be
raised there is the exact remainder instead, of products of 128 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyxla.errors import Location, in_program
from pyxla.infer.arrays.shadows import number
from pyxla.infer.lattice import Const, Scalar
from pyxla.infer.raising.faults import Raises
from pyxla.ir.core import Instr, Value
from pyxla.lib import modular

if TYPE_CHECKING:
    from pyxla.infer.interface import Engine


@dataclass(frozen=True, slots=True)
class Check:
    """What `Engine.ensure` is asked for, later."""

    loc: Location | None
    fine: Scalar
    error: Raises


@dataclass(slots=True)
class Postponed:
    """waiting: the checks of results that have been used by none; made: those of the operator that
    is visited, None where they do not wait; parts: of what such results are made."""

    waiting: dict[Value, list[Check]] = field(default_factory=dict)
    made: list[Check] | None = None
    parts: dict[Value, tuple[str, Any, Any]] = field(default_factory=dict)


def compute(engine: Engine, function: Callable[..., Any], instr: Instr, x: Any, y: Any) -> Any:
    """`function(engine, op, x, y)` of a marked operator."""
    op, postponed = instr.attrs["op"], engine.postponed
    checks = [c for v in (x, y) if type(v) is Scalar for c in postponed.waiting.pop(v.value, ())]
    if not (_is_int(x) and _is_int(y)):
        _ensure(engine, checks)
        return function(engine, op, x, y)
    far = type(y) is Const and y.value > 2**62  # a divisor that int64 does not hold, maybe
    if (checks or far) and op == "mod" and _wraps(y, 1) and y.value & (y.value - 1) == 0:
        return function(engine, "and_", _wrapped(x), Const(y.value - 1))
    if checks and op == "and_" and any(_wraps(v, 0) for v in (x, y)):
        return function(engine, op, _wrapped(x), _wrapped(y))
    if op == "mod":
        return _remainder(engine, function, checks, x, y)
    if not instr.attrs.get("within"):
        _ensure(engine, checks)
        return function(engine, op, x, y)
    postponed.made = checks
    try:
        result = function(engine, op, x, y)
    finally:
        postponed.made = None
    if type(result) is not Scalar:
        _ensure(engine, checks)
    elif checks:
        postponed.waiting[result.value], postponed.parts[result.value] = checks, (op, x, y)
    return result


def _is_int(x: Any) -> bool:
    if type(x) is Const:
        return type(x.value) is int
    return type(x) is Scalar and x.kinds is None and x.kind is int


def _wrapped(x: Any) -> Any:
    """`x`, of which nothing is known, as it may have wrapped."""
    return Scalar(x.value) if type(x) is Scalar else x


def _wraps(x: Any, least: int) -> bool:
    """Whether `x` is known, from `least` on, and has no bit that wrapped ints do not have."""
    return type(x) is Const and least <= x.value <= 2**63 - 1 + least


def _ensure(engine: Engine, checks: Sequence[Check]) -> None:
    here = engine.builder.loc
    for check in checks:
        engine.builder.loc = check.loc
        engine.ensure(check.fine, check.error, catchable=False)
    engine.builder.loc = here


def _remainder(
    engine: Engine, function: Callable[..., Any], checks: Sequence[Check], x: Any, y: Any
) -> Any:
    """`x % y`, exact where a check would raise."""
    chain = engine.chain()
    sites = [(in_program(c.loc, chain)[0], c.error.kind) for c in checks]
    whole = modular.size(_value(y)) if any(map(engine.faults.in_place, sites)) else None
    exact = None if whole is None else _residue(engine, x, whole)
    if exact is None:
        _ensure(engine, checks)
        return function(engine, "mod", x, y)
    result = function(engine, "mod", x, y)
    found = modular.signed(exact, _value(y))
    return Scalar(found, result.fact) if type(result) is Scalar else result


def _residue(engine: Engine, x: Any, whole: Value) -> Value | None:
    """`x % whole`, unsigned, of what `x` is made of; None where that is not known."""
    found = engine.postponed.parts.get(getattr(x, "value", None))
    if found is None:
        return modular.residue(_value(x), whole)
    op, *parts = found
    if op not in modular.OPERATIONS:
        return None
    left, right = (_residue(engine, part, whole) for part in parts)
    return modular.OPERATIONS[op](left, right, whole) if left and right else None


def _value(x: Any) -> Value:
    return number(x.value) if type(x) is Const else x.value
