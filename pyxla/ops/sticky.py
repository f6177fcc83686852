"""Sticky flags: that something was out of order is noted, and the program goes on.

A flag stays set once it is, as those of IEEE 754 do (7.1).  In typed code each check is one `flag`;
`pyxla.lower.sticky` makes a word of them, which is data like any other, before code is outlined.
"""

from __future__ import annotations

from pyxla.ir.op import Op
from pyxla.ir.types import BOOL, I32, ArrayType
from pyxla.ops.check import refuse, same


def _flag(word: ArrayType, *, bits: int = 0) -> tuple[()]:
    """Set `bits` unless a bool, what should hold, is true; or the bits of a word."""
    if not same(word, I32) and (word.shape or word.dtype != BOOL.dtype):
        refuse("flag", f"the operand must be a scalar bool or i32, got {word}")
    return ()


flag = Op("flag", _flag, effect=True)
