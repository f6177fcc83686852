"""Visiting loops: passes to a fixpoint, one iteration at a time where the data demands it.

A loop is visited under an assumption about the state at its header (`infer.loops.header`) until
what it brings back fits.  Where there is no such state, because the types of the first iteration
differ or because a list grows, one iteration is *peeled* off and the rest tried again; then, or
when someone needs the value of the loop variable, the loop is *unrolled*: each iteration is visited
on its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from typing import Any

from pyxla.abstract.facts.deciding import depends_on
from pyxla.abstract.heap import GrowingList, ObjectCell, ReadOnly, Shadow, Visit, swept
from pyxla.abstract.lattice import (
    SAME_SHAPE,
    SAME_TYPE,
    Array,
    Conflict,
    NeedsStatic,
    Ref,
    is_none,
    is_number,
    number_type,
)
from pyxla.errors import CompileError, InternalError
from pyxla.frontend.recursion import is_of_stack
from pyxla.infer import walking
from pyxla.infer.arrays.room import confine
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.captures import NewCapture
from pyxla.infer.containers import tables
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame, NotKnown
from pyxla.infer.joins import kinds
from pyxla.infer.joins.columns import of_names
from pyxla.infer.joins.conflicts import sort_of
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.held import Held, Way
from pyxla.infer.joins.merge import merge
from pyxla.infer.lists import entries, growth, pools, tuples
from pyxla.infer.lists.growing import OtherShape
from pyxla.infer.lists.items import holds_sizes
from pyxla.infer.loops import exits, unrolling
from pyxla.infer.loops.compact import compact
from pyxla.infer.loops.guesses import (
    Field,
    assigned_fields,
    changed_fields,
    has_test,
    ranges,
    rebinds,
    rebound_fields,
    unread,
    varying_fields,
)
from pyxla.infer.loops.header import LoopHead
from pyxla.infer.loops.marks import Mark, first_line
from pyxla.infer.loops.memory import LoopMemory, Widened, nest_deeper, note_arrays, still_arrays
from pyxla.infer.loops.unrolling import trip_count, try_unroll, unroll, visit_iteration
from pyxla.infer.raising import catching
from pyxla.infer.text import strings
from pyxla.ir.core import Block, Value
from pyxla.ir.dominance import Component

# What a guess that does not hold may lead to, as much else may.
_REFUSALS = (CompileError, Needs, NeedsStatic, NewCapture, NotKnown)
MAX_PASSES = 12
# What is told of names in a loop where elsewhere other words are.
_IN_LOOPS = {
    SAME_TYPE: "keep one type (dtype, shape, structure) per name in a loop",
    SAME_SHAPE: "keep the array whole, and count which part of it is left, as in y[k:] or y[:n]; "
    "or append to a list",
}


def visit_loop(engine: Engine, frame: Frame, component: Component) -> None:
    """Visit a loop; the path that leads to it ends there where it is refused, and left out."""
    edge, args = _loop_entry(engine, frame, component.header)
    edge.args = args
    mark = Mark(engine, frame, edge)
    try:
        _visit(engine, frame, component, edge)
    except (NeedsStatic, CompileError) as refusal:
        places = [x.loc for x in (refusal, getattr(refusal, "otherwise", None)) if x is not None]
        if (path := catching.left_out(engine, *places)) is None:
            raise
        mark.restore()
        engine.enter(edge)
        catching.throw(engine, path[0], refusal=path[1])


def _visit(engine: Engine, frame: Frame, component: Component, edge: Edge) -> None:
    """Visit a loop: as one where its types settle, iteration by iteration where they do not."""
    header = component.header
    source = coroutines.consumed(header, edge.env)
    if coroutines.is_generator(source):
        coroutines.drive(engine, frame, component, edge, source, visit_iteration)
        return
    coroutines.check_one(engine, source)
    count = trip_count(source, edge.heap)
    unrolling.enter_items(engine, edge, source)
    # One iteration is less code than a loop, and what it decides is known.
    few = (count is not None and count <= 1) or coroutines.asks_shortly(engine, frame)
    memory = engine.loop_memory[header]
    memory.unrolled |= not few and unrolling.fills_shortly(engine, component, edge, count)
    if (few or memory.unrolled) and try_unroll(engine, frame, component, edge) is None:
        return
    peeled = False
    while True:
        mark = Mark(engine, frame, edge)
        try:
            conflict = _fixpoint(engine, frame, component, edge)
            if conflict is None:
                return
            mark.forget()
        except NeedsStatic as need:
            value = getattr(need.scalar, "value", None)
            if not (isinstance(value, Value) and depends_on(value, frame.heads[header])):
                raise
            mark.forget()
            unroll(engine, frame, component, edge, need)
            return
        except ReadOnly:
            # In the first iteration `x += y` binds a name that is a `jax.Array` to a new array.
            if peeled or not any(isinstance(x, Ref) and engine.is_jax(x) for x in edge.args):
                raise
            mark.forget()
        except CompileError as error:
            # A function may take arrays of several sizes, each by itself, that takes none for all.
            sized = engine.demands.rooms and header in engine.findings.sizing
            if isinstance(error, InternalError) or not (sized or isinstance(error, OtherShape)):
                raise
            mark.restore()
            unroll(engine, frame, component, edge, error)
            return
        if peeled:
            # Where some instances are in pools, so are all that one name may be.
            split = conflict.among and engine.pools and conflict.demand == "case_split"
            pools.want(engine, conflict.among if split else ())
            refusal = CompileError(
                f"in this loop, {conflict.reason}",
                first_line(header),
                notes=conflict.notes,
                chain=engine.chain(),
                hint=_IN_LOOPS.get(conflict.hint, conflict.hint),
                remedy=conflict.demand + (" pooled" if split else ""),
            )
            if conflict.demand == "pooled":
                engine.findings.over.add(header)
            unroll(engine, frame, component, edge, refusal)
            return
        edge = visit_iteration(engine, frame, component, edge)
        peeled = True
        if edge is None:
            return


def _loop_entry(engine: Engine, frame: Frame, header: Block) -> tuple[Edge, tuple[Any, ...]]:
    edges = frame.pending.pop(header)
    hints = [(phi.value.hint, phi.loc) for phi in header.phis]
    live = frame.ssa.live_in[header]
    edge, args = merge(engine, edges, hints, header, engine.held, live)
    edge.args = args
    compact(engine, edge, live, _fixed(engine, frame))
    args = edge.args
    # A pass looks at every cell: what this function left behind need not be among them.
    names = [edge.env[value] for value in live if value in edge.env]
    roots = [*args, *names, *frame.boxes.values()]
    edge.heap = swept(edge.heap, frame.first, frame.before, roots)
    return edge, args


def _fixed(engine: Engine, frame: Frame) -> set[Value]:
    """What the loops around read of what was before them, and do not bring back."""
    around = [header for header in engine.loops if header in frame.ssa.live_in]
    return {value for header in around for value in frame.ssa.live_in[header]}


def _fixpoint(engine: Engine, frame: Frame, component: Component, entry: Edge) -> Conflict | None:
    """Passes until the state at the header is stable; the conflict if there is none."""
    widened = _widened(engine, component.header, entry)
    if widened.is_risky():
        mark = Mark(engine, frame, entry)
        try:
            if _with_fields(engine, frame, component, entry, widened) is None:
                return None
        except InternalError:
            raise
        except _REFUSALS:
            pass
        mark.restore()
        widened.forget()
    return _with_fields(engine, frame, component, entry, widened)


def _widened(engine: Engine, header: Block, entry: Edge, certain: bool = False) -> Widened:
    """What visits found that began with the same types, inside another loop, whose passes visit it
    again; `certain`: only what is not risky."""
    if not engine.loops:
        return Widened(mistaken=True)
    found = engine.loop_memory[header].widened.setdefault(_entry_key(entry), Widened())
    return found.numbers() if certain and found.is_risky() else found


def _with_fields(
    engine: Engine, frame: Frame, component: Component, entry: Edge, widened: Widened
) -> Conflict | None:
    """As `_fixpoint`, with guesses of the fields that change."""
    fields = _changing_fields(engine, frame, component, entry)
    mark = Mark(engine, frame, entry)
    while fields:
        wrong: Conflict | set[Field] | None
        try:
            wrong = _passes(engine, frame, component, entry, fields, widened)
        except InternalError:
            raise
        except _REFUSALS:
            wrong = fields  # what was assumed to change may be what must be known
        if wrong is None:
            return None
        fields = fields - (fields if isinstance(wrong, Conflict) else wrong)
        names = frozenset([name for _, name in fields])
        memory = engine.loop_memory[component.header]
        memory.fields = names
        memory.arrays &= names
        mark.restore()
    found = _passes(engine, frame, component, entry, fields, widened)
    return found if isinstance(found, Conflict) else None


def _passes(
    engine: Engine,
    frame: Frame,
    component: Component,
    entry: Edge,
    fields: set[Field],
    widened: Widened,
    alone: int = 0,
) -> Conflict | set[Field] | None:
    """As `_fixpoint`, where the loop changes `fields`; those of them that it does not, if any.

    alone: how many iterations before this were visited on their own, as each was the last one by
    what is known of any.
    """
    header = component.header
    hints = [(phi.value.hint, phi.loc) for phi in header.phis]
    live = frame.ssa.live_in[header]
    ghosts: list[Edge] = []
    memory = engine.loop_memory[header]
    directions = {**ranges(header, entry.env, frame.module), **memory.directions}
    if memory.rebound is None:
        memory.rebound, memory.unread = rebinds(header), unread(component.loop)
    rebound, names = memory.rebound, memory.unread
    lost, shared = set[int](), set[int]()
    expected = growth.expected(engine, entry.heap, widened.lists)
    way, guessed = _way(engine, header, live), widened.is_risky()
    mark, visit = Mark(engine, frame, entry), Visit(len(entry.heap.infos))
    for _ in range(MAX_PASSES):
        heap = widened.with_kept(entry.heap)
        start = dataclasses.replace(entry, heap=heap)
        still = still_arrays(memory, heap) if not ghosts else ()
        guess = rebound, names, fields, dict(widened.brought), still
        head = LoopHead(start, ghosts, hints, live, directions, *guess, way)
        head.visit = visit
        if conflicts := head.conflicts(inside=guessed):
            if not guessed:
                engine.findings.meet(conflicts[0], header)
            return conflicts[0]
        head.settle(engine.held, engine.captures.pinned, lost, shared)
        _pass(engine, frame, component, head, to_end=not expected)
        if expected:
            mark.restore()
            growth.grow_as(engine, head, entry, expected)
            mark, expected = Mark(engine, frame, entry), []
            continue
        if (back := frame.pending.pop(header, None)) is None:
            mark.restore()
            return _alone(engine, frame, component, head, entry, fields, alone)
        (edge,) = back
        compact(engine, edge, live, {*live, *_fixed(engine, frame)})
        with _inside(engine, header, visit):  # a pool that is longer by it is the loop's to see to
            entries.unify(engine, (head.ghost, edge), zip(head.args, edge.args, strict=True), 1)
            tuples.unify((head.ghost, edge), False, 1)
            growth.confine(engine, entry, edge, of_names((entry, edge)))
        fits, aliases, reason = _closed(engine, head, edge, set(engine.written[mark.written :]))
        note_arrays(memory, head, edge, fits)
        if fits and (idle := head.idle(edge, fields)):
            return idle
        if fits:
            if cells := growth.doubtful(head, entry, edge):
                mark.restore()
                growth.watch(engine, entry, cells)
                mark, ghosts = Mark(engine, frame, entry), []
                continue
            memory.directions = directions
            exits.leave(engine, frame, component, entry, head, edge, mark)
            if aliases:
                exits.entangle(frame, component, aliases, reason)
            return None
        mark.restore()
        widened.note(head)
        if _unify_lists(engine, head, entry, edge, live, widened):
            mark, ghosts = Mark(engine, frame, entry), []
            continue
        if nest_deeper(visit.depths, edge.args):
            return Conflict(_NESTED, hint=_INSTANCES, demand="unrolled")
        rebound |= head.rebound(edge)
        _remember(memory, head, edge, inside=bool(engine.loops))
        ghosts = [head.ghost, edge]
    return _unsettled(engine, header, head)


def _alone(
    engine: Engine,
    frame: Frame,
    component: Component,
    head: LoopHead,
    entry: Edge,
    fields: set[Field],
    alone: int,
) -> Conflict | set[Field] | None:
    """As `_passes`, where the first iteration, of which all is known, is the last one."""
    first = dataclasses.replace(entry, heap=entry.heap.copy())
    again = visit_iteration(engine, frame, component, first)
    if again is None:
        return None
    if alone == MAX_PASSES:
        return _unsettled(engine, component.header, head)
    # What is known of any iteration excludes a second one; of the first it does not.
    known = _widened(engine, component.header, again, certain=True)
    return _passes(engine, frame, component, again, fields, known, alone + 1)


def _way(engine: Engine, header: Block, live: Iterable[Value]) -> Way:
    """How states meet at a loop's header."""
    held, demands = Held(live, engine.held, engine.captures.pinned), engine.demands
    exact, sizes = header in demands.exact, engine.list_capacity if demands.rooms else None
    return Way(header, exact, held, demands.case_split, engine.assume, strings.room(engine), sizes)


