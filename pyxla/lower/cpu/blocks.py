"""Loops whose iterations do not need each other, several iterations at a time.

    while j < n:                           while j <= n - 8:
      A[i, j] = A[i, j] - f * A[k, j]        A[i, j:j+8] = A[i, j:j+8] - f * A[k, j:j+8]
      j += 1                                 j += 8
                                           while j < n: ...            (the loop, for the rest)

XLA:CPU stores the addresses of all arrays in each iteration, which here costs more than the rest.
A block of elements is read, computed with and written as a whole, so that LLVM uses vectors too.
Where it makes better ones by itself, as it sees that indices are in range and arrays apart, the
loop is left alone.

All places are uniform, or the counter plus something uniform in one dimension.  An array that is
written may be read in the lane where it is written; elsewhere only if the blocks are apart, which
is tested before the loop, as is that no index leaves its array.  Where a test fails there are no
blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone, clone_instr, rewrite, slice_of
from pyxla.lower.cost import INFINITE, SMALL, cost
from pyxla.lower.rules import known
from pyxla.lower.trips import exact_trips
from pyxla.ops import elementwise
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, and_, clamp, compare, maximum, minimum, or_, select, subtract
from pyxla.ops.filled import integer, spread
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, iota, reshape

LANES = 8
FAR = 1 << 40  # indices beyond that are not computed with
_SAME = frozenset([reshape, broadcast_in_dim])  # of one element
_LANEWISE = frozenset([v for v in vars(elementwise).values() if isinstance(v, type(add))])


def make_blocks(region: Region) -> Region:
    """Let the innermost loops of a region work on blocks where they can, in place."""

    def add_blocks(loop: Instr) -> None:
        plan = _plan(loop)
        if plan is not None:
            _Writer(plan).write()

    return rewrite(region, (while_,), add_blocks)


@dataclass(frozen=True, slots=True)
class _Access:
    """An element that is read or written: of array `slot` or one outside, at `starts`.

    along: the dimension in which it is the counter plus something, None where it is uniform.
    """

    instr: Instr
    slot: int | None
    starts: tuple[Value, ...]
    along: int | None
    write: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """offsets: of values that are the counter plus uniform values, with their signs."""

    loop: Instr
    counter: int
    uniform: list[Instr]
    offsets: dict[Value, tuple[tuple[Value, int], ...]]
    accesses: list[_Access]


def _plan(loop: Instr) -> _Plan | None:
    """How the loop works on blocks, if it can."""
    counter = _counter_of(loop)
    if counter is None or (exact_trips(loop) or 2 * LANES) < 2 * LANES:
        return None
    body = loop.regions[1]
    if any(instr.regions or instr.op.effect for instr in body.instrs):
        return None
    found = _Analysis(loop, counter)
    return found.plan() if found.walk() else None


def _counter_of(loop: Instr) -> int | None:
    """The position of the number i, where the loop is: while i < n: ...; i += 1."""
    cond, body = loop.regions
    test = cond.results[0].owner
    if not isinstance(test, Instr) or test.op is not compare or test.attrs["direction"] != "LT":
        return None
    i, bound = test.operands
    read = {v for instr in slice_of(cond.instrs, [bound]) for v in instr.operands} | {bound}
    if i not in cond.params or i.type.dtype != np.int64 or not read.isdisjoint(cond.params):
        return None
    position = cond.params.index(i)
    step = body.results[position].owner
    if not isinstance(step, Instr) or step.op is not add:
        return None
    x, y = step.operands
    if y is body.params[position]:
        x, y = y, x
    by_one = x is body.params[position] and known(y) is not None and known(y) == 1
    return position if by_one else None


class _Analysis:
    """One walk over a body: what is uniform, what is the counter plus something."""

    def __init__(self, loop: Instr, counter: int) -> None:
        self.loop, self.counter = loop, counter
        body = loop.regions[1]
        self.offsets: dict[Value, tuple[tuple[Value, int], ...]] = {body.params[counter]: ()}
        self.varying: set[Value] = {body.params[counter]}
        self.arrays: dict[Value, int] = {}
        self.uniform: list[Instr] = []
        self.accesses: list[_Access] = []

    def walk(self) -> bool:
        body = self.loop.regions[1]
        for k, (param, result) in enumerate(zip(body.params, body.results, strict=True)):
            if k != self.counter and result is not param:
                if param.type.size <= SMALL:
                    return False
                self.arrays[param] = k
        return bool(self.arrays) and all(map(self.instr, body.instrs)) and self.returns()

    def returns(self) -> bool:
        """Whether arrays are given back in their slots."""
        body = self.loop.regions[1]
        return all(self.arrays.get(body.results[k]) == k for k in self.arrays.values())

    def instr(self, instr: Instr) -> bool:
        op = instr.op
        if op in (dynamic_slice, dynamic_update_slice):
            return self.access(instr)
        if any(value in self.arrays for value in instr.operands):
            return False
        if self.varying.isdisjoint(instr.operands):
            self.uniform.append(instr)
            return cost(instr) < INFINITE
        (result,) = instr.results
        if result.type.size != 1 or any(value.type.size != 1 for value in instr.operands):
            return False
        self.varying.add(result)
        if op in (add, subtract) and result.type.dtype == np.int64:
            self.affine(instr)
        elif op in _SAME and instr.operands[0] in self.offsets and not result.type.shape:
            self.offsets[result] = self.offsets[instr.operands[0]]
        return op in _LANEWISE or op in _SAME

    def affine(self, instr: Instr) -> None:
        x, y = instr.operands
        sign = 1 if instr.op is add else -1
        if y in self.offsets and x not in self.varying and instr.op is add:
            x, y = y, x
        if x in self.offsets and y not in self.varying:
            self.offsets[instr.results[0]] = (*self.offsets[x], (y, sign))

    def access(self, instr: Instr) -> bool:
        write = instr.op is dynamic_update_slice
        array, starts = instr.operands[0], instr.operands[2 if write else 1 :]
        slot = self.arrays.get(array)
        moved = [k for k, start in enumerate(starts) if start in self.varying]
        if array in self.varying or (write and slot is None):
            return False
        if not moved and slot is None:
            self.uniform.append(instr)
            return not write and instr.results[0].type.size <= SMALL
        size = instr.operands[1].type.size if write else instr.results[0].type.size
        if size != 1 or len(moved) > 1 or (write and not moved):
            return False
        along = moved[0] if moved else None
        if along is not None:
            if starts[along] not in self.offsets or array.type.shape[along] < LANES:
                return False
        elif array not in self.loop.regions[1].params:
            return False  # read after a write, at a place that is not a lane's
        self.accesses.append(_Access(instr, slot, tuple(starts), along, write))
        if write:
            self.arrays[instr.results[0]] = slot  # type: ignore[assignment]
        elif moved:
            self.varying.add(instr.results[0])
        else:
            self.uniform.append(instr)
        return True

    def plan(self) -> _Plan | None:
        plan = _Plan(self.loop, self.counter, self.uniform, self.offsets, self.accesses)
        pairs = _pairs(plan)
        if any(_never_apart(x, y) for x, y in pairs):
            return None
        return plan if pairs or not _is_plain(plan) else None


def _is_plain(plan: _Plan) -> bool:
    """Whether LLVM sees that each index is in range: those of a counter that begins at a number
    that is known (`lower.cpu.indices`), plus such numbers."""
    if known(plan.loop.operands[plan.counter]) is None:
        return False
    along = [x.starts[x.along] for x in plan.accesses if x.along is not None]
    return all([known(value) is not None for x in along for value, _ in plan.offsets[x]])


def _pairs(plan: _Plan) -> list[tuple[_Access, _Access]]:
    """Writes, with the accesses to the same array that may be to other lanes."""
    writes = [access for access in plan.accesses if access.write]
    return [
        (write, other)
        for k, write in enumerate(writes)
        for other in plan.accesses
        if other.slot == write.slot
        and other not in writes[: k + 1]
        and not _same_lane(write, other, plan)
    ]


def _same_lane(x: _Access, y: _Access, plan: _Plan) -> bool:
    if x.along != y.along or x.along is None:
        return False
    return _equal(plan.offsets[x.starts[x.along]], plan.offsets[y.starts[x.along]])


def _equal(x: Sequence[tuple[Value, int]], y: Sequence[tuple[Value, int]]) -> bool:
    """Whether two offsets are the same, whatever the values are."""
    return _terms(x) == _terms(y)


def _terms(offset: Sequence[tuple[Value, int]]) -> tuple[int, list[tuple[int, int]]]:
    fixed, rest = 0, []
    for value, sign in offset:
        content = known(value)
        if content is None:
            rest.append((id(value), sign))
        else:
            fixed += sign * int(content)
    return fixed, sorted(rest)


def _never_apart(x: _Access, y: _Access) -> bool:
    """Whether two accesses are known to touch the same elements, so that a test would be vain."""
    return y.along is not None and all(
        a is b for k, (a, b) in enumerate(zip(x.starts, y.starts, strict=True)) if k != x.along
    )


class _Writer:
    """Writes the loop over blocks before the loop, which goes on where that one ends."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        self.loop = plan.loop
        body = plan.loop.regions[1]
        pairs = zip(body.params, plan.loop.operands, body.results, strict=True)
        self.outside: Mapping = {param: init for param, init, _ in pairs}
        self.first = plan.loop.operands[plan.counter]

    def write(self) -> None:
        cond = self.loop.regions[0]
        bound = cond.results[0].owner.operands[1]  # type: ignore[union-attr]
        mapping: Mapping = {}
        code = current().instrs
        code += clone(slice_of(cond.instrs, [bound]), mapping)
        code += [clone_instr(instr, self.outside) for instr in self.plan.uniform]
        limit = self.limit(mapping.get(bound, bound))
        changed = [self.plan.counter, *sorted({a.slot for a in self.plan.accesses if a.write})]  # type: ignore[type-var]
        inits = [self.loop.operands[k] for k in changed]
        regions = self.test(limit, inits), self.body(changed, inits)
        results = while_(*inits, regions=regions)
        operands = list(self.loop.operands)
        for k, result in zip(changed, results, strict=True):
            operands[k] = result
        self.loop.operands = tuple(operands)

    def offset(self, value: Value) -> Value:
        """What is added to the counter, as a number before the loop."""
        total = integer(0)
        for term, sign in self.plan.offsets[value]:
            total = (add if sign == 1 else subtract)(total, self.outside.get(term, term))
        return total

    def limit(self, bound: Value) -> Value:
        """Where blocks end: the counter is below it for each."""
        far, near = integer(FAR), integer(-FAR)
        bound = clamp(near, bound, far)
        tests = [compare(self.first, near, direction="GT")]
        limit = subtract(bound, integer(LANES - 1))
        for access in self.plan.accesses:
            if access.along is None:
                continue
            offset = self.offset(access.starts[access.along])
            extent = access.instr.operands[0].type.shape[access.along]
            tests.append(compare(offset, far, direction="LT"))
            tests.append(compare(offset, near, direction="GT"))
            tests.append(compare(add(self.first, offset), integer(0), direction="GE"))
            limit = minimum(limit, subtract(integer(extent - LANES + 1), offset))
        tests += [self.apart(x, y, bound) for x, y in _pairs(self.plan)]
        ok = tests[0]
        for test in tests[1:]:
            ok = and_(ok, test)
        return select(ok, limit, near)

    def apart(self, write: _Access, other: _Access, bound: Value) -> Value:
        """Whether an access is never where another lane writes."""
        extents = write.instr.operands[0].type.shape
        test = constant(value=np.array(False))
        for k, extent in enumerate(extents):
            if k != write.along and k != other.along:
                places = [self.place(access.starts[k], extent) for access in (write, other)]
                test = or_(test, compare(*places, direction="NE"))
        if other.along is None:
            assert write.along is not None
            place = self.place(other.starts[write.along], extents[write.along])
            offset = self.offset(write.starts[write.along])
            below = compare(place, add(self.first, offset), direction="LT")
            test = or_(test, or_(below, compare(place, add(bound, offset), direction="GE")))
        return test

    def place(self, start: Value, extent: int) -> Value:
        """A uniform index, moved into range."""
        value = self.outside.get(start, start)
        return minimum(maximum(value, integer(0)), integer(extent - 1))

    def test(self, limit: Value, inits: Sequence[Value]) -> Region:
        def goes_on(*state: Value) -> Value:
            return compare(state[0], limit, direction="LT")

        return current().region([value.type for value in inits], goes_on)

    def body(self, changed: Sequence[int], inits: Sequence[Value]) -> Region:
        params = self.loop.regions[1].params

        def block(*state: Value) -> tuple[Value, ...]:
            made = _Block(self, dict(zip([params[k] for k in changed], state, strict=True)))
            results = [made.arrays[self.loop.regions[1].results[k]] for k in changed[1:]]
            return (add(state[0], integer(LANES)), *results)

        return current().region([value.type for value in inits], block)


