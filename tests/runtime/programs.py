"""Programs made by hand, for tests of what runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Value
from pyxla.ir.types import DTYPE_NAMES, ArrayType, array_type, python_type
from pyxla.ops.elementwise import add, convert, multiply
from pyxla.ops.shape import constant
from pyxla.runtime.executable import Executable
from pyxla.runtime.outcome import Out, OutArray, Outcome
from pyxla.runtime.programs import Program, program


def made(name: str, types: list[ArrayType], body: Callable[..., Any]) -> Program:
    """The program whose region `body` builds on parameters of these types."""
    builder = Builder([])
    with building(builder):
        return program(name, builder.region(types, body))


def typed(name: str, *shape: int) -> ArrayType:
    return array_type(DTYPE_NAMES[name], shape)


def known(value: Any, dtype: str = "f64") -> Value:
    return constant(value=np.asarray(value, DTYPE_NAMES[dtype]))


def fma(dtype: str = "f64", n: int = 4) -> Program:
    """x * y + y."""
    t = typed(dtype, n)
    return made("fma", [t, t], lambda x, y: add(multiply(x, y), y))


def third(n: int = 4) -> Program:
    """f32 in and out, f64 inside: x / 3 computed in double precision."""

    def body(x: Value) -> Value:
        wide = convert(x, dtype=DTYPE_NAMES["f64"])
        scale = known(np.full(n, 1 / 3))
        return convert(multiply(wide, scale), dtype=DTYPE_NAMES["f32"])

    return made("third", [typed("f32", n)], body)


def double() -> Program:
    """A Python float twice."""
    return made("double", [python_type(float)], lambda x: add(x, x))


def run(program: Program, leaves: list[Any], result: Out | None = None, **outcome: Any) -> Any:
    """Call `program` on all `leaves` as its parameters."""
    seen = Outcome(tuple(range(len(leaves))), result or OutArray(0), **outcome)
    return Executable(program, seen)(leaves, leaves)
