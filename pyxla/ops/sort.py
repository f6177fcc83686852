"""Ops that order elements."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import clone_region
from pyxla.ir.types import BOOL, I32, I64, ArrayType, array_type
from pyxla.ops import batching, check
from pyxla.ops import computation as computations
from pyxla.ops import elementwise as op
from pyxla.ops.check import listed
from pyxla.ops.contribution import Contribution, Into
from pyxla.ops.evaluate import evaluate
from pyxla.ops.filled import spread
from pyxla.ops.index import gather, scatter
from pyxla.ops.shape import constant, iota, reshape
from pyxla.ops.spell import flag, i64

Types = ArrayType | tuple[ArrayType, ...]


def _sort(
    *xs: ArrayType,
    dimension: int,
    is_stable: bool = True,
    comparator: str = "",
    regions: tuple[Region, ...] = (),
) -> Types:
    check.require(bool(xs), "sort", "at least one operand is needed")
    check.check_axis("sort", "dimension", dimension, xs[0].ndim)
    for x in xs:
        if x.shape != xs[0].shape:
            check.refuse("sort", f"operands must have one shape, got {listed(xs)}")
    if regions:
        pairs = [element for element in computations.element_types(xs) for _ in range(2)]
        computations.check_region("sort", regions[0], pairs, (BOOL,))
    elif comparator not in ("LT", "GT"):
        check.refuse("sort", f"comparator must be a region, LT or GT, got {comparator!r}")
    return xs if len(xs) > 1 else xs[0]


def _top_k(x: ArrayType, k: int) -> Types:
    check.require(x.ndim > 0 and 0 <= k <= x.shape[-1], "top_k", f"k {k} does not fit {x}")
    if x.dtype in check.COMPLEXES:
        check.refuse("top_k", f"complex elements have no order, got {x}")
    shape = (*x.shape[:-1], k)
    return array_type(x.dtype, shape), array_type(INDEX_DTYPE, shape)


INDEX_DTYPE = I32.dtype


def _sort_numpy(
    *xs: np.ndarray,
    dimension: int,
    is_stable: bool = True,
    comparator: str = "",
    regions: Sequence[computations.Elementwise] = (),
) -> Any:
    """Row by row, with the comparator as the order."""
    before = regions[0] if regions else _comparing(comparator, xs)
    moved = [np.moveaxis(x, dimension, -1) for x in xs]
    results = [np.empty_like(x) for x in moved]

    def order(a: int, b: int) -> int:
        pairs_ab = [cell for row in rows for cell in (row[a], row[b])]
        pairs_ba = [cell for row in rows for cell in (row[b], row[a])]
        return -1 if before(*pairs_ab)[0] else int(bool(before(*pairs_ba)[0]))

    for position in np.ndindex(moved[0].shape[:-1]):
        rows = [x[position] for x in moved]
        permutation = sorted(range(len(rows[0])), key=functools.cmp_to_key(order))
        for result, row in zip(results, rows, strict=True):
            result[position] = row[permutation]
    restored = tuple([np.moveaxis(result, -1, dimension) for result in results])
    return restored if len(xs) > 1 else restored[0]


def _comparing(direction: str, xs: Sequence[np.ndarray]) -> computations.Elementwise:
    region = computations.comparator(direction, tuple([x.dtype for x in xs]))
    return functools.partial(_evaluated, region)


def _evaluated(region: Region, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
    return evaluate(region, arguments)


def _emit_sort(e: Any, instr: Any, operands: Any) -> Any:
    attrs = instr.attrs
    types = [value.type for value in instr.operands]
    stable = attrs.get("is_stable", True)
    if not instr.regions and len(types) == 1 and types[0].dtype in check.FLOATS:
        region = _keyed(types[0], attrs["dimension"], attrs["comparator"], stable)
        return e.inline(region, operands)[0]
    attributes = {"dimension": i64(attrs["dimension"]), "is_stable": flag(stable)}
    dtypes = tuple([type.dtype for type in types])
    regions = instr.regions or (computations.comparator(attrs["comparator"], dtypes),)
    return e.op("stablehlo.sort", instr, operands, attributes, regions)


@functools.cache
def _keyed(x: ArrayType, dimension: int, direction: str, stable: bool) -> Region:
    """Floats sorted as integers of the same order: XLA:CPU does that several times faster.

    The bits of a float, those below the sign flipped where it is negative, are such an integer;
    the same flip leads back.  NaN becomes the one whose integer is the last in `direction`.
    """
    dtype = np.dtype(f"i{x.dtype.itemsize}")
    nan = np.array(np.nan, x.dtype)
    last = nan if direction == "LT" else np.array(-1, dtype).view(x.dtype)

    def full(value: np.ndarray) -> Value:
        return spread(constant(value=value), x.shape)

    def flipped(bits: Value) -> Value:
        sign = op.shift_right_arithmetic(bits, full(np.array(8 * dtype.itemsize - 1, dtype)))
        return op.xor(bits, op.and_(sign, full(np.array(np.iinfo(dtype).max, dtype))))

    def body(x: Value) -> Value:
        x = op.select(op.compare(x, x, direction="NE"), full(last), x)
        keys = flipped(op.bitcast_convert(x, dtype=dtype))
        keys = sort(keys, dimension=dimension, is_stable=stable, comparator=direction)
        return op.bitcast_convert(flipped(keys), dtype=nan.dtype)

    return computations.build_region([x], body)


def _top_k_numpy(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest of each row, largest first, NaN counting as largest; ties by position."""
    order = np.argsort(np.flip(x, -1), axis=-1, kind="stable")
    order = (x.shape[-1] - 1 - np.flip(order, -1))[..., :k]
    return np.take_along_axis(x, order, -1), order.astype(np.int32)


