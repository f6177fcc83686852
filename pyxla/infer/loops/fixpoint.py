"""Visiting loops: passes to a fixpoint, one iteration at a time where the data demands it.

A loop is visited under an assumption about the state at its header (`infer.loops.header`) until
what it brings back fits.  Where there is no such state, because the types of the first iteration
differ or because a list grows, one iteration is *peeled* off and the rest tried again; then, or
when someone needs the value of the loop variable, the loop is *unrolled*: each iteration is visited
on its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from pyxla.errors import CompileError, InternalError
from pyxla.frontend.recursion import is_of_stack
from pyxla.infer import walking
from pyxla.infer.arrays.room import confine
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.captures import NewCapture
from pyxla.infer.containers import tables
from pyxla.infer.demands import Needs
from pyxla.infer.engine import Engine
from pyxla.infer.facts.deciding import depends_on
from pyxla.infer.frame import Frame, NotKnown
from pyxla.infer.heap import GrowingList, ObjectCell, ReadOnly, Visit, swept
from pyxla.infer.joins import kinds
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.held import Held, Way
from pyxla.infer.joins.merge import merge
from pyxla.infer.lattice import (
    SAME_SHAPE,
    SAME_TYPE,
    Array,
    Conflict,
    NeedsStatic,
    Ref,
    Tuple,
    Variant,
    is_none,
    is_number,
    is_variant,
    may_be_unbound,
    number_type,
)
from pyxla.infer.lists import growth
from pyxla.infer.lists.growing import OtherShape
from pyxla.infer.lists.items import holds_sizes
from pyxla.infer.loops.compact import compact
from pyxla.infer.loops.guesses import (
    Field,
    assigned_fields,
    changed_fields,
    ranges,
    rebinds,
    rebound_fields,
    unread,
    varying_fields,
)
from pyxla.infer.loops.header import LoopHead
from pyxla.infer.loops.marks import Mark, edges_out, first_line
from pyxla.infer.loops.memory import LoopMemory, note_arrays, still_arrays
from pyxla.infer.loops.unrolling import trip_count, try_unroll, unroll, visit_iteration
from pyxla.infer.text import strings
from pyxla.ir.core import Block, Branch, Value, replaced
from pyxla.ir.dominance import Component

MAX_PASSES = 12
MAX_NESTED = 6  # passes of which each brings a tuple that nests one deeper than before
# What is told of names in a loop where elsewhere other words are.
_IN_LOOPS = {
    SAME_TYPE: "keep one type (dtype, shape, structure) per name in a loop",
    SAME_SHAPE: "keep the array whole, and count which part of it is left, as in y[k:] or y[:n]; "
    "or append to a list",
}


def visit_loop(engine: Engine, frame: Frame, component: Component) -> None:
    """Visit a loop: as one where its types settle, iteration by iteration where they do not."""
    header = component.header
    edge, args = _loop_entry(engine, frame, header)
    edge.args = args
    source = coroutines.consumed(header, edge.env)
    if coroutines.is_generator(source):
        coroutines.drive(engine, frame, component, edge, source, visit_iteration)
        return
    count = trip_count(source, edge.heap)
    # One iteration is less code than a loop, and what it decides is known.
    alone = engine.loop_memory[header].unrolled or (count is not None and count <= 1)
    if alone and try_unroll(engine, frame, component, edge) is None:
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
            refusal = CompileError(
                f"in this loop, {conflict.reason}",
                first_line(header),
                notes=conflict.notes,
                chain=engine.chain(),
                hint=_IN_LOOPS.get(conflict.hint, conflict.hint),
                remedy=conflict.demand,
            )
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
    fields = _changing_fields(engine, frame, component, entry)
    mark = Mark(engine, frame, entry)
    while fields:
        wrong: Conflict | set[Field] | None
        try:
            wrong = _passes(engine, frame, component, entry, fields)
        except InternalError:
            raise
        except (CompileError, Needs, NeedsStatic, NewCapture, NotKnown):
            wrong = fields  # what was assumed to change may be what must be known
        if wrong is None:
            return None
        fields = fields - (fields if isinstance(wrong, Conflict) else wrong)
        names = frozenset([name for _, name in fields])
        memory = engine.loop_memory[component.header]
        memory.fields = names
        memory.arrays &= names
        mark.restore()
    found = _passes(engine, frame, component, entry, fields)
    return found if isinstance(found, Conflict) else None


def _passes(
    engine: Engine, frame: Frame, component: Component, entry: Edge, fields: set[Field]
) -> Conflict | set[Field] | None:
    """As `_fixpoint`, where the loop changes `fields`; those of them that it does not, if any."""
    header = component.header
    hints = [(phi.value.hint, phi.loc) for phi in header.phis]
    live = frame.ssa.live_in[header]
    ghosts: list[Edge] = []
    memory = engine.loop_memory[header]
    directions: dict[str | int, Any] = dict(ranges(header, entry.env, frame.module))
    directions |= memory.directions
    if memory.rebound is None:
        memory.rebound, memory.unread = rebinds(header), unread(component.loop)
    rebound, names = memory.rebound, memory.unread
    lost, shared = set[int](), set[int]()
    brought = memory.brought.setdefault(_entry_key(entry), {})
    held, demands = Held(live, engine.held, engine.captures.pinned), engine.demands
    exact, sizes = header in demands.exact, engine.list_capacity if demands.rooms else None
    way = Way(header, exact, held, demands.apart, engine.assume, strings.room(engine), sizes)
    mark, visit = Mark(engine, frame, entry), Visit()
    for _ in range(MAX_PASSES):
        heap = entry.heap.copy()
        start = dataclasses.replace(entry, heap=heap)
        still = still_arrays(memory, heap) if not ghosts else ()
        guess = rebound, names, fields, dict(brought) if engine.loops else {}, still
        head = LoopHead(start, ghosts, hints, live, directions, *guess, way)
        head.visit = visit
        if conflicts := head.conflicts():
            engine.findings.meet(conflicts[0], header)
            return conflicts[0]
        head.settle(engine.held, engine.captures.pinned, lost, shared)
        _pass(engine, frame, component, head)
        back = frame.pending.pop(header, None)
        if back is None:  # the first iteration, of which all is known, is the last one
            mark.restore()
            first = dataclasses.replace(entry, heap=entry.heap.copy())
            again = visit_iteration(engine, frame, component, first)
            if again is None:
                return None
            # What is known of any iteration excludes a second one; of the first it does not.
            return _passes(engine, frame, component, again, fields)
        (edge,) = back
        compact(engine, edge, live, {*live, *_fixed(engine, frame)})
        written = set(engine.written[mark.written :])
        fits, aliases, reason = _closed(engine, head, edge, written)
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
            _settle_exits(engine, frame, component, entry, head, edge, mark)
            _retype_exits(frame, component, head.retyped, mark.pending)
            _bind(engine, frame, component, entry, head, edge)
            _settle_kinds(engine, frame, component, entry, head, edge)
            if aliases:
                _entangle_exits(frame, component, aliases, reason)
            return None
        mark.restore()
        if _unify_lists(engine, head, entry, edge, live):
            mark, ghosts = Mark(engine, frame, entry), []
            continue
        if _nest_deeper(visit.depths, edge.args):
            return Conflict(_NESTED, hint=_INSTANCES, demand="unrolled")
        rebound |= head.rebound(edge)
        _remember(memory, head, edge, inside=bool(engine.loops))
        brought.update(head.mismatched)
        ghosts = [head.ghost, edge]
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
    found = head.close(back, _outside(engine, head), written)
    if not head.outgrown:
        return found
    confine(engine, back, head.outgrown)
    return head.close(back, _outside(engine, head), written)


def _settle_exits(
    engine: Engine,
    frame: Frame,
    component: Component,
    entry: Edge,
    head: LoopHead,
    back: Edge,
    mark: Mark,
) -> None:
    """What is known of arrays and lists behind a loop."""
    leaving = edges_out(engine, frame, component, mark)
    head.restore(back, leaving)
    growth.settle(head, entry, back, _ended(frame, component, mark))
    growth.watch_exits(engine, leaving, head.visit)


def _remember(memory: LoopMemory, head: LoopHead, back: Edge, inside: bool) -> None:
    """Note which fields the loop changes; `inside`: another one, whose passes visit it again."""
    memory.arrays |= rebound_fields(head.heap, back.heap)
    if inside:
        memory.fields = (memory.fields or frozenset()) | changed_fields(head.heap, back.heap)


_NESTED = "tuples would nest deeper with each iteration"
_INSTANCES = "make them instances of a class, whose fields refer to others"


def _nest_deeper(depths: list[int], args: Sequence[Any]) -> bool:
    """Whether each of several passes, `depths` by now, brings tuples that nest deeper."""
    depths.append(max(map(_depth, args), default=0))
    return len(depths) >= MAX_NESTED and depths == sorted({*depths})


def _depth(x: Any) -> int:
    """How deep tuples nest."""
    if isinstance(x, Tuple | Variant):
        return 1 + max(map(_depth, x.parts), default=0)
    return 0


def _entry_key(entry: Edge) -> Hashable:
    """The numbers that names are where a loop starts, by type."""
    return tuple(
        [(number_type(x), kinds.kinds_of(x)) if is_number(x) else None for x in entry.args]
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
    engine: Engine, head: LoopHead, entry: Edge, back: Edge, live: Iterable[Value]
) -> bool:
    """Whether a list that the loop keeps as an array, or lengthens, now is one where it starts."""
    heap = entry.heap
    names = [[entry.env.get(value), back.env.get(value)] for value in live]
    pairs = [*zip(entry.args, back.args, strict=True), *names]
    further = tables.unify((entry, back), pairs)
    if growth.grow(engine, head, entry, back, further) or entry.heap is not heap:
        engine.findings.kept.update((head.join.way.place, *engine.loops))
        return True
    return False


def _outside(engine: Engine, head: LoopHead) -> Callable[[], Any]:
    return lambda: [*engine.held(), *engine.captures.pinned, *head.env.values()]


def _pass(engine: Engine, frame: Frame, component: Component, head: LoopHead) -> None:
    header = component.header
    start = head.start()
    engine.enter(start)
    frame.heads[header] = head.block
    if not is_of_stack(header):  # such a loop is never unrolled
        engine.headers[head.block] = header
    frame.env, frame.assumed = start.env, start.assumed
    for phi, value in zip(header.phis, head.args, strict=True):
        frame.env[phi.value] = value
    engine.loops.append(header)
    engine.visits.append(head.visit)
    head.visit.peaks.clear()
    try:
        engine.visit(frame, header)
        if _is_test(component):
            head.test = frame.env.get(header.terminator.cond)
        walking.walk(engine, frame, component.items[1:])
    finally:
        engine.loops.pop()
        engine.visits.pop()


def _is_test(component: Component) -> bool:
    """Whether the branch at the header is the loop's test, which goes on where it holds: that of
    `while True`, or of calls in a loop, may be one that the body starts with."""
    end, inside = component.header.terminator, component.loop.blocks
    return isinstance(end, Branch) and [t in inside for t in end.targets] == [True, False]


def _goes_in(engine: Engine, frame: Frame, component: Component, entry: Edge) -> bool:
    """Whether the first test of the loop is known to enter it."""
    mark = Mark(engine, frame, entry)
    scratch = Block("scratch")
    engine.enter(Edge(scratch, entry.heap.copy(), {}))
    frame.env, frame.assumed = dict(entry.env), entry.assumed
    header = component.header
    for phi, value in zip(header.phis, entry.args, strict=True):
        frame.env[phi.value] = value
    try:
        engine.visit(frame, header)
    except (CompileError, NeedsStatic):
        pass
    targets = header.terminator.targets if header.terminator else ()
    reached = [b for b in targets if len(frame.pending.get(b, ())) > mark.pending.get(b, 0)]
    mark.forget()
    return len(reached) == 1 and reached[0] in component.loop.blocks


def _retype_exits(
    frame: Frame, component: Component, retyped: dict[int, Any], before: dict[Block, int]
) -> None:
    """Names that the loop does not read leave it as what they turned out to be at its header."""
    places = {component.header.phis[i].value: new for i, new in retyped.items()}
    if not places:
        return
    for source, target in component.loop.exits:
        for k, phi in enumerate(target.phis):
            new = places.get(phi.args[source])
            if new is None:
                continue
            for edge in frame.pending.get(target, [])[before.get(target, 0) :]:
                edge.args = replaced(edge.args, k, new)


def _ended(frame: Frame, component: Component, mark: Mark) -> list[Edge]:
    """The edges on which control left the loop by its test."""
    outside = [t for t in component.header.terminator.targets if t not in component.loop.blocks]
    return [
        edge
        for target in outside
        if len(target.preds) == 1
        for edge in frame.pending.get(target, [])[mark.pending.get(target, 0) :]
    ]


def _bind(
    engine: Engine, frame: Frame, component: Component, entry: Edge, head: LoopHead, back: Edge
) -> None:
    """Names that each iteration binds, or binds to what is not None, are bound after a loop that is
    entered for certain, and not None."""
    bound = {}
    for x, y in zip(head.args, back.args, strict=True):
        there = is_variant(x, "optional") and is_none(y) is False
        if there or (is_variant(x, "unbound") and not may_be_unbound(y)):
            bound[id(x)] = x.value
    if bound and _goes_in(engine, frame, component, entry):
        for edge in _tested(frame, component):
            edge.args = tuple([bound.get(id(a), a) for a in edge.args])


def _tested(frame: Frame, component: Component) -> Iterator[Edge]:
    """The edges out of the loop by its test."""
    for target in component.header.terminator.targets:
        if target not in component.loop.blocks:
            yield from frame.pending.get(target, ())


def _settle_kinds(
    engine: Engine, frame: Frame, component: Component, entry: Edge, head: LoopHead, back: Edge
) -> None:
    """After a loop that is entered for certain, numbers are of the kind that it brings back."""
    pairs = zip(head.args, back.args, strict=True)
    known = [(x, kinds.settled(x, y)) for x, y in pairs if getattr(x, "kinds", None)]
    settled = {id(x): y for x, y in known if y is not None}
    if settled and _goes_in(engine, frame, component, entry):
        for edge in _tested(frame, component):
            edge.args = tuple([settled.get(id(a), a) for a in edge.args])
            edge.env = {key: settled.get(id(a), a) for key, a in edge.env.items()}


def _entangle_exits(frame: Frame, component: Component, cells: set[int], reason: str) -> None:
    for _, target in component.loop.exits:
        for edge in frame.pending.get(target, ()):
            edge.heap.entangle(cells, reason, (component.header,))
