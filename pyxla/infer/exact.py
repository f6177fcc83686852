"""Arithmetic that rounds as IEEE 754 has it, operation by operation.

XLA and LLVM make one instruction of a product and the sum it goes into, of a quotient by a root
another root, and of a power with a known exponent roots and products.  Here products, roots and
exponents go through the addition of -0.0, which changes no number.  That it is -0.0 nobody can know
before the program runs: it is read from an array outside, which is captured as any other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from pyxla.guards.places import ZERO
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.ir.core import Instr, Value
from pyxla.ops.elementwise import add, convert
from pyxla.ops.filled import spread

_FLOATS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


@contextlib.contextmanager
def exactly(engine: Engine) -> Iterator[None]:
    """What is visited inside rounds every product."""
    builder = engine.builder
    if builder.exact is not None:
        yield
        return
    zero = arrays.read(engine, engine.captures.abstract(engine, ZERO)).value

    def hidden(value: Value) -> Value:
        nothing = convert(zero, dtype=value.type.dtype)
        return add(value, spread(nothing, value.type.shape))

    def exact(instr: Instr) -> Value:
        value = instr.result
        if value.type.dtype not in _FLOATS:
            return value
        if instr.op.name == "power":
            builder.instrs.pop()
            instr.operands = instr.operands[0], hidden(instr.operands[1])
            builder.instrs.append(instr)
        return hidden(value) if instr.op.name in ("multiply", "sqrt") else value

    builder.exact, builder.zero = exact, zero
    try:
        yield
    finally:
        builder.exact = builder.zero = None