def _unsettled(engine: Engine, header: Block, head: LoopHead) -> Conflict:
    """There is no type in sight for what a loop brings back."""
    named = [head.heap.contents.get(x.cell) for x in head.args if isinstance(x, Ref)]
    lists = [x for x in head.heap.contents.values() if type(x) is GrowingList]
    if any(map(_is_sized, [*named, *lists])):
        engine.findings.sized = True
        engine.findings.sizing.update((*engine.loops, header))
    return Conflict("the types do not settle")


def _is_sized(content: Any) -> bool:
    """Whether data decides the size of an array, or of one in a list."""
    if isinstance(content, GrowingList):
        return holds_sizes(content.item)
    return isinstance(content, Array) and content.extents is not None and not content.kinds


def _closed(
    engine: Engine, head: LoopHead, back: Edge, written: set[int]
) -> tuple[bool, set[int], str]:
    """As `LoopHead.close`, after a test that arrays did not outgrow the room for them."""
    close = partial(head.close, back, _outside(engine, head), written)
    found = close(partial(_aliased, engine, head, back))
    if not head.outgrown:
        return found
    confine(engine, back, head.outgrown)
    return close(partial(_aliased, engine, head, back))


def _aliased(engine: Engine, head: LoopHead, back: Edge, cells: set[int]) -> Exception:
    """What is raised where a loop writes to what may be one of several that are still in use."""
    contents = [back.heap.contents[cell] for cell in sorted(cells)]
    objects = [x for x in contents if not isinstance(x, Array | Shadow)]
    if not objects and not head.join.way.exact:
        return Needs(exact=frozenset({head.join.way.place}))
    what = sort_of(objects[0]) if objects else "array"
    return CompileError(
        f"{'an' if what[0] in 'ao' else 'a'} {what} is changed in a loop in which its name may "
        f"stand for one of several {what}s that are still in use",
        back.loc,
        hint=f"copy the {what} where it is bound (`b = a.copy()`)",
        chain=engine.chain(),
        remedy=entries.remedy(engine, objects),
    )


