"""Runs emitted instructions: by the NumPy meaning of their ops, or compiled by XLA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import array_type
from pyxla.ops.evaluate import evaluate_instr
from pyxla.runtime import jaxlink
from pyxla.runtime.programs import program
from tests.meaning import COMPILED


def values_of(result: Array | Scalar) -> list[Value]:
    """The values that hold `result` and its extents."""
    sizes = getattr(result, "extents", None) or ()
    return [result.value, *[e.value for e in sizes if e is not None]]


def cut(result: Array | Scalar, env: dict[Value, Any]) -> Any:
    """The elements of `result` within its true extents."""
    found = env[result.value]
    if isinstance(result, Array) and result.extents is not None:
        sizes = [None if e is None else int(env[e.value]) for e in result.extents]
        assert all(s is None or 0 <= s <= n for s, n in zip(sizes, found.shape, strict=True))
        found = found[tuple([slice(size) for size in sizes])]
    return found


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
            for value, x in zip(instr.results, evaluate_instr(instr, env), strict=True):
                assert (x.dtype, x.shape) == (value.type.dtype, value.type.shape), instr.op
                env[value] = x
        return cut(result, env)

    def execute(self, results: Sequence[Array]) -> list[Any]:
        """What XLA computes for `results`, cut to their true extents."""
        wanted = [value for result in results for value in values_of(result)]
        region = Region(tuple(self.inputs), self.instrs, tuple(wanted))
        with jaxlink.scoped():
            made = COMPILED(program("test", region))(*self.inputs.values())
        env = {value: np.asarray(x) for value, x in zip(wanted, made, strict=True)}
        return [cut(result, env) for result in results]

    @property
    def ops(self) -> list[str]:
        return [instr.op.name for instr in self.instrs]