class _Block:
    """The code of one block: a vector for each value that varies."""

    def __init__(self, writer: _Writer, arrays: Mapping) -> None:
        self.writer = writer
        self.plan = writer.plan
        self.arrays = arrays
        self.vectors: Mapping = {}
        body = writer.loop.regions[1]
        self.counter = arrays[body.params[self.plan.counter]]
        steps = iota(dtype=np.dtype(np.int64), shape=(LANES,), dimension=0)
        self.vectors[body.params[self.plan.counter]] = add(self.spread(self.counter), steps)
        places = {access.instr: access for access in self.plan.accesses}
        done = set(self.plan.uniform)
        for instr in body.instrs:
            if instr not in done:
                self.instr(instr, places.get(instr))

    def spread(self, value: Value) -> Value:
        if value.type.shape:
            value = reshape(value, shape=())
        return spread(value, (LANES,))

    def vector(self, value: Value) -> Value:
        if value not in self.vectors:
            self.vectors[value] = self.spread(self.writer.outside.get(value, value))
        return self.vectors[value]

    def instr(self, instr: Instr, access: _Access | None) -> None:
        (result,) = instr.results
        if access is None:
            vectors = [self.vector(value) for value in instr.operands]
            made = vectors[0] if instr.op in _SAME else instr.op(*vectors, **instr.attrs)
            self.vectors[result] = made
            return
        array = instr.operands[0]
        array = self.arrays.get(array, self.writer.outside.get(array, array))
        starts = [self.start(start) for start in access.starts]
        sizes = [LANES if k == access.along else 1 for k in range(len(starts))]
        if access.write:
            update = reshape(self.vector(instr.operands[1]), shape=tuple(sizes))
            self.arrays[result] = dynamic_update_slice(array, update, *starts)
        else:
            block = dynamic_slice(array, *starts, slice_sizes=tuple(sizes))
            self.vectors[result] = reshape(block, shape=(LANES,))

    def start(self, value: Value) -> Value:
        if value not in self.plan.offsets:
            return self.writer.outside.get(value, value)
        start = self.counter
        for term, sign in self.plan.offsets[value]:
            start = (add if sign == 1 else subtract)(start, self.writer.outside.get(term, term))
        return start
