"""Sums of products, one in each iteration of a loop, as one product of matrices after it.

    for i in range(n):                         for i in range(n):
        %s = add(%s, dot_general(%a, %b))   ->     %A[i], %B[i] = %a, %b
                                               %s = add(%s, dot_general(%A, %B))

So the slope of a matrix that each step of a recurrence multiplies by is made as a whole: in the
loop each iteration would read and write all of it for two operations on each number.  That is worth
it where the factors of an iteration are small beside their product.  An array of factors that is
there already, as what the reverse reads back, is not made again.  Inner loops come first, as in
`products`.
"""

from __future__ import annotations

import functools
from collections import Counter

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value, replaced
from pyxla.ir.rewrite import take_over, uses
from pyxla.ir.types import I64
from pyxla.lower.dead import dead_code
from pyxla.lower.trips import exact_trips, induction, known
from pyxla.ops.contract import dot_general
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, convert, subtract
from pyxla.ops.filled import integer, number
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import reshape

TRIPS = 8
GAIN = 4  # times the elements of the factors of an iteration
ROOM = 1 << 24  # bytes, of all factors


def defer_sums(region: Region) -> Region:
    """Make the products that loops sum up after them, in place."""
    if _defer(region):
        dead_code(region)
    return region


def _defer(region: Region) -> bool:
    changed = False
    code: list[Instr] = []
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= _defer(inner)
        code.append(instr)
        if instr.op is while_ and any(i.op is dot_general for i in instr.regions[1].instrs):
            changed |= _Loop(instr, code).defer()
    region.instrs[:] = code
    return changed


@dataclass(frozen=True, slots=True)
class _Sum:
    """The loop's value at `slot`: each iteration adds `products` to it, and `rest`."""

    slot: int
    products: list[Instr]
    rest: list[Value]


