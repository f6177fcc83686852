"""Orders, dominators and loops of control-flow graphs.

Vocabulary: *idom* immediate dominator, *frontier* dominance frontier, *wto* weak topological order,
*component* a loop in it.  Every result is deterministic: what is iterated is a list, a tuple or a
dict, never a set of blocks.  Nothing recurses, so that a function may have any number of lines.

Dominators after Cooper, Harvey & Kennedy, "A Simple, Fast Dominance Algorithm" (2001); loops after
Havlak, "Nesting of Reducible and Irreducible Loops" (1997), for reducible graphs (Python has no
other); the weak topological order of Bourdoncle, "Efficient Chaotic Iteration Strategies with
Widenings" (1993), is read off a reverse postorder in which loops are contiguous, instead of his
recursion.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from pyxla.errors import CompileError
from pyxla.frozen import dataclass
from pyxla.ir.core import Block

Successors = Callable[[Block], Sequence[Block]]


def reverse_postorder(
    entry: Block, succs: Successors = operator.attrgetter("succs")
) -> list[Block]:
    """The blocks reachable from `entry`, each before its successors but for retreating edges."""
    seen = {entry}
    postorder: list[Block] = []
    stack = [(entry, iter(reversed(succs(entry))))]
    while stack:
        block, rest = stack[-1]
        for succ in rest:
            if succ not in seen:
                seen.add(succ)
                stack.append((succ, iter(reversed(succs(succ)))))
                break
        else:
            postorder.append(block)
            stack.pop()
    postorder.reverse()
    return postorder


def _immediate_dominators(preds: Sequence[Sequence[int]]) -> list[int]:
    """Over nodes numbered in reverse postorder, node 0 the root; the root dominates itself."""
    idom = [-1] * len(preds)
    idom[0] = 0
    changed = True
    while changed:
        changed = False
        for node in range(1, len(preds)):
            new = -1
            for pred in preds[node]:
                if idom[pred] < 0:
                    continue
                if new < 0:
                    new = pred
                while new != pred:
                    if new > pred:
                        new = idom[new]
                    else:
                        pred = idom[pred]
            if idom[node] != new:
                idom[node] = new
                changed = True
    return idom


def immediate_dominators(order: Sequence[Block]) -> dict[Block, Block]:
    """idom of every block of a reverse postorder; the entry maps to itself."""
    number = {block: i for i, block in enumerate(order)}
    idom = _immediate_dominators([[number[p] for p in b.preds if p in number] for b in order])
    return {block: order[i] for block, i in zip(order, idom, strict=True)}


def dominance_frontiers(
    order: Sequence[Block], idom: Mapping[Block, Block]
) -> dict[Block, list[Block]]:
    """The blocks where the dominance of a block ends: where its definitions need phis."""
    frontiers: dict[Block, dict[Block, None]] = {block: {} for block in order}
    for block in order:
        if len(block.preds) < 2:
            continue
        for pred in block.preds:
            runner = pred
            while runner in frontiers and runner is not idom[block]:
                frontiers[runner][block] = None
                runner = idom[runner]
    return {block: list(frontier) for block, frontier in frontiers.items()}


def dominates(idom: Mapping[Block, Block], above: Block, below: Block) -> bool:
    """Whether every path from the entry to `below` passes `above`."""
    while below is not above:
        if idom[below] is below:
            return False
        below = idom[below]
    return True


@dataclass(eq=False, slots=True)
class Loop:
    """A natural loop: `blocks` (header first, in order) includes those of its `children`.

    exits: the edges (inside, outside) that leave it.  latches: sources of its back edges.
    """

    header: Block
    latches: tuple[Block, ...]
    blocks: dict[Block, None] = field(default_factory=dict)
    parent: Loop | None = None
    children: list[Loop] = field(default_factory=list)
    exits: tuple[tuple[Block, Block], ...] = ()

    def __contains__(self, block: Block) -> bool:
        return block in self.blocks

    @property
    def depth(self) -> int:
        """1 for an outermost loop."""
        depth, loop = 1, self.parent
        while loop is not None:
            depth, loop = depth + 1, loop.parent
        return depth


def natural_loops(order: Sequence[Block], idom: Mapping[Block, Block]) -> dict[Block, Loop]:
    """header -> loop, outer loops before inner ones; irreducible graphs are refused."""
    number = {block: i for i, block in enumerate(order)}
    latches: dict[Block, list[Block]] = {}
    for block in order:
        back = [p for p in block.preds if p in number and number[p] >= number[block]]
        if back:
            if not all(dominates(idom, block, latch) for latch in back):
                raise CompileError("control flow that is not reducible (a jump into a loop)")
            latches[block] = sorted(back, key=number.__getitem__)
    headers = list(latches)
    innermost: dict[Block, Loop] = {}
    loops: dict[Block, Loop] = {h: Loop(h, tuple(dict.fromkeys(latches[h]))) for h in headers}
    for header in reversed(headers):
        _collect_body(loops[header], innermost)
    for block in order:
        loop = innermost.get(block)
        while loop is not None:
            loop.blocks[block] = None
            loop = loop.parent
    for loop in loops.values():
        if loop.parent is not None:
            loop.parent.children.append(loop)
        edges = [(b, s) for b in loop.blocks for s in b.succs if s not in loop.blocks]
        loop.exits = tuple(dict.fromkeys(edges))
    return loops


def _collect_body(loop: Loop, innermost: dict[Block, Loop]) -> None:
    """Walk back from the latches to the header; loops found on the way become children."""
    work = [latch for latch in loop.latches if latch is not loop.header]
    innermost[loop.header] = loop
    while work:
        block = work.pop()
        inner = innermost.get(block)
        if inner is None:
            innermost[block] = loop
        else:
            while inner.parent is not None:
                inner = inner.parent
            if inner is loop:
                continue
            inner.parent = loop
            block = inner.header
        work.extend(block.preds)


@dataclass(frozen=True, eq=False, slots=True)
class Component:
    """A loop in a weak topological order: `items[0]` is its header, then blocks and components."""

    loop: Loop
    items: tuple[Block | Component, ...]

    @property
    def header(self) -> Block:
        return self.loop.header


@dataclass(frozen=True, eq=False, slots=True)
class FlowGraph:
    """What is known of a graph: `order` is a reverse postorder in which loops are contiguous."""

    order: tuple[Block, ...]
    idom: dict[Block, Block]
    loops: dict[Block, Loop]
    wto: tuple[Block | Component, ...]


def flow_graph(entry: Block) -> FlowGraph:
    """Analyse the graph of the blocks reachable from `entry`."""
    order = reverse_postorder(entry)
    idom = immediate_dominators(order)
    loops = natural_loops(order, idom)
    if loops:
        order = _contiguous_order(entry, loops)
    return FlowGraph(tuple(order), idom, loops, weak_topological_order(order, loops))


def _contiguous_order(entry: Block, loops: Mapping[Block, Loop]) -> list[Block]:
    """A reverse postorder in which the blocks of each loop are neighbours.

    What a loop exits to is visited as if the header jumped there last, so that it is finished
    before any block of the loop is.
    """

    def succs(block: Block) -> Sequence[Block]:
        loop = loops.get(block)
        if loop is None:
            return block.succs
        return [*block.succs, *[target for _, target in loop.exits]]

    return reverse_postorder(entry, succs)


def weak_topological_order(
    order: Sequence[Block], loops: Mapping[Block, Loop]
) -> tuple[Block | Component, ...]:
    """Nest an order in which loops are contiguous (`flow_graph` makes one)."""
    top: list[Block | Component] = []
    open_loops: list[tuple[Loop, list[Block | Component]]] = []

    def close() -> None:
        loop, items = open_loops.pop()
        outer = open_loops[-1][1] if open_loops else top
        outer.append(Component(loop, tuple(items)))

    for block in order:
        while open_loops and block not in open_loops[-1][0].blocks:
            close()
        if block in loops:
            open_loops.append((loops[block], []))
        (open_loops[-1][1] if open_loops else top).append(block)
    while open_loops:
        close()
    return tuple(top)
