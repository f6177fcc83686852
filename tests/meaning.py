"""Programs that NumPy computes: each op by its `numpy` facet, in the place of what XLA compiles.

`tests/ops` holds the facet against XLA, op by op; what inference and the library make of a program
is the same for both, and what XLA would get is emitted and verified.  What calls Python or JAX, is
traced, or takes so many ops that XLA takes less time, is compiled.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import ops_in
from pyxla.runtime import jaxlink, jaxlower
from pyxla.runtime.programs import Program

COMPILED = jaxlink.jit
# What an instruction does: to what this finds among the values, for the values of these.
Step = tuple[Callable[..., Any], Callable[[dict[Value, Any]], Sequence[Any]], Sequence[Value]]
# XLA takes some three times as long for an op of the program as NumPy does for so many that run,
# and where there is next to nothing to compile as long as for so many: what runs for longer is
# compiled after all, and has cost a third more.
PER_OP, AT_LEAST = 100, 4_000


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
        if steps is None:
            steps = [self.step(instr) for instr in region.instrs]
        self.left -= len(steps)
        if self.left < 0:
            raise TooLong
        for meaning, operands, results in steps:
            made = meaning(*operands(values))
            if isinstance(made, tuple):
                values.update(zip(results, map(np.asarray, made), strict=True))
            else:
                values[results[0]] = made if type(made) is np.ndarray else np.asarray(made)
        if id(region) not in self.steps:
            self.steps[id(region)] = self.again(region, steps)
        return tuple([values[value] for value in region.results])

    def again(self, region: Region, steps: list[Step]) -> list[Step]:
        """The steps of a region that has run: types, and what has no operands, are no matter of
        what the values are."""
        for value in itertools.chain.from_iterable(i.results for i in region.instrs):
            x = self.values[value]
            assert x.dtype == value.type.dtype and x.shape == value.type.shape, value
        pairs = zip(region.instrs, steps, strict=True)
        return [step for instr, step in pairs if instr.operands or instr.regions]

    def step(self, instr: Instr) -> Step:
        return self.meaning(instr), found(instr.operands), instr.results

    def meaning(self, instr: Instr) -> Callable[..., Any]:
        attrs: dict[str, Any] = dict(instr.attrs)
        if instr.regions:
            attrs["regions"] = tuple([functools.partial(self.region, r) for r in instr.regions])
        return functools.partial(instr.op.numpy, **attrs) if attrs else instr.op.numpy


def found(operands: Sequence[Value]) -> Callable[[dict[Value, Any]], Sequence[Any]]:
    """What takes the values of `operands` from among all."""
    if len(operands) > 1:
        return operator.itemgetter(*operands)
    return (lambda values: (values[operands[0]],)) if operands else lambda values: ()


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
