"""Products of 32-bit floats as NumPy rounds them: accelerators multiply numbers of 11 bits (TF32)
or 8 (bfloat16), unless they are asked for what the operands hold.

    %y = dot_general(%a, %b)   ->   %y = dot_general(%a, %b) {precision = HIGHEST}

A CPU has no other product.  What a program asks for itself stays.
"""

from __future__ import annotations

from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import clone_region, walk
from pyxla.ops.contract import dot_general
from pyxla.ops.convolution import convolution

PRODUCTS = (dot_general, convolution)
WIDE = ("float32", "complex64")


def precise_products(region: Region, precision: str) -> Region:
    """The region, or a copy, with products of that precision where it leaves it open."""
    if precision == "DEFAULT" or not any(_is_open(instr) for instr in walk(region.instrs)):
        return region
    region = clone_region(region, {})
    for instr in walk(region.instrs):
        if _is_open(instr):
            instr.attrs = {**instr.attrs, "precision": precision}
    return region


def _is_open(instr: Instr) -> bool:
    """Whether it is a product of which the program does not say how precise it is to be."""
    if instr.op not in PRODUCTS or instr.attrs.get("precision", "DEFAULT") != "DEFAULT":
        return False
    return instr.results[0].type.dtype.name in WIDE
