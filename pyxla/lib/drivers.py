"""Loops of NumPy functions that call the user's: Python that pyxla compiles."""

from __future__ import annotations

from typing import Any

import numpy as np


def vectorized(function: Any, outs: Any, rows: Any, first: Any) -> None:
    """Fill 1-d `outs` with what `function` returns for Python scalars of 1-d `rows`.

    first: its results for the first of them, in a tuple, or an empty one.
    """
    _put(outs, 0, first)
    for i in range(min(len(first), 1), len(rows[0])):
        found = function(*[row[i].item() for row in rows])
        _put(outs, i, (found,) if len(outs) == 1 else found)


def vectorized_parts(function: Any, outs: Any, rows: Any, first: Any) -> None:
    """As `vectorized`, of items of `rows`."""
    _put(outs, 0, first)
    for i in range(min(len(first), 1), len(rows[0])):
        found = function(*[row[i] for row in rows])
        _put(outs, i, (found,) if len(outs) == 1 else found)


def of_parts(function: Any, outs: Any, rows: Any) -> None:
    """Call `function` with items of `rows` and of `outs`, which it fills."""
    for i in range(len(outs[0])):
        function(*[row[i] for row in rows], *[out[i] for out in outs])


def _put(outs: Any, i: Any, found: Any) -> None:
    for k in range(len(found)):
        outs[k][i] = found[k]


def monotonicity(bins: Any) -> int:
    """1 where the bins of `np.digitize` rise, -1 where they fall, 0 otherwise."""
    if not np.any(bins[:-1] > bins[1:]):
        return 1
    return 0 if np.any(bins[:-1] < bins[1:]) else -1


def numbered(shape: tuple[int, ...], position: int, element: Any) -> Any:
    """An item of `np.ndenumerate`."""
    return indices(shape, position), element


def indices(shape: tuple[int, ...], position: int) -> Any:
    """Where the element at `position` of a flattened array is."""
    found: tuple[int, ...] = ()
    for extent in reversed(shape):
        found = (position % extent, *found)
        position = position // extent
    return found


def block(given: Any) -> Any:
    """`np.block` of lists of any lengths."""
    depth = _depth(given)
    return _joined(given, depth, depth)


def _depth(x: Any) -> int:
    if not isinstance(x, list):
        return 0
    if not x:
        raise ValueError("List at arrays cannot be empty")
    return 1 + _depth(x[0])


def _joined(x: Any, depth: int, ndim: int) -> Any:
    if not depth or (depth == 1 and np.ndim(x[0]) == 0):
        return np.array(x, ndmin=ndim)
    return np.concatenate([_joined(item, depth - 1, ndim) for item in x], -depth)


def matrix_power(a: Any, n: int) -> Any:
    """`np.linalg.matrix_power` by the bits of `n`, from the last."""
    a = np.asanyarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        return np.linalg.matrix_power(a, 0)  # which says what is wrong
    if n < 0:
        a, n = np.linalg.inv(a), -n
    result, first = np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype), True
    while n > 0:
        if n % 2:
            result = a if first else result @ a
            first = False
        n //= 2
        if n:
            a = a @ a
    return result
