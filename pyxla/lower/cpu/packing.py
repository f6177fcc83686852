"""Positions of the true elements of a mask, found one after the other.

    %r = ranks(%m); %p = scatter(0, %m ? %r - 1 : n, iota)   ->   for i in range(n):
                                                                     p[k] = i; k += m[i]

The library ranks the elements by a prefix sum, which other machines run in parallel (`lib.masks`);
on a CPU a loop that writes every position, and steps on where the element is true, takes a quarter
of the time and ends at the true size of the mask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region, users_of
from pyxla.ir.types import I64
from pyxla.lower.dead import dead_code
from pyxla.lower.rules import definition, is_filled
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, compare, convert, maximum, minimum
from pyxla.ops.filled import integer, number
from pyxla.ops.index import dynamic_slice, dynamic_update_slice, gather, scatter
from pyxla.ops.reduce import reduce_window
from pyxla.ops.shape import broadcast_in_dim, reshape
from pyxla.ops.shape import slice as slice_

FEW = 32  # elements: not worth a loop
Users = dict[Value, list[Instr]]


def pack_in_order(region: Region) -> Region:
    """Find the positions of masks by loops, in place."""
    if _pack(region):
        dead_code(region)
    return region


def _pack(region: Region) -> bool:
    changed = False
    users = users_of(region) if any(i.op is reduce_window for i in region.instrs) else {}
    code: list[Instr] = []
    replaced: dict[Value, Value] = {}
    later = {value for instr in region.instrs for value in instr.results}
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= _pack(inner)
        code.append(instr)
        later.difference_update(instr.results)
        found = _packings(instr, users)
        if found:
            mask, packings = found
            reads = [read for p in packings for read in _reads(p, users, mask, later)]
            with building(Builder(code, instr.loc)):
                count, places, *packed = _loop(mask, [read.operands[0] for read in reads])
                replaced.update({packing.results[0]: places for packing in packings})
                for read, elements in zip(reads, packed, strict=True):
                    replaced[read.results[0]] = reshape(elements, shape=read.results[0].type.shape)
                for total in _totals(instr, users):
                    one = convert(count, dtype=total.results[0].type.dtype)
                    replaced[total.results[0]] = reshape(one, shape=(1,))
    region.instrs[:] = code
    if replaced:
        substitute_region(region, replaced)
    return changed or bool(replaced)


def _packings(ranks: Instr, users: Users) -> tuple[Value, list[Instr]] | None:
    """The mask that `ranks` ranks, and the scatters that turn the ranks around."""
    if ranks.op is not reduce_window or ranks.attrs.get("computation") != "add":
        return None
    counts, init = ranks.operands
    size = counts.type.size
    made = definition(counts, "convert")
    whole = ranks.attrs["window_dimensions"] == (size,) and counts.type.ndim == 1
    if size < FEW or not whole or made is None or not is_filled(init, 0):
        return None
    mask = made.operands[0]
    if ranks.attrs.get("padding") != ((size - 1, 0),) or mask.type.dtype != np.bool_:
        return None
    packings = [
        scattering
        for lowered in users.get(ranks.results[0], ())
        if lowered.op is add and is_filled(lowered.operands[1], -1)
        for chosen in users.get(lowered.results[0], ())
        if _chooses(chosen, mask, lowered.results[0], size)
        for scattering in users.get(chosen.results[0], ())
        if _turns_around(scattering, chosen.results[0], size)
    ]
    return (mask, packings) if packings else None


def _chooses(instr: Instr, mask: Value, places: Value, size: int) -> bool:
    if instr.op.name != "select":
        return False
    pred, x, y = instr.operands
    return pred is mask and x is places and is_filled(y, size)


def _turns_around(instr: Instr, places: Value, size: int) -> bool:
    if instr.op is not scatter or instr.attrs.get("computation") != "update":
        return False
    if len(instr.operands) != 3:
        return False
    array, at, numbers = instr.operands
    counting = definition(numbers, "iota")
    return (
        at is places
        and array.type.shape == (size,)
        and array.type.dtype == I64.dtype
        and is_filled(array, 0)
        and counting is not None
    )


def _totals(ranks: Instr, users: Users) -> list[Instr]:
    """The slices that read the last rank: how many are true."""
    last = ranks.results[0].type.size - 1
    found = users.get(ranks.results[0], ())
    return [u for u in found if u.op is slice_ and u.attrs["start_indices"] == (last,)]


def _reads(packing: Instr, users: Users, mask: Value, later: set[Value]) -> list[Instr]:
    """The gathers of the elements at the positions, from arrays that exist by then."""
    found = []
    for read in users.get(packing.results[0], ()):
        if read.op is not gather or read.operands[1] is not packing.results[0]:
            continue
        array, attrs = read.operands[0], read.attrs
        plain = attrs["start_index_map"] == (0,) and attrs["slice_sizes"] == (1,)
        if plain and array.type.shape == mask.type.shape and array not in later:
            found.append(read)
    return found


def _loop(mask: Value, arrays: Sequence[Value]) -> tuple[Value, ...]:
    """How many elements of the mask are true, their positions, and the elements of `arrays` there;
    after those, whatever the loop left.  Elements move to the front of their own array: none is
    overwritten before it has been read."""
    limit = true_size(mask)
    zero = integer(0)
    outs = [number(0, I64.dtype, (mask.type.size,)), *arrays]
    types = (I64, I64, *[out.type for out in outs])

    def unfinished(i: Value, k: Value, *outs: Value) -> Value:
        return compare(i, limit, direction="LT")

    def step(i: Value, k: Value, places: Value, *packed: Value) -> tuple[Value, ...]:
        places = dynamic_update_slice(places, reshape(i, shape=(1,)), k)
        made = [_moved(x, i, k) for x in packed]
        true = reshape(dynamic_slice(mask, i, slice_sizes=(1,)), shape=())
        counted = add(k, convert(true, dtype=I64.dtype))
        return (add(i, integer(1)), counted, places, *made)

    region = current().region
    regions = (region(types, unfinished), region(types, step))
    return while_(zero, zero, *outs, regions=regions)[1:]


def _moved(x: Value, start: Value, to: Value) -> Value:
    return dynamic_update_slice(x, dynamic_slice(x, start, slice_sizes=(1,)), to)


def true_size(mask: Value) -> Value:
    """The true size of the mask: where it is false from there on anyway, else all of it."""
    size = integer(mask.type.size)
    both = definition(mask, "and")
    for part in (mask,) if both is None else both.operands:
        inside = definition(part, "compare")
        if inside is None or inside.attrs["direction"] != "LT":
            continue
        position, limit = [definition(x, "iota", "broadcast_in_dim") for x in inside.operands]
        if position is None or limit is None or position.op.name != "iota":
            continue
        if limit.op is broadcast_in_dim and not limit.operands[0].type.shape:
            true_size = convert(limit.operands[0], dtype=I64.dtype)
            return minimum(maximum(true_size, integer(0)), size)
    return size
