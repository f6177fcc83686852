"""Ints that leave 64 bits where they only count modulo something: `(a * b + c) & 0xFFFFFFFF`.

What such an expression computes in between (`frontend.remainders`) is wrong by multiples of 2**64
alone.  So the checks of its operators wait for the `&` or `%`: modulo a power of two nothing is
wrong, and they are dropped; the result may be a word (`infer.words`).  Modulo another int they are
made, but where the exception would be raised there is the exact remainder instead, of products of
128 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from pyxla.abstract.lattice import Const, Scalar
from pyxla.errors import Location, in_program
from pyxla.frozen import dataclass
from pyxla.infer import words
from pyxla.infer.joins import far
from pyxla.infer.raising.faults import Raises
from pyxla.ir.core import Value
from pyxla.lib import modular
from pyxla.ops import elementwise as ops

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

    def ensure(self, engine: Engine, fine: Value, error: Any, also: Any = ()) -> None:
        """An int fits its bits where `fine`: now, or where the operator's checks wait, later."""
        if self.made is not None:
            self.made.append(Check(engine.loc, Scalar(fine), error))
        else:
            engine.ensure(Scalar(fine), error, False, also)


def compute(
    engine: Engine, function: Callable[..., Any], attrs: dict[str, Any], op: str, x: Any, y: Any
) -> Any:
    """`function(engine, op, x, y)` of an operator with these marks."""
    postponed = engine.postponed
    own = [postponed.waiting.pop(value, []) for value in (_value_of(x), _value_of(y))]
    checks = own[0] + own[1]
    if not (is_int(x) and is_int(y)):
        _ensure(engine, checks)
        return function(engine, op, x, y)
    if type(x) is Const and type(y) is Const:
        return function(engine, op, x, y)
    wide = bool(checks) or any(far.is_far(v) or _is_large(v) for v in (x, y))
    if wide and op == "mod" and not own[1] and words.is_power_of_two(y):
        return words.masked(x, Const(y.value - 1))
    if wide and op == "and_":
        for value, mask, unsure in ((x, y, own[1]), (y, x, own[0])):
            if not unsure and words.is_mask(mask):
                return words.masked(value, mask)
    if op == "mod":
        return _remainder(engine, function, checks, x, y)
    if not attrs.get("within"):
        _ensure(engine, checks)
        return function(engine, op, x, y)
    postponed.made = checks
    try:
        result = function(engine, op, x, y)
    finally:
        postponed.made = None
    value = _value_of(result)
    if value is None:
        _ensure(engine, checks)
    elif checks:
        postponed.waiting[value], postponed.parts[value] = checks, (op, x, y)
    return result


def _value_of(x: Any) -> Value | None:
    """What a dynamic int is known by."""
    low = x.items[0] if far.is_dynamic(x) else x
    return low.value if type(low) is Scalar else None


def is_int(x: Any) -> bool:
    if type(x) is Const:
        return type(x.value) is int
    return far.is_dynamic(x) or (type(x) is Scalar and x.kinds is None and x.kind is int)


def _is_large(x: Any) -> bool:
    """Whether `x` is known, and is no int that most are less than."""
    return type(x) is Const and x.value > 2**62


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
    known = not far.is_far(y) and any(map(engine.faults.in_place, sites))
    whole = modular.size(far.ring(y)) if known else None
    exact = None if whole is None else _residue(engine, x, whole)
    if exact is None:
        _ensure(engine, checks)
        return function(engine, "mod", x, y)
    result = function(engine, "mod", x, y)
    found = modular.signed(exact, far.ring(y))
    return Scalar(found, result.fact) if type(result) is Scalar else result


def _residue(engine: Engine, x: Any, whole: Value) -> Value | None:
    """`x % whole`, unsigned, of what `x` is made of; None where that is not known."""
    found = engine.postponed.parts.get(_value_of(x))
    if found is None and words.is_mask(x):
        return ops.remainder(words.unsigned(x), whole)
    if found is None:
        return None if far.is_far(x) else modular.residue(far.ring(x), whole)
    op, *parts = found
    if op not in modular.OPERATIONS:
        return None
    left, right = (_residue(engine, part, whole) for part in parts)
    return modular.OPERATIONS[op](left, right, whole) if left and right else None
