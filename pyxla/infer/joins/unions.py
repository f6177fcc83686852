"""Exact joins: a name that is one of several arrays, and may be written to.

Where paths meet, a name that they bind to different arrays gets a new cell of the joined contents,
and the old cells are looked after as well as can be (`settling.settle`).  That costs nothing
where nobody writes.  Where somebody does, inference starts again, and joins *exactly* there: the
name's cell becomes a shadow (`heap.Shadow`) of the arrays themselves, which stay as they are.

    plain join   the shadow is one of the arrays that the paths bring
    loop         of those that the name is bound to before the loop and that the loop brings back,
                 or of `own`, a cell for an array that the loop makes anew in each iteration

Names that an iteration may leave with one new array (`best = x`) are *twins*: each may be what any
of the others made, too.  Where the loop starts again, the first of the names that has an array
keeps it in its own cell, and the others are found to be that.

Run-time ints inside views (`A[i]`) are phis of the shadow's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import READ_ONLY, CellInfo, Heap, Shadow
from pyxla.abstract.lattice import Array, Const, Ref, Scalar, Variant
from pyxla.frozen import dataclass
from pyxla.infer.joins.variants import pick
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Block
from pyxla.ir.types import python_type
from pyxla.ops.elementwise import and_, compare, select
from pyxla.views import views
from pyxla.views.shadows import alternatives, chosen, number, one_of, same_object, shown

_ANY = Scalar(None)  # type: ignore[arg-type]


@dataclass(slots=True, eq=False)
class Union:
    """A loop's shadow in `cell`: `refs` what it may be, by their `keys`; `own` the cell of what is
    made anew, or None; `sizes` the phis of the ints in views; `twins` this and the others that may
    have its array, in order, whose own cells come after its own in the shadow."""

    cell: int
    tag: Scalar
    refs: list[Ref]
    keys: list[Any]
    own: int | None
    sizes: list[list[Scalar]] = field(default_factory=list)
    twins: list[Union] = field(default_factory=list)

    def place(self, twin: Union) -> int:
        """Where the own cell of a twin is among what this may be."""
        if twin is self:
            return len(self.keys)
        return len(self.keys) + 1 + [t for t in self.twins if t is not self].index(twin)


def key_of(ref: Ref) -> Any:
    """`ref` but for the run-time ints in its view."""
    count = sum(len(step.scalars()) for step in ref.view)
    return ref.cell, views.with_scalars(ref.view, [_ANY] * count) if count else ref.view


def sizes_of(ref: Ref) -> list[Scalar]:
    return [size for step in ref.view for size in step.scalars()]


def aliases(heap: Heap, value: Ref, block: Block, loc: Any) -> Variant:
    """The arrays that a name may be in one state."""
    with building(Builder(block.instrs, loc)):
        tag, leaves = alternatives(heap, value)
    return Variant("alias", tag, tuple(leaves))


def size(state: Variant, keys: Sequence[Any], key: Any, index: int, block: Block, loc: Any) -> Any:
    """Int `index` of the view of the leaf with this key; None where the state has none."""
    given = [sizes_of(leaf)[index] for leaf, k in zip(state.items, keys, strict=True) if k == key]
    if not given:
        return None
    if all(g is given[0] for g in given):
        return given[0]
    every = [
        sizes_of(leaf)[index].value if k == key else given[0].value
        for leaf, k in zip(state.items, keys, strict=True)
    ]
    with building(Builder(block.instrs, loc)):
        return Scalar(chosen(state.tag, every), _bounds(given))


def _bounds(given: Sequence[Scalar]) -> Any:
    """What holds of each of these ints, without reference to others."""
    facts = [extent.fact(g) for g in given]
    lows, highs = [f.lo for f in facts], [f.hi for f in facts]
    low = None if None in lows else min(lows)
    high = None if None in highs else max(highs)
    return None if low is None and high is None else extent.IntFact(low, high)


def strides(heap: Heap, ref: Ref) -> Any:
    """How what `ref` shows lies in memory."""
    info = heap.infos[ref.cell]
    if info.strides == views.MIXED:
        return views.MIXED
    return views.layout(heap.contents[ref.cell].type, ref.view, info.strides).strides


def info_of(heap: Heap, refs: Sequence[Ref]) -> CellInfo:
    """What holds of a cell that is one of `refs`, of one state each or of several."""
    infos = [heap.infos[ref.cell] for ref in refs]
    read_only = next((info.read_only for info in infos if info.read_only), "")
    if not all(step.writable for ref in refs for step in ref.view):
        read_only = read_only or READ_ONLY
    return CellInfo(infos[0].loc, read_only, otherwise=any(x.otherwise for x in infos))


def join(join: Any, values: Sequence[Any], arrays: Sequence[Any], undefined: Any) -> Ref | None:
    """The shadow that a name is which has these values, `arrays` by value, in the states of `join`;
    None where there is none."""
    states = join.states
    looked = [
        None if v is undefined else aliases(s.heap, v, s.block, join.loc)
        for v, s in zip(values, states, strict=True)
    ]
    loop = join.directions is not None
    before = states[0].heap.contents
    refs: dict[Any, Ref] = {}
    laid, own = set(), False
    for state, seen in zip(states, looked, strict=True):
        for leaf in seen.items if seen else ():
            laid.add(strides(state.heap, leaf))
            if loop and leaf.cell not in before:
                own = True
            else:
                refs.setdefault(key_of(leaf), leaf)
    if not own and len(refs) < 2:
        return None
    keys = list(refs)
    info = info_of(join.heap, [leaf for seen in looked if seen for leaf in seen.items])
    info.strides = laid.pop() if len(laid) == 1 else views.MIXED
    edges = list(zip(looked, states, strict=True))[: len(join.edges)]
    joined = [_carried(join, key, ref, edges, undefined) for key, ref in refs.items()]
    cell = _own_cell(join, looked, arrays, info) if own else None
    if cell is not None:
        joined.append(Ref(cell))
    picks: list[Any] = [Const(0)] * len(states)
    for i, (seen, state) in enumerate(edges):
        if seen is not None:
            places = [keys.index(key_of(leaf)) for leaf in seen.items]
            picks[i] = pick(seen, places, state.block, join.loc)
    selector = one_of(join.phi(picks, python_type(int)), len(joined))
    join.heap.infos.append(info)
    new = len(join.heap.infos) - 1
    join.heap.contents[new] = Shadow(selector, tuple(joined))
    join.partial.update(ref.cell for ref in refs.values())
    if loop:
        sizes = [sizes_of(ref) for ref in joined]
        join.unions[new] = Union(new, selector, joined[: len(keys)], keys, cell, sizes)
    return Ref(new)


def pair_up(join: Any, shared: Iterable[int]) -> None:
    """Make twins of those of a loop's shadows, by number, that were found to share arrays."""
    groups: dict[Any, list[Union]] = {}
    for which, union in enumerate(join.unions.values()):
        if which in shared and union.own is not None:
            made = join.heap.contents[union.own]
            if isinstance(made, Array) and made.extents is None:
                key = made.type, str(join.heap.infos[union.own].strides)
                groups.setdefault(key, []).append(union)
    for twins in groups.values():
        for union in twins:
            union.twins = twins
            refs = join.heap.contents[union.cell].refs
            refs += tuple([Ref(twin.own) for twin in twins if twin is not union])
            union.tag = one_of(union.tag.value, len(refs))
            join.heap.contents[union.cell] = Shadow(union.tag, refs)


