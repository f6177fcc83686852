"""How ops spell their code: attributes as MLIR text, and emit facets made from them.

An emit facet is `emit(e, instr, operands)`, where `e` is `pyxla.lower.emit.Emitter`.  Ops name
attributes by their text (`array<i64: 0, 1>`), which the emitter parses once; so no op needs MLIR.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.ir.types import array_type

Attributes = Callable[..., dict[str, str]]


def i64(value: int) -> str:
    return f"{int(value)} : i64"


def i64s(values: Iterable[int]) -> str:
    """A dense array of 64-bit integers."""
    text = ", ".join([str(int(value)) for value in values])
    return f"array<i64: {text}>" if text else "array<i64>"


def flag(value: bool) -> str:
    return "true" if value else "false"


def flags(values: Iterable[bool]) -> str:
    text = ", ".join([flag(value) for value in values])
    return f"array<i1: {text}>" if text else "array<i1>"


def bracketed(values: Iterable[int]) -> str:
    return "[" + ", ".join([str(int(value)) for value in values]) + "]"


def matrix(rows: Sequence[Sequence[int]], columns: int = 2) -> str:
    """A dense tensor of 64-bit integers, as padding and device groups are spelled."""
    if not rows:
        return f"dense<> : tensor<0x{columns}xi64>"
    text = ", ".join([bracketed(row) for row in rows])
    return f"dense<[{text}]> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def quoted(text: str) -> str:
    """A string attribute."""
    escaped = "".join(
        [c if c.isascii() and c.isprintable() and c not in '"\\' else _escape(c) for c in text]
    )
    return f'"{escaped}"'


def _escape(character: str) -> str:
    return "".join([f"\\{byte:02X}" for byte in character.encode()])


def enum(kind: str, value: str) -> str:
    return f"#stablehlo<{kind} {value}>"


@functools.cache
def comparison(direction: str, kind: str) -> dict[str, str]:
    """The attributes of `compare`; whoever gets them leaves them as they are."""
    return {
        "comparison_direction": enum("comparison_direction", direction),
        "compare_type": enum("comparison_type", kind),
    }


def plain(name: str, dialect: str = "stablehlo") -> Callable[..., Any]:
    """The emit facet of an op without attributes."""
    full = f"{dialect}.{name}"

    def emit(e: Any, instr: Any, operands: Any) -> Any:
        return e.op(full, instr, operands)

    return emit


def clamped(e: Any, instr: Any, operands: Any) -> Any:
    """The emit facet of `clamp`; truth values are small integers in it.

    XLA:CPU has no code for a clamp of truth values where it does not compile through MLIR.
    """
    result = instr.results[0].type
    if result.dtype != bool:
        return e.op("stablehlo.clamp", instr, operands)
    types = [array_type(np.dtype(np.int8), x.type.shape) for x in instr.operands]
    narrow = [e.convert(value, type) for value, type in zip(operands, types, strict=True)]
    return e.convert(e.simple("stablehlo.clamp", types[1], narrow), result)


def spelled(name: str, attributes: Attributes) -> Callable[..., Any]:
    """The emit facet of an op whose attributes are `attributes(**instr.attrs)`."""
    full = f"stablehlo.{name}"

    def emit(e: Any, instr: Any, operands: Any) -> Any:
        return e.op(full, instr, operands, attributes(**instr.attrs))

    return emit


def with_regions(name: str, attributes: Attributes) -> Callable[..., Any]:
    """As `spelled`, with the instruction's regions emitted inside."""
    full = f"stablehlo.{name}"

    def emit(e: Any, instr: Any, operands: Any) -> Any:
        return e.op(full, instr, operands, attributes(**instr.attrs), instr.regions)

    return emit
