"""The state assumed at a loop header, and whether what the loop brings back fits it.

A pass assumes a state at the header (a *template*: scalars and array contents are phis), runs the
body, and compares the state on the back edge.  Where it does not fit, the template is joined with
what came back (a *ghost*: only its types, facts and cells count) and the body runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from pyxla.abstract.heap import Heap, ObjectCell, Visit, behind, is_row
from pyxla.abstract.lattice import (
    UNDEFINED,
    Array,
    Conflict,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    is_none,
    is_number,
)
from pyxla.errors import Location
from pyxla.infer.joins import kinds, unions
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.held import Way
from pyxla.infer.joins.merge import Join
from pyxla.infer.joins.numbers import materialize
from pyxla.infer.joins.settling import settle
from pyxla.infer.loops.fit import Fit
from pyxla.infer.loops.guesses import Field, varied
from pyxla.infer.loops.memory import Brought
from pyxla.ir.core import Block, Jump, Phi, Value, replaced


class LoopHead:
    """The header of one pass over a loop: its typed block, template and phis."""

    def __init__(
        self,
        entry: Edge,
        ghosts: list[Edge],
        hints: list[tuple[str, Location | None]],
        live: Iterable[Value],
        directions: dict[str | int, Any],
        rebound: Iterable[int],
        unread: Iterable[int],
        fields: Iterable[Field],
        brought: Mapping[int, Brought],
        still: Container[int],
        way: Way,
    ) -> None:
        """`rebound`: on a first pass, the names expected to be bound to other arrays; `fields`:
        those expected to change; `brought`: what names are expected to become;
        `still`: the cells of arrays that are expected to stay as they are.
        `unread`: names that the loop assigns and does not read (see `retype`)."""
        self.mismatched: dict[int, Brought] = {}
        self.held: set[int] = set()  # what came back as `Heap.kept` has it, and was not assumed to
        self.unread = unread
        self.header = way.place
        self.outgrown: list[tuple[Scalar, int]] = []  # sizes, and the room for each
        self.pairs: list[tuple[int, int]] = []  # cells, and those that come back in their places
        self.visit = Visit(0)  # which visit of the loop this pass belongs to
        self.test: Any = None  # what decides whether the loop goes on
        self.retyped: dict[int, Any] = {}
        self.entry = entry
        self.block = Block("loop")
        self.directions = directions
        entry.block.terminator = Jump(self.block, entry.loc)
        states = ghosts or _expected(entry, rebound, fields, brought)
        self.join = Join([entry], self.block, states, directions, way)
        self.join.vary, self.join.still = not ghosts, still
        self.hints = hints
        args = []
        for i, (hint, loc) in enumerate(hints):
            self.join.hint, self.join.loc = hint, loc
            args.append(self.join.join([state.args[i] for state in self.join.states]))
        self.args = tuple(args)
        self.env = {v: entry.env[v] for v in live if v in entry.env}
        self.join.hint = "a field"
        self.join.join_heap()
        self.block.preds = [entry.block]
        self.heap = self.join.heap
        self.ghost = Edge(self.block, self.heap, self.env, self.args, entry.loc)

    def start(self) -> Edge:
        """The state in which the body is visited."""
        assumed = self.entry.assumed
        return Edge(self.block, self.heap.copy(), dict(self.env), assumed=assumed)

    def conflicts(self, inside: bool = False) -> list[Conflict]:
        """Names and objects that have no single type in this loop; `inside`: and fields of objects,
        which nobody may read."""
        before = self.entry.heap.contents
        objects = [
            content
            for cell, content in self.heap.contents.items()
            if isinstance(content, Conflict) and not isinstance(before.get(cell), Conflict)
        ]
        names = [a for a in self.args if isinstance(a, Conflict) and not isinstance(a, Unbound)]
        met = [self.heap.contents[cell] for cell in self.join.cells.values()]
        fields = [x for content in met if inside for x in getattr(content, "parts", ())]
        names += [x for x in fields if isinstance(x, Conflict) and not isinstance(x, Unbound)]
        return names + objects

    def settle(
        self,
        held: Callable[[], Iterable[Any]],
        pinned: Iterable[Any],
        lost: set[int],
        shared: set[int],
    ) -> None:
        """See `joins.settling`; afterwards the template is complete.

        As earlier passes found: `lost`, cells of the caller that no name of the loop goes on to
        refer to, which a shadow cannot follow; `shared`: see `unions.pair_up`.
        """
        self.lost, self.shared = lost, shared
        unions.pair_up(self.join, shared)
        settle(self.join, lambda: [*held(), *self.env.values(), *self.args], pinned, lost)

    def rebound(self, back: Edge) -> set[int]:
        """The names that the loop binds to an array that it makes and nothing else refers to."""
        pairs = enumerate(zip(self.args, back.args, strict=True))
        made = {i: y.cell for i, (x, y) in pairs if _rebinds(x, y)}
        cells = [y.cell for y in back.args if isinstance(y, Ref)]
        known = self.entry.heap.contents
        return {i for i, cell in made.items() if cell not in known and cells.count(cell) == 1}

    def close(
        self,
        back: Edge,
        held: Callable[[], Iterable[Any]],
        written: set[int],
        aliased: Callable[[set[int]], Exception],
    ) -> tuple[bool, set[int], str]:
        """Connect the back edge if it fits; else False.  Also cells to entangle from here on.

        aliased: why what was written may not be one of several.  What outgrew its
        room does not fit before that is tested (`outgrown`)."""
        self.retype(back)
        fit = Fit(self, back)
        for i, (template, value) in enumerate(zip(self.args, back.args, strict=True)):
            fit.hint, before = self.hints[i][0], fit.ok
            fit.ok = True
            fit.value(template, value)
            if not fit.ok and is_number(template) and is_number(value):
                self.mismatched[i] = Brought(kinds.bare(value))
            elif not fit.ok and value is not UNDEFINED and self._may_be(template, value, back):
                self.mismatched[i] = Brought(value, behind(back.heap, value))
            fit.ok &= before
        fit.hint = "a field"
        for cell, content in self.heap.contents.items():
            if cell in self.entry.heap.contents and cell in back.heap.contents:
                fit.pair(cell, cell)
            elif cell in self.entry.heap.contents:  # nothing leads to it any more
                fit.content(content, UNDEFINED)
        fit.contents()
        fit.shadows()
        if not fit.ok or fit.entangled():
            return False, set(), ""
        if fit.outgrown and not self.outgrown:
            self.outgrown = fit.outgrown
            return False, set(), ""
        if found := unions.sharing(self.join, fit.cells) - self.shared:
            self.shared |= found
            return False, set(), ""
        aliases = fit.aliases(held)
        rows = {cell for cell in aliases if is_row(back.heap.contents.get(cell))}
        if changed := aliases & written - rows:
            raise aliased(changed)
        for phi, value in fit.connections:
            phi.args[back.block] = materialize(value, phi.value.type, back.block, phi.loc)
        self.pairs = [(cell, came) for came, cells in fit.cells.items() for cell in cells]
        back.block.terminator = Jump(self.block, back.loc)
        self.block.preds.append(back.block)
        return True, aliases, "a name may stand for one of several arrays that are still in use"

    def _may_be(self, template: Any, value: Any, back: Edge) -> bool:
        """Whether a name that is None, or a row of a pool, may be what comes back sooner."""
        rows = _is_row(template, self.heap) and _is_row(value, back.heap)
        return rows or is_none(template) is not False

    def idle(self, back: Edge, fields: Iterable[Field]) -> set[Field]:
        """Those of `fields` that come back as they were, after `close`."""

        def still(x: Any) -> bool:
            if isinstance(x, Tuple):
                return all(map(still, x.items))
            owner = getattr(getattr(x, "value", None), "owner", None)
            if not isinstance(owner, Phi) or owner.block is not self.block:
                return True
            # Of an instance that the iteration did not touch, nothing is connected.
            return owner.args.get(back.block, owner.value) is owner.value

        found = set()
        for cell, name in fields:
            content = self.heap.contents.get(cell)
            if not isinstance(content, ObjectCell):
                continue
            value, later = content.fields.get(name), back.heap.contents.get(cell)
            if isinstance(value, Ref):
                new = later.fields.get(name) if isinstance(later, ObjectCell) else value
                idle = isinstance(new, Ref) and new.cell == value.cell
            else:
                idle = still(value)
            if idle:
                found.add((cell, name))
        return found

    def arrays(self, back: Edge) -> Iterator[tuple[int, bool]]:
        """The cells of arrays from before the loop, and whether an iteration changes each."""
        before, after = self.entry.heap.contents, back.heap.contents
        for cell, content in self.heap.contents.items():
            if type(content) is type(before.get(cell)) is Array:
                yield cell, after.get(cell) is not content

    def restore(self, back: Edge, edges: Iterable[Edge]) -> None:
        """On `edges` out of the loop, arrays that it does not change are those before it, not phis,
        of which less is known: their sizes, say, after `close`."""
        before, during, after = [e.heap.contents for e in (self.entry, self.ghost, back)]
        moved = {cell for cell, came in self.pairs if cell != came}
        still = {
            cell: x
            for cell, x in during.items()
            if after.get(cell) is x and type(before.get(cell)) is type(x) is Array
            if cell not in moved
        }
        for edge in edges:
            contents = edge.heap.contents
            if same := {cell: before[cell] for cell, x in still.items() if contents.get(cell) is x}:
                edge.heap = edge.heap.copy()
                edge.heap.contents.update(same)

    def retype(self, back: Edge) -> None:
        """Make what unread names are at the header what holds the values that come back.

        A pass that assumed another type of them is as good as one that assumes this type.
        """
        for i in self.unread:
            template, value = self.args[i], back.args[i]
            if not (_is_plain(template) and _is_plain(value)) or self._fits(template, value, back):
                continue
            join = Join([self.entry], self.block, [back], self.directions)
            join.hint, join.loc = self.hints[i]
            phis = self.block.phis[:]
            new = join.join([self.entry.args[i], value])
            if isinstance(new, Conflict) or not self._fits(new, value, back):
                self.block.phis = phis
                continue
            owner = getattr(getattr(template, "value", None), "owner", None)
            self.block.phis = [phi for phi in self.block.phis if phi is not owner]
            self.args = replaced(self.args, i, new)
            self.retyped[i] = new

    def _fits(self, template: Any, value: Any, back: Edge) -> bool:
        fit = Fit(self, back)
        fit.value(template, value)
        return fit.ok


def _is_plain(x: Any) -> bool:
    """A number, or no value: nothing that leads to cells."""
    return is_number(x) or isinstance(x, Unbound)


def _is_row(x: Any, heap: Heap) -> bool:
    return isinstance(x, Ref) and not x.view and is_row(heap.contents.get(x.cell))


def _rebinds(template: Any, back: Any) -> bool:
    refs = isinstance(template, Ref) and isinstance(back, Ref)
    return refs and template.cell != back.cell and not template.view and not back.view


def _expected(
    entry: Edge, rebound: Iterable[int], fields: Iterable[Field], brought: Mapping[int, Brought]
) -> list[Edge]:
    """A ghost in which the names at these positions refer to new arrays, like those on entry, or
    are what was brought, and these fields have any values."""
    heap, args = varied(entry.heap, fields), list(entry.args)
    for i in rebound:
        content = heap.contents.get(args[i].cell) if isinstance(args[i], Ref) else None
        if isinstance(content, Array) and content.extents is None and not args[i].view:
            args[i] = Ref(heap.new(content, entry.loc))
    for i, came in brought.items():
        fits = is_number(args[i]) if is_number(came.value) else is_none(args[i]) is not False
        if fits or (_is_row(args[i], heap) and _is_row(came.value, came.heap)):
            args[i], heap = came.value, came.heap.under(heap)
    if len(heap.contents) == len(entry.heap.contents) and not fields and not brought:
        return []
    return [Edge(entry.block, heap, entry.env, tuple(args), entry.loc)]
