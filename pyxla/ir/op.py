"""The record of an op: every facet in one place.

Calling a record on values of the function under construction emits an instruction (see
`pyxla.ir.build`), so rules, library functions and users all write `add(x, y)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyxla.frozen import dataclass
from pyxla.ir import build
from pyxla.ir.core import Region, Value
from pyxla.ir.types import ArrayType


@dataclass(frozen=True, eq=False)
class Op:
    """One op: its name is the StableHLO mnemonic, the rest are its facets.

    infer(*types, **attrs) -> ArrayType or tuple of them; raises OpError when operands do not fit.
    numpy(*arrays, **attrs) -> what NumPy says it computes: constant folder and test oracle.
    emit(ctx, instr, operands) -> MLIR values (see `pyxla.lower.emit`).
    blocks(*types, **attrs) -> {keyword: parameter types} of the Python functions it takes.
    jvp, vjp: derivative rules (`pyxla.grad`).  batch: on many lanes at once (`pyxla.ops.batching`).
    """

    name: str
    infer: Callable[..., ArrayType | tuple[ArrayType, ...]]
    numpy: Callable[..., Any] | None = None
    emit: Callable[..., Any] | None = None
    blocks: Callable[..., dict[str, Sequence[ArrayType]]] | None = None
    jvp: Callable[..., Any] | None = None
    vjp: Callable[..., Any] | None = None
    batch: Callable[..., Any] | None = None
    effect: bool = False

    def __call__(self, *operands: Value, regions: tuple[Region, ...] = (), **attrs: Any) -> Any:
        return build.current().emit(self, operands, attrs, regions)

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class OpError(TypeError):
    """Operands or attributes that an op does not accept; becomes a CompileError at the line.

    raises: what NumPy raises where it is given the same, if that is certain.  words: its message,
    where that is known word for word.
    """

    def __init__(
        self, message: str, raises: type[Exception] | None = None, words: str | None = None
    ) -> None:
        super().__init__(message)
        self.raises, self.words = raises, words
