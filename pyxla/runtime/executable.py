"""A finished specialization, and calling it: flat leaves in, what the caller sees out.

A `Program` is a typed region with its types.  `Executable(program, outcome)` runs it through
`jax.jit` (see `jaxlink.jit`), which places, transfers, shards and donates as for any JAX function:

    executable(leaves, args) -> result        leaves as `signature.flatten` gives them

NumPy in, NumPy out.  XLA:CPU reads NumPy arguments in place, so a call that has any returns after
the program has finished.  Small results are copied out; large ones are views of XLA's own buffer,
writable, which the array keeps alive and nobody else refers to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from pyxla.ir.core import Region
from pyxla.ir.types import ArrayType
from pyxla.runtime import jaxlink
from pyxla.runtime.outcome import (
    Convert,
    OutArray,
    Outcome,
    array_uses,
    builder,
    check_traceable,
    resolve,
    restore,
)

# Results of at least this many bytes are handed over without a copy (docs/decisions-runtime.md).
IN_PLACE_BYTES = 1 << 16


@dataclass(frozen=True, eq=False)
class Program:
    """A typed program: flat arrays in, flat arrays out; equal only to itself."""

    name: str
    region: Region
    params: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]

    @functools.cached_property
    def jitted(self) -> Any:
        """It as a function that `jax.jit` dispatches; holds the compiled executable."""
        return jaxlink.jit(self)

    @functools.cached_property
    def stablehlo(self) -> str:
        """Its StableHLO module as text: the same bytes in every process."""
        return jaxlink.stablehlo(self)


def program(name: str, region: Region) -> Program:
    """The program that `region` is; its types are the types of the region's values."""
    return Program(
        name,
        region,
        tuple([value.type for value in region.params]),
        tuple([value.type for value in region.results]),
    )


class Executable:
    """A program bound to what its caller sees; the XLA executable is made by the first call.

    `call(leaves, args)` is chosen once: the common shapes of an outcome skip what they do not need.
    """

    __slots__ = ("_build", "_inputs", "_sites", "_stores", "_traced", "call", "outcome", "program")

    def __init__(self, program: Program, outcome: Outcome) -> None:
        self.program = program
        self.outcome = outcome
        arrays = _converters(program, outcome)
        self._build = builder(outcome.result, arrays)
        self._inputs = outcome.inputs
        self._stores = [(store.path, builder(store.out, arrays)) for store in outcome.stores]
        self._sites = [
            (site, [builder(arg, arrays) for arg in site.args]) for site in outcome.sites
        ]
        self._traced: Any = None
        self.call = self._direct() if _is_plain(outcome) else self._general

    def __call__(self, leaves: Sequence[Any], args: Sequence[Any] = ()) -> Any:
        return self.call(leaves, args)

    def values(self, leaves: Sequence[Any]) -> list[Any]:
        """The flat results; tracers when an outer trace holds a leaf."""
        operands = [leaves[i] for i in self._inputs]
        with jaxlink.scoped():
            values = self.program.jitted(*operands)
        if values and type(values[0]) is not jaxlink.ARRAY and not self.outcome.jax:
            # Plain NumPy arguments under an outer trace: no one asked JAX to trace them.
            with jax.ensure_compile_time_eval(), jaxlink.scoped():
                values = self.program.jitted(*operands)
        return values

    def _direct(self) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
        """The call of a program that returns one array and does nothing else."""
        (index,) = (self.outcome.result.index,)  # type: ignore[union-attr]
        convert = _converters(self.program, self.outcome)[index]
        jitted, scoped, array = self.program.jitted, jaxlink.scoped, jaxlink.ARRAY
        inputs = self._inputs
        straight = inputs == tuple(range(len(inputs)))

        def call(leaves: Sequence[Any], args: Sequence[Any]) -> Any:
            operands = leaves if straight else [leaves[i] for i in inputs]
            with scoped():
                value = jitted(*operands)[index]
            if type(value) is not array:
                return self._general(leaves, args)
            return convert(value)

        return call

    def _general(self, leaves: Sequence[Any], args: Sequence[Any]) -> Any:
        outcome = self.outcome
        values = self.values(leaves)
        if values and type(values[0]) is not jaxlink.ARRAY:
            return self._under_trace(values, args)
        if outcome.waits:
            jax.block_until_ready(values)
        made: dict[int, Any] = {}
        for write in outcome.writes:
            np.copyto(leaves[write.leaf], np.asarray(values[write.index]))
        if self._stores:
            targets = [resolve(args, path) for path, _ in self._stores]
            sources = [build(values, args, made) for _, build in self._stores]
            for target, source in zip(targets, sources, strict=True):
                restore(target, source)
        if outcome.status is not None and (code := int(values[outcome.status])):
            site, parts = self._sites[code - 1]
            raise site.cls(*[part(values, args, made) for part in parts])
        return self._build(values, args, made)

    def _under_trace(self, values: Sequence[Any], args: Sequence[Any]) -> Any:
        check_traceable(self.outcome, self.program.name)
        if self._traced is None:
            same = [_identity] * len(self.program.results)
            self._traced = builder(self.outcome.result, same, jaxlink.scalar_tracer)
        return self._traced(values, args, {})


def _is_plain(outcome: Outcome) -> bool:
    """Whether a call returns one array, and there is nothing to wait for or to write."""
    result = outcome.result
    return (
        isinstance(result, OutArray)
        and not any(e is not None for e in result.extents)
        and not (outcome.writes or outcome.stores or outcome.status is not None)
        and not (outcome.jax and outcome.waits)
    )


def _converters(program: Program, outcome: Outcome) -> list[Convert]:
    """For each result, how it becomes the caller's array."""
    if outcome.jax:
        return [_identity] * len(program.results)
    uses = array_uses(outcome)
    return [
        # A buffer is handed over to one array only.
        hand_over if _nbytes(t) >= IN_PLACE_BYTES and uses.get(index, 0) == 1 else np.array
        for index, t in enumerate(program.results)
    ]


def _nbytes(type: ArrayType) -> int:
    return type.size * type.dtype.itemsize


def _identity(x: Any) -> Any:
    return x


class _Memory:
    """A writable window on the memory of `array`, which it keeps alive."""

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def hand_over(result: jax.Array) -> np.ndarray:
    """The writable array that `result`, to which nobody else refers, becomes without a copy.

    On CPU `np.asarray` is a read-only view of XLA's buffer, elsewhere a fresh array marked
    read-only; neither is reachable by JAX once `result` is gone.
    """
    view = np.asarray(result)
    if view.flags.owndata:
        view.flags.writeable = True
        return view
    if view.dtype.isbuiltin != 1:
        raw = view.view(f"u{view.dtype.itemsize}")
        return np.asarray(_Memory(raw)).view(view.dtype)
    return np.asarray(_Memory(view))
