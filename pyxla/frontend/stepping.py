"""A generator function as one that makes a step: from where it yielded last to the next `yield`.

    def f(x):              def step(generator):
        before                 at, generator.at = generator.at, DONE
        y = yield a            if at == 0: names = generator.frame_0; y = None; after; raise Ended
        after                  (x,) = generator.start
                               before
                               generator.frame_0 = names that `after` reads; generator.at = 0
                               return a

What comes behind a `yield` in a loop is the rest of that iteration, then the loop, as behind a call
in `frontend.recursion`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from pyxla.frontend import pyops, support
from pyxla.frontend.cfg import BOX_PREFIX, Graph
from pyxla.frontend.desugar import Lowered, desugar
from pyxla.frontend.resuming import OfSites, Probe, Site, all_statements
from pyxla.frontend.source import SourceFunction, once
from pyxla.frontend.ssa import SSA, ssa_of
from pyxla.ir.core import Raise, Return, Value

# Fields of the generator: where it waits, its arguments, and what it was sent.
AT, START, SENT, FRAME = "at", "start", "sent", "frame_"
GENERATOR = "the generator"


@once("steps")
def to_steps(source: SourceFunction) -> SSA | None:
    """The SSA form of a step; None where variables are shared with functions inside, or a `yield`
    is in a `try`."""
    lowered = desugar(source)
    body = lowered.node.body
    inside = [n for n in gast.walk(lowered.node) if isinstance(n, gast.Yield)]
    sites = _sites(body)
    if lowered.scope.cell or len(sites) < len(inside):
        return None
    live = Probe(source, lowered, sites).live()
    for site, names in live.items():
        site.names = tuple([text for text in names if not text.startswith(BOX_PREFIX)])
    builder = _Step(source, lowered, list(live))
    builder.build()
    return ssa_of(source, lowered, Graph(builder.entry, builder.params, builder.names))


def _sites(body: Sequence[gast.stmt]) -> list[Site]:
    found: list[Site] = []
    for path, node in all_statements(body, ()):
        statement: Any = node
        if isinstance(getattr(node, "value", None), gast.Yield):
            target = statement.targets[0] if isinstance(node, gast.Assign) else None
            found.append(Site(len(found), node, statement.value, target, path, False))
    return found


class _Step(OfSites):
    """The graph of a step."""

    def __init__(self, source: SourceFunction, lowered: Lowered, sites: Sequence[Site]) -> None:
        super().__init__(source, lowered, sites)
        self.waiting = sites

    def build(self) -> None:
        node = self.lowered.node
        self.parameters()
        (generator,) = self.params = (Value(hint=GENERATOR),)
        for text in self.source.params:
            del self.here.values[text], self.here.writes[text]
        self.put(GENERATOR, generator)
        at = self.get_field(AT, node)
        self.set_field(AT, self.literal(support.DONE, node), node)  # so it is, whatever is raised
        for site in self.waiting:
            other = self.where(at, site.number, node)
            if site.names:
                own, shared = self.kept(site)
                self.put_all((*own, *shared), self.frame(site), site.call)
            self.after(site, 0)
            self.finish()
            self.resume(other)
        other = self.where(at, support.FIRST, node)
        if self.source.params:
            self.put_all(self.source.params, self.get_field(START, node), node)
        self.statements(node.body)
        self.finish()
        self.resume(other)
        self.finish()

    def get_field(self, text: str, node: gast.AST) -> Value:
        return self.emit(pyops.GETATTR, (self.lookup(GENERATOR),), {"name": text}, node)

    def frame(self, site: Site) -> Value:
        """The variables as they were at the `yield` where the generator waits."""
        texts = self.literal((_frame(site), *self.kept(site)[1]), site.call)
        given = self.literal(support.frame_of, site.call), self.lookup(GENERATOR), texts
        return self.emit(pyops.CALL, given, {"layout": ("pos", "pos")}, site.call)

    def kept(self, site: Site) -> tuple[list[str], list[str]]:
        """The variables that the frame of a `yield` keeps, and those that one field keeps for all:
        what loops read.  An iterator in several frames would be one of several to a loop."""
        several = len(self.waiting) > 1
        shared = [text for text in site.names if several and self.lowered.temporary(text)]
        return [text for text in site.names if text not in shared], shared

    def set_field(self, text: str, value: Value, node: gast.AST) -> None:
        self.effect(pyops.SETATTR, (self.lookup(GENERATOR), value), {"name": text}, node)

    def return_(self, node: gast.Return) -> None:
        """`return x`, of which `StopIteration` tells `x`."""
        if isinstance(node.value, gast.Constant) and node.value.value is None:
            return self.finish()
        given = self.literal(support.Returned, node), self.value(node.value)
        ended = self.emit(pyops.CALL, given, {"layout": ("pos",)}, node)
        self.end(Raise((ended,), self.location(node)))

    def finish(self) -> None:
        """There is nothing more."""
        if self.block is not None:
            node = self.lowered.node
            self.end(Raise((self.literal(support.Ended, node),), self.location(node)))

    def result(self, site: Site) -> Value:
        return self.get_field(SENT, site.node)

    def at_site(self, site: Site) -> None:
        """Give the item, and wait here."""
        item = self.value(site.call.value)
        if site.names:
            own, shared = self.kept(site)
            for text in shared:
                self.set_field(text, self.lookup(text), site.call)
            kept = self.literal((), site.call)
            if own:
                given = tuple([self.lookup(text) for text in own])
                kept = self.emit(pyops.TUPLE, given, {"cls": support.Open}, site.call)
            self.set_field(_frame(site), kept, site.call)
        self.set_field(AT, self.literal(site.number, site.call), site.call)
        self.end(Return((item,), self.location(site.call)))


def _frame(site: Site) -> str:
    return f"{FRAME}{site.number}"
