"""The reverse of `while`: a loop that counts down, over the cotangents of what the loop carries.

    while x: x' = f(x, c)        ->     while (t, ct x, ct c): t - 1, x'.ct pulled through f at x_t

x_t is what the loop had at its start in iteration t; the reverse of the body reads residuals of it.
A loop whose length is known saves them: each residual gets a buffer of one entry per iteration.
Where it is unknown, or that needs more than `residual_bytes`, the states are computed again from
snapshots (`pyxla.grad.checkpoints`).  A loop that may end before its counter does, or is bounded by
those of the loops around (`for j in range(i)`), saves them where it needs no more room than these:
most runs may be far shorter.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.grad.activity import useful_slots
from pyxla.grad.checkpoints import Blocks, checkpointed, in_passing
from pyxla.grad.emitting import buffer, into, number
from pyxla.grad.foreign import check_once
from pyxla.grad.residuals import defined_in
from pyxla.grad.reversals import sealed
from pyxla.grad.stacks import Reversal, count_down, counted, stack
from pyxla.grad.sweep import Sweep
from pyxla.grad.undone import take_back
from pyxla.ir import rewrite
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import I32, I64
from pyxla.lower.rules import definition
from pyxla.lower.trips import conjuncts, induction, known, trips
from pyxla.ops.elementwise import add, convert, multiply
from pyxla.ops.filled import filled


def reverse_loop(sweep: Sweep, instr: Instr, cts: list[Value | None], region: Region) -> None:
    made = _reversal(sweep, instr, cts)
    inits = [
        *[cts[k] if cts[k] is not None else sweep.total(instr.results[k]) for k in made.slots],
        *[sweep.total(value) for value in made.captured],
    ]
    found = trips(instr)
    # What saves nothing takes no room, however long it runs.
    most = sweep.most.get(instr.results[0], None if made.saved else 0)
    bound = most if found is None else found.bound
    enough, blocks = sweep.options.residual_bytes, None
    if found is None or found.bound * made.entry > enough or not _runs_through(instr):
        blocks = Blocks.of(instr, made, sweep.options.snapshots, inner=bool(sweep.fleeting))
        enough = min(enough, 2 * blocks.room)  # it would be run again, too
    if blocks is None or (bound is not None and bound * made.entry <= enough):
        assert bound is not None
        results = _stacked(instr, made, bound, found is not None and found.exact, region, inits)
    else:
        loop = rewrite.clone_instr(instr, {})
        state = [made.body.results[k] for k in blocks.state]
        again = rewrite.slice_of(made.body.instrs, [*state, *made.saved])
        check_once(again, "the reverse of a loop of unknown length")
        taken = in_passing(instr, region.instrs, blocks)
        count = number(found.bound) if found and found.exact else counted(instr, region.instrs)
        results = sealed(
            loop,
            made.slots,
            made.captured,
            inits,
            lambda cts: checkpointed(loop, made, blocks, count, taken, cts),
        )
    carried = len(made.slots)
    sweep.ct.update(zip(made.captured, results[carried:], strict=True))
    for k, ct in zip(made.slots, results[:carried], strict=True):
        sweep.add(instr.operands[k], ct)


def _runs_through(loop: Instr) -> bool:
    """Whether nothing but its counter ends a loop, or flags that something is to be raised."""
    tests = conjuncts(loop.regions[0].results[0])
    return sum([not _asks_flags(test) for test in tests]) == 1


def _asks_flags(test: Value) -> bool:
    made = definition(test, "compare")
    return made is not None and made.operands[0].type == I32 and known(made.operands[1]) == 0


def _reversal(sweep: Sweep, instr: Instr, cts: list[Value | None]) -> Reversal:
    """Pull cotangents through a copy of the body."""
    useful: set[Value] = set()
    live = {k for k, ct in enumerate(cts) if ct is not None}
    useful_slots(instr, live, useful)
    varied = sweep.varied
    params = instr.regions[1].params
    slots = tuple([k for k in sorted(live) if params[k] in varied or cts[k] is not None])
    captured = tuple([v for v in rewrite.captures(instr) if v in useful and v in varied])
    mapping: rewrite.Mapping = {}
    body = rewrite.clone_region(instr.regions[1], mapping)
    varied.update([copy for value, copy in mapping.items() if value in varied])
    most = sweep.most
    most.update({copy: most[value] for value, copy in mapping.items() if value in most})
    index = Value(I64, None, "t")
    carried = [Value(instr.results[k].type) for k in slots]
    outside = [Value(value.type) for value in captured]
    code: list[Instr] = []
    with into(code):
        inner = sweep.nested(dict(zip(captured, outside, strict=True)), defined_in(body))
        for k, ct in zip(slots, carried, strict=True):
            inner.add(body.results[k], ct)
        inner.run(body)
        totals = [
            *[inner.total(body.params[k]) for k in slots],
            *[inner.total(value) for value in captured],
        ]
    reverse = Region((index, *carried, *outside), code, (index, *totals))
    counters = {
        body.params[k]: (instr.operands[k], step) for k, (_, step) in induction(instr).items()
    }
    saved, restored = take_back(reverse, body, counters, sweep.fleeting)
    _restore_counters(reverse, counters)
    return Reversal(body, reverse, slots, captured, tuple(saved), restored)


def _restore_counters(reverse: Region, counters: dict[Value, tuple[Value, int]]) -> None:
    """Compute what counts up by a constant from the index, instead of saving it."""
    index, mapping = reverse.params[0], {}
    code: list[Instr] = []
    read = rewrite.free_values(reverse)
    with into(code):
        for param, (start, step) in counters.items():
            if param in read:
                dtype = param.type.dtype
                far = multiply(convert(index, dtype=dtype), filled(start.type, step))
                mapping[param] = add(start, far)
    rewrite.substitute_region(reverse, mapping)
    reverse.instrs[:0] = code


def _stacked(
    instr: Instr,
    made: Reversal,
    bound: int,
    exact: bool,
    region: Region,
    inits: Sequence[Value],
) -> tuple[Value, ...]:
    """Save the residuals of every iteration in the loop itself."""
    instr.regions = (instr.regions[0], made.body)
    room: list[Instr] = []
    with into(room):
        # Room for one at least, although a loop that never runs needs none: its code says `store`.
        empty = [buffer(value.type, max(bound, 1)) for value in made.saved]
    code = region.instrs
    code[(at := code.index(instr)) : at] = room
    buffers, count = stack(instr, code, made.saved, empty)
    left = [instr.results[k] for k in made.restored]
    return count_down(made, buffers, number(bound) if exact else count, inits, left)
