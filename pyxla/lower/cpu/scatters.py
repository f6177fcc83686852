"""Scatters into tables as loops, which end where the true elements do; to one place, as updates.

    %p = select(iota < %n, %i, 200)                       for k in range(n):
    %r = scatter(%A: f64[200, 9], [%p, %j], %u)   ->          A[i[k], j[k]] = u[k]

XLA:CPU needs the positions as an array of pairs, and takes twice as long as a loop over numbers; it
looks at all of them, where an array of bounded extent knows how many there are.  Cheap code that
makes positions and updates is computed in the loop, for the elements that are true.  With one
index XLA's own loop is the faster one.  A scatter to one place, a row or an element, is no loop but
an update of what lies there: of XLA's three kernels for it, one stays.

A loop around few positions may become one function (`lower.cpu.small`), which holds no scatter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import substitute_region
from pyxla.ir.types import I64
from pyxla.lower.cpu.packing import true_size
from pyxla.lower.dead import dead_code
from pyxla.lower.rules import definition, filling, known
from pyxla.ops.computation import REDUCERS
from pyxla.ops.control import if_, while_
from pyxla.ops.elementwise import add, and_, clamp, compare, convert, minimum, select
from pyxla.ops.filled import integer
from pyxla.ops.index import dynamic_slice, dynamic_update_slice, scatter
from pyxla.ops.shape import concatenate, constant, reshape

FEW = 32  # elements: not worth a loop, but in another one
DEPTH = 8  # of code that is computed in the loop
_CHEAP = frozenset(
    "add subtract multiply and or not select compare convert minimum maximum clamp".split()  # noqa: SIM905
)


def scatter_in_order(region: Region) -> Region:
    """Make loops of scatters, in place."""
    if _scatter_in(region, FEW):
        dead_code(region)
    return region


def _scatter_in(region: Region, least: int) -> bool:
    """least: how many elements are worth a loop."""
    code: list[Instr] = []
    replaced: dict[Value, Value] = {}
    changed = False
    for instr in region.instrs:
        for inner in instr.regions:
            changed |= _scatter_in(inner, 2 if instr.op is while_ else least)
        if instr.op is scatter and instr.operands[-1].type.size >= least and _is_of_elements(instr):
            outside = Builder(code, instr.loc)
            with building(Builder(code, instr.loc)):
                replaced[instr.results[0]] = _loop(instr, outside)
        elif instr.op is scatter and _is_to_one_place(instr):
            with building(Builder(code, instr.loc)):
                replaced[instr.results[0]] = _update(instr)
        else:
            code.append(instr)
    if replaced:
        region.instrs[:] = code
        substitute_region(region, replaced)
    return changed or bool(replaced)


def _is_of_elements(instr: Instr) -> bool:
    if len(instr.operands) != 3 or instr.regions or instr.attrs.get("input_batching_dims"):
        return False
    x, indices, updates = instr.operands
    attrs = instr.attrs
    if attrs["index_vector_dim"] < indices.type.ndim - 1:
        return False
    windows = [updates.type.shape[axis] for axis in attrs["update_window_dims"]]
    every = len(attrs["scatter_dims_to_operand_dims"]) == x.type.ndim > 1
    return every and math.prod(windows) == 1 and x.type.size > 0


def _is_to_one_place(instr: Instr) -> bool:
    if len(instr.operands) != 3 or instr.regions or instr.attrs.get("input_batching_dims"):
        return False
    x, indices, _ = instr.operands
    return indices.type.size == len(instr.attrs["scatter_dims_to_operand_dims"]) and x.type.size > 0


def _update(instr: Instr) -> Value:
    """The array after a scatter to one place; as it was, where that is not in it."""
    x, indices, updates = instr.operands
    attrs = instr.attrs
    extents = iter([updates.type.shape[axis] for axis in attrs["update_window_dims"]])
    inserted = attrs["inserted_window_dims"]
    window = tuple([1 if axis in inserted else next(extents) for axis in range(x.type.ndim)])
    starts: list[Value] = [integer(0)] * x.type.ndim
    fits = None
    numbers = reshape(indices, shape=(indices.type.size,))
    for k, axis in enumerate(attrs["scatter_dims_to_operand_dims"]):
        index = _at(numbers, integer(k))
        starts[axis], inside = _place(index, x.type.shape[axis] - window[axis] + 1)
        fits = inside if fits is None else and_(fits, inside)
    new = reshape(updates, shape=window)
    old = dynamic_slice(x, *starts, slice_sizes=window)
    combine = REDUCERS.get(attrs["computation"])
    written = combine(old, new) if combine else new
    if fits is not None:
        written = select(fits, written, old)
    return dynamic_update_slice(x, written, *starts)


def _loop(instr: Instr, outside: Builder) -> Value:
    """The array after the scatter."""
    x, indices, updates = instr.operands
    axes = instr.attrs["scatter_dims_to_operand_dims"]
    vector = instr.attrs["index_vector_dim"]
    columns = _columns(indices, vector, len(axes))
    limit = _limit(indices, vector, [x.type.shape[axis] for axis in axes], updates.type.size)
    combine = REDUCERS.get(instr.attrs["computation"])

    def unfinished(k: Value, array: Value) -> Value:
        return compare(k, limit, direction="LT")

    def step(k: Value, array: Value) -> tuple[Value, ...]:
        places: list[Value] = [k] * len(axes)
        fits = None
        elements = _Elements(k, outside)
        for axis, column in zip(axes, columns, strict=True):
            place, inside = _place(elements.of(column), x.type.shape[axis])
            fits = inside if fits is None else and_(fits, inside)
            places[axis] = place
        old = reshape(dynamic_slice(array, *places, slice_sizes=(1,) * len(axes)), shape=())
        new = elements.of(updates)
        written = select(fits, combine(old, new) if combine else new, old)
        row = reshape(written, shape=(1,) * len(axes))
        return add(k, integer(1)), dynamic_update_slice(array, row, *places)

    region = current().region
    types = (I64, x.type)
    return while_(integer(0), x, regions=(region(types, unfinished), region(types, step)))[1]


def _columns(indices: Value, vector: int, count: int) -> Sequence[Value]:
    """The positions along each dimension that has one: flat, or in any shape of that size."""
    joined = _joined(indices, vector, count)
    shape = indices.type.shape
    return joined or [_cut(indices, axis, shape) for axis in range(count)]


def _joined(indices: Value, vector: int, count: int) -> Sequence[Value]:
    """The columns that `indices` are made of, if that shows."""
    joined = definition(indices, "concatenate")
    if joined is not None and joined.op is concatenate and len(joined.operands) == count:
        if joined.attrs["dimension"] == vector:
            return joined.operands
    return ()


def _cut(indices: Value, axis: int, shape: tuple[int, ...]) -> Value:
    zero = integer(0)
    starts = [zero] * (len(shape) - 1) + [integer(axis)]
    return dynamic_slice(indices, *starts, slice_sizes=(*shape[:-1], 1))


def _limit(indices: Value, vector: int, extents: Sequence[int], size: int) -> Value:
    """How many positions there are at most: after that, one of the columns is out of range."""
    owner = indices.owner
    if isinstance(owner, Instr) and owner.op is if_:
        return _limit_of_branches(owner, indices, vector, extents, size)
    content = filling(indices)
    if content is not None and not 0 <= content < min(extents):
        return integer(0)
    limit = integer(size)
    for column, extent in zip(_joined(indices, vector, len(extents)), extents):
        chosen = definition(_flat(column), "select")
        if chosen is None:
            continue
        mask, _, rest = chosen.operands
        content = filling(rest)
        if mask.type.ndim == 1 and content is not None and not 0 <= content < extent:
            limit = minimum(limit, true_size(mask))
    return limit


def _limit_of_branches(
    conditional: Instr, indices: Value, vector: int, extents: Sequence[int], size: int
) -> Value:
    """One more result of the conditional that made the positions."""
    place = conditional.results.index(indices)
    for branch in conditional.regions:
        with building(Builder(branch.instrs, conditional.loc)):
            limit = _limit(branch.results[place], vector, extents, size)
        branch.results = (*branch.results, limit)
    added = Value(I64, conditional)
    conditional.results = (*conditional.results, added)
    return added


def _flat(value: Value) -> Value:
    """`value` before it was reshaped."""
    while (made := definition(value, "reshape")) is not None:
        value = made.operands[0]
    return value


def _place(index: Value, extent: int) -> tuple[Value, Value]:
    """An index in range, and whether it was."""
    if index.type.dtype != np.int64:
        index = convert(index, dtype=I64.dtype)
    place = clamp(integer(0), index, integer(extent - 1))
    return place, compare(place, index, direction="EQ")


class _Elements:
    """Element `k` of arrays, in the order of memory; what makes them is computed here if cheap."""

    def __init__(self, k: Value, outside: Builder) -> None:
        self.k = k
        self.outside = outside
        self.made: dict[Value, Value] = {}

    def of(self, value: Value, depth: int = DEPTH) -> Value:
        if value not in self.made:
            self.made[value] = self._of(value, depth)
        return self.made[value]

    def _of(self, value: Value, depth: int) -> Value:
        if value.type.size == 1:
            return self._number(value)
        owner = value.owner
        if not isinstance(owner, Instr) or not depth:
            return self._read(value)
        name, sources = owner.op.name, owner.operands
        if name in _CHEAP:
            return owner.op(*[self.of(x, depth - 1) for x in sources], **owner.attrs)
        if name == "reshape" or (name == "broadcast_in_dim" and _keeps_order(owner)):
            return self.of(sources[0], depth)
        if name == "iota" and value.type.ndim == 1:
            return convert(self.k, dtype=value.type.dtype)
        if name == "gather" and _is_of_vector(owner):
            return _at(sources[0], self.of(sources[1], depth - 1))
        return self._read(value)

    def _number(self, value: Value) -> Value:
        """The one element of a value."""
        content = known(value)
        if content is not None:
            return constant(value=content.reshape(()))
        made = definition(value, "broadcast_in_dim", "reshape")
        if made is not None:
            return self._number(made.operands[0])
        with building(self.outside):
            return reshape(value, shape=())

    def _read(self, value: Value) -> Value:
        with building(self.outside):
            flat = reshape(value, shape=(value.type.size,))
        return _at(flat, self.k)


def _at(vector: Value, k: Value) -> Value:
    return reshape(dynamic_slice(vector, k, slice_sizes=(1,)), shape=())


def _keeps_order(broadcast: Instr) -> bool:
    (source,), axes = broadcast.operands, broadcast.attrs["broadcast_dimensions"]
    same = source.type.size in (1, broadcast.results[0].type.size)
    return same and list(axes) == sorted(axes)


def _is_of_vector(instr: Instr) -> bool:
    """Whether a gather takes elements of a vector."""
    attrs, indices = instr.attrs, instr.operands[1]
    elements = attrs["slice_sizes"] == (1,) and indices.type.dtype in (np.int32, np.int64)
    return elements and indices.type.size == instr.results[0].type.size
