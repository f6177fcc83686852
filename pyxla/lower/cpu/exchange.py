"""Loops whose arrays change places take as many iterations at a time as bring them back.

    while c(i): f(a) into b; a, b = b, a     while not odd and c(i):
                                               f(a) into b
                                               odd = not c(i + 1)
                                               if not odd: f(b) into a
                                             a, b = b, a if odd

XLA gives each slot of a loop one buffer.  What changes slots is copied there, in every iteration:
both arrays, and once more as neither may be overwritten before.  After two iterations each array
is where it was, after three of three arrays; where iterations are left over they change places
behind the loop.

    a, b = b, zeros; f(a) into b             the new array goes where `a` was, by a third slot

Only for XLA:CPU, where copies are what such loops spend their time on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, Uses, clone, size, substitute_region
from pyxla.ir.types import BOOL
from pyxla.lower.cost import SMALL
from pyxla.lower.cpu.kernels import origins
from pyxla.lower.dead import has_effect
from pyxla.lower.inplace import update_in_place
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import and_, not_
from pyxla.ops.filled import zeros
from pyxla.ops.shape import broadcast_in_dim, constant

MOST = 2000  # instructions of the iterations that are made at a time
PLACES = 3  # that an array comes through
NEW = -1  # the place of an array that is made in the loop


def exchange(region: Region) -> Region:
    """The region, its loops whose arrays change places rewritten, in place."""
    if _rewrite(region):
        update_in_place(region)  # the later iterations, which may not be made
    return region


def _rewrite(region: Region) -> bool:
    code: list[Instr] = []
    replaced: Mapping = {}
    changed, uses = False, Uses()
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= _rewrite(inner)
        code.append(instr)
        if instr.op is while_ and not any(map(has_effect, instr.regions[1].instrs)):
            if rounds := _rounds(instr):
                used = {v for user in region.instrs for v in uses(user)}.union(region.results)
                code[-1:] = _SeveralAtATime(instr, rounds).emit(replaced, used)
                changed = True
    region.instrs[:] = code
    if replaced:
        substitute_region(region, replaced)
    return changed


def _rounds(loop: Instr) -> list[list[int]]:
    """The slots of large arrays that change places in a round, each of which gets what the next one
    had, the last what the first had; all as many."""
    body = loop.regions[1]
    comes = _sources(body)
    times = Counter(comes.values())
    found = [_round(k, comes, times) for k in comes]
    rounds = [slots for slots in found if len(slots) == max(map(len, found)) > 0]
    return rounds if rounds and len(rounds[0]) * size(body.instrs) <= MOST else []


def _round(k: int, comes: dict[int, int | None], times: Counter[int | None]) -> list[int]:
    """The round that begins with a slot, if any; one that ends with a new array gets a new slot."""
    found = [k]
    while found[-1] in comes and len(found) <= PLACES:
        j = comes[found[-1]]
        if j == k:
            return found if len(found) > 1 and k == min(found) else []
        if j is None:
            return [*found, NEW] if 1 < len(found) < PLACES and not times[k] else []
        if times[j] > 1:
            return []
        found.append(j)
    return []


def _sources(body: Region) -> dict[int, int | None]:
    """The slot from which a large array comes that is updated in place; None where it is new."""
    found: dict[int, int | None] = {}
    for k, value in enumerate(body.results):
        if value.type.size <= SMALL or len(made_of := origins(value)) != 1:
            continue
        (array,) = made_of
        if array in body.params:
            found[k] = body.params.index(array)
        elif array is not value and _is_filled(array):
            found[k] = None
    return found


def _is_filled(value: Value) -> bool:
    owner = value.owner
    return (
        isinstance(owner, Instr)
        and owner.op is broadcast_in_dim
        and not owner.operands[0].type.shape
    )


class _SeveralAtATime:
    """rounds: the slots that change places; after an iteration each has what the next one had, but
    nothing is moved: the array of the k-th slot lies in the slot that is as many further."""

    def __init__(self, loop: Instr, rounds: list[list[int]]) -> None:
        self.loop = loop
        self.rounds = rounds
        self.times = len(rounds[0])

    def emit(self, replaced: Mapping, used: set[Value]) -> list[Instr]:
        """The code instead of the loop, and what replaces those of its results that are used."""
        loop, code = self.loop, list[Instr]()
        builder = Builder(code, loop.loc)
        self.add_slots(builder)
        none = builder.emit(constant, (), {"value": np.array(False)})
        ended = [none] * (self.times - 1)
        regions = self.condition(), self.body()
        state = builder.emit(while_, (*loop.operands, *ended), {}, regions=regions)
        replaced.update(zip(loop.results, state, strict=False))
        own = [k for slots in self.rounds for k in slots if k < len(loop.results)]
        needed = [k for k in own if loop.results[k] in used]
        if needed:
            final = self.final(builder, needed, state)
            replaced.update({loop.results[k]: x for k, x in zip(needed, final, strict=True)})
        return code

    def add_slots(self, builder: Builder) -> None:
        """For new arrays: they are made where one lies that nobody needs any more."""
        cond, body = self.loop.regions
        for slots in self.rounds:
            if slots[-1] != NEW:
                continue
            type, slots[-1] = body.params[slots[0]].type, len(body.params)
            with building(builder):
                self.loop.operands += (zeros(type),)
            cond.params += (Value(type, cond),)
            body.params += (Value(type, body),)
            body.results += (body.params[slots[0]],)

    def lying(self, values: Sequence[Any], times: int) -> list[Any]:
        """What the slots hold, after so many iterations, of a state."""
        found = [*values]
        for slots in self.rounds:
            for at, k in enumerate(slots):
                found[slots[(at + times) % self.times]] = values[k]
        return found

    def final(
        self, builder: Builder, slots: list[int], state: Sequence[Value], times: int = 1
    ) -> Sequence[Value]:
        """The arrays of slots, which ended after so many iterations of a round, or after more."""
        held = self.lying(range(len(self.loop.operands)), times)
        here = [state[held.index(k)] for k in slots]
        if times == self.times:
            return here
        code: list[Instr] = []
        later = self.final(Builder(code, self.loop.loc), slots, state, times + 1)
        branches = Region((), [], tuple(here)), Region((), code, tuple(later))
        flag = state[len(self.loop.operands) + times - 1]
        return builder.emit(if_, (flag,), {}, regions=branches)

    def condition(self) -> Region:
        cond = self.loop.regions[0]
        ended = tuple([Value(BOOL) for _ in range(1, self.times)])
        code = [*cond.instrs]
        builder = Builder(code, self.loop.loc)
        goes_on = cond.results[0]
        for flag in ended:
            goes_on = builder.emit(and_, (builder.emit(not_, (flag,), {}), goes_on), {})
        return Region((*cond.params, *ended), code, (goes_on,))

    def body(self) -> Region:
        body = self.loop.regions[1]
        code = [*body.instrs]
        results = self.after(1, body.results, Builder(code, self.loop.loc))
        ended = [Value(BOOL) for _ in range(1, self.times)]
        return Region((*body.params, *ended), code, results)

    def after(self, times: int, state: Sequence[Value], builder: Builder) -> tuple[Value, ...]:
        """What a round leaves, after so many iterations of it, which left a state: what the slots
        hold, and where of several places it ended, if it did."""
        if times == self.times:
            return tuple(state)
        cond, body = self.loop.regions
        tested: Mapping = dict(zip(cond.params, state, strict=True))
        builder.instrs += clone(cond.instrs, tested)
        goes_on = tested.get(cond.results[0], cond.results[0])
        again: Mapping = dict(zip(body.params, state, strict=True))
        code = clone(body.instrs, again)
        left = [again.get(value, value) for value in body.results]
        later = Region((), code, self.after(times + 1, left, Builder(code, self.loop.loc)))
        no = builder.emit(constant, (), {"value": np.array(False)})
        stays = *self.lying(state, times), *[no] * (self.times - 1 - times)
        results = builder.emit(if_, (goes_on,), {}, regions=(later, Region((), [], stays)))
        ended, held = builder.emit(not_, (goes_on,), {}), len(state)
        return (*results[:held], ended, *results[held:])
