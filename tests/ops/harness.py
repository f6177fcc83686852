"""One-op functions from the samples of the registry, built, interpreted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.core import Region, Value
from pyxla.ir.op import Op
from pyxla.ir.types import array_type
from pyxla.ops.computation import apply, build_region
from pyxla.runtime import jaxlink
from pyxla.runtime.programs import program

TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 2e-5, "complex64": 2e-5}


def types_of(operands: Any) -> list[Any]:
    return [array_type(x.dtype, x.shape) for x in operands]


def region_of(op: Op, samples: Any) -> Region:
    """The region that applies `op` to every sample, one after another."""
    types = [type for operands, _ in samples for type in types_of(operands)]

    def body(*params: Value) -> tuple[Value, ...]:
        rest, results = iter(params), []
        for operands, attrs in samples:
            made = apply(op, *[next(rest) for _ in operands], **attrs)
            results += made if isinstance(made, tuple) else [made]
        return tuple(results)

    return build_region(types, body)


def run(region: Region, arguments: Any) -> list[np.ndarray]:
    """The results of `region` compiled by XLA."""
    with jaxlink.scoped():
        return [np.asarray(x) for x in jaxlink.jit(program("samples", region))(*arguments)]


def close(got: np.ndarray, want: np.ndarray) -> bool:
    """Equal types; equal up to the precision of the type, exactly where there is no rounding."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind in "biu":
        return np.array_equal(got, want)
    tolerance = TOLERANCE.get(want.dtype.name, 1e-10)
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    return np.allclose(
        got.astype(wide), want.astype(wide), rtol=tolerance, atol=tolerance, equal_nan=True
    )