def _remember(memory: LoopMemory, head: LoopHead, back: Edge, inside: bool) -> None:
    """Note which fields the loop changes; `inside`: another one, whose passes visit it again."""
    memory.arrays |= rebound_fields(head.heap, back.heap)
    if inside:
        memory.fields = (memory.fields or frozenset()) | changed_fields(head.heap, back.heap)


_NESTED = "tuples would nest deeper with each iteration"
_INSTANCES = "make them instances of a class, whose fields refer to others"


def _entry_key(entry: Edge) -> Hashable:
    """The numbers that names are where a loop starts, by type, and which are None."""
    return tuple(
        [
            (number_type(x), kinds.kinds_of(x)) if is_number(x) else is_none(x) is True
            for x in entry.args
        ]
    )


def _changing_fields(engine: Engine, frame: Frame, component: Component, entry: Edge) -> set[Field]:
    """Fields of instances that the loop is guessed to change; those that it does not, a pass finds
    to be idle, and they are as they were before it."""
    contents = entry.heap.contents.values()
    classes = dict.fromkeys([c.cls for c in contents if isinstance(c, ObjectCell)])
    if not classes:
        return set()
    memory = engine.loop_memory[component.header]
    if memory.fields is None:
        foreign = engine.captures.is_foreign
        memory.fields = assigned_fields(component.loop, entry.env, frame.module, classes, foreign)
    # What functions change that are not called by their names, whether a field gets another array,
    # or its array other elements, an earlier visit found out.
    return varying_fields(entry.heap, memory.fields, memory.arrays)


