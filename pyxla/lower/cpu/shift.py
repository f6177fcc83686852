"""Parameters that begin anywhere: a flat array with some room, and where the elements begin in it.

    (%x: f64[m, n]) ...            (%flat: f64[m * n + 7], %begin: i32[])
                                   %x = reshape(dynamic_slice(%flat, %begin)) ...

XLA:CPU reads arguments in place only where they start at a multiple of 64 bytes; NumPy's arrays
seldom do.  As the slice of an array that does, the argument needs no copy: XLA fuses slices into
what reads them, and products with vectors and narrow matrices read it in panels
(`lower.cpu.panels`).
Other library calls (products of matrices, FFT) read whole arrays, and loops capture them, so those
parameters stay as they are; but a loop that reads blocks of rows reads them from the flat array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, clone_region, substitute_region, take_over
from pyxla.ir.types import array_type
from pyxla.lower.cpu.panels import matrix_of, product_of, read_in_panels
from pyxla.ops.elementwise import add, and_, convert, maximum, minimum, multiply
from pyxla.ops.filled import constant, integer
from pyxla.ops.index import dynamic_slice
from pyxla.ops.shape import reshape

# What reads its operands from memory, and what stands for its operand there.
_LIBRARY = frozenset(
    """dot_general convolution fft cholesky triangular_solve custom_call foreign call reduce_window
    select_and_scatter""".split()  # noqa: SIM905
)
_TRANSPARENT = frozenset({"reshape", "transpose"})
BEGIN = array_type(np.dtype(np.int64))


def movable(region: Region) -> set[int]:
    """The positions of the parameters that may begin anywhere at no cost."""
    position = {param: k for k, param in enumerate(region.params)}
    fixed: set[int] = set()
    _find_fixed(region.instrs, position, fixed, nested=False)
    return set(position.values()) - fixed


def _find_fixed(
    instrs: Sequence[Instr], position: dict[Value, int], fixed: set[int], nested: bool
) -> None:
    """Add to `fixed` the parameters that these instructions need to be whole arrays."""
    for instr in instrs:
        own = [position[value] for value in instr.operands if value in position]
        if own and not nested and _reads_panels(instr):
            others = [x for x in instr.operands if product_of(instr, matrix_of(x)[0]) is None]
            fixed.update([position[x] for x in others if x in position])
        elif own and (instr.op.name in _LIBRARY or (nested and not _is_block(instr))):
            fixed.update(own)
        elif own and instr.op.name in _TRANSPARENT:
            position[instr.results[0]] = own[0]
        for inner in instr.regions:
            for value in inner.results:
                if value in position:
                    fixed.add(position[value])
            _find_fixed(inner.instrs, position, fixed, nested=True)


def _reads_panels(instr: Instr) -> bool:
    """Whether it is a product with a parameter that is read a panel of rows at a time."""
    found = [matrix_of(x)[0] for x in instr.operands]
    return any(not isinstance(x.owner, Instr) and product_of(instr, x) for x in found)


def _is_block(instr: Instr) -> bool:
    """Whether it reads neighbouring elements of a parameter."""
    if instr.op is not dynamic_slice:
        return False
    array, sizes = instr.operands[0], instr.attrs["slice_sizes"]
    if isinstance(array.owner, Instr):
        return False
    wide = [d for d, n in enumerate(sizes) if n > 1]
    return not wide or all(sizes[d] == array.type.shape[d] for d in range(wide[0] + 1, len(sizes)))


def moved(region: Region, which: Sequence[int], room: Sequence[int]) -> Region:
    """A copy in which parameter `which[k]` is flat, with `room[k]` elements more; the positions of
    their first elements are the last parameters."""
    copy = clone_region(region, {})
    params = list(copy.params)
    begins: list[Value] = []
    head: list[Instr] = []
    for k, extra in zip(which, room, strict=True):
        old = copy.params[k]
        flat = Value(array_type(old.type.dtype, (old.type.size + extra,)), None, old.hint)
        begin = Value(BEGIN)
        params[k] = flat
        begins.append(begin)
        with building(Builder(head)):
            whole = dynamic_slice(flat, begin, slice_sizes=(old.type.size,))
            whole = reshape(whole, shape=old.type.shape)
        blocks = _Blocks(old, flat, begin, extra)
        for instr in copy.instrs:
            for inner in instr.regions:
                blocks.region(inner)
        read_in_panels(copy, old, flat, begin)
        mapping: Mapping = {old: whole}
        substitute_region(copy, mapping)
    return Region((*params, *begins), head + copy.instrs, copy.results)


class _Blocks:
    """Reads the blocks of `array` from where it lies in `flat`, in place; each place once."""

    def __init__(self, array: Value, flat: Value, begin: Value, room: int) -> None:
        self.array = array
        self.room = room
        self.flat = flat
        self.begin = begin
        # In scope: what has been computed of which values.
        self.known: dict[tuple[object, ...], Value] = {}

    def region(self, region: Region) -> None:
        """Rewrite a region."""
        code: list[Instr] = []
        outer = self.known
        self.known = dict(outer)
        for instr in region.instrs:
            for inner in instr.regions:
                self.region(inner)
            if instr.op is dynamic_slice and instr.operands[0] is self.array:
                with building(Builder(code, instr.loc)):
                    block = self.block(instr)
                take_over(block, instr.results[0])
            else:
                code.append(instr)
        self.known = outer
        region.instrs[:] = code

    def block(self, instr: Instr) -> Value:
        _, *starts = instr.operands
        shape, sizes = self.array.type.shape, instr.attrs["slice_sizes"]
        # That the first element is where there is room: LLVM then knows that all are in the array.
        place = and_(self.begin, integer(self.room))
        for d, start in enumerate(starts):
            if sizes[d] != shape[d]:
                place = self.step(place, start, shape[d] - sizes[d], math.prod(shape[d + 1 :]))
        block = dynamic_slice(self.flat, place, slice_sizes=(math.prod(sizes),))
        return reshape(block, shape=sizes)

    def step(self, place: Value, start: Value, last: int, stride: int) -> Value:
        """`place` and `stride` times an index from 0 to `last`."""
        key = place, start, last, stride
        if key not in self.known:
            self.known[key] = add(place, multiply(self.inside(start, last), integer(stride)))
        return self.known[key]

    def inside(self, start: Value, last: int) -> Value:
        key = start, last
        if key not in self.known:
            below = minimum(start, constant(value=np.array(last, start.type.dtype)))
            index = convert(below, dtype=BEGIN.dtype)
            unsigned = start.type.dtype.kind == "u"
            self.known[key] = index if unsigned else maximum(index, integer(0))
        return self.known[key]
