"""The value of ints and bools that constants of the program alone decide.

An array that the program makes of known numbers, `np.array([x.shape for x in xs])` say, is
instructions like any other.  They are carried out where a size, an axis or an offset must be known.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.core import Instr, Value
from pyxla.ops.collective import depends_on_device

# Values computed through more instructions than this, or of more elements, are not looked at.
DEPTH = 32
SIZE = 64

_EXACT = frozenset(
    """constant iota convert reshape broadcast_in_dim transpose reverse slice dynamic_slice power
    divide shift_left shift_right_arithmetic shift_right_logical
    concatenate add subtract multiply remainder negate abs sign minimum maximum clamp compare select
    and or xor not reduce""".split()  # noqa: SIM905
)


_WRITTEN = _EXACT | {"dynamic_update_slice"}
Seen = dict[Value, np.ndarray | None]


def known_elements(x: Value, most: int = SIZE, written: bool = False) -> np.ndarray | None:
    """The elements of `x`, at most `most`, where they are ints or bools that constants alone
    decide; `written`: also where elements were assigned, as those of shapes are.  What lists hold
    is not to decide branches, and unroll loops, by what was put there."""
    return _elements(x, DEPTH, most, _WRITTEN if written else _EXACT, {})


def _elements(
    x: Value, depth: int, most: int, known: frozenset[str], seen: Seen
) -> np.ndarray | None:
    if x not in seen:
        seen[x] = _computed(x, depth, most, known, seen)
    return seen[x]


def _computed(
    x: Value, depth: int, most: int, known: frozenset[str], seen: Seen
) -> np.ndarray | None:
    instr = x.owner
    if not isinstance(instr, Instr) or instr.op.name not in known:
        return None
    if not depth or x.type.dtype.kind not in "biu" or x.type.size > most:
        return None
    if instr.op.name == "constant":
        return np.asarray(instr.attrs["value"])
    if len(instr.results) != 1 or instr.regions or depends_on_device(instr):
        return None
    if instr.op.numpy is None:
        return None
    contents = []
    for operand in instr.operands:
        content = _elements(operand, depth - 1, most, known, seen)
        if content is None:
            return None
        contents.append(content)
    with np.errstate(all="ignore"):
        found = np.asarray(instr.op.numpy(*contents, **instr.attrs))
    return found if (found.dtype, found.shape) == (x.type.dtype, x.type.shape) else None
