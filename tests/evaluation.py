"""Runs emitted instructions by the NumPy meaning of their ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.infer.extent import IntFact
from pyxla.infer.lattice import Array, Scalar
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Value
from pyxla.ir.types import array_type


class Program:
    """Instructions under construction, with the run-time values of their parameters."""

    def __init__(self) -> None:
        self.instrs: list[Instr] = []
        self.inputs: dict[Value, Any] = {}

    def array(self, x: Any, extents: Any = None) -> Array:
        """A parameter that holds the array `x`."""
        x = np.asarray(x)
        value = Value(array_type(x.dtype, x.shape))
        self.inputs[value] = x
        return Array(value, extents)

    def int(self, x: int, lo: int | None = None, hi: int | None = None) -> Scalar:
        """A parameter that holds a Python int known to lie in `[lo, hi]`."""
        value = Value(array_type(np.dtype(np.int64), (), True))
        self.inputs[value] = np.int64(x)
        bounded = lo is not None or hi is not None
        return Scalar(value, IntFact(lo, hi, ((value, 1),), 0) if bounded else None)

    def build(self, function: Callable[[], Any]) -> Any:
        with building(Builder(self.instrs)):
            return function()

    def evaluate(self, result: Array | Scalar) -> Any:
        """What `result` holds, cut to its true extents."""
        env = dict(self.inputs)
        for instr in self.instrs:
            out = instr.op.numpy(*[env[v] for v in instr.operands], **instr.attrs)
            outs = out if type(out) is tuple else (out,)
            for value, x in zip(instr.results, outs, strict=True):
                x = np.asarray(x)
                assert (x.dtype, x.shape) == (value.type.dtype, value.type.shape), instr.op
                env[value] = x
        found = env[result.value]
        if isinstance(result, Array) and result.extents is not None:
            sizes = [None if e is None else int(env[e.value]) for e in result.extents]
            assert all(s is None or 0 <= s <= n for s, n in zip(sizes, found.shape, strict=True))
            found = found[tuple([slice(size) for size in sizes])]
        return found

    @property
    def ops(self) -> list[str]:
        return [instr.op.name for instr in self.instrs]
