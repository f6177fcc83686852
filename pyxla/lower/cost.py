"""What instructions cost to run, roughly: in units of one scalar addition.

Used to decide what may run although its result might not be needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyxla.ir.core import Instr, Region

SMALL = 8  # elements: arrays up to this size count as scalars
INFINITE = 1 << 60
LIGHT = 1 << 16  # elements: a kernel that makes fewer takes some ten microseconds
# Read or make a small part of a large array, or nothing at all.
_LOCAL = frozenset({"dynamic_slice", "slice", "gather", "reshape"})
# fmt: off
_SLOW = frozenset({
    "divide", "remainder", "power", "atan2", "exponential", "exponential_minus_one", "log",
    "log_plus_one", "logistic", "sine", "cosine", "tan", "tanh", "sqrt", "rsqrt", "cbrt",
})
# fmt: on


def cost(instr: Instr) -> int:
    """INFINITE for effects, nested regions, library calls and work on large arrays."""
    op = instr.op
    if op.name == "constant":
        return 0
    if op.effect or instr.regions:
        return INFINITE
    for value in instr.results:
        if value.type.size > SMALL:
            return INFINITE
    if op.name in _LOCAL:
        return 1
    for value in instr.operands:
        if value.type.size > SMALL:
            return INFINITE
    return 4 if op.name in _SLOW else 1


def total(instrs: Iterable[Instr], limit: int) -> int:
    """The sum, or some number above `limit` as soon as it is exceeded."""
    spent = 0
    for instr in instrs:
        spent += cost(instr)
        if spent > limit:
            break
    return spent


def is_light(region: Region) -> bool:
    """Whether no kernel works much longer than another thread takes to wake up."""
    for instr in region.instrs:
        name = instr.op.name
        if instr.regions and not all(map(is_light, instr.regions)):
            return False
        if instr.regions or name in _LOCAL:
            continue
        in_place = name == "dynamic_update_slice"
        values = instr.operands[1:] if in_place else (*instr.results, *instr.operands)
        limit = LIGHT // 16 if name in _SLOW else LIGHT
        if any(value.type.size > limit for value in values):
            return False
    return True
