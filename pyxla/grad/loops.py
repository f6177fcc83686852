"""The reverse of `while`: a loop that counts down, over the cotangents of what the loop carries.

    while x: x' = f(x, c)        ->     while (t, ct x, ct c): t - 1, x'.ct pulled through f at x_t

x_t is what the loop had at its start in iteration t; the reverse of the body reads residuals of it.
A loop whose length is known saves them: each residual gets a buffer of one entry per iteration.
Where it is unknown, or that needs more than `residual_bytes`, the states are computed again from
snapshots (`pyxla.grad.checkpoints`).  A loop that may end before its counter does, or is bounded by
those of the loops around (`for j in range(i)`), saves them where it needs no more room than these:
most runs may be far shorter.

An inner loop that is run again needs all that it begins with, in each iteration of the outer one.
Where that is much, inner loops save in logs that all of their runs share (`stacks.Logs`), and the
outer one runs again if these were too short.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from pyxla.grad.activity import useful_slots
from pyxla.grad.checkpoints import Blocks, checkpointed, in_passing
from pyxla.grad.emitting import buffer, into, number
from pyxla.grad.foreign import asks_host, check_once
from pyxla.grad.residuals import defined_in
from pyxla.grad.reversals import sealed
from pyxla.grad.stacks import LOG_BYTES, LOG_LEAST, Logs, Reversal, count_down, counted, stack
from pyxla.grad.sweep import Sweep
from pyxla.grad.undone import take_back
from pyxla.ir import rewrite
from pyxla.ir.build import current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import I32, I64
from pyxla.lower.rules import definition
from pyxla.lower.trips import conjuncts, exact_trips, induction, known, trips
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import add, and_, compare, convert, minimum, multiply
from pyxla.ops.filled import filled

LARGE = 1 << 10  # bytes that an iteration saves for the loops in it
LESS = 4  # so many times less is saved if those save what they need


def reverse_loop(sweep: Sweep, instr: Instr, cts: list[Value | None], region: Region) -> None:
    found, logs = trips(instr), None
    most = sweep.most.get(instr.results[0]) if found is None else found.bound
    if sweep.logs:
        runs = sweep.logs.runs
        total = None if runs is None or most is None else runs * most
        logs = Logs(total, sweep.logs.surely)
    made = _reversal(sweep, instr, cts, logs)
    inits = [
        *[cts[k] if cts[k] is not None else sweep.total(instr.results[k]) for k in made.slots],
        *[sweep.total(value) for value in made.captured],
    ]
    # What saves nothing takes no room, however long it runs.
    bound = 0 if most is None and not made.saved else most
    exact = found is not None and found.exact
    enough, blocks = sweep.options.residual_bytes, None
    if sweep.logs and not exact and made.saved:
        results = _logged(sweep, instr, made, bound, region, inits)
    elif other := _logging(sweep, instr, cts, made, bound):
        results = _from_logs(sweep, instr, (made, other), bound, region, inits)
    else:
        if found is None or found.bound * made.entry > enough or not _runs_through(instr):
            blocks = Blocks.of(instr, made, sweep.options.snapshots, inner=bool(sweep.fleeting))
            enough = min(enough, 2 * blocks.room)  # it would be run again, too
        if blocks is None or (bound is not None and bound * made.entry <= enough):
            assert bound is not None
            results = _stacked(sweep, instr, made, bound, exact, region, inits)
        else:
            results = _in_blocks(instr, made, blocks, region, inits)
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


def _reversal(
    sweep: Sweep, instr: Instr, cts: list[Value | None], logs: Logs | None = None
) -> Reversal:
    """Pull cotangents through a copy of the body; loops in it save in `logs`."""
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
        inner = sweep.nested(dict(zip(captured, outside, strict=True)), defined_in(body), logs)
        for k, ct in zip(slots, carried, strict=True):
            inner.add(body.results[k], ct)
        inner.run(body)
        totals = [
            *[inner.total(body.params[k]) for k in slots],
            *[inner.total(value) for value in captured],
        ]
    reverse = Region((index, *carried, *outside), code, (index, *totals))
    if logs is not None:
        body.params += tuple(logs.made)
        body.results += tuple(logs.made.values())
    counters = {
        body.params[k]: (instr.operands[k], step) for k, (_, step) in induction(instr).items()
    }
    saved, restored = take_back(reverse, body, counters, sweep.fleeting)
    _restore_counters(reverse, counters)
    return Reversal(body, reverse, slots, captured, tuple(saved), restored, logs)


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
    sweep: Sweep,
    instr: Instr,
    made: Reversal,
    bound: int,
    exact: bool,
    region: Region,
    inits: Sequence[Value],
) -> tuple[Value, ...]:
    """Save the residuals of every iteration in the loop itself."""
    instr.regions = (instr.regions[0], made.body)
    if made.logs is not None:
        made.logs.carried(instr, sweep.logs)
    code = region.instrs
    # Room for one at least, although a loop that never runs needs none: its code says `store`.
    empty = _before(instr, code, lambda: [buffer(v.type, max(bound, 1)) for v in made.saved])
    buffers, count = stack(instr, code, made.saved, empty)
    left = [instr.results[k] for k in made.restored]
    return count_down(made, buffers, number(bound) if exact else count, inits, left)


def _before(instr: Instr, code: list[Instr], make: Callable[[], list[Value]]) -> list[Value]:
    """What is computed in front of an instruction."""
    here: list[Instr] = []
    with into(here):
        made = make()
    code[(at := code.index(instr)) : at] = here
    return made


def _in_blocks(
    instr: Instr, made: Reversal, blocks: Blocks, region: Region, inits: Sequence[Value]
) -> tuple[Value, ...]:
    """Compute the residuals again from snapshots."""
    loop = rewrite.clone_instr(instr, {})
    state = [made.body.results[k] for k in blocks.state]
    again = rewrite.slice_of(made.body.instrs, [*state, *made.saved])
    check_once(again, "the reverse of a loop of unknown length")
    taken = in_passing(instr, region.instrs, blocks)
    found = trips(instr)
    count = number(found.bound) if found and found.exact else counted(instr, region.instrs)

    def machine(cts: Sequence[Value]) -> Sequence[Value]:
        return checkpointed(loop, made, blocks, count, taken, cts)

    return sealed(loop, made.slots, made.captured, inits, machine)


def _logged(
    sweep: Sweep,
    instr: Instr,
    made: Reversal,
    most: int | None,
    region: Region,
    inits: Sequence[Value],
) -> tuple[Value, ...]:
    """Save the residuals behind those of the loop's last run."""
    logs = sweep.logs
    assert logs is not None and made.logs is not None
    instr.regions = (instr.regions[0], made.body)
    made.logs.carried(instr, logs)
    start, *room = logs.slots(made, most, sweep.options.residual_bytes)
    last = room[0].type.shape[0] - 1

    def place(index: Value) -> Value:
        return minimum(add(start, index), number(last))

    code = region.instrs
    buffers, count = stack(instr, code, made.saved, room, place)
    here: list[Instr] = []
    with into(here):
        logs.made.update(zip([start, *room], [add(start, count), *buffers], strict=True))
    code[(at := code.index(instr) + 1) : at] = here
    left = [instr.results[k] for k in made.restored]
    return count_down(made, [logs.after[x] for x in room], count, inits, left, place=place)


