"""Joins of program states: where paths meet, values that differ become phis.

An *edge* is a path that arrives: an open typed block, its heap, its environment and the operands of
the target's phis.  `merge` joins the edges of a block; the state assumed at a loop header
(`infer.loops.header`) is such a join of the entry edge and of *ghosts*, the states that earlier
passes brought back.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyxla.errors import Location
from pyxla.infer.arrays import views
from pyxla.infer.arrays.shadows import alternatives, one_of, resolve, same_ref, same_refs
from pyxla.infer.facts import extent
from pyxla.infer.facts.deciding import deciding_test
from pyxla.infer.facts.refine import atoms
from pyxla.infer.heap import (
    CellInfo,
    Content,
    Heap,
    Shadow,
    reachable,
    shadowed,
)
from pyxla.infer.joins import choices, kinds, unions, variants
from pyxla.infer.joins.collections import unify_lists
from pyxla.infer.joins.columns import in_one_order, with_all_fields
from pyxla.infer.joins.conflicts import conflict, quoted
from pyxla.infer.joins.held import Held
from pyxla.infer.joins.joined import fitting, joined_array_type, joined_number_type
from pyxla.infer.lattice import (
    NONE,
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
    has_value,
    is_none,
    is_number,
    is_variant,
    may_be_unbound,
    taken_apart,
    value_of,
)
from pyxla.infer.lists import sites
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Jump, Phi, Value
from pyxla.ir.types import ArrayType, python_type
from pyxla.lib.indexing import resized
from pyxla.ops.elementwise import convert
from pyxla.ops.shape import constant

Env = dict[Value, Any]


@dataclass(slots=True, eq=False)
class Edge:
    """A path into a block: `block` is open (no terminator yet); `assumed`, what branches proved."""

    block: Block
    heap: Heap
    env: Env
    args: tuple[Any, ...] = ()
    loc: Location | None = None
    assumed: tuple[Any, ...] = ()


def materialize(x: Any, type: ArrayType, block: Block, loc: Location | None) -> Value:
    """The scalar `x` as a Value of `type`, computed at the end of `block`."""
    value = getattr(x, "value", None)
    if isinstance(value, Value) and value.type is type:
        return value
    with building(Builder(block.instrs, loc)):
        if x is UNDEFINED:
            return constant(value=np.zeros(type.shape, type.dtype), weak=type.weak)
        if isinstance(x, Const):
            return constant(value=fitting(x.value, type, loc), weak=type.weak)
        if x.value.type.dtype != type.dtype:
            return convert(x.value, dtype=type.dtype)
        return resized(x.value, type.shape)


UP = ("entry", "horizon")  # of a loop variable: what is guessed of its bounds, that it grows


class Join:
    """One merge in progress.

    `vary`: nothing is known yet of what a loop brings back, so every number becomes a phi and every
    array cell varies.  `directions`: per phi of a loop header, how its variable is guessed to move.
    `place`: where paths meet; `exact`: with names of several arrays as `unions` has them; `held`:
    what else is needed from there on; `apart`: whether values of no one type may meet (`variants`).
    """

    def __init__(
        self,
        edges: list[Edge],
        target: Block,
        ghosts: list[Edge] | None = None,
        directions: dict[str, Any] | None = None,
        place: Any = None,
        exact: bool = False,
        held: Held | None = None,
        apart: bool = False,
    ) -> None:
        self.place, self.exact, self.held, self.apart = place, exact, held, apart
        self.unions: dict[int, unions.Union] = {}
        self.partial: set[int] = set()
        self.joined: dict[Any, Any] = {}
        self.edges, self.target = edges, target
        self.states = [*edges, *(ghosts or ())]
        self.directions = directions
        self.vary = directions is not None and not ghosts
        self.hint = ""
        self.loc: Location | None = None
        self.cells: dict[tuple[int | None, ...], int] = {}
        self.heap = Heap(edges[0].heap.infos)
        self.heap.kept = frozenset().union(*[state.heap.kept for state in self.states])
        for state in self.states:
            self.heap.entangled = {**self.heap.entangled, **state.heap.entangled}

    # values

    def join(self, values: list[Any]) -> Any:
        """The abstract value that holds each of `values`, one per state."""
        first = values[0]
        same = _is_each(first, values)
        if same and not self.vary:
            return first
        known, numbers = [], True
        for v in values:
            if isinstance(v, Conflict) or is_variant(v, "unbound"):
                return self._join_conflicts(values)
            if is_variant(v, "mixed"):
                return self._apart(values)
            if v is not UNDEFINED:
                known.append(v)
                numbers = numbers and is_number(v)
        if numbers and known:
            return self._join_numbers(values, known)
        nones = [is_none(v) for v in known]
        if any(n is not False for n in nones) and not all(n is True for n in nones):
            return self._join_missing(values, "optional", NONE)
        if same:
            return first
        if all(isinstance(v, Ref) for v in known):
            return self._join_refs(values)
        if all(isinstance(v, Const) for v in known) and all_equal([v.value for v in known]):
            return known[0]
        return self._join_parts(values, known)

    def _join_parts(self, values: list[Any], known: list[Any]) -> Any:
        if (found := variants.join_constants(self, values, known)) is not None:
            return found
        if any(map(is_number, known)) and (mixed := kinds.scalars(self, values)) is not None:
            return self._join_numbers(mixed, [v for v in mixed if v is not UNDEFINED])
        values = [taken_apart(v) for v in values]
        first = taken_apart(known[0])
        known = [taken_apart(v) for v in known]
        whole = isinstance(first, (Tuple, Compound)) and all(map(first.is_like, known))
        if not whole or self._is_apart(known, values):
            return self._apart(values)
        return self.with_parts(first, values)

    def with_parts(self, first: Any, values: list[Any]) -> Any:
        """Structures like `first`, joined part by part."""
        unknown = (UNDEFINED,) * len(first.parts)
        rows = [unknown if v is UNDEFINED else v.parts for v in values]
        return first.rebuild([self.join(list(column)) for column in zip(*rows, strict=True)])

    def _is_apart(self, known: list[Any], values: list[Any]) -> bool:
        """Whether functions or the like have parts of no one type."""
        compound = self.apart and isinstance(known[0], Compound)
        return compound and not variants.parts_alike(values, self.states)

    def _apart(self, values: list[Any]) -> Any:
        """Each of values of no one type as it is, or why they cannot be."""
        found = variants.of_kind(self, values, "mixed") if self.apart else None
        return self.conflict(values) if found is None else found

    def _join_conflicts(self, values: list[Any]) -> Any:
        for v in values:
            if isinstance(v, Conflict) and not isinstance(v, Unbound):
                return v
        first = next(v for v in values if may_be_unbound(v))
        nothing = first if isinstance(first, Unbound) else first.items[0]
        return self._join_missing(values, "unbound", nothing)

    def _join_missing(self, values: list[Any], kind: str, nothing: Any) -> Any:
        """Values of which some are, or may be, `nothing`: None, or that of a name without one."""
        bare = [value_of(v, kind) for v in values]
        known = [v for v in bare if v is not UNDEFINED]
        if not known:
            return nothing
        same = all(isinstance(v, Const) for v in known) and all_equal([v.value for v in known])
        changes = kind == "unbound" and self.directions is not None  # what a loop assigns
        joined = known[0] if same and not changes else self.join(bare)
        if isinstance(joined, Conflict):
            return joined if kind == "unbound" else self._apart(values)
        if kind == "optional" and is_variant(joined, "mixed"):
            return self._apart(values)
        there = [has_value(v, kind) for v in values]
        tag = self._join_numbers(there, there)
        if isinstance(tag, Const):
            return joined if tag.value else nothing
        return Variant(kind, tag, (nothing, joined))

    def conflict(self, values: list[Any]) -> Conflict:
        return conflict(values, self.states, self.hint, self.tests())

    def tests(self) -> tuple[Value, ...]:
        """What decides which of the states there is."""
        tests = [deciding_test(state.block) for state in self.states]
        return tuple(dict.fromkeys(test for test in tests if test is not None))

    def _join_numbers(self, values: list[Any], known: list[Any]) -> Any:
        type = kinds.only_kind(values) or joined_number_type(known, self.directions is None)
        if type is None:
            return self.conflict(values)
        if not type.weak and any(map(choices.is_member, known)):
            found = variants.join_constants(self, values, known)
            return self.conflict(values) if found is None else found
        if not self.vary and all(isinstance(v, Const) for v in values):
            if all_equal([v.value for v in values]):
                return values[0]
        elif not self.vary and len({id(getattr(v, "value", v)) for v in values}) == 1:
            several = [getattr(v, "kinds", None) for v in known]
            of = {(kinds.kinds_of(v), id(k)) for v, k in zip(known, several, strict=True)}
            if len(of) == 1:  # else `np.float64(x)` meets `x`
                return kinds.with_kinds(self._with_fact(known[0].value, type, known), several[0])
        mixed = kinds.join(self, values, UNDEFINED)
        joined = self._with_fact(self.phi(values, type), type, known)
        return joined if mixed is None else kinds.with_kinds(joined, mixed)

    def _with_fact(self, value: Value, type: ArrayType, known: list[Any]) -> Any:
        if not type.weak:
            return Array(value)
        if type.dtype.kind == "b":
            return Scalar(value, None, self._implied(known))
        if type.dtype.kind != "i":
            return Scalar(value)
        facts = [extent.fact(v.value if isinstance(v, Const) else v) for v in known]
        total = facts[0]
        for other in facts[1:]:
            total = extent.join(total, other)
        if self.directions is not None:
            total = self._guess(facts[0])
        return Scalar(value, None if total == extent.UNKNOWN else total)

    def _implied(self, known: list[Any]) -> Any:
        """What a bool that met a constant says: `a and b` is true only on the path of `b`."""
        implied = []
        for outcome in (True, False):
            open_ = [
                (v, s)
                for v, s in zip(known, self.states, strict=False)
                if not (isinstance(v, Const) and bool(v.value) is not outcome)
            ]
            one = open_[0] if len(open_) == 1 and len(known) == len(self.edges) else None
            implied.append((*one[1].assumed, *atoms(one[0], outcome)) if one else ())
        return ("implies", *implied) if any(implied) else None

    def _guess(self, entry: extent.IntFact) -> extent.IntFact:
        """Of a loop variable: the range of what the loop computes, if that shows; else that each
        bound is that at the entry, or far away as that of a counter, or that there is none."""
        guess = self.directions.get(self.hint, UP)
        if isinstance(guess, extent.IntFact):
            found = extent.join(entry, guess)
            return extent.IntFact(found.lo, found.hi)
        low, high = guess
        if low == "horizon":
            low = None if entry.lo is None or entry.lo < -extent.HORIZON else -extent.HORIZON
        if high == "horizon":
            high = None if entry.hi is None or entry.hi > extent.HORIZON else extent.HORIZON
        return extent.IntFact(
            entry.lo if low == "entry" else low, entry.hi if high == "entry" else high
        )

    def tag(self, picks: list[Any], count: int) -> Scalar:
        """The position among `count` items of what each state has at these positions."""
        known = [pick for pick in picks if pick is not UNDEFINED]
        return one_of(self._join_numbers(picks, known).value, count)

    def phi(self, values: list[Any], type: ArrayType) -> Value:
        """A phi of scalars: operands on the real edges, ghosts only lend their types."""
        phi = Phi(self.target, type, self.hint, self.loc)
        for edge, value in zip(self.edges, values, strict=False):
            phi.args[edge.block] = materialize(value, type, edge.block, self.loc)
        self.target.phis.append(phi)
        return phi.value

    # references and the heap

    def _join_refs(self, values: list[Any]) -> Any:
        known = [(v, s) for v, s in zip(values, self.states, strict=True) if v is not UNDEFINED]
        first = known[0][0]
        if all(same_ref(first, v) for v, _ in known) and all(
            first.cell in s.heap.contents for s in self.states
        ):
            return first if len(known) == len(values) else self._met(first, values)
        contents = [s.heap.contents.get(v.cell) for v, s in known]
        if all(isinstance(c, (Array, Shadow)) for c in contents):
            return self._join_array_refs(values, contents)
        sites.meet(contents, [self.heap.infos[v.cell] for v, _ in known])
        same = variants.same_class if self.apart else variants.same_kind
        if not same(contents):
            return self._apart(values)
        return self._join_cells(values)

    def _met(self, ref: Ref, values: list[Any]) -> Ref:
        """`ref` of some of the paths only: where its view begins and ends was computed there."""
        scalars = [x for step in ref.view for x in step.scalars()]
        if not scalars or self.directions is not None:
            return ref
        places = [self.join([v if v is UNDEFINED else x for v in values]) for x in scalars]
        return Ref(ref.cell, views.with_scalars(ref.view, places))

    def _join_cells(self, values: list[Any]) -> Ref:
        key = tuple(None if v is UNDEFINED else v.cell for v in values)
        if key not in self.cells:
            behind = [x for c in zip(key, self.states) for x in self._leaves(*c)]
            self.cells[key] = self._new_cell(key, behind)
            contents = [
                UNDEFINED if c is None else s.heap.contents[c]
                for c, s in zip(key, self.states, strict=True)
            ]
            met = self.heap.contents[self.cells[key]] = self.join_contents(contents)
            if isinstance(met, Conflict):
                met.sites = sites.of_all([self.heap.infos[c] for c in key if c is not None])
        return Ref(self.cells[key])

    def _new_cell(self, key: tuple[int | None, ...], behind: Iterable[int]) -> int:
        old = [self.heap.infos[c] for c in key if c is not None]
        read_only = next((info.read_only for info in old if info.read_only), "")
        laid = {info.strides for info in old}
        strides = laid.pop() if len(laid) == 1 else views.MIXED
        made_at = frozenset().union(*[info.sites for info in old])
        self.heap.infos.append(CellInfo(old[0].loc, read_only, strides=strides, sites=made_at))
        new = len(self.heap.infos) - 1
        if not self.heap.kept.isdisjoint(key):
            self.heap.kept = self.heap.kept | {new}
        for why in [self.heap.entangled[c] for c in behind if c in self.heap.entangled][:1]:
            self.heap.entangle({new}, *why)  # what it was merged from may be yet another array
        return new

    def _join_array_refs(self, values: list[Any], contents: list[Any]) -> Any:
        key = tuple([None if v is UNDEFINED else (v.cell, v.view) for v in values])
        if key not in self.joined:
            arrays = [self._array(v, s) for v, s in zip(values, self.states, strict=True)]
            if joined_array_type([a for a in arrays if a is not UNDEFINED]) is None:
                return self._apart(values)
            found = unions.join(self, values, arrays, UNDEFINED) if self.exact else None
            if found is None:
                plain = all(
                    v is UNDEFINED or self._is_whole(v, s) for v, s in zip(values, self.states)
                )
                found = (
                    self._join_cells(values)
                    if plain
                    else self._join_views(values, contents, arrays)
                )
            self.joined[key] = found
        return self.joined[key]

    def _is_whole(self, value: Ref, state: Edge) -> bool:
        """Whether a cell can go on in a merged one.  What a shadow that a loop brings back may be
        is seen to when it does (`infer.loops.header`)."""
        if value.view:
            return False
        content = state.heap.contents[value.cell]
        return isinstance(content, Array) or self._is_ghost(state)

    def _is_ghost(self, state: Edge) -> bool:
        return state not in self.edges

    def _array(self, value: Any, state: Edge) -> Any:
        """What a reference shows at the end of a path."""
        if value is UNDEFINED:
            return value
        with building(Builder(state.block.instrs, self.loc)):
            content = resolve(state.heap, state.heap.contents[value.cell])
            return views.apply(value.view, content)

    def _join_views(self, values: list[Any], contents: list[Any], arrays: list[Any]) -> Ref:
        """References through different views: their contents meet, and nobody may write them."""
        cells: dict[int, None] = {}
        for value, state in zip(values, self.states, strict=True):
            if value is not UNDEFINED:
                cells.update(dict.fromkeys([value.cell, *self._behind(value.cell, state)]))
        cell = self._new_cell(tuple(cells), cells)
        self.heap.contents[cell] = self.join_contents(arrays)
        self._entangle({cell, *cells}, contents)
        return Ref(cell)

    def _leaves(self, cell: int | None, state: Edge) -> list[int]:
        """A cell of a state, and those that a shadow there may be."""
        if cell is None:
            return []
        shadow = isinstance(state.heap.contents.get(cell), Shadow)
        return [cell, *(self._behind(cell, state) if shadow else ())]

    def _behind(self, cell: int, state: Edge) -> list[int]:
        """The cells that a shadow may be."""
        with building(Builder([], self.loc)):
            return [ref.cell for ref in alternatives(state.heap, Ref(cell))[1]]

    def _entangle(self, cells: set[int], contents: Iterable[Any] = ()) -> None:
        shadows = [c.place for c in contents if isinstance(c, Shadow)]
        self.heap.entangle(cells, self._may_be_either(), (self.place, *shadows))

    def _may_be_either(self) -> str:
        name = quoted(self.hint).replace("{", "{{").replace("}", "}}") or "the {what}"
        return f"{name} may be one of several objects that are still in use"

    def join_contents(self, contents: list[Any]) -> Content:
        if any(isinstance(c, Shadow) for c in contents):
            return self._join_shadows(contents)
        first = next(c for c in contents if c is not UNDEFINED)
        known = [c for c in contents if c is not UNDEFINED]
        if (hard := next((c for c in known if isinstance(c, Conflict)), None)) is not None:
            return hard
        if isinstance(first, Array):
            return self._join_arrays(contents, known)
        if all(c is first for c in contents):
            return first
        contents = in_one_order(with_all_fields(contents))
        known = [c for c in contents if c is not UNDEFINED]
        first = known[0]
        if not all(map(first.is_like, known)):
            return self.conflict(contents)
        return self.with_parts(first, contents)

    def _join_shadows(self, contents: list[Any]) -> Content:
        refs = [c.refs if isinstance(c, Shadow) else None for c in contents]
        if refs[0] is not None and all(same_refs(r, refs[0]) for r in refs):
            selector = self.join([c.tag for c in contents])
            return (
                contents[0]
                if isinstance(selector, Const)
                else Shadow(selector, refs[0], contents[0].place)
            )
        arrays = []
        for content, state in zip(contents, self.states, strict=True):
            with building(Builder(state.block.instrs, self.loc)):
                arrays.append(resolve(state.heap, content))
            if isinstance(content, Shadow) and not self._is_ghost(state):
                self._entangle(set(content.cells), contents)
        return self.join_contents(arrays)

    def _join_arrays(self, contents: list[Any], known: list[Array]) -> Content:
        first = known[0]
        if not self.vary and all(c.value is first.value for c in known):
            if len(known) == len(contents) and all(c.extents == first.extents for c in known):
                return first
        if not all(isinstance(c, Array) for c in known):
            return self.conflict(contents)
        type = joined_array_type(known)
        if type is None:
            return self.conflict(contents)
        value = self.phi(contents, type)
        return Array(value, self._join_extents(contents, type.shape))

    def _join_extents(
        self, contents: list[Any], bounds: tuple[int, ...]
    ) -> tuple[Scalar | None, ...] | None:
        """Bounded extents meet as numbers; a full dimension is its own size."""
        known = [c for c in contents if c is not UNDEFINED]
        if all(c.extents is None for c in known):
            return None

        def size(content: Any, d: int) -> Any:
            if content is UNDEFINED:
                return UNDEFINED
            extent_ = content.extents[d] if content.extents else None
            return Const(content.shape[d]) if extent_ is None else extent_

        joined = []
        for d in range(known[0].ndim):
            full = all(c.extents is None or c.extents[d] is None for c in known)
            joined.append(None if full else self._size([size(c, d) for c in contents], bounds[d]))
        return tuple(joined)

    def _size(self, sizes: list[Any], bound: int) -> Scalar:
        """The true size of a bounded dimension, which is never more than the bound."""
        found = self.join(sizes)
        if isinstance(found, Const):
            with building(Builder(self.target.instrs, self.loc)):
                value = constant(value=np.asarray(found.value), weak=True)
            return Scalar(value, extent.fact(found.value))
        return Scalar(found.value, extent.meet(extent.fact(found), 0, bound))

    def join_heap(self) -> None:
        """Join the contents of the cells that every state has."""
        base = self.states[0].heap.contents
        others = [s.heap.contents for s in self.states[1:]]
        out = self.heap.contents
        for cell, content in base.items():
            column = [content, *[other.get(cell) for other in others]]
            if _is_each(content, column) and not (self.vary and isinstance(content, Array)):
                out[cell] = content
                continue
            if None in column:
                continue
            outer = self.hint
            self.hint = ""
            self.loc = self.heap.infos[cell].loc
            out[cell] = self.join_contents(column)
            if isinstance(out[cell], Array) and any(isinstance(c, Shadow) for c in column):
                self._entangle({cell}, column)
            self.hint = outer
        for cell in self.partial:
            if cell not in out:
                out[cell] = self.join_contents([c.get(cell, UNDEFINED) for c in (base, *others)])

    def settle(
        self,
        live: Callable[[], Iterable[Any]],
        pinned: Iterable[Any],
        lost: Iterable[int] = (),
    ) -> None:
        """See to the objects that merged references stood for, where others hold them too.

        An array becomes a shadow of the merged cells; where that is not possible (`lost`, or no
        array) neither the object may be written from here on, nor what it was merged to.
        """
        if not self.cells:
            return
        names: dict[int, Any] = {}
        for key, new in self.cells.items():
            for old in dict.fromkeys(c for c in key if c is not None):
                names.setdefault(old, []).append(new)
        held = reachable(self.heap, [*live(), *pinned]) | shadowed(self.heap)
        for old, new in names.items():
            if old in self.heap.entangled:  # by what it was the choice of, where others met
                self.heap.entangle(new, *self.heap.entangled[old])
            if old not in held or old not in self.heap.contents:
                continue
            if old in lost or not self._shadow(old):
                self._entangle({*new, old})
        self._entangle_twins()

    def _entangle_twins(self) -> None:
        """Two merged cells that are one object in some state must not be written."""
        for state in range(len(self.states)):
            found: dict[int, int] = {}
            for key, new in self.cells.items():
                old = key[state] if state < len(key) else None
                if old is not None and found.setdefault(old, new) != new:
                    self._entangle({new, found[old]})

    def _shadow(self, old: int) -> bool:
        """Let `old` be what the merged cell that took its place in each state is, if one did."""
        content = self.heap.contents[old]
        if not isinstance(content, Array) or content.extents is not None:
            return False
        if any(isinstance(state.heap.contents.get(old), Shadow) for state in self.states):
            return False  # on that path it may be what was merged, or not
        places = [
            (key, cell)
            for key, cell in self.cells.items()
            if self._is_like(self.heap.contents[cell], content)
        ]
        if any(old in key and (key, cell) not in places for key, cell in self.cells.items()):
            return False  # merged to an array of bounded extent
        if len(self.states) > len(self.edges) and all(key[-1] != old for key, _ in places):
            return False  # the loop does not bring it back
        cells = tuple([cell for _, cell in places])
        picks = []
        for state in range(len(self.edges)):
            found = [i for i, (key, _) in enumerate(places) if key[state] == old]
            if len(found) > 1 or (not found and self.directions is not None):
                return False
            picks.append(Const(found[0] if found else len(cells)))
        if any(pick.value == len(cells) for pick in picks):
            # On that path no merged name stands for it: it goes on in a cell of its own.
            self.heap.infos.append(self.heap.infos[old])
            cells = (*cells, len(self.heap.infos) - 1)
            self.heap.contents[cells[-1]] = content
        elif self.directions is not None:
            self.target.phis = [p for p in self.target.phis if p.value is not content.value]
        picks += [Const(0)] * (len(self.states) - len(self.edges))
        selector = Scalar(self.phi(picks, python_type(int)), extent.IntFact(0, len(cells) - 1))
        before = None
        if self.directions is None:
            before = content, tuple([self.heap.contents[c] for c in cells])
        refs = tuple([Ref(c) for c in cells])
        self.heap.contents[old] = Shadow(selector, refs, self.place, before)
        return True

    def _is_like(self, content: Any, array: Array) -> bool:
        return isinstance(content, Array) and content.extents is None and content.type == array.type


def _is_each(x: Any, values: Iterable[Any]) -> bool:
    for value in values:  # a loop: this is asked of all that is joined
        if value is not x:
            return False
    return True


def all_equal(values: list[Any]) -> bool:
    first = values[0]
    for value in values:
        if value is first:
            continue
        if type(value) is not type(first):
            return False
        if isinstance(value, np.ndarray):
            return False
        try:
            if not bool(value == first) or str(value) != str(first):
                return False
        except Exception:  # noqa: BLE001 - objects may compare as they like
            return False
    return True


def merge(
    edges: list[Edge],
    live: Iterable[Value],
    hints: list[tuple[str, Location | None]],
    held: Callable[[], Iterable[Any]],
    pinned: Iterable[Any],
    place: Any = None,
    exact: Container[Any] = (),
    grows: bool = False,
    apart: bool = False,
) -> tuple[Edge, tuple[Any, ...]]:
    """Join `edges` in a new block: the state there, and the values of the target's phis.

    live: values whose environment entries go on.  hints: name and location per phi.  held: abstract
    values that callers still need, asked for only when objects merge.  pinned: what the outside
    world can reach.  place: which join this is, done exactly if it is in `exact`.  grows: lists of
    different lengths may meet (`infer.lists.growing`).  apart: values of no one type may.
    """
    if len(edges) == 1:
        return edges[0], edges[0].args
    unify_lists(edges, live, held, pinned, grows)
    target = Block()
    for edge in edges:
        edge.block.terminator = Jump(target, edge.loc)
    target.preds = [edge.block for edge in edges]
    join = Join(edges, target, None, None, place, place in exact, Held(live, held, pinned), apart)
    args = []
    for i, (hint, loc) in enumerate(hints):
        join.hint, join.loc = hint, loc
        args.append(join.join([edge.args[i] for edge in edges]))
    env = {}
    join.hint = ""
    for value in live:
        column = [edge.env.get(value) for edge in edges]
        if column[0] is not None:
            env[value] = join.join(column) if None not in column else column[0]
    join.join_heap()
    join.settle(lambda: [*held(), *env.values(), *args], pinned)
    return Edge(target, join.heap, env, (), edges[0].loc), tuple(args)
