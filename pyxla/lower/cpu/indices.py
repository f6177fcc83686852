"""Indices of elements as unsigned numbers: one comparison does for both ends of an array.

    -n <= i < n;  A[i < 0 ? i + n : i]     ->     j = unsigned(i < 0 ? i + n : i);  j < n;  A[j]
    0 <= i < n;   A[i]                     ->     j = unsigned(i);  j < n;  A[j]
    while i < n: ...; i += 1               ->     while unsigned(i) < unsigned(max(n, 0)): ...

XLA clamps where an element is read or written at both ends, of signed numbers; of unsigned ones
there is one end, and LLVM sees that the check compares with it too.  A negative index, for which
the check has failed, or whose element nobody looks at, is the last element's then, not the first's.
What counts up from a number that is not negative never is, so that it can be compared with its end
as unsigned; of such a counter LLVM sees that it needs no clamp.

Only for XLA:CPU, after everything that simplifies (`lower.finish`).
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import I64
from pyxla.lower.cpu.kernels import is_over_elements
from pyxla.lower.rules import definition, is_filled, known, literal
from pyxla.lower.trips import conjuncts
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, and_, compare, convert, maximum, select
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import constant

UNSIGNED = np.dtype(np.uint64)
LARGEST = 1 << 40  # what begins below it and counts up never leaves 64 bits
STEP = 1 << 20


def unsigned_indices(region: Region) -> Region:
    """Make the indices of loops over elements unsigned, in place."""
    for instr in region.instrs:
        if instr.op is while_ and is_over_elements(instr):
            _Indices().regions(instr)
        else:
            for inner in instr.regions:
                unsigned_indices(inner)
    return region


class _Indices:
    """What is known where code is.

    unsigned: numbers as unsigned ones.  wrapped: what an index is that may count from the end, by
    its extent.  natural: what is not negative.  same: what stands for values now.
    """

    def __init__(self, outer: _Indices | None = None) -> None:
        self.unsigned: dict[Value, Value] = dict(outer.unsigned) if outer else {}
        self.wrapped: dict[tuple[Value, int], Value] = dict(outer.wrapped) if outer else {}
        self.same: dict[Value, Value] = dict(outer.same) if outer else {}
        self.natural: set[Value] = set(outer.natural) if outer else set()

    def regions(self, instr: Instr) -> None:
        if instr.op is while_:
            self.find_counters(instr)
        for region in instr.regions:
            _Indices(self).region(region)

    def region(self, region: Region) -> None:
        code: list[Instr] = []
        with building(builder := Builder(code)):
            for instr in region.instrs:
                builder.loc = instr.loc
                instr.operands = tuple([self.same.get(x, x) for x in instr.operands])
                if not self.is_replaced(instr):
                    self.regions(instr)
                    code.append(instr)
        region.instrs[:] = code
        region.results = tuple([self.same.get(x, x) for x in region.results])

    def is_replaced(self, instr: Instr) -> bool:
        """Give an instruction unsigned indices, or find what stands for its result."""
        if instr.op is dynamic_slice:
            self.locate(instr, 1, instr.attrs["slice_sizes"])
        elif instr.op is dynamic_update_slice:
            self.locate(instr, 2, instr.operands[1].type.shape)
        elif instr.op is select and (index := _from_either_end(instr)):
            wrapped = self.wrapped.setdefault(index, instr.result)
            if wrapped is not instr.result and wrapped.type == instr.result.type:
                self.same[instr.result] = wrapped
        elif instr.op is and_ and (ends := _within_both_ends(instr)):
            self.same[instr.result] = self.is_inside(*ends)
        elif instr.op is compare and instr.result in self.natural:
            x, limit = instr.operands
            end = maximum(limit, literal(0, limit.type)) if known(limit) is None else limit
            self.same[instr.result] = compare(self.number(x), self.number(end), direction="LT")
        return instr.result in self.same if len(instr.results) == 1 else False

    def locate(self, instr: Instr, first: int, sizes: tuple[int, ...]) -> None:
        """Let an instruction on one element take unsigned indices."""
        starts = instr.operands[first:]
        if set(sizes) == {1} and all([x.type.dtype == I64.dtype for x in starts]):
            instr.operands = (*instr.operands[:first], *map(self.number, starts))

    def number(self, index: Value) -> Value:
        """A number as an unsigned one; a constant that is negative as 0."""
        content = known(index)
        if content is not None:
            return constant(value=np.maximum(content, 0).astype(UNSIGNED))
        if index not in self.unsigned:
            self.unsigned[index] = convert(index, dtype=UNSIGNED)
        return self.unsigned[index]

    def is_inside(self, index: Value, extent: int, front: bool) -> Value:
        """Whether an index, which counts from the front or may not, is one of so many elements."""
        key = index, extent
        if not front and key not in self.wrapped:
            below = compare(index, literal(0, index.type), direction="LT")
            self.wrapped[key] = select(below, add(index, literal(extent, index.type)), index)
        place = self.number(index if front else self.wrapped[key])
        limit = constant(value=np.array(extent, UNSIGNED))
        made: Value = compare(place, limit, direction="LT")
        return made

    def find_counters(self, loop: Instr) -> None:
        """Note what counts up in a loop, and the tests whether it has come to its end."""
        cond, body = loop.regions
        for test in conjuncts(cond.results[0]):
            made = definition(test, "compare")
            if made is None or made.attrs["direction"] != "LT":
                continue
            x, limit = made.operands
            if x not in cond.params or {x.type.dtype, limit.type.dtype} != {I64.dtype}:
                continue
            k = cond.params.index(x)
            if self.is_natural(loop.operands[k]) and _goes_up(body.params[k], body.results[k]):
                self.natural |= {body.params[k], loop.results[k], made.result}

    def is_natural(self, value: Value) -> bool:
        """Whether a number is known not to be negative."""
        content, total = known(value), definition(value, "add")
        if content is not None:
            return bool(0 <= content < LARGEST)
        return value in self.natural or (
            total is not None and all(map(self.is_natural, total.operands))
        )


def _goes_up(param: Value, result: Value) -> bool:
    """Whether a number goes up by a constant."""
    total = definition(result, "add")
    if total is None or param not in total.operands:
        return False
    one, other = total.operands
    step = known(other if one is param else one)
    return step is not None and bool(0 < step < STEP)


def _within_both_ends(both: Instr) -> tuple[Value, int, bool] | None:
    """The index and the extent where an index is compared with both ends of an array, and whether
    it counts from the front."""
    low, high = [definition(side, "compare") for side in both.operands]
    if low is None or high is None or low.attrs["direction"] == "LT":
        low, high = high, low
    if low is None or high is None or low.operands[0] is not high.operands[0]:
        return None
    index, extent = high.operands[0], known(high.operands[1])
    least = known(low.operands[1])
    directions = low.attrs["direction"], high.attrs["direction"]
    if directions != ("GE", "LT") or index.type.dtype != I64.dtype or index.type.shape:
        return None
    if least is None or extent is None or extent <= 0 or least not in (0, -extent):
        return None
    return index, int(extent), least == 0


def _from_either_end(choice: Instr) -> tuple[Value, int] | None:
    """The index and the extent where an index that is negative counts from the end."""
    test, from_end, index = choice.operands
    below, total = definition(test, "compare"), definition(from_end, "add")
    if below is None or below.operands[0] is not index or below.attrs["direction"] != "LT":
        return None
    if total is None or total.operands[0] is not index or not is_filled(below.operands[1], 0):
        return None
    extent = known(total.operands[1])
    return None if extent is None or index.type.shape else (index, int(extent))
