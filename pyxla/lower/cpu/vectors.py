"""Vectors in loops, element by element: a nest of loops over elements is one function.

    for i, j: A[i, j] -= A[i, :j] @ A[j, :j]     ->     for i, j:
                                                          s = 0.0
                                                          for p in range(j): s += A[i, p] * A[j, p]
                                                          A[i, j] -= s

A vector in a loop body is a kernel or two of its own, computed at the bound of its extent, and with
it XLA:CPU runs the whole loop operation by operation.  As loops, sums end at their true extent, and
XLA compiles the nest to one function (`lower.cpu.kernels`).

Sums take `LANES` elements at a time while all of them are there, then one.  So do searches, which
give the first or last place where a mask is true; other extrema are faster in kernels.  Only where
nothing else is left in the nest that is not over elements, and no array would have to be copied:
what is read must not have been updated meanwhile.

Searches in other loops are loops as well, where a list has room for many: few are full.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import Mapping, clone_instr, substitute_region, walk
from pyxla.lower.cost import SMALL
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.lower.dead import dead_code
from pyxla.lower.rules import is_filled
from pyxla.ops import elementwise as op
from pyxla.ops.contract import dot_general
from pyxla.ops.control import case, if_, while_
from pyxla.ops.elementwise import abs as abs_
from pyxla.ops.filled import integer, number, spread
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import broadcast_in_dim, constant, iota, pad, reshape, transpose
from pyxla.ops.shape import slice as slice_

LANES = 8
LONG = 4096  # elements: sums of more are worth kernels of their own
LONGEST = 1 << 20  # elements: searches end early
ROOM = 256  # elements: of lists with less, a kernel looks at all there is room for
DTYPES = frozenset(map(np.dtype, ("f4", "f8", "i4", "i8")))
_MOVED = frozenset([broadcast_in_dim, reshape, transpose])
# Other functions are faster in kernels of their own, which LLVM makes vectors of.
_LANEWISE = frozenset(
    [
        abs_,
        op.add,
        op.and_,
        op.clamp,
        op.compare,
        op.convert,
        op.divide,
        op.maximum,
        op.minimum,
        op.multiply,
        op.negate,
        op.not_,
        op.or_,
    ]
) | {op.select, op.sqrt, op.square, op.subtract}
_PARTS = _LANEWISE | _MOVED | {iota, dynamic_slice, slice_, pad}
_SUMS = frozenset([dot_general, reduce])
_CHOICES = frozenset([if_, case])
# An element of a vector: of the number of the first lane, and how many lanes.
Lanes = Callable[[Value, int], Value]


class _Refused(Exception):
    """The nest stays as it is."""


def split_vectors(region: Region) -> Region:
    """Make loops of the vectors in the nests of a region, in place."""
    code: list[Instr] = []
    for instr in region.instrs:
        made = _split(instr) if instr.op is while_ and _is_nest(instr) else None
        if made is None:
            for inner in instr.regions:
                split_vectors(inner)
        code.append(made or instr)
    region.instrs[:] = code
    return region


def _is_nest(loop: Instr) -> bool:
    """Whether there are sums of vectors in a loop, and nothing larger than vectors.

    Where vectors are updated, kernels are faster, their own or as `lower.cpu.small` has them.
    """
    found = False
    for region in loop.regions:
        if _gives_vectors(region):
            return False
        for instr in walk(region.instrs):
            if any(map(_gives_vectors, instr.regions)):
                return False
            if instr.regions or instr.op.effect:
                continue
            value = instr.operands[1] if instr.op is dynamic_update_slice else instr.results[0]
            long = value.type.size > SMALL
            if long and not _is_vector(value):
                return False
            if instr.op in _SUMS:
                found |= instr.operands[0].type.size > SMALL
            elif long and instr.op not in _PARTS:
                return False
    return found


def _gives_vectors(region: Region) -> bool:
    """Whether vectors leave a region other than in an array that it updates."""
    makers = [value.owner for value in region.results if value.type.size > SMALL]
    return any(isinstance(maker, Instr) and maker.op in _PARTS for maker in makers)


def _is_vector(value: Value) -> bool:
    shape = value.type.shape
    return bool(shape) and SMALL < value.type.size == max(shape) <= LONGEST


def _split(loop: Instr) -> Instr | None:
    copy = clone_instr(loop, {})
    try:
        _Nest(copy.regions, copy.operands).rewrite(_is_long_sum)
    except _Refused:
        return None
    dead_code(Region((), [copy], copy.results))
    if not is_over_elements(copy) or not can_hold(copy):
        return None
    copy.results = loop.results
    for value in copy.results:
        value.owner = copy
    return copy


def _is_long_sum(instr: Instr) -> bool:
    return instr.op in _SUMS and instr.operands[0].type.size > SMALL


def shorten_searches(region: Region) -> Region:
    """Make loops of the searches in the loops of a region, in place."""
    nest, loops = _Nest((region,)), [i for i in walk(region.instrs) if i.op is while_]
    inside = {i for loop in loops for part in loop.regions for i in walk(part.instrs)}
    found = {i for i in inside if i.op is reduce and i.operands[0].type.size >= ROOM}
    if found := {i for i in found if i.attrs.get("computation") in ("maximum", "minimum")}:
        nest.rewrite(found.__contains__, all_or_none=False)
        dead_code(region)
    return region


class _Nest:
    """Regions, those of a nest, that are rewritten in place.

    place: of each instruction, the region that holds it and where, then those of what is around
    it; updates: of each array, what makes another one of it in its place.
    """

    def __init__(self, regions: Sequence[Region], operands: Sequence[Value] = ()) -> None:
        self.regions = regions
        self.place: dict[Instr, tuple[tuple[Region, int], ...]] = {}
        self.updates: dict[Value, list[Instr | None]] = {x: [None] for x in operands}
        for region in regions:
            self.look(region, ())

    def look(self, region: Region, around: tuple[tuple[Region, int], ...]) -> None:
        for k, instr in enumerate(region.instrs):
            self.place[instr] = path = ((region, k), *around)
            if instr.op is dynamic_update_slice:
                self.updates.setdefault(instr.operands[0], []).append(instr)
            elif instr.op is while_:
                for value in instr.operands:
                    self.updates.setdefault(value, []).append(instr)
            for inner in instr.regions:
                self.look(inner, path)

    def rewrite(self, wanted: Callable[[Instr], bool], all_or_none: bool = True) -> None:
        for region in self.regions:
            self.region(region, wanted, all_or_none)

    def region(self, region: Region, wanted: Callable[[Instr], bool], all_or_none: bool) -> None:
        code: list[Instr] = []
        replaced: Mapping = {}
        for instr in list(region.instrs):
            for inner in instr.regions:
                self.region(inner, wanted, all_or_none)
            made = self.loop_of(instr, all_or_none) if wanted(instr) else None
            code += made[1] if made else [instr]
            if made:
                replaced[instr.results[0]] = made[0]
        region.instrs[:] = code
        substitute_region(region, replaced)

    def loop_of(self, instr: Instr, all_or_none: bool) -> tuple[Value, list[Instr]] | None:
        code: list[Instr] = []
        try:
            with building(Builder(code, instr.loc)):
                return _Sum(self, instr, by_blocks=all_or_none).emit(), code
        except _Refused:
            if all_or_none:
                raise
            return None

    def is_there(self, array: Value, reader: Instr) -> bool:
        """Whether nothing has updated an array when `reader` reads it: what does comes later, or in
        another arm of a choice."""
        around = dict(self.place[reader])
        for update in self.updates.get(array, ()):
            path = self.place[update] if update is not None else ()
            shared = next(((where, k) for where, k in path if where in around), None)
            if shared is None:
                return False
            (where, k), at = shared, around[shared[0]]
            if k < at or (k == at and where.instrs[k].op not in _CHOICES):
                return False
        return True


class _Vector:
    """Code for the elements of a vector, where an instruction of the nest uses it.

    by_blocks: whether several lanes are taken at a time, which is more code; limit: the number of
    lanes that count, if not all; ranges: numbers that are added to the number
    of the lane, and below what the sum has to be for lanes to be read at once.
    """

    def __init__(self, nest: _Nest, root: Instr, by_blocks: bool) -> None:
        self.nest = nest
        self.root = root
        self.by_blocks = by_blocks
        self.limit: Value | None = None
        self.ranges: list[tuple[Value, int]] = []

    def count(self, size: int) -> Value:
        """How many lanes count."""
        if self.limit is None:
            return integer(size)
        return op.clamp(integer(0), _index(self.limit), integer(size))

    def lanes(self, value: Value, offset: Value | None = None) -> Lanes:
        """The elements of `value`, from `offset` on; a number is in all lanes."""
        if value.type.size == 1:
            return lambda p, lanes: _lanes(reshape(value, shape=()), lanes)
        instr = value.owner
        if not isinstance(instr, Instr) or instr not in self.nest.place or instr.op not in _PARTS:
            return self.read(value, [integer(0)] * value.type.ndim, value.type.shape, offset)
        if instr.op in _LANEWISE:
            return self.lanewise(instr, offset)
        if instr.op is iota:
            return _counting(instr, offset)
        if instr.op is pad:
            return self.padded(instr, offset)
        source = instr.operands[0]
        if instr.op in _MOVED:
            if source.type.size != 1 and not _is_vector(source):
                raise _Refused  # rows of a matrix, one after the other
            return self.lanes(source, offset)
        if instr.op is slice_:
            if instr.attrs.get("strides") and any(s != 1 for s in instr.attrs["strides"]):
                raise _Refused
            starts: list[Value] = [integer(k) for k in instr.attrs["start_indices"]]
        else:
            starts = [
                op.clamp(integer(0), _index(start), integer(extent - size))
                for start, extent, size in zip(
                    instr.operands[1:], source.type.shape, value.type.shape, strict=True
                )
            ]
        made = source.owner
        if _is_vector(source) and isinstance(made, Instr) and made.op in _PARTS:
            return self.lanes(source, _sum(offset, starts[_axis(source)]))
        return self.read(source, starts, value.type.shape, offset)

    def lanewise(self, instr: Instr, offset: Value | None) -> Lanes:
        if (
            instr.op is op.select
            and self.limit is not None
            and _limit(instr.operands[0]) is self.limit
        ):
            return self.lanes(instr.operands[1], offset)
        parts = [self.lanes(value, offset) for value in instr.operands]
        return lambda p, lanes: instr.op(*[part(p, lanes) for part in parts], **instr.attrs)

    def padded(self, instr: Instr, offset: Value | None) -> Lanes:
        source, filler = instr.operands
        low, inner = instr.attrs["edge_padding_low"], instr.attrs["interior_padding"]
        if not _is_vector(source) or any(inner):
            raise _Refused
        axis = _axis(source)
        if _axis(instr.results[0]) != axis:
            raise _Refused
        size = source.type.shape[axis]
        offset = _sum(offset, integer(-low[axis]))
        self.ranges.append((offset, size))
        inside = self.lanes(source, offset)

        def lanes(p: Value, lanes: int) -> Value:
            if lanes > 1:
                return inside(p, lanes)
            place = op.add(p, offset)
            low, high = integer(0), integer(size)
            held = op.and_(
                op.compare(place, low, direction="GE"), op.compare(place, high, direction="LT")
            )
            return op.select(held, inside(p, lanes), reshape(filler, shape=()))

        return lanes

    def read(
        self,
        array: Value,
        starts: Sequence[Value],
        sizes: Sequence[int],
        offset: Value | None,
    ) -> Lanes:
        """Elements of a block of an array in memory."""
        if not self.nest.is_there(array, self.root):
            raise _Refused
        axis = max(range(len(sizes)), key=sizes.__getitem__)
        first = _sum(offset, starts[axis])

        def lanes(p: Value, lanes: int) -> Value:
            at = list(starts)
            at[axis] = op.add(p, first)
            shape = [lanes if k == axis else 1 for k in range(len(sizes))]
            block = dynamic_slice(array, *at, slice_sizes=tuple(shape))
            return reshape(block, shape=(lanes,) if lanes > 1 else ())

        return lanes


_COMBINED = {"add": op.add, "maximum": op.maximum, "minimum": op.minimum}


class _Sum(_Vector):
    """A sum over the elements of a vector, or of products of two; the place that a search finds."""

    def emit(self) -> Value:
        root = self.root
        factors = root.operands if root.op is dot_general else root.operands[:1]
        result = root.results[0].type
        if result.size != 1 or any(x.type.dtype != result.dtype for x in factors):
            raise _Refused
        if not all(map(_is_vector, factors)) or result.dtype not in DTYPES:
            raise _Refused
        combine = op.add
        if root.op is reduce:
            if root.attrs.get("computation") not in _COMBINED or len(root.operands) != 2:
                raise _Refused
            combine = _COMBINED[root.attrs["computation"]]
            start = reshape(root.operands[1], shape=())
        else:
            start = constant(value=np.zeros((), result.dtype))
        size = factors[0].type.size
        if combine is op.add:
            limits = [_ends(x) for x in factors]
            shared = [x for x in limits[0] if all(x in other for other in limits)]
            self.limit = shared[0] if shared else None
        else:
            self.limit, filler = _searched(factors[0])
            ended = op.compare(self.count(size), integer(size), direction="LT")
            start = op.select(ended, combine(start, filler), start)
        if combine is op.add and size > LONG:
            raise _Refused
        count = self.count(size)
        parts = [self.lanes(x) for x in factors]

        def terms(p: Value, lanes: int) -> Value:
            made = [part(p, lanes) for part in parts]
            return made[0] if len(made) == 1 else op.multiply(*made)

        state = integer(0), start
        if self.by_blocks:
            state = _while(
                self.blocks(count),
                LANES,
                state,
                lambda p, s: combine(s, _total(terms(p, LANES), combine)),
            )
        _, total = _while(count, 1, state, lambda p, s: combine(s, terms(p, 1)))
        return reshape(total, shape=result.shape)

    def blocks(self, count: Value) -> Value:
        """Before which lanes all lanes of a block can be read at once."""
        for offset, size in self.ranges:
            inside = op.compare(offset, integer(0), direction="GE")
            end = op.minimum(count, op.subtract(integer(size), offset))
            count = op.select(inside, end, integer(0))
        return op.subtract(count, integer(LANES - 1))


def _while(
    limit: Value, step: int, state: tuple[Value, Value], body: Callable[[Value, Value], Value]
) -> tuple[Value, Value]:
    """Steps from state[0] on, while it is below `limit`."""
    region, types = current().region, [value.type for value in state]

    def test(p: Value, _: Value) -> Value:
        return op.compare(p, limit, direction="LT")

    def once(p: Value, value: Value) -> tuple[Value, Value]:
        return op.add(p, integer(step)), body(p, value)

    return while_(*state, regions=(region(types, test), region(types, once)))


def _total(lanes: Value, combine: Op) -> Value:
    """The sum of the elements of a vector of a power of two, or another combination of them."""
    while (half := lanes.type.size // 2) > 0:
        parts = [slice_(lanes, start_indices=(k,), limit_indices=(k + half,)) for k in (0, half)]
        lanes = combine(*parts)
    return reshape(lanes, shape=())


def _plain(value: Value) -> Instr | None:
    """What makes a vector, through changes of its shape."""
    made = value.owner
    while isinstance(made, Instr) and made.op in _MOVED:
        if made.operands[0].type.size != value.type.size:
            break
        made = made.operands[0].owner
    return made if isinstance(made, Instr) else None


def _limit(mask: Value) -> Value | None:
    """k, where a mask is true of the first k lanes."""
    made = _plain(mask)
    if made is None or made.op is not op.compare or made.attrs["direction"] != "LT":
        return None
    counting, bound = made.operands
    numbers = counting.owner
    if not isinstance(numbers, Instr) or numbers.op is not iota or not _is_vector(counting):
        return None
    if numbers.attrs["dimension"] != _axis(counting):
        return None
    spread = bound.owner
    if not isinstance(spread, Instr) or spread.op is not broadcast_in_dim:
        return None
    return spread.operands[0] if spread.operands[0].type.size == 1 else None


def _searched(value: Value) -> tuple[Value, Value]:
    """Of places where a mask is true, and elsewhere something else: the number of lanes from which
    on it is false, and what there is then."""
    made = _plain(value)
    if made is None or made.op is not op.select:
        raise _Refused
    mask, places, other = made.operands
    counting, spread = places.owner, other.owner
    limit = next(iter(_limits(mask)), None)
    if isinstance(counting, Instr) and counting.op is op.subtract:  # from behind
        counting = counting.operands[1].owner
    if limit is None or not isinstance(counting, Instr) or counting.op is not iota:
        raise _Refused
    if not isinstance(spread, Instr) or spread.op is not broadcast_in_dim:
        raise _Refused
    if spread.operands[0].type.size != 1:
        raise _Refused
    return limit, reshape(spread.operands[0], shape=())


def _limits(mask: Value) -> list[Value]:
    """Numbers of lanes from which on a mask is false."""
    made = _plain(mask)
    if made is not None and made.op is op.and_:
        return [limit for part in made.operands for limit in _limits(part)]
    limit = _limit(mask)
    return [] if limit is None else [limit]


def _ends(value: Value) -> list[Value]:
    """Numbers of lanes from which on all elements are zero."""
    made = _plain(value)
    if made is None:
        return []
    if made.op is op.select and is_filled(made.operands[2], 0):
        limit = _limit(made.operands[0])
        return [*([] if limit is None else [limit]), *_ends(made.operands[1])]
    if made.op in (op.negate, op.convert):
        return _ends(made.operands[0])
    if made.op in (op.add, op.subtract, op.multiply):
        x, y = map(_ends, made.operands)
        return [limit for limit in x if limit in y]
    return []


def _counting(instr: Instr, offset: Value | None) -> Lanes:
    result = instr.results[0]
    if instr.attrs["dimension"] != _axis(result):
        return lambda p, lanes: _lanes(number(0, result.type.dtype), lanes)

    def lanes(p: Value, lanes: int) -> Value:
        place = p if offset is None else op.add(p, offset)
        if lanes > 1:
            steps = iota(dtype=np.dtype(np.int64), shape=(lanes,), dimension=0)
            place = op.add(_lanes(place, lanes), steps)
        return op.convert(place, dtype=result.type.dtype)

    return lanes


def _axis(vector: Value) -> int:
    shape = vector.type.shape
    return max(range(len(shape)), key=shape.__getitem__)


def _lanes(scalar: Value, lanes: int) -> Value:
    return scalar if lanes == 1 else spread(scalar, (lanes,))


def _sum(x: Value | None, y: Value) -> Value:
    return y if x is None else op.add(x, y)


def _index(value: Value) -> Value:
    return op.convert(reshape(value, shape=()), dtype=np.dtype(np.int64))
