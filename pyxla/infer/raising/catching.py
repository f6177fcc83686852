"""Exceptions on their way: noted where they are raised, and landed where a `try` takes them.

A path that raises ends, and is noted in `Engine.raised` with the heap there.  When a block inside a
`try` has been visited, what was noted meanwhile, in calls too, becomes edges to its pads, and what
none of them takes stays noted: it is for the callers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyxla.errors import CompileError, Location
from pyxla.infer.arrays.shadows import number
from pyxla.infer.joins.merge import Edge, Env
from pyxla.infer.lattice import Compound, Conflict, Const
from pyxla.infer.raising.exceptions import alternatives, classes_of, instance, takes
from pyxla.ir import core
from pyxla.ir.core import Block, Phi
from pyxla.ops.elementwise import compare

if TYPE_CHECKING:
    from pyxla.infer.engine import Engine

Pads = Sequence[tuple[Block, tuple[type, ...] | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A path that raises: where, what (an abstract exception), and the heap there."""

    edge: Edge
    exception: Any
    loc: Location | None
    catchable: bool = True


def pads(engine: Engine, env: Env, block: Block) -> Pads:
    """Where exceptions of `block` land, and of which classes (None: any)."""
    return [(pad, _classes(engine, env, block, pad)) for pad in block.pads]


def pad_of(path: Raised, pads: Pads) -> Block | None:
    """The innermost pad that takes what a path raises."""
    if not path.catchable:
        return None
    return next((pad for pad, classes in pads if takes(classes, path.exception)), None)


def landed(path: Raised, block: Block, pad: Block, state: Edge) -> Edge:
    """The edge to `pad`, where names are as they were in `state`, at the beginning of `block`."""
    names = {**state.env, pad.phis[0].args[block]: path.exception}
    return Edge(path.edge.block, path.edge.heap, names, (), path.loc, state.assumed)


def _classes(engine: Engine, env: Env, block: Block, pad: Block) -> tuple[type, ...] | None:
    """The classes of exceptions of `block` that land in `pad`; None: all."""
    if not pad.instrs[0].operands:
        return None
    found: list[type] = []
    for value in pad.instrs[0].operands:
        if isinstance(value.owner, Phi) and value.owner.block is pad:
            value = value.owner.args[block]
        classes = classes_of(env[value])
        if classes is None:
            raise engine.refuse(
                "the classes that an `except` clause names are not known while compiling",
                "name classes of exceptions, or a tuple of them",
            )
        found.extend(classes)
    return tuple(found)


def throw(engine: Engine, exception: Any, catchable: bool = True) -> None:
    """Note that the current path ends with `exception`; one path for each that it may be."""
    found = instance(exception, engine.loc)
    *others, last = alternatives(found)
    for i, other in enumerate(others):
        here, rest = Block(), Block()
        test = compare(found.tag.value, number(i), direction="EQ")
        engine.block.terminator = core.Branch(test, here, rest, engine.loc)
        here.preds = [engine.block]
        rest.preds = [engine.block]
        _note(engine, here, other, catchable)
        engine.block, engine.builder.instrs = rest, rest.instrs
    _note(engine, engine.block, last, catchable)


def _note(engine: Engine, block: Block, exception: Compound, catchable: bool) -> None:
    edge = Edge(block, engine.heap.copy(), {}, (), engine.loc)
    engine.raised.append(Raised(edge, exception, engine.loc, catchable))


def as_raised(engine: Engine, error: CompileError) -> Compound | None:
    """What the program raises in the place of a refusal, where that is certain and caught."""
    kind = error.raises
    if kind is None or not issubclass(kind, engine.guards):
        return None
    message: Any = Const(error.words)
    if error.words is None:
        message = Conflict(
            f"the text of this {kind.__name__} is not NumPy's word for word",
            hint="catch the exception without reading its text, or raise one of your own",
        )
    return Compound("exception", (message,), kind)
