"""Scans that run from one end to the other, as one operation that XLA runs from all places at once.

    while i < n:                          ->     %y = reduce_window(%x, 0), a window of all before
        carry = carry + x[i]
        y[i] = carry

On one CPU the loop is the faster, and adds in NumPy's order.  Elsewhere it is not: an accelerator
would make a step of each element, and devices that hold a part each would all wait for each other
(Blelloch, "Prefix Sums and Their Applications", 1990; XLA makes such trees of these windows).
`lib.scans` makes these loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, substitute_region, walk
from pyxla.ir.types import array_type
from pyxla.lib.reductions import highest, lowest
from pyxla.lower.rules import definition, is_filled
from pyxla.ops.control import while_
from pyxla.ops.filled import filled
from pyxla.ops.reduce import reduce_window
from pyxla.ops.shape import constant

_KERNELS = ("add", "multiply", "maximum", "minimum")


def spread_scans(region: Region) -> Region:
    """Replace the loops, in place."""
    code: list[Instr] = []
    mapping: Mapping = {}
    for instr in region.instrs:
        for inner in instr.regions:
            spread_scans(inner)
        found = _scan(instr)
        if found is None or _is_read(region, instr.results[:2]):
            code.append(instr)
            continue
        with building(Builder(code, instr.loc)):
            mapping[instr.results[2]] = _windows(*found)
    region.instrs[:] = code
    substitute_region(region, mapping)
    return region


def _is_read(region: Region, values: Sequence[Value]) -> bool:
    read = {value for instr in walk(region.instrs) for value in instr.operands}
    read.update([x for i in walk(region.instrs) for inner in i.regions for x in inner.results])
    return not (read | set(region.results)).isdisjoint(values)


def _scan(loop: Instr) -> tuple[Value, int, str] | None:
    """The array, the axis and the operation of a loop that is a scan."""
    if loop.op is not while_ or len(loop.operands) != 3:
        return None
    start, first, x = loop.operands
    cond, body = loop.regions
    counter, carry, out = body.params
    following, made, stored = body.results
    update = definition(stored, "dynamic_update_slice")
    kernel = definition(made, *_KERNELS)
    if update is None or kernel is None or update.operands[:2] != (out, made):
        return None
    axes = [axis for axis, place in enumerate(update.operands[2:]) if place is counter]
    others = [place for place in update.operands[2:] if place is not counter]
    if len(axes) != 1 or not all(is_filled(place, 0) for place in others):
        return None
    (axis,) = axes
    parts = [value for value in kernel.operands if value is not carry]
    part = definition(parts[0], "dynamic_slice") if len(parts) == 1 else None
    if part is None or part.operands != (x, *update.operands[2:]):
        return None
    steps = [instr for instr in body.instrs if instr.op is not constant]
    count = definition(following, "add")
    if count is None or {*map(id, steps)} != {*map(id, (update, kernel, part, count))}:
        return None
    counts = counter in count.operands and any(is_filled(v, 1) for v in count.operands)
    fits = counts and is_filled(start, 1) and _is_first(first, x, made.type.shape)
    return (x, axis, kernel.op.name) if fits and _ends_at(cond, x.type.shape[axis]) else None


def _is_first(value: Value, x: Value, shape: tuple[int, ...]) -> bool:
    """Whether it is the first slice of `x`."""
    made = definition(value, "slice")
    if made is None or made.operands[0] is not x or value.type.shape != shape:
        return False
    attrs = made.attrs
    return not any(attrs["start_indices"]) and tuple(attrs["limit_indices"]) == shape


def _ends_at(cond: Region, size: int) -> bool:
    test = definition(cond.results[0], "compare")
    if test is None or test.attrs["direction"] != "LT":
        return False
    return test.operands[0] is cond.params[0] and is_filled(test.operands[1], size)


def _windows(x: Value, axis: int, kernel: str) -> Value:
    """For each element what the kernel makes of all up to it."""
    shape, dtype = x.type.shape, x.type.dtype
    start = {"add": 0, "multiply": 1}.get(kernel)
    if start is None:
        start = lowest(dtype) if kernel == "maximum" else highest(dtype)
    sizes = tuple([n if k == axis else 1 for k, n in enumerate(shape)])
    room = tuple([(n - 1 if k == axis else 0, 0) for k, n in enumerate(shape)])
    return reduce_window(
        x,
        filled(array_type(dtype, ()), start),
        window_dimensions=sizes,
        padding=room,
        computation=kernel,
    )
