"""The state assumed at a loop header, and whether what the loop brings back fits it.

A pass assumes a state at the header (a *template*: scalars and array contents are phis), runs the
body, and compares the state on the back edge.  Where it does not fit, the template is joined with
what came back (a *ghost*: only its types, facts and cells count) and the body runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pyxla.errors import CompileError, Location
from pyxla.infer.arrays import views
from pyxla.infer.arrays.shadows import alternatives, renumbered, resolve, same_ref
from pyxla.infer.facts import extent
from pyxla.infer.heap import (
    Content,
    NeedsExact,
    NumberList,
    ObjectCell,
    Shadow,
    Visit,
    reachable,
)
from pyxla.infer.joins import kinds, texts, unions, variants
from pyxla.infer.joins.held import Held
from pyxla.infer.joins.joined import all_equal, joined_number_type
from pyxla.infer.joins.merge import Edge, Join
from pyxla.infer.joins.numbers import UP, materialize
from pyxla.infer.joins.settling import settle
from pyxla.infer.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    is_number,
    taken_apart,
)
from pyxla.infer.loops.guesses import Field, varied
from pyxla.infer.text.codes import is_string
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Jump, Phi, Value

NOTHING: Mapping[int, Any] = MappingProxyType({})


def _other_guess(guess: Any, known: extent.IntFact, low: bool, high: bool) -> Any:
    """What is guessed of the bounds of a name next, of which `low` and `high` hold."""
    if isinstance(guess, extent.IntFact):
        return UP
    if guess == UP and not low and known.lo is not None:
        return ("horizon", "entry")  # that it shrinks
    return (
        guess[0] if low else _looser(guess[0], known.lo),
        guess[1] if high else _looser(guess[1], known.hi),
    )


def _looser(guess: str | None, known: int | None) -> str | None:
    return "horizon" if guess == "entry" and known is not None else None


class LoopHead:
    """The header of one pass over a loop: its typed block, template and phis."""

    def __init__(
        self,
        entry: Edge,
        ghosts: list[Edge],
        hints: list[tuple[str, Location | None]],
        live: Iterable[Value],
        directions: dict[str, Any],
        rebound: Iterable[int] = (),
        unread: Iterable[int] = (),
        fields: Iterable[Field] = (),
        brought: Mapping[int, Any] = NOTHING,
        place: Any = None,
        exact: bool = False,
        held: Held | None = None,
        apart: bool = False,
        room: int = 0,
    ) -> None:
        """`rebound`: on a first pass, the names expected to be bound to other arrays; `fields`:
        those expected to change; `brought`: the numbers that names are expected to become.
        `unread`: names that the loop assigns and does not read (see `retype`).  `place`, `exact`,
        `held`, `apart` and `room` as in `Join`."""
        self.mismatched: dict[int, Any] = {}
        self.unread = unread
        self.header = place
        self.pairs: list[tuple[int, int]] = []  # cells, and those that come back in their places
        self.visit = Visit()  # which visit of the loop this pass belongs to
        self.test: Any = None  # what decides whether the loop goes on
        self.retyped: dict[int, Any] = {}
        self.entry = entry
        self.block = Block("loop")
        self.directions = directions
        entry.block.terminator = Jump(self.block, entry.loc)
        states = ghosts or _expected(entry, rebound, fields, brought)
        self.join = Join([entry], self.block, states, directions, place, exact, held, apart, room)
        self.join.vary = not ghosts
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
        return Edge(self.block, self.heap.copy(), dict(self.env))

    def conflicts(self) -> list[Conflict]:
        """Names and objects that have no single type in this loop."""
        before = self.entry.heap.contents
        objects = [
            content
            for cell, content in self.heap.contents.items()
            if isinstance(content, Conflict) and not isinstance(before.get(cell), Conflict)
        ]
        names = [a for a in self.args if isinstance(a, Conflict) and not isinstance(a, Unbound)]
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
        self, back: Edge, held: Callable[[], Iterable[Any]], written: set[int]
    ) -> tuple[bool, set[int], str]:
        """Connect the back edge if it fits; else False.  Also cells to entangle from here on."""
        self.retype(back)
        fit = _Fit(self, back)
        for i, (template, value) in enumerate(zip(self.args, back.args, strict=True)):
            fit.hint, before = self.hints[i][0], fit.ok
            fit.ok = True
            fit.value(template, value)
            if not fit.ok and is_number(template) and is_number(value):
                self.mismatched[i] = kinds.bare(value)
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
        if found := unions.sharing(self.join, fit.cells) - self.shared:
            self.shared |= found
            return False, set(), ""
        aliases = fit.aliases(held)
        if aliases & written:
            if not self.join.exact:
                raise NeedsExact(self.join.place)
            raise CompileError(
                "an array is changed in a loop in which its name may stand for one of several "
                "arrays that are still in use",
                back.loc,
                hint="copy the array where it is bound (`b = a.copy()`)",
            )
        for phi, value in fit.connections:
            phi.args[back.block] = materialize(value, phi.value.type, back.block, phi.loc)
        self.pairs = [(cell, came) for came, cells in fit.cells.items() for cell in cells]
        back.block.terminator = Jump(self.block, back.loc)
        self.block.preds.append(back.block)
        return True, aliases, "a name may stand for one of several arrays that are still in use"

    def idle(self, back: Edge, fields: Iterable[Field]) -> set[Field]:
        """Those of `fields` that come back as they were, after `close`."""

        def still(x: Any) -> bool:
            if isinstance(x, Tuple):
                return all(map(still, x.items))
            owner = getattr(getattr(x, "value", None), "owner", None)
            if not isinstance(owner, Phi) or owner.block is not self.block:
                return True
            # Of an instance that the turn did not touch, nothing is connected.
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
            self.args = (*self.args[:i], new, *self.args[i + 1 :])
            self.retyped[i] = new

    def _fits(self, template: Any, value: Any, back: Edge) -> bool:
        fit = _Fit(self, back)
        fit.value(template, value)
        return fit.ok


def _is_plain(x: Any) -> bool:
    """A number, or no value: nothing that leads to cells."""
    return is_number(x) or isinstance(x, Unbound)


def _rebinds(template: Any, back: Any) -> bool:
    refs = isinstance(template, Ref) and isinstance(back, Ref)
    return refs and template.cell != back.cell and not template.view and not back.view


def _expected(
    entry: Edge, rebound: Iterable[int], fields: Iterable[Field], brought: Mapping[int, Any]
) -> list[Edge]:
    """A ghost in which the names at these positions refer to new arrays, like those on entry, or
    are these numbers, and these fields have any values."""
    heap, args = varied(entry.heap, fields), list(entry.args)
    for i in rebound:
        content = heap.contents.get(args[i].cell) if isinstance(args[i], Ref) else None
        if isinstance(content, Array) and content.extents is None and not args[i].view:
            args[i] = Ref(heap.new(content, entry.loc))
    for i, number in brought.items():
        args[i] = number if is_number(args[i]) else args[i]
    if len(heap.contents) == len(entry.heap.contents) and not fields and not brought:
        return []
    return [Edge(entry.block, heap, entry.env, tuple(args), entry.loc)]


class _Fit:
    """The comparison of a back edge with the template; collects the operands of the phis."""

    def __init__(self, head: LoopHead, back: Edge) -> None:
        self.head = head
        self.back = back
        self.hint = ""
        self.ok = True
        self.connections: list[tuple[Phi, Any]] = []
        self.cells: dict[int, set[int]] = {}
        self.work: list[tuple[int, int]] = []
        self.loop_cells = set(head.join.cells.values())
        self.unions: dict[int, Any] = {}

    def value(self, template: Any, back: Any) -> None:
        """Whether `back` is among the values that `template` stands for."""
        if isinstance(template, Variant):
            variants.fit(self, template, back)
        elif back is UNDEFINED:
            self._undefined(template)
        elif is_string(template):
            texts.fit(self, template, back)
        elif isinstance(template, Conflict):
            self.ok &= isinstance(back, Conflict) and back.reason == template.reason
        elif is_number(template):
            self._number(template, back)
        elif isinstance(template, Ref):
            self._ref(template, back)
        elif isinstance(template, (Tuple, Compound)):
            self._parts(template, taken_apart(back))
        else:
            self.ok &= back is template or (
                isinstance(back, Const) and all_equal([template.value, back.value])
            )

    def _undefined(self, template: Any) -> None:
        """Nothing comes back: what the template holds is never looked at."""
        if is_number(template):
            if (phi := self._phi(template)) is not None:
                self.connections.append((phi, UNDEFINED))
            if getattr(template, "kinds", None) is not None:
                self._undefined(template.kinds.tag)
            if kinds.has_exact(template):
                self._undefined(template.kinds.exact)
            for size in getattr(template, "extents", None) or ():
                if size is not None:
                    self._undefined(size)
        elif isinstance(template, Ref):
            if template.cell in self.loop_cells:
                self.loop_cells.discard(template.cell)
                self._undefined(self.head.heap.contents[template.cell])
        elif not isinstance(template, Shadow):
            for part in template.parts:
                self._undefined(part)

    def _parts(self, template: Any, back: Any) -> None:
        """Whether structures are alike, and their parts fit."""
        if not template.is_like(back):
            self.ok = False
            return
        for x, y in zip(template.parts, back.parts, strict=True):
            self.value(x, y)

    def _phi(self, x: Any) -> Phi | None:
        owner = x.value.owner if isinstance(x, (Scalar, Array)) else None
        return owner if isinstance(owner, Phi) and owner.block is self.head.block else None

    def _number(self, template: Any, back: Any) -> None:
        phi = self._phi(template)
        if phi is None:
            same = back is template or getattr(back, "value", back) is getattr(
                template, "value", template
            )
            self.ok &= same or (
                isinstance(template, Const)
                and isinstance(back, Const)
                and all_equal([template.value, back.value])
            )
            return
        if isinstance(back, Ref) and template.kinds is not None:
            back = kinds.scalar(back, self.back, self.head.join.held)
        if not is_number(back):
            self.ok = False
            return
        type = joined_number_type([template, back])
        if type != phi.value.type or not kinds.fits(template, back):
            self.ok = False
            return
        self.connections.append((phi, back))
        edge = self.back
        if template.kinds is not None:
            selector = kinds.tag_in(back, template.kinds.choices, edge.block, edge.loc)
            self.value(template.kinds.tag, selector)
        if kinds.has_exact(template):
            self.value(template.kinds.exact, kinds.exact_in(back, edge.block, edge.loc))
        if isinstance(template, Scalar) and template.fact is not None:
            self._check_fact(template.fact, back, phi.value.hint)

    def _check_fact(self, assumed: extent.IntFact, back: Any, hint: str) -> None:
        known = extent.fact(back.value if isinstance(back, Const) else back)
        low, high = known.lo, known.hi
        if low is not None and assumed.lo == -extent.HORIZON:
            low += extent.LITTLE
        if high is not None and assumed.hi == extent.HORIZON:
            high -= extent.LITTLE
        fits = (
            assumed.lo is None or (low is not None and low >= assumed.lo),
            assumed.hi is None or (high is not None and high <= assumed.hi),
        )
        if not all(fits):
            guess = self.head.directions.get(hint, UP)
            self.head.directions[hint] = _other_guess(guess, known, *fits)
            self.ok = False

    def _ref(self, template: Ref, back: Any) -> None:
        if not isinstance(back, Ref):
            self.ok = False
        elif template.cell in self.head.join.unions:
            known = self.unions.setdefault(template.cell, back)
            self.ok &= same_ref(known, back)
        elif template.cell == back.cell and template.view == back.view:
            self.pair(template.cell, back.cell)
        elif template.cell in self.loop_cells and not back.view:
            self.pair(template.cell, back.cell)
        elif template.cell in self.loop_cells and not template.view:
            self._view(template.cell, back)
        else:
            self.ok = False

    def _view(self, cell: int, back: Ref) -> None:
        """A view comes back where a whole array is assumed: its contents, as of now."""
        with building(Builder(self.back.block.instrs, self.back.loc)):
            whole = resolve(self.back.heap, self.back.heap.contents[back.cell])
            array = views.apply(back.view, whole)
        self.content(self.head.heap.contents[cell], array)
        self.cells.setdefault(back.cell, set()).update({cell, back.cell})

    def _one_of(self, cell: int, back: Ref) -> None:
        """One of several arrays comes back where one is assumed, which others may be, too."""
        with building(Builder(self.back.block.instrs, self.back.loc)):
            array = resolve(self.back.heap, self.back.heap.contents[back.cell])
            leaves = alternatives(self.back.heap, back)[1]
        self.content(self.head.heap.contents[cell], array)
        for leaf in leaves:
            found = self.cells.setdefault(leaf.cell, set())
            found.update({cell, leaf.cell} if leaf.view else {cell})

    def pair(self, template: int, back: int) -> None:
        found = self.cells.setdefault(back, set())
        if back in self.back.heap.kept and template not in self.head.heap.kept:
            self.ok = False
        if template not in found:
            found.add(template)
            self.work.append((template, back))

    def contents(self) -> None:
        while self.work:
            template, back = self.work.pop()
            if back not in self.back.heap.contents:
                self.ok = False
                return
            self.hint = "a field"
            content, made = self.head.heap.contents[template], self.back.heap.contents[back]
            if isinstance(content, Array) and isinstance(made, Shadow):
                self._one_of(template, Ref(back))
            else:
                self.content(content, made)

    def shadows(self) -> None:
        """Shadows on the back edge, in terms of the template's cells."""
        made = self.head.join.unions
        for cell, template in self.head.heap.contents.items():
            if not isinstance(template, Shadow) or not self.ok or cell in made:
                continue
            if cell not in self.back.heap.contents:
                self._undefined(template.tag)
                continue
            with building(Builder(self.back.block.instrs, self.back.loc)):
                selector, leaves = alternatives(self.back.heap, Ref(cell))
                moved = self._moved(template, leaves)
                if moved is None:
                    self._lose(cell)
                else:
                    place: Any = Const(moved[0])
                    if selector is not None:
                        place = renumbered(selector, moved, len(template.refs))
                    self.value(template.tag, place)
        for cell, union in made.items():
            back = self.unions.get(cell, UNDEFINED)
            self.ok = self.ok and unions.close(self, union, back)

    def _moved(self, template: Shadow, leaves: list[Ref]) -> list[int] | None:
        """Which of the template's arrays each of `leaves` is."""
        moved = []
        for leaf in leaves:
            places = [
                i
                for i, ref in enumerate(template.refs)
                if ref.view == leaf.view and ref.cell in self.cells.get(leaf.cell, ())
            ]
            if len(places) != 1:
                return None
            moved.append(places[0])
        return moved

    def _lose(self, cell: int) -> None:
        self.head.lost.add(cell)
        self.ok = False

    def content(self, template: Content, back: Any) -> None:
        if isinstance(template, Shadow):
            return
        if back is UNDEFINED:
            self._undefined(template)
        elif isinstance(template, Array):
            if not isinstance(back, Array) or not _fits_in(back, template):
                self.ok = False
                return
            phi = self._phi(template)
            if phi is not None:
                self.connections.append((phi, back))
            else:
                self.ok &= back.value is template.value
            self._extents(template, back)
        elif template is not back or isinstance(template, NumberList):
            # What did not change may still lead to an array that did.
            self._parts(template, back)

    def _extents(self, template: Array, back: Array) -> None:
        if template.extents is None and back.extents is None:
            return
        rows = [a.extents or (None,) * a.ndim for a in (template, back)]
        for d, (x, y) in enumerate(zip(*rows, strict=True)):
            if x is None:
                self.ok &= y is None
            else:
                self.value(x, _size(back, d))

    def entangled(self) -> bool:
        """Whether what comes back may be somebody else's, and the template was not held to be."""
        known = self.head.heap.entangled
        return any(
            cell not in known
            for back, templates in self.cells.items()
            if back in self.back.heap.entangled
            for cell in templates
        )

    def aliases(self, held: Callable[[], Iterable[Any]]) -> set[int]:
        """Cells that the back edge shows to be one object under several names."""
        out: set[int] = set()
        moved = {b: ts for b, ts in self.cells.items() if ts != {b}}
        if not moved:
            return out
        # What is held from before the loop, as the next turn finds it: fields that were replaced
        # lead to the template's cells there.  What shadows of this loop's are follows the names
        # (`shadows`); those from before it are arrays from before it, too.
        still = reachable(self.head.heap, held(), self.head.entry.heap.contents)
        for back, templates in moved.items():
            others = templates - {back}
            if len(others) > 1 or (back in still and others):
                out |= templates | {back}
        return out


def _fits_in(x: Array, template: Array) -> bool:
    """Whether the template's type holds `x`: bounds may be smaller where it is bounded."""
    if x.type == template.type:
        return True
    if x.type.dtype != template.type.dtype or x.ndim != template.ndim or not template.extents:
        return False
    columns = zip(x.shape, template.shape, template.extents, strict=True)
    return all(n == m or (n < m and e is not None) for n, m, e in columns)


def _size(x: Array, axis: int) -> Const | Scalar:
    """The true size of a dimension, which is never more than the bound."""
    size = x.extents[axis] if x.extents else None
    if size is None:
        return Const(x.shape[axis])
    return Scalar(size.value, extent.meet(extent.fact(size), 0, x.shape[axis]))
