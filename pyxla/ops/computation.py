"""Computations that ops apply: the binary functions known by name, or regions.

`reduce(x, init, dimensions=(0,), computation="add")` needs no region: its body is made when it is
emitted.  Anything else is a region over scalars, built from a Python function (`pyxla.hlo`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops.check import COMPLEXES, FLOATS, listed, refuse, require, same
from pyxla.ops.elementwise import (
    add,
    and_,
    compare,
    imag,
    maximum,
    minimum,
    multiply,
    not_,
    or_,
    real,
    xor,
)
from pyxla.ops.spell import Attributes

REDUCERS: dict[str, Op] = {
    "add": add,
    "multiply": multiply,
    "maximum": maximum,
    "minimum": minimum,
    "and": and_,
    "or": or_,
    "xor": xor,
}
UFUNCS: dict[str, np.ufunc] = {name: op.numpy for name, op in REDUCERS.items()}  # type: ignore[misc]
SCATTER_COMPUTATIONS = (*REDUCERS, "update")
# A computation over elements, in NumPy: takes and returns rank-0 arrays.
Elementwise = Callable[..., tuple[np.ndarray, ...]]


def check_computation(
    op: str,
    computation: str,
    regions: tuple[Region, ...],
    xs: Sequence[ArrayType],
    known: Sequence[str] = tuple(REDUCERS),
) -> None:
    """Refuse a computation that does not combine elements of `xs` pairwise."""
    if regions:
        require(len(regions) == 1, op, f"one region is needed, got {len(regions)}")
        check_region(op, regions[0], element_types(xs) * 2, element_types(xs))
        return
    if computation not in known:
        refuse(op, f"computation must be a region or one of {', '.join(known)}: {computation!r}")
    if len(xs) != 1:
        refuse(op, f"{computation!r} combines one array, got {listed(xs)}")
    dtype = xs[0].dtype
    logical = computation in ("and", "or", "xor")
    if (logical and dtype in FLOATS | COMPLEXES) or (
        computation in ("maximum", "minimum") and dtype in COMPLEXES
    ):
        refuse(op, f"{computation!r} is not defined on {xs[0]}")


def element_types(xs: Sequence[ArrayType]) -> tuple[ArrayType, ...]:
    return tuple([array_type(x.dtype) for x in xs])


def check_region(
    op: str, region: Region, params: Sequence[ArrayType], results: Sequence[ArrayType]
) -> None:
    """Refuse a region whose parameters or results are not of the types given."""
    got = [value.type for value in region.params]
    if len(got) != len(params) or not all(map(same, got, params)):
        refuse(op, f"its computation must take ({listed(params)}), it takes ({listed(got)})")
    got = [value.type for value in region.results]
    if len(got) != len(results) or not all(map(same, got, results)):
        refuse(op, f"its computation must return ({listed(results)}), it returns ({listed(got)})")


def build_region(params: Sequence[ArrayType], body: Callable[..., Any]) -> Region:
    """The region that `body` makes."""
    builder = Builder([])
    with building(builder):
        return builder.region(params, body)


@functools.cache
def combiner(computation: str, dtype: np.dtype) -> Region:
    """The region of a binary function known by name."""
    element = array_type(dtype)
    if computation == "update":
        return build_region([element, element], lambda old, new: new)
    return build_region([element, element], REDUCERS[computation])


@functools.cache
def selector(direction: str, dtype: np.dtype) -> Region:
    """The region that compares two elements, as `select_and_scatter` needs it."""
    element = array_type(dtype)
    return build_region([element, element], lambda x, y: compare(x, y, direction=direction))


@functools.cache
def comparator(direction: str, dtypes: tuple[np.dtype, ...]) -> Region:
    """The region that orders rows by their first element as NumPy does: NaN is last."""
    params = [array_type(dtype) for dtype in dtypes for _ in range(2)]
    return build_region(params, lambda x, y, *_: ordered(direction, x, y))


def ordered(direction: str, x: Value, y: Value) -> Value:
    """Whether x sorts before y; NaN is last in either direction.

    Complex numbers as NumPy sorts them: by NaN in the real part, NaN in the imaginary part, real
    part, imaginary part.
    """
    before = functools.partial(compare, direction=direction)
    if x.type.dtype in FLOATS:
        return or_(before(x, y), and_(compare(x, x, direction="EQ"), compare(y, y, direction="NE")))
    if x.type.dtype not in COMPLEXES:
        return before(x, y)
    parts = [(real(x), real(y)), (imag(x), imag(y))]
    answer = None
    for a, b in reversed(parts):
        equal = or_(compare(a, b, direction="EQ"), compare(a, a, direction="NE"))
        answer = before(a, b) if answer is None else or_(before(a, b), and_(equal, answer))
    for a, b in reversed(parts):
        a_nan, b_nan = compare(a, a, direction="NE"), compare(b, b, direction="NE")
        both_or_none = compare(a_nan, b_nan, direction="EQ")
        answer = or_(and_(not_(a_nan), b_nan), and_(both_or_none, answer))
    return answer


def computing(name: str, attributes: Attributes) -> Callable[..., Any]:
    """The emit facet of an op with a computation: a region, or one known by name."""
    full = f"stablehlo.{name}"

    def emit(e: Any, instr: Any, operands: Any) -> Any:
        regions = instr.regions
        if not regions:
            regions = (combiner(instr.attrs["computation"], instr.operands[0].type.dtype),)
        return e.op(full, instr, operands, attributes(**instr.attrs), regions)

    return emit


def elementwise_blocks(*types: ArrayType, **_: Any) -> dict[str, Sequence[ArrayType]]:
    """The blocks facet of an op that combines elements of the first half of its operands."""
    return {"computation": element_types(types[: len(types) // 2]) * 2}


def elementwise_numpy(computation: str, regions: Sequence[Elementwise]) -> Elementwise:
    """The computation in NumPy; `regions` are callables already (`pyxla.ops.evaluate`)."""
    if regions:
        return regions[0]
    if computation == "update":
        return lambda old, new: (new,)
    ufunc = UFUNCS[computation]
    return lambda x, y: (ufunc(x, y),)


def with_name(instr: Instr) -> Instr:
    """The instruction with its region, if that is a binary function known by name, as the name."""
    if len(instr.regions) != 1 or len(instr.regions[0].instrs) != 1:
        return instr
    (region,) = instr.regions
    (inner,) = region.instrs
    name = inner.op.name
    if REDUCERS.get(name) is not inner.op or set(inner.operands) != set(region.params):
        return instr
    if region.results != inner.results or len(region.params) != 2:
        return instr
    copy = Instr(instr.op, instr.operands, {**instr.attrs, "computation": name}, (), instr.loc)
    copy.results = instr.results
    return copy


def apply(op: Op, *operands: Value, **attrs: Any) -> Any:
    """Emit `op`, its computations given as functions of values: they become regions.

    `apply(reduce, x, init, dimensions=(0,), computation=lambda a, b: add(a, b))`
    """
    regions: list[Region] = []
    if op.blocks is not None:
        blocks = op.blocks(*[value.type for value in operands], **attrs)
        for keyword, types in blocks.items():
            given = attrs.get(keyword)
            functions = given if isinstance(given, list | tuple) else (given,)
            if given is not None and all(map(callable, functions)):
                del attrs[keyword]
                regions += [current().region(types, function) for function in functions]
    return op(*operands, regions=tuple(regions), **attrs)
