"""Loops of NumPy functions that call the user's: Python that pyxla compiles."""

from __future__ import annotations

from typing import Any

import numpy as np


def vectorized(function: Any, outs: Any, rows: Any) -> None:
    """Fill 1-d `outs` with what `function` returns for Python scalars of 1-d `rows`."""
    for i in range(len(rows[0])):
        found = function(*[row[i].item() for row in rows])
        if len(outs) == 1:
            outs[0][i] = found
        else:
            for k in range(len(outs)):
                outs[k][i] = found[k]


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


def piecewise(x: Any, conditions: Any, functions: Any, args: Any, kwargs: Any) -> Any:
    """Each function of the elements where its condition holds, later ones last."""
    y = np.zeros_like(x)
    for k in range(len(conditions)):
        if callable(functions[k]):
            y[conditions[k]] = functions[k](x[conditions[k]], *args, **kwargs)
        else:
            y[conditions[k]] = functions[k]
    return y
