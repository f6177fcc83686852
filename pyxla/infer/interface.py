"""What the rules may ask of the engine (`infer.engine`), on one screen.

The modules that the engine itself is made of know it by this alone, so that none of them names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from pyxla.abstract.heap import Heap
from pyxla.abstract.lattice import Array, NeedsStatic, Ref
from pyxla.errors import CompileError, Location
from pyxla.ir.core import Block, Value


class Engine(Protocol):
    """The state of one inference, and the questions and effects that rules are written with."""

    # where it is
    block: Block
    entry: Block
    heap: Heap
    builder: Any
    frames: list[Any]
    loops: list[Block]
    headers: dict[Block, Block]
    visits: list[Any]
    activations: Counter[Any]
    visited: int
    may_go_on: Callable[[int, int], bool]  # having visited and made so many instructions
    repeating: int
    # what was found, and what is asked for
    captures: Any
    demands: Any
    findings: Any
    answer: Callable[[Exception], Exception]  # what becomes of a request that nobody answers
    frozen: dict[int, str]
    generators: dict[type, Any]
    spelled: dict[Any, Any]
    grids: dict[Any, Ref]
    pools: dict[type, Ref]
    pool_fields: dict[type, tuple[str, ...]]
    sites: dict[Any, type]
    shared: Callable[..., Any] | None
    list_capacity: int
    row_capacity: int
    pool_capacity: int
    written: list[int]
    met: list[Any]
    # how it is run
    rules: Any
    transfer: dict[str, Callable[..., Any]]
    checks: bool
    options: Any
    faults: Any
    postponed: Any
    guards: tuple[type, ...]
    raised: list[Any]
    strides: Any
    laid: bool
    reshaped: bool
    writes_arrays: bool
    mixed: Any

    @property
    def loc(self) -> Location | None: ...

    # values
    def operand(self, x: Any) -> Any: ...
    def bounded_operand(self, x: Any) -> Any: ...
    def as_array(self, x: Any) -> Array: ...
    def static(self, x: Any, what: str = ..., remedy: str = ...) -> Any: ...
    def use(self, value: Any) -> Any: ...
    def iterate(self, x: Any) -> list[Any]: ...
    def wrapper(self, callee: Any) -> Callable[..., Any]: ...
    def held(self) -> Iterator[Any]: ...
    def in_use(self) -> Iterator[Any]: ...
    def heads(self) -> set[Block]: ...

    # objects
    def new(self, content: Any) -> Ref: ...
    def new_list(self, items: list[Any]) -> Ref: ...
    def new_dict(self, items: dict[Any, Any]) -> Ref: ...
    def content(self, ref: Ref) -> Any: ...
    def set_content(self, cell: int, content: Any) -> None: ...
    def check_writable(self, ref: Ref) -> None: ...
    def check_distinct(self, ref: Ref) -> None: ...

    # what may go wrong
    def chain(self) -> list[Location]: ...
    def refuse(
        self,
        message: str,
        hint: str = ...,
        kind: type[CompileError] = ...,
        raises: type[Exception] | None = ...,
        among: Iterable[Any] = ...,
        **details: Any,
    ) -> CompileError: ...
    def demand(self, tests: tuple[Value, ...], otherwise: CompileError) -> NeedsStatic | None: ...
    def wants_exact_ints(self) -> bool: ...
    def tests(self, kind: type[BaseException]) -> bool: ...
    def catches(self, kind: type[BaseException]) -> bool: ...
    def ensure(
        self, condition: Any, error: Any, catchable: bool = ..., also: Any = ...
    ) -> None: ...
    def assume(self, fine: Value) -> bool: ...
    def unchecked(self) -> AbstractContextManager[None]: ...
    def raise_(self, exception: Any) -> None: ...
    def raise_constant(self, error: BaseException) -> Any: ...
    def enter(self, edge: Any) -> None: ...
    def visit(self, frame: Any, block: Block) -> None: ...
