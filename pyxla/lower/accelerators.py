"""What accelerators do otherwise than NumPy unless they are asked not to.

Products of 32-bit floats multiply numbers of 11 bits (TF32) or 8 (bfloat16):

    %y = dot_general(%a, %b)       ->   %y = dot_general(%a, %b) {precision = HIGHEST}

What a program asks for itself stays.  Where a scatter writes to one place several times, in an
order that nobody knows, all write what the last one has:

    %y = scatter(%x, %i, %u)       ->   %n = the number of the last that writes to the place of each
                                        %y = scatter(%x, %i, %u[%n])
"""

from __future__ import annotations

import math

from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import clone_region, rewrite, walk
from pyxla.ops.contract import dot_general
from pyxla.ops.convolution import convolution
from pyxla.ops.index import batch_shape, gather_along, last_writers, scatter
from pyxla.ops.shape import reshape

PRODUCTS = (dot_general, convolution)
WIDE = ("float32", "complex64")


def as_numpy(region: Region, precision: str) -> Region:
    """The region, or a copy, that does on an accelerator what NumPy does.

    precision: of products of 32-bit floats, where the program leaves it open.
    """
    if not any(_is_open(instr) or _is_disputed(instr) for instr in walk(region.instrs)):
        return region

    def decide(instr: Instr) -> None:
        if _is_open(instr) and precision != "DEFAULT":
            instr.attrs = {**instr.attrs, "precision": precision}
        elif _is_disputed(instr):
            _settle(instr)

    return rewrite(clone_region(region, {}), (*PRODUCTS, scatter), decide)


def _is_open(instr: Instr) -> bool:
    """Whether it is a product of which the program does not say how precise it is to be."""
    if instr.op not in PRODUCTS or instr.attrs.get("precision", "DEFAULT") != "DEFAULT":
        return False
    return instr.results[0].type.dtype.name in WIDE


def _is_disputed(instr: Instr) -> bool:
    """Whether it may write to one place several times."""
    if instr.op is not scatter or instr.attrs["computation"] != "update":
        return False
    if len(instr.operands) != 3 or instr.attrs.get("unique_indices", False):
        return False
    return math.prod(batch_shape(instr.operands[1].type.shape, instr.attrs["index_vector_dim"])) > 1


def _settle(instr: Instr) -> None:
    updates = instr.operands[2]
    flat = (updates.type.size,)
    content = gather_along(reshape(updates, shape=flat), reshape(last_writers(instr), shape=flat))
    instr.operands = (*instr.operands[:2], reshape(content, shape=updates.type.shape))
