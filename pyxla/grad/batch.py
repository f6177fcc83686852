"""Batching: typed region -> typed region that computes many lanes at once.

    batch(region, lanes, size):  params, with `size` lanes where `lanes` says so  ->  results

A value is *batched* if it differs between lanes: it has one dimension more, the first.  The others
stay what they are and are computed once.  One walk over the code, which is copied; ops have rules
(`pyxla.ops.batching`), control flow is here:

    if, case    on a batched predicate: all branches, and a selection
    while       with a batched condition: runs while any lane is alive

    while c(x): x = f(x)    ->    while any(a): x' = f(x); x = a ? x' : x; a = a & c(x)

What a loop carries and is the same in all lanes that are alive stays unbatched (counters), with a
batched copy for what each lane has at its end.  Arrays that are written part by part keep dead
lanes as they are by writing elsewhere, instead of by a selection of the whole.

A *mask* says which lanes are here at all: loops stop when none of those is alive, so that a lane
that would have taken another branch cannot make a loop endless.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.grad.emitting import buffer, into, load, loop, number, store
from pyxla.grad.foreign import foreign_batch
from pyxla.ir import rewrite
from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import BOOL, ArrayType, array_type
from pyxla.lib.masks import same
from pyxla.lower.expand import expand
from pyxla.lower.trips import conjuncts, trips
from pyxla.ops.batching import along, every, spread
from pyxla.ops.control import call, case, if_, while_
from pyxla.ops.elementwise import add, and_, compare, not_, select, subtract
from pyxla.ops.filled import constant, filled, zeros
from pyxla.ops.foreign import STOPPED, foreign, host_call
from pyxla.ops.index import dynamic_update_slice, nowhere, scatter, updated_where
from pyxla.ops.random import rng
from pyxla.ops.reduce import reduce
from pyxla.ops.scope import scope

CONTROL = frozenset({if_, case, while_, call, scope})
# What differs between lanes though nothing that it is computed from does.
_FRESH = frozenset({rng, host_call})


NONE: Mapping[Value, Value] = MappingProxyType({})

# Iterations that a loop may make in vain, for lanes that are elsewhere.
FEW = 64
DEEP = 8  # how deep in expressions it is looked whether branches agree


def batch(region: Region, lanes: Sequence[bool], size: int, axis: Any = None) -> Region:
    """The region on parameters with `size` lanes where `lanes` holds.

    Results that differ between lanes have them as their first dimension, others do not.
    axis: what JAX's functions call the lanes, over which they communicate.
    """
    if any(_is_reversal(instr) for instr in rewrite.walk(region.instrs)):
        region = expand(rewrite.clone_region(region, {}), "reversal")
    _check(region)
    batched = {param for param, flag in zip(region.params, lanes, strict=True) if flag}
    if axis is not None:
        talking = [i for i in rewrite.walk(region.instrs) if axis in i.attrs.get("axes", ())]
        batched.update([value for instr in talking for value in instr.results])
    spreads(region.instrs, batched)
    params = [
        Value(lanes_of(param.type, size) if param in batched else param.type, None, param.hint)
        for param in region.params
    ]
    builder = Builder([])
    with building(builder):
        walker = _Batch(batched, dict(zip(region.params, params, strict=True)), size, axis)
        results = walker.run(region)
    return Region(tuple(params), builder.instrs, results)


def _is_reversal(instr: Instr) -> bool:
    return instr.op is scope and instr.attrs["rule"].kind == "reversal"


def lanes_of(x: ArrayType, size: int) -> ArrayType:
    return array_type(x.dtype, (size, *x.shape))


def any_of(flags: Value) -> Value:
    """Whether any lane's flag is set."""
    false = constant(value=np.array(False))
    return reduce(flags, false, dimensions=(0,), computation="or")


def _check(region: Region) -> None:
    """Refuse to print: all lanes are computed at once, a loop would do one after the other."""
    for instr in rewrite.walk(region.instrs):
        if instr.op.effect and not instr.attrs.get("result_types"):
            raise CompileError(
                "print inside of a function given to vmap is not supported: its elements are "
                "computed at once",
                instr.loc,
                hint="print what vmap returns",
            )


