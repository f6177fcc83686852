"""Exceptions in the graph of blocks: `try`, `except` and `finally`.

Every block inside a `try` has a *pad*, a block of its own where its exceptions land with the names
as they were where the block began: therefore a block ends where a variable is assigned.  The pads
of a `try` lead to its handler.  Inside several, a block has a pad for each; which of them takes an
exception is known when its class is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import gast

from pyxla.frontend import pyops
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Instr, Phi, Raise, Value


@dataclass(eq=False, slots=True)
class Names:
    """The variables of one block: placeholders it reads, and its value of each name at its end.

    first: names that it sets before anything else.
    """

    reads: dict[str, Value] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    writes: dict[str, None] = field(default_factory=dict)
    first: dict[str, Value] = field(default_factory=dict)
    # constants and globals already there
    known: dict[Any, Value] = field(default_factory=dict)
    # the last statement in it: where its edge comes from
    last: gast.stmt | None = None


@dataclass(eq=False, slots=True)
class Guard:
    """A `try` under construction: `name` gets the exception, of the classes that `classes` name
    (None: of any).  pads: where the exceptions of its blocks land.  outer: the `try` around it.
    again: whether it may be raised again, and so keeps its line."""

    name: str
    classes: tuple[str, ...] | None
    outer: Guard | None
    again: bool = True
    pads: list[Block] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Cleanup:
    """The statements of a `finally`, inside `depth` loops and the `try` `guard`."""

    statements: Sequence[gast.stmt]
    depth: int
    guard: Guard | None


def pads(builder: Any, block: Block) -> tuple[Block, ...]:
    """A pad of `block` for each `try` around it, innermost first."""
    made = []
    guard: Guard | None = builder.guard
    while guard is not None:
        made.append(_pad(builder, block, guard))
        guard = guard.outer
    return tuple(made)


def _pad(builder: Any, block: Block, guard: Guard) -> Block:
    """Where the exceptions of `block` that `guard` takes land."""
    pad = Block("landing")
    pad.preds.append(block)
    names = builder.names[pad] = Names()
    phi = Phi(pad, None, guard.name, None)
    phi.args[block] = Value(hint=guard.name)
    pad.phis.append(phi)
    names.values[guard.name] = phi.value
    names.writes[guard.name] = None
    classes = []
    for name in guard.classes or ():
        names.reads[name] = names.values[name] = Value(hint=name)
        classes.append(names.reads[name])
    op: Any = pyops.LANDING
    attrs = {"again": True} if guard.again else {}
    pad.instrs.append(Instr(op, tuple(classes), attrs, (), None))
    guard.pads.append(pad)
    return pad


def settle(builder: Any) -> None:
    """Go on in a new block where one has assigned variables, so that its exceptions find them as
    they were before, and later ones as they are now."""
    names, temporary = builder.here, builder.lowered.temporary
    written = [name for name in names.writes if not temporary(name)]
    if not written:
        return
    builder.start("try", builder.block)
    for name in written:
        del names.writes[name]
        builder.here.first[name] = builder.here.values[name] = names.values[name]


def synthetic(builder: Any, what: str) -> str:
    """A name that no program has."""
    builder.counter += 1
    return f"&{what}{builder.counter}"


def clean_up(builder: Any, depth: int) -> bool:
    """Run what `finally` clauses inside `depth` loops ask for; whether control comes through."""
    saved = builder.guard, builder.cleanups, builder.loops
    while builder.block is not None and builder.cleanups and builder.cleanups[-1].depth >= depth:
        cleanup, builder.cleanups = builder.cleanups[-1], builder.cleanups[:-1]
        builder.guard, builder.loops = cleanup.guard, builder.loops[: cleanup.depth]
        builder.start("finally", builder.block)
        builder.statements(cleanup.statements)
    builder.guard, builder.cleanups, builder.loops = saved
    return builder.block is not None


def try_(builder: Any, node: gast.Try) -> None:
    """`try` with one handler, which takes all that the classes in its tuple name."""
    if node.finalbody:
        return _try_finally(builder, node)
    (handler,) = node.handlers
    classes: Any = handler.type
    names = tuple([name.id for name in classes.elts])
    guard = Guard(handler.name.id, names, builder.guard, _raises_again(handler))
    _guarded(builder, guard, node.body)
    ends = []
    if builder.block is not None:
        builder.start("else", builder.block)
        builder.statements(node.orelse)
        ends = [builder.block] if builder.block is not None else []
    builder.start("except", *guard.pads)
    builder.statements(handler.body)
    builder.join([*ends, *([builder.block] if builder.block is not None else ())], "merge")


def _raises_again(handler: gast.ExceptHandler) -> bool:
    """Whether a handler raises what is in a variable, which may be what it caught."""
    raised = [node.exc for node in gast.walk(handler) if isinstance(node, gast.Raise)]
    return any(isinstance(what, gast.Name) for what in raised)


def _guarded(builder: Any, guard: Guard, statements: Sequence[gast.stmt]) -> None:
    """Walk statements inside a `try`."""
    builder.guard = guard
    builder.start("try", builder.block)
    builder.statements(statements)
    builder.guard = guard.outer


def _try_finally(builder: Any, node: gast.Try) -> None:
    """`finally` is walked once for each way to leave the `try`."""
    inside: list[gast.stmt] = node.body
    if node.handlers:
        inside = [gast.copy_location(gast.Try(inside, node.handlers, node.orelse, []), node)]
    guard = Guard(synthetic(builder, "raised"), None, builder.guard)
    builder.cleanups = [
        *builder.cleanups,
        Cleanup(node.finalbody, len(builder.loops), builder.guard),
    ]
    _guarded(builder, guard, inside)
    builder.cleanups = builder.cleanups[:-1]
    end = None
    if builder.block is not None:
        builder.start("finally", builder.block)
        builder.statements(node.finalbody)
        end = builder.block
    builder.start("finally", *guard.pads)
    builder.statements(node.finalbody)
    if builder.block is not None:
        builder.end(Raise((builder.lookup(guard.name),), None))
    builder.join([end] if end is not None else [], "merge")
