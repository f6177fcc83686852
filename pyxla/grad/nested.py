"""A function of the program in a graph of its own: what transformations are made of.

    visit(engine, params, call)  -> Nested: the region of `call`, its result as a tree
    emit(engine, nested, region) -> the code of a region made from it, in the place of the call

The graph sees the heap and the values around it, so that closures over anything need nothing
special; what it writes stays inside: transformed functions work on copies.  What it raises is a
status among its results, which the program around it tests and raises again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from pyxla.abstract.heap import BoxCell, ObjectCell, reachable
from pyxla.abstract.lattice import UNDEFINED, Compound, Const, Ref, Scalar
from pyxla.frozen import dataclass
from pyxla.grad.trees import (
    Leaf,
    Tree,
    are_pooled,
    flatten,
    leaves,
    like,
    moved,
    rebuild,
    values_of,
)
from pyxla.guards.places import STREAM
from pyxla.infer.calls.region import graph
from pyxla.infer.engine import Engine
from pyxla.infer.joins.endings import ended, visited
from pyxla.infer.raising.catching import Raised, raise_unless
from pyxla.ir.core import Block, Region, Return, Value
from pyxla.ir.rewrite import inline
from pyxla.ir.types import I32
from pyxla.lib.random.state import STATES
from pyxla.lower.outline import outline
from pyxla.lower.simplify import simplify
from pyxla.ops.elementwise import compare
from pyxla.ops.filled import constant, filled
from pyxla.ops.sticky import flag

EMPTY: Mapping[Leaf, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Nested:
    """A visited call.

    region: parameters as given to `visit`; its results are the values of `at`, by position, and it
    uses what is around it freely.  result: None where it never returns.  raised: exceptions as
    trees.  kept: cells of the program around it that do change, see `_kept`.  flags: the word of
    its sticky flags, among the results.
    """

    region: Region
    result: Tree | None
    at: dict[Value, int]
    status: Value | None
    raised: tuple[tuple[Raised, Tree], ...]
    kept: tuple[tuple[int, Tree], ...]
    flags: Value | None = None

    def index(self, leaf: Leaf) -> int | None:
        """The result that holds a leaf's value; None of a constant."""
        found = values_of(leaf)
        return self.at[found[0]] if found else None

    def keep(self, engine: Engine, leaf: Callable[[Leaf], Any]) -> None:
        """What the program around the call sees of it besides the result."""
        for cell, tree in self.kept:
            made = rebuild(engine, tree, leaf)
            engine.set_content(cell, engine.heap.contents[made.cell])


def visit(engine: Engine, params: Sequence[Value], call: Callable[[], Any]) -> Nested:
    """Visit `call`, which may use `params`, in a graph of its own."""
    entry, known = Block("nested"), len(engine.heap.infos)
    with _apart(engine, entry):
        raised = len(engine.raised)
        edges = visited(engine, call)
        paths, engine.raised[raised:] = engine.raised[raised:], []
        end = ended(engine, edges, paths)
        status, result, exceptions = end.status, end.result, end.raised
        tree = None if result is UNDEFINED else flatten(engine, result)
        if tree is not None:
            _check_result(engine, tree, known)
        code = None if status is None else _number(status)
        sites = tuple([(path, flatten(engine, path.exception)) for path in exceptions])
        kept = _kept(engine, known)
        trees = [*[t for t in (tree,) if t is not None], *[t for _, t in (*sites, *kept)]]
        results = dict.fromkeys([v for leaf in leaves(*trees) for v in values_of(leaf)])
        results.update(dict.fromkeys([v for v in (code,) if v is not None]))
        engine.block.terminator = Return(tuple(results), engine.loc)
    region = simplify(outline(graph(entry, tuple(params), engine.loc)))
    at = {value: k for k, value in enumerate(results)}
    word = None
    if len(region.results) > len(results):
        word = Value(I32, None, "flags")
        at[word] = len(results)
    return Nested(region, tree, at, code, sites, kept, word)