# --- Which values are batched ---------------------------------------------------------------------


def spreads(instrs: Iterable[Instr], batched: set[Value]) -> None:
    """Add to `batched` what the code computes from values in it."""
    for instr in instrs:
        if instr.op is while_:
            _spread_loop(instr, batched)
        elif instr.op is if_ or instr.op is case:
            _spread_branches(instr, batched)
        elif instr.op is scope and _has_rules(instr):
            _spread_scope(instr, batched)
        elif instr.op is call or instr.op is scope:
            pairs = zip(instr.operands, instr.regions[0].params, strict=True)
            batched.update([param for operand, param in pairs if operand in batched])
            _spread_results(instr, batched)
        elif instr.op in _FRESH or not batched.isdisjoint(rewrite.uses(instr)):
            batched.update(instr.results)


def _spread_results(instr: Instr, batched: set[Value]) -> None:
    for region in instr.regions:
        spreads(region.instrs, batched)
        pairs = zip(instr.results, region.results, strict=True)
        batched.update([result for result, inner in pairs if inner in batched])


def _spread_branches(instr: Instr, batched: set[Value]) -> None:
    """Where lanes take different branches, all results but those that branches agree on."""
    _spread_results(instr, batched)
    if instr.operands[0] in batched:
        first, *others = [region.results for region in instr.regions]
        for k, result in enumerate(instr.results):
            if not all(same(first[k], other[k], DEEP) for other in others):
                batched.add(result)


def _spread_scope(instr: Instr, batched: set[Value]) -> None:
    """A scope with rules of its own is batched as a whole, so that they fit."""
    if not batched.isdisjoint(rewrite.uses(instr)):
        for region in instr.regions:
            batched.update(region.params)
            spreads(region.instrs, batched)
        batched.update(instr.results)


def _has_rules(instr: Instr) -> bool:
    return instr.attrs["rule"].kind == "custom"


def _spread_loop(instr: Instr, batched: set[Value]) -> None:
    """The least fixpoint over the slots; where lanes end at different times, all that changes."""
    cond, body = instr.regions
    rows = list(zip(instr.operands, cond.params, body.params, body.results, strict=True))
    new = [row for row in rows if row[0] in batched]
    while True:
        batched.update([x for _, test, param, _ in new for x in (test, param)])
        spreads(body.instrs, batched)
        new = [row for row in rows if row[3] in batched and row[2] not in batched]
        if not new:
            break
    spreads(cond.instrs, batched)
    ends = cond.results[0] in batched
    for final, (_, _, param, result) in zip(instr.results, rows, strict=True):
        if param in batched or (ends and result is not param):
            batched.add(final)


# --- The walk -------------------------------------------------------------------------------------


