"""Fences: what is read from an array in a loop is read before the array is updated in place.

    %x = A[i]; %c = %x > 1; %u = %x + 1     %c, %u = if (i < n): %x = A[i]; %x > 1, %x + 1
    A[i] = %u; go on while %c                  else: ...                   (never)
                                            A[i] = %u; go on while %c

XLA:CPU fuses cheap code into everything that uses it.  Here `A[i]` would be read once for the
update and once for `%c`, in no particular order; so XLA keeps the old array for the second read: a
copy of the array in every iteration.  A conditional is not fused with what uses its results.  So
where code that reads an array flows anywhere but into the update of that array, it is put into a
conditional whose predicate is the loop's own test, which is true there, but XLA cannot know.  The
other branch must be empty (XLA turns other small conditionals into selects), so it gives any values
at hand.

A number whose old value is for the new one alone needs none, where `lower.cpu.registers` lets the
update wait for it: the word of faults, a sum.

A loop inside that carries the array is such an update too.  Where nothing that an update needs
comes from the conditional, one of its operands goes through it, so that it waits for the reads.

In a loop that is one function a conditional is a jump; elsewhere copying a small array is cheaper.

Only for XLA:CPU: elsewhere a conditional is dear; to `simplify` it is nonsense (`lower.finish`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, Uses, clone, substitute
from pyxla.lower.cost import SMALL, nbytes, total
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.lower.cpu.small import is_one_function
from pyxla.lower.dead import has_effect
from pyxla.ops.check import same
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import convert
from pyxla.ops.index import dynamic_update_slice, scatter
from pyxla.ops.shape import broadcast_in_dim, constant

TEST = 32  # cost of the test that a fence repeats
FENCES = 16  # in one loop
PART = 16  # of an array, that a conditional may give: less work than to copy the array
RELICS = 6  # numbers whose old values a loop may keep (`lower.cpu.registers`)
COPIED = 1 << 13  # bytes: a conditional of its own takes as long as this copy

_UNFUSED = frozenset(
    """while scatter dot_general convolution sort fft cholesky triangular_solve custom_call
    select_and_scatter reduce_window rng_bit_generator call case""".split()  # noqa: SIM905
)


def fence_reads(region: Region) -> Region:
    """Fence the loops of a region, in place."""
    for instr in region.instrs:
        for inner in instr.regions:
            fence_reads(inner)
        if instr.op is while_ and _updates(instr) and _testable(instr):
            copied = 0 if is_one_function(instr) else COPIED
            for _ in range(FENCES):
                if not _fence(instr, copied):
                    break
    return region


def _updates(loop: Instr) -> bool:
    return any(map(updated, loop.regions[1].instrs))


def _testable(loop: Instr) -> bool:
    effect = any(has_effect(instr) for instr in loop.regions[1].instrs)
    return not effect and total(loop.regions[0].instrs, TEST) <= TEST


def _fence(loop: Instr, copied: int) -> bool:
    """Fence the reads before one update; False when there is nothing to do.

    copied: arrays of so many bytes may be copied.
    """
    if not any(nbytes(x) > copied for instr in loop.regions[1].instrs for x in updated(instr)):
        return False
    code = Code(loop.regions[1], _is_guarded(loop))
    body, users = code.body, code.users
    for update in body.instrs:
        for array in updated(update):
            if array in body.results or nbytes(array) <= copied:
                continue
            readers = [user for user in users.get(array, ()) if user is not update]
            if not readers or any(array in updated(reader) for reader in readers):
                continue
            fenced = _to_fence(code, update, array, readers)
            if fenced:
                _Fence(loop, update, fenced, code).emit()
                return True
    return False


def updated(instr: Instr) -> Sequence[Value]:
    """The large arrays that an instruction updates in place."""
    if instr.op in (dynamic_update_slice, scatter):
        found: Sequence[Value] = instr.operands[:1]
    elif instr.op is while_:
        body = instr.regions[1]
        slots = zip(instr.operands, body.params, body.results, strict=True)
        found = [array for array, param, result in slots if result is not param]
    else:
        return ()
    return [array for array in found if array.type.size > SMALL]


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
        self.users: dict[Value, list[Instr]] = {}
        for instr in body.instrs:
            for value in dict.fromkeys(self.needs(instr)):
                self.users.setdefault(value, []).append(instr)
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
    results = set(code.body.results)
    reached: dict[Instr, None] = {}
    work = list(readers)
    hazard = isinstance(array.owner, Instr) and array.owner.op is dynamic_update_slice
    while work:
        instr = work.pop()
        if instr is update or instr in reached:
            continue
        if not is_fusible(instr):
            hazard |= instr not in before
            continue
        reached[instr] = None
        hazard |= any(v in results and v not in code.waits for v in instr.results)
        for value in instr.results:
            work += code.users.get(value, ())
    if not hazard:
        return []
    most = max(SMALL, array.type.size // PART)
    return _convex([i for i in code.body.instrs if i in reached], update, code, most)


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
    `most` elements, and no update of another array, which a conditional would copy."""
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


