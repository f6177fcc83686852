"""How often a loop runs, where its condition tells: `for i in range(3, n, 2)` with a known n."""

from __future__ import annotations

import operator

from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Value
from pyxla.ops.check import INTS
from pyxla.ops.filled import constant

OPPOSITE = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "NE": "NE", "EQ": "EQ"}


@dataclass(frozen=True, slots=True)
class Trips:
    """At most `bound` iterations; exactly, where the condition asks nothing else."""

    bound: int
    exact: bool


def known(value: Value) -> int | None:
    """The int that a value is."""
    owner = value.owner
    if isinstance(owner, Instr) and owner.op is constant and not value.type.shape:
        content = owner.attrs["value"]
        return int(content) if content.dtype in INTS else None
    return None


def trips(loop: Instr) -> Trips | None:
    """The iterations of a `while`, bounded by a counter; None where no counter shows."""
    cond = loop.regions[0]
    tests = conjuncts(cond.results[0])
    bounds = [n for test in tests if (n := _count(loop, test)) is not None]
    return Trips(min(bounds), len(tests) == 1) if bounds else None


def exact_trips(loop: Instr) -> int | None:
    """How many iterations there are, if that is known."""
    found = trips(loop)
    return found.bound if found is not None and found.exact else None


def conjuncts(value: Value) -> list[Value]:
    """What must hold for a condition to hold."""
    owner = value.owner
    if isinstance(owner, Instr) and owner.op.name == "and":
        return [part for operand in owner.operands for part in conjuncts(operand)]
    if isinstance(owner, Instr) and owner.op.name == "convert":
        (x,) = owner.operands
        return conjuncts(x) if x.type.dtype == value.type.dtype else [value]
    return [value]


def induction(loop: Instr) -> dict[int, tuple[int | None, int]]:
    """Slots that go up by a known step: position -> (start if known, step)."""
    body, found = loop.regions[1], {}
    for k, (param, result) in enumerate(zip(body.params, body.results, strict=True)):
        step = _step(param, result)
        if step is not None and param.type.dtype in INTS:
            found[k] = known(loop.operands[k]), step
    return found


def _step(param: Value, result: Value) -> int | None:
    owner = result.owner
    if not isinstance(owner, Instr) or owner.op.name not in ("add", "subtract"):
        return None
    x, y = owner.operands
    if owner.op.name == "subtract":
        return -step if x is param and (step := known(y)) is not None else None
    if y is param:
        x, y = y, x
    return known(y) if x is param else None


def _count(loop: Instr, test: Value) -> int | None:
    """Iterations until a comparison of a counter with a known limit fails."""
    owner = test.owner
    if not isinstance(owner, Instr) or owner.op.name != "compare":
        return None
    (x, y), direction = owner.operands, owner.attrs["direction"]
    params = loop.regions[0].params
    if y in params:
        x, y, direction = y, x, OPPOSITE[direction]
    limit = known(y)
    if x not in params or limit is None:
        return None
    start, step = induction(loop).get(params.index(x), (None, 0))
    if start is None or not step:
        return None
    return _steps(start, limit, step, direction)


def _steps(start: int, limit: int, step: int, direction: str) -> int | None:
    if direction in ("GT", "GE"):
        start, limit, step = -start, -limit, -step
        direction = OPPOSITE[direction]
    if direction == "LE":
        limit += 1
    if direction == "NE" and step < 0:
        start, limit, step = -start, -limit, -step
    if direction == "NE" and (operator.mod(limit - start, step) or limit < start):
        return None
    if direction == "EQ" or step <= 0:
        return None
    return max(0, -((start - limit) // step))