def _logging(
    sweep: Sweep, instr: Instr, cts: list[Value | None], made: Reversal, most: int | None
) -> Reversal | None:
    """The reverse of a loop in which those of unknown length save what they save one behind the
    other, for as long as there is room; None where this is not much less than is saved else."""
    if sweep.fleeting or made.entry < LARGE or not _has_open_loops(made.body):
        return None
    other = _reversal(sweep, instr, cts, Logs(most, exact_trips(instr) or 0))
    assert other.logs is not None
    return other if other.logs.made and LESS * other.entry < made.entry else None


def _has_open_loops(body: Region) -> bool:
    """Whether loops in a body end who knows when, and nothing is in them that runs only once."""
    if any(asks_host(instr) for instr in rewrite.walk(body.instrs)):
        return False
    loops = [instr for instr in body.instrs if instr.op is while_]
    return any([exact_trips(x) is None or _has_open_loops(x.regions[1]) for x in loops])


def _from_logs(
    sweep: Sweep,
    instr: Instr,
    both: tuple[Reversal, Reversal],
    most: int | None,
    region: Region,
    inits: Sequence[Value],
) -> tuple[Value, ...]:
    """Reverse from logs if there was room for all, or else in blocks."""
    made, other = both
    loop, code = rewrite.clone_instr(instr, {}), region.instrs
    instr.regions = (instr.regions[0], other.body)
    logs, entry = other.logs, max(other.entry, 1)
    assert logs is not None
    last = exact_trips(loop) or min(LOG_LEAST, LOG_BYTES // entry)
    if most is not None and most * entry <= LOG_BYTES:
        last = most
    last = min(last, sweep.options.residual_bytes // entry)
    after: rewrite.Mapping = {}

    def room() -> list[Value]:
        after.update(logs.carried(instr, None))
        return [buffer(v.type, last + 1) for v in other.saved]

    empty = _before(instr, code, room)
    buffers, count = stack(instr, code, other.saved, empty, lambda t: minimum(t, number(last)))
    rewrite.substitute_region(other.reverse, after)
    limits = [(after[value], length) for value, length in logs.room.items()]
    if most is None or last < most:
        limits.append((count, last))
    fits = [compare(ran, number(length), direction="LE") for ran, length in limits]
    left = [instr.results[k] for k in other.restored]
    blocks = Blocks.of(instr, made, sweep.options.snapshots, inner=False)

    def from_logs(cts: Sequence[Value]) -> tuple[Value, ...]:
        return count_down(other, buffers, count, cts, left)

    def machine(cts: Sequence[Value]) -> tuple[Value, ...]:
        if not fits:
            return from_logs(cts)
        ways = from_logs, lambda cts: checkpointed(loop, made, blocks, count, (), cts)
        regions = tuple([current().region((), lambda way=way: tuple(way(cts))) for way in ways])
        results = if_(functools.reduce(and_, fits), regions=regions)
        return results if isinstance(results, tuple) else (results,)

    return sealed(loop, made.slots, made.captured, inits, machine)