def _check_result(engine: Engine, tree: Tree, known: int) -> None:
    """Refuse results that belong to the graph, which is gone after the call: functions that were
    made in it, instances in its pools."""
    if are_pooled(tree):
        raise engine.refuse(
            "a function that is transformed cannot return instances in a list whose length is "
            "known at run time only",
            "return lists of the numbers and arrays that they hold",
        )
    for leaf in leaves(tree):
        if isinstance(leaf.value, Compound):
            cells = reachable(engine.heap, [leaf.value])
            if leaf.value.kind == "transformed" or any(cell >= known for cell in cells):
                raise engine.refuse("a function that is transformed cannot return a function")


@contextmanager
def _apart(engine: Engine, entry: Block) -> Iterator[None]:
    """Visit into `entry` for a while; what is written to the heap is forgotten."""
    block, heap, instrs = engine.block, engine.heap, engine.builder.instrs
    known, written, raised = len(heap.infos), len(engine.written), len(engine.raised)
    start, engine.entry = engine.entry, entry
    engine.block, engine.builder.instrs, engine.heap = entry, entry.instrs, heap.copy()
    try:
        yield
        _check_written(engine, known, engine.written[written:])
    finally:
        engine.block, engine.builder.instrs, engine.heap = block, instrs, heap
        engine.entry = start
        del engine.written[written:]
        del engine.raised[raised:]


def _check_written(engine: Engine, known: int, written: Sequence[int]) -> None:
    for cell in written:
        outside = cell < known or engine.heap.infos[cell].pinned is not None
        if outside and isinstance(engine.heap.contents.get(cell), BoxCell):
            raise engine.refuse(
                "a function that is transformed assigns to a variable outside of it",
                "return the new value: has_aux=True passes it on",
            )


def _number(x: Any) -> Value:
    """A status as a value."""
    return constant(value=_as_int(x.value)) if isinstance(x, Const) else x.value


def _as_int(x: int) -> Any:
    return np.asarray(x, np.int64)


def _kept(engine: Engine, known: int) -> tuple[tuple[int, Tree], ...]:
    """What a function that works on copies leaves behind all the same: what it prints is printed,
    and who draws a random number has drawn it."""
    stream = engine.captures.by_identity.get(id(STREAM))
    cells = [] if stream is None else [stream.cell]
    for cell in dict.fromkeys(engine.written):
        content = engine.heap.contents.get(cell)
        if isinstance(content, ObjectCell) and content.cls in STATES:
            cells.append(cell)
    changed = [cell for cell in cells if cell in engine.written and cell < known]
    return tuple([(cell, flatten(engine, Ref(cell))) for cell in changed])


def emit(engine: Engine, nested: Nested, region: Region, arguments: Sequence[Value]) -> Emitted:
    """Emit `region`, whose first results are those of the call, and raise what it raises."""
    return finish(engine, nested, inline(region, arguments, {}))


def finish(
    engine: Engine, nested: Nested, made: Sequence[Value], apart: Mapping[Leaf, Value] = EMPTY
) -> Emitted:
    """What is left to do once the results are there; `apart`: leaves of the result among others."""
    now = {value: made[k] for value, k in nested.at.items()}

    def leaf(x: Leaf) -> Any:
        return like(x, apart[x]) if x in apart else moved(x, now.__getitem__)

    nested.keep(engine, leaf)
    if nested.flags is not None:
        flag(now[nested.flags])
    raise_again(engine, nested, leaf, now)
    return Emitted(rebuild(engine, nested.result, leaf), tuple(made[len(nested.at) :]))


@dataclass(frozen=True, slots=True)
class Emitted:
    """result: of the call, abstract.  others: further results of the region."""

    result: Any
    others: tuple[Value, ...]


def raise_again(
    engine: Engine, nested: Nested, leaf: Callable[[Leaf], Any], now: dict[Value, Value]
) -> None:
    """The exceptions of a call, at the lines that raise them."""
    here = engine.builder.loc
    for code, (path, tree) in enumerate(nested.raised, 1):
        engine.builder.loc = path.loc
        if nested.result is None and code == len(nested.raised):
            engine.raise_(rebuild(engine, tree, leaf))
        status = now[nested.status]
        fine = compare(status, filled(status.type, code), direction="NE")
        raise_unless(engine, Scalar(fine), rebuild(engine, tree, leaf), path.catchable)
    engine.builder.loc = here
