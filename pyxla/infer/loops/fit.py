"""Whether what a loop brings back fits the state assumed at its header (`infer.loops.header`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import Content, Shadow, reachable
from pyxla.abstract.joined import all_equal, joined_number_type
from pyxla.abstract.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Const,
    Ref,
    Scalar,
    Tuple,
    Variant,
    is_number,
    plain,
    taken_apart,
)
from pyxla.infer.joins import far, kinds, texts, unions, variants
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.numbers import UP, place_of
from pyxla.infer.text.codes import is_string
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Phi
from pyxla.lib.masks import resized
from pyxla.views.shadows import alternatives, renumbered, same_ref, shown


def _other_guess(guess: Any, known: extent.IntFact, low: bool, high: bool) -> Any:
    """What is guessed of the bounds of a name next, of which `low` and `high` hold."""
    if isinstance(guess, extent.IntFact):
        return UP
    if guess == UP and not low and _is_closed(known):
        return ("closed", extent.IntFact(known.lo, known.hi))
    if guess[0] == "closed" or (guess == UP and not low and known.lo is not None):
        return ("horizon", "entry")  # that it shrinks
    return (
        guess[0] if low else _looser(guess[0], known.lo),
        guess[1] if high else _looser(guess[1], known.hi),
    )


def _is_closed(known: extent.IntFact) -> bool:
    """Whether a value lies in a range that does not come of what was guessed of it."""
    low, high = known.lo, known.hi
    return low is not None and high is not None and -extent.FAR < low <= high < extent.FAR


def _looser(guess: str | None, known: int | None) -> str | None:
    return "horizon" if guess == "entry" and known is not None else None


class Fit:
    """The comparison of a back edge with the template; collects the operands of the phis."""

    def __init__(self, head: Any, back: Edge) -> None:
        self.head = head
        self.back = back
        self.hint = ""
        self.ok = True
        self.connections: list[tuple[Phi, Any]] = []
        self.cells: dict[int, set[int]] = {}
        self.work: list[tuple[int, int]] = []
        self.paired = set[tuple[int, int]]()
        self.made = {*head.join.cells.values()}
        self.came: dict[int, int] = {}
        self.loop_cells = {*self.made, *head.join.shown}
        self.unions: dict[int, Any] = {}
        self.outgrown: list[tuple[Scalar, int]] = []

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
            self._parts(template, self._far(template, back))
        else:
            self._same(template, back)

    def _far(self, template: Any, back: Any) -> Any:
        """A value as the parts that the template has, if it is an int of more than 64 bits."""
        if far.is_word(template) and far.units(back) is not None:
            edge = self.back
            return far.as_word(back, edge.block, edge.loc, self.head.join.way.assume) or back
        known = far.is_dynamic(template) and far.is_far(back)
        return far.apart(back) if known else taken_apart(back)

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

    def _same(self, template: Any, back: Any) -> None:
        """Whether the loop brings back just this."""
        same = getattr(back, "value", back) is getattr(template, "value", template)
        known = isinstance(template, Const) and isinstance(back, Const)
        self.ok &= same or (known and all_equal([template.value, back.value]))

    def _number(self, template: Any, back: Any) -> None:
        phi = self._phi(template)
        if phi is None:
            self._same(template, back)
            return
        if isinstance(back, Ref) and template.kinds is not None:
            back = kinds.scalar(back, self.back, self.head.join.way.held)
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
            self._check_fact(template.fact, back, place_of(phi))

    def _check_fact(self, assumed: extent.IntFact, back: Any, place: str | int) -> None:
        known = extent.fact(plain(back))
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
            guess = self.head.directions.get(place, UP)
            self.head.directions[place] = _other_guess(guess, known, *fits)
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
            self._shown(template.cell, back)
        else:
            self.ok = False

    def _shown(self, cell: int, back: Ref) -> None:
        """A view, or one of several arrays, comes back where a whole array is assumed, which others
        may be, too: its contents, as of now."""
        with building(Builder(self.back.block.instrs, self.back.loc)):
            array = shown(self.back.heap, back)
            leaves = alternatives(self.back.heap, back)[1]
        self.content(self.head.heap.contents[cell], array)
        for leaf in leaves:
            found = self.cells.setdefault(leaf.cell, set())
            found.update({cell, leaf.cell} if leaf.view else {cell})

    def pair(self, template: int, back: int) -> None:
        found = self.cells.setdefault(back, set())
        kept, assumed = self.back.heap.kept, self.head.heap.kept
        for came, cell in ((back, template), (~back, ~template)):
            if came in kept and cell not in assumed:
                self.head.held.add(cell)
                self.ok = False
        if template in self.made and self.came.setdefault(template, back) != back:
            self.ok = False  # names that were alike where the loop starts lead to two objects
        found.add(template)
        if (template, back) not in self.paired:
            self.paired.add((template, back))
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
                self._shown(template, Ref(back))
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
            if self._is_still(cell, template):
                self.value(template.tag, template.tag)
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
            closed = unions.close(self, union, back)  # which may see that it does not fit
            self.ok = self.ok and closed

    def _is_still(self, cell: int, template: Shadow) -> bool:
        """Whether an array comes back as what it was, and each that it may be in its place."""
        places = self.cells
        same = self.back.heap.contents[cell] is template
        return same and all([ref.cell in places.get(ref.cell, ()) for ref in template.refs])

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
            if isinstance(back, Array):
                back = self._within_room(template, back)
            if not isinstance(back, Array) or not _fits_in(back, template):
                self.ok = False
                return
            phi = self._phi(template)
            if phi is not None:
                self.connections.append((phi, back))
            elif back is template:
                return
            else:
                self.ok &= back.value is template.value
            self._extents(template, back)
        elif template is not back:
            # What did not change may still lead to an array that did.
            self._parts(template, back)

    def _within_room(self, template: Array, back: Array) -> Array:
        """`back`, cut to the room that the template has for it."""
        room, same = self.head.join.way.sizes, back.type.dtype == template.type.dtype
        if not room or not back.extents or not same or back.ndim != template.ndim:
            return back
        columns = list(zip(back.extents, back.shape, template.shape, strict=True))
        grown = [(s, m) for s, n, m in columns if s is not None and n > m >= room]
        if not grown:
            return back
        self.outgrown += grown
        shape = tuple([min(n, m) if s is not None else n for s, n, m in columns])
        with building(Builder(self.back.block.instrs, self.back.loc)):
            return Array(resized(back.value, shape), back.extents)

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
        # What is held from before the loop, as the next iteration finds it: fields that were
        # replaced lead to the template's cells there.  What shadows of this loop's are follows the
        # names (`shadows`); those from before it are arrays from before it, too.
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