def sharing(join: Any, cells: dict[int, set[int]]) -> set[int]:
    """Those of a loop's shadows, by number, that come back with one array; `cells`: by the cell it
    came back in, where it is at the header."""
    own = {u.own: which for which, u in enumerate(join.unions.values()) if u.own is not None}
    found: set[int] = set()
    for templates in cells.values():
        twins = {own[cell] for cell in templates if cell in own}
        found |= twins if len(twins) > 1 else set()
    return found


def _carried(join: Any, key: Any, ref: Ref, edges: Sequence[Any], undefined: Any) -> Ref:
    """`ref` with its run-time ints as phis."""
    carried = []
    for index, given in enumerate(sizes_of(ref)):
        column = []
        for seen, state in edges:
            keys = [key_of(leaf) for leaf in seen.items] if seen else []
            known = size(seen, keys, key, index, state.block, join.loc) if seen else None
            column.append(undefined if known is None else known)
        bounds = None if join.directions is not None else _bounds([given])
        carried.append(Scalar(join.phi(column, python_type(int)), bounds))
    return Ref(ref.cell, views.with_scalars(ref.view, carried)) if carried else ref


def _own_cell(join: Any, looked: Any, arrays: Any, info: CellInfo) -> int:
    """A cell for the array that a loop makes anew."""
    own = CellInfo(info.loc, "", None, info.strides, otherwise=info.otherwise)
    join.heap.infos.append(own)
    cell = len(join.heap.infos) - 1
    join.heap.contents[cell] = join.join_contents(arrays)
    for leaf in [leaf.cell for seen in looked if seen for leaf in seen.items]:
        if leaf not in join.states[0].heap.contents and leaf in join.heap.entangled:
            join.heap.entangle({cell}, *join.heap.entangled[leaf])
    return cell


