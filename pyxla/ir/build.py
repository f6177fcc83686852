"""The builder: appends typed instructions at an insertion point.

`current()` is the builder at work in this thread.  Ops, library functions and rules emit through
it; it is an insertion point, not a switch: it changes nothing about what is emitted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pyxla.errors import Location
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import ArrayType

if TYPE_CHECKING:
    from pyxla.ir.op import Op


_type = attrgetter("type")


class Builder:
    """Appends to `instrs` (of a block or a region); `loc` is stamped on what is emitted.

    emitted: how many.  copied: how many more are copies of code (`infer.calls.summaries`).  exact:
    what an instruction is emitted by where it must round as IEEE 754 has it (`infer.exact`).
    """

    __slots__ = ("copied", "emitted", "exact", "instrs", "loc")

    def __init__(self, instrs: list[Instr], loc: Location | None = None) -> None:
        self.instrs = instrs
        self.loc = loc
        self.emitted = self.copied = 0
        self.exact: Callable[..., Value] | None = None

    @property
    def made(self) -> int:
        """How many instructions there are, copies of code among them."""
        return self.emitted + self.copied

    def emit(
        self,
        op: Op,
        operands: tuple[Value, ...],
        attrs: dict[str, Any],
        regions: tuple[Region, ...] = (),
    ) -> Any:
        """Append `op(operands, **attrs)`: one Value, or a tuple of them as the op's infer says."""
        if regions:
            types = op.infer(*map(_type, operands), regions=regions, **attrs)
        else:
            types = op.infer(*map(_type, operands), **attrs)
        instr = Instr(op, operands, attrs, regions, self.loc)
        self.instrs.append(instr)
        self.emitted += 1
        if type(types) is tuple:
            instr.results = tuple([Value(t, instr) for t in types])
            return instr.results
        value = Value(types, instr)  # type: ignore[arg-type]
        instr.results = (value,)
        return value if self.exact is None else self.exact(instr)

    def room(self, size: Any) -> Any:
        """A size that is known at run time only, with a bound that the program checks; None where
        no program is being inferred."""
        return None

    def region(self, types: Sequence[ArrayType], body: Callable[..., Any]) -> Region:
        """Build a region by running `body` on fresh parameters; it returns a Value or a tuple."""
        region = Region(tuple([Value(t) for t in types]))
        outer, self.instrs = self.instrs, region.instrs
        try:
            results = body(*region.params)
        finally:
            self.instrs = outer
        region.results = results if type(results) is tuple else (results,)
        return region


class _Stack(threading.local):
    def __init__(self) -> None:
        self.builders: list[Builder] = []


_stack = _Stack()


def current() -> Builder:
    """The innermost active builder of this thread; RuntimeError when there is none."""
    try:
        return _stack.builders[-1]
    except IndexError:
        raise RuntimeError("no function is being built in this thread") from None


class building:  # noqa: N801 - reads as the function it might be; a generator takes longer
    """Make `builder` the current one."""

    __slots__ = ("builder",)

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def __enter__(self) -> Builder:
        _stack.builders.append(self.builder)
        return self.builder

    def __exit__(self, *_: object) -> None:
        _stack.builders.pop()
