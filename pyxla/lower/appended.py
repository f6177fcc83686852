"""Arrays that a loop makes longer, within the capacity that they have.

    %y = pad %x, 0 edge_padding_high=(1,)           f64[n + 1]
    %z = dynamic_update_slice %y, %u, %size
    slice %z start_indices=(0,) limit_indices=(n,)  f64[n]

is what `x = np.append(x, u)` becomes: three copies of the array in each iteration.  As an update
of `x` itself, of what lies within it, XLA does it in place.  Where a branch makes the array longer,
the branches give back what is within.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.build import Builder
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region, users_of
from pyxla.ops.control import case, if_
from pyxla.ops.elementwise import clamp, compare, select, subtract
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, constant, iota, pad
from pyxla.ops.shape import slice as slice_


def slice_padded(instr: Instr) -> Value | None:
    """x[:n] of `x` with padding at its end -> x."""
    padded = _padded(instr.operands[0])
    if padded is None or padded is not instr.operands[0].owner or not _is_front(instr):
        return None
    if any(padded.attrs["edge_padding_low"]) or any(padded.attrs["interior_padding"]):
        return None
    x = padded.operands[0]
    return x if x.type == instr.results[0].type else None


def cut_in_branches(region: Region) -> bool:
    """Let branches cut what is cut after them, in place; whether any does."""
    changed = False
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= cut_in_branches(inner)
    here = {x for x in region.instrs if x.op in (if_, case)}
    fronts = [x for x in region.instrs if x.op is slice_ and _is_front(x)] if here else []
    cuts = [x for x in fronts if x.operands[0].owner in here and _is_chosen(x)]
    if not cuts:
        return changed
    users, mapping = users_of(region), {}
    for cut in cuts:
        value, (result,) = cut.operands[0], cut.results
        same = [x for x in users[value] if x.op is slice_ and x.attrs == cut.attrs]
        if cut is not same[0] or same != users[value] or value in region.results:
            continue
        mapping.update(dict.fromkeys([x.results[0] for x in same], value))
        for branch in value.owner.regions:
            _cut(branch, value.owner.results.index(value), cut)
        value.type = result.type
    region.instrs[:] = [x for x in region.instrs if not mapping.keys() & x.results]
    substitute_region(region, mapping)
    return changed or bool(mapping)


def _is_chosen(cut: Instr) -> bool:
    """Whether what is cut is an array that one branch at least made longer."""
    value = cut.operands[0]
    owner: Any = value.owner
    k = owner.results.index(value)
    return any(_padded(branch.results[k]) is not None for branch in owner.regions)


def _padded(value: Value) -> Instr | None:
    """The padding that a value is of, or an update of."""
    if isinstance(value.owner, Instr) and value.owner.op is dynamic_update_slice:
        value = value.owner.operands[0]
    return value.owner if isinstance(value.owner, Instr) and value.owner.op is pad else None


def _cut(branch: Region, k: int, cut: Instr) -> None:
    results = list(branch.results)
    results[k] = Builder(branch.instrs, cut.loc).emit(slice_, (results[k],), cut.attrs)
    branch.results = tuple(results)


def slice_appended(instr: Instr) -> Value | None:
    """x[:n] of `x` with something written at its end and beyond -> `x`, with what is within."""
    longer, padded = instr.operands[0].owner, _padded(instr.operands[0])
    if padded is None or not isinstance(longer, Instr) or longer is padded:
        return None
    _, update, *starts = longer.operands
    x, d = padded.operands[0], _longer_by(padded, update)
    if d is None or instr.results[0].type != x.type or not _is_front(instr):
        return None
    return _written_within(x, update, starts, d)


def _is_front(instr: Instr) -> bool:
    strides = instr.attrs.get("strides") or (1,)
    return not any(instr.attrs["start_indices"]) and set(strides) == {1}


def _longer_by(padded: Instr, update: Value) -> int | None:
    """The only dimension in which an array is padded, at its end, by at least an update."""
    high = padded.attrs["edge_padding_high"]
    others = padded.attrs["edge_padding_low"] + padded.attrs["interior_padding"]
    grown = [d for d, more in enumerate(high) if more]
    if any(others) or len(grown) != 1:
        return None
    (d,) = grown
    size = update.type.shape[d]
    return d if 0 < size <= min(high[d], padded.operands[0].type.shape[d]) else None


def _written_within(x: Value, update: Value, starts: list[Value], d: int) -> Value:
    """`x` with `update` written from `starts` on: past the end of dimension `d`, nothing."""
    shape, size = update.type.shape, update.type.shape[d]
    zero, last, end = (_like(starts[d], k) for k in (0, x.type.shape[d] - size, x.type.shape[d]))
    start = clamp(zero, starts[d], last)
    beyond = subtract(clamp(zero, starts[d], end), start)  # so many positions are as they were
    places = [*starts[:d], start, *starts[d + 1 :]]
    before = dynamic_slice(x, *places, slice_sizes=shape)
    shifted = update if size == 1 else _shifted(update, beyond, d)
    index = iota(dtype=beyond.type.dtype, shape=shape, dimension=d)
    limit = broadcast_in_dim(beyond, shape=shape, broadcast_dimensions=())
    kept = compare(index, limit, direction="LT")
    return dynamic_update_slice(x, select(kept, before, shifted), *places)


def _shifted(update: Value, by: Value, d: int) -> Value:
    """`update`, `by` positions later in dimension `d`."""
    shape, size = update.type.shape, update.type.shape[d]
    none = (0,) * len(shape)
    moved = pad(
        update,
        constant(value=np.zeros((), update.type.dtype)),
        edge_padding_low=(*none[:d], size, *none[d + 1 :]),
        edge_padding_high=none,
        interior_padding=none,
    )
    places = [_like(by, 0)] * len(shape)
    places[d] = subtract(_like(by, size), by)
    return dynamic_slice(moved, *places, slice_sizes=shape)


def _like(index: Value, number: int) -> Value:
    return constant(value=np.asarray(number, index.type.dtype))
