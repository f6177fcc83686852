"""Boolean masks: the positions where they are true, as arrays of bounded extent.

`x[mask]` is `x` at `positions(mask)`: a prefix sum ranks the true elements, and a scatter turns the
ranks around (Blelloch, "Prefix sums and their applications", 1990: *pack*).  What is computed
element by element from `x[mask]` alone need not be packed at all to be summed, or written back
under the same mask: `unpacked` recomputes it in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Instr, Value
from pyxla.ir.op import Op, OpError
from pyxla.ir.types import I32, I64
from pyxla.ops import elementwise
from pyxla.ops.elementwise import add, and_, compare, convert, divide, remainder, select
from pyxla.ops.filled import number, spread
from pyxla.ops.index import gather, scatter, scatter_along
from pyxla.ops.reduce import reduce_window
from pyxla.ops.shape import broadcast_in_dim, constant, iota, pad, reshape
from pyxla.ops.shape import slice as slice_
from pyxla.views.blocks import Shape, reshaped

# Masks of more elements than this are known only where they are constants.
LARGEST_MASK = 4096


def constant_of(x: Array) -> np.ndarray | None:
    """The elements of an array that is a constant of the program."""
    owner = x.value.owner
    if isinstance(owner, Instr) and owner.op is constant:
        return owner.attrs["value"]
    return None


def listed(x: Any) -> Any:
    """An array of one dimension that is known while compiling as a list; else as it is."""
    if not isinstance(x, Array) or x.ndim != 1:
        return x
    data = constant_of(x)
    data = known_elements(x.value, written=True) if data is None else data
    return x if data is None else data.tolist()


def resized(value: Value, shape: Sequence[int]) -> Value:
    """`value` cut, or followed by zeros, to `shape`."""
    old = value.type.shape
    if old == tuple(shape):
        return value
    if any(n < m for n, m in zip(shape, old, strict=True)):
        limits = tuple([min(n, m) for n, m in zip(shape, old, strict=True)])
        value = slice_(value, start_indices=(0,) * len(old), limit_indices=limits)
        old = limits
    if old == tuple(shape):
        return value
    return pad(
        value,
        number(0, value.type.dtype),
        edge_padding_low=(0,) * len(old),
        edge_padding_high=tuple([n - m for n, m in zip(shape, old, strict=True)]),
        interior_padding=(0,) * len(old),
    )


def within(x: Array) -> Value | None:
    """Which elements of bounded extents are real; None where all are."""
    mask = None
    for d, size in enumerate(x.extents or ()):
        if size is None:
            continue
        position = iota(dtype=I32.dtype, shape=x.shape, dimension=d)
        limit = spread(convert(size.value, dtype=I32.dtype), x.shape)
        inside = compare(position, limit, direction="LT")
        mask = inside if mask is None else and_(mask, inside)
    return mask


def true_elements(mask: Array) -> Value:
    """`mask`, false past its extents."""
    inside = within(mask)
    return mask.value if inside is None else and_(mask.value, inside)


def ranks(mask: Array) -> Value:
    """For each element of the flattened mask, how many are true up to and including it (i32)."""
    size = mask.size
    counts = convert(reshaped(true_elements(mask), (size,)), dtype=I32.dtype)
    return reduce_window(
        counts,
        number(0, I32.dtype),
        window_dimensions=(size,),
        padding=((size - 1, 0),),
        computation="add",
    )


def count(mask: Array) -> Scalar:
    """How many elements are true."""
    size = mask.size
    if not size:
        return Scalar(convert(number(0, I64.dtype), dtype=I64.dtype, weak=True), IntFact(0, 0))
    last = slice_(ranks(mask), start_indices=(size - 1,), limit_indices=(size,))
    total = convert(reshape(last, shape=()), dtype=I64.dtype, weak=True)
    return Scalar(total, IntFact(0, size, ((total, 1),), 0))


def _known_mask(mask: Array) -> np.ndarray | None:
    """The elements of a mask that constants alone decide, such as `~np.eye(n, dtype=bool)`."""
    data = constant_of(mask)
    return known_elements(mask.value, LARGEST_MASK) if data is None else data


def positions(mask: Array) -> Array:
    """Where the flattened mask is true, in order; of bounded extent unless the mask is known."""
    size = mask.size
    data = None if mask.extents is not None else _known_mask(mask)
    if not size or data is not None:
        found = np.flatnonzero(data) if size else np.zeros(0, I64.dtype)
        return Array(constant(value=found.astype(I64.dtype)))
    rank, total = ranks(mask), count(mask)
    places = add(rank, number(-1, I32.dtype, (size,)))
    places = select(
        reshaped(true_elements(mask), (size,)), places, number(size, I32.dtype, (size,))
    )
    order = iota(dtype=I64.dtype, shape=(size,), dimension=0)
    none = number(0, I64.dtype, (size,))
    kept = scatter_along(none, places, order, unique_indices=True, computation="update")
    return Array(kept, (total,))


def nonzero(mask: Array) -> tuple[Array, ...]:
    """`np.nonzero` of a mask: an index Array for each dimension."""
    if not mask.shape:
        raise OpError(
            "Calling nonzero on 0d arrays is not allowed. "
            "Use np.atleast_1d(scalar).nonzero() instead.",
            ValueError,
        )
    return unravel(positions(mask), mask.shape)


def unravel(flat: Array, shape: Shape) -> tuple[Array, ...]:
    """Positions in a flattened array as positions along each dimension."""
    if len(shape) == 1:
        return (flat,)
    found = []
    for d, n in enumerate(shape):
        value = flat.value
        later = math.prod(shape[d + 1 :])
        if later > 1:
            value = divide(value, number(later, I64.dtype, flat.shape))
        if d:
            value = remainder(value, number(max(n, 1), I64.dtype, flat.shape))
        found.append(Array(value, flat.extents))
    return tuple(found)


# Without the ops of shapes that the rules of elementwise ones are written with.
ELEMENTWISE = frozenset(
    id(op) for op in vars(elementwise).values() if isinstance(op, Op)
) - frozenset(map(id, (broadcast_in_dim, constant, iota, reshape)))


def unpacked(value: Value, mask: Value | None = None) -> tuple[Value, Value] | None:
    """What `value`, computed element by element from arrays packed by one mask, is before packing.

    Returns that and the flattened mask (which is `mask`, where given), or None:

        y = exp(x[m]) + 1   ->   (exp(x) + 1, m)
    """
    found = [] if mask is None else [mask]
    return (result, found[0]) if (result := _unpack(value, found, {})) and found else None


def _unpack(value: Value, masks: list[Value], done: dict[Value, Value | None]) -> Value | None:
    if value in done:
        return done[value]
    owner = value.owner
    result = done[value] = None
    if not isinstance(owner, Instr) or len(done) > _LIMIT:
        return None
    if owner.op is gather:
        packing = packing_mask(owner)
        if packing is not None and (not masks or same(packing, masks[0])):
            masks[:] = masks or [packing]
            result = owner.operands[0]
    elif owner.op is broadcast_in_dim:
        # Equal along the first dimension: packing it changes nothing.
        source, dims = owner.operands[0].type.shape, owner.attrs["broadcast_dimensions"]
        result = value if 0 not in dims or source[dims.index(0)] == 1 else None
    elif id(owner.op) in ELEMENTWISE and not owner.regions:
        parts = [_unpack(v, masks, done) if v.type.shape else v for v in owner.operands]
        if None not in parts:
            result = owner.op(*parts, **owner.attrs)
    done[value] = result
    return result


_LIMIT = 64


def packing_mask(instr: Instr) -> Value | None:
    """The flattened mask where a gather reads at `positions` of one, along dimension 0."""
    if instr.attrs["start_index_map"] != (0,) or 0 in instr.attrs["offset_dims"]:
        return None
    found = instr.operands[1].owner
    if not isinstance(found, Instr) or found.op is not scatter:
        return None
    array, places, counting = [value.owner for value in found.operands]
    if found.attrs["computation"] != "update" or _element(array) != 0:
        return None
    if not _made_by(iota, counting) or not _made_by(select, places):
        return None
    mask, lowered, past = places.operands
    return mask if _element(past.owner) == mask.type.size and _lowers(lowered, mask) else None


def _lowers(value: Value, mask: Value) -> bool:
    """Whether `value` is one less than the ranks of the elements of a flat mask."""
    if not _made_by(add, value.owner) or _element(value.owner.operands[1].owner) != -1:
        return False
    ranking = value.owner.operands[0].owner
    if not _made_by(reduce_window, ranking) or ranking.attrs.get("computation") != "add":
        return False
    size = mask.type.size
    whole = ranking.attrs["window_dimensions"] == (size,)
    counts = ranking.operands[0].owner
    if not whole or ranking.attrs["padding"] != ((size - 1, 0),) or not _made_by(convert, counts):
        return False
    return _element(ranking.operands[1].owner) == 0 and same(counts.operands[0], mask)


def _made_by(op: Op, owner: Any) -> bool:
    return isinstance(owner, Instr) and owner.op is op


def _element(made: Any) -> Any:
    """The number that all elements of what `made` makes are; None where that is not known."""
    if isinstance(made, Instr) and made.op is broadcast_in_dim:
        made = made.operands[0].owner
    if not isinstance(made, Instr) or made.op is not constant or made.attrs["value"].ndim:
        return None
    return made.attrs["value"].item()


def same(x: Value, y: Value, depth: int = 6) -> bool:
    """Whether two values are the same expression of the same values."""
    if x is y:
        return True
    a, b = x.owner, y.owner
    if depth == 0 or not isinstance(a, Instr) or not isinstance(b, Instr):
        return False
    if a.op is not b.op or a.op.effect or a.op.numpy is None or a.regions:
        return False  # what has no meaning in NumPy draws numbers, other ones each time
    if len(a.operands) != len(b.operands) or a.results.index(x) != b.results.index(y):
        return False
    return _same_attrs(a.attrs, b.attrs) and all(
        same(v, w, depth - 1) for v, w in zip(a.operands, b.operands, strict=True)
    )


def _same_attrs(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(_same_attr(x, b[name]) for name, x in a.items())


def _same_attr(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return (x.dtype, x.shape) == (y.dtype, y.shape) and x.tobytes() == y.tobytes()
    return bool(x == y)
