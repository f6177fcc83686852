"""Arrays of numbers drawn one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.lib.random.integers import below, below32, below_narrow, interval, masked, masked_narrow


def filled(source: Any, draw: Any, out: Any, params: Any) -> Any:
    """Fill the 1-d `out` with draws of equal parameters."""
    for i in range(len(out)):
        out[i] = draw(source, *params)
    return out


def filled_rows(source: Any, draw: Any, out: Any, params: Any) -> Any:
    """As `filled`, where data decides how many there are, of any number of dimensions."""
    if out.ndim == 1:
        return filled(source, draw, out, params)
    for i in range(len(out)):
        filled_rows(source, draw, out[i], params)
    return out


def filled_each(source: Any, draw: Any, out: Any, params: Any) -> Any:
    """Fill the 1-d `out`; the parameters of each are in 1-d arrays."""
    for i in range(len(out)):
        out[i] = draw(source, *[x[i] for x in params])
    return out


def filled_below(bits: Any, out: Any, span: Any, width: int, buffer: Any, legacy: bool) -> Any:
    """Fill the 1-d unsigned `out` with numbers of 0 to `span`, both included."""
    for i in range(len(out)):
        out[i] = _below(bits, span, width, buffer, legacy)
    return out


def filled_below_each(bits: Any, out: Any, span: Any, width: int, buffer: Any, legacy: bool) -> Any:
    """Fill the 1-d unsigned `out` with numbers of 0 to span[i], both included."""
    for i in range(len(out)):
        out[i] = _below(bits, span[i], width, buffer, legacy)
    return out


def filled_between(
    bits: Any, out: Any, span: Any, width: int, buffer: Any, legacy: bool, dtype: Any, least: Any
) -> Any:
    """Numbers from `least`, as many as `out` has, of which data decides that."""
    if out.ndim == 1:
        filled_below(bits, out, span, width, buffer, legacy)
        return out.astype(dtype) | least if width == 1 else out.astype(dtype) + least
    found = np.empty(out.shape, dtype)
    for i in range(len(out)):
        found[i] = filled_between(bits, out[i], span, width, buffer, legacy, dtype, least)
    return found


def _below(bits: Any, span: Any, width: int, buffer: Any, legacy: bool) -> Any:
    if width == 64:
        return masked(bits, span) if legacy else below(bits, span)
    if width == 32:
        return interval(bits, span) if legacy else below32(bits, span)
    if legacy:
        return masked_narrow(bits, buffer, span, width)
    return below_narrow(bits, buffer, span, width)
