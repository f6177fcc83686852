"""Windows of arrays as whole arrays, in code that is divided over devices.

    %y = dynamic_update_slice(%x, %v, 1)            ->  select(1 <= iota < n - 1, pad(%v, 1, 1), %x)
    pad(add(slice(%a, 0, n - 2), slice(%a, 2, n)))  ->  add(pad(%a, 1, -1), pad(%a, -1, 1))

Devices hold equal parts of a whole array.  A window begins elsewhere: XLA's partitioner moves it to
parts of its own, or gathers it, and the update moves the result back.  A whole array that is moved
by a few rows is what the neighbours' edges are exchanged for, once for each direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_region, ops_in, substitute
from pyxla.lower.rules import known
from pyxla.ops.elementwise import ELEMENTWISE
from pyxla.ops.filled import anything, is_anything
from pyxla.ops.index import dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, iota, pad
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Range, select_whole

SHARE = 2  # of the elements at least one in so many is written: the others are copied
DEPTH = 64  # ops from an update to what it is computed from

Ints = tuple[int, ...]


def whole_arrays(region: Region) -> Region:
    """The region, or a copy in which windows are whole arrays."""
    if ops_in((region,)).isdisjoint((dynamic_update_slice, pad)):
        return region
    region = clone_region(region, {})
    _rewrite(region, lambda scope: _selected, {})
    _rewrite(region, lambda scope: Moving(scope).moved, {})
    _rewrite(region, lambda scope: _counted, {})
    return region


def _rewrite(
    region: Region, rule: Callable[[Region], Callable[[Instr], Value | None]], mapping: Mapping
) -> None:
    """Replace, in place, the results of the instructions for which the rule has something else."""
    code: list[Instr] = []
    replaced = rule(region)
    for instr in region.instrs:
        substitute((instr,), mapping)
        for inner in instr.regions:
            _rewrite(inner, rule, mapping)
        with building(Builder(code, instr.loc)):
            value = replaced(instr)
        if value is None:
            code.append(instr)
        else:
            mapping[instr.results[0]] = value
    region.instrs[:] = code
    region.results = tuple([mapping.get(v, v) for v in region.results])


def _selected(instr: Instr) -> Value | None:
    """A large block that is written at a known place, as a selection over the whole array."""
    if instr.op is not dynamic_update_slice:
        return None
    x, new, *starts = instr.operands
    if SHARE * new.type.size < x.type.size:
        return None
    lows = [int(low) for low in map(known, starts) if low is not None]
    if len(lows) < len(starts):
        return None
    ranges = tuple([Range(low, n) for low, n in zip(lows, new.type.shape, strict=True)])
    return select_whole(x, new, ranges, lows)


def _counted(instr: Instr) -> Value | None:
    """What positions along one dimension say, of the whole array: each device counts its own."""
    if instr.op is not broadcast_in_dim or instr.operands[0].type.ndim != 1:
        return None
    shape, (axis,) = instr.attrs["shape"], instr.attrs["broadcast_dimensions"]
    if instr.operands[0].type.shape != (shape[axis],) or not _counts(instr.operands[0]):
        return None
    return _count(instr.operands[0], shape, axis)


def _counts(value: Value) -> bool:
    """Whether a vector is computed from nothing but positions in it and scalars."""
    made = value.owner
    if not value.type.shape or (isinstance(made, Instr) and made.op is iota):
        return True
    return isinstance(made, Instr) and made.op in ELEMENTWISE and all(map(_counts, made.operands))


def _count(value: Value, shape: Ints, axis: int) -> Value:
    made = value.owner
    if not value.type.shape:
        return value
    if made.op is iota:
        return iota(dtype=value.type.dtype, shape=shape, dimension=axis)
    xs = [_count(x, shape, axis) for x in made.operands]
    if made.op is broadcast_in_dim:
        return broadcast_in_dim(*xs, shape=shape, broadcast_dimensions=())
    return made.op(*xs, regions=made.regions, **made.attrs)


class Moving:
    """Padding of which nothing depends on what it holds, moved to what windows are cut out of."""

    def __init__(self, scope: Region) -> None:
        # What is computed once outside of a loop stays there.
        self.scope = set(scope.instrs)
        self.made: dict[tuple[Any, ...], Value] = {}

    def moved(self, instr: Instr) -> Value | None:
        if instr.op is not pad or not is_anything(instr.operands[1]):
            return None
        if any(instr.attrs["interior_padding"]):
            return None
        low = instr.attrs["edge_padding_low"]
        return self.whole(instr.operands[0], low, instr.results[0].type.shape, DEPTH)

    def whole(self, value: Value, low: Ints, shape: Ints, depth: int) -> Value:
        """An array of `shape` that has the elements of `value` from `low` on, those that fit."""
        if value.type.shape == shape and not any(low):
            return value
        key = value, low, shape
        if key not in self.made:
            self.made[key] = self.make(value, low, shape, depth)
        return self.made[key]

    def make(self, value: Value, low: Ints, shape: Ints, depth: int) -> Value:
        made = value.owner
        if isinstance(made, Instr) and made in self.scope and depth:
            if made.op is slice_ and all(s == 1 for s in made.attrs["strides"]):
                starts = made.attrs["start_indices"]
                low = tuple([at - start for at, start in zip(low, starts, strict=True)])
                return self.whole(made.operands[0], low, shape, 0)
            if made.op is broadcast_in_dim:
                return self.broadcast(made, low, shape, depth - 1)
            if made.op in ELEMENTWISE:
                xs = [
                    self.whole(x, low, shape, depth - 1) if x.type.shape else x
                    for x in made.operands
                ]
                return made.op(*xs, regions=made.regions, **made.attrs)
        return self.cut(value, low, shape)

    def cut(self, value: Value, low: Ints, shape: Ints) -> Value:
        """Along one dimension after the other: what windows have in common moves once."""
        extents = value.type.shape
        axis = next(d for d, n in enumerate(extents) if low[d] or n != shape[d])
        below, above = [0] * len(low), [0] * len(low)
        below[axis] = low[axis]
        above[axis] = shape[axis] - low[axis] - extents[axis]
        key = value, axis, below[axis], above[axis]
        if key not in self.made:
            self.made[key] = pad(
                value,
                anything(value.type.dtype),
                edge_padding_low=tuple(below),
                edge_padding_high=tuple(above),
                interior_padding=(0,) * len(low),
            )
        rest = tuple([0 if d == axis else at for d, at in enumerate(low)])
        return self.whole(self.made[key], rest, shape, 0)

    def broadcast(self, made: Instr, low: Ints, shape: Ints, depth: int) -> Value:
        """Of an array that is as much larger, along the dimensions that it has itself."""
        (x,), axes = made.operands, made.attrs["broadcast_dimensions"]
        own = [extent != 1 for extent in x.type.shape]
        at = tuple([low[axis] if long else 0 for axis, long in zip(axes, own, strict=True)])
        extents = tuple([shape[axis] if long else 1 for axis, long in zip(axes, own, strict=True)])
        x = self.whole(x, at, extents, depth)
        return broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes)
