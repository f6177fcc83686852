"""`@dataclass` for what the compiler is made of: frozen where mypy looks, and nowhere else; and
keys by identity.

The constructor of a frozen dataclass takes four times as long as that of another one, and a third
of the time that the compiler took to load was CPython's, which compiled two methods for each class
that forbid assignment, and a `__repr__`.  Classes that users get hold of are frozen as ever.
"""

from __future__ import annotations

import dataclasses
import reprlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool = False, eq: bool = True, repr: bool = True, **options: bool
    ) -> Any:
        """As `dataclasses.dataclass`; of a frozen one, the fields may be assigned to."""

        def made(cls: type) -> type:
            if repr and "__repr__" not in vars(cls):
                cls.__repr__ = _repr
            hashed = frozen and eq and "__hash__" not in vars(cls)
            kinds = {"unsafe_hash": hashed, **options}
            return dataclasses.dataclass(cls, eq=eq, repr=False, **kinds)

        return made


class Itself:
    """Any object, compared by identity: what equals it may be another."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Itself and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@reprlib.recursive_repr()
def _repr(x: Any) -> str:
    shown = [f"{f.name}={getattr(x, f.name)!r}" for f in dataclasses.fields(x) if f.repr]
    return f"{type(x).__qualname__}({', '.join(shown)})"
