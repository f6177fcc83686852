"""What all abstract values have in common, and what those that are computed with do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# Filled by `pyxla.lib.operators`: operator-module name -> function of operands.
OPERATORS: dict[str, Callable[..., Any]] = {}


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: Any, other: Any) -> Any:
        return OPERATORS[name](self, other)

    def reflected(self: Any, other: Any) -> Any:
        return OPERATORS[name](other, self)

    return forward, reflected


class Structure:
    """The protocol of all abstract values, and of what cells hold."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Any, ...]:
        """The abstract values directly inside."""
        return ()

    @property
    def form(self) -> Any:
        """All else: two of one class and form differ in their parts only."""
        return None

    def is_like(self, other: Any) -> bool:
        """Whether `other` differs from this in its parts only."""
        return type(other) is type(self) and self.form == other.form

    def rebuild(self, parts: Sequence[Any]) -> Any:
        """What has this form and other parts."""
        return self

    def __repr__(self) -> str:
        names: Any = type(self).__slots__
        held = [f"{name}={getattr(self, name)!r}" for name in names]
        return f"{type(self).__name__}({', '.join(held)})"


class Operand(Structure):
    """Arithmetic for library authors: `x * y + 1` with NumPy's (or Python's) promotion."""

    __slots__ = ()

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("truediv")
    __floordiv__, __rfloordiv__ = _binary("floordiv")
    __mod__, __rmod__ = _binary("mod")
    __pow__, __rpow__ = _binary("pow")
    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("and_")
    __or__, __ror__ = _binary("or_")
    __xor__, __rxor__ = _binary("xor")
    __lshift__, __rlshift__ = _binary("lshift")
    __rshift__, __rrshift__ = _binary("rshift")
    __lt__, __gt__ = _binary("lt")[0], _binary("gt")[0]
    __le__, __ge__ = _binary("le")[0], _binary("ge")[0]

    def __neg__(self) -> Any:
        return OPERATORS["neg"](self)

    def __invert__(self) -> Any:
        return OPERATORS["invert"](self)

    def __abs__(self) -> Any:
        return OPERATORS["abs"](self)
