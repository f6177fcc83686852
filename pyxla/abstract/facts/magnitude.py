"""How large known ints may become: they have CPython's unlimited size, within reason."""

from __future__ import annotations

from typing import Any

MOST_BITS = 1 << 20
TOO_LARGE = (
    f"an int of more than {MOST_BITS} bits is computed while compiling",
    "compute it modulo something, or in floating point",
)
# Operators whose results have more bits than their operands.
GROWING = frozenset({"mul", "pow", "lshift"})


def bits(op: str, x: Any, y: Any) -> int:
    """About how many bits a product, a power or a shift of ints has."""
    if type(x) is not int or type(y) is not int or y < 0 or x == 0:
        return 0
    if op == "pow":
        return x.bit_length() * y if abs(x) > 1 else 1
    return x.bit_length() + (y if op == "lshift" else y.bit_length())
