"""Products with rows of a matrix, one in each iteration, as one product before the loop.

    for i in range(n):                  %p = dot_general(%A, %B)
        %a = A[:, i]            ->      for i in range(n):
        %y = dot_general(%a, %B)            %y = %p[i]

A row of a matrix, or whatever part of it a `dynamic_slice` takes along dimensions that are not
summed over, may be taken from the product instead.  A product with a vector reads the matrix from
memory for two operations on each number; a product of matrices reads it once.  So where the loop
does about as much work as all of the product, and that takes no more memory than there is, it is
made as a whole.  Inner loops come first: what leaves them may leave the loop around them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import (
    Mapping,
    clone,
    ops_in,
    rewrite,
    slice_of,
    substitute_region,
    take_over,
    uses,
)
from pyxla.ir.types import I64
from pyxla.lower.dead import dead_code, has_effect
from pyxla.lower.trips import exact_trips
from pyxla.ops.contract import dot_general
from pyxla.ops.control import case, while_
from pyxla.ops.elementwise import convert
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import constant, reshape

TRIPS = 8
WORK = 1 << 10  # multiplications in all iterations
EXCESS = 2  # times as many as the loop does
ROOM = 4  # times the elements of both matrices, or
SMALL = 1 << 16  # elements


def join_products(region: Region) -> Region:
    """Make the products that loops make row by row before them, in place."""
    changed = False

    def join(loop: Instr) -> None:
        nonlocal changed
        if dot_general in ops_in(loop.regions[1:]):
            changed |= _Loop(loop, current().instrs).join()

    rewrite(region, (while_,), join)
    if changed:
        dead_code(region)
    return region


@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """An operand of a product: of `whole`, which a loop does not change, what is at `starts`.

    summed: the dimension of `whole` that is summed over.  starts: empty for all of it.
    """

    whole: Value
    summed: int
    starts: tuple[Value, ...]
    sizes: tuple[int, ...]

    @property
    def kept(self) -> list[int]:
        return [d for d in range(self.whole.type.ndim) if d != self.summed]


class _Loop:
    """A loop; `before` is the code in front of it.

    inside: what is made in the body.  invariant: those of its values that are always the same.
    """

    def __init__(self, loop: Instr, before: list[Instr]) -> None:
        self.body = loop.regions[1]
        self.before = before
        self.trips = exact_trips(loop)
        self.made: dict[tuple[Any, ...], Value] = {}
        self.inside: set[Value] = set(self.body.params)
        self.invariant: dict[Value, Instr] = {}

    def join(self) -> bool:
        """Whether a product was moved."""
        if self.trips is None or self.trips < TRIPS:
            return False
        self.look_at(self.body.instrs)
        mapping: Mapping = {}
        code: list[Instr] = []
        for instr in self.body.instrs:
            instrs, results = _widest(instr)
            self.look_at(instrs)
            if any(self.parts(inner) for inner in instrs):
                mapping.update(zip(instr.results, results, strict=True))
            else:
                instrs = [instr]
            for inner in instrs:
                self.replace(inner, code)
        self.body.instrs[:] = code
        if mapping:
            substitute_region(self.body, mapping)
        return bool(self.made)

    def look_at(self, instrs: Sequence[Instr]) -> None:
        for instr in instrs:
            varies = any(not self.is_invariant(value) for value in uses(instr))
            self.inside.update(instr.results)
            if not varies and not has_effect(instr):
                self.invariant.update(dict.fromkeys(instr.results, instr))

    def is_invariant(self, value: Value) -> bool:
        return value not in self.inside or value in self.invariant

    def replace(self, instr: Instr, code: list[Instr]) -> None:
        """Append an instruction to `code`, or what reads its result from a product."""
        parts = self.parts(instr)
        if parts is None:
            code.append(instr)
            return
        product = self.product(instr, *parts)
        with building(Builder(code, instr.loc)):
            sizes = tuple([part.sizes[d] for part in parts for d in part.kept])
            row = dynamic_slice(product, *_starts(parts), slice_sizes=sizes) if sizes else product
            made = reshape(row, shape=instr.results[0].type.shape)
        take_over(made, instr.results[0])

    def product(self, dot: Instr, left: _Part, right: _Part) -> Value:
        """The product of the whole matrices, in front of the loop."""
        key = (left.whole, left.summed, right.whole, right.summed)
        if key not in self.made:
            wholes = [self.outside(part.whole) for part in (left, right)]
            axes = {
                "lhs_contracting_dimensions": (left.summed,),
                "rhs_contracting_dimensions": (right.summed,),
            }
            with building(Builder(self.before, dot.loc)):
                self.made[key] = dot_general(*wholes, **{**dot.attrs, **axes})
        return self.made[key]

    def outside(self, value: Value) -> Value:
        if value not in self.inside:
            return value
        mapping: Mapping = {}
        instrs = list(dict.fromkeys(self.invariant.values()))
        self.before += clone(slice_of(instrs, [value]), mapping)
        return mapping[value]

    def parts(self, dot: Instr) -> tuple[_Part, _Part] | None:
        """The operands of a product that is worth making as a whole."""
        if dot.op is not dot_general or dot.attrs.get("lhs_batching_dimensions"):
            return None
        result = dot.results[0].type
        if result.ndim > 1 or result.dtype.kind not in "fc":
            return None
        axes = [dot.attrs[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
        if any(len(found) != 1 for found in axes):
            return None
        left, right = [self.part(x, axis) for x, (axis,) in zip(dot.operands, axes, strict=True)]
        if left is None or right is None or not (left.starts or right.starts):
            return None
        return (left, right) if self.pays(result.size, left, right) else None

    def pays(self, size: int, left: _Part, right: _Part) -> bool:
        assert self.trips is not None
        length = left.whole.type.shape[left.summed]
        if size * self.trips * length < WORK:
            return False
        matrices = [left.whole.type.size, right.whole.type.size]
        made = (matrices[0] // length) * (matrices[1] // length)
        return made <= EXCESS * self.trips * size and made <= max(ROOM * sum(matrices), SMALL)

    def part(self, value: Value, summed: int) -> _Part | None:
        """`value`, of which dimension `summed` is summed over, as a part of what does not vary."""
        if self.is_invariant(value):
            return _Part(value, summed, (), value.type.shape)
        block = value.owner
        if isinstance(block, Instr) and block.op is reshape and value.type.ndim == 1:
            block = block.operands[0].owner
        if not isinstance(block, Instr) or block.op is not dynamic_slice:
            return None
        whole, *starts = block.operands
        sizes = block.attrs["slice_sizes"]
        if whole.type.ndim != 2 or not self.is_invariant(whole):
            return None
        if value.type.ndim == 1:  # a row or a column
            summed = int(sizes[0] == 1)
        if sizes[summed] != whole.type.shape[summed] or value.type.size != math.prod(sizes):
            return None
        if value.type.ndim == 1 and sizes[1 - summed] != 1:
            return None
        return _Part(whole, summed, tuple(starts), sizes)


def _starts(parts: Sequence[_Part]) -> list[Value]:
    """Where the wanted part of a product begins."""
    found = []
    for part in parts:
        for d in part.kept:
            start = part.starts[d] if part.starts else constant(value=np.array(0))
            same = start.type.dtype == I64.dtype
            found.append(start if same else convert(start, dtype=I64.dtype))
    return found


def _widest(instr: Instr) -> tuple[list[Instr], Sequence[Value]]:
    """The code that computes the results of a choice of bounds for any size, if it is one."""
    if instr.op is not case or not instr.attrs.get("widest"):
        return [], ()
    return instr.regions[-1].instrs, instr.regions[-1].results