class _Loop:
    """A loop; `code` ends with it."""

    def __init__(self, loop: Instr, code: list[Instr]) -> None:
        self.loop = loop
        self.cond, self.body = loop.regions
        self.code = code
        self.uses = Counter(_used(self.body))
        self.made = {value for instr in self.body.instrs for value in instr.results}
        self.stacks: dict[Value, Value] = {}

    def defer(self) -> bool:
        """Whether there were sums of products to make after the loop."""
        count = exact_trips(self.loop)
        if count is None or count < TRIPS:
            return False
        self.trips = count
        counters = induction(self.loop).items()
        found = [
            (k, a, s)
            for k, (a, s) in counters
            if a is not None and abs(s) == 1 and _is_long(self.body.params[k])
        ]
        if not found:
            return False
        slot, start, step = found[0]
        self.counter = self.body.params[slot]
        self.first = start if step > 0 else start - self.trips + 1
        sums = [s for slot in range(len(self.body.params)) if (s := self._sum(slot)) is not None]
        for one in sums:
            self._move(one)
        return bool(sums)

    def _sum(self, slot: int) -> _Sum | None:
        """The value at `slot`, if it adds up products that are worth to be made after the loop."""
        param, result = self.body.params[slot], self.body.results[slot]
        once = self.uses[param] == 1 and self.uses[result] == 1
        if not once or self.cond.params[slot] in _used(self.cond):
            return None
        terms = self._terms(result)
        if terms.count(param) != 1:
            return None
        products = [x.owner for x in terms if isinstance(x.owner, Instr) and self._pays(x)]
        rest = [x for x in terms if x is not param and x.owner not in products]
        return _Sum(slot, products, rest) if products else None

    def _terms(self, value: Value) -> list[Value]:
        owner = value.owner
        if value in self.made and isinstance(owner, Instr) and owner.op is add:
            if self.uses[value] == 1:
                return [term for x in owner.operands for term in self._terms(x)]
        return [value]

    def _pays(self, value: Value) -> bool:
        owner = value.owner
        if not isinstance(owner, Instr) or owner.op is not dot_general or value not in self.made:
            return False
        if self.uses[value] > 1 or owner.attrs.get("lhs_batching_dimensions"):
            return False
        factors = owner.operands
        if value.type.dtype.kind not in "fc" or not all(x in self.made for x in factors):
            return False
        elements = sum(x.type.size for x in factors)
        room = elements * self.trips * value.type.dtype.itemsize
        return value.type.size >= GAIN * elements and room <= ROOM

    def _move(self, found: _Sum) -> None:
        """Make the products of a sum after the loop."""
        loop, body, slot = self.loop, self.body, found.slot
        results = [*body.results]
        with building(Builder(body.instrs, loop.loc)):
            results[slot] = functools.reduce(add, found.rest, body.params[slot])
        body.results = tuple(results)
        total = Value(loop.results[slot].type, loop, loop.results[slot].hint)
        result, loop.results = loop.results[slot], replaced(loop.results, slot, total)
        if not found.rest:
            total = loop.operands[slot]
        for dot in found.products:
            factors = [self._stack(x) for x in dot.operands]
            sides = ("lhs_contracting_dimensions", "rhs_contracting_dimensions")
            axes = {side: (0, *[axis + 1 for axis in dot.attrs[side]]) for side in sides}
            with building(Builder(self.code, dot.loc)):
                total = add(total, dot_general(*factors, **{**dot.attrs, **axes}))
        take_over(total, result)

    def _stack(self, x: Value) -> Value:
        """What `x` is in each iteration, outside of the loop: along a dimension in front."""
        if x not in self.stacks:
            source = self._source(x)
            self.stacks[x] = self._written(x) if source is None else source
        return self.stacks[x]

    def _source(self, x: Value) -> Value | None:
        """The array that holds it already, if it is read off one row by row."""
        owner = x.owner
        while isinstance(owner, Instr) and owner.op is reshape:
            owner = owner.operands[0].owner
        if not isinstance(owner, Instr) or owner.op is not dynamic_slice:
            return None
        whole, place, *_ = owner.operands
        shape = whole.type.shape
        if shape[0] != self.trips or owner.attrs["slice_sizes"] != (1, *shape[1:]):
            return None
        if self._offset(place) != -self.first or whole in self.made:
            return None
        if whole in self.body.params:
            slot = self.body.params.index(whole)
            if self.body.results[slot] is not whole:
                return None
            whole = self.loop.operands[slot]
        with building(Builder(self.code, self.loop.loc)):
            return reshape(whole, shape=(self.trips, *x.type.shape))

    def _offset(self, place: Value) -> int | None:
        """What is added to the counter at `place`."""
        owner = place.owner
        if place is self.counter:
            return 0
        if not isinstance(owner, Instr) or owner.op not in (add, subtract, convert):
            return None
        if not _is_long(owner.operands[0]):
            return None
        before = self._offset(owner.operands[0])
        if owner.op is convert or before is None:
            return before
        moved = known(owner.operands[1])
        if moved is None:
            return None
        return before + (moved if owner.op is add else -moved)

    def _written(self, x: Value) -> Value:
        """An array that the loop writes it to."""
        loop, cond, body = self.loop, self.cond, self.body
        before: list[Instr] = []
        with building(Builder(before, loop.loc)):
            init = number(0, x.type.dtype, (self.trips, *x.type.shape))
        at = self.code.index(loop)
        self.code[at:at] = before
        param, result = Value(init.type, body), Value(init.type, loop)
        with building(Builder(body.instrs, loop.loc)):
            place = subtract(convert(self.counter, dtype=I64.dtype), integer(self.first))
            row = reshape(x, shape=(1, *x.type.shape))
            starts = [place, *[integer(0)] * x.type.ndim]
            written = dynamic_update_slice(param, row, *starts)
        cond.params += (Value(init.type, cond),)
        body.params += (param,)
        body.results += (written,)
        loop.operands += (init,)
        loop.results += (result,)
        return result


def _is_long(x: Value) -> bool:
    """Whether it is an int that does not wrap around where it counts iterations."""
    return x.type.dtype == I64.dtype


def _used(region: Region) -> list[Value]:
    """The values that a region uses, as often as it does."""
    return [*[value for instr in region.instrs for value in uses(instr)], *region.results]