class _Batch:
    """batched: values of the original that are.  env: original -> copy.

    mask: lanes that are here, None for all of them; vacant: there may be none.  guarded: updates
    that must leave other lanes as they are.
    """

    def __init__(self, batched: set[Value], env: rewrite.Mapping, size: int, axis: Any) -> None:
        self.batched = batched
        self.env = env
        self.size = size
        self.axis = axis
        self.mask: Value | None = None
        self.vacant = False
        self.guarded: set[Instr] = set()

    def value(self, x: Value) -> Value:
        return self.env.get(x, x)

    def wide(self, x: Value) -> Value:
        """The copy of a value, with lanes."""
        made = self.value(x)
        return made if x in self.batched else spread(made, self.size)

    def run(self, region: Region) -> tuple[Value, ...]:
        """Emit the code of a region; the copies of its results."""
        for instr in region.instrs:
            current().loc = instr.loc
            self.step(instr)
        return tuple([self.value(x) for x in region.results])

    def under(self, mask: Value, region: Region, vacant: bool) -> None:
        """Emit the code of a region for some of the lanes."""
        outer = self.mask, self.vacant
        self.mask, self.vacant = mask, vacant
        self.run(region)
        self.mask, self.vacant = outer

    def guards(self, loop: Instr) -> bool:
        """Whether a loop, the same for all lanes, asks if there is any: it may be endless."""
        return self.vacant and ((found := trips(loop)) is None or found.bound > FEW)

    def here(self, lanes: Value) -> Value:
        return lanes if self.mask is None else and_(self.mask, lanes)

    def define(self, instr: Instr, made: Any) -> None:
        results = made if isinstance(made, tuple | list) else (made,)
        for own, value in zip(instr.results, results, strict=True):
            value.hint = own.hint
            self.env[own] = value

    def step(self, instr: Instr) -> None:
        if instr.op is while_ and instr.regions[0].results[0] in self.batched:
            self.loop_of_lanes(instr)
        elif self.same_for_all(instr):
            current().instrs.append(rewrite.clone_instr(instr, self.env))
        elif instr.op is while_:
            self.loop(instr)
        elif instr.op is call or instr.op is scope:
            self.nested(instr)
        elif instr.op not in CONTROL:
            self.define(instr, self.plain(instr))
        elif instr.operands[0] in self.batched:
            self.selection(instr)
        else:
            self.branches(instr)

    def same_for_all(self, instr: Instr) -> bool:
        """Whether it is computed once; a loop that may be endless must know the mask."""
        if not self.batched.isdisjoint(instr.results):
            return False
        inner = rewrite.walk([instr])
        if any(not self.batched.isdisjoint((*i.operands, *i.results)) for i in inner):
            return False
        return not any(i.op is while_ and self.guards(i) for i in inner)

    # ops

    def plain(self, instr: Instr) -> Any:
        if self.size == 0:
            return tuple([zeros(lanes_of(x.type, 0)) for x in instr.results])
        if any(
            value in self.batched for value in (rewrite.captures(instr) if instr.regions else ())
        ):
            return self.lane_by_lane(instr)
        if instr.op is host_call:
            return self.lane_by_lane(instr, self.order(instr))
        operands = [self.value(x) for x in instr.operands]
        if instr in self.guarded and self.mask is not None:
            return self.guarded_update(instr, operands, self.mask)
        regions = tuple([rewrite.clone_region(region, dict(self.env)) for region in instr.regions])
        given = Instr(instr.op, instr.operands, instr.attrs, regions, instr.loc)
        given.results = instr.results
        made = ruled(given, operands, self.size, self.axis)
        return self.lane_by_lane(instr) if made is None else made

    def guarded_update(self, instr: Instr, operands: list[Value], mask: Value) -> Any:
        if instr.op is dynamic_update_slice:
            return updated_where(instr, operands, self.size, mask)
        x, indices, updates = every(instr, operands, self.size)
        return scatter.batch(instr, (x, nowhere(indices, mask), updates), self.size)

    def order(self, call: Instr) -> dict[Value, Value]:
        """The order of a call of Python, in each lane: not of those that are elsewhere."""
        order = self.wide(call.operands[0])
        if self.mask is not None:
            order = select(self.mask, order, subtract(order, filled(order.type, STOPPED)))
        return {call.operands[0]: order}

    def lane_by_lane(self, instr: Instr, given: Mapping[Value, Value] = NONE) -> tuple[Value, ...]:
        """A loop over the lanes; `given` has some of the operands."""
        size = self.size

        def goes_on(i: Value, *state: Value) -> Value:
            return compare(i, number(size), direction="LT")

        def step(i: Value, *state: Value) -> tuple[Value, ...]:
            env = dict(self.env)
            for x in rewrite.uses(instr):
                if x in given or x in self.batched:
                    env[x] = load(given.get(x, self.env.get(x, x)), i)
            copy = rewrite.clone_instr(instr, env)
            current().instrs.append(copy)
            pairs = zip(state, copy.results, strict=True)
            return (add(i, number(1)), *[store(room, i, value) for room, value in pairs])

        empty = [buffer(x.type, size) for x in instr.results]
        return loop([number(0), *empty], goes_on, step)[1:]

    # branches

    def branches(self, instr: Instr) -> None:
        """A conditional that goes the same way in all lanes."""
        regions = []
        for branch in instr.regions:
            inner = Region()
            with into(inner.instrs):
                self.run(branch)
                inner.results = self.matched(branch.results, instr.results)
            regions.append(inner)
        operand = self.value(instr.operands[0])
        self.define(instr, current().emit(instr.op, (operand,), {}, tuple(regions)))

    def matched(self, values: Sequence[Value], like: Sequence[Value]) -> tuple[Value, ...]:
        """The copies of values, with lanes where those in their place are batched."""
        pairs = zip(values, like, strict=True)
        return tuple(
            [self.wide(x) if other in self.batched else self.value(x) for x, other in pairs]
        )

    def selection(self, instr: Instr) -> None:
        """All branches, each in its lanes, and for every lane the results of its own."""
        which, last = self.value(instr.operands[0]), len(instr.regions) - 1
        taken = [which, not_(which)] if instr.op is if_ else _cases(which, last + 1)
        rows = []
        for branch, lanes in zip(instr.regions, taken, strict=True):
            self.under(self.here(lanes), branch, True)
            rows.append(self.matched(branch.results, instr.results))
        made = rows.pop()
        while rows:
            lanes = taken[len(rows) - 1]
            columns = zip(instr.results, rows.pop(), made, strict=True)
            made = tuple(
                [self.chosen(lanes, x, y) if own in self.batched else x for own, x, y in columns]
            )
        self.define(instr, made)

    def chosen(self, lanes: Value, x: Value, y: Value) -> Value:
        return x if x is y else select(along(lanes, x.type.shape[1:]), x, y)

    def nested(self, instr: Instr) -> None:
        """A call or a scope, its functions on lanes."""
        regions = []
        for region in instr.regions:
            inner = Region(self.fresh(region.params))
            self.env.update(zip(region.params, inner.params, strict=True))
            with into(inner.instrs):
                self.run(region)
                if instr.op is scope and _has_rules(instr):
                    inner.results = tuple([self.wide(x) for x in region.results])
                else:
                    inner.results = self.matched(region.results, instr.results)
            regions.append(inner)
        operands = self.matched(instr.operands, instr.regions[0].params)
        self.define(instr, current().emit(instr.op, operands, instr.attrs, tuple(regions)))

    # loops

    def fresh(self, params: Sequence[Value]) -> tuple[Value, ...]:
        """Parameters in their place, with lanes where they are batched."""
        return tuple(
            [
                Value(lanes_of(x.type, self.size) if x in self.batched else x.type, None, x.hint)
                for x in params
            ]
        )

    def loop(self, instr: Instr) -> None:
        """A loop that ends at the same time in all lanes."""
        cond, body = instr.regions
        inits = self.matched(instr.operands, body.params)
        here = any_of(self.mask) if self.mask is not None and self.guards(instr) else None
        test, step = Region(self.fresh(body.params)), Region(self.fresh(body.params))
        self.env.update(zip(cond.params, test.params, strict=True))
        with into(test.instrs):
            (goes_on,) = self.run(cond)
            test.results = (goes_on if here is None else and_(goes_on, here),)
        self.env.update(zip(body.params, step.params, strict=True))
        with into(step.instrs):
            self.run(body)
            step.results = self.matched(body.results, body.params)
        self.define(instr, while_(*inits, regions=(test, step)))

    def loop_of_lanes(self, instr: Instr) -> None:
        """A loop that ends at different times: over who is alive, the slots, and final values.

        A slot that is not batched has the same value in all lanes that are alive, in all of which
        as many iterations were made; what it was at the end of a lane is a slot of its own.
        """
        cond, body = instr.regions
        rows = zip(body.params, body.results, strict=True)
        ends = [k for k, (x, y) in enumerate(rows) if x not in self.batched and x is not y]
        inits = self.matched(instr.operands, body.params)
        finals = [self.wide(instr.operands[k]) for k in ends]
        alive = self.here(self.condition(cond, inits))
        state = (alive, *inits, *finals)
        test = current().region([x.type for x in state], lambda *xs: self.goes_on(cond, *xs))
        step = Region(tuple([Value(x.type) for x in state]))
        lanes, params, last = _cut(step.params, len(inits))
        kept = self.guard(instr)
        self.env.update(zip(body.params, params, strict=True))
        with into(step.instrs):
            self.under(lanes, body, False)
            results = list(self.matched(body.results, body.params))
            for k, (old, own) in enumerate(zip(params, body.params, strict=True)):
                if own in self.batched and k not in kept:
                    results[k] = self.chosen(lanes, results[k], old)
            new = [self.wide(body.results[k]) for k in ends]
            new = [self.chosen(lanes, x, y) for x, y in zip(new, last, strict=True)]
            alive = and_(lanes, self.condition(cond, results))
            step.results = (alive, *results, *new)
        _, values, last = _cut(while_(*state, regions=(test, step)), len(inits))
        final = dict(enumerate(values)) | dict(zip(ends, last, strict=True))
        self.define(instr, [final[k] for k in range(len(inits))])

    def goes_on(self, cond: Region, alive: Value, *state: Value) -> Value:
        """Whether any lane is alive, and what is the same for all: it bounds the iterations."""
        made = any_of(alive)
        for x in self.tests(cond, state, False):
            made = and_(x, made)
        return made

    def condition(self, cond: Region, values: Sequence[Value]) -> Value:
        """Which lanes go on, as far as that differs between them."""
        first, *others = self.tests(cond, values, True)
        return functools.reduce(and_, others, first)

    def tests(self, cond: Region, state: Sequence[Value], batched: bool) -> list[Value]:
        """The parts of a condition that are batched, or those that are not."""
        found = [x for x in conjuncts(cond.results[0]) if (x in self.batched) is batched]
        self.env.update(zip(cond.params, state, strict=False))
        for instr in rewrite.slice_of(cond.instrs, found):
            self.step(instr)
        return [self.value(x) for x in found]

    def guard(self, instr: Instr) -> set[int]:
        """Slots that dead lanes keep without a selection; the updates that must see to that."""
        body, kept = instr.regions[1], set()
        for k, param in enumerate(body.params):
            steps = self.trail(body, k) if param in self.batched else None
            if steps is not None:
                self.guarded.update(steps)
                kept.add(k)
        return kept

    def trail(self, body: Region, k: int) -> list[Instr] | None:
        """The updates that make a slot of a loop; None where it is made in other ways too."""
        inner = {x for instr in body.instrs for x in instr.results}
        steps: list[Instr] = []
        value = body.results[k]
        while value is not body.params[k]:
            if value not in inner:
                return None
            instr = value.owner
            if instr.op is while_:
                at = instr.results.index(value)
                if instr.regions[0].results[0] not in self.batched:
                    further = self.trail(instr.regions[1], at)
                    if further is None:
                        return None
                    steps += further
                value = instr.operands[at]
            elif instr.op is dynamic_update_slice or (
                instr.op is scatter and len(instr.operands) == 3
            ):
                steps.append(instr)
                value = instr.operands[0]
            else:
                return None
        return steps


def _cut(state: Sequence[Value], count: int) -> tuple[Value, Sequence[Value], Sequence[Value]]:
    return state[0], state[1 : count + 1], state[count + 1 :]


def _cases(index: Value, count: int) -> list[Value]:
    """Which lanes take each of the branches; an index out of range takes the last."""
    taken = [
        compare(index, filled(index.type, number), direction="EQ") for number in range(count - 1)
    ]
    rest = filled(array_type(BOOL.dtype, index.type.shape), True)
    for lanes in taken:
        rest = and_(rest, not_(lanes))
    return [*taken, rest]


def ruled(instr: Instr, operands: Sequence[Value], size: int, axis: Any) -> Any:
    """What the rule of the op makes; None where lanes must go one by one."""
    try:
        if instr.op is foreign:
            return foreign_batch(instr, operands, size, axis)
        assert instr.op.batch is not None, instr.op
        return instr.op.batch(instr, operands, size)
    except OpError as error:
        raise CompileError(str(error), instr.loc) from error


STRUCTURAL: frozenset[Op] = CONTROL | {foreign, constant}
