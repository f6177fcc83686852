"""Programs that NumPy computes: each op by its `numpy` facet, in the place of what XLA compiles.

`tests/ops` holds the facet against XLA, op by op; what inference and the library make of a program
is the same for both, and what XLA would get is emitted and verified.  What calls Python or JAX, is
traced, or takes so many ops that XLA takes less time, is compiled.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import ops_in
from pyxla.runtime import jaxlink, jaxlower
from pyxla.runtime.programs import Program

COMPILED = jaxlink.jit
# What an instruction does: to the values of these, for the values of these.
Step = tuple[Callable[..., Any], Sequence[Value], Sequence[Value]]
# XLA takes some three times as long for an op of the program as NumPy does for so many that run,
# and where there is next to nothing to compile as long as for so many: what runs for longer is
# compiled after all, and has cost a third more.
PER_OP, AT_LEAST = 50, 2_000


class TooLong(Exception):  # noqa: N818 - control flow, not an error
    """XLA would have been faster."""


class Run:
    """The values of one run.  Those of an iteration replace those of the one before."""

    def __init__(self, ops: int) -> None:
        self.values: dict[Value, np.ndarray] = {}
        self.steps: dict[int, list[Step]] = {}
        self.left = ops

    def region(self, region: Region, *arguments: Any) -> tuple[np.ndarray, ...]:
        values = self.values
        values.update(zip(region.params, map(np.asarray, arguments), strict=True))
        steps = self.steps.get(id(region))
        first = steps is None
        if steps is None:
            steps = self.steps[id(region)] = [self.step(i) for i in region.instrs]
        self.left -= len(steps)
        if self.left < 0:
            raise TooLong
        for meaning, operands, results in steps:
            made = meaning(*[values[value] for value in operands])
            if isinstance(made, tuple):
                values.update(zip(results, map(np.asarray, made), strict=True))
            else:
                values[results[0]] = made if type(made) is np.ndarray else np.asarray(made)
        if first:  # types are no matter of what the values are
            for value in itertools.chain.from_iterable(i.results for i in region.instrs):
                x = values[value]
                assert x.dtype == value.type.dtype and x.shape == value.type.shape, value
        return tuple([values[value] for value in region.results])

    def step(self, instr: Instr) -> Step:
        return self.meaning(instr), instr.operands, instr.results

    def meaning(self, instr: Instr) -> Callable[..., Any]:
        attrs: dict[str, Any] = dict(instr.attrs)
        if instr.regions:
            attrs["regions"] = tuple([functools.partial(self.region, r) for r in instr.regions])
        return functools.partial(instr.op.numpy, **attrs) if attrs else instr.op.numpy


def size(region: Region) -> int:
    """The number of ops of a program."""
    return len(region.instrs) + sum(size(r) for i in region.instrs for r in i.regions)


class Meant:
    """In the place of a jitted function: arrays to a list of arrays."""

    def __init__(self, program: Program, donated: int = 0, given_up: Sequence[int] = ()) -> None:
        self.program, self.donated = program, donated
        self.given = program, donated, given_up
        self.runs = all(op.numpy is not None and not op.effect for op in ops_in((program.region,)))
        self.ops = AT_LEAST + PER_OP * size(program.region)
        self.emitted = False

    @functools.cached_property
    def compiled(self) -> Any:
        return COMPILED(*self.given)

    @property
    def lower(self) -> Any:
        return self.compiled.lower

    def __call__(self, *operands: Any) -> list[Any]:
        if not self.runs or any(isinstance(x, jax.core.Tracer) for x in operands):
            return self.compiled(*operands)
        if not self.emitted:
            self.emitted = jaxlower.module(self.program).operation.verify()
        params = self.program.params
        given = [
            np.array(x, t.dtype) for x, t in zip(operands[self.donated :], params, strict=True)
        ]
        try:
            with np.errstate(all="ignore"):
                made = Run(self.ops).region(self.program.region, *given)
        except TooLong:
            self.runs = False
            return self.compiled(*operands)
        with jaxlink.scoped():
            return [jax.device_put(np.array(x)) for x in made]
