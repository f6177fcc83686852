"""The reference interpreter: runs a typed region with the NumPy facets of its ops.

It is what tests compare compiled code with, and what folds constants.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Region, Value


def evaluate(
    region: Region, arguments: Sequence[np.ndarray], outer: Mapping[Value, np.ndarray] | None = None
) -> tuple[np.ndarray, ...]:
    """The results of `region` on `arguments`; `outer` has the values of enclosing scopes."""
    values = dict(outer or {})
    values.update(zip(region.params, arguments, strict=True))
    for instr in region.instrs:
        results = evaluate_instr(instr, values)
        values.update(zip(instr.results, results, strict=True))
    return tuple([values[value] for value in region.results])


def evaluate_instr(instr: Instr, values: Mapping[Value, np.ndarray]) -> list[np.ndarray]:
    """The results of one instruction, given the values of its operands."""
    attrs: dict[str, Any] = dict(instr.attrs)
    if instr.regions:
        attrs["regions"] = tuple(
            [functools.partial(_run, region, values) for region in instr.regions]
        )
    with np.errstate(all="ignore"):
        made = instr.op.numpy(*[values[value] for value in instr.operands], **attrs)
    results = made if isinstance(made, tuple) else (made,)
    return [np.asarray(result) for result in results]


def _run(
    region: Region, outer: Mapping[Value, np.ndarray], *arguments: np.ndarray
) -> tuple[np.ndarray, ...]:
    return evaluate(region, arguments, outer)
