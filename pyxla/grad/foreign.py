"""Derivatives and batches of foreign code: JAX's own, again foreign code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyxla.abstract.lattice import Array
from pyxla.errors import CompileError
from pyxla.grad.activity import is_inexact
from pyxla.ir.core import Instr, Value
from pyxla.ir.rewrite import walk
from pyxla.lib.foreign import DERIVATIVES, call_jax
from pyxla.ops.batching import is_batched
from pyxla.ops.foreign import host_call


def check_once(instrs: Iterable[Instr], what: str) -> None:
    """Refuse to run code again that calls the host, which may answer otherwise then."""
    for instr in walk(instrs):
        if asks_host(instr):
            raise CompileError(
                f"{what} runs code again that calls the host",
                instr.loc,
                hint="pass what it returns as an argument; pyxla.grad calls it once, but for loops "
                "of unknown length",
            )


def asks_host(instr: Instr) -> bool:
    """Whether it calls the host for an answer, which may be another the next time."""
    host = instr.op is host_call and instr.attrs.get("result_types")
    return bool(host) and not instr.attrs["reads"]


def foreign_jvp(instr: Instr, tangents: Sequence[Value | None]) -> tuple[Value | None, ...]:
    active = tuple([k for k, t in enumerate(tangents) if t is not None])
    function = DERIVATIVES["jvp"](instr.attrs["function"], active)
    made = iter(_call(function, [*instr.operands, *[tangents[k] for k in active]]))
    return tuple([next(made) if is_inexact(value) else None for value in instr.results])


def foreign_vjp(instr: Instr, ct: Any, wanted: Sequence[bool]) -> tuple[Value | None, ...]:
    """By the results that have a cotangent: eigenvalues have slopes where vectors have none."""
    cts = ct if isinstance(ct, list) else [ct]
    inexact = [c for value, c in zip(instr.results, cts, strict=True) if is_inexact(value)]
    seeded = tuple([k for k, c in enumerate(inexact) if c is not None])
    active = tuple([k for k, want in enumerate(wanted) if want])
    function = DERIVATIVES["vjp"](instr.attrs["function"], active, seeded)
    given = [c for c in inexact if c is not None]
    made = iter(_call(function, [*instr.operands, *given]))
    return tuple([next(made) if want else None for want in wanted])


def foreign_batch(
    instr: Instr, operands: Sequence[Value], size: int, axis: Any
) -> tuple[Value, ...]:
    """`jax.vmap` of it."""
    lanes = tuple(is_batched(instr, operands))
    function = DERIVATIVES["batch"](instr.attrs["function"], lanes, size, axis)
    return tuple(_call(function, operands))


def _call(function: Callable[..., Any], operands: Sequence[Value]) -> list[Value]:
    return [x.value for x in call_jax(function, tuple(map(Array, operands)), {})]
