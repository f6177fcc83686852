"""The state of NumPy's bit generator PCG64 as fields, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

FIELDS = ("high", "low", "inc_high", "inc_low", "full", "half")
_WORD = (1 << 64) - 1


def opened(bits: np.random.PCG64) -> tuple[Any, ...]:
    """The values of `FIELDS`: four u64, a bool and a u32."""
    state: Any = bits.state
    words = state["state"]
    value, increment = words["state"], words["inc"]
    return (
        np.uint64(value >> 64),
        np.uint64(value & _WORD),
        np.uint64(increment >> 64),
        np.uint64(increment & _WORD),
        np.bool_(state["has_uint32"]),
        np.uint32(state["uinteger"]),
    )


def set_state(bits: np.random.PCG64, fields: dict[str, Any]) -> None:
    """Put `bits` into the state that `fields` say."""
    words = {name: int(fields[name]) for name in FIELDS}
    bits.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": words["high"] << 64 | words["low"],
            "inc": words["inc_high"] << 64 | words["inc_low"],
        },
        "has_uint32": words["full"],
        "uinteger": words["half"],
    }
