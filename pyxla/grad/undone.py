"""Arrays that a loop writes in parts, taken back part by part while its reverse goes back.

    A[i] = x   ->   forward: old = A[i]; A[i] = x        reverse: ...; A[i] = old

A reverse that reads such an array, as an inner loop does that runs again from what it began with,
would have it whole for each iteration.  Instead it starts with the array that the loop left, and
each iteration puts back what it wrote over: only that is saved, and where it was.
"""

from __future__ import annotations

from collections.abc import Collection

from pyxla.grad.emitting import into
from pyxla.grad.residuals import choose, plan
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region
from pyxla.lower.cost import nbytes
from pyxla.ops.control import optimization_barrier
from pyxla.ops.index import dynamic_slice, dynamic_update_slice

LEAST = 256  # bytes of an array: one that is smaller is saved as it is
PARTS = 4  # so many times what is saved instead, at least


def take_back(
    reverse: Region, body: Region, known: Collection[Value], fleeting: Collection[Value]
) -> tuple[list[Value], tuple[int, ...]]:
    """`plan`, but some slots of the loop are further parameters of `reverse`, as they are after an
    iteration, and further results, as they are before it: (what is saved, these slots)."""
    wanted = choose(reverse, body, known, fleeting)[0]
    slots, saved, restored = [], dict[Value, None](), dict[Value, Value]()
    code: list[Instr] = []
    for k, param in enumerate(body.params):
        updates = updates_of(body, k) if nbytes(param) >= LEAST else []
        versions = {param, *[update.result for update in updates]}
        if not updates or versions.isdisjoint(wanted):
            continue
        after = Value(param.type, None, param.hint)
        undo, made = _undone(body, k, updates, after)
        parts = plan(undo, body, known, fleeting)
        if not versions.isdisjoint(parts) or PARTS * sum(map(nbytes, parts)) > nbytes(param):
            continue
        slots.append(k)
        saved.update(dict.fromkeys(parts))
        restored.update(made)
        code += undo.instrs
        reverse.params += (after,)
        reverse.results += undo.results
    saved.update(dict.fromkeys(plan(reverse, body, {*known, *restored}, fleeting)))
    reverse.instrs[:0] = code
    substitute_region(reverse, restored)
    return list(saved), tuple(slots)


def updates_of(body: Region, slot: int) -> list[Instr]:
    """What writes the array in a slot, last first, if all that does are updates of parts."""
    updates: list[Instr] = []
    version = body.results[slot]
    while version is not body.params[slot]:
        owner = version.owner
        if not isinstance(owner, Instr) or owner.op not in (
            dynamic_update_slice,
            optimization_barrier,
        ):
            return []
        if owner.op is dynamic_update_slice:
            updates.append(owner)
        version = owner.operands[owner.results.index(version)]
    return updates


def _undone(
    body: Region, slot: int, updates: list[Instr], after: Value
) -> tuple[Region, dict[Value, Value]]:
    """Code that makes of the array after updates what it was before; each version of it."""
    undo, made = Region((), []), {updates[0].result: after}
    for update in updates:
        array, row, *starts = update.operands
        here: list[Instr] = []
        with into(here):
            old = dynamic_slice(array, *starts, slice_sizes=row.type.shape)
        body.instrs[(at := body.instrs.index(update)) : at] = here
        with into(undo.instrs):
            after = dynamic_update_slice(after, old, *starts)
        made[array] = after
    made[body.params[slot]] = after
    undo.results = (after,)
    return undo, made
