"""Liveness of any graph of blocks: what that of `to_ssa`, found while it renames, is compared with.

Paths are explored from each use up to the definition (Boissinot et al. 2011), uses of a phi being
on its edges.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.ir.core import Block, Value


def live_in(blocks: Sequence[Block]) -> dict[Block, dict[Value, None]]:
    """block -> the values (keys, in a fixed order) defined above it and used in it or below.

    A phi's operands are used at the end of the predecessors, its value is defined in its block.
    """
    home: dict[Value, Block] = {}
    for block in blocks:
        for phi in block.phis:
            home[phi.value] = block
        for instr in block.instrs:
            for value in instr.results:
                home[value] = block
    live: dict[Block, dict[Value, None]] = {block: {} for block in blocks}
    for block in blocks:
        for instr in block.instrs:
            for value in instr.operands:
                if home.get(value) is not block:
                    _mark_live(value, block, home.get(value), live)
        for value in block.terminator.operands if block.terminator else ():
            if home.get(value) is not block:
                _mark_live(value, block, home.get(value), live)
        for phi in block.phis:
            for pred, value in phi.args.items():
                if home.get(value) is not pred:
                    _mark_live(value, pred, home.get(value), live)
    return live


def _mark_live(
    value: Value, use: Block, home: Block | None, live: dict[Block, dict[Value, None]]
) -> None:
    """Make `value` live into `use` and everything between it and `home` (None: a parameter)."""
    work = [use]
    while work:
        block = work.pop()
        if block is home or value in live[block]:
            continue
        live[block][value] = None
        work.extend(block.preds)
