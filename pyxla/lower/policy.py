"""`compile(precision=...)`: products of matrices and convolutions of what has fewer bits.

    %y = dot_general(%a: f32, %b)   ->   %c = convert(%a) dtype=bf16, and back
                                         %d = the same of %b
                                         %y = dot_general(%c, %d) {precision = bf16} : f32

What is multiplied is rounded, and the sums have the bits that they had.  Accelerators multiply the
narrow numbers themselves; where code for CPUs makes loops of a product, they are those as well.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Function, Instr, Value
from pyxla.lib.operands import cast
from pyxla.lower.accelerators import PRODUCTS
from pyxla.ops.contract import NARROW
from pyxla.ops.scope import slope_of

POLICIES = {"bfloat16": "bf16", "float16": "f16", "tf32": "HIGH"}  # by the names of attributes
_WIDE = ("float32", "float64")


def multiply_in(function: Function, policy: str) -> None:
    """Round the factors of the products of a typed function as `policy` asks for."""
    for block in function.blocks:
        block.instrs[:] = _rewritten(block.instrs, POLICIES[policy])


def _rewritten(instrs: Iterable[Instr], precision: str) -> list[Instr]:
    code: list[Instr] = []
    for instr in instrs:
        for region in instr.regions:
            region.instrs[:] = _rewritten(region.instrs, precision)
        if instr.op in PRODUCTS and instr.attrs.get("precision", "DEFAULT") == "DEFAULT":
            _decide(code, instr, precision)
        code.append(instr)
    return code


def _decide(code: list[Instr], instr: Instr, precision: str) -> None:
    dtype = instr.results[0].type.dtype
    if dtype.name not in _WIDE:
        return
    if precision in NARROW:
        narrow = np.dtype(NARROW[precision])
        with building(Builder(code, instr.loc)):
            instr.operands = tuple([_rounded(x, narrow) for x in instr.operands])
    if dtype == np.float32:
        instr.attrs = {**instr.attrs, "precision": precision}


def _rounded(x: Value, narrow: np.dtype) -> Value:
    """A factor as a number of fewer bits; its derivatives are those of the number that it was."""
    return slope_of(cast(cast(x, narrow), x.type.dtype), x)
