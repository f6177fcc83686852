"""Graphs of functions that are left in the middle, and gone on with: at calls of themselves
(`frontend.recursion`), or where a generator yields (`frontend.stepping`).

What comes behind a place in a loop is the rest of that iteration, then the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from pyxla.frontend import pyops
from pyxla.frontend.cfg import Graph, GraphBuilder, OpenLoop
from pyxla.frontend.desugar import Lowered
from pyxla.frontend.source import SourceFunction
from pyxla.frontend.ssa import live_names
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Branch, Instr, Return, Value
from pyxla.ir.dominance import flow_graph

Path = tuple[tuple[Sequence[gast.stmt], int], ...]


@dataclass(eq=False, slots=True)
class Site:
    """A call of one of the functions, a statement of its own: `target = call`; or a `yield`.

    path: the statements around it, from outside, and which of them it is in.  names: variables that
    what comes behind it reads.  tail: its result is what the function returns.
    """

    number: int
    node: Any
    call: Any
    target: gast.Name | None
    path: Path
    tail: bool
    names: tuple[str, ...] = ()


def all_statements(body: Sequence[gast.stmt], path: Path) -> Iterator[tuple[Path, gast.stmt]]:
    """All statements, but those of `try`, with their paths."""
    for i, node in enumerate(body):
        here = (*path, (body, i))
        yield here, node
        if isinstance(node, (gast.If, gast.While)):
            yield from all_statements(node.body, here)
            yield from all_statements(node.orelse, here)


class OfSites(GraphBuilder):
    """Stops at the calls of the functions, or where a generator yields."""

    def __init__(self, source: SourceFunction, lowered: Lowered, sites: Sequence[Site]) -> None:
        super().__init__(source, lowered)
        self.sites = {id(site.node): site for site in sites}

    def statements(self, nodes: Sequence[gast.stmt]) -> None:
        for node in nodes:
            if self.block is None:
                return
            site = self.sites.get(id(node))
            if site is not None:
                self.at_site(site)
            elif isinstance(node, gast.Return):
                self.return_(node)
            else:
                super().statements([node])

    def at_site(self, site: Site) -> None:
        raise NotImplementedError

    def result(self, site: Site) -> Value:
        """What the statement at a site gets."""
        raise NotImplementedError

    def put(self, text: str, value: Value) -> None:
        self.here.values[text] = value
        self.here.writes[text] = None

    def put_all(self, names: Sequence[str], values: Value, node: gast.AST) -> None:
        """Give variables the items of a tuple."""
        attrs = {"before": len(names), "after": 0, "starred": False}
        op: Any = pyops.UNPACK
        instr = Instr(op, (values,), attrs, (), self.location(node))
        instr.results = tuple([Value(None, instr, text) for text in names])
        self.block.instrs.append(instr)
        for text, value in zip(names, instr.results, strict=True):
            self.put(text, value)

    def fork(self, test: Value, node: gast.AST) -> tuple[Block, Block]:
        """End the block on a test."""
        then, otherwise = self.make("then"), self.make("else")
        then.preds.append(self.block)
        otherwise.preds.append(self.block)
        self.end(Branch(test, then, otherwise, self.location(node)))
        return then, otherwise

    def where(self, value: Value, number: int, node: gast.AST) -> Block:
        """Go on where a value is a number; the block for where it is another."""
        operands = (value, self.literal(number, node))
        same = self.emit(pyops.COMPARE, operands, {"op": "eq"}, node)
        this, other = self.fork(self.emit(pyops.TRUTH, (same,), {}, node), node)
        self.resume(this)
        return other

    def after(self, site: Site, level: int) -> None:
        """What comes behind in the statements at a level of the path, and inside of it first."""
        statements, index = site.path[level]
        node = statements[index]
        if level == len(site.path) - 1:
            if site.target is not None:
                self.store(site.target, self.result(site), site.node)
        elif isinstance(node, gast.While):
            self.rest_of_loop(site, level, node)
        else:
            self.after(site, level + 1)
        if self.block is not None:
            self.statements(statements[index + 1 :])

    def rest_of_loop(self, site: Site, level: int, node: gast.While) -> None:
        """The rest of an iteration, then the loop."""
        loop = OpenLoop()
        self.loops.append(loop)
        self.after(site, level + 1)
        self.loops.pop()
        ends = loop.continues + ([self.block] if self.block is not None else [])
        self.join(ends, "rest")
        if self.block is not None:
            self.while_(node)
        ends = loop.breaks + ([self.block] if self.block is not None else [])
        self.join(ends, "exit")


class Probe(OfSites):
    """The graph as it is, to see which names are read behind each call."""

    def __init__(
        self,
        source: SourceFunction,
        lowered: Lowered,
        sites: Sequence[Site],
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(source, lowered, sites)
        self.code_of(source, lowered, renamed or {})
        self.behind: dict[Site, Block] = {}

    def at_site(self, site: Site) -> None:
        value = self.value(site.call)
        self.behind[site] = self.start("behind", self.block)
        if site.target is not None:
            self.store(site.target, value, site.node)

    def live(self) -> dict[Site, list[str]]:
        """The variables that are read behind each call that is reached."""
        self.build()
        order = flow_graph(self.entry).order
        crossing, live = live_names(Graph(self.entry, self.params, self.names), order)
        return {
            site: [name for i, name in enumerate(crossing) if live[block] >> i & 1]
            for site, block in self.behind.items()
            if block in live
        }

    def build(self) -> None:
        self.parameters()
        self.statements(self.lowered.node.body)
        if self.block is not None:
            self.end(Return((self.literal(None, self.lowered.node),)))