# --- Derivatives ---------------------------------------------------------------------------------


def _sorted_positions(instr: Instr) -> Value:
    """Where each element of the results came from, along the dimension."""
    axis, xs = instr.attrs["dimension"], instr.operands
    positions = iota(dtype=I64.dtype, shape=xs[0].type.shape, dimension=axis)
    regions = tuple([_with_position(region) for region in instr.regions])
    return sort(*xs, positions, regions=regions, **instr.attrs)[-1]


def _with_position(region: Region) -> Region:
    """The comparator with two more parameters, which it does not use."""
    copy = clone_region(region, {})
    copy.params += (Value(I64, copy), Value(I64, copy))
    return copy


def _take(x: Value, positions: Value, axis: int) -> Value:
    """Row by row along an axis, the elements at positions."""
    others = tuple([a for a in range(x.type.ndim) if a != axis])
    shape = positions.type.shape
    return gather(
        x,
        reshape(positions, shape=(*shape, 1)),
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        index_vector_dim=len(shape),
        slice_sizes=(1,) * x.type.ndim,
        operand_batching_dims=others,
        start_indices_batching_dims=others,
    )


def _sort_jvp(instr: Instr, tangents: Sequence[Value | None]) -> tuple[Value | None, ...]:
    positions, axis = _sorted_positions(instr), instr.attrs["dimension"]
    return tuple([None if t is None else _take(t, positions, axis) for t in tangents])


def _sort_vjp(instr: Instr, ct: Any, wanted: Sequence[bool]) -> tuple[Value | None, ...]:
    """Back to where they were: by the inverse permutation."""
    cts = ct if isinstance(ct, list) else [ct]
    positions, axis = _sorted_positions(instr), instr.attrs["dimension"]
    numbers = iota(dtype=I64.dtype, shape=positions.type.shape, dimension=axis)
    inverse = sort(positions, numbers, dimension=axis, comparator="LT")[1]
    return tuple(
        [
            _take(c, inverse, axis) if w and c is not None else None
            for c, w in zip(cts, wanted, strict=True)
        ]
    )


def _top_k_vjp(instr: Instr, ct: Any, wanted: Sequence[bool]) -> tuple[Contribution, ...]:
    """To the positions they came from, which are distinct."""
    positions, axis = instr.results[1], instr.operands[0].type.ndim - 1
    others = tuple(range(axis))

    def into(total: Value) -> Value:
        return scatter(
            total,
            reshape(positions, shape=(*positions.type.shape, 1)),
            ct[0],
            update_window_dims=(),
            inserted_window_dims=(axis,),
            scatter_dims_to_operand_dims=(axis,),
            index_vector_dim=axis + 1,
            input_batching_dims=others,
            scatter_indices_batching_dims=others,
            computation="add",
        )

    return (Into(into),)


sort = Op(
    "sort",
    _sort,
    numpy=_sort_numpy,
    emit=_emit_sort,
    blocks=lambda *xs, **_: {
        "comparator": [element for element in computations.element_types(xs) for _ in range(2)]
    },
    jvp=_sort_jvp,
    vjp=_sort_vjp,
    batch=batching.shifted("dimension"),
)
top_k = Op(
    "top_k",
    _top_k,
    numpy=_top_k_numpy,
    emit=lambda e, instr, operands: e.op(
        "chlo.top_k", instr, operands, {"k": i64(instr.attrs["k"])}
    ),
    vjp=_top_k_vjp,
    batch=batching.again,
)
