"""The Mersenne Twister (Matsumoto & Nishimura, "Mersenne Twister: a 623-dimensionally
equidistributed uniform pseudo-random number generator", 1998), of `np.random.RandomState` and of
Python's `random`, in the compiled language.

`bits` has the fields

    key     u32[624]: the block of words that numbers are made of
    pos     i64: how many of them are used up
    lazy    bool: of this block, only those are made that are used up; the rest are of the last one

The originals make a block at once; here each word is made when it is drawn, so that a draw touches
four words of the array and not all of them.  `completed` makes the rest, when the program is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS, FAR = 624, 397
UPPER, LOWER, TWIST = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
DOUBLE_UNIT = 2.0**-53


def next32(bits: Any) -> Any:
    """The next 32 random bits."""
    used_up = bits.pos == WORDS
    at = np.int64(0) if used_up else bits.pos
    bits.lazy = bits.lazy | used_up
    key = bits.key
    after = np.int64(0) if at == WORDS - 1 else at + 1
    far = at + FAR if at < WORDS - FAR else at + (FAR - WORDS)
    both = (key[at] & UPPER) | (key[after] & LOWER)
    made = key[far] ^ (both >> 1) ^ (both & 1) * TWIST
    word = made if bits.lazy else key[at]
    key[at] = word
    bits.pos = at + 1
    word = word ^ word >> 11
    word = word ^ (word << 7 & np.uint32(0x9D2C5680))
    word = word ^ (word << 15 & np.uint32(0xEFC60000))
    return word ^ word >> 18


def next64(bits: Any) -> Any:
    """The next 64, the upper half first."""
    high = np.uint64(next32(bits))
    return high << 32 | np.uint64(next32(bits))


def next_double(bits: Any) -> Any:
    """A multiple of 2**-53 in [0, 1)."""
    high = np.int64(next32(bits) >> 5)
    return np.float64(high << 26 | np.int64(next32(bits) >> 6)) * DOUBLE_UNIT


def getrandbits(bits: Any, count: Any) -> Any:
    """A Python int of so many bits, up to 63: the lower words first."""
    if count == 0:
        return 0
    low = next32(bits)
    if count <= 32:
        return int(low >> np.uint32(32 - count))
    high = int(next32(bits) >> np.uint32(64 - count))
    return (high & 2**31 - 1) << 32 | int(low)


def seed_by_number(key: Any, seed: Any) -> Any:
    """Fill `key` from one u32."""
    word = seed
    for i in range(WORDS):
        key[i] = word
        word = np.uint32(1812433253) * (word ^ word >> 30) + np.uint32(i + 1)
    return key


def seed_by_words(key: Any, words: Any, count: Any) -> Any:
    """Fill `key` from the first `count` of `words`, u32."""
    seed_by_number(key, np.uint32(19650218))
    i, j = np.int64(1), np.int64(0)
    for _ in range(max(WORDS, len(words))):
        mixed = np.uint32(1664525) * (key[i - 1] ^ key[i - 1] >> 30)
        key[i] = (key[i] ^ mixed) + words[j] + np.uint32(j)
        i, j = i + 1, j + 1
        if i == WORDS:
            key[0] = key[WORDS - 1]
            i = np.int64(1)
        if j == count:
            j = np.int64(0)
    for _ in range(WORDS - 1):
        mixed = np.uint32(1566083941) * (key[i - 1] ^ key[i - 1] >> 30)
        key[i] = (key[i] ^ mixed) - np.uint32(i)
        i = i + 1
        if i == WORDS:
            key[0] = key[WORDS - 1]
            i = np.int64(1)
    key[0] = UPPER
    return key


def completed(key: np.ndarray, pos: int) -> np.ndarray:
    """`key` with the words from `pos` on made as well, by NumPy."""
    key = np.array(key)
    # The word 227 before is needed, and is of the same block.
    for stop in (WORDS - FAR, 2 * (WORDS - FAR), WORDS - 1, WORDS):
        if pos < stop:
            at = np.arange(pos, stop)
            both = (key[at] & UPPER) | (key[(at + 1) % WORDS] & LOWER)
            key[at] = key[(at + FAR) % WORDS] ^ both >> 1 ^ (both & 1) * TWIST
            pos = stop
    return key
