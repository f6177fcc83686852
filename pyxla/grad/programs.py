"""Derivatives of finished programs, by which JAX differentiates them (`runtime.jaxlink`).

JAX differentiates forwards, then transposes what is linear.  The linear program here is made only
when it is asked for: transposed, it is the reverse derivative of the program it belongs to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pyxla.errors import CompileError
from pyxla.grad.foreign import check_once
from pyxla.grad.forward import jvp
from pyxla.grad.reverse import vjp
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Region, Value
from pyxla.ir.rewrite import inline
from pyxla.ir.types import ArrayType
from pyxla.lower.simplify import simplify
from pyxla.ops.check import INEXACT
from pyxla.ops.filled import zeros
from pyxla.runtime import jaxlink
from pyxla.runtime.finish import finished
from pyxla.runtime.programs import Program

Types = tuple[ArrayType, ...]
Wrt = tuple[int, ...]


class Derivative(Program):
    """A program whose code is made when it is asked for.

    linear: parameters in which it is linear.  transposed: its transpose by them.
    """

    sharding = None  # that of the program is in sight of JAX too
    has_effects = False  # what it prints, the program prints
    make: Callable[[], Region]
    linear: Wrt
    transposed: Callable[[], Program]

    def __init__(
        self,
        program: Program,
        kind: str,
        params: Types,
        linear: Types,
        results: Types,
        make: Callable[[], Region],
        transposed: Callable[[], Program],
    ) -> None:
        """linear: the types of the last parameters."""
        fields: dict[str, Any] = {"name": f"{program.name}_{kind}", "params": (*params, *linear)}
        fields |= {"results": results, "options": program.options, "make": make}
        fields |= {"linear": tuple(range(len(params), len(params) + len(linear)))}
        for field, value in {**fields, "transposed": transposed}.items():
            object.__setattr__(self, field, value)

    @functools.cached_property
    def origin(self) -> Region:  # type: ignore[override]
        return simplify(self.make())

    @functools.cached_property
    def region(self) -> Region:  # type: ignore[override]
        return finished(self.name, self.origin, self.options).region


def _origin(program: Program) -> Region:
    if program.origin is None:
        raise CompileError(f"the derivative of '{program.name}' is not known: it was loaded")
    check_once(program.origin.instrs, "a derivative by JAX")
    return program.origin


def _inexact(types: Types) -> Types:
    return tuple([type for type in types if type.dtype in INEXACT])


def _seeds(program: Program) -> list[int]:
    return [k for k, type in enumerate(program.results) if type.dtype in INEXACT]


@functools.lru_cache(maxsize=256)
def ahead(program: Program, wrt: Wrt, reverse: bool = False) -> Program:
    """(parameters, tangents of those at `wrt`) -> tangents of the inexact results; reverse:
    (parameters, cotangents of those) -> cotangents of the parameters at `wrt`."""
    ends = tuple([program.params[k] for k in wrt]), _inexact(program.results)
    linear, results = ends[::-1] if reverse else ends

    def make() -> Region:
        region = _origin(program)
        if reverse:
            region = vjp(region, wrt, _seeds(program), program.options)
        else:
            region = jvp(region, wrt, program.options)
        return Region(region.params, region.instrs, region.results[len(program.results) :])

    def transposed() -> Program:
        return ahead(program, wrt) if reverse else ahead(program, wrt, True)

    kind = "vjp" if reverse else "jvp"
    return Derivative(program, kind, program.params, linear, results, make, transposed)


@functools.lru_cache(maxsize=256)
def back(program: Program, wrt: Wrt) -> Program:
    """The transpose of a program that is linear in its parameters `wrt`."""
    if isinstance(program, Derivative) and program.linear == wrt:
        return program.transposed()
    params = tuple([type for k, type in enumerate(program.params) if k not in wrt])
    results = tuple([program.params[k] for k in wrt])

    def make() -> Region:
        made = vjp(_origin(program), wrt, _seeds(program), program.options)
        return _at_zero(made, wrt, len(program.results))

    linear = _inexact(program.results)
    return Derivative(program, "transpose", params, linear, results, make, lambda: program)


def _at_zero(region: Region, wrt: Wrt, width: int) -> Region:
    """Its cotangents, where the parameters `wrt`, whose values do not matter, are zero."""
    params = [Value(value.type) for value in region.params]
    builder = Builder([])
    with building(builder):
        given = [zeros(p.type) if k in wrt else p for k, p in enumerate(params)]
        made = inline(region, given, {})
    kept = tuple([p for k, p in enumerate(params) if k not in wrt])
    return Region(kept, builder.instrs, made[width:])


jaxlink.set_derivatives(ahead, back)
