"""Loops that are visited one iteration at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence, Sized
from typing import Any

from pyxla.abstract.heap import DictCell, Heap, ListCell
from pyxla.abstract.lattice import Array, Compound, Const, NeedsStatic, Ref, Scalar, Tuple
from pyxla.errors import CompileError, in_program, is_own
from pyxla.frontend import support
from pyxla.frontend.recursion import is_of_stack
from pyxla.infer import walking
from pyxla.infer.calls import coroutines
from pyxla.infer.demands import SHORT
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame, NotKnown
from pyxla.infer.joins.edges import Edge
from pyxla.infer.lists import entries, pools
from pyxla.infer.lists.item_types import LISTS
from pyxla.infer.loops.marks import Mark, first_line
from pyxla.ir.core import Block, Branch
from pyxla.ir.dominance import Component

_LAZY = frozenset({"enumerate", "map", "pairs", "reversed", "watched", "zip"})


def trip_count(source: Any, heap: Heap) -> int | None:
    """How many items a loop over `source` takes if nothing ends it before, where that is plain."""
    counts = [_count(x, heap) for x in _sources(source)]
    return None if None in counts else min(counts, default=None)


def _sources(source: Any) -> list[Any]:
    """What a loop over `source` reads its items from."""
    if not isinstance(source, Compound) or source.kind not in _LAZY:
        return [source]
    return [x for part in source.in_step for x in _sources(part)]


def _count(source: Any, heap: Heap) -> int | None:
    if isinstance(source, Compound) and source.kind == "range":
        known = [x.value for x in source.items if isinstance(x, Const)]
        source = Const(range(*known)) if len(known) == len(source.items) else source
    if isinstance(source, Const):
        held = source.value
        if isinstance(held, range):  # of which `len` may be too large
            return 1 + (held[-1] - held[0]) // held.step if held else 0
        return len(held) if isinstance(held, Sized) else None
    content = heap.contents.get(source.cell) if isinstance(source, Ref) else source
    if isinstance(content, Array):
        extents = content.extents or (None,)
        return content.type.shape[0] if content.type.shape and extents[0] is None else None
    return len(content.items) if isinstance(content, (Tuple, ListCell)) else None


def fills_shortly(engine: Engine, component: Component, entry: Edge, count: int | None) -> bool:
    """Whether a loop of so many iterations is a comprehension of a list that stays one of items:
    as few as these are no array, so that each is visited on its own in any case."""
    if count is None or count > SHORT or engine.demands.arrays:
        return False
    calls = [x for block in component.loop.blocks for x in block.instrs if len(x.operands) == 3]
    filled = [x.operands[1] for x in calls if _is_append(x.operands[0].owner)]
    contents = [getattr(entry.env.get(x), "cell", None) for x in filled]
    return any(type(entry.heap.contents.get(cell)) is ListCell for cell in contents)


def _is_append(owner: Any) -> bool:
    return getattr(owner, "attrs", {}).get("value") is support.append


def _items(source: Any, heap: Heap) -> Sequence[Any] | None:
    """The items of a tuple, or of a list of known length."""
    if isinstance(source, Ref):
        source = heap.contents.get(source.cell)
    return source.items if isinstance(source, (Tuple, ListCell)) else None


def enter_items(engine: Engine, entry: Edge, source: Any) -> None:
    """Let the dicts that a loop over `source` reads enter their pools."""
    for items in _known_items(source, entry.heap) if engine.pools else ():
        if len(items) > SHORT:
            entries.before_loop(engine, entry, items)


def _known_items(source: Any, heap: Heap) -> list[Sequence[Any]]:
    """The items of tuples and lists of known length that a loop reads its items from."""
    return [_items(x, heap) or () for x in _sources(source)]


def _instances(engine: Engine, source: Any, heap: Heap) -> Sequence[Any]:
    """The items of a loop over instances or dicts that might be in pools, or tuples of such."""
    lists = _known_items(source, heap)
    first = [x for items in lists for x in items[:1]]
    held = [y for x in first for y in (x.items if isinstance(x, Tuple) else (x,))]
    contents = [heap.contents.get(x.cell) for x in held if isinstance(x, Ref)]
    classes = {pools.class_of_object(content) for content in contents}
    dicts = [x for x in contents if type(x) is DictCell and not pools.holds_arrays(heap, x)]
    records = {pools.class_of_object(x) for x in dicts} - {None}
    rows = (classes & engine.findings.classes) | records
    return sum(map(tuple, lists), ()) if rows - engine.demands.pooled else ()


def _code(engine: Engine, over: Sequence[Any]) -> int:
    """How many instructions there are, copies among them where a pool would make do without."""
    return engine.builder.made if over else engine.builder.emitted


MAX_UNROLLED = 4096
MAX_ITERATIONS = 1 << 16  # of loops in each other
MAX_TRIED = 256  # of a loop with more than these, which may end before
MAX_CALLS = 512  # of a function by itself, as iterations of a loop with a stack
MAX_UNDECIDED = 64  # iterations after which data may end the loop


def unroll(
    engine: Engine, frame: Frame, component: Component, entry: Edge, refusal: Exception
) -> None:
    """Visit each iteration on its own; demand the value of the test that does not say when to
    stop, and where there is none, refuse.  Loops with a stack are instead of that, at first."""
    header = component.header
    if is_of_stack(header) and not engine.demands.unrolled:
        if isinstance(refusal, NeedsStatic):
            refusal.remedy = "arrays"
        raise refusal
    test = try_unroll(engine, frame, component, entry)
    if test is not None:
        need = NeedsStatic(test, "the number of iterations of this loop")
        need.remedy = "arrays"
        if isinstance(refusal, NeedsStatic) and not any(type(c) in LISTS for c in refusal.among):
            need.among, need.in_vain = refusal.among, True
        need.loc, need.chain = in_program(entry.loc, engine.chain())
        need.otherwise = refusal if isinstance(refusal, CompileError) else None
        raise need
    engine.loop_memory[header].unrolled = True


def try_unroll(engine: Engine, frame: Frame, component: Component, entry: Edge) -> Any:
    """As `unroll`; the test in question, where iterations do not come to an end."""
    header, around = component.header, engine.iterations
    source = coroutines.consumed(header, entry.env)
    count = trip_count(source, entry.heap) or 1
    engine.iterations *= count
    most = MAX_CALLS if is_of_stack(header) else MAX_UNROLLED
    if not isinstance(source, Ref) and (count > MAX_UNROLLED or engine.iterations > MAX_ITERATIONS):
        most = MAX_TRIED if any(block is not header for block, _ in component.loop.exits) else 0
    try:
        test = _unrolled(engine, frame, component, entry, most)
    finally:
        engine.iterations = around
    if test is None or most == MAX_UNROLLED or (is_of_stack(header) and isinstance(test, Scalar)):
        return test
    engine.findings.long = True
    number = f"{count} " if count > 1 else ""
    within = f", in loops of {around} in all," if around > 1 else ""
    raise CompileError(
        f"what this loop computes must be known while compiling, but its {number}iterations"
        f"{within} are too many to visit one by one",
        first_line(header),
        chain=engine.chain(),
        hint="compute with numbers and arrays what is done with texts, shapes or structures in it",
        remedy="stacks",
    )


def _unrolled(engine: Engine, frame: Frame, component: Component, entry: Edge, most: int) -> Any:
    """As `try_unroll`, of at most so many iterations."""
    mark = Mark(engine, frame, entry)
    edge: Edge | None = dataclasses.replace(entry, heap=entry.heap.copy())
    test: Any = Const(None)
    exits, made, ends = component.loop.exits, 0, False
    total = trip_count(coroutines.consumed(component.header, entry.env), entry.heap) or 0
    total = 0 if any(source is not component.header for source, _ in exits) else total
    doors = list(dict.fromkeys([target for _, target in exits]))
    undecided = all(source is not component.header for source, _ in exits)
    if over := _instances(engine, coroutines.consumed(component.header, entry.env), entry.heap):
        engine.findings.over.add(component.header)
    try:
        for count in range(most):
            left = [len(frame.pending.get(target, ())) for target in doors]
            nest = engine.iterations
            if not engine.findings.iteration(
                component.header, count, nest, made, ends, max(total - count - 1, 0)
            ):
                words = "too many iterations are visited one by one"
                lifts = engine.findings.lifts(component.header) + " stacks"
                hint = "use an array in the place of the list"
                raise engine.refuse(words, hint, remedy=lifts, among=over)
            before = _code(engine, over)
            edge = visit_iteration(engine, frame, component, edge, known=True)
            made = _code(engine, over) - before
            if edge is None:
                loc = first_line(component.header)
                if loc is None or not is_own(loc):
                    engine.unrollings[loc] = count
                return None
            pairs = zip(doors, left, strict=True)
            gone = [edge for target, old in pairs for edge in frame.pending.get(target, [])[old:]]
            ends = bool(gone)
            if undecided and ends and count >= MAX_UNDECIDED:
                raise NotKnown(_test_before(gone[-1].block))
    except NotKnown as unknown:
        test = unknown.test
    mark.restore()
    return test


def _test_before(block: Block) -> Any:
    """What decided that control came here, if it can be seen."""
    ends = [b.terminator for b in (block, *block.preds[-1:]) if isinstance(b.terminator, Branch)]
    return Scalar(ends[0].cond) if ends else Const(None)


def visit_iteration(
    engine: Engine, frame: Frame, component: Component, entry: Edge, known: bool = False
) -> Edge | None:
    """Visit one iteration on its own; the edge into the next one, if there is one."""
    header = component.header
    engine.enter(entry)
    frame.env, frame.assumed = dict(entry.env), entry.assumed
    for phi, value in zip(header.phis, entry.args, strict=True):
        frame.env[phi.value] = value
    engine.visit(frame, header)
    origin = engine.block
    inside = [
        b for b in header.terminator.targets if b in component.loop.blocks and b in frame.pending
    ]
    outside = [b for b in header.terminator.targets if b not in component.loop.blocks]
    if known and inside and any(_left_from(origin, frame.pending.get(b)) for b in outside):
        raise NotKnown(frame.env[header.terminator.cond])
    walking.walk(engine, frame, component.items[1:])
    back = frame.pending.pop(header, None)
    if back is None:
        return None
    return back[0]


def _left_from(origin: Block, edges: list[Edge] | None) -> bool:
    """Whether the last of `edges` was made by the branch that ends `origin`."""
    return bool(edges) and origin in (*edges[-1].block.preds[-1:], edges[-1].block)
