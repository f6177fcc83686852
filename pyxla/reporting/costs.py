"""What each line of a program costs: arithmetic operations, bytes, iterations.

Counted on the simplified program that derivatives are taken of, before anything is done for a
platform.  An operation reads its operands and writes its results, as if XLA fused nothing; a loop
counts as often as it runs, `ASSUMED` times where data decides that; of the branches of a
conditional the dearest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pyxla.errors import Location
from pyxla.ir.core import Instr, Region
from pyxla.ir.types import ArrayType
from pyxla.lower.flops import flops, moved
from pyxla.lower.trips import trips
from pyxla.reporting.listing import Place

ASSUMED = 100  # iterations of a loop that data decides the length of


@dataclass(slots=True)
class Cost:
    """flops: arithmetic operations.  moved: bytes read and written.  open: whether a loop of
    unknown length is in it."""

    flops: float = 0.0
    moved: float = 0.0
    open: bool = False

    def add(self, other: Cost, times: float = 1) -> None:
        self.flops += times * other.flops
        self.moved += times * other.moved
        self.open |= other.open


@dataclass(slots=True)
class Loop:
    """A loop of the program: `count` iterations where that is known, else None; `carried`: the
    types of what goes from one to the next; inner: loops in it."""

    loc: Location | None
    count: int | None
    exact: bool
    carried: list[ArrayType]
    cost: Cost
    inner: list[Loop] = field(default_factory=list)

    @property
    def state(self) -> int:
        """The bytes that go from one iteration to the next."""
        return sum(t.size * t.dtype.itemsize for t in self.carried)


class Costs:
    """lines: what each place in the source costs.  total: the program.  loops: outermost ones."""

    def __init__(self, region: Region, home: Callable[[Location], Location | None]) -> None:
        """home: the user's line that code is counted for; None where that is not known."""
        self.lines: dict[Place, Cost] = {}
        self.loops: list[Loop] = []
        self._home = home
        self._open = 0  # in how many loops of unknown length
        self.total = self._region(region, 1, self.loops, None)

    def _region(self, region: Region, times: float, loops: list[Loop], at: Location | None) -> Cost:
        total = Cost()
        for instr in region.instrs:
            loc = (self._home(instr.loc) if instr.loc else None) or at
            total.add(self._instr(instr, times, loops, loc))
        return total

    def _instr(self, instr: Instr, times: float, loops: list[Loop], at: Location | None) -> Cost:
        """The cost of `instr` once; to its line it is added `times`."""
        name = instr.op.name
        if name == "while":
            return self._loop(instr, times, loops, at)
        if name in ("if", "case"):
            branches = [self._region(r, times, loops, at) for r in instr.regions]
            return max(branches, key=lambda c: (c.flops, c.moved))
        if instr.regions and name in ("call", "scope"):
            return self._region(instr.regions[0], times, loops, at)
        cost = Cost(flops(instr), moved(instr))
        if at is not None:
            place = at.filename, at.lineno
            line = self.lines.setdefault(place, Cost())
            line.add(cost, times)
            line.open |= self._open > 0
        return cost

    def _loop(self, instr: Instr, times: float, loops: list[Loop], at: Location | None) -> Cost:
        found = trips(instr)
        count = found.bound if found else None
        assumed = ASSUMED if count is None else count
        at = at or _first(instr.regions)
        loop = Loop(at, count, bool(found and found.exact), _carried(instr), Cost())
        loops.append(loop)
        self._open += count is None
        for region in instr.regions:
            loop.cost.add(self._region(region, times * assumed, loop.inner, at))
        self._open -= count is None
        loop.cost.open |= count is None
        total = Cost()
        total.add(loop.cost, assumed)
        return total


def _first(regions: Sequence[Region]) -> Location | None:
    return next((i.loc for region in regions for i in region.instrs if i.loc), None)


def _carried(loop: Instr) -> list[ArrayType]:
    body = loop.regions[1]
    pairs = zip(body.params, body.results, strict=True)
    return [param.type for param, result in pairs if param is not result]
