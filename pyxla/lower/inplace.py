"""Updates in place: no conditional inside a loop gives back a large array.

    %A1 = if (c)                        %u, %i = if (c)
      then: A[i] = u                      then: u, i
      else: A                             else: 0, 0
                                        A[i] = c ? u : A[i]

XLA:CPU copies a large array that a conditional passes through, in every iteration.  So what a
branch does to an array step by step (its *trail*: updates of slices, scatters, loops that carry it)
is done after the conditional, which only computes what to write and where.  An update not taken
writes what is there; a scatter not taken writes nowhere; a loop not taken makes no iteration: it
moves out of the branch with the predicate in its condition, and what came before it in the branch
becomes a conditional of its own, its *lead*.  On the path not taken each step leaves the array as
it was, so the steps of both branches can follow each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, slice_of, substitute, uses
from pyxla.ir.types import ArrayType
from pyxla.lower.cost import SMALL
from pyxla.lower.trips import conjuncts, known
from pyxla.ops.check import UNSIGNED
from pyxla.ops.control import if_, optimization_barrier, while_
from pyxla.ops.elementwise import (
    add,
    and_,
    compare,
    maximum,
    minimum,
    multiply,
    not_,
    or_,
    select,
    subtract,
)
from pyxla.ops.index import dynamic_slice, dynamic_update_slice, scatter
from pyxla.ops.shape import broadcast_in_dim, constant

_LITTLE = frozenset(
    [add, and_, compare, constant, maximum, minimum, multiply, or_, select, subtract]
)
PART = 4  # an update is small if the array is this many times larger


@dataclass(frozen=True, eq=False, slots=True)
class Trail:
    """What a branch makes of an array: `values[0]` is from outside, `steps[k]` makes the next."""

    values: tuple[Value, ...]
    steps: tuple[Instr, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Branch:
    """A branch cut at the loops that its trails pass: `pieces[k]` is before `loops[k]`."""

    pieces: tuple[list[Instr], ...]
    loops: tuple[Instr, ...]
    results: tuple[Value, ...]
    trails: dict[int, Trail]


def update_in_place(region: Region) -> bool:
    """Rewrite the conditionals inside loops, in place; whether there were any to rewrite."""
    return _Pass().region(region, in_loop=False)


class _Pass:
    """env: what replaces the results of conditionals that were taken apart."""

    def __init__(self) -> None:
        self.env: Mapping = {}

    def region(self, region: Region, in_loop: bool) -> bool:
        env, changed = self.env, False
        code: list[Instr] = []
        for instr in region.instrs:
            if env:
                instr.operands = tuple([env.get(v, v) for v in instr.operands])
            for inner in instr.regions:
                changed |= self.region(inner, in_loop or instr.op is while_)
            if in_loop and instr.op is if_ and self.taken_apart(instr, code):
                changed = True
            else:
                code.append(instr)
        if env:
            region.results = tuple([env.get(v, v) for v in region.results])
        region.instrs[:] = code
        return changed

    def taken_apart(self, instr: Instr, code: list[Instr]) -> bool:
        branches = _branches(instr)
        if branches is None:
            return False
        self.env.update(_Sequence(instr, branches, code).emit())
        return True


def _branches(instr: Instr) -> tuple[Branch, Branch] | None:
    """Both branches, if there is an array of which both make something step by step."""
    inner = [{v for i in region.instrs for v in i.results} for region in instr.regions]
    trails: tuple[dict[int, Trail], ...] = ({}, {})
    bases: set[Value] = set()
    for k, result in enumerate(instr.results):
        if result.type.size <= SMALL:
            continue
        pair = [_trail(r.results[k], seen) for r, seen in zip(instr.regions, inner, strict=True)]
        if pair[0] is None or pair[1] is None or pair[0].values[0] is not pair[1].values[0]:
            continue
        if pair[0].values[0] in bases or not (pair[0].steps or pair[1].steps):
            continue
        bases.add(pair[0].values[0])
        trails[0][k], trails[1][k] = pair
    if not bases:
        return None
    then, other = [_cut(r, t) for r, t in zip(instr.regions, trails, strict=True)]
    size = sum(base.type.size for base in bases)
    if _dear_leads(then, size) or _dear_leads(other, size):
        return None
    return then, other


def _trail(value: Value, inner: set[Value]) -> Trail | None:
    """How a branch makes `value`, if it is from an array outside by small steps."""
    values, steps = [value], []
    while value in inner:
        instr = value.owner
        if instr.op is dynamic_update_slice:
            if instr.operands[1].type.size * PART > value.type.size:
                return None
            before = instr.operands[0]
        elif instr.op is scatter and len(instr.operands) == 3:
            if instr.operands[1].type.dtype in UNSIGNED:
                return None
            before = instr.operands[0]
        elif instr.op is while_:
            before = instr.operands[instr.results.index(value)]
        elif instr.op is optimization_barrier and len(instr.operands) == 1:
            before = instr.operands[0]
        else:
            return None
        steps.append(instr)
        values.append(before)
        value = before
    return Trail(tuple(reversed(values)), tuple(reversed(steps)))


def _cut(region: Region, trails: dict[int, Trail]) -> Branch:
    passed = {step for trail in trails.values() for step in trail.steps if step.op is while_}
    pieces: list[list[Instr]] = [[]]
    loops = []
    for instr in region.instrs:
        if instr in passed:
            loops.append(instr)
            pieces.append([])
        else:
            pieces[-1].append(instr)
    return Branch(tuple(pieces), tuple(loops), region.results, trails)


def _dear_leads(branch: Branch, size: int) -> bool:
    """Whether a lead would have to hand on large arrays."""
    on_trail = {value for trail in branch.trails.values() for value in trail.values}
    return any(
        value not in on_trail and value.type.size * PART > max(size, PART * SMALL)
        for k in range(len(branch.loops))
        for value in _handed_on(branch, k)
    )


def _handed_on(branch: Branch, k: int) -> list[Value]:
    """The values of piece `k` that are used after it."""
    later = [instr for piece in branch.pieces[k + 1 :] for instr in piece]
    used = set(branch.results)
    for instr in [*later, *branch.loops[k:]]:
        used.update(uses(instr))
    return [v for instr in branch.pieces[k] for v in instr.results if v in used]


@dataclass(frozen=True, eq=False, slots=True)
class _Update:
    """A step to be made after the conditional: `operands` of the step without the array.

    active: where it is not to be made, if it is from a conditional inside.
    """

    step: Instr
    operands: tuple[Value, ...]
    active: Value | None = None

    def values(self) -> tuple[Value, ...]:
        return self.operands if self.active is None else (*self.operands, self.active)

    def shapes(self) -> tuple[ArrayType, ...]:
        return tuple([value.type for value in self.operands])


class _Sequence:
    """Emits the code of one conditional: the leads of both branches, the rest, the updates.

    arrays[k]: the present content of the array that is result k.  handed: what replaces the values
    of leads in code after them.
    """

    def __init__(self, instr: Instr, branches: tuple[Branch, Branch], code: list[Instr]) -> None:
        self.instr = instr
        self.branches = branches
        self.builder = Builder(code, instr.loc)
        self.handed: Mapping = {}
        self.arrays = {k: trail.values[0] for k, trail in branches[0].trails.items()}

    def emit(self) -> Mapping:
        """Append the code; what replaces the results."""
        pred = self.instr.operands[0]
        then, other = self.branches
        self.leads(then, pred)
        if then.loops:  # a read of the old arrays would be one of copies
            self.rebase(other, 0)
        if other.loops:
            self.leads(other, self.emit_op(not_, pred))
            self.rebase(then, len(then.loops))
        return self.rest(pred)

    def emit_op(self, op, *operands, **attrs):
        regions = attrs.pop("regions", ())
        return self.builder.emit(op, operands, attrs, regions)

    def rebase(self, branch: Branch, done: int) -> None:
        """Let what is left of a branch start from the present arrays."""
        mapping = {}
        for k, trail in branch.trails.items():
            mapping[_start(trail, branch.loops[:done])] = self.arrays[k]
        for piece in branch.pieces[done:]:
            substitute(piece, mapping)
        substitute(branch.loops[done:], mapping)

    def leads(self, branch: Branch, pred: Value) -> None:
        """Emit all pieces but the last, each followed by its loop."""
        for k, loop in enumerate(branch.loops):
            piece = branch.pieces[k]
            updates = self.updates(branch, piece)
            moved = {u.step.result for row in updates.values() for u in row}
            handed = [value for value in _handed_on(branch, k) if value not in moved]
            rows: list[Any] = [(value, None) for value in handed]
            operands = [u.values() for row in updates.values() for u in row]
            rows += [(value, None) for values in operands for value in values]
            chosen = self.conditional(pred, piece, [], rows)
            mapping = dict(zip(handed, chosen, strict=False))
            rest = iter(chosen[len(handed) :])
            for column, row in updates.items():
                for update in row:
                    self.apply(column, update, [next(rest) for _ in update.values()], pred)
                    mapping[update.step.result] = self.arrays[column]
            later = [i for p in branch.pieces[k + 1 :] for i in p]
            substitute([*later, *branch.loops[k:]], mapping)
            self.handed.update(mapping)
            self.loop(loop, branch, pred)

    def loop(self, loop: Instr, branch: Branch, pred: Value) -> None:
        """Move a loop out of its branch: without `pred` it makes no iteration."""
        self.bound(loop, pred)
        operands = list(loop.operands)
        for column, trail in branch.trails.items():
            if loop in trail.steps:
                position = loop.results.index(trail.values[trail.steps.index(loop) + 1])
                operands[position] = self.arrays[column]
                self.arrays[column] = loop.results[position]
        loop.operands = tuple(operands)
        self.builder.instrs.append(loop)

    def bound(self, loop: Instr, pred: Value) -> None:
        """Let a loop make no iteration without `pred`: its counter is at its limit then, or it
        asks in each."""
        cond = loop.regions[0]
        for test in conjuncts(cond.results[0]):
            made = test.owner
            if not isinstance(made, Instr) or made.op is not compare:
                continue
            x, limit = made.operands
            if made.attrs["direction"] not in ("LT", "GT") or x not in cond.params:
                continue
            start = loop.operands[cond.params.index(x)]
            outside = limit not in cond.params and limit.owner not in cond.instrs
            if outside and start.type == limit.type and known(limit) is None:
                made.operands = (x, self.builder.emit(select, (pred, limit, start), {}))
                return
        test = Builder(cond.instrs, loop.loc).emit(and_, (pred, cond.results[0]), {})
        cond.results = (test,)

    def updates(self, branch: Branch, piece: Iterable[Instr]) -> dict[int, list[_Update]]:
        """The steps of each array that a piece makes."""
        inside = set(piece)
        found = {}
        for column, trail in branch.trails.items():
            steps = [step for step in trail.steps if step in inside]
            found[column] = [_update(step) for step in steps]
        return found

    def rest(self, pred: Value) -> Mapping:
        """The conditional of what is left, and the updates after it."""
        instr, (then, other) = self.instr, self.branches
        pieces = then.pieces[-1], other.pieces[-1]
        updates = [self.updates(b, p) for b, p in zip(self.branches, pieces, strict=True)]
        plain = [k for k in range(len(instr.results)) if k not in self.arrays]
        rows: list[Any] = [
            tuple([self.handed.get(b.results[k], b.results[k]) for b in (then, other)])
            for k in plain
        ]
        planned: list[tuple[int, _Update, bool | None]] = []
        for column in self.arrays:
            for mine, theirs in zip_longest(updates[0][column], updates[1][column]):
                if mine and theirs and _alike(mine, theirs):
                    planned.append((column, mine, None))
                    rows += zip(mine.operands, theirs.operands, strict=True)
                    continue
                if mine:
                    planned.append((column, mine, True))
                    rows += [(value, None) for value in mine.values()]
                if theirs:
                    planned.append((column, theirs, False))
                    rows += [(None, value) for value in theirs.values()]
        if len(planned) == 1:  # of several, XLA copies the array
            self.free_places(pieces, rows)
        chosen = self.conditional(pred, pieces[0], pieces[1], rows)
        replaced = {instr.results[k]: value for k, value in zip(plain, chosen, strict=False)}
        remaining = iter(chosen[len(plain) :])
        for column, update, side in planned:
            both = side is None
            operands = [next(remaining) for _ in (update.operands if both else update.values())]
            active = pred if side is True else None
            if side is False:
                active = self.emit_op(not_, pred)
            self.apply(column, update, operands, active)
        replaced.update({instr.results[k]: value for k, value in self.arrays.items()})
        return replaced

    def apply(
        self, column: int, update: _Update, operands: Sequence[Value], active: Value | None
    ) -> None:
        """Make one step; where `active` is false, without changing anything."""
        array, step = self.arrays[column], update.step
        if len(operands) > len(update.operands):
            *operands, inside = operands
            active = inside if active is None else self.emit_op(and_, active, inside)
        if step.op is dynamic_update_slice and active is not None:
            new, *starts = operands
            old = self.emit_op(dynamic_slice, array, *starts, slice_sizes=new.type.shape)
            operands = [self.emit_op(select, active, new, old), *starts]
        self.arrays[column] = self.builder.emit(
            step.op, (array, *operands), step.attrs, step.regions
        )

    def free_places(
        self, codes: Sequence[list[Instr]], rows: Iterable[tuple[Value | None, Value | None]]
    ) -> None:
        """Move what computes numbers that one side lacks out of the other, where that is little.

        So it is known where an update is made, also where it is not.
        """
        for row in rows:
            for code, value, missing in zip(codes, row, reversed(row), strict=True):
                if value is None or missing is not None or value.type.shape:
                    continue
                moved = slice_of(code, [value])
                if all(instr.op in _LITTLE for instr in moved):
                    self.builder.instrs += moved
                    code[:] = [instr for instr in code if instr not in moved]

    def conditional(
        self,
        pred: Value,
        then: list[Instr],
        other: list[Instr],
        rows: list[tuple[Value | None, Value | None]],
    ) -> list[Value]:
        """Emit a conditional with these results; the value of a row that one side lacks is free."""
        inner = {v for code in (then, other) for instr in code for v in instr.results}
        results = [_agreed(x, y, inner) for x, y in rows]
        open_rows = [k for k, value in enumerate(results) if value is None]
        if not open_rows and not _effects(then) and not _effects(other):
            return [value for value in results if value is not None]
        regions = []
        for side, code in enumerate((then, other)):
            builder = Builder(list(code), self.instr.loc)
            values = [rows[k][side] or _filler(builder, rows[k][1 - side]) for k in open_rows]
            regions.append(Region((), builder.instrs, tuple(values)))
        chosen = self.emit_op(if_, pred, regions=tuple(regions))
        for k, value in zip(open_rows, chosen, strict=True):
            results[k] = value
        return [value for value in results if value is not None]


def _agreed(x: Value | None, y: Value | None, inner: set[Value]) -> Value | None:
    """The value of a row that needs no conditional."""
    value = y if x is None else x
    return value if value not in inner and (x is None or y is None or x is y) else None


def _start(trail: Trail, loops: Sequence[Instr]) -> Value:
    """The value of the trail after the given loops."""
    done = 0
    for k, step in enumerate(trail.steps):
        if step in loops:
            done = k + 1
    return trail.values[done]


def _update(step: Instr) -> _Update:
    """A step, or the one inside of which `_Sequence.apply` made it."""
    array, *operands = step.operands
    chosen = operands[0].owner if step.op is dynamic_update_slice else None
    if isinstance(chosen, Instr) and chosen.op is select:
        active, new, old = chosen.operands
        read = old.owner
        if isinstance(read, Instr) and read.op is dynamic_slice and not active.type.shape:
            if list(read.operands) == [array, *operands[1:]]:
                return _Update(step, (new, *operands[1:]), active)
    return _Update(step, tuple(operands))


def _alike(mine: _Update, theirs: _Update) -> bool:
    """Whether one update serves both branches."""
    if mine.active is not None or theirs.active is not None:
        return False
    same_op = mine.step.op is theirs.step.op is dynamic_update_slice
    return same_op and mine.shapes() == theirs.shapes()


def _effects(instrs: Iterable[Instr]) -> bool:
    return any(
        instr.op.effect or any(_effects(region.instrs) for region in instr.regions)
        for instr in instrs
    )


def _filler(builder: Builder, like: Value) -> Value:
    """An index that is out of range, or any content."""
    type = like.type
    content = np.full((), -1 if type.dtype.kind == "i" and type.shape else 0, type.dtype)
    scalar = builder.emit(constant, (), {"value": content, **({"weak": True} if type.weak else {})})
    if not type.shape:
        return scalar
    attrs = {"shape": type.shape, "broadcast_dimensions": ()}
    return builder.emit(broadcast_in_dim, (scalar,), attrs)
