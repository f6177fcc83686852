"""`kept(x, *others)`: x, once all of them are there, for code for XLA:CPU alone.

It is a call that XLA keeps, of a function that gives back its first parameter: no instruction is
left of it, but XLA computes `x` before it, once, and fuses that with nothing behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType


def _kept(x: ArrayType, *others: ArrayType) -> ArrayType:
    return x


def _numpy(x: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return x


def _emit(e: Any, instr: Any, operands: Any) -> Any:
    return e.same(*operands)


kept = Op("kept", _kept, numpy=_numpy, emit=_emit)