def close(fit: Any, union: Union, back: Ref) -> bool:
    """Connect the phis of a loop's shadow to what the loop brings back; False if it is none of
    what it may be."""
    edge = fit.back
    if not isinstance(back, Ref):
        return _unused(fit, union, back)
    seen = aliases(edge.heap, back, edge.block, edge.loc)
    keys = [key_of(leaf) for leaf in seen.items]
    before = fit.head.entry.heap.contents
    places, contents = [], []
    # Where nothing leads to it any more, its contents do not matter.
    made = fit.head.heap.contents
    kept = None if union.own is None else edge.heap.contents.get(union.own, made[union.own])
    for leaf, key in zip(seen.items, keys, strict=True):
        known = key in union.keys
        fresh = leaf.cell not in before and union.own is not None
        if not known and not fresh:
            return False
        places.append(union.keys.index(key) if known else len(union.keys))
        contents.append(kept if known else _taken(fit, union, leaf))
    picked = pick(seen, places, edge.block, edge.loc)
    fit.value(union.tag, _met(fit, union, back, picked))
    if union.own is not None:
        with building(Builder(edge.block.instrs, edge.loc)):
            content = _content(seen, contents)
        fit.content(fit.head.heap.contents[union.own], content)
    for key, phis in zip(union.keys, union.sizes, strict=False):
        for index, phi in enumerate(phis):
            known = size(seen, keys, key, index, edge.block, edge.loc)
            fit.value(phi, phi if known is None else known)
    return True


def _met(fit: Any, union: Union, back: Ref, picked: Any) -> Any:
    """`picked`, or the own cell of the first twin that comes back with the same array."""
    earlier = union.twins[: union.twins.index(union)] if union.twins else []
    with building(Builder(fit.back.block.instrs, fit.back.loc)):
        for twin in reversed(earlier):
            other = fit.unions.get(twin.cell)
            same = same_object(fit.back.heap, back, other) if isinstance(other, Ref) else None
            if same is None or (isinstance(same, Const) and not same.value):
                continue
            mine = number(picked.value) if isinstance(picked, Const) else picked.value
            its = number(union.place(twin))
            own = compare(mine, number(len(union.keys)), direction="GE")
            hit = own if isinstance(same, Const) else and_(own, same.value)
            picked = one_of(select(hit, its, mine), len(union.keys) + len(union.twins))
    return picked


def _unused(fit: Any, union: Union, undefined: Any) -> bool:
    """Nothing comes back: what the shadow is is never looked at."""
    for phi in (union.tag, *[phi for phis in union.sizes for phi in phis]):
        fit.value(phi, undefined)
    if union.own is not None:
        fit.content(fit.head.heap.contents[union.own], undefined)
    return True


def _content(seen: Variant, contents: list[Any]) -> Array:
    if all(c is contents[0] for c in contents):
        return contents[0]
    return Array(chosen(seen.tag, [c.value for c in contents]), contents[0].extents)


def _taken(fit: Any, union: Union, leaf: Ref) -> Array:
    """The contents of an array made in this iteration, which goes on as the shadow's own."""
    edge = fit.back
    own = union.twins[0].own if union.twins else union.own
    aliases = fit.cells.setdefault(leaf.cell, set())
    aliases.update({union.own, leaf.cell} if leaf.view else {own})
    with building(Builder(edge.block.instrs, edge.loc)):
        return shown(edge.heap, leaf)
