"""Lowered functions to SSA: pruned phis where definitions meet, loops closed at their exits.

Phi placement after Cytron et al., "Efficiently Computing Static Single Assignment Form and the
Control Dependence Graph" (1991), restricted to live names.  The graph handed on has

    no critical edges: the targets of a `Branch` have one predecessor each, so that every edge that
        leaves a loop ends in a block of its own, whose one predecessor is inside the loop
    one entry predecessor of every loop header (`preds[0]`), and one latch (`preds[1]`)
    loop-closed values: a name assigned in a loop and live after it has a phi in the exit block
    boxes for names shared with nested functions, made in the entry block; all else is values
    a pad for each block inside a `try` and for each `try` around it: a block of its own, that the
        block's exceptions lead to with the names as the block found them
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pyxla.errors import Location
from pyxla.frontend import fence, final, remainders
from pyxla.frontend.cfg import Graph, as_written, control_flow_graph
from pyxla.frontend.desugar import Lowered, desugar
from pyxla.frontend.pyops import BOUND, UNBOUND
from pyxla.frontend.source import SourceFunction, once
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Branch, Function, Instr, Phi, Raise, Return, Value
from pyxla.ir.dominance import FlowGraph, dominance_frontiers, flow_graph


@dataclass(frozen=True, eq=False, slots=True)
class SSA:
    """One function in SSA form and what inference asks of its graph.

    function: blocks in a reverse postorder with contiguous loops, `function.params` in the order
        of `source.params`.  flow: `order`, `idom`, `loops` (header -> Loop) and `wto`.
    live_in: block -> values (keys, fixed order) that are defined above it and needed in or below;
        parameters count as defined above the entry.
    generator: whether a call makes a generator.
    freevars: names whose boxes the closure brings, in order (`free_box {name}` reads them).
    """

    source: SourceFunction
    function: Function
    flow: FlowGraph
    live_in: dict[Block, dict[Value, None]]
    freevars: tuple[str, ...]
    generator: bool = False


@once("ssa")
def to_ssa(source: SourceFunction) -> SSA:
    """The SSA form of a function."""
    try:
        lowered = desugar(source)
        return ssa_of(source, lowered, control_flow_graph(source, lowered))
    except RecursionError:
        raise fence.too_deep(source.loc) from None


def ssa_of(source: SourceFunction, lowered: Lowered, graph: Graph) -> SSA:
    """The SSA form of a graph of a function."""
    flow = flow_graph(graph.entry)
    renaming = Renaming(graph, flow, source.loc)
    renaming.place_phis()
    renaming.rename()
    renaming.substitute()
    renaming.live_in[graph.entry] = dict.fromkeys(graph.params)
    remainders.mark(flow.order)
    final.mark(flow.order, lowered.scope)
    function = Function(source.qualname, graph.params, list(flow.order), source.loc)
    free, scope = source.freevars, lowered.scope
    return SSA(source, function, flow, renaming.live_in, free, scope.generator)


def live_names(graph: Graph, order: Sequence[Block]) -> tuple[list[str], dict[Block, int]]:
    """The names that cross blocks, and the set of those live into each block, as bits; with what
    the block sets first."""
    bit: dict[str, int] = {}
    for block in order:
        for name in graph.names[block].reads:
            bit.setdefault(name, 1 << len(bit))
    uses, keeps, firsts = {}, {}, {}
    for block in order:
        names = graph.names[block]
        uses[block] = sum([bit[name] for name in names.reads])
        keeps[block] = ~sum([bit[name] for name in names.writes if name in bit])
        firsts[block] = ~sum([bit[name] for name in names.first if name in bit])
    live = dict.fromkeys(order, 0)
    arriving = live.copy()
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            out = 0
            for succ in block.terminator.targets if block.terminator else ():
                out |= arriving[succ]
            new = uses[block] | (out & keeps[block])
            for pad in block.pads:
                new |= live[pad]
            if new != live[block]:
                live[block] = new
                arriving[block] = new & firsts[block]
                changed = True
    return list(bit), live


class Renaming:
    """Replaces names by values: places phis, walks the dominator tree, fills placeholders."""

    def __init__(self, graph: Graph, flow: FlowGraph, loc: Location) -> None:
        self.graph = graph
        self.flow = flow
        self.loc = loc
        self.crossing, self.live = live_names(graph, flow.order)
        self.phis: dict[Block, dict[str, Phi]] = {block: {} for block in flow.order}
        self.live_in: dict[Block, dict[Value, None]] = {}
        self.reaching: dict[str, list[Value]] = {name: [] for name in self.crossing}
        self.unbound: dict[str, Value] = {}
        self.filled: dict[Value, Value] = {}

    def place_phis(self) -> None:
        """Phis where several definitions of a live name meet, and where one leaves its loop."""
        sites = self._sites()
        definitions: dict[str, list[Block]] = {name: [] for name in self.crossing}
        for block in self.flow.order:
            names = self.graph.names[block]
            for name in (*names.writes, *names.first):
                if name in definitions:
                    definitions[name].append(block)
        for index, (name, work) in enumerate(definitions.items()):
            bit = 1 << index
            while work:
                for site in sites[work.pop()]:
                    if self.live[site] & bit and name not in self.phis[site]:
                        self.phis[site][name] = Phi(site, None, name, self.loc)
                        work.append(site)
        for block, phis in self.phis.items():
            placed = [phis[name] for name in self.crossing if name in phis] if phis else []
            block.phis = [*block.phis, *placed]

    def _sites(self) -> dict[Block, list[Block]]:
        """block -> where a definition in it may need a phi: its frontier, and its loops' exits."""
        sites = dominance_frontiers(self.flow.order, self.flow.idom)
        for loop in self.flow.loops.values():
            targets = list(dict.fromkeys([target for _, target in loop.exits]))
            for block in loop.blocks:
                sites[block] = sites[block] + targets
        return sites

    def rename(self) -> None:
        """Walk the dominator tree with the definitions that reach each block."""
        children: dict[Block, list[Block]] = {block: [] for block in self.flow.order}
        for block in self.flow.order[1:]:
            children[self.flow.idom[block]].append(block)
        work: list[tuple[Block, list[str] | None]] = [(self.flow.order[0], None)]
        while work:
            block, defined = work.pop()
            if defined is not None:
                for name in defined:
                    self.reaching[name].pop()
                continue
            work.append((block, self._enter(block)))
            work += [(child, None) for child in reversed(children[block])]

    def _enter(self, block: Block) -> list[str]:
        """Rename one block; the result is the names that it defines."""
        phis, names = self.phis[block], self.graph.names[block]
        defined = list(phis)
        for name, phi in phis.items():
            self.reaching[name].append(phi.value)
        defined += self._set(names.first)
        self.live_in[block] = self._live_values(block, phis)
        for name, placeholder in names.reads.items():
            self.filled[placeholder] = self._reach(name)
        self._give(block, block.pads)
        defined += self._set({name: names.values[name] for name in names.writes})
        self._give(block, block.terminator.targets if block.terminator else ())
        return defined

    def _set(self, values: dict[str, Value]) -> list[str]:
        """Let these definitions reach what follows; their names, as far as they matter."""
        crossing = [name for name in values if name in self.reaching]
        for name in crossing:
            value = values[name]
            self.reaching[name].append(self.filled.get(value, value))
        return crossing

    def _give(self, block: Block, targets: Sequence[Block]) -> None:
        """The operands of phis on the edges to `targets`: the definitions that are there now."""
        for target in targets:
            for name, phi in self.phis[target].items():
                phi.args[block] = self._reach(name)

    def _live_values(self, block: Block, phis: dict[str, Phi]) -> dict[Value, None]:
        live = self.live[block]
        values: dict[Value, None] = {}
        while live:
            low = live & -live
            live ^= low
            name = self.crossing[low.bit_length() - 1]
            if name not in phis:
                values[self._reach(name)] = None
        return values

    def _reach(self, name: str) -> Value:
        """The definition that arrives; where none may, a mark of that in the entry."""
        stack = self.reaching[name]
        if stack:
            return stack[-1]
        value = self.unbound.get(name)
        if value is None:
            op: Any = UNBOUND
            instr = Instr(op, (), {"name": as_written(name)}, (), self.loc)
            value = self.unbound[name] = Value(None, instr, name)
            instr.results = (value,)
            self.graph.entry.instrs.insert(0, instr)
        return value

    def substitute(self) -> None:
        """Put the values that were found in the place of placeholders, and leave out the tests of
        names that have a value on every path."""
        filled, missing = self.filled, self._missing()
        bound: Any = BOUND
        for block in self.flow.order:
            names = self.graph.names[block]
            if not (names.reads or names.first):
                continue
            tests: set[Instr] = set()
            for instr in block.instrs:
                operands = instr.operands
                if instr.op is bound and filled.get(operands[0], operands[0]) not in missing:
                    tests.add(instr)
                for value in operands:
                    if value in filled:
                        instr.operands = tuple([filled.get(v, v) for v in operands])
                        break
            if tests:
                block.instrs = [instr for instr in block.instrs if instr not in tests]
            end = block.terminator
            if isinstance(end, Branch):
                end.cond = filled.get(end.cond, end.cond)
            elif isinstance(end, (Return, Raise)):
                end.operands = tuple([filled.get(v, v) for v in end.operands])

    def _missing(self) -> set[Value]:
        """The values of names that have none on some path."""
        found = {
            instr.result
            for block in self.flow.order
            for instr in block.instrs
            if instr.op is cast(Any, UNBOUND)
        }
        grows = bool(found)
        while grows:
            grows = False
            for phis in self.phis.values():
                for phi in phis.values():
                    if phi.value not in found and not found.isdisjoint(phi.args.values()):
                        found.add(phi.value)
                        grows = True
        return found
