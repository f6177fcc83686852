"""Joins of program states: where paths meet, values that differ become phis.

An *edge* is a path that arrives: an open typed block, its heap, its environment and the operands of
the target's phis.  `merge` joins the edges of a block; the state assumed at a loop header
(`infer.loops.header`) is such a join of the entry edge and of *ghosts*, the states that earlier
passes brought back.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import deciding_test
from pyxla.abstract.heap import CellInfo, Content, Heap, Shadow
from pyxla.abstract.joined import all_equal, joined_array_type
from pyxla.abstract.lattice import (
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
from pyxla.errors import Location
from pyxla.infer.interface import Engine
from pyxla.infer.joins import far, kinds, texts, unions, variants
from pyxla.infer.joins.collections import unify_lists
from pyxla.infer.joins.columns import in_one_order, with_all_fields
from pyxla.infer.joins.conflicts import conflict, quoted
from pyxla.infer.joins.edges import Edge, proved, was
from pyxla.infer.joins.held import Held, Way
from pyxla.infer.joins.numbers import join_numbers, materialize
from pyxla.infer.joins.settling import settle
from pyxla.infer.lists import entries, sites, tuples
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block, Jump, Phi, Value
from pyxla.ir.types import ArrayType
from pyxla.ops.shape import constant
from pyxla.views import views
from pyxla.views.shadows import alternatives, one_of, resolve, same_ref, shown

FEW = 16  # objects that may meet several others


class Join:
    """One merge in progress.

    `vary`: nothing is known yet of what a loop brings back, so every number becomes a phi and every
    array cell varies, but for `still`.  `directions`: per phi of a loop header, how its variable is
    guessed to move.
    """

    def __init__(
        self,
        edges: list[Edge],
        target: Block,
        ghosts: list[Edge] | None = None,
        directions: dict[str | int, Any] | None = None,
        way: Way = Way(),
    ) -> None:
        self.way = way
        self.still: Container[int] = ()
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
        self.shown: set[int] = set()  # cells of what views show, which nobody may write
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
                return self.disagreed(values)
            if v is not UNDEFINED:
                known.append(v)
                numbers = numbers and is_number(v)
        if numbers and known:
            return join_numbers(self, values, known)
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
        if any(map(far.is_dynamic, known)):
            return far.join(self, values, known)
        if (text := texts.join(self, values, UNDEFINED)) is not None:
            return text
        if (found := variants.join_constants(self, values, known)) is not None:
            return found
        if any(map(is_number, known)) and (mixed := kinds.scalars(self, values)) is not None:
            return join_numbers(self, mixed, [v for v in mixed if v is not UNDEFINED])
        values = [taken_apart(v) for v in values]
        first = taken_apart(known[0])
        known = [taken_apart(v) for v in known]
        whole = isinstance(first, (Tuple, Compound)) and all(map(first.is_like, known))
        if not whole or self._is_apart(known, values):
            return self.disagreed(values)
        return self.with_parts(first, values)

    def with_parts(self, first: Any, values: list[Any]) -> Any:
        """Structures like `first`, joined part by part."""
        unknown = (UNDEFINED,) * len(first.parts)
        rows = [unknown if v is UNDEFINED else v.parts for v in values]
        return first.rebuild([self.join(list(column)) for column in zip(*rows, strict=True)])

    def _is_apart(self, known: list[Any], values: list[Any]) -> bool:
        """Whether functions or the like have parts of no one type."""
        compound = self.way.case_split and isinstance(known[0], Compound)
        return compound and not variants.parts_alike(values, self.states)

    def disagreed(self, values: list[Any]) -> Any:
        """Each of values of no one type as it is, or why they cannot be."""
        found = variants.of_kind(self, values, "mixed") if self.way.case_split else None
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
            return joined if kind == "unbound" else self.disagreed(values)
        if kind == "optional" and is_variant(joined, "mixed"):
            return self.disagreed(values)
        there = [has_value(v, kind) for v in values]
        tag = join_numbers(self, there, there)
        if isinstance(tag, Const):
            return joined if tag.value else nothing
        return Variant(kind, tag, (nothing, joined))

    def conflict(self, values: list[Any]) -> Conflict:
        return conflict(values, self.states, self.hint, self.tests())

    def tests(self) -> tuple[Value, ...]:
        """What decides which of the states there is."""
        tests = [deciding_test(state.block) for state in self.states]
        return tuple(dict.fromkeys(test for test in tests if test is not None))

    def tag(self, picks: list[Any], count: int) -> Scalar:
        """The position among `count` items of what each state has at these positions."""
        known = [pick for pick in picks if pick is not UNDEFINED]
        return one_of(join_numbers(self, picks, known).value, count)

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
        same = variants.same_class if self.way.case_split else variants.same_kind
        if not same(contents):
            return self.disagreed(values)
        found = None if self._is_product() else self._join_cells(values)
        return self.conflict(values) if self._is_product() else found

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
            heaps = [state.heap for state in self.states]
            self.cells[key] = self._new_cell(key, heaps, behind)
            contents = [
                UNDEFINED if c is None else s.heap.contents[c]
                for c, s in zip(key, self.states, strict=True)
            ]
            met = self.heap.contents[self.cells[key]] = self.join_contents(contents)
            if isinstance(met, Conflict):
                met.sites = sites.of_all([self.heap.infos[c] for c in key if c is not None])
        return Ref(self.cells[key])

    def _is_product(self) -> bool:
        """Whether more objects meet than there are: those that refer to each other, as the nodes of
        a graph, meet in all combinations, and again where paths meet after that."""
        there = max([len(state.heap.contents) for state in self.states])
        return len(self.cells) > there + FEW

    def _new_cell(
        self, key: tuple[int | None, ...], heaps: Iterable[Heap], behind: Iterable[int]
    ) -> int:
        old = [self.heap.infos[c] for c in key if c is not None]
        read_only = next((info.read_only for info in old if info.read_only), "")
        laid = {info.strides for info in old}
        strides = laid.pop() if len(laid) == 1 else views.MIXED
        made_at = frozenset().union(*[info.sites for info in old])
        info = CellInfo(old[0].loc, read_only, strides=strides, sites=made_at)
        info.otherwise = any(x.otherwise for x in old)
        self.heap.infos.append(info)
        new = len(self.heap.infos) - 1
        for cell, heap in zip(key, heaps, strict=True):
            if cell in heap.kept:
                self.heap.kept = self.heap.kept | {new}
            if cell is not None and ~cell in heap.kept:
                self.heap.kept = self.heap.kept | {~new}
        for why in [self.heap.entangled[c] for c in behind if c in self.heap.entangled][:1]:
            self.heap.entangle({new}, *why)  # what it was merged from may be yet another array
        return new

    def _join_array_refs(self, values: list[Any], contents: list[Any]) -> Any:
        key = tuple([None if v is UNDEFINED else (v.cell, v.view) for v in values])
        if key not in self.joined:
            arrays = [self._array(v, s) for v, s in zip(values, self.states, strict=True)]
            if joined_array_type([a for a in arrays if a is not UNDEFINED], self.way.sizes) is None:
                return self.disagreed(values)
            found = unions.join(self, values, arrays, UNDEFINED) if self.way.exact else None
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
            return shown(state.heap, value)

    def _join_views(self, values: list[Any], contents: list[Any], arrays: list[Any]) -> Ref:
        """References through different views: their contents meet, and nobody may write them."""
        cells: dict[int, None] = {}
        for value, state in zip(values, self.states, strict=True):
            if value is not UNDEFINED:
                cells.update(dict.fromkeys([value.cell, *self._behind(value.cell, state)]))
        cell = self._new_cell(tuple(cells), [self.heap] * len(cells), cells)
        self.heap.contents[cell] = self.join_contents(arrays)
        self.shown.add(cell)
        self.entangle({cell, *cells}, contents)
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

    def entangle(self, cells: set[int], contents: Iterable[Any] = ()) -> None:
        shadows = [c.place for c in contents if isinstance(c, Shadow)]
        self.heap.entangle(cells, self._may_be_either(), (self.way.place, *shadows))

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
            return self.join_arrays(contents, known)
        if all(c is first for c in contents):
            return first
        contents = in_one_order(with_all_fields(contents))
        known = [c for c in contents if c is not UNDEFINED]
        first = known[0]
        if not all(map(first.is_like, known)):
            return self.conflict(contents)
        return self.with_parts(first, contents)

    def _join_shadows(self, contents: list[Any]) -> Content:
        arrays = []
        for content, state in zip(contents, self.states, strict=True):
            with building(Builder(state.block.instrs, self.loc)):
                arrays.append(resolve(state.heap, content))
            if isinstance(content, Shadow) and not self._is_ghost(state):
                self.entangle(set(content.cells), contents)
        return self.join_contents(arrays)

    def join_arrays(self, contents: list[Any], known: list[Array]) -> Content:
        first = known[0]
        if not self.vary and all(c.value is first.value for c in known):
            if len(known) == len(contents) and all(c.extents == first.extents for c in known):
                return first
        type = joined_array_type(known, self.way.sizes)
        if type is None:
            return self.conflict(contents)
        value = self.phi(contents, type)
        return Array(value, self._join_extents(contents, type.shape))

    def _join_extents(
        self, contents: list[Any], bounds: tuple[int, ...]
    ) -> tuple[Scalar | None, ...] | None:
        """Bounded extents meet as numbers; a full dimension is its own size."""
        known = [c for c in contents if c is not UNDEFINED]
        if all(c.extents is None and c.shape == bounds for c in known):
            return None

        def size(content: Any, d: int) -> Any:
            if content is UNDEFINED:
                return UNDEFINED
            extent_ = content.extents[d] if content.extents else None
            return Const(content.shape[d]) if extent_ is None else extent_

        joined = []
        for d, bound in enumerate(bounds):
            full = all(c.shape[d] == bound and _is_full(c, d) for c in known)
            joined.append(None if full else self._size([size(c, d) for c in contents], bound))
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
            for other in others:  # a loop: most cells are the same in all states
                if other.get(cell) is not content:
                    break
            else:
                if not (self.vary and isinstance(content, Array) and cell not in self.still):
                    out[cell] = content
                    continue
            column = [content, *[other.get(cell) for other in others]]
            if None in column:
                continue
            outer = self.hint
            self.hint = ""
            self.loc = self.heap.infos[cell].loc
            out[cell] = self.join_contents(column)
            if isinstance(out[cell], Array) and any(isinstance(c, Shadow) for c in column):
                self.entangle({cell}, column)
            self.hint = outer
        for cell in self.partial:
            if cell not in out:
                out[cell] = self.join_contents([c.get(cell, UNDEFINED) for c in (base, *others)])


def _is_full(x: Array, d: int) -> bool:
    return x.extents is None or x.extents[d] is None


def _is_each(x: Any, values: Iterable[Any]) -> bool:
    for value in values:  # a loop: this is asked of all that is joined
        if value is not x:
            return False
    return True


def merge(
    engine: Engine,
    edges: list[Edge],
    hints: list[tuple[str, Location | None]],
    place: Any,
    held: Callable[[], Iterable[Any]] | None = None,
    live: Iterable[Value] = (),
    exact: bool = True,
    grows: bool = True,
) -> tuple[Edge, tuple[Any, ...]]:
    """Join `edges` in a new block: the state there, and the values of the target's phis.

    hints: name and location per phi.  place: which join this is, done exactly if that is asked for
    and `exact`.  held: abstract values that are still needed, asked for only when objects merge; if
    not those that the engine knows of.  live: values whose environment entries go on.  grows: lists
    of different lengths may meet (`infer.lists.growing`).
    """
    if len(edges) == 1:
        return edges[0], edges[0].args
    held, pinned = held or engine.in_use, engine.captures.pinned
    if grows:
        tuples.unify(edges, engine.demands.arrays)
    names = {value: [edge.env.get(value) for edge in edges] for value in live}
    columns = [*zip(*[edge.args for edge in edges], strict=True), *names.values()]
    entries.unify(engine, edges, columns)
    if grows:
        unify_lists(edges, columns)
    target = Block()
    for edge in edges:
        edge.block.terminator = Jump(target, edge.loc)
    target.preds = [edge.block for edge in edges]
    demands, others = engine.demands, Held(live, held, pinned)
    exact, sizes = exact and place in demands.exact, 0 if demands.rooms else None
    way = Way(place, exact, others, demands.case_split, engine.assume, 0, sizes)
    join = Join(edges, target, way=way)
    args = []
    for i, (hint, loc) in enumerate(hints):
        join.hint, join.loc = hint, loc
        args.append(join.join([edge.args[i] for edge in edges]))
    env = {}
    join.hint = ""
    assumed, told = proved(edges)
    for value, column in names.items():
        if column[0] is not None:
            before = next((x for x in told if was(x, column, edges)), None)
            whole = None not in column and before is None
            env[value] = join.join(column) if whole else before or column[0]
    join.join_heap()
    settle(join, lambda: [*held(), *env.values(), *args], pinned)
    return Edge(target, join.heap, env, (), edges[0].loc, assumed), tuple(args)
