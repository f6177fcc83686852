"""Seeds: O'Neill's `seed_seq_fe` ("Developing a seed_seq alternative", 2015) with a pool of four
words, as `np.random.SeedSequence` has it, and the start of PCG64 from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.lib.operands import as_array, cast
from pyxla.lib.random.leaps import U64, Wide, outputs, plus

_U32 = np.dtype(np.uint32)
_MASK = 0xFFFFFFFF


class _Hash:
    """Multiplication and shift, with another multiplier at each use."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self.constant = constant
        self.multiplier = multiplier

    def __call__(self, word: Any) -> Any:
        word = word ^ self.constant
        self.constant = self.constant * self.multiplier & _MASK
        word = word * self.constant
        return word ^ word >> 16


def _mix(x: Any, y: Any) -> Any:
    mixed = x * 0xCA01F9DD - y * 0x4973F715
    return mixed ^ mixed >> 16


def _words(seed: Array) -> list[Any]:
    """Eight words made of a seed of up to 64 bits."""
    wide = Array(cast(seed.value, U64))
    entropy = [Array(cast((wide & _MASK).value, _U32)), Array(cast((wide >> 32).value, _U32))]
    zero = as_array(np.uint32(0))
    hashed = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word) for word in [*entropy, zero, zero]]
    for source in range(4):
        for target in range(4):
            if source != target:
                pool[target] = _mix(pool[target], hashed(pool[source]))
    spread = _Hash(0x8B51F9DD, 0x58F38DED)
    return [spread(pool[k % 4]) for k in range(8)]


def seeded(seed: Array) -> tuple[Wide, Wide]:
    """The state and the increment of `np.random.PCG64(seed)` for an i64 known at run time."""
    words = [Array(cast(word.value, U64)) for word in _words(seed)]
    high, low, inc_high, inc_low = [a | b << 32 for a, b in zip(words[::2], words[1::2])]
    increment = inc_high << 1 | inc_low >> 63, inc_low << 1 | 1
    # From state 0 one step, the seed added, one step more.
    first = plus(increment, (high, low))
    _, state_high, state_low = outputs(first, increment, 1)
    return (state_high, state_low), increment
