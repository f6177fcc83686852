"""Computations that ops apply: the binary functions known by name, or regions.

`reduce(x, init, dimensions=(0,), computation="add")` needs no region; the emitter writes its body.
Anything else is a region over scalars, built from a Python function (`pyxla.hlo`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.ir.core import Region
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops.check import COMPLEXES, FLOATS, listed, refuse, require, same

REDUCERS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")
SCATTER_COMPUTATIONS = (*REDUCERS, "update")


def check_computation(
    op: str,
    computation: str,
    regions: tuple[Region, ...],
    xs: Sequence[ArrayType],
    known: tuple[str, ...] = REDUCERS,
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
