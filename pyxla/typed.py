"""What type checkers see of a compiled function: it has the signature of the one it was made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from pyxla.options import Options

P = ParamSpec("P")
Q = ParamSpec("Q")
R_co = TypeVar("R_co", covariant=True)
Self = TypeVar("Self")


class Function(Protocol[P, R_co]):
    """A compiled function (`pyxla.compile`): called as the function is, in classes a method."""

    __name__: str
    __qualname__: str
    options: Options

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __get__(self: Self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(
        self: Function[Concatenate[Any, Q], R_co], instance: object, owner: Any = None
    ) -> Callable[Q, R_co]: ...

    @property
    def __wrapped__(self) -> Callable[P, R_co]: ...
    @property
    def specializations(self) -> tuple[Any, ...]: ...
    def specialize(self, *given: Any, **named: Any) -> None: ...
    def lower(self, *given: Any, **named: Any) -> Any: ...
    def memory(self, *given: Any, **named: Any) -> Any: ...
    def report(self, *given: Any, **named: Any) -> Any: ...
