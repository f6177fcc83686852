"""Bounded integers: Lemire, "Fast random integer generation in an interval" (2019), in the widths
and with the buffering NumPy uses."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from pyxla.lib.random.pcg64 import product_high
from pyxla.lib.random.words import next32, next64


@dataclasses.dataclass(slots=True)
class Buffer:
    """Bits of the last 32 drawn that one call of `integers` has not used yet: `left` numbers."""

    word: Any
    left: Any


def below(bits: Any, span: Any) -> Any:
    """A u64 of 0 to `span`, both included."""
    if span <= 0xFFFFFFFF:
        return np.uint64(below32(bits, np.uint32(span)))
    if span == 0xFFFFFFFFFFFFFFFF:
        return next64(bits)
    count = span + np.uint64(1)
    threshold = (np.uint64(0xFFFFFFFFFFFFFFFF) - span) % count
    accepted, word = False, np.uint64(0)
    while not accepted:
        word = next64(bits)
        accepted = bool(word * count >= threshold)
    return product_high(word, count)


def below32(bits: Any, span: Any) -> Any:
    """A u32 of 0 to `span`, both included."""
    if span == 0:
        return np.uint32(0)
    # With a count of 2**32 the product's upper half is the word, and nothing is rejected.
    count = np.uint64(span) + np.uint64(1)
    threshold = (np.uint64(0xFFFFFFFF) - np.uint64(span)) % count
    accepted: Any = False
    scaled = np.uint64(0)
    while not accepted:
        scaled = np.uint64(next32(bits)) * count
        accepted = bool(scaled & 0xFFFFFFFF >= threshold)
    return np.uint32(scaled >> 32)


def below_narrow(bits: Any, buffer: Any, span: Any, width: int) -> Any:
    """A u32 of 0 to `span`, both included, of `width` bits: 1, 8 or 16."""
    if span == 0:
        return np.uint32(0)
    largest = 2**width - 1
    count = span + np.uint32(1)
    threshold = (largest - span) % count
    accepted, scaled = False, np.uint32(0)
    while not accepted:
        scaled = _next_narrow(bits, buffer, width) * count
        accepted = bool(scaled & largest >= threshold)
    return scaled >> width


def _next_narrow(bits: Any, buffer: Any, width: int) -> Any:
    if buffer.left == 0:
        buffer.word = next32(bits)
        buffer.left = np.int64(32 // width - 1)
    else:
        buffer.word = buffer.word >> width
        buffer.left = buffer.left - 1
    return buffer.word & (2**width - 1)


def interval(bits: Any, largest: Any) -> Any:
    """A u32 of 0 to `largest`, by rejection under a mask: what NumPy shuffles with."""
    mask = largest
    for shift in (1, 2, 4, 8, 16):
        mask = mask | mask >> shift
    value, accepted = np.uint32(0), bool(largest == 0)
    while not accepted:
        value = next32(bits) & mask
        accepted = bool(value <= largest)
    return value


def masked(bits: Any, span: Any) -> Any:
    """A u64 of 0 to `span`, both included, by rejection under a mask."""
    if span <= 0xFFFFFFFF:
        return np.uint64(interval(bits, np.uint32(span)))
    mask = span
    for shift in (1, 2, 4, 8, 16, 32):
        mask = mask | mask >> shift
    value, accepted = np.uint64(0), False
    while not accepted:
        value = next64(bits) & mask
        accepted = bool(value <= span)
    return value


def masked_narrow(bits: Any, buffer: Any, span: Any, width: int) -> Any:
    """The same as a u32 of `width` bits: 1, 8 or 16."""
    mask = span
    for shift in (1, 2, 4, 8):
        mask = mask | mask >> shift
    value = span + np.uint32(span != 0)
    while value > span:
        value = _next_narrow(bits, buffer, width) & mask
    return value
