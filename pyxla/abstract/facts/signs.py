"""Which floats are never below zero, read off the instructions that compute them: sums of squares,
distances, exponentials.  Where they are not a number they are not below zero either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts.ranges import unconverted
from pyxla.ir.core import Instr, Phi, Value

DEPTH = 10
Question = Callable[[Value], bool]


def never_below_zero(x: Value, depth: int = DEPTH) -> bool:
    made = x.owner
    if not isinstance(made, Instr) or not depth:
        return False
    rule = RULES.get(made.op.name)
    return rule is not None and rule(made, lambda value: never_below_zero(value, depth - 1))


def _all(made: Instr, holds: Question) -> bool:
    return all(map(holds, made.operands))


def _any(made: Instr, holds: Question) -> bool:
    return any(map(holds, made.operands))


def _product(made: Instr, holds: Question) -> bool:
    x, y = made.operands
    return alike(x, y) or (holds(x) and holds(y))


def alike(x: Value, y: Value, depth: int = 4) -> bool:
    """Whether two values are computed alike of the same ones."""
    x, y = unconverted(_unchanged(x)), unconverted(_unchanged(y))
    one, other = x.owner, y.owner
    if x is y or not isinstance(one, Instr) or not isinstance(other, Instr):
        return x is y
    if not depth or one.op is not other.op or one.op.effect or one.regions or len(one.results) > 1:
        return False
    if len(one.operands) != len(other.operands) or one.attrs.keys() != other.attrs.keys():
        return False
    for name, value in one.attrs.items():
        if not _equal(value, other.attrs[name]):
            return False
    for a, b in zip(one.operands, other.operands, strict=True):
        if not alike(a, b, depth - 1):
            return False
    return True


def _unchanged(x: Value) -> Value:
    """What a loop that has been visited to its end found, where it does not change it."""
    for _ in range(DEPTH):
        phi = x.owner
        found = {*phi.args.values()} - {x} if isinstance(phi, Phi) else set()
        if len(found) != 1 or len(phi.args) == 1:
            break
        (x,) = found
    return x


def _equal(x: Any, y: Any) -> bool:
    return x is y or bool(np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y)


def _constant(made: Instr, holds: Question) -> bool:
    value = made.attrs["value"]
    return value.dtype.kind in "biuf" and not np.any(value < 0)


def _always(made: Instr, holds: Question) -> bool:
    return made.results[0].type.dtype.kind == "f"


def _convert(made: Instr, holds: Question) -> bool:
    """What has no sign has none as a float; ints that are computed may have wrapped around."""
    (x,) = made.operands
    return x.type.dtype.kind in "bu" or (x.type.dtype.kind == "f" and holds(x))


def _select(made: Instr, holds: Question) -> bool:
    return all(map(holds, made.operands[1:]))


RULES: dict[str, Callable[[Instr, Question], bool]] = {
    "constant": _constant,
    "convert": _convert,
    "multiply": _product,
    "select": _select,
    **dict.fromkeys(("add", "minimum", "reshape", "broadcast_in_dim"), _all),
    "maximum": _any,
    **dict.fromkeys(("abs", "sqrt", "exponential", "logistic"), _always),
}
