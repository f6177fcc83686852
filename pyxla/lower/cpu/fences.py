"""Fences: what is read from an array in a loop is read before the array is updated in place.

    %x = A[i]; %c = %x > 1; %u = %x + 1     %x = A[i]; %c = kept(%x > 1)
    A[i] = %u; go on while %c               %u = kept(%x + 1, %c); A[i] = %u; go on while %c

XLA:CPU fuses cheap code into everything that uses it.  Here `A[i]` would be read once for the
update and once for `%c`, in no particular order; so XLA keeps the old array for the second read: a
copy of the array in every iteration.  So where code that reads an array flows anywhere but into the
update of that array, what it gives is kept (`ops.kept`), and the update waits for all of it.

So is code whose reads flow into the update alone, unless XLA fuses them with it: otherwise what is
read lies in memory of which LLVM knows nothing, and what is kept is known to lie apart from the
loop's state (`Emitter.left`).

A number whose old value is for the new one alone needs none, where `lower.cpu.registers` lets the
update wait for it: the word of faults, a sum.

A loop inside that carries the array is such an update too.

In a loop that is one function nothing is left of a fence, and arrays of a few numbers have them
too: a copy reads as a whole what was just written in part, for which a processor waits.  Elsewhere
copying a small array is cheaper.

Only for XLA:CPU, after everything that simplifies (`lower.finish`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Uses, substitute, users_of
from pyxla.lower.cost import SMALL, nbytes
from pyxla.lower.cpu.kernels import ELEMENTARY, can_hold, is_literal, is_over_elements
from pyxla.lower.cpu.small import is_one_function
from pyxla.lower.dead import has_effect
from pyxla.lower.rules import known
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import (
    convert,
    divide,
    exponential,
    log,
    power,
    remainder,
    select,
    sqrt,
    tanh,
)
from pyxla.ops.index import dynamic_slice, dynamic_update_slice, scatter
from pyxla.ops.kept import kept
from pyxla.ops.shape import constant, reshape

FENCES = 16  # in one loop
PART = 16  # of an array, that may be kept: less work than to copy the array
RELICS = 6  # numbers whose old values a loop may keep (`lower.cpu.registers`)
TEMPORARIES = 8  # that an iteration keeps: what is stored of the tables of more costs more
MANY = 32  # values that each of several updates waits for: XLA's time grows with the product
COSTLY = (divide, remainder, sqrt, exponential, log, power, tanh)  # not computed for each use
COPIED = 1 << 13  # bytes: a call of its own takes as long as this copy

_UNFUSED = frozenset(
    """while scatter dot_general convolution sort fft cholesky triangular_solve custom_call
    select_and_scatter reduce_window rng_bit_generator call case kept""".split()  # noqa: SIM905
)


def fence_reads(region: Region) -> Region:
    """Fence the loops of a region, in place."""
    for instr in region.instrs:
        for inner in instr.regions:
            fence_reads(inner)
        if instr.op is not while_:
            continue
        copied = 0 if is_one_function(instr) else COPIED
        if not copied:
            _keep_costly(instr.regions[1])
        if _updates(instr):
            for _ in range(FENCES):
                if not _fence(instr, copied):
                    break
            if not copied:
                _keep_indices(instr.regions[1])
                _keep_reads(instr.regions[1])
    return region


def _updates(loop: Instr) -> bool:
    code = loop.regions[1].instrs
    return any(map(updated, code)) and not any(map(has_effect, code))


def _fence(loop: Instr, copied: int) -> bool:
    """Fence the reads before one update; False when there is nothing to do.

    copied: arrays of so many bytes may be copied.
    """
    if not any(nbytes(x) > copied for instr in loop.regions[1].instrs for x in updated(instr)):
        return False
    code = Code(loop.regions[1], _is_guarded(loop))
    body, users = code.body, code.users
    found = [(update, array) for update in body.instrs for array in updated(update)]
    for update, array in sorted(found, key=lambda pair: -nbytes(pair[1])):
        if array in body.results or nbytes(array) <= copied:
            continue
        readers = [user for user in users.get(array, ()) if user is not update]
        if not readers or any(array in updated(reader) for reader in readers):
            continue
        # Where other code that cannot be fenced is between the reads, each has a fence of its own.
        for some in (readers, *([reader] for reader in readers if len(readers) > 1)):
            fenced = _to_fence(code, update, array, some)
            if fenced and _Fence(code, update, fenced).emit():
                return True
    return False


def updated(instr: Instr) -> Sequence[Value]:
    """The arrays that an instruction updates in place."""
    if instr.op in (dynamic_update_slice, scatter):
        found: Sequence[Value] = instr.operands[:1]
    elif instr.op is while_:
        body = instr.regions[1]
        slots = zip(instr.operands, body.params, body.results, strict=True)
        found = [array for array, param, result in slots if result is not param]
    else:
        return ()
    return [array for array in found if array.type.size > 1]


def _is_guarded(loop: Instr) -> bool:
    """Whether `lower.cpu.registers` is sure to find an order for what changes."""
    body = loop.regions[1]
    changed = [x for x, result in zip(body.params, body.results, strict=True) if result is not x]
    numbers = sum([x.type.size == 1 for x in changed])
    one_array = len(changed) - numbers == 1 and numbers <= RELICS
    return one_array and is_over_elements(loop) and can_hold(loop)


class Code:
    """A region, the body of a loop: what its instructions need, and who uses its values.

    waits: the results that need no fence, as what is updated waits for them.
    """

    def __init__(self, body: Region, guarded: bool = False) -> None:
        self.body = body
        self.needs = Uses()
        self.users = users_of(body, self.needs)
        self.waits = self.accumulated() if guarded else frozenset()

    def needed_for(self, values: Iterable[Value]) -> set[Instr]:
        """The instructions that compute values."""
        needed, found = set(values), set()
        for instr in reversed(self.body.instrs):
            if not needed.isdisjoint(instr.results):
                found.add(instr)
                needed.update(self.needs(instr))
        return found

    def accumulated(self) -> frozenset[Value]:
        """The numbers whose old values are for the new ones alone: `lower.cpu.registers` lets
        updates wait for them."""
        results = self.body.results
        slots = zip(self.body.params, results, strict=True)
        return frozenset(
            [
                result
                for param, result in slots
                if param.type.size == 1
                and results.count(result) == 1
                and not self.users.get(result)
                and self.reached(param) == {result}
            ]
        )

    def is_told_by(self, value: Value) -> bool:
        """Whether XLA computes a value in several kernels, of an update's index at least, or, where
        it is an int or a bool, of something else than updates."""
        reached = self.fused_with(value)
        apart = {user for x in reached for user in self.users.get(x, ()) if is_apart(user)}
        updates = {user for user in apart if user.op is dynamic_update_slice}
        others = len(apart - updates) + len(reached.intersection(self.body.results))
        if any([not reached.isdisjoint(update.operands[2:]) for update in updates]):
            return len(updates) + others > 1
        return value.type.dtype.kind in "iub" and others > 0 and len(updates) + others > 1

    def is_branched(self, value: Value) -> bool:
        """Whether a value has several uses, or what XLA fuses with it."""
        reached = self.fused_with(value)
        return any(len(self.users.get(x, ())) + self.body.results.count(x) > 1 for x in reached)

    def fused_with(self, value: Value) -> set[Value]:
        """A value, and all that XLA fuses with it."""
        seen, work = {value}, [value]
        while work:
            for user in self.users.get(work.pop(), ()):
                new = [] if is_apart(user) else [x for x in user.results if x not in seen]
                seen.update(new)
                work += new
        return seen

    def reached(self, param: Value) -> set[Value]:
        """The results that are computed of a parameter."""
        seen, work = {param}, [param]
        while work:
            for user in self.users.get(work.pop(), ()):
                new = [value for value in user.results if value not in seen]
                seen.update(new)
                work += new
        return seen.intersection(self.body.results)


def _to_fence(code: Code, update: Instr, array: Value, readers: list[Instr]) -> list[Instr]:
    """The fusible code from the reads on, in order, if it flows past the update.

    A read between two updates flows past the first: XLA makes that once more for the read.
    """
    before = code.needed_for(set(code.needs(update)).difference(updated(update)))
    between = isinstance(array.owner, Instr) and array.owner.op is dynamic_update_slice
    waits: Collection[Value] = () if between else code.waits
    exposed = set(code.body.results).difference(waits)
    reached: dict[Instr, None] = {}
    work = list(readers)
    hazard = False
    while work:
        instr = work.pop()
        if instr is update:
            hazard |= between or not all([_is_fused(read, update, code) for read in readers])
        elif not is_fusible(instr):
            hazard |= instr not in before
            if instr.op is kept:
                reached[instr] = None
        elif instr not in reached:
            reached[instr] = None
            hazard |= not exposed.isdisjoint(instr.results)
            for value in instr.results:
                work += code.users.get(value, ())
    if not hazard:
        return []
    most = max(SMALL, array.type.size // PART)
    return _convex([i for i in code.body.instrs if i in reached], update, code, most)


def _is_fused(read: Instr, update: Instr, code: Code) -> bool:
    """Whether XLA fuses a read of an element with its update, so that it needs no memory.

    It does where what is read has one use, and shapes stay the same up to the update, or would if
    XLA reshaped constants.
    """
    if update.op is not dynamic_update_slice or read.op is not dynamic_slice:
        return False
    if read.operands[1:] != update.operands[2:]:
        return False
    value, reshaped, varies = read.result, False, False
    while value is not update.operands[1]:
        users = code.users.get(value, ())
        if len(users) != 1 or value in code.body.results:
            return False
        (user,) = users
        if user.op is select or user.op not in ELEMENTARY:
            return False
        reshaped |= user.op is reshape
        varies |= not all([x is value or is_literal(x) for x in user.operands])
        value = user.result
    return code.users[value] == [update] and not (reshaped and varies)


def is_apart(instr: Instr) -> bool:
    """Whether an instruction is one of those that XLA fuses nothing behind."""
    return instr.op is dynamic_update_slice or not is_fusible(instr)


def is_fusible(instr: Instr) -> bool:
    if instr.op is if_:
        return becomes_select(instr)
    return instr.op.name not in _UNFUSED


def becomes_select(instr: Instr) -> bool:
    """Whether XLA makes selects of a conditional: of inner ones first; an empty branch stays."""
    return instr.op is if_ and all(region.instrs and _cheap(region) for region in instr.regions)


def _cheap(region: Region) -> bool:
    return all(becomes_select(i) if i.regions else i.op.name not in _UNFUSED for i in region.instrs)


def _convex(reached: list[Instr], update: Instr, code: Code, most: int) -> list[Instr]:
    """What can run as one piece before the update: nothing that needs it, no result of more than
    `most` elements, and no update of another array, which would be computed apart from it."""
    inside, users, results = set(reached), code.users, set(code.body.results)
    size = -1
    while len(inside) != size:
        size = len(inside)
        _drop_what_waits(inside, update, code)
        for instr in reached:
            for value in instr.results if instr in inside else ():
                outside = value in results or any(u not in inside for u in users.get(value, ()))
                if outside and (value.type.size > most or updated(instr)):
                    inside.discard(instr)
    return [instr for instr in reached if instr in inside]


def _drop_what_waits(inside: set[Instr], update: Instr, code: Code) -> None:
    """Leave out what needs the update, or code that itself has to wait for what is inside."""
    tainted: set[Value] = set()
    from_inside: set[Value] = set()
    for instr in code.body.instrs:
        needs = code.needs(instr)
        if instr in inside and tainted.isdisjoint(needs):
            from_inside.update(instr.results)
        elif instr is update or not tainted.isdisjoint(needs) or not from_inside.isdisjoint(needs):
            inside.discard(instr)
            tainted.update(instr.results)


def _keep_costly(body: Region) -> None:
    """Keep what XLA computes once for several uses in the body of an innermost loop, in memory."""
    if any(instr.op is while_ for instr in body.instrs):
        return
    for instr in list(body.instrs):
        if _is_costly(instr) and Code(body).is_branched(instr.result):
            _keep(body, instr, instr.result)


def _is_costly(instr: Instr) -> bool:
    """Whether XLA computes what an instruction gives once, not for each use."""
    if instr.op is divide and instr.result.type.dtype.kind == "f":
        by = known(instr.operands[1])
        return by is None or abs(np.frexp(by.flat[0])[0]) != 0.5  # else it is a product
    return instr.op in COSTLY


def _keep_indices(body: Region) -> None:
    """Keep the positions of updates in the body of an innermost loop with fences.

    One that a read shares lies in memory, and LLVM is told that what is kept lies apart.
    """
    ops = {instr.op for instr in body.instrs}
    if while_ in ops or kept not in ops:
        return
    users = Code(body).users
    updates = [instr for instr in body.instrs if instr.op is dynamic_update_slice]
    positions = dict.fromkeys([value for instr in updates for value in instr.operands[2:]])
    for instr in list(body.instrs):
        if instr.op is constant or not is_fusible(instr):
            continue
        if instr.op is convert and not isinstance(instr.operands[0].owner, Instr):
            continue  # a number of the state, as an index
        for value in positions.keys() & set(instr.results):
            if len(users[value]) > 1:
                _keep(body, instr, value)


def _keep_reads(body: Region) -> None:
    """Keep the elements that tell an innermost loop where to write, or what to do, if they are read
    for several kernels, of arrays that stay as they are.

    XLA makes the index, and all that checks it, once more in each kernel, and LLVM seldom sees that
    they are the same.
    """
    if any(instr.op is while_ for instr in body.instrs):
        return
    code = Code(body)
    made = {value for instr in body.instrs for value in instr.results}
    changed = {x for x, result in zip(body.params, body.results, strict=True) if x is not result}
    reads = [
        instr
        for instr in body.instrs
        if instr.op is dynamic_slice
        and instr.result.type.size == 1
        and instr.operands[0] not in made | changed
        and code.is_told_by(instr.result)
    ]
    if len(reads) + sum([instr.op is kept for instr in body.instrs]) <= TEMPORARIES:
        for instr in reads:
            _keep(body, instr, instr.result)


def _keep(body: Region, instr: Instr, value: Value) -> None:
    """Keep a result of an instruction for all that comes after."""
    at = body.instrs.index(instr) + 1
    code: list[Instr] = []
    shown = {value: Builder(code, instr.loc).emit(kept, (value,), {})}
    after = body.instrs[at:]
    substitute(after, shown)
    body.instrs[at:] = [*code, *after]
    body.results = tuple([shown.get(result, result) for result in body.results])


def is_kept(value: Value) -> bool:
    return isinstance(value.owner, Instr) and value.owner.op is kept


def home(value: Value) -> Value:
    """The value in whose memory a value lies."""
    while isinstance(value.owner, Instr) and value.owner.op in (kept, reshape, convert):
        (first, *_) = value.owner.operands
        if first.type.dtype != value.type.dtype:
            break
        value = first
    return value


class _Fence:
    """Keeps what `fenced` instructions of a loop's body give, before `update`."""

    def __init__(self, code: Code, update: Instr, fenced: list[Instr]) -> None:
        self.code = code
        self.update = update
        self.made = {value for instr in fenced for value in instr.results}
        inside, results = set(fenced), set(code.body.results)
        self.given = [
            value
            for value in dict.fromkeys(v for instr in fenced for v in instr.results)
            if value in results or any(user not in inside for user in code.users.get(value, ()))
        ]
        self.inside = inside

    def emit(self) -> bool:
        """Write it; False where that would change nothing."""
        body, update = self.code.body, self.update
        operand = self.operand()
        if all(map(is_kept, self.given)) and (operand is None or self.waits(operand)):
            return False
        before: list[Instr] = []
        after: list[Instr] = []
        late = set(self.made)
        for instr in body.instrs:
            waits = instr is update or not late.isdisjoint(self.code.needs(instr))
            if waits and instr not in self.inside:
                after.append(instr)
                late.update(instr.results)
            else:
                before.append(instr)
        builder = Builder(before, update.loc)
        fresh = [value for value in self.given if not is_kept(value)]
        shown = {value: builder.emit(kept, (value,), {}) for value in fresh}
        substitute(after, shown)
        if operand is not None:
            operand = shown.get(operand, operand)
            self.let_wait(after, operand, [shown.get(value, value) for value in self.given])
        body.results = tuple([shown.get(value, value) for value in body.results])
        body.instrs[:] = before + after
        return True

    def waits(self, operand: Value) -> bool:
        """Whether the update waits for all that is given."""
        owner = operand.owner
        held = owner.operands if isinstance(owner, Instr) and owner.op is kept else ()
        return set(self.given) <= {operand, *held}

    def let_wait(self, after: list[Instr], operand: Value, given: list[Value]) -> None:
        """Let the update wait for what is given: an operand of it does."""
        others = tuple([value for value in given if value is not operand])
        if not others:
            return
        at = after.index(self.update)
        for instr in after[:at]:  # another that waits for all of them
            if len(others) > MANY and instr.op is kept and set(others).issubset(instr.operands):
                others = instr.results
        code: list[Instr] = []
        waiting = Builder(code, self.update.loc).emit(kept, (operand, *others), {})
        after[at:at] = code
        operands = self.update.operands
        self.update.operands = tuple([waiting if v is operand else v for v in operands])

    def operand(self) -> Value | None:
        operands = self.update.operands
        if self.update.op is not while_:
            return operands[1]
        small = [value for value in operands if value.type.size <= SMALL]
        made = [v for v in small if not isinstance(v.owner, Instr) or v.owner.op is not constant]
        return next(iter(made or small), None)
