"""Long lists of Python numbers among arguments: one array each, where nobody needs their values."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pyxla.ir.types import PYTHON_DTYPES

Path = tuple[Any, ...]
Convert = Callable[[list[Any]], "np.ndarray | None"]

# Lists of more numbers than this are one leaf.
LONG = 64
# Lists of lists of several lengths are leaves where they have more rows and numbers than this.
_FEW = 24
# How long rows are at least, which are as long as the next power of two, so that other lists have
# the same signature; and how many times the numbers all rows may be together.
_LEAST, _SPARSE = 4, 64
# Lists are looked for numbers so deep.
_DEPTH = 8
# The step that says that the items of a list are leaves of their own.
ITEMS = "items"
# The step that says that an int which is not negative has 64 bits (`infer.words`), where it does:
# the leaf is so much less, an int64.
WORD = "word"
WORD_AT = 1 << 63
# The step that says that what an int is at most is known: a power of four, and this at least.
MOST = "most"
LEAST_MOST = 16


def is_word(x: Any) -> bool:
    """Whether it is an int from 0 to 2**64."""
    return type(x) is int and 0 <= x < 2 * WORD_AT


def most_of(x: int) -> int:
    """What an int is at most, where that is known: others that are near have the same bound, and so
    the same program."""
    most = LEAST_MOST
    while most < x:
        most *= 4
    return most


def flattened(x: Any) -> tuple[tuple[int, ...], list[Any]] | None:
    """The shape of a long list, or of lists in lists that are of one length, each at one place and
    many together; and what is in them.  None of anything else."""
    first, size = x, 1
    for _ in range(_DEPTH):
        if type(first) is not list or not first:
            break
        first, size = first[0], size * len(first)
    if type(x) is not list or size <= LONG or type(first) is list:
        return None
    shape, seen = [len(x)], {id(x)}
    while type(x[0]) is list:
        if set(map(type, x)) != {list} or len(set(map(len, x))) > 1:
            return None
        seen.update(map(id, x))
        if len(seen) != 1 + sum(itertools.accumulate(shape, operator.mul)):
            return None
        shape.append(len(x[0]))
        x = list(itertools.chain.from_iterable(x))
    return tuple(shape), x


def array_of_numbers(numbers: list[Any]) -> np.ndarray | None:
    """An array of Python numbers, or bools, of one type, of ints that are words without a sign;
    None of anything else."""
    kinds = set(map(type, numbers))
    (kind,) = kinds if len(kinds) == 1 else (None,)
    if kind not in PYTHON_DTYPES:
        return None
    try:
        return np.fromiter(numbers, PYTHON_DTYPES[kind], len(numbers))
    except OverflowError:  # which is said of the number, when it is a leaf
        words = min(numbers) >= 0 and max(numbers) < 2 * WORD_AT
        return np.fromiter(numbers, np.uint64, len(numbers)) if words else None


def numbers_of(x: Any, array: Convert = array_of_numbers) -> tuple[np.ndarray, ...] | None:
    """The leaves of a long list of Python numbers of one type, or of lists of such: an array; where
    the lists in it are of several lengths, an array with room for the longest, and the lengths.
    None of anything else."""
    if (found := flattened(x)) is not None:
        shape, numbers = found
        made = array(numbers)
        if made is None or made.dtype != np.uint64 or not shape[1:]:
            return None if made is None else (made.reshape(shape),)
    return _ragged(x, array)


def _ragged(x: Any, array: Convert) -> tuple[np.ndarray, np.ndarray] | None:
    """As `numbers_of`, of lists of several lengths in a list."""
    if type(x) is not list or set(map(type, x)) != {list} or len(set(map(id, x))) < len(x):
        return None
    lengths = list(map(len, x))
    total = sum(lengths)
    capacity = max(_LEAST, 1 << max(max(lengths) - 1, 0).bit_length())
    if total + len(x) <= _FEW or capacity * len(x) > _SPARSE * (total + LONG):
        return None
    if (numbers := array(list(itertools.chain.from_iterable(x)))) is None:
        return None
    sizes = np.array(lengths, np.int64)
    held = np.zeros((len(x), capacity), numbers.dtype)
    held[np.arange(capacity) < sizes[:, None]] = numbers
    return held, sizes


def lists_in(x: list[Any], ndim: int) -> list[Any]:
    """The lists in nested lists of so many dimensions."""
    found = list(x) if ndim > 1 else []
    for _ in range(2, ndim):
        x = list(itertools.chain.from_iterable(x))
        found += x
    return found


def rows_of(x: list[Any], steps: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """The lists in nested lists of numbers, with the steps to each."""
    for i, row in enumerate(x):
        if type(row) is not list:
            break
        yield (*steps, i), row
        yield from rows_of(row, (*steps, i))