class _Fence:
    """Puts `fenced` instructions of a loop's body into a conditional before `update`."""

    def __init__(
        self,
        loop: Instr,
        update: Instr,
        fenced: list[Instr],
        code: Code,
    ) -> None:
        self.cond, self.body = loop.regions
        self.needs = code.needs
        self.update = update
        self.fenced = fenced
        inside = set(fenced)
        results = set(self.body.results)
        self.given = [
            value
            for instr in fenced
            for value in instr.results
            if value in results or any(user not in inside for user in code.users.get(value, ()))
        ]

    def emit(self) -> None:
        body = self.body
        inside = set(self.fenced)
        made = {value for instr in self.fenced for value in instr.results}
        before: list[Instr] = []
        after: list[Instr] = []
        late = set(made)
        for instr in body.instrs:
            if instr in inside:
                continue
            if instr is self.update or not late.isdisjoint(self.needs(instr)):
                after.append(instr)
                late.update(instr.results)
            else:
                before.append(instr)
        waits = not late.isdisjoint(self.needs(self.update))
        through = [] if waits else self.through()
        builder = Builder(before, self.update.loc)
        mapping = dict(zip(self.cond.params, body.params, strict=True))
        before.extend(clone(self.cond.instrs, mapping))
        test = mapping.get(self.cond.results[0], self.cond.results[0])
        given = [*self.given, *through]
        then = Region((), self.then_code(), tuple(given))
        fillers = tuple([self.filler(builder, value, test) for value in given])
        chosen = builder.emit(if_, (test,), {}, (then, Region((), [], fillers)))
        replaced = dict(zip(given, chosen, strict=True))
        if through:
            mapping = {through[0]: chosen[-1]}
            self.update.operands = tuple([mapping.get(v, v) for v in self.update.operands])
        substitute(after, {value: replaced[value] for value in self.given})
        body.results = tuple([replaced.get(v, v) if v in made else v for v in body.results])
        body.instrs[:] = before + after

    def through(self) -> list[Value]:
        """An operand of the update that can go through the conditional, so that it waits."""
        operands = self.update.operands
        if self.update.op is not while_:
            return [operands[1]] if self.update.op is dynamic_update_slice else []
        small = [value for value in operands if value.type.size <= SMALL]
        made = [v for v in small if not isinstance(v.owner, Instr) or v.owner.op is not constant]
        return (made or small)[:1]

    def then_code(self) -> list[Instr]:
        """The fenced code, with the constants that it uses."""
        mapping: Mapping = {}
        code: list[Instr] = []
        for value in dict.fromkeys(v for instr in self.fenced for v in instr.operands):
            owner = value.owner
            if isinstance(owner, Instr) and owner.op is constant:
                code += clone([owner], mapping)
        substitute(self.fenced, mapping)
        return code + self.fenced

    def filler(self, builder: Builder, like: Value, test: Value) -> Value:
        """Any other value of the type; not a constant, which XLA would move into the branch."""
        type = like.type
        for value in (test, *self.body.params):
            if value is not like and same(value.type, type):
                return value
        number = builder.emit(convert, (test,), {"dtype": type.dtype})
        attrs = {"shape": type.shape, "broadcast_dimensions": ()}
        return builder.emit(broadcast_in_dim, (number,), attrs) if type.shape else number
