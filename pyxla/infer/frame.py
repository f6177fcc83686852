"""One activation of a function, and how paths through it end.

An activation is visited by the engine (`infer.engine`), which keeps a stack of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pyxla.abstract.facts.refine import Atom
from pyxla.errors import Location
from pyxla.frontend.ssa import SSA
from pyxla.frozen import dataclass
from pyxla.infer.joins.edges import Edge, Env
from pyxla.ir.core import Block, Value


@dataclass(slots=True)
class Frame:
    """One activation: `boxes` are the closure's cells by name, `module` its globals.

    first: cells from this one on were made in it; given: its arguments, before: what older cells
    held when it began, and began, made: how many instructions had been visited, and made.  split:
    whether the instruction that is visited is so for one of several values.  results: the dict of
    a cached function, if all calls of it share one (`infer.calls.kept`).
    """

    ssa: SSA
    env: Env
    module: dict[str, Any]
    boxes: dict[str, Any]
    function: Any = None
    call: Location | None = None
    pending: dict[Block, list[Edge]] = field(default_factory=dict)
    returns: list[Edge] = field(default_factory=list)
    position: tuple[Block, int] | None = None
    heads: dict[Block, Block] = field(default_factory=dict)
    results: Any = None
    assumed: tuple[Atom, ...] = ()
    first: int = 0
    given: tuple[Any, ...] = ()
    began: int = 0
    made: int = 0
    split: bool = False
    before: dict[int, Any] = field(default_factory=dict)
    driver: Any = None  # of a generator: the loop that reads it (`infer.calls.coroutines`)
    # Ints of the program that one of several values decides: which, and what they are for each.
    told: dict[Value, Any] = field(default_factory=dict)


class Stopped(Exception):  # noqa: N818 - control flow, not an error
    """The current path ended (it raised): there is nothing after it."""


class NotKnown(Exception):  # noqa: N818 - control flow, not an error
    """The number of iterations is not known while compiling: `test` decides at run time."""

    def __init__(self, test: Any) -> None:
        super().__init__()
        self.test = test


def live_after(frame: Frame) -> Iterator[Any]:
    """What a suspended frame still needs after the instruction it is at."""
    block, index = frame.position
    needed: dict[Value, None] = {}
    for instr in block.instrs[index + 1 :]:
        needed.update(dict.fromkeys(instr.operands))
    if block.terminator is not None:
        needed.update(dict.fromkeys(block.terminator.operands))
    for succ in block.succs:
        needed.update(frame.ssa.live_in[succ])
        for phi in succ.phis:
            if block in phi.args:
                needed[phi.args[block]] = None
    for value in needed:
        if value in frame.env:
            yield frame.env[value]
