"""Blocks read back from an array that was just written: without the array between.

    %B = A[i, j] <- %u; %x = %B[k, l]   ->   %x = (i, j) == (k, l) ? %u : A[k, l]

Where an array is written twice at one place, only the second update is left, but what was read
between the two still needs the array in between: XLA:CPU copies the whole of it for one block.
This is done where all that reads the array in between reads blocks that are the one written, or
disjoint from it: elements, rows.
"""

from __future__ import annotations

import functools

from pyxla.abstract.promote import INT
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import take_over, users_of
from pyxla.lower.cost import SMALL
from pyxla.lower.rules import known
from pyxla.ops.control import optimization_barrier
from pyxla.ops.elementwise import and_, compare, convert, maximum, minimum, select
from pyxla.ops.filled import integer
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import reshape
from pyxla.ops.shape import slice as slice_


def forward_blocks(region: Region) -> bool:
    """Rewrite such reads, in place; whether there were any."""
    users = users_of(region) if any(map(_writes_block, region.instrs)) else {}
    results = set(region.results)
    reads: dict[Instr, Instr] = {}
    changed = False
    code: list[Instr] = []
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= forward_blocks(inner)
        if instr in reads:
            code += _forwarded(instr, reads[instr])
            continue
        if _writes_block(instr):
            array = _written(instr, users)
            found = users.get(array, ())
            if array not in results and found and all(_reads_block(u, instr) for u in found):
                reads.update(dict.fromkeys(found, instr))
                changed = True
        code.append(instr)
    region.instrs[:] = code
    return changed


def chain_updates(region: Region) -> Region:
    """Let the second of two updates of one place follow the first where the array between is read
    after all: as two updates of the same array, one would begin with a copy of it. In place; to be
    done when all is simplified."""
    first: dict[tuple[Value, ...], Instr] = {}
    for instr in region.instrs:
        for inner in instr.regions:
            chain_updates(inner)
        if instr.op is dynamic_update_slice:
            array, update, *starts = instr.operands
            before = first.setdefault((array, *starts), instr)
            if before is not instr and before.operands[1].type.shape == update.type.shape:
                instr.operands = (before.results[0], *instr.operands[1:])
                first[array, *starts] = instr
    return region


def _writes_block(instr: Instr) -> bool:
    if instr.op is not dynamic_update_slice:
        return False
    array, update = instr.operands[:2]
    return array.type.size > max(SMALL, update.type.size)


def _written(write: Instr, users: dict[Value, list[Instr]]) -> Value:
    """The array with the block, perhaps behind a barrier."""
    value = write.results[0]
    found = users.get(value, ())
    while len(found) == 1 and found[0].op is optimization_barrier:
        value = found[0].results[found[0].operands.index(value)]
        found = users.get(value, ())
    return value


def _reads_block(read: Instr, write: Instr) -> bool:
    """Whether it reads the block that was written, or another that does not overlap it."""
    found = _place(read)
    if found is None:
        return False
    starts, sizes = found
    if sizes != write.operands[1].type.shape:
        return False
    places = zip(write.operands[2:], starts, sizes, strict=True)
    return all(size == 1 or _same_index(x, y) for x, y, size in places)


def _place(read: Instr) -> tuple[tuple[Value | int, ...], tuple[int, ...]] | None:
    """Where a block begins, and its extents."""
    if read.op is dynamic_slice:
        return read.operands[1:], tuple(read.attrs["slice_sizes"])
    if read.op is slice_ and set(read.attrs.get("strides") or ()) <= {1}:
        starts = read.attrs["start_indices"]
        return tuple(starts), read.results[0].type.shape
    return None


def _same_index(x: Value, y: Value | int) -> bool:
    if isinstance(y, Value):
        return x is y
    content = known(x)
    return content is not None and int(content) == y


def _forwarded(read: Instr, write: Instr) -> list[Instr]:
    """The code of `read`, from before `write`."""
    code: list[Instr] = []
    array, update, *places = write.operands
    starts, sizes = _place(read) or ((), ())
    with building(Builder(code, read.loc)):
        here = [
            _same_place(x, y, extent)
            for x, y, extent in zip(places, starts, array.type.shape, strict=True)
            if not _same_index(x, y)
        ]
        made = reshape(update, shape=sizes)
        if here:
            before = read.op(array, *read.operands[1:], **read.attrs)
            made = select(functools.reduce(and_, here), made, before)
    take_over(made, read.results[0])
    return code


def _same_place(x: Value, y: Value | int, extent: int) -> Value:
    """Whether both indices, moved into range, are the same."""
    low, high = integer(0), integer(extent - 1)
    both = x, (y if isinstance(y, Value) else integer(y))
    inside = [minimum(maximum(convert(i, dtype=INT), low), high) for i in both]
    return compare(*inside, direction="EQ")