def _unify_lists(
    engine: Engine,
    head: LoopHead,
    entry: Edge,
    back: Edge,
    live: Iterable[Value],
    widened: Widened,
) -> bool:
    """Whether a list that the loop keeps as an array, or lengthens, now is one where it starts."""
    heap, edges = entry.heap, (entry, back)
    tuples.unify(edges, engine.demands.arrays, 0)
    names = [[edge.env.get(value) for edge in edges] for value in live]
    entries.unify(engine, edges, [*zip(entry.args, back.args, strict=True), *names], 0)
    pairs = [*names, *of_names(edges)]
    further = [*tables.unify(edges, pairs), *pairs]
    tabled = entry.heap is not heap
    grown = growth.grow(engine, head, entry, back, further)
    if not widened.mistaken:
        widened.lists |= grown
    if grown or entry.heap is not heap:
        # A loop around that makes the list anew in each iteration has nothing to tell of it.
        oldest = 0 if tabled or not grown else min([x.cell for x in grown.values()])
        outside = zip(engine.loops, engine.visits, strict=True)
        around = [header for header, visit in outside if oldest < visit.cells]
        engine.findings.kept.update((head.join.way.place, *around))
        return True
    return False


def _outside(engine: Engine, head: LoopHead) -> Callable[[], Any]:
    return lambda: [*engine.held(), *engine.captures.pinned, *head.env.values()]


def _pass(
    engine: Engine, frame: Frame, component: Component, head: LoopHead, to_end: bool = True
) -> None:
    header = component.header
    start = head.start()
    engine.enter(start)
    frame.heads[header] = head.block
    if not is_of_stack(header):  # such a loop is never unrolled
        engine.headers[head.block] = header
    frame.env, frame.assumed = start.env, start.assumed
    for phi, value in zip(header.phis, head.args, strict=True):
        frame.env[phi.value] = value
    head.visit.peaks.clear()
    head.visit.passes += 1
    with _inside(engine, header, head.visit):
        engine.visit(frame, header)
        if has_test(component):
            head.test = frame.env.get(header.terminator.cond)
        if to_end:
            walking.walk(engine, frame, component.items[1:])


@contextlib.contextmanager
def _inside(engine: Engine, header: Block, visit: Visit) -> Iterator[None]:
    """What is done meanwhile is done in this visit of a loop."""
    engine.loops.append(header)
    engine.visits.append(visit)
    try:
        yield
    finally:
        engine.loops.pop()
        engine.visits.pop()
