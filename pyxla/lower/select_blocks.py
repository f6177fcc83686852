"""Updates of large blocks as selections over the whole array, in code that is divided over devices.

    %y = dynamic_update_slice(%x, %v, 1)    ->    %y = select(1 <= iota < n, pad(%v), %x)

XLA's partitioner gathers what is updated along an axis that lies over devices, on each of them; of
what is padded and selected, neighbours exchange the edges.
"""

from __future__ import annotations

from pyxla.infer.arrays.blocks import Range, select_whole
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import Mapping, clone_region, ops_in, substitute_region
from pyxla.lower.rules import known
from pyxla.ops.index import dynamic_update_slice

SHARE = 2  # of the elements at least one in so many is written: the others are copied


def select_blocks(region: Region) -> Region:
    """The region, or a copy with such updates."""
    if dynamic_update_slice not in ops_in((region,)):
        return region
    region = clone_region(region, {})
    _rewrite(region)
    return region


def _rewrite(region: Region) -> None:
    code: list[Instr] = []
    mapping: Mapping = {}
    for instr in region.instrs:
        for inner in instr.regions:
            _rewrite(inner)
        lows = _known_place(instr)
        if lows is None:
            code.append(instr)
            continue
        x, new, *_ = instr.operands
        ranges = tuple([Range(low, n) for low, n in zip(lows, new.type.shape, strict=True)])
        with building(Builder(code, instr.loc)):
            mapping[instr.results[0]] = select_whole(x, new, ranges, lows)
    region.instrs[:] = code
    substitute_region(region, mapping)


def _known_place(instr: Instr) -> list[int] | None:
    """Where a large block is written; None where that is not known, or the block is small."""
    if instr.op is not dynamic_update_slice:
        return None
    x, new, *starts = instr.operands
    if SHARE * new.type.size < x.type.size:
        return None
    lows = [known(start) for start in starts]
    return None if any(low is None for low in lows) else [int(low) for low in lows]
