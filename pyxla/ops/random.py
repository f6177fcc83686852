"""Ops that make random bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import (
    BOOLS,
    FLOATS,
    INTS,
    UNSIGNED,
    as_dtype,
    check_dtype,
    check_same,
    refuse,
)
from pyxla.ops.spell import enum

Ints = tuple[int, ...]
ALGORITHMS = ("DEFAULT", "THREE_FRY", "PHILOX")
U64 = np.dtype(np.uint64)


def _rng_bit_generator(
    state: ArrayType, *, dtype: np.dtype, shape: Ints, rng_algorithm: str = "DEFAULT"
) -> tuple[ArrayType, ...]:
    name = "rng_bit_generator"
    if rng_algorithm not in ALGORITHMS:
        refuse(name, f"rng_algorithm must be one of {', '.join(ALGORITHMS)}: {rng_algorithm!r}")
    sizes = (2,) if rng_algorithm == "THREE_FRY" else (2, 3)
    if state.dtype != U64 or state.ndim != 1 or state.shape[0] not in sizes:
        refuse(name, f"the state of {rng_algorithm} must be u64[2] or, but for it, [3]: {state}")
    result = array_type(as_dtype(name, dtype), shape)
    check_dtype(name, result, UNSIGNED | INTS | FLOATS)
    return state, result


def _rng(
    a: ArrayType, b: ArrayType, *, shape: Ints, rng_distribution: str = "UNIFORM"
) -> ArrayType:
    check_same("rng", a, b)
    if a.shape:
        refuse("rng", f"bounds must be scalars, got {a}")
    check_dtype("rng", a, FLOATS if rng_distribution == "NORMAL" else INTS | FLOATS | BOOLS)
    if rng_distribution not in ("UNIFORM", "NORMAL"):
        refuse("rng", f"rng_distribution must be UNIFORM or NORMAL, got {rng_distribution!r}")
    return array_type(a.dtype, shape)


def _emit_rng_bit_generator(e: Any, instr: Any, operands: Any) -> Any:
    algorithm = instr.attrs.get("rng_algorithm", "DEFAULT")
    attributes = {"rng_algorithm": enum("rng_algorithm", algorithm)}
    return e.op("stablehlo.rng_bit_generator", instr, operands, attributes)


def _emit_rng(e: Any, instr: Any, operands: Any) -> Any:
    shape = np.array(instr.attrs["shape"], np.int64)
    extents = e.constant(shape, array_type(shape.dtype, shape.shape))
    distribution = instr.attrs.get("rng_distribution", "UNIFORM")
    attributes = {"rng_distribution": enum("rng_distribution", distribution)}
    return e.op("stablehlo.rng", instr, [*operands, extents], attributes)


# What bits come out is the implementation's affair, so these ops have no meaning in NumPy.
rng_bit_generator = Op(
    "rng_bit_generator",
    _rng_bit_generator,
    emit=_emit_rng_bit_generator,
    batch=batching.one_by_one,
)
rng = Op(
    "rng",
    _rng,
    emit=_emit_rng,
    batch=batching.one_by_one,
)
