"""What is told of a library function's refusal: the kind of the exception, and its operands.

A function of the library refuses with `OpError`, which carries what NumPy raises in its place, or
with an exception as NumPy has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from pyxla.errors import Location, also
from pyxla.ir.core import Instr, Phi, Value
from pyxla.ir.op import OpError

# What library functions raise; all but `OpError`, our own, as NumPy does: the first that fits.
REFUSALS = (
    *(OpError, np.exceptions.AxisError, LinAlgError),
    *(IndexError, ValueError, TypeError, OverflowError),
)


def kind_of(error: Exception) -> dict[str, Any]:
    """How `refuse` makes of what a library function raises an error of the same kind."""
    if isinstance(error, OpError):
        return {"raises": error.raises, "words": error.words}
    return {"kind": also(next(k for k in REFUSALS if isinstance(error, k)))}


def origins(values: list[Value], here: Location | None) -> list[tuple[str, Location | None]]:
    """Where operands come from, those made at `here` left out."""
    notes = []
    for value in dict.fromkeys(values):
        if isinstance(value.owner, (Instr, Phi)):
            if value.owner.loc not in (None, here):
                notes.append((f"{value.type} comes from here", value.owner.loc))
        elif value.hint:
            notes.append((f"{value.type} is argument {value.hint!r}", None))
    return notes
