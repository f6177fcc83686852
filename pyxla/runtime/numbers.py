"""Long lists of Python numbers among arguments: one array each, where nobody needs their values."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from pyxla.ir.types import PYTHON_DTYPES

Path = tuple[Any, ...]

# Lists of more numbers than this are one leaf.
LONG = 64
# Lists are looked for numbers so deep.
_DEPTH = 8
# The step that says that the items of a list are leaves of their own.
ITEMS = "items"


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
        seen.update(map(id, x))
        if set(map(type, x)) != {list} or len(set(map(len, x))) > 1:
            return None
        if len(seen) != 1 + sum(itertools.accumulate(shape, operator.mul)):
            return None
        shape.append(len(x[0]))
        x = list(itertools.chain.from_iterable(x))
    return tuple(shape), x


def numbers_of(x: Any) -> np.ndarray | None:
    """A long list of Python numbers of one type, or lists of such, as an array; None of anything
    else."""
    found = flattened(x)
    if found is None:
        return None
    shape, numbers = found
    kinds = set(map(type, numbers))
    (kind,) = kinds if len(kinds) == 1 else (None,)
    if kind is not int and kind is not float and kind is not complex:
        return None
    try:
        return np.array(numbers, PYTHON_DTYPES[kind]).reshape(shape)
    except OverflowError:  # which is said of the number, when it is a leaf
        return None


def rows_of(x: list[Any], ndim: int, steps: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """The lists in nested lists of so many dimensions, with the steps to each."""
    for i, row in enumerate(x) if ndim > 1 else ():
        yield (*steps, i), row
        yield from rows_of(row, ndim - 1, (*steps, i))
