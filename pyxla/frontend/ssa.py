"""Lowered functions to SSA: pruned phis where definitions meet, loops closed at their exits.

Phi placement after Cytron et al., "Efficiently Computing Static Single Assignment Form and the
Control Dependence Graph" (1991), restricted to live names.  The graph handed on has

    no critical edges: the targets of a `Branch` have one predecessor each, so that every edge that
        leaves a loop ends in a block of its own, whose one predecessor is inside the loop
    one entry predecessor of every loop header (`preds[0]`), and one latch (`preds[1]`)
    loop-closed values: a name assigned in a loop and live after it has a phi in the exit block
    boxes for names shared with nested functions, made in the entry block; all else is values
"""

from __future__ import annotations

from dataclasses import dataclass

from pyxla.frontend.source import SourceFunction
from pyxla.ir.core import Block, Function, Value
from pyxla.ir.dominance import FlowGraph


@dataclass(frozen=True, eq=False, slots=True)
class SSA:
    """One function in SSA form and what inference asks of its graph.

    function: blocks in a reverse postorder with contiguous loops, `function.params` in the order
        of `source.params`.  flow: `order`, `idom`, `loops` (header -> Loop) and `wto`.
    live_in: block -> values (keys, fixed order) that are defined above it and needed in or below;
        parameters count as defined above the entry.
    freevars: names whose boxes the closure brings, in order (`free_box {name}` reads them).
    """

    source: SourceFunction
    function: Function
    flow: FlowGraph
    live_in: dict[Block, dict[Value, None]]
    freevars: tuple[str, ...]
    cellvars: tuple[str, ...]


def to_ssa(source: SourceFunction) -> SSA:
    """The SSA form of a function, made once."""
    raise NotImplementedError
